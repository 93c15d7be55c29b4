"""Policies of a volume that are set while it runs: what follows from each, in times and bytes."""

from __future__ import annotations

import pytest
from events import FEW_ROWS, at, course, scenario
from events import text as scenario_text
from simpy_models import KIB, SERVER, in_turn

from raidsim.attach.attached import AttachedSystem
from raidsim.attach.protocol import WRITE, Request
from raidsim.control import Controller, Environment, Host, InputError, Volume
from raidsim.report.event_words import lines
from raidsim.scenario import load_text

STRIP = 64 * KIB
CONTROLLER = "lsi-megaraid-1078-512"
PROTECTED = "intel-s3700-800gb"  # its buffer outlasts a power cut


def server(changes=None, **keys):
    env = Environment()
    host = Host(env, SERVER)
    card = Controller(env, CONTROLLER, name="raid", changes=changes)
    given = {"level": "raid1", "drives": 2, "controller": card, "name": "data"} | keys
    return env, card, Volume(env, "seagate-st373455ss", host, **given)


def latency_of_a_write(volume, row=64):
    (done,) = in_turn(volume, ("write", row * STRIP, 8 * KIB))
    return done.latency


def test_writes_are_answered_by_the_drives_once_they_go_through_and_by_the_cache_before_and_after():
    _, card, data = server(write="back")
    times = {}
    for mode in ("back", "through", "back"):
        data.set_policy(write=mode)
        times.setdefault(mode, []).append(latency_of_a_write(data))
        assert card.use.writes["data"].in_effect == mode
    assert max(times["back"]) < 1e-4
    assert min(times["through"]) > 1e-3


def test_what_is_dirty_goes_to_the_drives_at_once_when_write_back_is_turned_off():
    env, card, data = server(write="back")
    in_turn(data, *(("write", place * 9 * STRIP, 8 * KIB) for place in range(50)))
    assert env.system.world.caches[0]["dirty"] == 50 * STRIP
    data.set_policy(write="through")
    env.run(until=env.now + 1)  # 50 places, 10 ms each and less
    assert env.system.world.caches[0]["dirty"] == 0
    written = [int(drive["host_written"]) for drive in env.system.world.drives[:2]]
    assert written == [50 * 8 * KIB] * 2
    assert card.use.lost_peak == 0


def test_a_battery_that_comes_back_does_not_bring_back_what_was_turned_off():
    _, card, data = server(write="back")
    data.set_policy(write="through")
    card.set_battery("low")
    card.set_battery("good")
    assert card.use.writes["data"].in_effect == "through"
    card.set_battery("low")
    data.set_policy(write="back")
    assert card.use.writes["data"].asked == "back"
    assert card.use.writes["data"].in_effect == "through"
    assert latency_of_a_write(data) > 1e-3
    card.set_battery("good")
    assert card.use.writes["data"].in_effect == "back"
    data.set_policy(write="back-bad-battery")
    card.set_battery("low")
    assert latency_of_a_write(data) < 1e-4


def test_only_the_volume_that_is_meant_writes_through():
    env, card, data = server(write="back")
    other = Volume(env, "seagate-st373455ss", data.host, controller=card, write="back")
    data.set_policy(write="through")
    assert latency_of_a_write(other) < 1e-4
    assert latency_of_a_write(data) > 1e-3


def test_a_stream_of_reads_is_found_in_the_cache_while_it_reads_ahead():
    env, card, data = server()
    hits = []
    for mode in ("none", "ahead", "none", "adaptive"):
        data.set_policy(read_ahead=mode)
        before = card.use.hits
        for place in range(40):
            in_turn(data, ("read", place * 8 * KIB, 8 * KIB))
            env.run(until=env.now + 0.02)
        hits.append(card.use.hits - before)
    assert hits[0] == 0
    assert hits[1] >= 38
    assert hits[3] >= 37


def test_what_was_overwritten_past_the_cache_is_not_found_in_it_later():
    """The cache has strip 5, is not used while that is written, and is used again."""
    _, card, data = server(io="cached")
    in_turn(data, ("read", 5 * STRIP, STRIP), ("read", 5 * STRIP, STRIP))
    assert card.use.hits == 1
    data.set_policy(io="direct")
    in_turn(data, ("write", 5 * STRIP, STRIP))
    data.set_policy(io="cached")
    in_turn(data, ("read", 5 * STRIP, STRIP))
    assert card.use.hits == 1
    in_turn(data, ("read", 5 * STRIP, STRIP))
    assert card.use.hits == 2


def test_a_rebuild_under_way_takes_another_share_and_so_does_the_next_one():
    events = [at("1 s", "drive-failure", drive=1), at("2 s", "replacement", drive=1)]
    sample = {"rebuild_sample": "0.3 %"}
    slow = course(*events, rebuild_rate="5 %", **sample)
    fast = course(*events, at("3 s", "policy", rate="90 %"), rebuild_rate="5 %", **sample)
    before = course(at("0.5 s", "policy", rate="90 %"), *events, rebuild_rate="5 %", **sample)
    times = [one.operations[0].seconds for one in (slow, fast, before)]
    assert times[0] > 1.5 * times[1] > times[2]
    assert fast.operations[0].state == "done"


def test_in_a_scenario_writes_slow_down_from_the_event_on_and_it_is_said_what_comes_of_it():
    event = at("2 s", "policy", write="through", read_ahead="adaptive")
    measure = {"duration": "4 s"}
    found = course(event, write="back", measure=measure)
    first, second = found.phases
    assert "policy of data: write = through, read_ahead = adaptive" in second.name
    assert second.latency_ms["write"].mean > 20 * first.latency_ms["write"].mean
    (told,) = lines(scenario(event, write="back", measure=measure))
    assert "its dirty data goes to the drives" in told


def test_a_cut_costs_an_attached_volume_what_it_answered_from_the_cache_since_it_may():
    """The battery is low; write-back all the same was asked for after the volume was attached."""
    low = {"model": "dell-perc-h730", "battery": "low"}
    drives = {"drive": PROTECTED, "state": "fresh"}
    text = scenario_text(write="through", controllers=(low,), **drives)
    attached = AttachedSystem(load_text(text), 1.0)
    attached.start()
    device = attached.devices["data"]
    answers = []

    def writes(address):
        device.ask(Request(0, WRITE, 0, address, STRIP), b"1" * STRIP, answers.append)
        while device.in_flight:
            attached.env.advance(attached.env.now + 0.01)

    def happens(**wish):
        attached.course.let_happen(attached.model.scenario.one_event(wish))

    writes(0)
    happens(kind="policy", write="back-bad-battery")
    writes(10 * STRIP)
    assert [one.error for one in answers] == [0, 0]
    assert device.content.read(10 * STRIP, STRIP) == b"1" * STRIP
    happens(kind="power-cut")
    assert device.content.read(0, STRIP) == b"1" * STRIP
    assert device.content.read(10 * STRIP, STRIP) == bytes(STRIP)
    attached.close()


@pytest.mark.parametrize(
    ("keys", "wish", "message"),
    [
        ({}, {"write": "never"}, '"never" is no such mode'),
        ({}, {"rate": "200 %"}, "200 %"),
        ({"controller": None}, {"write": "back"}, "this volume is on the host itself"),
    ],
)
def test_what_the_hardware_lacks_is_refused_and_nothing_is_changed(keys, wish, message):
    _, _, data = server(**keys)
    before = data.spec
    with pytest.raises(InputError, match=message):
        data.set_policy(**({"read_ahead": "none", "rate": "50 %"} | wish))
    assert data.spec == before
    assert data._pace.rate != 0.5


def test_software_raid_on_the_host_takes_another_rate():
    _, _, data = server(controller=None, rebuild_sample=FEW_ROWS)
    data.fail(1)
    operation = data.replace(1)
    data.set_policy(rate="7 %")
    assert operation.pace.rate == 0.07


@pytest.mark.parametrize(
    ("event", "changes", "message"),
    [
        (at("1 s", "policy"), {}, "write: is missing, and read_ahead, io, rate too"),
        (at("1 s", "policy", write="bak"), {}, "write"),
        (at("1 s", "policy", write="back"), {"controllers": (), "controller": "host"},
         "on the host"),
        (at("1 s", "policy", io="cached"), {"controllers": ({"model": "lsi-megaraid-1068"},)},
         "has no cache"),
    ],
)  # fmt: skip
def test_events_that_cannot_be_are_refused_with_the_line(event, changes, message):
    with pytest.raises(InputError) as found:
        scenario(event, measure={"duration": "4 s"}, **changes)
    assert message in str(found.value)
    assert "events.toml:" in str(found.value)

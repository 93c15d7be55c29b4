"""An array that is watched does what the kernel does, and what is told of it is so."""

from __future__ import annotations

import json

import pytest

from raidsim.errors import InputError
from raidsim.explain.explain import explain
from raidsim.page.live.presets import PRESETS
from raidsim.page.live.watched import WatchedArray
from raidsim.scenario import load_text

KIB = 2**10
STRIP = 64 * KIB
DISKS = """
title = "Disks"
[host]
model = "fujitsu-rx300-s4"
[[controller]]
model = "lsi-megaraid-1078-512"
battery = "good"
[[volume]]
name = "array"
level = "raid5"
drives = 4
drive = "seagate-st373455ss"
strip = "64 KiB"
write = "through"
disk_cache = "off"
parity_writes = "no-reconstruct"
rebuild_sample = "0.1 %"
[[load]]
name = "work"
read = "50 %"
size = "8 KiB"
outstanding = 2
"""
QUIET = '\n[[event]]\nkind = "load-start"\nat = "1 h"\n[measure]\nduration = "2 h"\n'
FLASH = """
title = "Flash"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "flash"
drive = "intel-p3700-800gb-sff"
state = "fresh"
set = { heat.inner_capacity = "0.5 J/K", heat.case_capacity = "2 J/K" }
[[load]]
name = "work"
read = "0 %"
random = "0 %"
size = "64 KiB"
outstanding = 8
"""


def array(*changes, text=DISKS):
    return WatchedArray(load_text(text, overrides=list(changes)))


def quiet(*changes):
    """An array that nobody asks for anything."""
    return array(*changes, text=DISKS + QUIET)


def commands(told):
    """What a followed request asks of drives: drive and kind of each command, phase by phase."""
    found = {}
    for step in told["steps"]:
        if step["command"] is not None:
            found[step["command"]] = (step["op"], step["drive"])
    return [found[number] for number in sorted(found)]


def go_to_the_end(watched, looks=400):
    """Let time pass until no background work is left; what was seen of it."""
    seen = []
    for _ in range(looks):
        watched.advance(600)
        seen.append(watched.frame())
        if not seen[-1]["operations"]:
            return seen
    raise AssertionError("the work has no end")


# -- a request, followed


def test_a_small_write_to_raid_5_reads_old_data_and_parity_and_then_writes_both():
    told = quiet().follow("write", 5 * STRIP, 4 * KIB)
    # Left-symmetric: strip 5 is on drive 1 of row 1, whose parity is on drive 2.
    reads, writes = commands(told)[:2], commands(told)[2:]
    assert sorted(reads) == [("read", 1), ("read", 2)]
    assert sorted(writes) == [("write", 1), ("write", 2)]
    read = max(s["to"] for s in told["steps"] if s["op"] == "read")
    written = min(s["from"] for s in told["steps"] if s["op"] == "write")
    (parity,) = (s for s in told["steps"] if s["place"] == "parity")
    assert read <= parity["from"] < parity["to"] <= written
    assert "2 reads of drives, then 2 writes of drives" in told["request"]["summary"]


@pytest.mark.parametrize(
    ("level", "drives", "asked"), [("raid6", 6, 6), ("raid10", 4, 2), ("raid1", 2, 2)]
)
def test_a_small_write_takes_as_many_commands_as_textbooks_say(level, drives, asked):
    told = quiet(f"volume.level={level}", f"volume.drives={drives}").follow("write", 0, 4 * KIB)
    assert len(commands(told)) == asked


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize("changes", [(), ("volume.level=raid10",), ("volume.failed=[1]",)])
def test_in_a_quiet_array_a_request_is_what_explain_says_it_is(op, changes):
    scenario = load_text(DISKS + QUIET, overrides=list(changes))
    told = WatchedArray(scenario).follow(op, 5 * STRIP, 8 * KIB)
    expected = explain(scenario, op, 5 * STRIP, 8 * KIB)
    assert told["request"]["took"] == round(expected.latency * 1e9)
    explained = [one for task in expected.tasks for phase in task.phases for one in phase.commands]
    assert commands(told) == [(one.op, one.member) for one in explained]
    for number, one in enumerate(explained):
        mine = [step for step in told["steps"] if step["command"] == number]
        assert min(step["from"] for step in mine) == round(one.begins * 1e9)
        assert max(step["to"] for step in mine) == round(one.ends * 1e9)


def test_to_follow_requests_changes_nothing():
    followed, left_alone = array(), array()
    for op in ("any", "write", "read"):
        assert followed.follow(op)["request"] is not None
    left_alone.advance(followed.now)
    followed.advance(0.5)
    left_alone.advance(followed.now - left_alone.now)
    one, other = followed.frame(), left_alone.frame()
    assert one["time"] == pytest.approx(other["time"], abs=1e-9)
    done = [sum(w.system.rows("streams")["completed"]) for w in (followed, left_alone)]
    assert done[0] == done[1] > 50
    assert [d["queue"] for d in one["drives"]] == [d["queue"] for d in other["drives"]]


def test_the_work_of_others_is_told_beside_that_of_a_request():
    watched = array("load.outstanding=16")
    watched.advance(0.2)
    found = [watched.follow("read") for _ in range(12)]
    waits = [sum(step["waits"] for step in told["steps"]) for told in found]
    assert max(waits) > 1e6
    for told, waited in zip(found, waits, strict=True):
        drives = {step["drive"] for step in told["steps"] if step["drive"] is not None}
        meanwhile = [one for one in told["others"] if one["drive"] in drives]
        assert meanwhile or not waited
        # A read of one strip is a chain of steps: it waits, or somebody works for it.
        ends = 0
        for step in sorted(told["steps"], key=lambda one: one["from"]):
            assert step["from"] - step["waits"] <= ends + 1
            ends = max(ends, step["to"])
        assert ends == told["request"]["took"]
    assert max(max(level["queues"]) for told in found for level in told["levels"]) > 1


def test_what_an_arm_does_is_seek_rotation_and_transfer():
    told = quiet().follow("read", 100_000 * STRIP, 4 * KIB)
    (access,) = (step for step in told["steps"] if step["moves"] is not None)
    assert access["moves"] > 0
    assert 0 <= access["rotates"] <= 60e9 / 15_000  # one turn
    assert access["moves"] + access["rotates"] <= access["to"] - access["from"]


def test_a_write_that_the_cache_takes_asks_no_drive():
    told = quiet("volume.write=back").follow("write", 0, 8 * KIB)
    assert commands(told) == []
    assert "the controller's cache" in told["request"]["summary"]
    assert told["levels"][-1]["dirty"] == STRIP


def test_writes_that_go_through_from_now_on_wait_for_the_drives():
    watched = quiet("volume.write=back")
    words = watched.ask({"kind": "policy", "write": "through"})
    assert "Writes are answered when the drives have them" in words
    assert len(commands(watched.follow("write", 0, 8 * KIB))) == 4
    assert watched.frame()["cache"]["asked"] == "through"
    words = watched.ask({"kind": "policy", "write": "back"})
    assert "Writes are answered from the cache" in words
    assert commands(watched.follow("write", 10**9 // STRIP * STRIP, 8 * KIB)) == []


# -- drives that fail


def test_a_failed_drive_is_lost_and_reads_of_its_strips_go_to_all_others():
    watched = quiet()
    assert watched.ask({"kind": "drive-failure", "drive": 1}) == (
        "Drive 1 failed. Reads of its strips are computed from 3 others."
    )
    cells = [row["cells"] for row in watched.picture()["rows"]]
    assert all([cell["lost"] for cell in row] == [False, True, False, False] for row in cells)
    told = watched.follow("read", 5 * STRIP, 4 * KIB)
    assert sorted(commands(told)) == [("read", 0), ("read", 1), ("read", 2), ("read", 3)]
    assert "Drive 1 answers with an error." in [step["words"] for step in told["steps"]]
    assert "planned again" in told["request"]["summary"]
    told = watched.follow("read", 5 * STRIP, 4 * KIB)
    assert sorted(commands(told)) == [("read", 0), ("read", 2), ("read", 3)]
    assert watched.frame()["health"] == "degraded"


def test_more_failures_than_there_is_redundancy_for_are_told_as_loss():
    watched = quiet()
    watched.ask({"kind": "drive-failure", "drive": 0})
    assert "data is lost" in watched.ask({"kind": "drive-failure", "drive": 3})
    assert watched.frame()["health"] == "failed"


def test_the_frontier_of_a_rebuild_only_grows_until_the_array_is_whole():
    watched = array()
    watched.ask({"kind": "drive-failure", "drive": 2})
    watched.advance(0.1)
    watched.ask({"kind": "replacement", "drive": 2})
    seen = go_to_the_end(watched)
    shares = [frame["drives"][2]["good"] for frame in seen]
    rows = [frame["frontier"] for frame in seen if frame["frontier"] is not None]
    assert shares == sorted(shares)
    assert rows == sorted(rows)
    assert shares[-1] == 1.0
    assert seen[-1]["health"] == "optimal"
    assert "whole" in seen[-1]["told"][-1]["words"]


def test_a_hot_spare_takes_the_place_of_a_failed_drive():
    watched = quiet("volume.spares=1")
    assert watched.frame()["drives"][4]["spare"]
    assert "hot spare takes its place" in watched.ask({"kind": "drive-failure", "drive": 0})
    frame = watched.frame()
    assert len(frame["drives"]) == 4
    assert frame["drives"][0]["rebuilding"] == "rebuild"
    assert frame["drives"][0]["good"] < 0.01


# -- cache, battery, power


def test_what_is_dirty_never_exceeds_what_the_cache_may_hold():
    watched = array("volume.write=back", "load.read=0 %", "load.outstanding=64")
    told = []
    for _ in range(30):
        watched.advance(0.5)
        frame = watched.frame()
        told += [one["kind"] for one in frame["told"]]
        cache = frame["cache"]
        assert cache["dirty"] <= cache["high"] + STRIP
        assert cache["dirty"] <= cache["used"] <= cache["size"]
    assert "cache" in told  # it was full
    found = [watched.follow("write") for _ in range(20)]
    waits = [step for one in found for step in one["steps"] if step["waits_for"]]
    assert any("the write waits for the drives" in step["waits_for"] for step in waits)


@pytest.mark.parametrize(("write", "kept"), [("back", True), ("back-bad-battery", False)])
def test_a_battery_decides_whether_a_power_cut_costs_what_is_dirty(write, kept):
    changes = ["load.read=0 %", "load.limit.ios=300", f"volume.write={write}"]
    if not kept:
        changes.append("controller.battery=absent")
    watched = array(*changes)
    watched.advance(0.3)
    written = int(watched.system.rows("streams")["completed"].sum())
    assert written == 300  # too few for the cache to begin to write them to the drives
    watched.ask({"kind": "power-off"})
    cut = watched.frame()["cut"]
    amounts = cut["kept"], cut["lost"]
    assert amounts == ((300 * 8 * KIB, 0) if kept else (0, 300 * 8 * KIB))
    words = watched.told[-1]["words"]
    assert ("No acknowledged data is lost" in words) == kept
    json.dumps(watched.frame())  # as it goes to the page


def test_stripes_that_a_power_cut_tears_are_shown_until_a_resync_has_been_through():
    watched = array(
        "controller=[]", "volume.controller=host", "volume.intent=none", "load.outstanding=16"
    )
    watched.advance(1)
    watched.ask({"kind": "power-off"})
    cut = watched.frame()["cut"]
    assert cut["torn"] > 0
    picture = watched.picture("torn")
    torn = {row["row"] for row in picture["rows"] if any(c["torn"] for c in row["cells"])}
    assert torn == set(cut["rows"])
    assert watched.follow()["request"] is None
    watched.ask({"kind": "power-on"})
    watched.advance(15.1)  # the disks have spun up
    assert [one["kind"] for one in watched.frame()["operations"]] == ["resync"]
    assert go_to_the_end(watched)[-1]["cut"] is None


def test_while_a_battery_learns_writes_are_answered_by_the_drives():
    watched = array("volume.write=back")
    watched.advance(0.2)
    assert watched.frame()["cache"]["mode"] == "back"
    watched.ask({"kind": "learn-cycle", "for": "2 s"})
    frame = watched.frame()
    assert (frame["cache"]["mode"], frame["cache"]["battery"]) == ("through", "learning")
    assert commands(watched.follow("write"))
    for _ in range(10):
        watched.advance(1)
    assert watched.frame()["cache"]["mode"] == "back"


# -- heat


@pytest.mark.parametrize("start", ["warm", "idle"])
def test_drives_begin_as_warm_as_the_load_makes_them_if_that_is_asked_for(start):
    """The drive throttles under this load, and turns about one temperature in the long run."""
    watched = array(f"air.start={start}", "air.airflow=30 %", text=FLASH)
    first = watched.frame()["drives"][0]["temperature"]
    later = []
    for _ in range(20):
        watched.advance(0.5)
        later.append(watched.frame()["drives"][0]["temperature"])
    settled = sum(later[10:]) / 10
    print(start, first, settled)
    if start == "warm":
        assert abs(first - settled) < 4
    else:
        assert first < settled - 15


def test_a_drive_that_becomes_too_hot_says_so_and_slows_down():
    watched = array("load.outstanding=16", text=FLASH)
    watched.ask({"kind": "air", "ambient": "60 C", "airflow": "10 %"})
    for _ in range(60):
        watched.advance(0.5)
        drive = watched.frame()["drives"][0]
        if drive["throttled"]:
            break
    assert drive["speed"] < 1
    assert drive["temperature"] >= watched.about()["throttles_from"][0] - 1
    assert "throttles" in watched.told[-1]["words"]


# -- what is asked


def test_all_that_is_told_is_json_without_surprises():
    watched = array()
    watched.advance(0.05)
    for told in (watched.about(), watched.frame(), watched.picture(), watched.follow("write")):
        assert json.loads(json.dumps(told, allow_nan=False))


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"kind": "drive-failure", "drive": 9}, "no drive 9"),
        ({"kind": "replacement", "drive": 1}, "has not failed"),
        ({"kind": "power-on"}, "power"),
        ({"kind": "no-such-thing"}, "no-such-thing"),
        ({"kind": "drive-failure", "drive": 1, "at": "1 s"}, "at once"),
        ({}, "kind"),
    ],
)
def test_what_cannot_happen_is_refused_in_words_and_nothing_changes(wish, words):
    watched = quiet()
    before = json.dumps(watched.frame())
    with pytest.raises(InputError) as refused:
        watched.ask(wish)
    assert words in str(refused.value)
    assert json.dumps(watched.frame()) == before


def test_a_part_of_a_hybrid_is_not_watched_as_if_it_were_alone():
    """Loads run on the hybrid: its front alone would show what nobody asked for."""
    text = FLASH.replace(
        "[[load]]",
        '''[[volume]]
name = "disk"
drive = "seagate-st373455ss"
[[hybrid]]
name = "both"
front = "flash"
back = "disk"
[[load]]
volume = "both"''',
    )
    for volume in None, "flash", "disk", "both":
        with pytest.raises(InputError) as refused:
            WatchedArray(load_text(text), volume)
        assert "a hybrid cannot be watched" in str(refused.value)


def test_a_request_outside_of_the_volume_is_refused():
    with pytest.raises(InputError):
        quiet().follow("read", 2**52, 4 * KIB)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda one: one.name)
def test_every_array_that_is_offered_can_be_watched(preset):
    watched = WatchedArray(preset.scenario())
    told = watched.follow("write")
    assert told["request"]["took"] > 0
    assert told["steps"][0]["place"] == "host"
    assert not watched.ended

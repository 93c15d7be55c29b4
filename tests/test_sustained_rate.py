"""A load that asks for too much is reported with what is carried, and so is all else that was run.

One die of one channel reads for 10 ms, next to which host and link are nothing: it carries 100
IO/s, whoever asks.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import compiled_only
from events import at, toml
from events import scenario as with_events
from scenario_texts import ONE_MACHINE
from synthetic import point as synthetic_point
from watching import begin, scenario

from raidsim import cli
from raidsim.control.model import build
from raidsim.errors import InputError
from raidsim.observe.saturation import is_saturated
from raidsim.report import csv_file, html, json_file, plot
from raidsim.result import Carried, Interrupted, Interval
from raidsim.running import run, sustained_rate
from raidsim.scenario import from_data, load, load_text
from raidsim.system import tables

DIE = {"flash.channels": 1, "flash.dies_per_channel": 1, "flash.read_time": "10 ms"}
MILLIONS = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
level = "raid0"
drives = 2
drive = "samsung-pm1643-3840gb"
[[load]]
read = "100 %"
size = "4 KiB"
rate = "40000000 IO/s"
"""
QUICK = {"min_ios": 2_000, "max_ios": 20_000}
TEXT = f"""
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "die"
drive = "intel-p3700-800gb"
set = {toml(DIE)}
state = "filled"
[[load]]
name = "reads"
read = "100 %"
size = "4 KiB"
rate = ["50 IO/s", "400 IO/s"]
[measure]
min_ios = 2000
max_ios = 20000
"""


def points(*loads, drive=None, **measure):
    return run(scenario(*loads, drive=drive or DIE, measure=QUICK | measure)).points


@pytest.fixture(scope="module")
def swept():
    """A sweep whose second and third point ask for more than the die carries."""
    return run(scenario({"rate": ["50 IO/s", "105 IO/s", "400 IO/s"]}, drive=DIE, measure=QUICK))


@pytest.fixture(autouse=True)
def quick_trials(monkeypatch):
    """Shorter trials, except for the sweep that all look at: chance piles up 2 % of these."""
    monkeypatch.setattr(sustained_rate, "TRIAL_IOS", 30_000)


@pytest.fixture
def few_jobs(monkeypatch):
    """Little may be under way before it can be followed no more."""
    monkeypatch.setattr(tables, "MOST_JOBS", 1 << 14)


# ---- what is carried


def test_what_one_die_carries_is_found_to_two_percent(swept):
    fine, *saturated = swept.points
    assert (fine.saturated, fine.carried) == (False, None)
    for point in saturated:
        assert point.saturated
        assert not point.converged
        assert point.carried.rate == pytest.approx(100, rel=0.02)
        assert point.carried.low < point.carried.rate < point.carried.high < point.rate
    assert saturated[1].carried == saturated[0].carried or saturated[0].rate < 102.5


def test_the_points_are_those_that_each_rate_has_alone(swept):
    (alone,) = points({"rate": "50 IO/s"})
    assert swept.points[0] == alone


def test_reads_that_go_past_waiting_writes_are_told_apart_from_what_is_carried():
    """Writes wait for room in the cache. Reads do not, and all of them come out."""
    changes = {"load.outstanding": None, "load.rate": "4 kIO/s", "measure.precision": "5 %"}
    changes |= {"controller.set.cache.size": "128 MiB"}
    (point,) = run(load("raid5-disks").with_(changes)).points
    assert point.carried.rate < 0.9 * point.iops.mean
    (words,) = [text for text in point.warnings if "completed I/Os are reads" in text]
    reads, writes = (point.latency_ms[kind].samples for kind in ("read", "write"))
    share = 100 * reads / (reads + writes)
    assert words.startswith(f"{share:.0f} % of the completed I/Os are reads")
    assert " 67 % of the requested ones: reads overtake writes that wait" in words
    assert reads / point.window_s == pytest.approx(0.67 * 4000, rel=0.05)


@pytest.mark.parametrize(("came_out", "is_more"), [(1097.0, True), (1080.0, False)])
def test_what_is_called_the_most_is_never_less_than_what_came_out(came_out, is_more):
    """The table said 1,097 I/Os a second, and the remark that at most 1,070 are carried."""
    made = replace(synthetic_point(None, rate=3000.0), iops=Interval(came_out, None, None))
    found = sustained_rate._with_carried(made, Carried(1070.0, 1060.0, 1080.0), "", "")
    assert ("at most" in found.warnings[0]) != is_more
    assert ("here 1,097 IO/s come out" in found.warnings[0]) == is_more


def test_a_cache_that_fills_for_many_minutes_does_not_lend_a_rate_that_is_not_carried(monkeypatch):
    """At 3,000 I/Os a second the cache is full after minutes. Until then each write is done in
    0.05 ms. Some 2,800 to 2,900 are carried in the long run.
    """
    monkeypatch.setattr(sustained_rate, "TRIAL_IOS", 100_000)  # as many as out of tests
    changes = {"load.outstanding": None, "load.rate": "3000 IO/s", "measure.precision": "3 %"}
    changes |= {"controller.set.cache.size": "64 MiB"}
    fill = {"measure.min_ios": 75_000, "measure.max_ios": 4_000_000}
    written = load("raid5-disks").with_(changes)
    (over,) = run(written.with_({"measure.min_ios": 20_000})).points
    assert over.saturated
    assert not any("a tenth more" in text for text in over.warnings)
    low, high = (f"{share * over.carried.rate:.0f} IO/s" for share in (0.97, 1.03))
    (below,) = run(written.with_({"load.rate": low} | fill)).points
    assert not below.saturated
    assert below.latency_ms["write"].mean < 1
    (above,) = run(written.with_({"load.rate": high} | fill)).points
    assert above.saturated


def test_a_large_cache_carries_as_much_as_drives_do_once_it_is_full():
    """It takes a million writes to fill, and then has more to choose from.

    What a closed load does in the long run, over a whole sweep of the destages, is carried.
    """
    volume = {"level": "raid5", "drives": 8, "drive": "cisco-hdd-10tb", "write": "back"}
    card = {"model": "lenovo-raid-940-16i-8gb", "set": {"cache.size": "2 GiB"}}
    written = {"read": "0 %", "size": "4 KiB"}

    def point(load, **measure):
        return run(
            from_data(
                {
                    "host": {"model": "cisco-ucs-c240-m4"},
                    "controller": [card],
                    "volume": [volume],
                    "load": [written | load],
                    "measure": measure,
                }
            )
        ).points[0]

    long = point({"outstanding": 64}, min_ios=900_000, precision="2 %")
    over = point({"rate": f"{1.3 * long.iops.mean:.0f} IO/s"}, min_ios=20_000, precision="3 %")
    assert over.saturated
    assert over.carried.rate == pytest.approx(long.iops.mean, rel=0.025)


def test_bursts_carry_what_the_drive_does_in_the_pauses_too():
    """100 IO/s that come in a quarter of the time are 400 meanwhile; of more ever more wait."""
    burst = {"burst": {"on": "100 s", "off": "300 s"}}
    measure = {"max_time": "8000 s", "max_ios": 400_000}
    fine, busy = points({"rate": ["380 IO/s", "430 IO/s"]} | burst, **measure)
    assert not fine.saturated
    assert busy.saturated
    assert busy.carried.rate == pytest.approx(400, rel=0.03)


@pytest.mark.parametrize(("rate", "too_much"), [("50 IO/s", False), ("150 IO/s", True)])
def test_a_backlog_is_saturation_however_wide_the_interval_of_the_rate_is(rate, too_much):
    words = scenario({"name": "load", "rate": rate}, drive=DIE)
    built = build(words)
    begin(built)
    built.system.run(round(60e9))
    (one,) = words.loads
    found = is_saturated(built.system, one, built.streams["load"], 150.0, None, behind=False)
    assert found == too_much


def test_a_load_of_which_half_are_trims_is_not_behind_when_the_other_half_comes_out():
    """The die is busy for 96 % of its time with reads."""
    (point,) = points({"rate": "192 IO/s", "read": "50 %", "trim": "50 %"}, precision="3 %")
    assert point.iops.mean == pytest.approx(96, rel=0.03)
    assert point.limited_by.utilisation > 0.95
    assert point.converged


def test_where_nothing_goes_past_nothing_is_said_of_a_mix(swept):
    assert not any(
        "completed I/Os are reads" in text for point in swept.points for text in point.warnings
    )


@pytest.mark.parametrize("settles", [True, False])
def test_what_is_carried_by_trials_whose_caches_had_not_settled_is_told_as_that(settles):
    asked = scenario({"rate": "400 IO/s"}, drive=DIE, measure=QUICK)
    (over,) = run(asked).points

    def trial(tried, intensity):
        rate = tried.loads[0].rate[intensity]
        open_cache = [] if settles else ["what a cache holds still grew"]
        return [replace(over, saturated=rate > 100, unsettled=open_cache)]

    (found,) = sustained_rate.SustainedRates(asked, trial).add_to([over], 0)
    assert found.carried.rate == pytest.approx(100, rel=0.03)
    assert ("had not settled" in found.warnings[0]) != settles


def test_what_was_told_of_the_trials_for_one_point_is_not_told_of_another_point():
    asked = scenario({"rate": "400 IO/s"}, {"outstanding": [1, 2]}, drive=DIE, measure=QUICK)
    over = synthetic_point(None, rate=400.0, load="load 0", saturated=True)
    closed = synthetic_point(load="load 1")

    def trial(tried, intensity):
        open_cache = ["what a cache holds still grew"] if intensity == 0 else []
        is_over = tried.loads[0].rate[-1] > 100
        return [replace(over, saturated=is_over, unsettled=open_cache), closed]

    found = sustained_rate.SustainedRates(asked, trial)
    first, second = (found.add_to([over, closed], number)[0].warnings[0] for number in (0, 1))
    assert "had not settled" in first
    assert "had not settled" not in second


def test_loads_that_are_saturated_together_share_what_is_carried():
    one, three = points({"rate": "100 IO/s"}, {"rate": "300 IO/s"})
    assert three.carried.rate == pytest.approx(3 * one.carried.rate)
    assert one.carried.rate + three.carried.rate == pytest.approx(100, rel=0.04)
    assert one.warnings[0].endswith("where all saturated loads ask for the same share")


def test_a_load_on_a_drive_of_its_own_stays_as_it_is():
    asked = scenario(
        {"rate": "300 IO/s"}, {"rate": "60 IO/s", "volume": "data1"}, drive=DIE, drives=2,
        measure=QUICK,
    )  # fmt: skip
    busy, fine = run(asked).points
    assert (fine.saturated, fine.carried) == (False, None)
    assert busy.carried.rate == pytest.approx(100, rel=0.04)


def test_bursts_are_scaled_as_they_are():
    (point,) = points({"rate": "400 IO/s", "burst": {"on": "100 ms", "off": "100 ms"}})
    assert point.carried.rate == pytest.approx(200, rel=0.04)


def test_a_rate_is_that_of_each_worker():
    (point,) = points({"rate": "100 IO/s", "workers": 4})
    assert point.carried.rate == pytest.approx(25, rel=0.04)
    assert "by each worker, at most" in point.warnings[0]


def test_what_is_far_too_much_to_be_followed_is_found_too(few_jobs):
    (point,) = points({"rate": "10000 IO/s"})
    assert point.carried.rate == pytest.approx(100, rel=0.04)


@pytest.mark.parametrize("seed", range(200))
def test_a_bracket_holds_the_border_wherever_it_begins(seed):
    print("seed", seed)
    draw = random.Random(seed)
    border = draw.uniform(0.01, 0.999)
    guess = min(border * math.exp(draw.gauss(0, 0.7)), 1.0)
    tried = []

    def are_carried(shares):
        tried.extend(shares)
        return [share <= border for share in shares]

    low, high = sustained_rate.bracket(guess, are_carried)
    assert low <= border < high <= min(low * sustained_rate.APART * 1.001, 1.0)
    assert len(tried) <= 16
    assert 1.0 not in tried


def test_a_good_guess_takes_two_trials_side_by_side():
    tried = []
    sustained_rate.bracket(0.5, lambda shares: tried.append(shares) or [x < 0.501 for x in shares])
    (both,) = tried
    assert len(both) == 2


@pytest.mark.parametrize("border", [0.1, 0.2, 0.4, 0.6, 0.9])
@pytest.mark.parametrize("sorted_better", [0.0, 0.3, 0.5])
def test_what_came_out_of_a_trial_is_where_the_next_one_goes(border, sorted_better):
    """Disks sort long queues: a part of what is asked beyond the border comes out."""
    tried = []

    def are_carried(shares):
        tried.extend(shares)
        return [share <= border for share in shares]

    def came_out(share):
        return min(share, border + sorted_better * (share - border))

    low, high = sustained_rate.bracket(came_out(1.0), are_carried, came_out)
    assert low <= border < high <= low * sustained_rate.APART * 1.001
    without = len(tried)
    tried.clear()
    sustained_rate.bracket(came_out(1.0), are_carried)
    assert without <= min(len(tried) + 1, 9)


@pytest.mark.parametrize("out", [0.0, 1e-9, 0.7, 10.0])
def test_what_came_out_may_tell_nothing(out):
    """If a trial ends early, or a cache fills, what came out is not what is carried."""
    low, high = sustained_rate.bracket(
        0.9, lambda shares: [x <= 0.3 for x in shares], lambda _: out
    )
    assert low <= 0.3 < high <= low * sustained_rate.APART * 1.001


def test_where_nothing_is_carried_nothing_is_found():
    assert sustained_rate.bracket(0.5, lambda shares: [False] * len(shares)) is None


# ---- what has no steady state


def test_events_let_a_course_end_where_it_can_no_longer_be_followed(few_jobs):
    load = {"name": "reads", "read": "100 %", "size": "8 KiB", "rate": "20000 IO/s"}
    found = run(
        with_events(at("10 s", "drive-failure", drive=2), loads=(load,), measure={"min_ios": 100})
    )
    (point,) = found.points
    assert (point.saturated, point.carried, point.converged) == (True, None, False)
    assert not found.is_carried
    assert any(text.startswith("stopped at ") for text in point.warnings)
    assert b"saturated" in html.render(found)


def test_an_event_that_halves_an_array_ends_the_course_with_its_phases(few_jobs):
    load = {"name": "reads", "read": "100 %", "size": "8 KiB", "rate": "300 IO/s"}
    slow = at("2 s", "slow-drive", drive=1, delay="200 ms")
    found = run(with_events(slow, loads=(load,), measure={"min_ios": 100, "duration": "600 s"}))
    (point,) = found.points
    assert point.saturated
    assert [phase.start_s for phase in point.course.phases] == [0.0, 2.0]
    assert point.course.phases[-1].end_s < 600


def test_a_load_beside_machines_is_saturated_and_they_boot(few_jobs):
    text = (
        ONE_MACHINE
        + '[[load]]\nname = "beside"\nread = "100 %"\nsize = "4 KiB"\nrate = "2000 kIO/s"\n'
    )
    beside, machines = run(load_text(text, "boot.toml", ["machine.compute=1 s"])).points
    assert beside.saturated
    assert beside.carried is None
    assert machines.machines.count == 1


def test_given_arrivals_that_pile_up_are_saturated_without_a_rate(few_jobs):
    (point,) = points({"arrivals": [f"{n} us" for n in range(20_000)]})
    assert point.saturated
    assert point.carried is None


def test_closed_loads_that_cannot_be_followed_are_bad_input(few_jobs):
    with pytest.raises(InputError, match="under way") as caught:
        points({"outstanding": 10_000, "size": "64 KiB"})
    assert caught.value.problems[0].remedy


# ---- what is said of it


def test_every_output_says_what_was_asked_and_what_is_carried(swept):
    words = "saturated: asked 400 IO/s, at most "
    assert words in json_file.render(swept.to_dict()).decode()
    rows = list(csv.DictReader(io.StringIO(csv_file.render(swept).decode())))
    assert [row["saturated"] for row in rows] == ["no", "yes", "yes"]
    assert float(rows[2]["carried [IO/s]"]) == swept.points[2].carried.rate
    assert rows[0]["carried [IO/s]"] == ""
    assert words in rows[2]["warnings"]
    page = html.render(replace(swept, interrupted=True)).decode()
    assert words in page
    assert "interrupted: only the points" in page
    assert "flash die 100 %, saturated" in page
    picture = plot.render(replace(swept, interrupted=True), ".svg").decode()
    assert "saturated, 100 IO/s are carried" in picture
    assert "(interrupted)" in picture


def test_a_run_that_is_saturated_prints_its_points_and_ends_with_1(tmp_path: Path, capsys):
    path = tmp_path / "die.toml"
    path.write_text(TEXT)
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", str(path), "--json", str(tmp_path / "r.json")])
    assert ended.value.code == 1
    out, err = capsys.readouterr()
    assert re.search(
        r"\n400 IO/s offered: saturated: asked 400 IO/s, at most \d+(\.\d+)? IO/s", out
    )
    assert "flash die 100 %, saturated" in out
    assert "Traceback" not in err
    found = json.loads((tmp_path / "r.json").read_text())
    assert [point["saturated"] for point in found["points"]] == [False, True]
    assert (found["interrupted"], found["highest"]) == (False, None)


# ---- Ctrl-C


def pressed_at(number):
    """Press Ctrl-C in the point of this number, from 0."""

    def on_point(at):
        if at.point_index == number:
            raise KeyboardInterrupt

    return on_point


@pytest.fixture
def one_core(monkeypatch):
    """Points are measured one after the other."""
    monkeypatch.setattr("raidsim.workers.engine.processors", lambda: 1)


def test_an_interrupt_of_points_side_by_side_keeps_only_what_is_finished(monkeypatch):
    monkeypatch.setattr("raidsim.workers.engine.processors", lambda: 2)
    asked = scenario({"outstanding": [1, 2, 4, 8]}, drive=DIE, measure=QUICK)
    with pytest.raises(KeyboardInterrupt) as caught:
        run(asked, progress=pressed_at(3))
    found = caught.value.result.points if isinstance(caught.value, Interrupted) else []
    whole = {point.outstanding: point for point in run(asked).points}
    assert found == [whole[point.outstanding] for point in found]
    assert all(point.outstanding != 8 for point in found)


@pytest.mark.parametrize("number", [1, 2])
def test_an_interrupted_sweep_keeps_the_points_that_are_finished(one_core, number):
    asked = scenario({"outstanding": [1, 2, 4]}, drive=DIE, measure=QUICK)
    with pytest.raises(Interrupted) as caught:
        run(asked, progress=pressed_at(number))
    found = caught.value.result
    assert found.interrupted
    whole = run(asked)
    assert found.points == whole.points[:number]
    assert not whole.interrupted


def test_an_interrupt_before_any_point_is_finished_leaves_none(one_core):
    with pytest.raises(KeyboardInterrupt) as caught:
        run(scenario({"outstanding": [1, 2]}, drive=DIE, measure=QUICK), progress=pressed_at(0))
    assert not isinstance(caught.value, Interrupted)


def test_an_interrupted_search_keeps_its_points_and_has_no_answer():
    load = {"outstanding": [1, 4, 16], "within": "75 ms"}
    with pytest.raises(Interrupted) as caught:
        run(scenario(load, drive=DIE, measure=QUICK), progress=pressed_at(2))
    found = caught.value.result
    assert [point.outstanding for point in found.points] == [1, 4]
    assert found.highest is None


def test_a_point_is_finished_though_what_is_carried_is_not_known_yet():
    def on_point(at):
        if at.label.startswith("what is carried"):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        run(scenario({"rate": "400 IO/s"}, drive=DIE, measure=QUICK), progress=on_point)
    (point,) = caught.value.result.points
    assert point.saturated
    assert point.carried is None


def test_interrupted_courses_keep_those_that_are_finished(one_core):
    load = {"name": "reads", "read": "100 %", "size": "8 KiB", "outstanding": [1, 2]}
    asked = with_events(at("1 s", "drive-failure", drive=2), loads=(load,))
    with pytest.raises(Interrupted) as caught:
        run(asked, progress=pressed_at(1))
    (point,) = caught.value.result.points
    assert point.outstanding == 1
    assert point.course.events


def test_an_interrupted_command_writes_what_is_finished_and_ends_with_130(
    one_core, tmp_path: Path, capsys, monkeypatch
):
    path = tmp_path / "die.toml"
    path.write_text(TEXT)
    monkeypatch.setattr("raidsim.report.progress.Bar.on_point", lambda _, at: pressed_at(1)(at))
    files = {name: tmp_path / f"r.{name}" for name in ("json", "csv")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", str(path), *options])
    assert ended.value.code == 130
    out, err = capsys.readouterr()
    assert "interrupted: only the points that were finished are here" in out
    assert "Interrupted" in err
    found = json.loads(files["json"].read_text())
    assert found["interrupted"] is True
    assert [point["rate"] for point in found["points"]] == [50.0]
    (row,) = csv.DictReader(io.StringIO(files["csv"].read_text()))
    assert row["interrupted"] == "yes"


@compiled_only
def test_of_forty_millions_as_many_come_out_as_a_core_carries() -> None:
    """It submits some 200,000 reads a second; those that wait take no time of it."""
    (point,) = run(load_text(MILLIONS)).points
    assert point.saturated
    assert point.carried is not None
    assert point.iops.mean == pytest.approx(point.carried.rate, rel=0.03)
    assert 1e5 < point.carried.rate < 5e5
    assert not any("of the completed I/Os" in line for line in point.warnings)

"""The time of a rebuild of which a sample is simulated, where conditions change meanwhile.

What all of it takes is known from runs that simulate all rows.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raidsim.control import Environment, Host, Volume
from raidsim.running import run
from raidsim.scenario import from_data

MODELS = Path(__file__).parent.parent / "models"
SMALL = {
    "level": "raid5",
    "drives": 4,
    "drive": "seagate-st373455ss",
    "disk_cache": "off",
    "failed": [0],
    "set": {"capacity.user": "4 GB"},
}
LOAD = {"read": "67 %", "size": "8 KiB", "outstanding": 4}
REBUILD = {"kind": "rebuild", "at": "1 s", "drive": 0}


def seconds(sample, *events, load=None):
    """What the rebuild takes in all."""
    data = {
        "host": {"model": "linux-xeon-e5-pair"},
        "volume": [SMALL | {"rebuild_sample": sample}],
        "load": [] if load is None else [load],
        "event": [REBUILD, *events],
        "measure": {"max_time": "2 h"},
    }
    (point,) = run(from_data(data)).points
    (rebuild,) = [one for one in point.course.operations if one.kind == "rebuild"]
    assert rebuild.state == "done"
    return rebuild.seconds, point.warnings


@pytest.mark.parametrize(
    ("events", "load"),
    [
        ((), None),
        (({"kind": "power-cut", "at": "2 s", "outage": "60 s", "boot": "20 s"},), None),
        (({"kind": "load-stop", "at": "3 s"},), LOAD),
    ],
    ids=["nothing happens", "the power is away for a minute", "the load stops"],
)
def test_a_sample_tells_what_all_rows_take(events, load):
    whole, _ = seconds("100 %", *events, load=load)
    part, _ = seconds("10 %", *events, load=load)
    assert part == pytest.approx(whole, rel=0.1)


def test_a_pause_counts_once(tmp_path):
    """And not as many times as there are rows for each that is simulated."""
    text = (MODELS / "seagate-st373455ss.toml").read_text()
    disk = tmp_path / "small.toml"
    disk.write_text(re.sub(r"(user *= *{ value = )[^,]*", r"\g<1>4000000000", text))
    found = []
    for sample in ("10 %", "100 %"):
        env = Environment()
        host = Host(env, "linux-xeon-e5-pair")
        words = {"level": "raid5", "drives": 4, "disk_cache": "off", "rebuild_sample": sample}
        data = Volume(env, disk, host, name="data", **words)
        data.fail(0)
        work = data.replace(0)
        env.run(until=env.now + 1.0)
        work.pause()
        env.run(until=env.now + 100.0)
        work.resume()
        env.run(until=work)
        found.append(work.seconds)
    assert found[0] == pytest.approx(found[1], rel=0.1)
    assert found[0] > 100


def test_a_sample_that_ends_before_the_load_does_says_what_its_time_is_told_from():
    stop = {"kind": "load-stop", "at": "60 s"}
    _, warnings = seconds("1 %", stop, load=LOAD)
    assert any("raise volume.rebuild_sample" in words for words in warnings)
    _, warnings = seconds("100 %", stop, load=LOAD)
    assert not any("raise volume.rebuild_sample" in words for words in warnings)


def both(sample, second):
    """What two rebuilds of a RAID 6 of solid state drives take in all."""
    six = {"level": "raid6", "drives": 6, "drive": "intel-p3700-800gb", "failed": [0, 1]}
    data = {
        "host": {"model": "linux-xeon-e5-pair"},
        "volume": [six | {"set": {"capacity.user": "20 GB"}, "rebuild_sample": sample}],
        "event": [{"kind": "rebuild", "at": "0 s", "drive": 0},
                  {"kind": "rebuild", "at": second, "drive": 1}],
    }  # fmt: skip
    (point,) = run(from_data(data)).points
    return [one.seconds for one in point.course.operations]


@pytest.mark.parametrize("second", ["0 s", "2 s"])
def test_two_rebuilds_at_a_time_hinder_each_other_for_as_long_as_the_first_takes(second):
    """And not only for as long as the sample of that takes."""
    assert both("10 %", second) == pytest.approx(both("100 %", second), rel=0.1)


WHOLE = SMALL | {"set": {}}  # 73 GB: disks are half as fast at their inner tracks


def course(sample, max_time, load=None):
    """A course in which a sample of a disk of 73 GB is rebuilt, and what the run says."""
    data = {
        "host": {"model": "linux-xeon-e5-pair"},
        "volume": [WHOLE | {"rebuild_sample": sample}],
        "load": [] if load is None else [load],
        "event": [REBUILD],
        "measure": {"max_time": max_time},
    }
    (point,) = run(from_data(data)).points
    return point.course, [text for text in point.warnings if "fewer than its sample" in text]


def rebuild_of(course):
    (rebuild,) = [one for one in course.operations if one.kind == "rebuild"]
    return rebuild


@pytest.mark.parametrize(("load", "off"), [(None, 0.03), (LOAD, 0.1)], ids=["idle", "under load"])
def test_a_run_that_ends_before_its_sample_tells_the_time_of_all_tracks(load, off):
    """The first part of the sample lies on the outer tracks, which are the fastest."""
    in_time, unsaid = course("1 %", "1 h", load)
    assert unsaid == []
    cut_short, (said,) = course("20 %", "60 s", load)
    part = rebuild_of(cut_short)
    assert (part.state, part.progress) == ("done", 1.0)
    assert part.seconds == pytest.approx(rebuild_of(in_time).seconds, rel=off)
    assert said.endswith("would have taken longer than 60 s (measure.max_time)")
    assert part.simulated_seconds < 60
    steps = [share for one in cut_short.timeline for share in one.progress.values()]
    assert len(steps) > 10
    assert steps == sorted(steps)


def test_a_sample_that_ends_in_time_is_simulated_as_asked_for():
    long, unsaid = course("1 %", "1 h")
    short, still_unsaid = course("1 %", f"{1.3 * rebuild_of(long).simulated_seconds:.0f} s")
    assert (unsaid, still_unsaid) == ([], [])
    assert rebuild_of(short) == rebuild_of(long)

"""What the comments of shipped scenarios say of their systems is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from raidsim.report.findings import findings
from raidsim.resources import data_folder
from raidsim.running import run
from raidsim.scenario import load

FILES = sorted(data_folder("scenarios").glob("*.toml"))
CHANGE = re.compile(r"--set ((?:'[^']*'|\"[^\"]*\"|[^\s'\"])+)")
ANY = "NAME"  # stands for a name that a reader puts there


def comment_of(path: Path) -> list[str]:
    """The lines of the comment that a scenario opens with."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("#")]


def compared(path: Path) -> list[tuple[str, ...]]:
    """The changes that a comment asks to compare with, line by line."""
    found = []
    for line in comment_of(path):
        changes = tuple(shlex.split(one)[0] for one in CHANGE.findall(line))
        if changes and not any(one.endswith(ANY) for one in changes):
            found.append(changes)
    return found


COMPARED = [(path.stem, changes) for path in FILES for changes in compared(path)]


@pytest.mark.parametrize(("name", "changes"), COMPARED)
def test_what_a_comment_asks_to_compare_with_is_accepted(
    name: str, changes: tuple[str, ...]
) -> None:
    changed = load(name, overrides=changes)
    assert changed.loads or changed.machines


def said(name: str, pattern: str) -> str:
    """What the comment of a scenario says where a pattern has its group."""
    lines = comment_of(data_folder("scenarios") / f"{name}.toml")
    text = " ".join(line.lstrip("# ") for line in lines)
    (found,) = re.findall(pattern, text)
    return str(found)


def test_a_rebuild_takes_as_long_as_its_comment_says() -> None:
    hours = float(said("rebuild-raid5", r"takes about (\d+) hours at this load"))
    (point,) = run(load("rebuild-raid5")).points
    assert point.course.operations[0].seconds / 3600 == pytest.approx(hours, rel=0.2)


def test_all_of_a_rebuild_is_simulated_if_it_may_take_as_long_as_the_comment_says() -> None:
    file = data_folder("scenarios") / "rebuild-raid5.toml"
    (changes,) = (one for one in compared(file) if "100 %" in one[0])
    limit = load("rebuild-raid5", overrides=changes).measure.max_time
    hours = float(said("rebuild-raid5", r"takes about (\d+) hours at this load"))
    assert limit > 1.2 * hours * 3600


def test_writes_by_day_take_what_the_comment_says_while_the_battery_learns() -> None:
    ms = float(said("battery-learn-cycle", r"by day: writes take (\d+) ms meanwhile"))
    rate = said("battery-learn-cycle", r"'(load.mail.rate=[^']+)'")
    shorter = ("event.at=1 min", "event.for=30 min", "measure.duration=32 min")
    (point,) = run(load("battery-learn-cycle", overrides=[rate, *shorter])).points
    _, learning, _ = point.course.phases
    assert learning.latency_ms["write"].mean == pytest.approx(ms, rel=0.05)
    assert learning.iops.mean == pytest.approx(160, rel=0.05)  # all that is asked for


def accesses(*changes: str) -> float:
    """Commands of a small write, as the findings on a RAID 60 say them."""
    told = " ".join(map(str, findings(load("raid60-nl", overrides=changes))))
    (found,) = re.findall(r"takes ([\d.]+) commands", told)
    return float(found)


def test_a_level_saves_as_many_accesses_a_write_as_the_comment_says() -> None:
    word = said("raid60-nl", r"level=raid50 +(\w+) accesses less a write")
    fewer = {"one": 1, "two": 2, "three": 3}[word]
    assert accesses() - accesses("volume.level=raid50") == pytest.approx(fewer)


@pytest.mark.parametrize(
    ("change", "part"),
    [("load.read=0 %", "front end"), ("load.size=256 KiB", "host link")],
)
def test_what_limits_drives_without_raid_is_what_the_comment_says(change: str, part: str) -> None:
    words = {
        "front end": "random writes: the front ends of the drives are the limit",
        "host link": "the link of the adapter fills up",
    }
    assert said("jbod-hba", f"({words[part]})")
    (point,) = run(load("jbod-hba", overrides=[change, "load.outstanding=32"])).points
    assert max(point.stations, key=lambda one: one.utilisation).kind == part

"""Machines that boot while something happens to the storage below them."""

from __future__ import annotations

import csv
import io
import json

import pytest
from events import FEW_ROWS, RAID, at, toml
from rich.console import Console

from raidsim.errors import InputError
from raidsim.report import check_text, csv_file, html, json_file, plot, table
from raidsim.report.checked import Checked
from raidsim.risk.assess import assess_all
from raidsim.running import run
from raidsim.scenario import load_text

DISKS = {"level": "raid5", "drives": 4, "drive": "seagate-st373455ss", "rebuild_sample": FEW_ROWS}
DESKTOPS = {
    "name": "desktops", "count": 8, "bursts": 10, "reads": 300, "writes": 60, "outstanding": 2,
    "wait": "2 s", "spread": "20 %", "idle_after": "1 s",
}  # fmt: skip
LOAD = {"name": "backup", "read": "100 %", "random": "0 %", "size": "256 KiB", "outstanding": 4}


def text(*events, loads=(), measure=None, machines=True, battery=None, **volume):
    """Desktops on RAID 5 of four disks behind a controller; keys of ``volume`` come on top."""
    parts = {
        "host": [{"model": "fujitsu-rx300-s4"}],
        "controller": [RAID | ({"battery": battery} if battery else {})],
        "volume": [DISKS | volume],
        "load": list(loads),
        "machine": [DESKTOPS] if machines else [],
        "event": list(events),
        "measure": [measure] if measure else [],
    }
    lines = []
    for name, tables in parts.items():
        for one in tables:
            lines.append(f"[{name}]" if name in ("host", "measure") else f"[[{name}]]")
            lines += [f"{key} = {toml(value)}" for key, value in one.items()]
    return "\n".join(lines)


def storm(*events, **changes):
    """The result of such a scenario."""
    return run(load_text(text(*events, **changes), "storm.toml"))


def desktops(*events, **changes):
    """What came of the desktops."""
    return next(one for one in storm(*events, **changes).points if one.machines is not None)


def ready(*events, **changes):
    """When each desktop was ready, s."""
    return desktops(*events, **changes).machines.ready_s


def in_balance(point):
    """Whether every I/O that was issued is accounted for."""
    counts = point.counts
    return counts.issued == counts.completed + counts.failed + counts.timed_out + counts.in_flight


FAILURE = at("3 s", "drive-failure", drive=2)


@pytest.fixture(scope="module")
def calm():
    """When the desktops are ready if nothing happens."""
    return ready()


def test_an_event_changes_nothing_before_it_happens(calm):
    late = at("5 min", "slow-drive", drive=0, delay="10 ms")
    assert ready(late, measure={"duration": "6 min"}) == calm


def test_every_desktop_is_ready_later_if_a_disk_fails_amid_the_storm(calm):
    found = desktops(FAILURE, spares=1)
    times = found.machines.ready_s
    assert all(time > before for time, before in zip(times, calm, strict=True))
    assert found.counts.completed == 8 * 360
    assert in_balance(found)
    assert found.converged


def test_the_course_lasts_until_the_rebuild_is_done_and_all_are_ready():
    found = desktops(FAILURE, spares=1)
    end = found.course.phases[-1].end_s
    assert end >= found.machines.last_s
    (rebuild,) = found.course.operations
    assert rebuild.state == "done"
    assert end >= rebuild.started_s + rebuild.simulated_seconds
    assert [phase.health["data"] for phase in found.course.phases][:2] == ["optimal", "rebuilding"]


def test_the_ios_of_the_phases_are_those_of_the_boot():
    found = desktops(FAILURE, spares=1)
    ios = sum(one.iops.mean * (one.end_s - one.start_s) for one in found.course.phases)
    assert ios == pytest.approx(8 * 360)


def test_desktops_whose_array_is_lost_are_ready_after_ios_that_fail():
    found = desktops(FAILURE, level="raid0")
    assert found.counts.failed > 0
    assert in_balance(found)
    assert None not in found.machines.ready_s
    assert any("leave out the I/Os that failed" in one for one in found.warnings)


def test_writes_of_the_boot_wait_for_the_disks_while_the_battery_learns():
    cycle = at("3 s", "learn-cycle", for_="10 s")
    before, learning, *_ = desktops(cycle, write="back", battery="good").course.phases
    assert before.latency_ms["write"].mean < 0.2
    assert learning.latency_ms["write"].mean > 5


# ---- power


def test_after_a_power_cut_all_desktops_boot_again(calm):
    cut = at("4 s", "power-cut", outage="10 s", boot="30 s")
    found = desktops(cut)
    again = [time - 44.0 for time in found.machines.ready_s]
    assert again == pytest.approx(calm, rel=0.1)
    assert in_balance(found)
    assert found.counts.failed > 0
    assert found.counts.completed > 8 * 360


def test_desktops_that_were_ready_boot_again_too(calm):
    between = (sorted(calm)[3] + sorted(calm)[4]) / 2
    cut = at(f"{between:.3f} s", "power-cut", outage="10 s", boot="0 s")
    assert min(ready(cut)) > between + 10


# ---- beside loads


def test_a_backup_that_starts_amid_the_storm_holds_the_desktops_up(calm):
    start = at("3 s", "load-start", load="backup")
    found = storm(start, loads=[LOAD | {"outstanding": 16}])
    backup, boot = found.points
    assert backup.load == "backup"
    assert backup.counts.completed > 0
    assert boot.machines.mean_s > 1.1 * sum(calm) / len(calm)
    assert backup.course.events == boot.course.events


def test_nothing_warms_up_before_machines():
    backup, boot = storm(FAILURE, loads=[LOAD]).points
    assert backup.warmup_s == boot.warmup_s == 0
    assert backup.window_s == boot.window_s


# ---- its end


def test_a_storm_that_is_over_before_a_sampled_rebuild_would_be_says_so():
    """Of few rows the rebuild takes a second, of all rows it outlasts the storm by far."""
    failure = at("1 s", "drive-failure", drive=1)
    few = desktops(failure, spares=1, rebuild_sample="0.01 %")
    (rebuild,) = few.course.operations
    assert rebuild.seconds > few.machines.last_s > 1.0 + rebuild.simulated_seconds
    assert any("raise volume.rebuild_sample" in one for one in few.warnings)


def test_desktops_that_are_not_ready_at_the_end_are_told():
    found = desktops(FAILURE, measure={"duration": "4 s"})
    assert not found.converged
    assert found.machines.mean_s is None
    assert "8 of 8 machines were not ready after 4 s (measure.duration)" in found.warnings


def test_machines_are_what_an_event_at_the_start_leaves_to_measure():
    found = desktops(at("0 s", "air", ambient="30 C"))
    assert found.converged
    with pytest.raises(InputError, match="none of them lasts"):
        load_text(text(at("0 s", "air", ambient="30 C"), loads=[LOAD], machines=False))


# ---- reports


def test_every_report_tells_of_the_boot_and_of_the_events():
    found = storm(FAILURE, spares=1)
    console = Console(file=io.StringIO(), width=200)
    table.print_result(found, console)
    told = console.file.getvalue()
    assert "desktops, 8 machines, from event to event:" in told
    assert "ready: mean" in told
    assert "rebuild of drive 2 of data: done" in told
    page = html.render(found)
    assert b"From event to event" in page
    assert b"Machines that boot" in page
    picture = plot.render(found, ".svg")
    assert b"drive 2 of data fails" in picture
    assert b"machines that are ready" in picture
    rows = list(csv.DictReader(io.StringIO(csv_file.render(found).decode())))
    assert [row["phase"] for row in rows][:2] == ["", "start"]
    (point,) = json.loads(json_file.render(found.to_dict()))["points"]
    assert point["machines"]["count"] == 8
    assert point["course"]["events"][0]["kind"] == "drive-failure"


def test_check_says_how_long_it_will_take():
    console = Console(file=io.StringIO(), width=300)
    checked = load_text(text(FAILURE))
    check_text.print_checked(Checked.of(checked, assess_all(checked)), console)
    assert (
        "all that the events begin is over, and all machines are ready" in console.file.getvalue()
    )

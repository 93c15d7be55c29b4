"""`raidsim explain` of arrays: the plan that is printed is the plan that is carried out."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_array import CONTROLLER, KIB, LEVELS, MS, STRIP, TOY, SmallArray, scenario, takes

from raidsim import cli
from raidsim.explain.explain import explain
from raidsim.explain.types import Command, Explanation
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED
from raidsim.layout.address import place
from raidsim.layout.plan import bound, plan
from raidsim.layout.tables import ACCESS, FEWEST, LOST, MIRRORED, NO_MODIFY, NO_RECONSTRUCT, PARITY
from raidsim.report.console import ReportConsole
from raidsim.report.explain_text import print_explanation
from raidsim.scenario import Scenario, load_text

OPS = {"read": t.READ, "write": t.WRITE}
POLICIES = {"fewest": FEWEST, "no-modify": NO_MODIFY, "no-reconstruct": NO_RECONSTRUCT}
Row = tuple[int, int, int, str, int, int]  # task, phase, drive, op, offset, length


def commands(explanation: Explanation) -> list[Command]:
    return [c for task in explanation.tasks for phase in task.phases for c in phase.commands]


def rows(explanation: Explanation) -> list[Row]:
    """What the kernel did."""
    return sorted(
        (task.offset, phase.number, c.member, c.op, c.offset, c.length)
        for task in explanation.tasks
        for phase in task.phases
        for c in phase.commands
    )


def planned(spec: Scenario, op: str, offset: int, length: int) -> list[Row] | None:
    """What the layout says is to be done; None if data is lost."""
    volume = spec.volumes[0]
    layout = volume.layout
    longest = volume.card.integer("command.max_transfer")
    good = np.full(volume.drives, layout["rows"] * layout["strip"])
    good[list(volume.failed)] = 0
    parts = [(offset, offset + length)]
    if layout["family"] == PARITY and op == "write":
        width = int(layout["data"] * layout["strip"])
        edges = [offset, *range((offset // width + 1) * width, offset + length, width),
                 offset + length]  # fmt: skip
        parts = list(pairwise(edges))
    found: list[Row] = []
    lost = False
    for start, end in parts:
        accesses = np.zeros(bound(layout, OPS[op], end - start), ACCESS)
        policy = POLICIES[volume.parity_writes]
        count = plan(layout, good, policy, 0, OPS[op], start, end - start, accesses)
        lost |= count == LOST
        for a in accesses[: max(count, 0)]:
            low, high = int(a["offset"]), int(a["offset"] + a["length"])
            for first in range(low, high, longest):
                last = min(first + longest, high)
                name = "read" if a["op"] == t.READ else "write"
                number = int(a["phase"]) + 1
                found.append((start, number, int(a["drive"]), name, first, last - first))
    return None if lost else sorted(found)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    level, drives, options = draw(st.sampled_from(LEVELS))
    words: dict[str, Any] = {key: draw(st.sampled_from(all_of)) for key, all_of in options.items()}
    number = draw(st.sampled_from(drives))
    failed = draw(st.lists(st.integers(0, number - 1), max_size=3, unique=True))
    words["strip"] = draw(st.sampled_from(["8 KiB", "16 KiB"]))
    words["drive"] = TOY | {
        "command.max_transfer": draw(st.sampled_from(["12 KiB", "1024 KiB"])),
        "command.queue_depth": 8,
    }
    controlled = draw(st.booleans())
    return scenario(level, number, failed=failed, controlled=controlled, **words)


@settings(max_examples=15 if INTERPRETED else 60, derandomize=True)
@given(scenarios(), st.sampled_from(["read", "write"]), st.integers(0, 400), st.integers(1, 300))
def test_the_kernel_does_what_the_plan_says(
    spec: Scenario, op: str, sector: int, sectors: int
) -> None:
    offset, length = 512 * sector, 512 * sectors
    found = explain(spec, op, offset, length)
    expected = planned(spec, op, offset, length)
    if expected is None:
        assert found.fails is not None
        return
    assert found.fails is None
    layout = spec.volumes[0].layout
    if layout["family"] != MIRRORED or op == "write":
        assert rows(found) == expected
    # What is read and written of the volume is just the request, wherever copies are read.
    asked = [(c, piece) for c in commands(found) if c.op == op for piece in c.pieces]
    touched = set()
    for command, piece in asked:
        if piece.role == 0:
            base = piece.strip * int(layout["strip"]) + piece.offset % int(layout["strip"])
            assert place(layout, base, piece.copy) == (command.member, piece.offset)
            assert command.member not in spec.volumes[0].failed
            touched |= set(range(base, base + piece.length, 512))
    wanted = set(range(offset, offset + length, 512))
    if layout["family"] != PARITY:
        assert touched == wanted
    elif op == "write":
        lost = {base for base in wanted if place(layout, base, 0)[0] in spec.volumes[0].failed}
        assert touched == wanted - lost


def test_the_times_are_those_of_a_simulation() -> None:
    for level, drives in (("raid0", 4), ("raid10", 4), ("raid5", 5), ("raid60", 8)):
        for op, number in OPS.items():
            found = explain(scenario(level, drives), op, "12 KiB", "100 KiB")
            array = SmallArray(level, drives)
            array.system.world.ssds["read_time"] = 100
            done = array.do(number, 12 * KIB, 100 * KIB)
            assert round(found.latency * 1e9) == done.latency


def methods(level: str, drives: int, offset: int, length: int, **words: Any) -> list[str]:
    found = explain(scenario(level, drives, **words), "write", offset, length)
    return list(dict.fromkeys(p.method for c in commands(found) for p in c.pieces))


def test_each_way_of_updating_parity_is_named() -> None:
    assert methods("raid5", 5, 0, 4 * STRIP) == ["full stripe"]
    assert methods("raid5", 5, 0, 4 * KIB) == ["read-modify-write"]
    assert methods("raid5", 5, 0, 3 * STRIP) == ["reconstruct-write"]
    assert methods("raid5", 5, 0, 4 * KIB, parity_writes="no-modify") == ["reconstruct-write"]
    assert methods("raid5", 5, 0, 4 * KIB, failed=[4]) == ["degraded: no parity is left"]
    # Written and only written in part, the lost strip's old bytes have to be computed.
    assert methods("raid5", 5, 0, STRIP + 4 * KIB, failed=[1]) == ["reconstruct-write, degraded"]
    assert methods("raid5", 5, 0, 5 * STRIP) == ["full stripe", "read-modify-write"]


def test_a_small_write_takes_two_commands_one_after_the_other() -> None:
    found = explain(scenario("raid5", 5), "write", 0, "4 KiB")
    (task,) = found.tasks
    first, second = task.phases
    assert [c.op for c in first.commands] == ["read", "read"]
    assert [c.op for c in second.commands] == ["write", "write"]
    assert first.commands[0].begins == 0
    end = max(c.ends for c in first.commands)
    assert {c.begins for c in second.commands} == {end}
    assert round(end * 1e9) == takes(4 * KIB) + 100  # a die reads for 100 ns
    assert round(found.latency * 1e9) == 2 * takes(4 * KIB) + 100


def printed(spec: Scenario, *request: Any) -> str:
    text = io.StringIO()
    print_explanation(explain(spec, *request), ReportConsole(text))
    return text.getvalue()


GOLDEN = """\
write of 8 KiB at 12 KiB on volume data: RAID 5 of 6 drives, Intel SSD DC P3700 800 GB
The volume: 6 GB raw, 5 GB usable, any one drive may fail, 24 W idle, at most 150 W.
It is software RAID of the host, strip 16 KiB.
The request extends over strips 0 to 1; drives, strips and stripes are counted from 0.
Alone on an idle system it takes 2073 us.
"""
PLAN = """\
6 commands to 3 drives: 3 reads, 3 writes, in 2 phases.
                                                                         begins,  ends,
stripe  method             phase  drive  op       from  length  holds         us     us
───────────────────────────────────────────────────────────────────────────────────────
     0  read-modify-write      1      0  read   12 KiB   4 KiB  strip 0    0.000   1024
     0  read-modify-write      1      1  read      0 B   4 KiB  strip 1    0.000   1024
     0  read-modify-write      1      5  read      0 B  16 KiB  P          0.000   1036
     0  read-modify-write      2      0  write  12 KiB   4 KiB  strip 0     1036   2061
     0  read-modify-write      2      1  write     0 B   4 KiB  strip 1     1036   2061
     0  read-modify-write      2      5  write     0 B  16 KiB  P           1036   2073
"""


def test_the_printed_plan_of_a_write_over_two_strips() -> None:
    text = printed(scenario("raid5", 6), "write", "12 KiB", "8 KiB")
    assert text.startswith(GOLDEN)
    assert PLAN in text


def test_copies_and_merged_strips_are_named() -> None:
    text = printed(scenario("raid10", 4), "write", 0, "96 KiB")
    assert "strips 0, 2, 4, copy 1" in text
    assert "strips 1, 3, 5, copy 2" in text
    text = printed(scenario("raid0", 2), "read", 0, "512 KiB")
    assert "strips 0, 2, ... 30" in text


def test_a_degraded_read_says_what_it_is_computed_from() -> None:
    text = printed(scenario("raid6", 6, failed=[1]), "read", 0, "4 KiB")
    assert "drive 1 failed before" in text
    assert text.count("degraded: computed from the survivors") == 4
    assert "4 commands to 4 drives: 4 reads, in 1 phase." in text


def test_drives_behind_one_another_have_no_stripes() -> None:
    spec = scenario("jbod", 3)
    found = explain(spec, "read", spec.volumes[0].capacity // 3 - 4 * KIB, "8 KiB")
    assert [(c.member, c.length) for c in commands(found)] == [(0, 4 * KIB), (1, 4 * KIB)]
    text = printed(spec, "read", 0, "8 KiB")
    assert text.startswith("read of 8 KiB at 0 B on volume data: JBOD of 3 drives, ")
    assert "strip" not in text


def test_a_controller_and_shared_links_are_on_the_road() -> None:
    text = printed(scenario("raid5", 4, controlled=True, linked=True), "write", 0, "4 KiB")
    assert "It is on card, behind expander, strip 16 KiB." in text
    for step in ("controller takes the command", "link between host and controller",
                 "commands are issued", "shared links to the drives", "parity is computed",
                 "shared links from the drives", "controller answers"):  # fmt: skip
        assert f"\n{step} " in text


def test_what_a_cache_writes_later_stands_apart() -> None:
    model = "lsi-megaraid-1078-512"
    words = {"write": "back", "drive": TOY | {"link.interface": "sas"}}
    spec = scenario("raid5", 4, controller=model, **words)
    found = explain(spec, "write", 0, "4 KiB")
    assert found.latency < MS / 1e9
    assert {task.cause for task in found.tasks} == {"destage"}
    text = printed(spec, "write", 0, "4 KiB")
    assert "No command: the request ends before it comes to the drives." in text
    own = re.search(
        r"What the controller does on its own \(destage\) begins [\d.]+ m?s after", text
    )
    assert own, text
    before, later = text[: own.start()], text[own.start() :]
    assert "host completes" in before
    assert "commands are issued" not in before
    assert re.search(r"commands are issued .* 0\.000 ", later)
    assert "\n4 commands" in later


def test_lost_data_is_said_and_is_no_mistake_of_the_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lost.toml"
    path.write_text(
        f"""
[host]
model = "fujitsu-rx300-s4"
[[controller]]
model = "{CONTROLLER}"
[[volume]]
level = "raid5"
drives = 4
drive = "seagate-st373455ss"
failed = [0, 1]
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
"""
    )
    with pytest.raises(SystemExit) as ended:
        cli.main(["explain", str(path), "read", "0", "4 KiB"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "It fails: it needs data that no drive holds any more.\n" in out
    assert "No command" in out
    assert "Alone" not in out


@pytest.mark.parametrize("drive", ["intel-p5600-6400gb", "micron-5100-max-960gb", "cisco-hdd-10tb"])
@pytest.mark.parametrize(
    ("level", "intent"),
    [
        *((level, intent) for level in ("raid1", "raid5", "raid6", "raid10")
          for intent in ("bitmap", "none")),
        ("raid5", "ppl"),
    ],
)  # fmt: skip
def test_a_small_write_is_told_whatever_notes_it_and_whether_drives_are_sent_flushes(
    drive: str, level: str, intent: str
) -> None:
    """Intents are flushed before the write; NVMe drives that keep what they took are sent none."""
    drives = 2 if level == "raid1" else 4
    text = f"""
[host]
model = "intel-xeon-8380-pair"
[[volume]]
drive = "{drive}"
level = "{level}"
drives = {drives}
intent = "{intent}"
[[load]]
read = "0 %"
size = "4 KiB"
outstanding = 1
"""
    found = explain(load_text(text), "write", 0, 4096)
    writes = {
        task.cause: sum(one.op == "write" for phase in task.phases for one in phase.commands)
        for task in found.tasks
    }
    notes = {"bitmap": {"bitmap of write intents": drives}, "ppl": {"log of partial parity": 1}}
    assert writes == {"request": 3 if level == "raid6" else 2} | notes.get(intent, {})


def test_what_software_raid_notes_is_its_own_doing() -> None:
    text = printed(scenario("raid5", 4, intent="ppl"), "write", 0, "4 KiB")
    assert "What software RAID does on its own (log of partial parity):\n1 command" in text


def test_what_crosses_a_link_behind_the_first_frames_of_a_write_is_listed() -> None:
    """The step ends with the first frames; the link is busy with the rest for longer."""
    found = explain(scenario("raid0", 2, controlled=True), "write", 0, 256 * KIB)
    steps = {step.name: step for step in found.steps}
    first = steps["link between host and controller"]
    rest = steps["links: the rest of the data, behind its first part"]
    assert rest.background
    assert not first.background
    assert rest.begins == pytest.approx(first.ends)
    whole = rest.ends - first.begins
    assert first.ends - first.begins < 0.1 * whole

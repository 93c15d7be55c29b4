"""Files of other tools, damaged: traces, inventories, results of load generators, disks.

A file of the tests' data loses lines, gets others twice, in another order, from another file, with
other numbers, or is cut. What is read of it is looked through, written as a scenario, or replayed
on one drive. What must hold: it ends, in an answer or in an InputError; what is imported can be
read back; of a replay every request that was issued has ended or is under way, after some time.
"""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import raidsim
from raidsim.assembly.surface import rows
from raidsim.cards.loader import read_card
from raidsim.disksim import files_of
from raidsim.errors import InputError
from raidsim.importing.importer import import_files
from raidsim.importing.wishes import Wishes
from raidsim.judge import read_results
from raidsim.trace.formats import BY_NAME
from tests.fuzz import Fault

DATA = Path(__file__).parents[2] / "data"
LARGEST = 200_000  # bytes
NUMBERS = (
    b"0", b"1", b"-1", b"4096", b"18446744073709551615", b"9" * 40, b"1e308", b"nan", b"0x10", b"",
)  # fmt: skip
SCENARIO = """
title = "A damaged trace"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
state = "fresh"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
"""


@cache
def files() -> list[Path]:
    """All files of other tools that the tests have, but for the very long ones."""
    found = sorted(path for path in DATA.rglob("*") if path.is_file() and path.suffix != ".md")
    return [path for path in found if 0 < path.stat().st_size <= LARGEST]


def attempt(choice: random.Random) -> None:
    """Damage a file, and read it in every way that there is for its kind."""
    traces = [path for path in files() if path.is_relative_to(DATA / "traces")]
    path = choice.choice(traces if choice.random() < 0.5 else files())
    data = path.read_bytes()
    for _ in range(choice.choice((0, 1, 1, 2, 5))):
        data = damaged(choice, data)
    with tempfile.TemporaryDirectory() as folder:
        name = Path(folder) / (choice.choice(("file", path.stem)) + path.suffix)
        if path.is_relative_to(DATA / "disksim"):  # its files name each other
            for sibling in path.parent.glob("atlas_III.*"):
                (Path(folder) / sibling.name).write_bytes(sibling.read_bytes())
        name.write_bytes(data)
        ways = (as_trace,) if path.is_relative_to(DATA / "traces") else (as_inventory, as_result)
        for way in ways if choice.random() < 0.8 else (as_trace, as_inventory, as_result):
            try:
                way(choice, str(name))
            except InputError as error:
                if not str(error).strip():
                    raise Fault("an InputError says nothing") from error


def damaged(choice: random.Random, data: bytes) -> bytes:
    """Change one thing in a file."""
    lines = data.splitlines(keepends=True)
    kind = choice.randrange(8)
    if not lines or kind == 0:
        return data[: choice.randrange(len(data) + 1)]
    place = choice.randrange(len(lines))
    if kind == 1:
        del lines[place]
    elif kind == 2:
        lines.insert(place, choice.choice(lines))
    elif kind == 3:
        choice.shuffle(lines)
    elif kind == 4:
        other = choice.choice(files()).read_bytes().splitlines(keepends=True)
        lines.insert(place, choice.choice(other or [b"\n"]))
    elif kind == 5:
        at = choice.randrange(len(data))
        return data[:at] + bytes([choice.randrange(256)]) + data[at + 1 :]
    elif kind == 6:
        words = lines[place].split(b" ")
        words[choice.randrange(len(words))] = choice.choice(NUMBERS)
        lines[place] = b" ".join(words)
    else:
        cells = lines[place].split(b",")
        cells[choice.randrange(len(cells))] = choice.choice(NUMBERS)
        lines[place] = b",".join(cells)
    return b"".join(lines)


def as_inventory(choice: random.Random, name: str) -> None:
    """Import it, alone or beside another file."""
    names = [name] + ([str(choice.choice(files()))] if choice.random() < 0.3 else [])
    wishes = Wishes(outstanding=4, random=0.5) if choice.random() < 0.5 else Wishes()
    made = import_files(names, wishes=wishes)
    if "[[volume]]" in made.text:
        raidsim.Scenario.from_text(made.text)
    if "[surface]" in made.text:
        card = read_card(made.text, "made")
        found = rows(card)
        if found[-1].end < card.integer("capacity.user") or min(row.gap for row in found) < 0:
            raise Fault("the zones of a disk do not hold what it holds")
        files_of(card, "again")


def as_result(_: random.Random, name: str) -> None:
    """Read it as what a load generator measured."""
    read_results([name], None)


def as_trace(choice: random.Random, name: str) -> None:
    """Look through it, and replay what there is."""
    form = choice.choice((*[None] * len(BY_NAME), *sorted(BY_NAME)))
    trace = raidsim.Trace.read(name, form)
    info = trace.info()
    if not info.requests >= 0:
        raise Fault(f"{info.requests} requests")
    replay: dict[str, Any] = {
        "file": name,
        "beyond": choice.choice(("wrap", "scale", "refuse")),
        "replay": choice.choice(("timed", "closed", "gaps")),
        "slice": ["0 s", f"{10 ** choice.uniform(-3, 3):.6f} s"],
    }
    if form is not None:
        replay["format"] = form
    if replay["replay"] == "closed":
        replay["outstanding"] = choice.randrange(1, 40)
    if len(trace.volumes) > 1:
        replay["volumes"] = list(dict.fromkeys(choice.choices(trace.volumes, k=2)))
    load = {"trace": replay, "limit": {"ios": 2000, "time": "100 s"}}
    scenario = raidsim.Scenario.from_text(SCENARIO)
    (point,) = raidsim.run(scenario.with_("load", [load])).points
    counts, found = point.counts, point.trace
    if found is None or counts.issued != counts.completed + counts.failed + counts.in_flight:
        raise Fault(f"I/Os are not conserved: {counts}")
    if counts.issued > found.requests:
        raise Fault(f"{counts.issued} of {found.requests} requests were issued")
    for latency in (*point.latency_ms.values(), *found.measured_ms.values()):
        if latency is not None and not 0 <= latency.mean < float("inf"):
            raise Fault(f"a latency of {latency.mean} ms")

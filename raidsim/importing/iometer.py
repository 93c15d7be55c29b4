"""Configuration files of Iometer (.icf): access specifications, workers, outstanding I/Os.

Lines that begin with an apostrophe name the fields of the next line. An access specification is a
mix of sizes, each with its own shares of reads and of random accesses. If a worker has several of
them, they run one after the other, so each is a group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from raidsim.errors import quote
from raidsim.importing import words
from raidsim.importing.model import Found, Place, Work
from raidsim.importing.source import Source

NAME = "iometer"

_SECTOR = 512
_IDLE = "idle"


@dataclass
class _Spec:
    name: str
    place: Place
    lines: list[tuple[Place, list[float]]] = field(default_factory=list)


@dataclass
class _Worker:
    place: Place
    outstanding: int | None = None
    at: Place | None = None
    maximum: int = 0
    start: int = 0
    area: Place | None = None
    specs: list[str] = field(default_factory=list)
    is_disk: bool = True


@dataclass
class _File:
    specs: dict[str, _Spec] = field(default_factory=dict)
    workers: list[_Worker] = field(default_factory=list)
    depths: tuple[Place, list[int]] | None = None
    kind: str = "NORMAL"


def recognises(source: Source) -> bool:
    """Its version and its section titles."""
    if source.is_json:
        return False
    begins = any(re.match(r"Version \d", line) for line in source.head[:3])
    titled = any(
        re.match(r"'(ACCESS SPECIFICATIONS|TEST SETUP|MANAGER LIST)", line) for line in source.head
    )
    named = any(line.lower().startswith("'access specification name") for line in source.head)
    return titled and (begins or named)


def read(source: Source) -> Found:
    """Read the loads of the access specification that is meant.

    Raises
    ------
    InputError
        Several access specifications and none is named; or what no load can say.
    """
    found = Found()
    file = _file(source)
    spec = _chosen(source, file)
    workers = [
        one for one in file.workers if one.is_disk and (not one.specs or spec.name in one.specs)
    ]
    found.works.append(_work(found, file, spec, workers))
    return found


def _file(source: Source) -> _File:
    file = _File()
    title, spec = "", None
    for number, raw in source.numbered():
        line, place = raw.strip(), source.at(number)
        if line.startswith("'"):
            lowered = line[1:].strip().lower()
            if lowered == "worker":
                file.workers.append(_Worker(place))
            if not re.match(r"(start|hours)\s", lowered):  # a second line of titles
                title = lowered
            continue
        if not line or re.match(r"Version\s", line):
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if title.startswith("access specification name"):
            spec = _Spec(cells[0], place)
            file.specs.setdefault(cells[0], spec)
        elif title.startswith(("size,%", "size, %")):
            if spec is None:
                raise place.refusal(
                    None, "a line of sizes comes before the first access specification"
                )
            spec.lines.append((place, _numbers(cells, place)))
        elif title.startswith("queue depth cycling"):
            file.depths = place, _depths(line, place)
        elif title.startswith("test type"):
            file.kind = line.upper()
        elif file.workers:
            _worker(file.workers[-1], title, line, cells, place)
    if not file.specs:
        raise source.at(1).refusal(None, "holds no access specification")
    return file


def _worker(worker: _Worker, title: str, line: str, cells: list[str], place: Place) -> None:
    if "number of outstanding" in title or title.startswith("# of outstanding"):
        if cells[0].isdecimal() and len(cells[0]) < 7 and worker.outstanding is None:
            worker.outstanding, worker.at = int(cells[0]), place
    elif title.startswith("disk maximum size") and len(cells) >= 2:
        numbers = [int(cell) for cell in cells[:2] if re.fullmatch(r"\d{1,15}", cell)]
        if len(numbers) == 2:
            worker.maximum, worker.start, worker.area = *numbers, place
    elif title.startswith("assigned access specs"):
        worker.specs.append(line)
    elif title.startswith("worker type"):
        worker.is_disk = line.upper().startswith("DISK")


def _numbers(cells: list[str], place: Place) -> list[float]:
    if len(cells) < 4 or any(not re.fullmatch(r"\d{1,12}(\.\d{1,6})?", cell) for cell in cells):
        cause = f"{quote(','.join(cells))} is not a line of an access specification"
        raise place.refusal(None, cause, "size,% of size,% reads,% random,delay,burst,align,reply")
    return [float(cell) for cell in cells] + [0.0] * max(0, 8 - len(cells))


def _depths(line: str, place: Place) -> list[int]:
    """Outstanding I/Os of a cycle: start, end, step, and how they step."""
    cells = line.split()
    if len(cells) < 4 or any(not re.fullmatch(r"\d{1,6}", cell) for cell in cells[:3]):
        return []
    start, end, step = (int(cell) for cell in cells[:3])
    found = [max(start, 1)]
    while found[-1] < end and len(found) < 1000:
        following = found[-1] * step if cells[3].upper().startswith("EXP") else found[-1] + step
        if following <= found[-1]:
            raise place.refusal(None, "the queue depths of this cycle do not rise")
        found.append(min(following, end))
    return found


def _chosen(source: Source, file: _File) -> _Spec:
    assigned = list(dict.fromkeys(name for worker in file.workers for name in worker.specs))
    names = [
        name
        for name in (assigned or list(file.specs))
        if name.lower() != _IDLE and name in file.specs
    ]
    if not names:
        raise source.at(1).refusal(
            None, "no access specification of this file is assigned to a worker"
        )
    number = source.wishes.group
    first = file.specs[names[0]].place
    if number is None and len(names) > 1:
        shown = "; ".join(f"{count}: {name}" for count, name in enumerate(names[:40], 1))
        cause = f"has {len(names)} access specifications, one after the other: {shown}"
        raise first.refusal(None, cause, "say which one with --group N")
    if number is not None and number > len(names):
        raise first.refusal(
            None, f"has no access specification {number}", f"give 1 to {len(names)}"
        )
    return file.specs[names[(number or 1) - 1]]


def _work(found: Found, file: _File, spec: _Spec, workers: list[_Worker]) -> Work:
    if not spec.lines:
        raise spec.place.refusal(spec.name, "holds no sizes")
    total = sum(values[1] for _, values in spec.lines)
    if abs(total - 100) > 0.01:
        raise spec.lines[0][0].refusal(
            spec.name, f"shares add up to {total:g} %", "they must to 100 %"
        )
    table: dict[str, Any] = {"name": spec.name or "iometer"}
    place = spec.lines[0][0]
    sources = {"name": spec.place}
    lines = [values for _, values in spec.lines if values[1] > 0]
    for at, values in spec.lines:
        if values[0] < 1 or values[0] % _SECTOR:
            raise at.refusal(spec.name, f"{values[0]:g} bytes are not a whole number of sectors")
        if max(values[2], values[3]) > 100:
            raise at.refusal(spec.name, "a share is above 100 %")
        if values[0] == 66560:
            found.remark(at, spec.name, "66560 bytes are 65 KiB: 64 KiB (65536) may be meant")
        if values[4] > 0 or values[5] > 1:
            found.remark(at, spec.name, "delays and bursts between transfers are not simulated")
        if values[7] > 0:
            found.remark(at, spec.name, "replies are for networks, and are not simulated")
    if len(lines) == 1:
        size, _, read, rand = lines[0][:4]
        table |= {"read": words.share_text(read / 100), "random": words.share_text(rand / 100),
                  "size": words.size_text(int(size))}  # fmt: skip
    else:
        table["sizes"] = [
            {"size": words.size_text(int(size)), "share": words.share_text(share / 100),
             "read": words.share_text(read / 100), "random": words.share_text(rand / 100)}
            for size, share, read, rand in (values[:4] for values in lines)
        ]  # fmt: skip
    aligns = {int(values[6]) or _SECTOR for values in lines}
    if len(aligns) > 1:
        found.remark(place, spec.name, "alignments differ between its sizes: the smallest is taken")
    table["align"] = words.size_text(min(aligns))
    sources |= dict.fromkeys(("read", "random", "size", "sizes", "align"), place)
    _depth(found, file, spec, workers, table, sources)
    return Work(table, spec.place, sources)


def _depth(
    found: Found, file: _File, spec: _Spec, workers: list[_Worker],
    table: dict[str, Any], sources: dict[str, Place],
) -> None:  # fmt: skip
    first = next((one for one in workers if one.outstanding), None)
    if len(workers) > 1:
        table["workers"] = len(workers)
        sources["workers"] = workers[0].place
    cycles = "OUTSTANDING" in file.kind or "QUEUE" in file.kind
    if cycles and file.depths and file.depths[1]:
        table["outstanding"], sources["outstanding"] = file.depths[1], file.depths[0]
    else:
        table["outstanding"] = max(first.outstanding or 1, 1) if first else 1
        if first is not None and first.at is not None:
            sources["outstanding"] = first.at
        else:
            found.remark(
                spec.place, spec.name, "no worker gives its outstanding I/Os: Iometer's default, 1"
            )
    if len({one.outstanding for one in workers}) > 1:
        found.remark(
            workers[0].place,
            spec.name,
            "workers differ in their outstanding I/Os: the first is taken",
        )
    area = next((one for one in workers if one.area and (one.maximum or one.start)), None)
    if area is not None and area.area is not None:
        offset = {"offset": f"{area.start * _SECTOR} B"}
        size = {"size": f"{area.maximum * _SECTOR} B"} if area.maximum else {"size": "rest"}
        table["area"], sources["area"] = offset | size, area.area
        if len({(one.maximum, one.start) for one in workers}) > 1:
            found.remark(area.area, spec.name, "workers differ in their areas: the first is taken")

"""What /proc/mdstat says: arrays, their members, and what they are doing.

A block is 1 KiB. The number behind a member is not its position in the array. The letters in
brackets show which positions have a working drive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from raidsim.errors import quote
from raidsim.importing import md, words
from raidsim.importing.model import (
    CHECK,
    FAILED,
    ONLINE,
    REBUILD,
    RESYNC,
    SPARE,
    Array,
    Fact,
    Found,
    Member,
    Place,
)
from raidsim.importing.source import Source

NAME = "mdstat"

_HEAD = re.compile(r"(\S+) : (active|inactive|broken|not started)(?:\s+\(([\w-]+)\))?\s*(.*)$")
_MEMBER = re.compile(r"([^\s\[\]]+)\[(\d{1,6})\]((?:\([A-Z]\))*)$")
_TASKS = {"recovery": REBUILD, "resync": RESYNC, "check": CHECK, "repair": CHECK}
_PROGRESS = re.compile(
    r"(recovery|resync|check|repair|reshape)\s*=\s*(?:(\d{1,3}(?:\.\d+)?)%|(\w+))"
)


def recognises(source: Source) -> bool:
    """Its first line, or that of an array beside the count of blocks."""
    if source.is_json:
        return False
    if any(line.startswith("Personalities :") for line in source.head):
        return True
    arrays = any(re.match(r"md\S* : (active|inactive)", line) for line in source.head)
    return arrays and any(re.match(r"\s+\d+ blocks", line) for line in source.head)


def read(source: Source) -> Found:
    """Read all arrays."""
    found = Found()
    for lines in _parts(source, found):
        array = _array(found, source, lines)
        if array is not None:
            found.arrays.append(array)
    return found


def _parts(source: Source, found: Found) -> Iterator[list[tuple[int, str]]]:
    part: list[tuple[int, str]] = []
    for number, line in source.numbered():
        if _HEAD.match(line):
            if part:
                yield part
            part = [(number, line)]
        elif not line.strip():
            continue
        elif part and not line.startswith("unused devices"):
            part.append((number, line))
        elif not line.startswith(("Personalities", "unused devices", "read_ahead")):
            cause = f"{quote(line.strip())} is not understood, and left out"
            found.remark(source.at(number), None, cause)
    if part:
        yield part


def _array(found: Found, source: Source, lines: list[tuple[int, str]]) -> Array | None:
    number, text = lines[0]
    head = _HEAD.match(text)
    if head is None:
        return None
    place, label = source.at(number), head[1]
    rest = head[4].split()
    level = rest.pop(0).lower() if rest and "[" not in rest[0] else ""
    members = []
    for word in rest:
        member = _MEMBER.match(word)
        if member is None:
            found.remark(place, label, f"{quote(word)} is not understood, and left out")
            continue
        state = FAILED if "(F)" in member[3] else SPARE if "(S)" in member[3] else ONLINE
        for sign, meaning in (("(W)", "is write-mostly"), ("(R)", "replaces another drive")):
            if sign in member[3]:
                found.remark(place, label, f"{member[1]} {meaning}, which is not imported")
        if "(J)" in member[3]:
            found.remark(
                place, label, f"{member[1]} holds the journal; in raidsim a journal needs no drive"
            )
            continue
        if "(R)" not in member[3]:
            members.append(Member(md.member_keys(member[1]), place, None, state))
    array = Array(
        label, place, md.array_keys(label),
        name=Fact(label, place),
        level=Fact(md.LEVELS.get(level, level), place) if level else None,
        members=tuple(members),
        rank=1,
        intent=Fact("journal", place) if "(J)" in text else None,
        access=Fact("read-only", place) if head[3] == "read-only" else None,
    )  # fmt: skip
    if head[2] != "active":
        array = replace(array, refused=place.problem(label, *md.INACTIVE))
    elif level:
        array = replace(array, refused=md.unsaid(place, label, level))
    count = sum(one.state == ONLINE for one in members)
    for at, line in lines[1:]:
        array = _line(found, source.at(at), line, array)
    if array.slots is None and level in {"raid0", "linear"}:
        array = replace(array, slots=Fact(count, place), failed=Fact((), place))
    return array


def _line(found: Found, place: Place, line: str, array: Array) -> Array:
    """Read one further line."""
    text = line.strip()
    if match := re.match(r"(\d{1,18}) blocks\b(.*)$", text):
        array = replace(array, capacity=Fact(int(match[1]) * 1024, place))
        return _blocks(place, match[2], array)
    if match := re.match(r"bitmap: .*?,\s*(\d+)(KB|MB|K|B)? chunk", text):
        chunk = words.size(f"{match[1]} {match[2] or 'KB'}", binary=True)
        array = replace(array, intent=Fact("bitmap", place))
        return replace(array, bitmap_chunk=Fact(chunk, place)) if chunk else array
    if match := _PROGRESS.search(text):
        return _task(found, place, match, array)
    if not re.match(r"\[[=>.]*\]", text):
        found.remark(place, array.label, f"{quote(text)} is not understood, and left out")
    return array


def _blocks(place: Place, text: str, array: Array) -> Array:
    if match := re.search(r"(\d{1,9})([kKmM])\s+chunks?", text):
        strip = words.size(f"{match[1]} {match[2]}B", binary=True)
        array = replace(array, strip=Fact(strip, place) if strip else None)
    if match := re.search(r"algorithm (\d{1,3})", text):
        word = md.ALGORITHMS.get(int(match[1]), f"algorithm {match[1]}")
        shape = md.shape(word, place, array.label)
        array = replace(array, rotation=shape.rotation, refused=array.refused or shape.problem)
    if match := re.search(r"(\d{1,4}) (near|far|offset)-copies", text):
        array = replace(array, copies=Fact(int(match[1]), place), spread=Fact(match[2], place))
    elif array.level and array.level.value == "raid10":
        array = replace(array, copies=Fact(2, place), spread=Fact("near", place))
    if match := re.search(r"\[(\d{1,4})/(\d{1,4})\]\s+\[([U_]+)\]", text):
        failed = tuple(number for number, one in enumerate(match[3]) if one == "_")
        array = replace(array, slots=Fact(int(match[1]), place), failed=Fact(failed, place))
        if len(match[3]) != int(match[1]):
            cause = f"{match[1]} drives, but {len(match[3])} letters of their states"
            array = replace(array, refused=place.problem(array.label, cause))
        lost = {"raid5": 1, "raid4": 1, "raid6": 2, "raid1": int(match[1]) - 1}
        most = lost.get(array.level.value if array.level else "", int(match[1]))
        if len(failed) > most and array.refused is None:
            array = replace(array, refused=place.problem(array.label, *md.BROKEN))
    if "external:" in text and array.level is None:
        array = replace(array, refused=md.unsaid(place, array.label, "container"))
    return array


def _task(found: Found, place: Place, match: re.Match[str], array: Array) -> Array:
    if match[1] == "reshape":
        return replace(array, refused=place.problem(array.label, *md.RESHAPED), refuses_all=True)
    if match[3]:
        cause = f"{match[1]} is {match[3].lower()}: it has not begun, and is left out"
        found.remark(place, array.label, cause)
        return array
    task = _TASKS[match[1]]
    failed = array.failed.value if array.failed else ()
    if task == REBUILD and not failed:
        return array  # the drive that replaces another, of which was spoken
    done = float(match[2]) / 100 if match[2] else 0.0
    array = replace(array, task=Fact(task, place), progress=Fact(done, place))
    if task == REBUILD:
        if len(failed) > 1:
            shown = ", ".join(map(str, failed))
            cause = f"which of the drives {shown} is rebuilt is unknown: {failed[0]} is taken"
            found.remark(place, array.label, cause)
        # The spare that is being filled is listed as a member like the others.
        array = replace(array, rebuilding=Fact(failed[:1], place))
    return array

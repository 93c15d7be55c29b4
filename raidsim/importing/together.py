"""What several files say of one thing, joined by serial numbers, names, slots and devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from raidsim.importing import words
from raidsim.importing.model import (
    MISSING,
    ONLINE,
    SPARE,
    Array,
    Controller,
    Drive,
    Fact,
    Found,
    Member,
)

Thing = TypeVar("Thing", Drive, Array, Controller)
MOST_ALIKE = 50
"""Different things of one name that are compared: files of so many hosts are not imported."""
SAME_SIZE = 0.02
"""Share by which two files may differ about a capacity: one has it rounded."""


@dataclass(frozen=True)
class System:
    """Drives, arrays and controllers, each once.

    Attributes
    ----------
    members : the drives of each array, in the order of its members; None for one that no file
        tells of.
    """

    drives: list[Drive]
    arrays: list[Array]
    controllers: list[Controller]
    members: list[list[Drive | None]]


def join(found: Found) -> System:
    """Join all that was found; what files disagree about is added to its remarks."""
    drives = [_merged(same, found) for same in _drive_groups(_with_controller(found.drives))]
    arrays = [
        _array(sorted(same, key=lambda one: one.rank), found)
        for same in _array_groups(found.arrays)
    ]
    controllers = [_merged(same, found) for same in _groups(found.controllers)]
    by_key = {key: drive for drive in drives for key in drive.keys}
    members = [[_drive_of(member, by_key) for member in array.members] for array in arrays]
    return System(drives, arrays, controllers, members)


def _drive_of(member: Member, by_key: dict[str, Drive]) -> Drive | None:
    for key in member.keys:
        whole = f"dev:{words.whole_device(key[4:])}" if key.startswith("dev:") else key
        if (drive := by_key.get(key) or by_key.get(whole)) is not None:
            return drive
    return None


def _with_controller(drives: Sequence[Drive]) -> list[Drive]:
    """Drives whose number behind a controller is known, with that of the only one that has it."""
    numbered = {key for drive in drives for key in drive.keys if key.startswith("did:")}
    found = []
    for drive in drives:
        keys = set(drive.keys)
        for key in drive.keys:
            if key.startswith("did:?/"):
                ending = key.partition("/")[2]
                known = [one for one in numbered if one.partition("/")[2] == ending and one != key]
                keys.update(known if len(known) == 1 else [])
                keys.discard(key)
        found.append(replace(drive, keys=frozenset(keys)))
    return found


def _drive_groups(drives: Sequence[Drive]) -> list[list[Drive]]:
    """Group facts of one drive: names of devices agree on all hosts, serial numbers do not."""

    def keys_of(same: Sequence[Drive]) -> set[str]:
        return {key for one in same for key in one.keys}

    def are_two(same: Sequence[Drive], others: Sequence[Drive]) -> bool:
        return any(_are_two(one, other) for one in same for other in others)

    return _put_together(_groups(drives, but="dev"), keys_of, are_two)


def _put_together(
    groups: Iterable[list[Thing]],
    keys_of: Callable[[Sequence[Thing]], set[str]],
    are_two: Callable[[Sequence[Thing], Sequence[Thing]], bool],
) -> list[list[Thing]]:
    """Groups that share a weaker key too, unless something tells them apart."""
    made: list[list[Thing]] = []
    where: dict[str, list[int]] = {}
    for same in groups:
        keys = keys_of(same)
        near = sorted({number for key in keys for number in where.get(key, ())})
        found = next((number for number in near if not are_two(same, made[number])), None)
        if found is None:
            found = len(made)
            made.append([])
        made[found] += same
        for key in keys:
            known = where.setdefault(key, [])
            if found not in known and len(known) < MOST_ALIKE:
                known.append(found)
    return made


def _are_two(one: Drive, other: Drive) -> bool:
    """Return whether serial numbers or capacities differ; SCSI cuts off the former."""
    serials = [
        [key for key in drive.keys if key.startswith("serial:")] for drive in (one, other)
    ]  # fmt: skip
    if all(serials):
        first, second = serials[0][0], serials[1][0]
        return not (first.startswith(second) or second.startswith(first))
    if one.capacity is None or other.capacity is None:
        return False
    return abs(one.capacity.value - other.capacity.value) > SAME_SIZE * other.capacity.value


def _array_groups(arrays: Sequence[Array]) -> list[list[Array]]:
    """Descriptions of one array: by its device or UUID, else by its members.

    Two devices, or two UUIDs, are two arrays, even if they seem to share members.
    """

    def are_two(same: Sequence[Array], others: Sequence[Array]) -> bool:
        return _differ(_names(same), _names(others))

    return _put_together(_groups(arrays), _member_keys, are_two)


def _names(same: Sequence[Array]) -> dict[str, set[str]]:
    """Keys of arrays, by what they are."""
    found: dict[str, set[str]] = {}
    for key in {key for one in same for key in one.keys}:
        found.setdefault(key.partition(":")[0], set()).add(key)
    return found


def _member_keys(same: Sequence[Array]) -> set[str]:
    return {key for one in same for member in one.members for key in member.keys}


def _differ(some: dict[str, set[str]], others: dict[str, set[str]]) -> bool:
    return any(kind in others and not keys & others[kind] for kind, keys in some.items())


def _groups(things: Sequence[Thing], but: str | None = None) -> list[list[Thing]]:
    """Things that share a key, directly or over others, in the order of their first ones.

    Keys that begin with ``but`` do not count.
    """
    groups: list[list[Thing]] = []
    where: dict[str, int] = {}
    for thing in things:
        mine = [key for key in thing.keys if key.partition(":")[0] != but]
        known = sorted({where[key] for key in mine if key in where})
        if not known:
            groups.append([])
            known = [len(groups) - 1]
        first, *others = known
        for other in others:  # two entries become one
            groups[first] += groups[other]
            groups[other] = []
        groups[first].append(thing)
        for key, number in list(where.items()) if others else []:
            where[key] = first if number in others else number
        where.update(dict.fromkeys(mine, first))
    return [group for group in groups if group]


def _merged(same: list[Thing], found: Found) -> Thing:
    """One thing of what several files say of it: of each fact the first."""
    first = same[0]
    changes: dict[str, Any] = {}
    for field in fields(first):
        values = [value for one in same if (value := getattr(one, field.name)) is not None]
        changes[field.name] = values[0] if values else None
        if field.name == "capacity":
            _compare(first.label, values, found)
    changes["keys"] = frozenset[str]().union(*(one.keys for one in same))
    return replace(first, **changes)


def _compare(label: str, values: list[Fact[int]], found: Found) -> None:
    for other in values[1:]:
        if abs(other.value - values[0].value) > SAME_SIZE * values[0].value:
            cause = f"{other.value:,} bytes, but {values[0].value:,} at {values[0].place}"
            found.remark(other.place, label, cause, "the one of the first file is taken")
            return


def _array(same: list[Array], found: Found) -> Array:
    merged = _merged(same, found)
    for one in same[1:]:
        if one.level and merged.level and one.level.value != merged.level.value:
            cause = f"{one.level.value}, but {merged.level.value} at {merged.level.place}"
            found.remark(one.level.place, merged.label, cause, "the latter is taken")
    members: dict[frozenset[str], Member] = {}
    for number, member in enumerate(member for one in same for member in one.members):
        key = member.keys or frozenset({f"no key {number}"})
        known = members.get(key)
        if known is not None:
            position = known.position if known.position is not None else member.position
            state = (
                known.state if known.state != ONLINE or known.position is not None else member.state
            )
            member = replace(known, position=position, state=state)  # noqa: PLW2901
        members[key] = member
    refused = next((one for one in same if one.refuses_all), None)
    refused = refused or next((one for one in same if one.refused), None)
    spares = [one for one in members.values() if one.state == SPARE]
    merged = replace(
        merged,
        members=tuple(members.values()),
        refused=refused.refused if refused else None,
        refuses_all=refused.refuses_all if refused else False,
        spares=merged.spares or (Fact(len(spares), spares[0].place) if spares else None),
    )
    return _counted(merged)


def _counted(array: Array) -> Array:
    """The array with a number of drives, which some tools leave to the reader."""
    if array.slots is not None:
        return array
    inside = [
        one
        for one in array.members
        if one.state not in {SPARE, MISSING} or one.position is not None
    ]
    last = max((one.position + 1 for one in inside if one.position is not None), default=0)
    count = max(len(inside), last)
    return replace(array, slots=Fact(count, array.place)) if count else array

"""Which of the found arrays and drives become volumes of a scenario, and which are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from raidsim.errors import InputError, Problem
from raidsim.importing import words
from raidsim.importing.model import (
    FAILED,
    MISSING,
    ONLINE,
    REBUILDING,
    SPARE,
    UNUSED,
    Array,
    Drive,
    Fact,
    Found,
)
from raidsim.importing.together import System
from raidsim.layout.arrange import BY_WORD
from raidsim.scenario.arrays import NESTED, REDUNDANT, WITH_COPIES, not_by_software

MOST_VOLUMES = 1000
NEAR = 0.05
"""Share by which the capacity of an array may differ from that of its drives and be all of them."""


@dataclass
class Volume:
    """A volume of the scenario.

    Attributes
    ----------
    array : what it is made of; of drives without RAID, one that was made up for them.
    drive : what its drives are like.
    least : bytes that it uses of each drive, if that is known.
    spares : hot spares, and where they are said.
    notes : what the scenario's reader has to know.
    """

    name: str
    array: Array
    drive: Drive
    count: int
    least: int = 0
    spares: Fact[int] | None = None
    devices: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes that hosts see, as far as they are known."""
        if self.array.capacity is not None:
            return self.array.capacity.value
        known = self.drive.capacity or self.drive.size
        return known.value * self.count if known else 0

    @property
    def has_whole_drives(self) -> bool:
        """Whether it takes drives as a whole: its members are known, and none is a partition."""
        names = [
            key[4:] for one in self.array.members for key in one.keys if key.startswith("dev:")
        ]
        return bool(names) and all(words.whole_device(name) == name for name in names)


def plan(system: System, found: Found, wanted: Sequence[str]) -> list[Volume]:
    """The volumes, the largest first; what becomes none is noted in the remarks.

    Parameters
    ----------
    wanted
        Names of arrays or devices that are meant; all if there are none.

    Raises
    ------
    InputError
        An array cannot be said, and what cannot be left out beside others; or none is left.
    """
    _check_wanted(system, wanted)
    volumes: list[Volume] = []
    refused: list[Problem] = []
    for array, members in zip(system.arrays, system.members, strict=True):
        if not _is_wanted(array.label, array.keys, array.name, wanted):
            continue
        problem = array.refused or _impossible(array)
        if problem is None:
            volumes.append(_volume(_with_states(array, members), members, system, found))
        elif array.refuses_all:
            raise InputError([problem])
        else:
            refused.append(problem)
    used = {key for members in system.members for drive in members if drive for key in drive.keys}
    for array in system.arrays:
        if not array.members:
            used |= {key for drive in _likely(array, system) for key in drive.keys}
    volumes = _once(volumes, found)
    volumes += _without_array(system, used, found, wanted)
    _hot_spares(volumes, system, found)
    if not volumes and refused:
        raise InputError(refused)
    found.remarks += [replace(one, cause=f"is left out: {one.cause}") for one in refused]
    if len(volumes) > MOST_VOLUMES:
        cause = f"{len(volumes):,} volumes are too many for one scenario"
        raise volumes[0].array.place.refusal(None, cause, "name those to import with --array")
    volumes.sort(key=lambda one: -one.size)
    _name(volumes)
    return volumes


def _check_wanted(system: System, wanted: Sequence[str]) -> None:
    for name in wanted:
        known = [_is_wanted(one.label, one.keys, one.name, [name]) for one in system.arrays]
        known += [_is_wanted(one.label, one.keys, None, [name]) for one in system.drives]
        if not any(known):
            labels = ", ".join([one.label for one in system.arrays][:20]) or "no arrays"
            problem = Problem(
                None, None, "--array", f"nothing is called {name}", f"there is: {labels}"
            )
            raise InputError([problem])


def _is_wanted(
    label: str, keys: frozenset[str], name: Fact[str] | None, wanted: Sequence[str]
) -> bool:
    if not wanted:
        return True
    names = {label, words.device(label), *(key.partition(":")[2] for key in keys)}
    names |= {name.value} if name else set()
    return any(one in names or words.device(one) in names for one in wanted)


def _impossible(array: Array) -> Problem | None:
    """Return the reason why an array of the files cannot be a volume; None if it can."""
    if array.level is None:
        cause = "no file says which RAID level it has"
        return array.place.problem(array.label, cause, "give the output that has it as well")
    if array.slots is None:
        cause = "no file says how many drives it has"
        return array.place.problem(array.label, cause, "give the output that has it as well")
    level, slots = array.level.value, array.slots.value
    if array.controller is None:
        spans = array.spans.value if array.spans else None
        wrong = not_by_software(level, slots, spans)
        if wrong is not None:
            return array.slots.place.problem(array.label, *wrong)
    least = _least_drives(level)
    if slots < least:
        cause = f"{level} of {slots} drive{'s' * (slots != 1)} is not simulated"
        return array.slots.place.problem(array.label, cause, f"give at least {least}")
    failed = array.failed.value if array.failed else ()
    if array.failed is not None and _is_lost(array, failed, level, slots):
        shown = ", ".join(map(str, failed))
        cause = f"{level} of {slots} drives without {shown} has failed: no I/O is possible"
        return array.failed.place.problem(array.label, cause, "import it as it was before")
    if failed and level not in REDUNDANT:
        assert array.failed is not None
        return array.failed.place.problem(
            array.label, f"{level} without drive {failed[0]} has failed", "leave it out"
        )
    return None


def _least_drives(level: str) -> int:
    """Drives without which there is no array of a level; one for what is no level."""
    if level not in BY_WORD:
        return 1
    kind = BY_WORD[level]
    return kind.least_drives * (2 if kind.nested and kind.parity else 1)


def _is_lost(array: Array, failed: tuple[int, ...], level: str, slots: int) -> bool:
    """Return whether more drives are gone than the level survives, in any of its spans."""
    spans = array.spans.value if array.spans else 1
    each = BY_WORD[level].parity if level in BY_WORD else 0
    if level == "raid1":
        return len(failed) >= slots
    if level == "raid10":
        copies = array.copies.value if array.copies else 2
        spread = array.spread.value if array.spread else "near"
        if spread != "near" or slots % copies:  # which ones hold the copies is another matter
            return len(failed) > slots - slots // copies
        sets = Counter(one // copies for one in failed)
        return any(count >= copies for count in sets.values())
    if each == 0 or (array.spans is None and level in NESTED):
        return False
    size = slots // spans if slots % spans == 0 else slots
    return any(count > each for count in Counter(one // max(size, 1) for one in failed).values())


def _with_states(array: Array, members: list[Drive | None]) -> Array:
    """The array with what its drives say of themselves, where nothing is said of all of them."""
    if array.failed is not None:
        return array
    gone: dict[int, Drive] = {}
    for member, drive in zip(array.members, members, strict=True):
        state = drive.state.value if drive is not None and drive.state else None
        if state in {FAILED, MISSING, REBUILDING} and member.position is not None and drive:
            gone[member.position] = drive
    if not gone:
        return array
    place = next(iter(gone.values())).place
    built = [at for at, drive in gone.items() if drive.state and drive.state.value == REBUILDING]
    made = replace(array, failed=Fact(tuple(sorted(gone)), place))
    return replace(made, rebuilding=Fact(tuple(sorted(built)), place)) if built else made


def _volume(array: Array, members: list[Drive | None], system: System, found: Found) -> Volume:
    """A volume of an array: its drives are taken to be all alike."""
    assert array.slots is not None
    count = array.slots.value
    known = [
        drive for member, drive in zip(array.members, members, strict=True)
        if drive is not None
        and (member.position is not None or member.state not in {SPARE, FAILED})
    ]  # fmt: skip
    if not known and not array.members:
        known = _likely(array, system)
        if known:
            cause = "its drives are not named: those in use on its controller are taken"
            remedy = "give the output that lists both together"
            found.remark(array.place, array.label, cause, remedy)
    unknown = Drive(
        "drive", array.place, frozenset(),
        interface=_interface(array), controller=array.controller,
    )  # fmt: skip
    drive = known[0] if known else unknown
    kinds = Counter((one.model.value if one.model else "", _rounded(one)) for one in known)
    if len(kinds) > 1:
        (model, size), _ = kinds.most_common(1)[0]
        drive = next(
            one
            for one in known
            if (one.model.value if one.model else "", _rounded(one)) == (model, size)
        )
        shown = ", ".join(
            f"{count} of {name or 'unknown model'}" for (name, _), count in kinds.items()
        )
        cause = f"its drives differ ({shown}): all are taken as {model or drive.label}"
        found.remark(array.place, array.label, cause)
    if array.spans is None and array.level and array.level.value in {"raid50", "raid60"}:
        array = replace(array, spans=_likely_spans(array, drive, found))
    data = _data_drives(array)
    least = array.capacity.value // data if array.capacity and data else 0
    made = Volume("", array, drive, count, least, array.spares)
    made.devices = array.keys
    return made


def _interface(array: Array) -> Fact[str] | None:
    """Return the interface of drives that no file describes, by the names of the members."""
    names = [
        (key[4:], one.place)
        for one in array.members
        for key in one.keys
        if key.startswith("dev:")
    ]  # fmt: skip
    is_nvme = bool(names) and all(name.startswith("nvme") for name, _ in names)
    return Fact("nvme", names[0][1]) if is_nvme else None


def _likely_spans(array: Array, drive: Drive, found: Found) -> Fact[int] | None:
    """Spans that divide the drives, and fit the given capacity if one number does."""
    assert array.level is not None
    count = array.slots.value if array.slots else 0
    kind = BY_WORD[array.level.value]
    fitting = [n for n in range(2, 9) if count % n == 0 and count // n >= kind.least_drives]
    size, whole = drive.capacity or drive.size, array.capacity
    if not fitting:
        return None
    best, why = fitting[0], "a guess, as its capacity does not show it"
    if len(fitting) == 1:
        why = f"as no other number divides its {count} drives"
    elif size is not None and whole is not None:
        data = {n: (count - kind.parity * n) * size.value for n in fitting}
        nearest = min(fitting, key=lambda n: abs(data[n] - whole.value))
        if abs(whole.value / data[nearest] - 1) <= NEAR:
            best, why = nearest, "as its drives and capacity show"
    cause = f"its number of spans is not given: {best}, {why}"
    found.remark(array.place, array.label, cause)
    return Fact(best, array.place)


def _likely(array: Array, system: System) -> list[Drive]:
    """Drives in use on the controller of an array whose own drives no file lists."""
    owned = {key for other in system.arrays for one in other.members for key in one.keys}
    return [
        one for one in system.drives
        if array.controller is not None and one.controller == array.controller
        and one.state is not None and one.state.value in {ONLINE, REBUILDING}
        and not one.keys & owned
    ]  # fmt: skip


def _rounded(drive: Drive) -> int:
    """A capacity as far as it tells kinds of drives apart: two digits."""
    size = drive.capacity or drive.size
    return int(float(f"{size.value:.1e}")) if size else 0


def _data_drives(array: Array) -> Fraction:
    """Drives whose capacity hosts see: of mirrors with an odd drive no whole number."""
    count = array.slots.value if array.slots else 0
    level = array.level.value if array.level else ""
    spans = array.spans.value if array.spans else 1
    copies = array.copies.value if array.copies else 2
    if level == "raid1":
        return Fraction(1)
    if level in WITH_COPIES:
        return Fraction(count, max(copies, 1))
    return Fraction(count - BY_WORD[level].parity * spans if level in BY_WORD else count)


def _once(volumes: list[Volume], found: Found) -> list[Volume]:
    """Volumes that share no drives: of several on the same ones, the largest."""
    kept: list[Volume] = []
    taken: dict[str, Volume] = {}
    for volume in sorted(volumes, key=lambda one: -one.size):
        mine = _places(volume.array)
        other = next((taken[key] for key in sorted(mine) if key in taken), None)
        if other is None:
            kept.append(volume)
            taken.update(dict.fromkeys(mine, volume))
            continue
        cause = (
            f"is left out: it is on the same drives as {other.array.label}, and volumes of raidsim"
            " have drives of their own"
        )
        remedy = "--array takes it instead"
        found.remark(volume.array.place, volume.array.label, cause, remedy)
    return kept


def _places(array: Array) -> set[str]:
    """The drives that an array is on, whole ones where it has parts of them."""
    keys = {key for member in array.members for key in member.keys}
    whole = {words.whole_device(key[4:]) if key.startswith("dev:") else key for key in keys}
    return whole | ({array.group} if array.group else set())


def _without_array(
    system: System, used: set[str], found: Found, wanted: Sequence[str]
) -> list[Volume]:
    """Drives that are no part of an array: volumes without RAID, of those that are alike."""
    groups: dict[tuple[object, ...], list[Drive]] = {}
    shown = {key for array in system.arrays for key in array.keys}
    has_arrays = bool(system.arrays)
    only_spares = all(one.state is not None and one.state.value == SPARE for one in system.drives)
    for drive in system.drives:
        if drive.keys & used or not _is_wanted(drive.label, drive.keys, None, wanted):
            continue
        state = drive.state.value if drive.state else None
        if drive.virtual is not None:
            if not drive.keys & shown:
                remedy = "give the output of its controller's tool, or of the system below"
                found.remark(
                    drive.virtual.place, drive.label, f"is left out: {drive.virtual.value}", remedy
                )
            continue
        if state == SPARE and not only_spares:
            continue
        if state in {UNUSED, FAILED} or (state is None and has_arrays):
            why = {UNUSED: "it is not in use", FAILED: "it has failed"}.get(
                state or "", "no array of these files is known to have it"
            )
            found.remark(drive.place, drive.label, f"is left out: {why}")
            continue
        model = drive.model.value if drive.model else None
        groups.setdefault(
            (model, _rounded(drive), drive.controller, drive.rotates and drive.rotates.value), []
        ).append(drive)
    made = []
    for alike in groups.values():
        first = alike[0]
        if first.state is not None and first.state.value in {ONLINE, REBUILDING}:
            cause = "is in an array that no file describes: imported as a drive without RAID"
            found.remark(first.place, first.label, cause, "give the list of virtual drives as well")
        level = "jbod" if len(alike) > 1 else "single"
        array = Array(
            first.label, first.place, frozenset(),
            level=Fact(level, first.place), slots=Fact(len(alike), first.place),
            controller=first.controller if _is_known(first.controller, system) else None,
        )  # fmt: skip
        volume = Volume("", array, first, len(alike))
        volume.devices = frozenset().union(*(one.keys for one in alike))
        volume.notes = [f"without RAID: {', '.join(one.label for one in alike)}"[:200]]
        made.append(volume)
    return made


def _is_known(controller: str | None, system: System) -> bool:
    """Return whether a file tells of a controller, or of drives by their places on it."""
    told = any(controller in one.keys for one in system.controllers)
    return controller is not None and (
        told or re.fullmatch(r"controller:\d+", controller) is not None
    )


def _hot_spares(volumes: list[Volume], system: System, found: Found) -> None:
    """Give hot spares of controllers to the largest redundant volume on the same one."""
    owned = {key for volume in volumes for member in volume.array.members for key in member.keys}
    counts: dict[str | None, list[Drive]] = {}
    for drive in system.drives:
        if drive.state is not None and drive.state.value == SPARE and not drive.keys & owned:
            counts.setdefault(drive.controller, []).append(drive)
    for controller, spares in counts.items():
        fitting = [
            one for one in volumes
            if one.array.controller == controller and one.array.level
            and one.array.level.value in REDUNDANT
        ]  # fmt: skip
        place = spares[0].place
        if not fitting and spares[0].keys & {key for one in volumes for key in one.devices}:
            continue  # nothing but spares is known, and they were taken as drives
        if not fitting:
            found.remark(place, spares[0].label, "is a hot spare of no volume here, and left out")
            continue
        taken = max(fitting, key=lambda one: one.size)
        taken.spares = Fact((taken.spares.value if taken.spares else 0) + len(spares), place)
        if len(fitting) > 1:
            cause = f"serves {len(fitting)} volumes; raidsim's belong to one: {taken.array.label}"
            found.remark(place, spares[0].label, cause)


def _name(volumes: list[Volume]) -> None:
    """A name for each that no other has."""
    taken: set[str] = {"host"}
    for volume in volumes:
        array = volume.array
        name = array.name.value if array.name else words.device(array.label).replace(" ", "-")
        name = "".join(one for one in name if one.isprintable()).strip()[:60] or "data"
        base, number = name, 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        volume.name = name

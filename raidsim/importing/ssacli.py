"""What ssacli, hpssacli and hpacucli print of ``ctrl all show config detail`` and its parts.

Sizes of drives and arrays are decimal, strips binary. The indent shows what belongs to what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from raidsim.errors import quote
from raidsim.importing import megaraid, words
from raidsim.importing.model import (
    ALONE,
    FAILED,
    ONLINE,
    REBUILDING,
    RESYNC,
    SPARE,
    UNUSED,
    Array,
    Controller,
    Drive,
    Fact,
    Found,
    Member,
    Place,
)
from raidsim.importing.section import Section
from raidsim.importing.source import Source

NAME = "ssacli"

_CONTROLLER = re.compile(
    r"((?:HPE? |Smart |Dynamic |MSCC |Adaptec )?\S.*?) in (Slot (\d+)|.*\(Embedded\))"
)
_LEVELS = {
    "0": "raid0", "1": "raid1", "1+0": "raid10", "10": "raid10", "5": "raid5", "50": "raid50",
    "6": "raid6", "60": "raid60", "6 (adg)": "raid6", "adg": "raid6",
}  # fmt: skip
_HEADING = re.compile(r"(Array:? |array |Logical Drive: |Mirror Group \d|Parity Group)")
_BAY = re.compile(r"physicaldrive\s+(\S+)")
_SHORT = re.compile(r"logicaldrive\s+(\d+)\s+\(([^,)]+),\s*(?:RAID\s*)?([^,)]+)(?:,\s*([^)]*))?\)")


def recognises(source: Source) -> bool:
    """A controller in a slot, and drives as only this tool names them."""
    if source.is_json:
        return False
    head = source.head
    has_controller = any(_CONTROLLER.match(line) and "Slot" in line for line in head)
    named = any(
        re.search(r"\b(physicaldrive|logicaldrive|Logical Drive:|Cache Board Present)\b", line)
        for line in head
    )
    return named and (
        has_controller
        or any(re.match(r"\s*(Fault Tolerance:|Array:? [A-Z])", line) for line in head)
    )


@dataclass
class _Section(Section):
    """A heading, what stands below it as key and value, and further headings."""

    title: str
    indent: int
    parts: list[_Section] = field(default_factory=list)

    def walk(self) -> Iterator[_Section]:
        yield self
        for part in self.parts:
            yield from part.walk()


def read(source: Source) -> Found:
    """Read all controllers with their arrays and drives."""
    found = Found()
    tree = _tree(source)
    number = 0
    for part in tree.parts:
        match = _CONTROLLER.match(part.title)
        if match and not _BAY.match(part.title):
            slot = match[3] or str(number)
            number += 1
            _controller(found, part, match[1], slot)
        elif part.parts or part.values or _BAY.match(part.title):
            _inside(found, part, "0")
        else:
            found.remark(part.place, None, f"{quote(part.title)} is not understood, and left out")
    return found


def _tree(source: Source) -> _Section:
    root = _Section(source.at(1), "", -1)
    stack = [root]
    for number, raw in source.numbered():
        line = raw.replace("\t", "   ")
        text = line.strip()
        if not text or text.startswith(("=>", "#")):
            continue
        indent = len(line) - len(line.lstrip())
        while len(stack) > 1 and indent <= stack[-1].indent:
            stack.pop()
        key, colon, value = text.partition(": ")
        is_heading = _HEADING.match(text)
        place = source.at(number)
        if colon and not is_heading and not _BAY.match(text) and not _CONTROLLER.match(text):
            stack[-1].values.setdefault(key.strip().lower(), Fact(value.strip(), place))
            continue
        part = _Section(place, text.rstrip(":") if not is_heading else text, indent)
        stack[-1].parts.append(part)
        if len(stack) < 40:
            stack.append(part)
    return root


def _controller(found: Found, part: _Section, model: str, slot: str) -> None:
    memory = part.text("total cache size", "cache size")
    # "Total Cache Size: 2.0" (GB without its unit) is what newer versions write.
    text = memory.value if memory else ""
    size = words.size(f"{text} GB" if re.fullmatch(r"\d+(\.\d+)?", text) else text, binary=True)
    present = part.text("cache board present")
    if present and present.value.lower() == "false":
        memory, size = present, 0
    state = part.text("battery/capacitor status")
    count = part.text("battery/capacitor count")
    battery = None
    if state is not None:
        good = {"ok": "good", "recharging": "low", "charging": "low"}
        battery = Fact(good.get(state.value.lower(), "low"), state.place)
    elif count and count.value == "0":
        battery = Fact("absent", count.place)
    cache = part.text("cache status", "cache backup power source")
    source_of = part.text("cache backup power source")
    protection = None
    if source_of is not None or battery is not None:
        kind = (source_of.value if source_of else "").lower()
        flash = "capacitor" in kind or "flash" in kind or "hybrid" in kind
        place = (source_of or state or count or Fact("", part.place)).place
        protection = Fact("flash" if flash else "battery", place)
    if (
        cache is not None
        and cache.value.lower() not in {"ok", "capacitors", "batteries"}
        and cache is not source_of
    ):
        found.remark(cache.place, model, f"the status of its cache is {quote(cache.value)}")
    risk = part.text("no-battery write cache")
    if risk is not None and risk.value.lower() == "enabled":
        cause = "the cache takes writes also without a good battery: a power cut loses them"
        found.remark(risk.place, model, cause)
    found.controllers.append(Controller(
        f"{model} in slot {slot}", part.place, frozenset({f"controller:{slot}"}),
        Fact(model, part.place),
        Fact(size, memory.place) if memory and size is not None else None,
        battery, protection,
        _ports(model, part.place),
        rebuild_rate=None,
    ))  # fmt: skip
    _inside(found, part, slot)


def _ports(model: str, place: Place) -> Fact[str] | None:
    """The speed of the ports, which the names of these controllers tell."""
    for pattern, speed in (
        (r"\b[PHE]\d?[2-8]4\d|\b[EP]\d08|P816|SR\d|MR\d|P\d04i", "sas-12g"),
        (r"\b[PH][2-8][12]\d", "sas-6g"),
        (r"\b[PE][2-8]00", "sas-3g"),
    ):
        if re.search(pattern, model):
            return Fact(speed, place)
    return None


def _inside(found: Found, part: _Section, slot: str) -> None:
    """All arrays and drives below a heading."""
    above = part
    drives: dict[str, Drive] = {}
    roles: dict[str, str] = {}
    for one in part.walk():
        if re.match(r"unassigned|HBA Drives", one.title, re.IGNORECASE):
            for below in one.walk():
                if bay := _BAY.match(below.title):
                    roles[bay[1]] = ALONE if one.title.upper().startswith("HBA") else UNUSED
    for one in part.walk():
        if bay := _BAY.match(one.title):
            made = _drive(one, bay[1], slot, roles)
            known = drives.get(bay[1])
            drives[bay[1]] = made if known is None or len(one.values) > 2 else known
    found.drives += drives.values()
    for group in part.walk():
        if re.match(r"array:? ", group.title, re.IGNORECASE):
            _arrays(found, group, slot, drives, above)


def _arrays(
    found: Found, group: _Section, slot: str, drives: dict[str, Drive], above: _Section
) -> None:
    bays: dict[str, _Section] = {}
    for one in group.walk():
        if bay := _BAY.match(one.title):
            bays.setdefault(bay[1], one)
    made = 0
    for one in group.walk():
        short = _SHORT.match(one.title)
        if re.match(r"Logical Drive: ", one.title) or short:
            made += 1
            found.arrays.append(_array(one, short, group, slot, bays, drives, above))
    if not made and bays:
        found.remark(group.place, group.title, "has no logical drive, and is left out")


def _array(
    part: _Section, short: re.Match[str] | None, group: _Section, slot: str,
    bays: dict[str, _Section], drives: dict[str, Drive], above: _Section,
) -> Array:  # fmt: skip
    number = short[1] if short else part.title.partition(":")[2].strip()
    level = part.text("fault tolerance")
    word = (
        (level.value if level else short[3] if short else "").lower().removeprefix("raid").strip()
    )
    word = word.partition(" (adg")[0].strip()
    state = part.text("status") or (Fact(short[4] or "OK", part.place) if short else None)
    size = part.text("size") or (Fact(short[2], part.place) if short else None)
    everyone, spares = _members(part, slot, bays, drives)
    members = tuple(one for one in everyone if one.state != SPARE)
    strip = part.text("strip size", "stripe size")
    bytes_of = _array_size(size, meant_of(word, len(members)), members, drives)
    disk = part.text("disk name")
    unique = part.text("unique identifier")
    keys = {f"vd:{slot}/{number}"}
    if disk:
        keys.update(words.device_key(disk.value.split(" ")[0]))
    keys.update(words.wwn_key(unique.value if unique else None))
    meant = meant_of(word, len(members))
    groups = part.text("parity groups", "number of parity groups")
    told = groups is not None and groups.value.isdecimal() and len(groups.value) < 5
    spans = int(groups.value) if groups and told else None
    lowered = (state.value if state else "").lower()
    failed = [one for one in members if one.state in {FAILED, REBUILDING}]
    built = [one for one in members if one.state == REBUILDING]
    if "recover" in lowered and "ready" not in lowered and failed and not built:
        built = failed[:1]
    array = Array(
        f"logical drive {number} of slot {slot}", part.place, frozenset(keys),
        name=Fact(f"s{slot}-ld{number}", part.place),
        level=Fact(meant or word, level.place if level else part.place) if meant or word else None,
        slots=Fact(len(members), members[0].place) if members else None,
        strip=megaraid.size_fact(strip),
        spans=Fact(spans, groups.place) if groups and spans and meant in {"raid50", "raid60"}
        else Fact(len(members) // 2, part.place) if meant == "raid10" and members else None,
        capacity=Fact(bytes_of, size.place) if size and bytes_of else None,
        disk_cache=megaraid.disk_cache(above.text("drive write cache")),
        failed=_positions(failed), rebuilding=_positions(built),
        members=everyone,
        spares=spares,
        controller=f"controller:{slot}",
        group=f"array:{slot}/{group.title}",
        write=_write(part, above),
    )  # fmt: skip
    return _judged(array, part, state, lowered, meant, word)


def _positions(members: list[Member]) -> Fact[tuple[int, ...]] | None:
    numbers = tuple(one.position or 0 for one in members)
    return Fact(numbers, members[0].place) if members else None


def meant_of(word: str, count: int) -> str | None:
    """The level of raidsim; RAID 1 of more than two drives is RAID 10."""
    meant = _LEVELS.get(word)
    return "raid10" if meant == "raid1" and count > 2 else meant


def _array_size(
    said: Fact[str] | None, level: str | None, members: tuple[Member, ...], drives: dict[str, Drive]
) -> int | None:
    """Bytes of an array, whose steps are of 1000 or of 1024: its drives tell which."""
    if said is None:
        return None
    mine = {key for member in members for key in member.keys}
    sizes = [one.size.value for one in drives.values() if one.size and one.keys & mine]
    count = len(members)
    data = {
        "raid1": 1,
        "raid10": count // 2,
        "raid5": count - 1,
        "raid6": count - 2,
        "raid50": count - 2,
        "raid60": count - 4,
    }.get(level or "", count)
    decimal, binary = (words.size(said.value, binary=one) for one in (False, True))
    if not sizes or decimal is None or binary is None:
        return binary
    whole = max(data, 1) * min(sizes)
    return min((decimal, binary), key=lambda one: abs(one - whole))


def _judged(
    array: Array, part: _Section, state: Fact[str] | None, lowered: str,
    meant: str | None, word: str,
) -> Array:  # fmt: skip
    place = state.place if state else part.place
    values = vars(array).copy()
    if meant is None:
        nearest = (
            "raid1 (two drives) or raid10"
            if "adm" in word or "triple" in word
            else "one of raid0 to raid60"
        )
        cause = f"{quote(word)} is not a level of raidsim"
        values["refused"] = part.place.problem(array.label, cause, f"the nearest is {nearest}")
    elif "failed" in lowered and "interim" not in lowered:
        values["refused"] = place.problem(
            array.label, "has failed: no I/O is possible", "leave it out"
        )
    elif any(one in lowered for one in ("transform", "expan", "migrat")):
        cause = (
            "is being transformed: its layout is being changed, which a scenario cannot describe"
        )
        values["refused"] = place.problem(array.label, cause, "import it when this has ended")
        values["refuses_all"] = True
    if (parity := part.text("parity initialization status")) and "progress" in parity.value.lower():
        values["task"] = Fact(RESYNC, parity.place)
    return Array(**values)


def _write(part: _Section, above: _Section) -> Fact[str] | None:
    """Return the write mode of the cache, from the array and the controller's cache ratio."""
    said = part.text("caching", "array accelerator", "ld acceleration method")
    ratio = above.text("cache ratio", "accelerator ratio")
    if said is None:
        return None
    if said.value.lower() not in {"enabled", "controller cache", "all"}:
        return Fact("through", said.place)
    match = (
        re.search(r"(\d{1,3})% Read\s*/\s*(\d{1,3})% Write", ratio.value, re.I) if ratio else None
    )
    if ratio is not None and match and int(match[2]) == 0:
        return Fact("through", ratio.place)
    risk = above.text("no-battery write cache")
    always = risk is not None and risk.value.lower() == "enabled"
    return Fact("back-bad-battery" if always else "back", said.place)


def _members(
    part: _Section, slot: str, bays: dict[str, _Section], drives: dict[str, Drive]
) -> tuple[tuple[Member, ...], Fact[int] | None]:
    """Drives in order: mirror groups say which are pairs, else as they are listed."""
    groups = [one for one in part.walk() if one.title.startswith("Mirror Group")]
    order = [
        found[1] for one in groups for below in one.walk() if (found := _BAY.match(below.title))
    ]
    if len(groups) == 2 and len(order) > 2:
        half = len(order) // 2  # the groups hold the copies: one of each is a pair
        order = [bay for pair in zip(order[:half], order[half:], strict=False) for bay in pair]
    listed = [bay for bay in bays if bay not in order]
    roles = {bay: _role(bays.get(bay), drives.get(bay)) for bay in [*order, *listed]}
    data = [bay for bay, role in roles.items() if role != SPARE]
    spares = [bay for bay, role in roles.items() if role == SPARE]
    members = tuple(
        Member(
            frozenset({f"slot:{slot}/{bay}"}), bays[bay].place if bay in bays else part.place,
            number, _state_of(drives.get(bay)),
        )
        for number, bay in enumerate(data)
    )  # fmt: skip
    place = bays[spares[0]].place if spares and spares[0] in bays else part.place
    kept = tuple(
        Member(frozenset({f"slot:{slot}/{bay}"}), bays[bay].place, None, SPARE)
        for bay in spares if bay in bays
    )  # fmt: skip
    return members + kept, Fact(len(spares), place) if spares else None


def _role(part: _Section | None, drive: Drive | None) -> str:
    said = part.text("drive type") if part else None
    title = part.title.lower() if part else ""
    if (said and "spare" in said.value.lower()) or re.search(r"\bspare\b", title):
        return SPARE
    return drive.state.value if drive and drive.state else ONLINE


def _state_of(drive: Drive | None) -> str:
    state = drive.state.value if drive and drive.state else ONLINE
    return state if state in {FAILED, REBUILDING} else ONLINE


def _drive(part: _Section, bay: str, slot: str, roles: dict[str, str]) -> Drive:
    inside = re.search(r"\((.*)\)", part.title)
    words_of = [one.strip() for one in inside[1].split(",")] if inside else []
    size = part.text("size") or next(
        (Fact(one, part.place) for one in words_of if re.fullmatch(r"[\d.]+ ?[KMGTP]B", one)), None
    )
    kind = part.text("interface type") or next(
        (Fact(one, part.place) for one in words_of if re.search(r"SAS|SATA|NVMe", one)), None
    )
    status = part.text("status") or (Fact(words_of[-1], part.place) if words_of else None)
    spinning = part.text("rotational speed")
    interface = megaraid.interface(kind.value) if kind else None
    solid = kind is not None and re.search(r"solid state|SSD|NVMe", kind.value, re.I) is not None
    rotates: Fact[bool] | None = None
    turns = 0
    if spinning and spinning.value.isdecimal() and len(spinning.value) < 9:
        turns = int(spinning.value)
        rotates = Fact(True, spinning.place)
    elif kind is not None:
        rotates = Fact(not solid, kind.place)
    bytes_of = words.size(size.value, binary=False) if size else None
    sectors = part.text("logical/physical block size")
    pair = re.match(r"(\d{1,9})\s*/\s*(\d{1,9})(?!\d)", sectors.value) if sectors else None
    model, serial, wwn = part.text("model"), part.text("serial number"), part.text("wwid")
    keys = {f"slot:{slot}/{bay}", *words.serial_key(serial.value if serial else None)}
    keys.update(words.wwn_key(wwn.value if wwn else None))
    return Drive(
        f"drive {bay} of slot {slot}", part.place, frozenset(keys),
        Fact(" ".join(model.value.split()), model.place) if model else None,
        rotates,
        Fact(interface, kind.place) if kind and interface else None,
        Fact(turns, spinning.place) if spinning and 0 < turns < 50_000 else None,
        None,
        Fact(bytes_of, size.place) if size and bytes_of else None,
        _sector(pair, 1, sectors), _sector(pair, 2, sectors),
        state=_state(part, status, bay, roles),
        controller=f"controller:{slot}",
    )  # fmt: skip


def _sector(pair: re.Match[str] | None, which: int, said: Fact[str] | None) -> Fact[int] | None:
    if pair is None or said is None or int(pair[which]) not in {512, 4096}:
        return None
    return Fact(int(pair[which]), said.place)


def _state(part: _Section, status: Fact[str] | None, bay: str, roles: dict[str, str]) -> Fact[str]:
    plain = (status.value if status else "ok").lower()
    place = status.place if status else part.place
    kind = part.text("drive type")
    if "failed" in plain or "missing" in plain or "erase" in plain:
        return Fact(FAILED, place)
    if "rebuild" in plain:
        return Fact(REBUILDING, place)
    if (kind and "spare" in kind.value.lower()) or "spare" in part.title.lower():
        return Fact(SPARE, place)
    return Fact(roles.get(bay, ONLINE), place)

"""What ``mdadm --detail``, ``--examine`` and their ``--export`` print, of one device or several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from raidsim.errors import quote
from raidsim.importing import md, words
from raidsim.importing.model import (
    CHECK,
    FAILED,
    ONLINE,
    REBUILD,
    REBUILDING,
    RESYNC,
    SPARE,
    Array,
    Fact,
    Found,
    Member,
    Place,
)
from raidsim.importing.section import Section
from raidsim.importing.source import Source

NAME = "mdadm"

_HEAD = re.compile(r"(/dev/\S+|mdadm: .*|/\S+):?\s*$")
_ROW = re.compile(r"\s*(\d+|-)\s+(\d+)\s+(\d+)\s+(\d+|-)(?:\s+(.*?))?(?:\s+(/dev/\S+))?\s*$")
_MOST_SLOTS = 10_000
_OF_NO_USE = frozenset(
    """version; creation time; persistence; update time; total devices; active devices; name; uuid
    working devices; failed devices; events; preferred minor; magic; feature map; array uuid
    avail dev size; data offset; super offset; unused space; device uuid; bad block log; checksum
    internal bitmap; ppl; new layout; delta devices; reshape pos'n; flags; number   major   minor
    raid devices; used dev size; array size; state; container; member; consistency policy; layout
    chunk size; rounding; device role; array state; resync status; check status; rebuild status
    reshape status; intent bitmap; spare devices; raid level; mbr magic; partition; this; journal
    device size; recovery offset; replacement; cluster name; working devices; new chunksize; seq
    controller guid; container guid; redundant hdr; virtual disks; physical disks; number; uuids
    dev size; new level; journal sector; array slot; offset; clusters; member arrays; family
    orig family; attributes; generation; mpb size; disks; raid devices; disk; rounding factor; log
    """.replace("\n", ";").split(";")
)
_KNOWN = frozenset(word.strip() for word in _OF_NO_USE)


def recognises(source: Source) -> bool:
    """Devices with their RAID level, or variables of ``--export``."""
    if source.is_json:
        return False
    head = source.head
    detail = any(re.match(r"\s*(Raid Level|RAID Level|Raid Level\[0\]) : ", line) for line in head)
    export = any(re.match(r"MD_(LEVEL|DEVICES|UUID|CONTAINER)=", line) for line in head)
    scan = any(re.match(r"(INACTIVE-)?ARRAY /dev/\S+ .*UUID=", line) for line in head)
    magic = any(re.match(r"\s*Magic : (a92b4efc|de11de11|Intel Raid)", line) for line in head)
    table = any(re.search(r"Number\s+Major\s+Minor\s+RaidDevice", line) for line in head)
    return export or scan or magic or (detail and table)


@dataclass
class _Section(Section):
    """The lines about one device: what stands before each colon, and where."""

    device: str
    rows: list[tuple[Place, re.Match[str]]] = field(default_factory=list)
    other: list[tuple[Place, str]] = field(default_factory=list)


def read(source: Source) -> Found:
    """Read all devices that the file tells of."""
    found = Found()
    for section in _sections(source):
        if "md_level" in section.values or "md_uuid" in section.values:
            _export(found, section)
        elif "magic" in section.values:
            _examined(found, section)
        elif section.values:
            _detailed(found, section)
        for place, text in section.other:
            found.remark(place, None, f"{quote(text.strip())} is not understood, and left out")
    return found


def _sections(source: Source) -> Iterator[_Section]:
    section = _Section(source.at(1), "")
    for number, line in source.numbered():
        place = source.at(number)
        if not line.strip():
            continue
        match = _HEAD.fullmatch(line)
        starts_export = line.startswith("MD_LEVEL=") and "md_level" in section.values
        if match or starts_export:
            yield section
            section = _Section(place, match[1].rstrip(":") if match else "")
            if match:
                if line.startswith("mdadm:"):
                    section.other.append((place, line))
                continue
        _take(section, place, line)
    yield section


def _take(section: _Section, place: Place, line: str) -> None:
    if match := re.match(r"(MD_[A-Za-z0-9_]+)=(.*)$", line.strip()):
        section.values.setdefault(match[1].lower(), Fact(match[2].strip(), place))
        return
    if match := _ROW.fullmatch(line):
        section.rows.append((place, match))
        return
    if re.match(r"\s*Number\s+Major\s+Minor\s+RaidDevice", line) or "ARRAY /dev/" in line:
        return  # the titles of the table of devices; what --scan prints has no level
    if re.fullmatch(r"\s+(spares|devices)=\S+", line):
        return
    key, colon, value = line.partition(" : ")
    plain = re.sub(r"\[\d+\]$", "", key.strip()).lower()
    if colon or line.rstrip().endswith(" :"):
        section.values.setdefault(plain.removesuffix(" :"), Fact(value.strip(), place))
        if plain not in _KNOWN and not plain.startswith(("this", "vd guid", "unit", "init state")):
            section.other.append((place, line))
        return
    is_table = re.match(r"\s+(\(|\d+\s+[0-9a-f]{8}\s|Number\s+RefNo)", line) is not None
    if not is_table and not re.match(r"(\s*this)?\s+\d+\s+\d+\s+\d+\s+\d+\s+\d+", line):
        section.other.append((place, line))


def _detailed(found: Found, section: _Section) -> None:
    """The array that ``--detail`` tells of."""
    level = section.text("raid level")
    label = words.device(section.device) or "array"
    if level is None:
        found.remark(section.place, label, "no RAID level is given: it is left out")
        return
    array = _shaped(found, section, label, level)
    state = section.text("state")
    said = (state.value if state else "").lower()
    uuid = section.text("uuid")
    array = replace(
        array,
        keys=md.array_keys(section.device, uuid=uuid.value if uuid else None),
        capacity=_kibibytes(section, "array size"),
    )
    array = _with_rows(found, section, array)
    task, progress = _task(section, said)
    array = replace(array, task=task, progress=progress)
    spot = state.place if state else section.place
    if "inactive" in said or "not started" in said:
        array = replace(array, refused=spot.problem(label, *md.INACTIVE))
    elif "failed" in said.replace(",", " ").split():
        array = replace(array, refused=spot.problem(label, *md.BROKEN))
    if "reshap" in said or section.text("reshape status", "delta devices", "new level"):
        array = replace(array, refused=spot.problem(label, *md.RESHAPED), refuses_all=True)
    if "delayed" in said or "pending" in said:
        found.remark(spot, label, "its next operation has not begun, and is left out", None)
    if "read-only" in said.split(", ") or "readonly" in said:
        array = replace(array, access=Fact("read-only", spot))
    found.arrays.append(array)


def _shaped(found: Found, section: _Section, label: str, level: Fact[str]) -> Array:
    """Return the array, from the keys that --detail and --examine have in common."""
    word = level.value.lower().replace("-", "")
    refused = md.unsaid(level.place, label, word)
    layout = section.text("layout")
    shape = md.shape(layout.value, layout.place, label) if layout else md.Shape()
    chunk = section.text("chunk size")
    strip = words.size(chunk.value, binary=True) if chunk else None
    policy = section.text("consistency policy")
    intent = md.intent(policy.value, policy.place) if policy else None
    bitmap = section.text("intent bitmap", "internal bitmap")
    if intent is None and bitmap and words.is_said(bitmap.value):
        intent = Fact("bitmap", bitmap.place)
    name = section.text("name")
    plain = re.sub(r"\s*\(.*\)\s*$", "", name.value).rpartition(":")[2] if name else ""
    slots = section.number("raid devices")
    if slots is not None and not 0 < slots.value <= _MOST_SLOTS:
        found.remark(slots.place, "Raid Devices", f"{slots.value} is not a number of drives")
        slots = None
    return Array(
        label, section.place, frozenset(),
        name=Fact(plain, name.place) if name and plain else None,
        level=Fact(md.LEVELS.get(word, word), level.place),
        slots=slots,
        strip=Fact(strip, chunk.place) if chunk and strip else None,
        rotation=shape.rotation, spread=shape.spread, copies=shape.copies,
        intent=intent,
        refused=refused or shape.problem,
    )  # fmt: skip


def _kibibytes(section: _Section, key: str) -> Fact[int] | None:
    found = section.number(key)
    return Fact(found.value * 1024, found.place) if found else None


def _with_rows(found: Found, section: _Section, array: Array) -> Array:
    """The array with its members, of the table below its values."""
    members: list[Member] = []
    there: set[int] = set()
    built: dict[int, Place] = {}
    for place, row in section.rows:
        slot = int(row[4]) if row[4].isdecimal() and len(row[4]) < 10 else None
        said = (row[5] or "").lower()
        device = row[6] or ""
        if slot is not None and slot > _MOST_SLOTS:
            continue
        if "removed" in said or not device:
            continue
        state = _state_of(said, slot)
        if state is None:
            cause = f"{device} holds the journal; in raidsim a journal needs no drive"
            found.remark(place, array.label, cause)
            continue
        if slot is not None and state == REBUILDING:
            built[slot] = place
        elif slot is not None and state == ONLINE:
            there.add(slot)
        if "writemostly" in said:
            found.remark(place, array.label, f"{device} is write-mostly, which is not imported")
        position = slot if state in {ONLINE, REBUILDING} else None
        members.append(Member(md.member_keys(device), place, position, state))
    if not section.rows or array.slots is None:
        return replace(array, members=tuple(members))
    replaced = sorted(set(built) & there)
    for slot in replaced:
        cause = f"drive {slot} is being replaced while in use, which is not imported"
        found.remark(built.pop(slot), array.label, cause)
    place = section.rows[0][0]
    spares = sum(member.state == SPARE for member in members)
    failed = tuple(slot for slot in range(array.slots.value) if slot not in there)
    return replace(
        array,
        members=tuple(members),
        failed=Fact(failed, next(iter(built.values()), place)),
        rebuilding=Fact(tuple(sorted(built)), next(iter(built.values()), place)),
        spares=Fact(spares, place),
    )


def _state_of(said: str, slot: int | None) -> str | None:
    """The state of a member, by the words of its row; None of a drive that holds the journal."""
    if "faulty" in said:
        return FAILED
    if "rebuilding" in said and slot is not None:
        return REBUILDING
    if "spare" in said:
        return SPARE
    return None if "journal" in said else ONLINE


def _task(section: _Section, said: str) -> tuple[Fact[str] | None, Fact[float] | None]:
    if "delayed" in said or "pending" in said:
        return None, None
    for key, task in (
        ("rebuild status", REBUILD),
        ("resync status", RESYNC),
        ("check status", CHECK),
    ):
        if (status := section.text(key)) is not None:
            share = re.match(r"(\d{1,3}(?:\.\d+)?)\s*%", status.value)
            done = Fact(float(share[1]) / 100, status.place) if share else None
            return Fact(task, status.place), done
    return None, None


def _export(found: Found, section: _Section) -> None:
    """Variables of ``--export``: the level and the devices, but neither chunk nor size."""
    level, devices = section.text("md_level"), section.text("md_devices")
    uuid, name = section.text("md_uuid"), section.text("md_name", "md_devname")
    place = (level or uuid or Fact("", section.place)).place
    label = name.value.rpartition(":")[2] if name else "array"
    if level is None:
        found.remark(place, label, "no MD_LEVEL is given: it is left out")
        return
    word = level.value.lower()
    known = devices and devices.value.isdecimal() and len(devices.value) < 5
    count = int(devices.value) if devices and known else 0
    members = []
    there: set[int] = set()
    for key, role in section.values.items():
        if match := re.fullmatch(r"md_device_(.+)_role", key):
            said = section.text(f"md_device_{match[1]}_dev")
            slot = int(role.value) if role.value.isdecimal() and len(role.value) < 5 else None
            if said is None:
                continue
            if slot is not None:
                there.add(slot)
            state = ONLINE if slot is not None else SPARE
            members.append(Member(md.member_keys(said.value), role.place, slot, state))
    array = Array(
        label, place,
        md.array_keys(None, uuid=uuid.value if uuid else None),
        name=Fact(label, name.place) if name else None,
        level=Fact(md.LEVELS.get(word, word), level.place),
        slots=Fact(count, devices.place) if devices and count else None,
        members=tuple(members),
        refused=md.unsaid(level.place, label, word),
        rank=3,
    )  # fmt: skip
    # Spares of --export may have failed: it writes the same of both.
    if members and count:
        failed = tuple(slot for slot in range(count) if slot not in there)
        array = replace(array, failed=Fact(failed, place))
    found.arrays.append(array)


def _examined(found: Found, section: _Section) -> None:
    """The superblock of one member: its array, and which of its drives this one is."""
    label = section.device or "member"
    level = section.text("raid level")
    magic = section.text("magic")
    if level is None or (magic and not magic.value.lower().startswith("a92b4efc")):
        cause = "is metadata of a container (DDF or IMSM), which says too little about its arrays"
        found.remark(section.place, label, cause, "give mdadm --detail of the array instead")
        return
    uuid = section.text("array uuid", "uuid")
    plain = Fact(level.value, level.place)
    array = _shaped(found, section, label, plain)
    role = section.text("device role")
    slot = re.search(r"Active device (\d{1,5})", role.value) if role else None
    size = section.text("array size")
    if size and (amount := re.match(r"(\d{1,18})", size.value)):
        array = replace(array, capacity=Fact(int(amount[1]) * 1024, size.place))
    state = section.text("array state")
    if state and (shown := re.match(r"([A.R]+)(?:\s|$)", state.value)):
        failed = tuple(number for number, one in enumerate(shown[1]) if one == ".")
        array = replace(array, failed=Fact(failed, state.place))
    if section.text("reshape pos'n", "delta devices", "new level"):
        problem = section.place.problem(label, *md.RESHAPED)
        array = replace(array, refused=problem, refuses_all=True)
    is_spare = role is not None and "spare" in role.value.lower()
    member = Member(
        md.member_keys(section.device), section.place,
        int(slot[1]) if slot else None,
        ONLINE if slot or role is None else SPARE if is_spare else FAILED,
    )  # fmt: skip
    is_member = role is None or slot is not None or is_spare
    if role is not None and "journal" in role.value.lower():
        found.remark(role.place, label, "holds the journal; in raidsim a journal needs no drive")
        array = replace(array, intent=Fact("journal", role.place))
    array = replace(
        array,
        keys=md.array_keys(None, uuid=uuid.value if uuid else None),
        members=(member,) if is_member else (),
        rank=2,
    )
    found.arrays.append(array)

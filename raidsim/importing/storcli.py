"""What storcli and perccli say with ``J``: controllers, virtual drives, drives, topology.

Units of sizes are powers of 1,024, whatever their letters are: "3.491 TB" are 3.491 TiB. Tables are
recognised by their columns, since their titles vary between versions and commands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from raidsim.errors import quote
from raidsim.importing import megaraid, words
from raidsim.importing.json_text import Table, as_number, tables_of
from raidsim.importing.model import SPARE, Array, Controller, Drive, Fact, Found, Member, Place
from raidsim.importing.source import Source

NAME = "storcli"

_DRIVE = re.compile(r"Drive /c\d+(?:/e(\d+))?/s(\d+)")
_ARRAY = re.compile(r"VD\s*(\d+)\s+Properties", re.IGNORECASE)
_DRIVES_OF = re.compile(r"PDs for VD (\d+)", re.IGNORECASE)
_OF_NO_USE = re.compile(
    r"Version|Pending Images.*|Status|Supported .*|Advanced Software Option|Safe ID|Boot|Defaults"
    r"|High Availability|Capabilities|Scheduled Tasks|Secure Boot|Security Protocol properties"
    r"|.* LIST|.*Enclosure.*|Physical Drives|Virtual Drives|Drive Groups|Total .*|JBOD Drives"
    r"|Number of Controllers|Host Name|Operating System ?|.*Show.*|Controller.*Time.*|Enclosures"
    r"|Personality Information|Unconfigured Drives.*|Spares|Properties|Link Status|.*Inquiry Data.*"
    r"|Serial Number|(?:SAS|PCI) Address|(?:System|Mfg.?) (?:Time|Date)|(?:FW|BIOS|Driver) .*"
    r"|(?:Sub)?(?:Vendor|Device|Domain) I[dD]|Host Interface|(?:Bus|Device|Function) Number"
    r"|Security Protocol"
)

_READ = frozenset({
    "Basics", "HwCfg", "Bus", "BBU_Info", "Cachevault_Info", "Policies", "Product Name",
    "Device Interface",
})  # fmt: skip


def recognises(source: Source) -> bool:
    """A JSON of controllers, each with the status of a command."""
    return source.is_json and any(_controllers(value) for value in source.json.values)


def _controllers(value: Any) -> list[Table]:
    if not isinstance(value, Table):
        return []
    return [one for one in value.tables("Controllers") if "Command Status" in one]


@dataclass
class _Seen:
    """The content of the tables of one controller, before they are put together."""

    number: str
    key: str
    drives: dict[str, Table] = field(default_factory=dict)
    details: dict[str, Table] = field(default_factory=dict)
    arrays: dict[str, Table] = field(default_factory=dict)
    properties: dict[str, Table] = field(default_factory=dict)
    drives_of: dict[str, list[Table]] = field(default_factory=dict)
    rows: list[Table] = field(default_factory=list)


def read(source: Source) -> Found:
    """Read all controllers of all documents.

    Raises
    ------
    InputError
        The command failed for every controller.
    """
    found = Found()
    failed: list[tuple[Place, str]] = []
    done = 0
    for value in source.json.values:
        if not _controllers(value):
            found.remark(source.at(1), None, "a document that lists no controllers is left out")
        for number, controller in enumerate(_controllers(value)):
            status = controller.table("Command Status") or controller
            data = controller.table("Response Data")
            said = status.text("Status")
            if data is None or (said and "fail" in said.value.lower() and not data):
                said = status.text("Description", "Detailed Status") or said
                failed.append((status.at("Status"), said.value if said else "no response"))
                continue
            done += 1
            known = status.number("Controller")
            _controller(found, data, str(int(known.value) if known else number))
    for place, why in failed:
        if not done:
            raise place.refusal(
                None,
                f"the command failed: {why}",
                "run the command on a computer with a controller",
            )
        found.remark(place, None, f"the command failed for a controller: {why}")
    return found


def _controller(found: Found, data: Table, number: str) -> None:
    seen = _Seen(number, f"controller:{number}")
    for key, value in data.items():
        _sort(found, seen, data, key, value)
    basics = data.table("Basics") or data
    model = basics.text("Model", "Product Name", "Adapter Type")
    # "show" has the name of the controller at the top, "show all" in a table of its own.
    if data.table("Basics") or data.table("HwCfg") or "Product Name" in data:
        found.controllers.append(_described(data, seen, model))
    for row in data.tables("System Overview"):
        found.controllers.append(_overview(row))
    by_slot = {slot: _drive(seen, slot) for slot in dict.fromkeys([*seen.drives, *seen.details])}
    found.drives += by_slot.values()
    # One array may be in the list of all and in a separate table.
    for name in dict.fromkeys([*seen.arrays, *seen.properties]):
        found.arrays.append(_array(found, seen, name))


def _sort(found: Found, seen: _Seen, data: Table, key: str, value: Any) -> None:
    """Put one entry of the response where it belongs, or say that nobody reads it."""
    rows = tables_of(value)
    if (match := _DRIVE.match(key)) and key.rstrip().endswith("Detailed Information"):
        slot = f"{match[1] or ' '}:{match[2]}"
        seen.details.update((slot, one) for one in rows)
        return
    if match := _ARRAY.match(key):
        seen.properties.update((match[1], one) for one in rows)
        return
    if key == "Physical Device Information" and isinstance(value, Table):
        for inner, one in value.items():
            _sort(found, seen, value, inner, one)
        return
    if match := _DRIVES_OF.match(key):
        seen.drives_of[match[1]] = rows
    is_read = key in _READ or value == [] or _OF_NO_USE.fullmatch(key) is not None
    for row in rows:
        if "EID:Slt" in row:
            seen.drives.setdefault(str(row["EID:Slt"]).strip(), row)
        elif "DG/VD" in row and ("TYPE" in row or "Type" in row):
            seen.arrays.setdefault(str(row["DG/VD"]).partition("/")[2].strip(), row)
        elif "Row" in row and "Arr" in row:
            seen.rows.append(row)
        elif "Model" in row or "Ctl" in row:
            is_read = True
        else:
            continue
        is_read = True
    if not is_read:
        found.remark(data.at(key), quote(key), "is not understood, and left out")


def _described(data: Table, seen: _Seen, model: Fact[str] | None) -> Controller:
    hardware = data.table("HwCfg") or Table(data.place.file, data.place.line or 1)
    bus = data.table("Bus") or hardware
    memory = hardware.text("On Board Memory Size")
    size = words.size(memory.value, binary=True) if memory else None
    battery = protection = None
    for key, kind in (("Cachevault_Info", "flash"), ("BBU_Info", "battery")):
        for row in data.tables(key):
            state = row.text("State", "Battery State")
            protection = Fact(kind, data.at(key))
            battery = Fact(megaraid.battery(state.value), state.place) if state else battery
    present = hardware.text("BBU")
    if battery is None and present and present.value.lower() in {"absent", "no"}:
        battery = Fact("absent", present.place)
    ports = bus.text("Device Interface") or data.text("Device Interface")
    speed = megaraid.ports(ports.value) if ports else None
    return Controller(
        f"controller {seen.number}",
        (data.table("Basics") or data).place,
        frozenset({seen.key}),
        model,
        Fact(size, memory.place) if memory and size is not None else None,
        battery,
        protection,
        Fact(speed, ports.place) if ports and speed else None,
        _rebuild_rate(data),
    )


def _rebuild_rate(data: Table) -> Fact[float] | None:
    """The share of the time that rebuilds take, of the table of policies."""
    policies = data.table("Policies")
    for row in policies.tables("Policies Table") if policies else []:
        current = row.text("Current")
        if str(row.get("Policy", "")).strip().lower() == "rebuild rate" and current:
            share = as_number(current.value.rstrip("% "))
            if share is not None and 1 <= share <= 100:
                return Fact(share / 100, current.place)
    return None


def _overview(row: Table) -> Controller:
    number = as_number(row.get("Ctl"))
    battery = row.text("BBU")
    is_known = battery and battery.value.lower() not in {"n/a", "-"}
    return Controller(
        f"controller {int(number or 0)}",
        row.place,
        frozenset({f"controller:{int(number or 0)}"}),
        row.text("Model"),
        battery=Fact(megaraid.battery(battery.value), battery.place)
        if battery and is_known
        else None,
    )


def _drive(seen: _Seen, slot: str) -> Drive:
    """A drive: what its row says, and the exact size and serial number of its details."""
    row = seen.drives.get(slot) or Table("", 0)
    detail = seen.details.get(slot)
    place = row.place if slot in seen.drives else (detail or row).place
    attributes = _inside(detail, "Device attributes")
    keys = {f"slot:{seen.number}/{slot}"}
    device_id = as_number(row.get("DID"))
    if device_id is not None:
        keys.add(f"did:{seen.number}/{int(device_id)}")
    serial = attributes.text("SN", "Serial Number")
    wwn = attributes.text("WWN")
    keys.update(words.serial_key(serial.value if serial else None))
    keys.update(words.wwn_key(wwn.value if wwn else None))
    raw = attributes.text("Raw size", "Non Coerced size")
    sector = megaraid.size_fact(row.text("SeSz") or attributes.text("Logical Sector Size"))
    physical = megaraid.size_fact(attributes.text("Physical Sector Size"))
    exact = megaraid.exact(raw.value) if raw else None
    printed = megaraid.size_fact(row.text("Size"))
    medium, link = row.text("Med"), row.text("Intf")
    interface = megaraid.interface(link.value) if link else None
    cache = attributes.text("Write Cache")
    state = row.text("State")
    return Drive(
        f"drive {slot} of controller {seen.number}",
        place,
        frozenset(keys),
        row.text("Model") or attributes.text("Model Number"),
        Fact(medium.value.upper() == "HDD", medium.place)
        if medium and medium.value.upper() in {"HDD", "SSD"}
        else None,
        Fact(interface, link.place) if link and interface else None,
        None,
        Fact(exact, raw.place) if raw and exact else None,
        printed,
        sector,
        physical,
        Fact(cache.value.lower() == "enabled", cache.place)
        if cache and cache.value.lower() in {"enabled", "disabled"}
        else None,
        Fact(megaraid.state(state.value), state.place) if state else None,
        seen.key,
    )


def _inside(detail: Table | None, ending: str) -> Table:
    """The table of details whose title ends so."""
    for key, value in (detail or {}).items():
        if key.strip().endswith(ending) and isinstance(value, Table):
            return value
    return Table("", 0)


def _array(found: Found, seen: _Seen, name: str) -> Array:
    nothing = Table("", 0)
    row = seen.arrays.get(name, nothing)
    properties = seen.properties.get(name, nothing)
    place = row.place if name in seen.arrays else properties.place
    group = str(row.get("DG/VD", "")).partition("/")[0].strip()
    level = row.text("TYPE", "Type")
    title = row.text("Name")
    spans = properties.whole("Span Depth")
    per_span = properties.whole("Number of Drives Per Span")
    members, slots = _members(seen, name, group)
    if spans and per_span:
        slots = Fact(spans.value * per_span.value, per_span.place)
    blocks, printed = properties.whole("Number of Blocks"), megaraid.size_fact(row.text("Size"))
    cache = megaraid.cache(row.text("Cache", "CurrentCache"), found)
    disk_cache = properties.text("Disk Cache Policy")
    exported = properties.text("OS Drive Name")
    naa = properties.text("SCSI NAA Id")
    keys = {f"vd:{seen.number}/{name}"}
    if exported and words.is_said(exported.value):
        keys.update(words.device_key(exported.value))
    keys.update(words.wwn_key(naa.value if naa else None))
    work = properties.text("Active Operations")
    access = row.text("Access")
    return megaraid.array(
        label=f"virtual drive {name} of controller {seen.number}",
        place=place,
        keys=frozenset(keys),
        name=title or Fact(f"c{seen.number}-vd{name}", place),
        level=Fact(level.value.upper(), level.place) if level else None,
        spans=spans or _spans(seen, group),
        slots=slots,
        strip=megaraid.size_fact(properties.text("Strip Size")),
        capacity=Fact(blocks.value * 512, blocks.place) if blocks else printed,
        cache=cache,
        disk_cache=megaraid.disk_cache(disk_cache) or _disk_cache(seen, group),
        access=megaraid.access(access),
        state=row.text("State"),
        members=members,
        task=megaraid.task(work, found),
        controller=seen.key,
        group=f"dg:{seen.number}/{group}" if group.isdigit() else None,
    )


def _spans(seen: _Seen, group: str) -> Fact[int] | None:
    """Spans of a drive group, of the rows of the topology."""
    arms = [row for row in seen.rows if str(row.get("DG")) == group and row.get("Type") == "DRIVE"]
    spans = {str(row.get("Arr")) for row in arms}
    return Fact(len(spans), arms[0].place) if arms else None


def _disk_cache(seen: _Seen, group: str) -> Fact[str] | None:
    for row in seen.rows:
        if str(row.get("DG")) == group and (said := row.text("PDC")):
            words_of = {"enbl": "on", "dsbl": "off"}
            if (meant := words_of.get(said.value.lower())) is not None:
                return Fact(meant, said.place)
    return None


def _members(seen: _Seen, name: str, group: str) -> tuple[tuple[Member, ...], Fact[int] | None]:
    """The drives of an array, in order, and how many there are."""
    arms = [
        row for row in seen.rows
        if group and str(row.get("DG")) == group and str(row.get("Type")).strip() == "DRIVE"
    ]  # fmt: skip
    if arms:
        spans: dict[str, list[Table]] = {}
        for row in arms:
            spans.setdefault(str(row.get("Arr")), []).append(row)
        found: list[Member] = []
        for rows in spans.values():
            for row in sorted(rows, key=lambda one: as_number(one.get("Row")) or 0):
                slot = str(row.get("EID:Slot", row.get("EID:Slt", "-"))).strip()
                found.append(_member(seen, slot, row, len(found)))
        return tuple(found), Fact(len(found), arms[0].place)
    rows = seen.drives_of.get(name, [])
    if name not in seen.drives_of:
        rows = [row for row in seen.drives.values() if group and str(row.get("DG")) == group]
    listed = [row for row in rows if megaraid.state(str(row.get("State", ""))) != SPARE]
    made = tuple(
        _member(seen, str(row.get("EID:Slt", "")).strip(), row, number)
        for number, row in enumerate(listed)
    )
    return made, Fact(len(made), listed[0].place) if listed else None


def _member(seen: _Seen, slot: str, row: Table, position: int) -> Member:
    state = str(row.get("State", "Onln"))
    if (known := seen.drives.get(slot)) is not None and "State" in known:
        state = str(known["State"])
    keys = frozenset({f"slot:{seen.number}/{slot}"} if slot not in {"-", "", " "} else set())
    return Member(keys, row.place, position, megaraid.state(state))

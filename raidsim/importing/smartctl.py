"""What ``smartctl -j`` says of a drive, also of one behind a RAID controller."""

from __future__ import annotations

import re
from typing import Any

from raidsim.importing import words
from raidsim.importing.json_text import Table
from raidsim.importing.model import Drive, Fact, Found, Place
from raidsim.importing.source import Source

NAME = "smartctl"

_BEHIND = re.compile(
    r"(megaraid|cciss|3ware|aacraid|areca|hpt|sssraid|marvell|jmb\w*)[,(]([\d,/]+)"
)
_PROTOCOLS = {"ATA": "sata", "NVMe": "nvme", "SCSI": "sas"}


def recognises(source: Source) -> bool:
    """A table that says which smartctl wrote it."""
    return source.is_json and any(
        isinstance(value, Table) and isinstance(value.get("smartctl"), Table)
        for value in source.json.values
    )


def read(source: Source) -> Found:
    """Read one drive of each document."""
    found = Found()
    for value in source.json.values:
        if not isinstance(value, Table) or "device" not in value:
            place = value.place if isinstance(value, Table) else source.at(1)
            found.remark(place, None, "names no device, and is left out")
            continue
        drive = _drive(found, value)
        if drive is not None:
            found.drives.append(drive)
    return found


def _drive(found: Found, value: Table) -> Drive | None:
    device = value.table("device") or Table(value.place.file, value.place.line or 1)
    name = device.text("name")
    kind = str(device.get("type", ""))
    label = str(device.get("info_name") or device.get("name") or "drive").split(" [")[0]
    model = _model(value)
    capacity = _capacity(value)
    if model is None and capacity is None:
        why = _why(value)
        found.remark(device.place, label, f"gives neither model nor capacity{why}: it is left out")
        return None
    behind = _BEHIND.search(kind)
    keys = set(words.serial_key(_word(value.get("serial_number"))))
    keys.update(words.wwn_key(_wwn(value)))
    if behind and behind[1] == "megaraid":
        keys.add(f"did:?/{behind[2]}")
    elif not behind and name is not None:
        keys.update(words.device_key(_namespace(name.value, value)))
    if behind:
        label = f"{label} ({behind[1]},{behind[2]})"
    _health(found, value, label)
    protocol = device.text("protocol")
    interface = _interface(value, protocol)
    rate = value.number("rotation_rate")
    rotates = Fact(rate.value > 0, rate.place) if rate else None
    if rotates is None and protocol and protocol.value == "NVMe":
        rotates = Fact(False, protocol.place)
    cache = value.table("write_cache")
    return Drive(
        label, (model or capacity or Fact("", value.place)).place, frozenset(keys),
        model, rotates, interface,
        Fact(int(rate.value), rate.place) if rate and rate.value > 1 else None,
        capacity,
        sector=_sector(value.whole("logical_block_size")),
        physical_sector=_sector(value.whole("physical_block_size")),
        write_cache=Fact(bool(cache["enabled"]), cache.place)
        if cache is not None and isinstance(cache.get("enabled"), bool) else None,
        virtual=_virtual(model, behind is not None),
    )  # fmt: skip


def _virtual(model: Fact[str] | None, behind: bool) -> Fact[str] | None:
    shown = words.virtual(model.value) if model and not behind else None
    return Fact(shown, model.place) if shown and model else None


def _model(value: Table) -> Fact[str] | None:
    found = value.text("model_name", "scsi_model_name", "device_model")
    if found is not None:
        return found
    product = value.text("scsi_product", "product")
    vendor = value.text("scsi_vendor", "vendor")
    if product and vendor and vendor.value.upper() not in {"ATA", "NVME"}:
        return Fact(f"{vendor.value} {product.value}", product.place)
    return product


def _capacity(value: Table) -> Fact[int] | None:
    table = value.table("user_capacity")
    found = table.whole("bytes") if table else None
    if found is None:
        for space in value.tables("nvme_namespaces"):
            inner = space.table("size") or space.table("capacity")
            found = found or (inner.whole("bytes") if inner else None)
    found = found or value.whole("nvme_total_capacity")
    return found if found and 0 < found.value < 2**63 else None


def _interface(value: Table, protocol: Fact[str] | None) -> Fact[str] | None:
    transport = value.table("scsi_transport_protocol")
    said = transport.text("name") if transport else None
    if said and "sas" not in said.value.lower():
        return None
    if protocol and protocol.value in _PROTOCOLS:
        return Fact(_PROTOCOLS[protocol.value], protocol.place)
    return None


def _sector(said: Fact[int] | None) -> Fact[int] | None:
    return said if said and said.value in {512, 4096} else None


def _namespace(name: str, value: Table) -> str:
    """The first namespace of an NVMe controller, which smartctl may be given instead."""
    plain = words.device(name)
    spaces = value.tables("nvme_namespaces")
    number = spaces[0].get("id", 1) if spaces else 1
    return f"{plain}n{number}" if re.fullmatch(r"nvme\d+", plain) else plain


def _wwn(value: Table) -> str | None:
    """The world wide name, of its three numbers or of a text."""
    table = value.table("wwn")
    if table is not None:
        parts = [table.get(key) for key in ("naa", "oui", "id")]
        numbers = [one for one in parts if isinstance(one, int) and not isinstance(one, bool)]
        if len(numbers) == 3:
            naa, oui, number = numbers
            if 0 <= naa < 16 and 0 <= oui < 2**24 and 0 <= number < 2**36:
                return f"{naa:x}{oui:06x}{number:09x}"
    unit = value.get("logical_unit_id")
    return unit if isinstance(unit, str) else None


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _why(value: Table) -> str:
    tool = value.table("smartctl")
    for message in tool.tables("messages") if tool else []:
        if (said := message.text("string")) is not None:
            return f" ({said.value[:100]})"
    return ""


def _health(found: Found, value: Table, label: str) -> None:
    """Report the health of a drive in words, because a scenario has no such state."""
    status = value.table("smart_status")
    if status is not None and status.get("passed") is False:
        cause = "reports that it will fail soon; in the scenario it works"
        found.remark(Place(status.place.file, status.lines.get("passed")), label, cause)

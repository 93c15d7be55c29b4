"""The drives in ``nvme list -o json``, and the health of one in ``nvme smart-log -o json``."""

from __future__ import annotations

from typing import Any

from raidsim.importing import words
from raidsim.importing.json_text import Table, as_number, tables_of
from raidsim.importing.model import ALONE, Drive, Fact, Found
from raidsim.importing.source import Source

NAME = "nvme"

_HEALTH = ("critical_warning", "percent_used", "avail_spare")


def recognises(source: Source) -> bool:
    """Devices with NVMe's names of keys, or the values of a smart-log."""
    return source.is_json and any(
        isinstance(value, Table) and (_rows(value) or _is_health(value))
        for value in source.json.values
    )


def _is_health(value: Table) -> bool:
    return sum(key in value for key in _HEALTH) >= 2 and "smartctl" not in value


def _rows(value: Table) -> list[Table]:
    keys = {"DevicePath", "NameSpace", "Subsystems", "ModelNumber", "Subsystem"}
    return [row for row in value.tables("Devices") if keys & row.keys()]


def read(source: Source) -> Found:
    """Read all namespaces as drives; say what is wrong with the health of one."""
    found = Found()
    for value in source.json.values:
        if isinstance(value, Table) and _is_health(value):
            _health(found, value)
        elif isinstance(value, Table):
            for row in _rows(value):
                _walk(found, row, None, set())
    return found


def _walk(found: Found, row: Table, model: Table | None, seen: set[str]) -> None:
    """Namespaces wherever they stand: flat up to version 1, below their controllers since 2."""
    if "ModelNumber" in row:
        model = row
    if "PhysicalSize" in row or "MaximumLBA" in row:
        _drive(found, row, model, seen)
    for key in ("Subsystems", "Controllers", "Namespaces", "Paths"):
        for inner in tables_of(row.get(key)):
            only = row.tables("Controllers")
            above = only[0] if model is None and key == "Namespaces" and only else model
            _walk(found, inner, above, seen)


def _drive(found: Found, row: Table, model: Table | None, seen: set[str]) -> None:
    about = model if model is not None else row
    named = row.text("DevicePath", "NameSpace", "Generic")
    name = words.device(named.value) if named else ""
    if not name.startswith("nvme"):
        name = words.device(str(about.get("Controller", ""))) + f"n{row.get('NSID', 1)}"
    if name in seen:
        return
    seen.add(name)
    sector = row.whole("SectorSize")
    size = row.whole("PhysicalSize")
    if size is None and (count := row.whole("MaximumLBA")) and sector:
        size = Fact(count.value * sector.value, count.place)  # it is their number
    serial = about.text("SerialNumber")
    keys = {f"dev:{name}", *words.serial_key(serial.value if serial else None)}
    found.drives.append(Drive(
        name, (named or Fact("", row.place)).place, frozenset(keys),
        about.text("ModelNumber", "ProductName"),
        Fact(False, row.place), Fact("nvme", row.place), None,
        size if size and size.value > 0 else None,
        sector=sector if sector and sector.value in {512, 4096} else None,
        state=Fact(ALONE, row.place),
    ))  # fmt: skip


def _health(found: Found, value: Table) -> None:
    """A smart-log names no drive: what is wrong is said, and nothing taken over."""
    warning: Any = value.get("critical_warning")
    if isinstance(warning, Table):  # since version 2 an object of its bits
        bits = as_number(warning.get("value")) or sum(
            bool(as_number(one)) for key, one in warning.items() if key != "value"
        )
    else:
        bits = as_number(warning) or 0
    used = as_number(value.get("percent_used", value.get("percentage_used")))
    said = f"critical warning {bits:g}" if bits else "no critical warning"
    worn = f", {used:g} % of its rated writes used" if used is not None else ""
    place = value.at("critical_warning")
    found.remark(place, None, f"a smart-log does not name its drive: {said}{worn}, and is left out")

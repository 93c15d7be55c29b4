"""What ``lsblk -J -O`` says: disks, and arrays of Linux md above them.

With ``-b`` sizes are bytes. Without it they are rounded, and their units are powers of 1,024,
whatever their letters are. Before version 2.33 booleans were "0" and "1". An array is listed as a
child of each of its members.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from raidsim.importing import md, words
from raidsim.importing.json_text import Table, as_number, tables_of
from raidsim.importing.model import ALONE, Array, Drive, Fact, Found, Member, Place
from raidsim.importing.source import Source

NAME = "lsblk"

_IGNORED = frozenset({"part", "loop", "rom", "zram", "swap"})
_SMALLEST = 10**9


def recognises(source: Source) -> bool:
    """A table of block devices, or a plain list of them."""
    return source.is_json and any(_devices(value) for value in source.json.values)


def _devices(value: Any) -> list[Table]:
    if isinstance(value, Table):
        return value.tables("blockdevices")
    rows = tables_of(value)
    is_list = rows and all("name" in row and "type" in row for row in rows)
    return rows if is_list and any("maj:min" in row or "maj_min" in row for row in rows) else []


@dataclass
class _Tree:
    """Arrays by their names, and what else is above disks."""

    arrays: dict[str, Array] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    first: dict[str, Place] = field(default_factory=dict)


def read(source: Source) -> Found:
    """Read all disks and all arrays."""
    found = Found()
    tree = _Tree()
    for value in source.json.values:
        for row in _devices(value):
            _walk(found, tree, row, None)
    found.arrays += [_shaped(array) for array in tree.arrays.values()]
    for kind, count in tree.others.items():
        where = "" if kind.startswith("disk") else " above disks: loads run on disks and arrays"
        found.remark(tree.first[kind], None, f"{count} of type {kind} left out{where}")
    return found


def _key(row: Table, *names: str) -> str:
    """The key under which a column stands: versions and converters spell it differently."""
    for name in names:
        for one in (name, name.replace("-", "_"), name.upper()):
            if row.get(one) is not None:
                return one
    return names[0]


def _walk(found: Found, tree: _Tree, row: Table, parent: Table | None) -> None:
    kind = str(row.get(_key(row, "type")) or "").lower()
    name = _name(row)
    if kind == "disk":
        _disk(found, tree, row, name)
    elif kind.startswith(("raid", "linear", "md")) and not name.startswith("dm-"):
        _array(tree, row, name, kind, parent)
    elif kind not in _IGNORED:
        tree.others[kind or "unknown"] += 1
        tree.first.setdefault(kind or "unknown", row.place)
    for child in row.tables("children"):
        _walk(found, tree, child, row)


def _name(row: Table) -> str:
    return words.device(str(row.get(_key(row, "kname")) or row.get(_key(row, "name")) or ""))


def _bytes(row: Table) -> tuple[Fact[int] | None, bool]:
    """The size, and whether it is exact."""
    for name in ("size_bytes", "size"):
        value = row.get(name)
        number = as_number(value)
        if number is not None and number > 0:
            return Fact(int(number), row.at(name)), name == "size"
        if isinstance(value, str) and (size := words.size(value, binary=True)):
            return Fact(size, row.at(name)), False
    return None, False


def _disk(found: Found, tree: _Tree, row: Table, name: str) -> None:
    size, is_exact = _bytes(row)
    if size is None or size.value < _SMALLEST:
        tree.others["disk of less than 1 GB"] += 1
        tree.first.setdefault("disk of less than 1 GB", row.place)
        return
    model, vendor = row.text(_key(row, "model")), row.text(_key(row, "vendor"))
    shown = f"{vendor.value} {model.value}" if vendor and model else model.value if model else ""
    if str(row.get("tran", "")).lower() == "virtio" or name.startswith(("vd", "xvd")):
        shown = shown or "virtio"
    virtual = words.virtual(shown)
    keys = {f"dev:{name}"}
    keys.update(words.serial_key(_text(row, "serial")))
    keys.update(words.wwn_key(_text(row, "wwn")))
    tran = row.text(_key(row, "tran"))
    interface = tran.value.lower() if tran else ""
    if vendor and vendor.value.upper() == "ATA":
        interface = interface or "sata"
    if name.startswith("nvme"):
        interface = "nvme"
    rota = _flag(row.get(_key(row, "rota")))
    logical, physical = _sector(row, "log-sec"), _sector(row, "phy-sec")
    found.drives.append(Drive(
        name, row.at(_key(row, "kname", "name")), frozenset(keys),
        model,
        Fact(rota, row.at("rota")) if rota is not None else None,
        Fact(interface, tran.place if tran else row.place)
        if interface in {"sata", "sas", "nvme"} else None,
        None,
        size if is_exact else None, size, logical, physical,
        state=Fact(ALONE, row.place),
        virtual=Fact(virtual, (model or size).place) if virtual else None,
    ))  # fmt: skip


def _text(row: Table, name: str) -> str | None:
    found = row.text(_key(row, name))
    return found.value if found else None


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return (
        {"1": True, "0": False, 1: True, 0: False}.get(value)
        if isinstance(value, str | int)
        else None
    )


def _sector(row: Table, name: str) -> Fact[int] | None:
    found = row.whole(_key(row, name))
    return found if found and found.value in {512, 4096} else None


def _array(tree: _Tree, row: Table, name: str, kind: str, parent: Table | None) -> None:
    member = None
    if parent is not None:
        member = Member(md.member_keys(_name(parent)), parent.place)
    known = tree.arrays.get(name)
    if known is None:
        size, is_exact = _bytes(row)
        strip = row.whole(_key(row, "min-io"))
        stripe = row.whole(_key(row, "opt-io"))
        known = Array(
            name, row.place, md.array_keys(name),
            name=Fact(name, row.place),
            level=Fact(md.LEVELS.get(kind, kind), row.at(_key(row, "type")))
            if kind != "md" else None,
            strip=strip if strip and strip.value >= 4096 and kind != "raid1" else None,
            capacity=size if is_exact else None,
            spans=stripe,  # for the moment: how long a full stripe is
            refused=md.unsaid(row.at(_key(row, "type")), name, kind) if kind != "md" else None,
            rank=4,
        )  # fmt: skip
    if member is not None and all(one.keys != member.keys for one in known.members):
        known = Array(**{**vars(known), "members": (*known.members, member)})
    tree.arrays[name] = known


def _shaped(array: Array) -> Array:
    """The array with as many drives as its stripe says; the others that are listed are spares."""
    stripe, strip = array.spans, array.strip
    level = array.level.value if array.level else ""
    values = {**vars(array), "spans": None}
    extra = {"raid0": 0, "raid4": 1, "raid5": 1, "raid6": 2}.get(level)
    if stripe and strip and extra is not None and stripe.value % strip.value == 0:
        slots = stripe.value // strip.value + extra
        if 1 < slots <= len(array.members):
            values["slots"] = Fact(slots, stripe.place)
    return Array(**values)

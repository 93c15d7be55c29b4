"""Resources of Redfish and Swordfish: drives, volumes, storage controllers, one a file or many.

Links between them are texts, and become keys, so the resources may be divided among files in any
way. An object is recognised by its ``@odata.type``: in a separate file, in an expanded collection,
or in one file with everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from raidsim.importing import megaraid, words
from raidsim.importing.json_text import Table
from raidsim.importing.model import (
    ALONE,
    FAILED,
    MISSING,
    ONLINE,
    REBUILD,
    REBUILDING,
    RESYNC,
    SPARE,
    Array,
    Controller,
    Drive,
    Fact,
    Found,
    Member,
)
from raidsim.importing.source import Source

NAME = "redfish"

_TYPE = re.compile(r"#?(\w+)\.(?:v\d+_\d+_\d+\.)?(\w+)$")
_TYPES_OF_OLD = {
    "Mirrored": "RAID1", "StripedWithParity": "RAID5", "NonRedundant": "RAID0",
    "SpannedMirrors": "RAID10", "SpannedStripesWithParity": "RAID50", "RawDevice": "None",
}  # fmt: skip
_LEVELS = {f"RAID{number}": f"raid{number}" for number in (0, 1, 5, 6, 10, 50, 60)} | {
    "RAID1E": "raid1e"
}
_WRITE = {
    "WriteThrough": "through", "Off": "through", "ProtectedWriteBack": "back",
    "UnprotectedWriteBack": "back-bad-battery",
}  # fmt: skip
_READ = {"ReadAhead": "ahead", "AdaptiveReadAhead": "adaptive", "Off": "none"}


def recognises(source: Source) -> bool:
    """Objects with a type and a name of OData."""
    if not source.is_json:
        return False
    return any(
        isinstance(value, Table)
        and any(key in one for key in ("@odata.id", "@odata.type") for one in _near(value))
        for value in source.json.values
    )


def _near(value: Table) -> list[Table]:
    return [value, *(one for one in list(value.values())[:20] if isinstance(one, Table))]


def _objects(value: Any, depth: int = 0) -> Iterator[tuple[str, Table]]:
    """All objects with a type, the outer ones first."""
    if isinstance(value, Table):
        kind = value.get("@odata.type")
        if isinstance(kind, str) and (match := _TYPE.search(kind)):
            yield match[2], value
        for one in value.values():
            yield from _objects(one, depth + 1)
    elif isinstance(value, list):
        for one in value:
            yield from _objects(one, depth + 1)


def read(source: Source) -> Found:
    """Read all resources of a file that tell of storage."""
    found = Found()
    for value in source.json.values:
        for kind, one in _objects(value):
            _resource(found, kind, one)
    return found


def _resource(found: Found, kind: str, one: Table) -> None:
    """Read one resource, if it is of a kind that describes storage."""
    if kind == "Drive":
        found.drives += _drive(one)
        if one.get("FailurePredicted") is True:
            cause = "reports that it will fail soon; in the scenario it works"
            found.remark(one.at("FailurePredicted"), str(one.get("Name", "drive")), cause)
    elif kind == "Volume":
        _volume(found, one)
    elif kind in {"StorageController", "StorageControllers"}:
        _controller(found, one)
    elif kind == "SimpleStorage":
        found.drives += _simple(one)
    elif kind == "Storage":
        for inner in one.tables("StorageControllers"):
            if "@odata.type" not in inner:
                _controller(found, inner, _path(one))


def _path(one: Table) -> str:
    value = one.get("@odata.id")
    return value.partition("#")[0].rstrip("/") if isinstance(value, str) else ""


def _storage(path: str) -> str | None:
    """The key of the storage that a drive, a volume or a controller is of, by its address."""
    match = re.match(r"(.*/(?:Storage|Storages|StorageSubsystems?)/[^/#]+)", path)
    return f"controller:{match[1]}" if match else None


def _state(one: Table) -> tuple[str, str]:
    """State and health."""
    status = one.table("Status") or Table("", 0)
    return str(status.get("State", "")), str(status.get("Health", ""))


def _drive(one: Table) -> list[Drive]:
    state, health = _state(one)
    if state == "Absent" and "CapacityBytes" not in one:
        return []  # an empty bay
    path = _path(one)
    label = str(one.get("Name") or one.get("Id") or "drive")[:60]
    serial, model = one.text("SerialNumber"), one.text("Model")
    keys = {f"rf:{path}"} if path else set()
    keys.update(words.serial_key(serial.value if serial else None))
    for identifier in one.tables("Identifiers"):
        name = identifier.text("DurableName")
        keys.update(words.wwn_key(name.value if name else None))
    medium, protocol = one.text("MediaType"), one.text("Protocol")
    rpm = one.whole("RotationSpeedRPM")
    size, block = one.whole("CapacityBytes"), one.whole("BlockSizeBytes")
    interface = megaraid.interface(protocol.value) if protocol else None
    spare = one.text("HotspareType")
    meant = ALONE
    if spare and spare.value in {"Global", "Dedicated", "Chassis"}:
        meant = SPARE
    sign = one.text("StatusIndicator")
    operations = " ".join(str(each.get("OperationName", "")) for each in one.tables("Operations"))
    if state == "Absent":
        meant = MISSING
    elif "rebuild" in operations.lower() or (sign and sign.value == "Rebuild"):
        meant = REBUILDING
    elif health == "Critical" or (sign and sign.value == "Fail"):
        meant = FAILED
    return [Drive(
        label, one.place, frozenset(keys), model,
        Fact(medium.value.upper() in {"HDD", "SMR"}, medium.place) if medium else None,
        Fact(interface, protocol.place) if protocol and interface else None,
        rpm if rpm and 0 < rpm.value < 50_000 else None,
        size if size and size.value > 0 else None,
        sector=block if block and block.value in {512, 4096} else None,
        state=Fact(meant, one.at("HotspareType") if meant == SPARE else one.at("Status")),
        controller=_storage(path),
    )]  # fmt: skip


def _simple(one: Table) -> list[Drive]:
    """Devices of a simple storage: little is told of them."""
    made = []
    for number, device in enumerate(one.tables("Devices")):
        state, health = _state(device)
        size = device.whole("CapacityBytes")
        if state == "Absent" or size is None:
            continue
        made.append(Drive(
            str(device.get("Name", number))[:60], device.place,
            frozenset({f"rf:{_path(one)}#{number}"}), device.text("Model"),
            capacity=size,
            state=Fact(FAILED if health == "Critical" else ALONE, device.place),
        ))  # fmt: skip
    return made


def _controller(found: Found, one: Table, path: str | None = None) -> None:
    key = _storage(path or _path(one))
    levels = one.get("SupportedRAIDTypes")
    has_raid = isinstance(levels, list) and any(level not in {"None", None} for level in levels)
    cache = one.table("CacheSummary")
    mebibytes = cache.whole("TotalCacheSizeMiB") if cache else None
    if key is None or not (
        has_raid or mebibytes or (isinstance(levels, type(None)) and one.get("Model"))
    ):
        return
    size = Fact(mebibytes.value * 2**20, mebibytes.place) if mebibytes else None
    state = (cache.table("Status") if cache else None) or Table("", 0)
    health = state.text("Health")
    speed = one.number("SpeedGbps")
    protocols = " ".join(map(str, one.get("SupportedDeviceProtocols") or []))
    ports = None
    if speed and "SAS" in protocols:
        ports = megaraid.ports(f"SAS-{speed.value:g}G")
    found.controllers.append(Controller(
        str(one.get("Name") or one.get("Model") or "controller")[:60], one.place, frozenset({key}),
        one.text("Model", "Name"), size,
        Fact("good" if health.value == "OK" else "low", health.place) if health else None,
        None,
        Fact(ports, speed.place) if speed and ports else None,
    ))  # fmt: skip


def _volume(found: Found, one: Table) -> None:
    word = one.text("RAIDType") or one.text("VolumeType")
    meant = _TYPES_OF_OLD.get(word.value, word.value) if word else None
    links = one.table("Links") or one
    targets = [
        _path(link)
        for link in [*links.tables("Drives"), *(one.tables("Drives") if links is not one else [])]
    ]
    if meant in {None, "None"} and len(targets) <= 1:
        return  # a namespace, or a passed-through disk: the drive has its own resource
    path = _path(one)
    label = str(one.get("Name") or one.get("Id") or "volume")[:60]
    size = _capacity(one)
    members = tuple(
        Member(frozenset({f"rf:{target}"}), one.at("Links"), number, ONLINE)
        for number, target in enumerate(targets) if target
    )  # fmt: skip
    level = _LEVELS.get(meant or "", meant or "")
    strip = _strip(found, one, label, level)
    write, read_ahead = one.text("WriteCachePolicy"), one.text("ReadCachePolicy")
    state, health = _state(one)
    refused = None
    if word is None or level not in {*_LEVELS.values()}:
        cause = f"{meant or 'a volume without RAIDType'} is not a level of raidsim"
        refused = one.place.problem(
            label, cause, "the nearest is one of raid0 to raid60, or raid1e"
        )
    elif health == "Critical" or state in {"Disabled", "UnavailableOffline", "Absent"}:
        refused = one.at("Status").problem(
            label, "is not in service", "bring it online, or leave it out"
        )
    task, progress = _operation(one)
    name = one.text("Name")
    count = len(members)
    found.arrays.append(Array(
        label, one.place, frozenset({f"rf:{path}"}) if path else frozenset(),
        name=name,
        level=Fact(level, word.place) if word else None,
        slots=Fact(count, one.at("Links")) if count else None,
        strip=strip if strip and strip.value > 0 else None,
        spans=Fact(count // 2, one.place) if level == "raid10" and count else None,
        write=Fact(_WRITE[write.value], write.place) if write and write.value in _WRITE else None,
        read_ahead=Fact(_READ[read_ahead.value], read_ahead.place)
        if read_ahead and read_ahead.value in _READ else None,
        capacity=size if size and size.value > 0 else None,
        members=members, controller=_storage(path), refused=refused, task=task, progress=progress,
    ))  # fmt: skip


def _capacity(one: Table) -> Fact[int] | None:
    """Bytes of a volume, wherever its service says them."""
    size = one.whole("CapacityBytes")
    if size is None:
        data = (one.table("Capacity") or Table("", 0)).table("Data") or Table("", 0)
        size = data.whole("AllocatedBytes")
    return size


def _strip(found: Found, one: Table, label: str, level: str) -> Fact[int] | None:
    """Bytes of the strip of a volume; where it is not said, of the best I/O, which is told."""
    strip, optimum = one.whole("StripSizeBytes"), one.whole("OptimumIOSizeBytes")
    if strip is None and optimum and optimum.value >= 4096 and level not in {"raid1", ""}:
        strip = optimum
        cause = "OptimumIOSizeBytes is taken as the strip; in some services it is a full stripe"
        found.remark(optimum.place, label, cause, "check the strip of the volume")
    return strip


def _operation(one: Table) -> tuple[Fact[str] | None, Fact[float] | None]:
    for operation in one.tables("Operations"):
        said = str(operation.get("OperationName", "")).lower()
        done = operation.number("PercentageComplete")
        task = (
            REBUILD if "rebuild" in said else RESYNC if re.search("init|sync|check", said) else None
        )
        if task is not None:
            share = Fact(done.value / 100, done.place) if done and 0 <= done.value <= 100 else None
            return Fact(task, operation.place), share
    return None, None

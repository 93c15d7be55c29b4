"""The loads of a scenario: of files of load generators, of statistics, or guessed."""

from __future__ import annotations

from collections.abc import Sequence

from raidsim import units
from raidsim.errors import InputError, Problem
from raidsim.importing import words
from raidsim.importing.matching import SAME
from raidsim.importing.model import Activity, Found, Work
from raidsim.importing.plan import NEAR, Volume
from raidsim.importing.toml_lines import Table
from raidsim.importing.wishes import Wishes

SECTORS, ROUND = 4096, 2**26
"""Bytes that the end of a drive, and of an array in whole strips, is rounded down to."""


def load_tables(found: Found, volumes: Sequence[Volume], wishes: Wishes) -> list[Table]:
    """All loads.

    Raises
    ------
    InputError
        Statistics are given, but not what they leave open.
    """
    tables = [_of_work(work, volumes, found) for work in found.works]
    tables += _of_activities(found, volumes, wishes)
    if not tables and volumes:
        tables.append(_guessed(volumes))
    _name(tables)
    return tables


def _area(table: Table, volume: Volume, capacity: int) -> None:
    """Keep a load to the part of its drives that the array takes."""
    whole = volume.size
    room = volume.array.capacity
    if room is not None and 0 < whole < (1 - NEAR) * capacity:
        size = whole // 4096 * 4096
        table.put(
            "area", {"offset": "0 B", "size": f"{size} B"}, f"{room.place}: the size of the array"
        )


def limit_area(table: Table, volume: Volume, capacity: int) -> None:
    """Keep a load to what the array takes, once the size of the scenario's volume is known.

    The card of a drive may round what the drive holds: a load on all of it ends with the card's.
    """
    if all(key != "area" for key, _, _ in table.lines):
        _area(table, volume, capacity)
        return
    for number, (key, area, source) in enumerate(table.lines):
        if key != "area" or "size" not in area:
            continue
        offset, size = (units.parse(area[one], "size") for one in ("offset", "size"))
        if offset < capacity < offset + size <= capacity * (1 + SAME):
            unit = ROUND if volume.count > 1 else SECTORS
            left = int(capacity - offset) // unit * unit
            shorter = {**area, "size": f"{left} B"}
            table.lines[number] = key, shorter, f"{source}, as far as the card's drives go"


def _of_work(work: Work, volumes: Sequence[Volume], found: Found) -> Table:
    table = Table("[[load]]")
    for key, value in work.table.items():
        place = work.sources.get(key)
        if key == "name":
            table.put(key, value, place or work.place)
            _on(table, work, volumes, found)
        else:
            table.put(key, value, place or work.place)
    return table


def _on(table: Table, work: Work, volumes: Sequence[Volume], found: Found) -> None:
    """Say on which volume a load runs: that of its device, or the largest.

    A device that is no volume is a drive or a part of one, or in none of the files.
    """
    device = work.device
    key = f"dev:{device.value}" if device is not None else ""
    on = next((one for one in volumes if key in one.devices), None)
    near = None if on or device is None else _around(device.value, volumes)
    if len(volumes) > 1:
        if on is not None and device is not None:
            table.put("volume", on.name, device.place)
        elif near is not None and device is not None:
            table.guess("volume", near[0].name, f"{device.value} {near[1]} it")
        else:
            why = "the largest; the load's file names none of these"
            table.guess("volume", volumes[0].name, why)
    if device is None or on is not None or not volumes:
        return
    volume, relation = near or (volumes[0], "")
    cause = f"{relation} {volume.name}" if near else "is in none of the files"
    whole = f"the load is taken to run on the whole volume {volume.name}"
    found.remark(device.place, device.value, f"{cause}: {whole}")


def _around(device: str, volumes: Sequence[Volume]) -> tuple[Volume, str] | None:
    """The volume that a device is a part or a member of, and which of them."""
    disk = words.whole_device(device)
    for volume in volumes:
        if f"dev:{disk}" in volume.devices:
            return volume, "is a part of"
    for volume in volumes:
        names = {key[4:] for one in volume.array.members for key in one.keys if key[:4] == "dev:"}
        if disk in {words.whole_device(name) for name in names}:
            return volume, "is a drive of"
    return None


def _guessed(volumes: Sequence[Volume]) -> Table:
    """A load for the largest volume that may be accessed.

    Raises
    ------
    InputError
        None may.
    """
    volume = next((one for one in volumes if _access(one) != "blocked"), None)
    if volume is None:
        place = volumes[0].array.place
        cause = "access to it is blocked: no load can run on it"
        raise place.refusal(volumes[0].name, cause, "give a volume that is in use")
    table = Table("[[load]]")
    table.above = ["No file describes the load of the volumes: this load is a guess."]
    table.put("name", "guessed", "")
    table.guess("volume", volume.name, "the largest; the others are idle")
    why = "no file describes the load; usual for a database"
    if _access(volume) == "read-only":
        table.guess("read", "100 %", "no file describes the load, and the volume is read-only")
    else:
        table.guess("read", "67 %", why)
    for key, value in (("random", "100 %"), ("size", "8 KiB"), ("outstanding", 16)):
        table.guess(key, value, why)
    return table


def _access(volume: Volume) -> str:
    return volume.array.access.value if volume.array.access else "read-write"


_OF_OTHERS = {
    "flushes": "a closed load can have load.flush_every; with load.fua each write waits for the"
    " medium",
    "trims": "give their share of the requests with load.trim",
}
"""What a scenario has for requests that are neither reads nor writes."""


def _of_activities(found: Found, volumes: Sequence[Volume], wishes: Wishes) -> list[Table]:
    if not found.activities:
        return []
    chosen = _chosen(found, volumes, wishes)
    missing = []
    if wishes.outstanding is None and not wishes.at_rate:
        missing.append(
            "--outstanding N (so many I/Os at a time, without pauses)"
            " or --at-rate (the rate that was measured)"
        )
    if wishes.random is None:
        missing.append("--random SHARE (such as '100 %')")
    if missing and chosen:
        cause = "statistics give rate, size and read share, but neither depth nor randomness"
        one = chosen[0][0]
        raise InputError([one.place.problem(None, cause, f"give {' and '.join(missing)}")])
    for one, _ in chosen:
        for rate, what in ((one.flushes, "flushes"), (one.trims, "trims")):
            if rate > 0:
                cause = f"{rate:.3g} {what} a second are left out: a load from statistics has none"
                found.remark(one.place, one.device, cause, _OF_OTHERS[what])
    return [_of_activity(one, volume, wishes, len(volumes)) for one, volume in chosen]


def _chosen(
    found: Found, volumes: Sequence[Volume], wishes: Wishes
) -> list[tuple[Activity, Volume | None]]:
    """Return the devices that become loads, each with its volume."""
    active = [one for one in found.activities if one.iops > 0]
    if wishes.device is not None:
        named = [one for one in active if one.device == words.device(wishes.device)]
        if not named:
            shown = ", ".join(dict.fromkeys(one.device for one in active)) or "none that is active"
            cause = f"no active device is called {wishes.device}"
            raise InputError([Problem(None, None, "--device", cause, f"there is: {shown}")])
        return [(named[0], _volume_of(named[0], volumes) or (volumes[0] if volumes else None))]
    placed = [(one, volume) for one in active if (volume := _volume_of(one, volumes)) is not None]
    if placed:
        for one in active:
            if all(one is not other for other, _ in placed):
                found.remark(
                    one.place, one.device, "is not a volume of this scenario, and is left out"
                )
        return list(placed)
    whole = [one for one in active if one.is_whole]
    if len(whole) == 1:
        return [(whole[0], volumes[0] if volumes else None)]
    if not whole:
        place = found.activities[0].place
        cause = "no disk in these statistics has any I/O"
        raise InputError([place.problem(None, cause, "name a device with --device")])
    shown = ", ".join(f"{one.device} ({one.iops:g} IO/s)" for one in whole[:12])
    cause = f"{len(whole)} disks are active, and none is known to be a volume: {shown}"
    raise InputError([whole[0].place.problem(None, cause, "say which one with --device NAME")])


def _volume_of(one: Activity, volumes: Sequence[Volume]) -> Volume | None:
    key = f"dev:{one.device}"
    for volume in volumes:
        # The disks of an array also do what RAID adds to the I/Os of the hosts.
        if key in volume.devices and (
            volume.array.members or volume.count == 1 or not one.is_whole
        ):
            return volume
    return None


def _of_activity(one: Activity, volume: Volume | None, wishes: Wishes, count: int) -> Table:
    place = str(one.place)
    note = f", {one.note}" if one.note else ""
    table = Table("[[load]]")
    table.above = [f"{one.device}: {one.iops:.6g} IO/s were measured on average{note}."]
    table.put("name", one.device, place)
    if volume is not None and count > 1:
        table.put("volume", volume.name, place)
    asked = "as given on the command line"
    reads, writes = _size(one.read_size), _size(one.write_size)
    share = one.read_share
    if 0 < share < 1 and reads != writes:
        sizes = [
            {"size": words.size_text(reads), "share": words.share_text(share), "read": "100 %"},
            {"size": words.size_text(writes), "share": words.share_text(1 - share), "read": "0 %"},
        ]
        table.put("random", words.share_text(wishes.random or 0.0), asked)
        table.put("sizes", sizes, f"{place}: mean sizes, in whole sectors")
        table.guess("align", "512 B", "a mean of many sizes does not show their alignment")
    else:
        table.put("read", words.share_text(share), place)
        table.put("random", words.share_text(wishes.random or 0.0), asked)
        size = reads if share > 0 else writes
        table.put("size", words.size_text(size), f"{place}: mean size, in whole sectors")
        table.guess("align", "512 B", "a mean of many sizes does not show their alignment")
    if wishes.outstanding is not None:
        table.put("outstanding", wishes.outstanding, asked)
    else:
        table.put("rate", f"{one.iops:.6g} IO/s", place)
    return table


def _size(mean: float) -> int:
    """A mean size in whole sectors."""
    return max(512, round(mean / 512) * 512)


def _name(tables: Sequence[Table]) -> None:
    """Give each load a name of its own."""
    taken: set[str] = set()
    for table in tables:
        for number, (key, value, source) in enumerate(table.lines):
            if key == "name":
                name, count = str(value), 1
                while name in taken:
                    count += 1
                    name = f"{value} {count}"
                taken.add(name)
                table.lines[number] = (key, name, source)

"""Scenarios that measure the rated figures of cards.

A drive is measured alone, on a host that is no bottleneck for it (:data:`HOST`), in the state that
its sheet means:

=========  ===================================================================================
sustained  it was written by the same load before, until its write amplification is steady; an
           SLC cache is full
burst      nothing was written before, so that caches take the writes; for loads that only read,
           the whole drive was written
fresh      the same
=========  ===================================================================================

The rates of a disk's media at both edges are sequential reads there.

A controller is measured on the same host, with drives behind it that take nearly no time
(:data:`DRIVE`). If the controller passes single drives through, each drive has a part of the load;
otherwise they are an array. A host is measured with one such drive in its own slots.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from raidsim import units
from raidsim.assembly import mapping
from raidsim.assembly.drives import is_drive, kind_of
from raidsim.cards import Card
from raidsim.cards.attributes import Attribute, Value
from raidsim.cards.rated import RatedPerformance
from raidsim.stats.histogram import FEW_EXCEEDANCES

HOST: dict[str, Any] = {
    "cpu.cores": 256,
    "interrupts.cores": 256,
    "submit.io_time": "1 us",
    "submit.device_io_time": "0 us",
    "submit.page_time": "0 us",
    "submit.write_time": "0 us",
    "submit.wake_time": "0 us",
    "complete.io_time": "1 us",
    "complete.device_io_time": "0 us",
    "complete.page_time": "0 us",
    "complete.write_time": "0 us",
    "pcie.read_time_per_byte": "0 us/KiB",
    "pcie.write_time_per_byte": "0 us/KiB",
}
"""Other values for the card of the host, whichever it is."""

ALONE: dict[str, Any] = {
    "submit.io_time": "5 us",
    "submit.wake_time": "3.55 us",
    "complete.io_time": "2.2 us",
}
"""The same where a drive of personal computers has one I/O at a time.

Sheets of such drives say that they were measured under Windows, with Iometer or CrystalDiskMark;
what its threads take is 11 us of the 17 us that a write alone takes there. It is as windows-pc has
it, but for waking a thread: sheets that print one I/O at a time are mostly of 2018 to 2021, and
the processors they name are older than those of windows-pc.
"""

HOST_CARD = "fujitsu-rx2540-m1"
HOST_WORDS = (
    "a host that is no bottleneck: each I/O takes 1 us of CPU time to submit and 1 us to complete,"
    " which an interface with shared rings of a system of today takes; each worker has a core, and"
    " completions have one each; a single I/O at a time of an NVMe drive without capacitors takes"
    " what it takes under Windows, 10.75 us"
)

DRIVE: dict[str, Any] = {
    "link.time_per_byte": "0.001 us/KiB",
    "command.latency": "0 us",
    "front_end.cores": 64,
    "front_end.command_time": "0.01 us",
    "front_end.read_time": "0 us",
    "front_end.write_time": "0 us",
    "data_path.read_time_per_byte": "0 us/KiB",
    "data_path.write_time_per_byte": "0 us/KiB",
    "data_path.turnaround": "0 us",
    "buffer.size": "1 GiB",
    "flash.read_time": "0.1 us",
    "flash.program_time": "0.001 ms",
    "flash.erase_time": "0.001 ms",
    "flash.channel_read_time_per_byte": "0 us/KiB",
    "flash.channel_write_time_per_byte": "0 us/KiB",
}
"""Other values for the card of a drive, so that it takes next to no time."""

DRIVES = 16
"""Drives behind a controller whose card does not say how many, or as many as it takes."""

NVME, SAS, SATA = "intel-p3700-800gb", "cisco-ssd-sas12-ep-1600gb", "cisco-ssd-sata-ep-480gb"

MEASURE: dict[str, Any] = {"precision": "2 %", "min_ios": 5000, "max_ios": 1_000_000}
"""Enough for a fit: all of its runs have the same random numbers."""


def scenario(card: Card, one: RatedPerformance, changes: Mapping[str, Value]) -> str:
    """Return the text of the scenario that measures a rated figure of a card.

    ``changes`` are values (base units) that the card is going to have.
    """
    by_name = card.about.by_name
    changed = {name: _written(value, by_name[name]) for name, value in changes.items()}
    path = _text(card.path.resolve())
    lines = [f"title = {_text(f'{card.name}: {one.name}')}"]
    if card.kind == "host":
        lines += ["[host]", f"model = {path}", *_set("host", changed)]
        lines += ["[[volume]]", f'drive = "{NVME}"', *_fast(one), *_set("volume", DRIVE)]
        lines += ["[[load]]", *_load(one, one.workers, one.outstanding)]
    else:
        lines += ["[host]", f'model = "{HOST_CARD}"', *_set("host", host_of(card, one))]
    if card.kind == "controller":
        lines += ["[[controller]]", f"model = {path}", *_set("controller", changed)]
        lines += _behind(card, one)
    if is_drive(card):
        lines += ["[[volume]]", f"drive = {path}", *_state(card, one), *_set("volume", changed)]
        lines += ["[[load]]", *_load(one, one.workers, one.outstanding)]
        lines += _area(card.changed(changes), one)
    return "\n".join([*lines, "[measure]", *_pairs(_measure(one))]) + "\n"


def host_of(card: Card, one: RatedPerformance) -> dict[str, Any]:
    """Return the values of the host on which a drive's figure, or a controller's, is measured."""
    alone = one.workers * one.outstanding == 1
    if alone and is_drive(card) and _of_personal_computers(card):
        return HOST | ALONE
    return HOST


def cpu_time(card: Card, one: RatedPerformance) -> float:
    """Return the CPU time of that host for an I/O, s."""
    host = host_of(card, one)
    parts = ("submit.io_time", "submit.wake_time", "complete.io_time")
    return sum(float(units.parse(host[part], "time")) for part in parts)


def _of_personal_computers(card: Card) -> bool:
    """Return whether a drive is one on NVMe whose acknowledged writes a power cut takes."""
    if not card.has("buffer.protected") or card.flag("buffer.protected"):
        return False
    return card.word("link.interface") == "nvme"


def _measure(one: RatedPerformance) -> dict[str, Any]:
    """Return the keys of ``[measure]``, with enough I/Os for the quantile of the figure."""
    least = math.ceil(1.05 * FEW_EXCEEDANCES / (1 - (one.quantile or 0.0)))
    return MEASURE | {name: max(MEASURE[name], least) for name in ("min_ios", "max_ios")}


def _behind(card: Card, one: RatedPerformance) -> Iterable[str]:
    """Say which drives are behind a controller, and what they do."""
    port = card.word("ports.speed")
    drive = NVME if card.flag("drives.pcie") else SATA if port.startswith("sata") else SAS
    number = min(one.drives or DRIVES, card.integer("drives.max"))
    level = one.level or ("jbod" if card.flag("levels.jbod") else "raid0")
    if level in {"jbod", "single"}:
        of_each = max(round(one.workers * one.outstanding / number), 1)
        for i in range(number):
            yield from ("[[volume]]", f'name = "d{i}"', f'drive = "{drive}"')
            yield from (*_fast(one), *_set("volume", DRIVE))
        for i in range(number):
            yield from ("[[load]]", f'name = "l{i}"', f'volume = "d{i}"')
            yield from _load(one, 1, of_each)
        return
    if card.has("drives.of_volume"):
        number = min(number, card.integer("drives.of_volume"))
    strip = min(max(2**16, card.integer("strip.smallest")), card.integer("strip.largest"))
    yield from (
        "[[volume]]",
        f'level = "{level}"',
        f"drives = {number}",
        f'strip = "{strip} B"',
    )
    if one.read < 1 and card.has("cache.size"):
        yield 'write = "back"'
    yield from (f'drive = "{drive}"', *_fast(one), *_set("volume", DRIVE))
    yield from ("[[load]]", *_load(one, one.workers, one.outstanding))


def _fast(one: RatedPerformance) -> Iterable[str]:
    """Say that nothing of a drive is in the way of its writes."""
    return [f'state = "{"filled" if one.read == 1 else "fresh"}"']


def _set(table: str, values: Mapping[str, Any]) -> Iterable[str]:
    return [f"[{table}.set]", *_pairs(values)] if values else []


def _state(card: Card, one: RatedPerformance) -> Iterable[str]:
    if not kind_of(card).has_past(card) or one.state == "sustained":
        return ()
    return [f"state = {_text('fresh' if one.read == 0 else 'filled')}"]


def _load(one: RatedPerformance, workers: int, outstanding: int) -> Iterable[str]:
    return _pairs(
        {
            "read": f"{100 * one.read:.10g} %",
            "random": f"{100 * one.random:.10g} %",
            "size": f"{one.size} B",
            "workers": workers,
            "outstanding": outstanding,
        }
    )


def _area(card: Card, one: RatedPerformance) -> Iterable[str]:
    """Say which part of a drive is used, if it is not all of it.

    For the rate of a disk at the inner edge these are the tracks there. Sheets of drives without
    DRAM print random I/Os in a small part, of which the map is in memory.
    """
    burst = one.read == 1 or one.state == "burst"
    on_flash = card.has(mapping.KEPT_IN) and mapping.is_on_flash(card)
    if one.random > 0 and burst and on_flash and not mapping.problems(card):
        part = min(mapping.covered(card), card.integer("capacity.user")) // 2**20 * 2**20
        return [f'area = {{ offset = "0 B", size = "{part} B" }}']
    if one.name != "media_rate_inner":
        return ()
    size = card.integer("capacity.user")
    part = size // card.integer("geometry.zones") // 2 // 2**20 * 2**20
    offset = (size - part) // 2**20 * 2**20
    return [f'area = {{ offset = "{offset} B", size = "{part} B" }}']


def _written(value: Value, attribute: Attribute) -> Any:
    """Return a value of a card as a scenario sets it."""
    if not attribute.is_number or attribute.dimension == "count":
        return value
    return units.text(float(value), attribute.dimension)


def _pairs(values: Mapping[str, Any]) -> list[str]:
    return [
        f"{_key(key)} = {_text(value) if isinstance(value, str) else value}"
        for key, value in values.items()
    ]


def _key(key: str) -> str:
    return f'"{key}"' if "." in key else key


def _text(value: object) -> str:
    """Return a text as TOML writes it."""
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

"""From a disk in DiskSim's files to a card: each value with the parameter that it is from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from raidsim.cards.attributes import KINDS
from raidsim.disksim.parameters import Block
from raidsim.disksim.reading import Disk, number

KIND = next(kind.name for kind in KINDS.values() if kind.has_surface)
SECTOR = 512
LEAST_TRANSFER = 0.00005
"""ms of a sector on a link that takes no time: 10 GB/s, faster than any."""

OVERHEADS = {
    f"Read {hit} over. after {before}": f"read_{hit}_after_{before}"
    for hit in ("hit", "miss")
    for before in ("read", "write")
} | {
    f"Write {hit} over. after {before}": f"write_{hit}_after_{before}"
    for hit in ("hit", "miss")
    for before in ("read", "write")
}
"""Keys of the section [overhead], by DiskSim's names."""

DISCIPLINES = {1: "fifo", 2: "look", 3: "look", 4: "sstf", 5: "look", 6: "look", 7: "sstf"}
"""By DiskSim's number of the scheduling policy; all others know the rotation."""

UNTIL = {1: "track", 2: "cylinder", 4: "next-track"}
"""How far it reads ahead, by DiskSim's number of "Buffer continuous read"; others: depth."""

FULL_FAST_WRITE = 2

FROM_CARD = {
    *OVERHEADS, "Model", "Read completion overhead", "Bulk sector transfer time",
    "Per-request overhead time", "Time scale for overheads", "Data preparation overhead",
}  # fmt: skip
"""Parameters of the specification whose values are in the card itself."""


def card_text(disk: Disk, name: str | None = None) -> str:
    """The text of a card that says what DiskSim's files say, and what they do not say.

    ``name`` is that of the card; by default that of the specification.
    """
    own = name or _name(disk.name)
    lines = [
        f"# {disk.name}, as DiskSim's files describe it: {disk.files}.",
        "#",
        '# "datasheet" is what stands in these files, measured on the disk, and the note names the',
        '# parameter. "assumed" is what they do not say.',
        "",
        "schema = 2",
        f"name = {json.dumps(own)}",
        f'kind = "{KIND}"',
        f"title = {json.dumps(f'{disk.name} (DiskSim)')}",
    ]
    for section, entries in _sections(disk):
        lines += ["", f"[{section}]", *entries]
    lines += ["", *_seek_curve(disk), "", *_surface(disk), "", *_kept(disk)]
    return "\n".join(lines) + "\n"


def _name(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "disk"


def _plain(value: float) -> str:
    """A number as TOML: exact, and without an exponent where that can be."""
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    return f"{value:.12g}"


def _said(key: str, value: float | str | bool, unit: str | None, note: str) -> str:
    return _entry(key, value, unit, "datasheet", note)


def _guess(key: str, value: float | str | bool, unit: str | None, note: str) -> str:
    return _entry(key, value, unit, "assumed", note)


def _entry(key: str, value: float | str | bool, unit: str | None, source: str, note: str) -> str:
    shown = json.dumps(value) if isinstance(value, bool | str) else _plain(value)
    of_unit = f', unit = "{unit}"' if unit else ""
    return f'{key} = {{ value = {shown}{of_unit}, source = "{source}", note = {json.dumps(note)} }}'


def _sections(disk: Disk) -> Iterator[tuple[str, list[str]]]:
    """The sections of single values, with their lines."""
    heads = int(number(disk.model, "Number of data surfaces", low=1))
    yield "capacity", [_capacity(disk, heads)]
    yield "link", list(_link(disk))
    yield "command", list(_command(disk))
    yield "overhead", list(_overheads(disk))
    yield "queue", [_discipline(disk.spec)]
    yield "spindle", list(_spindle(disk))
    yield "geometry", list(_geometry(disk, heads))
    yield "access", list(_access(disk))
    yield from _buffer(disk)
    yield from _not_in_the_files()


def _capacity(disk: Disk, heads: int) -> str:
    sectors = int(number(disk.model, "Block count", disk.surface.sectors(heads)))
    return _said("user", sectors * SECTOR, "B", f"Block count: {sectors:,} of 512 bytes")


def _link(disk: Disk) -> Iterator[str]:
    bulk = disk.number("Bulk sector transfer time")
    transfer = max(bulk, disk.bus, LEAST_TRANSFER)
    note = f"{'of the bus' if disk.bus > bulk else 'Bulk sector transfer time'}: {transfer:g} ms"
    yield _said("interface", "scsi", None, "DiskSim's buses hold one transfer at a time")
    yield _said("time_per_byte", transfer / SECTOR * 1e3 * 1024, "us/KiB", note)


def _command(disk: Disk) -> Iterator[str]:
    depth = max(int(disk.number("Max queue length", 1)), 1)
    yield _guess("latency", 0, "us", "it is in the overheads")
    yield _guess("max_transfer", 1024, "KiB", "not in the files")
    yield _said("queue_depth", depth, "1", "Max queue length")
    yield _said("early_seek", True, None, "DiskSim's bus transfers and seeks go side by side")


def _spindle(disk: Disk) -> Iterator[str]:
    speed = number(disk.mechanics, "Rotation speed (in rpms)", None)
    percent = number(disk.mechanics, "Percent error in rpms")
    yield _said("speed", speed, "rpm", "Rotation speed")
    yield _said("tolerance", percent, "%", "Percent error in rpms")


def _geometry(disk: Disk, heads: int) -> Iterator[str]:
    switch = number(disk.mechanics, "Head switch time")
    to_write = max(switch + disk.settle, 0)
    yield _said("heads", heads, "1", "Number of data surfaces")
    yield _said("head_switch", switch, "ms", "Head switch time")
    yield _said("write_head_switch", to_write, "ms", "and write settling delay")


def _access(disk: Disk) -> Iterator[str]:
    for op in ("read", "write"):
        key = f"Immediate buffer {op}"
        yield _said(f"zero_latency_{op}s", bool(disk.number(key)), None, key)


def _not_in_the_files() -> Iterator[tuple[str, list[str]]]:
    """Yield guesses, for a disk of that time, of values that DiskSim's files do not give."""
    yield "body", [_guess("form_factor", "3.5 in", None, "not in the files")]
    yield (
        "power",
        [
            _guess("idle", 8, "W", "not in the files: class of disks of the 1990s, 6 to 12 W"),
            _guess("active", 12, "W", "not in the files: class of disks of the 1990s, 9 to 16 W"),
        ],
    )
    yield (
        "reliability",
        [
            _guess("afr", 1, "%", "not in the files: an MTBF of 800,000 h is 1.1 %"),
            _guess("uber", 1e-14, "1/bit", "not in the files: class of disks of the 1990s"),
        ],
    )


def _overheads(disk: Disk) -> Iterator[str]:
    scale = disk.number("Time scale for overheads", 1.0)
    always = disk.number("Per-request overhead time")
    ready = disk.number("Data preparation overhead")
    for parameter, key in OVERHEADS.items():
        time = (disk.number(parameter) + always + ready) * scale
        yield _said(key, time, "ms", parameter)
    completion = disk.number("Read completion overhead") * scale
    yield _said("read_completion", completion, "ms", "Read completion overhead")


def _discipline(spec: Block) -> str:
    scheduler = spec.entries.get("Scheduler")
    policy = number(scheduler, "Scheduling policy", 1) if isinstance(scheduler, Block) else 1
    word = DISCIPLINES.get(int(policy), "sptf")
    return _said("discipline", word, None, f"Scheduling policy {policy:g}")


def _buffer(disk: Disk) -> Iterator[tuple[str, list[str]]]:
    segments = max(int(disk.number("Number of buffer segments", 1)), 1)
    size = max(int(disk.number("Segment size (in blks)", 256)), 1) * SECTOR
    apart = bool(disk.number("Use separate write segment"))
    reading = max(segments - apart, 1)
    rule = int(disk.number("Buffer continuous read"))
    most = int(disk.number("Maximum read-ahead (blks)")) * SECTOR or size
    shared = not apart and bool(disk.number("Allow read hits on write data", 1))
    writing = 1 if apart else max(int(disk.number("Maximum number of write segments", 1)), 1)
    held = reading * size + (0 if shared else writing * size)
    watermark = 100 * disk.number("High (read) water mark")
    yield (
        "buffer",
        [
            _said("size", max(held, 65536), "B", "segments x Segment size"),
            _said("read_unit", SECTOR, "B", "Calc sector by sector"),
            _said("read_watermark", min(watermark, 100), "%", "High (read) water mark"),
        ],
    )
    caching = bool(disk.number("Enable caching in buffer", 1))
    yield (
        "read_ahead",
        [
            _said("segments", reading if caching else 0, "1", "Number of buffer segments"),
            _said("segment", size, "B", "Segment size"),
            _said("depth", most if rule else 0, "B", "Maximum read-ahead"),
            _said(
                "minimum",
                disk.number("Minimum read-ahead (blks)") * SECTOR,
                "B",
                "Minimum read-ahead",
            ),
            _said("until", UNTIL.get(rule, "depth"), None, f"Buffer continuous read {rule}"),
            _said(
                "on_hit",
                bool(disk.number("Read-ahead on idle hit")),
                None,
                "Read-ahead on idle hit",
            ),
            _said(
                "from_landing",
                bool(disk.number("Read any free blocks")),
                None,
                "Read any free blocks",
            ),
        ],
    )
    fast = int(disk.number("Fast write level")) == FULL_FAST_WRITE
    yield (
        "write_cache",
        [
            _said("enabled", fast, None, "Fast write level 2 answers from the buffer"),
            _said("size", max(writing * size, 4096), "B", "write segments x Segment size"),
            _said("entries", writing, "1", "Maximum number of write segments"),
            _said("shares_segments", shared, None, "Use separate write segment"),
            _said("read_hits", shared, None, "Allow read hits on write data"),
        ],
    )


def _list(values: Iterable[object]) -> str:
    return (
        "[" + ", ".join(_plain(v) if isinstance(v, int | float) else str(v) for v in values) + "]"
    )


def _seek_curve(disk: Disk) -> list[str]:
    distance = [d for d, _ in disk.seeks]
    read = [t for _, t in disk.seeks]
    write = [max(t + disk.settle, 0.0) for t in read]
    return [
        "[seek_curve]",
        f'source = "measured: {len(distance)} distances"',
        'unit = "ms"',
        f"distance = {_list(distance)}",
        f"read = {_list(read)}",
        *([f"write = {_list(write)}"] if write != read else []),
    ]


def _surface(disk: Disk) -> list[str]:
    surface = disk.surface
    lines = ["[surface]", 'source = "measured"', f'sparing = "{surface.sparing}"']
    lines += [f'serpentine = "{surface.serpentine}"', f"range = {surface.range}"]
    for zone in surface.zones:
        lines += [
            "",
            "[[surface.zone]]",
            f"cylinders = [{zone.first}, {zone.last}]",
            f"sectors = {zone.sectors}",
            f"offset = {_plain(zone.offset)}",
            f"empty = {zone.empty}",
            f"track_skew = {_plain(zone.track_skew)}",
            f"cylinder_skew = {_plain(zone.cylinder_skew)}",
            f"spares = {zone.spares}",
        ]
        if zone.slips:
            lines.append(f"slips = {_list(zone.slips)}")
        if zone.remaps:
            lines.append(f"remaps = {_list(_list(pair) for pair in zone.remaps)}")
    return lines


def _kept(disk: Disk) -> list[str]:
    """Return values without a place on a card, from which DiskSim's files can be written again."""
    lines = [
        "# What DiskSim's files say and no value above does: for writing such files again.",
        "[disksim]",
        f"name = {json.dumps(disk.name)}",
        f"model = {json.dumps(disk.model.name)}",
        f"settle = {_plain(disk.settle)}",
    ]
    curve = disk.mechanics.entries.get("Full seek curve")
    if isinstance(curve, str):
        lines.append(f"seek_file = {json.dumps(curve)}")
    scheduler = disk.spec.entries.get("Scheduler")
    blocks = {
        "spec": {k: v for k, v in disk.spec.entries.items() if k not in ("Model", "Scheduler")},
        "scheduler": scheduler.entries if isinstance(scheduler, Block) else {},
        "mechanics": {k: v for k, v in disk.mechanics.entries.items() if k not in OF_MECHANICS},
    }
    for name, entries in blocks.items():
        lines += ["", f"[disksim.{name}]"]
        lines += [
            f"{json.dumps(key)} = {_value(value)}"
            for key, value in entries.items()
            if not (name == "spec" and key in FROM_CARD and not _is_mixed(disk))
        ]
    return lines


OF_MECHANICS = {
    "Head switch time", "Rotation speed (in rpms)", "Percent error in rpms",
    "Add. write settling delay", "Full seek curve",
}  # fmt: skip


def _is_mixed(disk: Disk) -> bool:
    """Return whether overheads of the card are sums, or its link is the bus; both are then kept."""
    return (
        disk.number("Time scale for overheads", 1.0) != 1.0
        or disk.number("Per-request overhead time") != 0
        or disk.number("Data preparation overhead") != 0
        or max(disk.bus, LEAST_TRANSFER) > disk.number("Bulk sector transfer time")
    )


def _value(value: object) -> str:
    if isinstance(value, list):
        return _list(value)
    return _plain(value) if isinstance(value, int | float) else json.dumps(str(value))

"""From the card of a measured disk to DiskSim's files: specification, model and seek curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from raidsim.cards import Card
from raidsim.cards.surface import SERPENTINE, SPARING, SeekPoints, Surface
from raidsim.disksim.card_text import LEAST_TRANSFER, OVERHEADS, SECTOR
from raidsim.errors import InputError

MS = 1e3
_DIGITS = 9


def files_of(card: Card, stem: str) -> dict[str, str]:
    """The texts of DiskSim's files for a card, by their names.

    Parameters
    ----------
    card
        Of a hard disk whose surface and seeks were measured.
    stem
        What the files' names begin with.

    Raises
    ------
    InputError
        The card has no measured surface, or no measured seek curve.
    """
    surface, seeks = card.surface, card.seek_points
    if surface is None or seeks is None:
        missing = "surface" if surface is None else "seek_curve"
        cause = "is not given: DiskSim's files describe disks that were measured"
        raise InputError([card.problem(missing, cause)])
    kept: Mapping[str, Any] = card.disksim
    model = f"{stem}.model"
    curve = str(kept.get("seek_file", f"{stem}.seek"))
    return {
        f"{stem}.diskspecs": "\n".join(_spec(card, kept, model)) + "\n",
        model: "\n".join(_model(card, surface, kept, curve)) + "\n",
        curve: _seek(seeks),
    }


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{round(value, _DIGITS):.12g}"
    if isinstance(value, list):
        return "[ " + ", ".join(map(_plain, value)) + " ]"
    return str(value)


def _settle(card: Card, kept: Mapping[str, Any]) -> float:
    """ms that a write settles longer."""
    if "settle" in kept:
        return float(kept["settle"])
    if not card.has("geometry.write_head_switch"):
        return 0.0
    return MS * (card.number("geometry.write_head_switch") - card.number("geometry.head_switch"))


def _spec(card: Card, kept: Mapping[str, Any], model: str) -> Iterator[str]:
    entries: dict[str, object] = {}
    transfer = card.number("link.time_per_byte") * SECTOR * MS
    entries["Bulk sector transfer time"] = 0.0 if transfer <= LEAST_TRANSFER else transfer
    if card.has("overhead.read_hit_after_read"):
        for parameter, key in OVERHEADS.items():
            entries[parameter] = MS * card.number(f"overhead.{key}")
    entries["Read completion overhead"] = MS * card.number("overhead.read_completion")
    entries |= {"Per-request overhead time": 0.0, "Time scale for overheads": 1.0}
    entries["Data preparation overhead"] = 0.0
    entries |= dict(kept.get("spec", {}))
    yield f"disksim_disk {kept.get('name', card.name)} {{"
    yield f"   Model = source {model},"
    scheduler = dict(kept.get("scheduler", {}))
    if scheduler:
        yield "   Scheduler = disksim_ioqueue {"
        yield from _entries(scheduler, "      ")
        yield "   },"
    yield from _entries(entries, "   ")
    yield "}"


def _entries(entries: Mapping[str, object], indent: str) -> Iterator[str]:
    for number, (key, value) in enumerate(entries.items(), 1):
        yield f"{indent}{key} = {_plain(value)}{',' if number < len(entries) else ''}"


def _model(card: Card, surface: Surface, kept: Mapping[str, Any], curve: str) -> Iterator[str]:
    heads = card.integer("geometry.heads")
    yield f"dm_disk {kept.get('model', card.name)} {{"
    yield f"   Number of data surfaces = {heads},"
    yield f"   Number of cylinders = {surface.cylinders},"
    yield f"   Block count = {card.integer('capacity.user') // SECTOR},"
    yield "   Layout Model = dm_layout_g1 {"
    yield f"      LBN-to-PBN mapping scheme = {list(SERPENTINE).index(surface.serpentine)},"
    yield f"      Sparing scheme used = {list(SPARING).index(surface.sparing)},"
    yield f"      Rangesize for sparing = {surface.range},"
    yield "      Zones = ["
    for number, zone in enumerate(surface.zones, 1):
        entries = {
            "First cylinder number": zone.first,
            "Last cylinder number": zone.last,
            "Blocks per track": zone.sectors,
            "Offset of first block": zone.offset,
            "Empty space at zone front": zone.empty,
            "Skew for track switch": zone.track_skew,
            "Skew for cylinder switch": zone.cylinder_skew,
            "Number of spares": zone.spares,
            "slips": list(zone.slips),
            "defects": [sector for pair in zone.remaps for sector in pair],
        }
        yield "         dm_layout_g1_zone {"
        yield from _entries(entries, "            ")
        yield "         }" + ("," if number < len(surface.zones) else "")
    yield "      ]"
    yield "   },"
    mechanics: dict[str, object] = {
        "Access time type": "trackSwitchPlusRotation",
        "Seek type": "extracted",
        "Full seek curve": curve,
        "Add. write settling delay": _settle(card, kept),
        "Head switch time": MS * card.number("geometry.head_switch"),
        "Rotation speed (in rpms)": 60 * card.number("spindle.speed"),
        "Percent error in rpms": 100 * card.number("spindle.tolerance"),
    }
    yield "   Mechanical Model = dm_mech_g1 {"
    yield from _entries(mechanics | dict(kept.get("mechanics", {})), "      ")
    yield "   }"
    yield "}"


def _seek(seeks: SeekPoints) -> str:
    """The curve before reads; what a write settles longer stands in the model."""
    lines = [f"Seek distances measured: {len(seeks.distance)}"]
    lines += [
        f"{distance}, {round(time * MS, _DIGITS):.5f}"
        for distance, time in zip(seeks.distance, seeks.read, strict=True)
    ]
    return "\n".join(lines) + "\n"

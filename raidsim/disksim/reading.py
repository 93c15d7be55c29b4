"""A disk from DiskSim's parameter files: its specification, its model and its seek curve."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from raidsim.cards.surface import SERPENTINE, SPARING, Surface, Zone
from raidsim.cards.toml_file import read_text
from raidsim.disksim.parameters import Block, read_file, read_seeks
from raidsim.errors import InputError, Problem

_BLOCK = re.compile(
    r"^\s*(disksim_disk|dm_disk)\s+\S+\s*\{|^\s*source\s+\S+\.diskspecs", re.MULTILINE
)
SUFFIXES = (".parv", ".diskspecs", ".model")
"""What the names of such files end in."""

_BUS = ("Read block transfer time", "Write block transfer time")


@dataclass(frozen=True)
class Disk:
    """The description of one disk in the files.

    Attributes
    ----------
    name : of its specification.
    spec, model, mechanics, layout : the blocks; ``spec`` is empty if only the model was given.
    surface : its zones.
    seeks : cylinders and ms before a read; before a write ``settle`` more.
    settle : ms.
    bus : ms that a sector takes on the bus that the disk is on; 0 if that is not said.
    files : names of the files.
    remarks : what was passed over.
    """

    name: str
    spec: Block
    model: Block
    mechanics: Block
    layout: Block
    surface: Surface
    seeks: tuple[tuple[int, float], ...]
    settle: float
    bus: float
    files: str
    remarks: list[Problem] = field(default_factory=list)

    def number(self, key: str, default: float = 0.0) -> float:
        """A number of the specification."""
        return number(self.spec, key, default)


def is_disksim(path: Path) -> bool:
    """Return whether a file describes a disk in DiskSim's form."""
    try:
        return _BLOCK.search(read_text(path, str(path))) is not None
    except InputError:
        return False


def read_disk(names: Sequence[str]) -> Disk:
    """The disk that files describe, those that they include among them.

    Raises
    ------
    InputError
        They cannot be read, or say of no disk all that there is to know.
    """
    blocks: list[Block] = []
    for name in names:
        if not name.endswith(".seek"):
            blocks += read_file(Path(name), name)
    specs = {b.name: b for b in blocks if b.kind == "disksim_disk"}
    models = {b.name: b for b in blocks if b.kind == "dm_disk"}
    if len(specs) > 1:
        cause = f"describes {len(specs)} disks: {', '.join(specs)}"
        raise InputError([Problem(names[0], None, None, cause, "give the files of one")])
    spec = next(iter(specs.values()), None)
    model = spec.entries.get("Model") if spec is not None else next(iter(models.values()), None)
    if not isinstance(model, Block) or model.kind != "dm_disk":
        cause = "describes no disk: a block disksim_disk with its Model, or dm_disk"
        raise InputError([Problem(names[0], None, None, cause)])
    remarks: list[Problem] = []
    if spec is None:
        spec = Block("disksim_disk", model.name.removesuffix("_model"), model.place)
        cause = "says nothing about overheads, bus and cache, which get their least values"
        remarks.append(Problem(names[0], None, None, cause, "give the .diskspecs file"))
    mechanics = _block(model, "Mechanical Model", "dm_mech_g1")
    layout = _block(model, "Layout Model", "dm_layout_g1")
    surfaces = int(number(model, "Number of data surfaces", low=1))
    surface = _surface(layout)
    seeks, settle = _seeks(mechanics, surface.cylinders)
    bus = max(
        (number(b, key) for b in blocks if b.kind == "disksim_bus" for key in _BUS), default=0.0
    )
    sectors = surface.sectors(surfaces)
    said = number(model, "Block count", sectors)
    if said > sectors:
        cause = f"is more than the {sectors:,} that the zones hold"
        raise model.at("Block count").refusal("Block count", cause)
    files = ", ".join(dict.fromkeys(Path(b.file).name for b in (spec.place, model.place)))
    return Disk(
        spec.name,
        spec,
        model,
        mechanics,
        layout,
        surface,
        tuple(seeks),
        settle,
        bus,
        files,
        remarks,
    )


def number(block: Block, key: str, default: float | None = 0.0, low: float = 0.0) -> float:
    """A number of a block, not below ``low``.

    Raises
    ------
    InputError
        It is missing and has no default, is no number, or is below ``low``.
    """
    value = block.entries.get(key, default)
    if value is None:
        raise block.place.refusal(key, "is missing")
    if isinstance(value, str) or not isinstance(value, int | float):
        raise block.at(key).refusal(key, "is not a number")
    if value < low:
        raise block.at(key).refusal(key, f"{value:g} is below {low:g}")
    return value


def _block(block: Block, key: str, kind: str) -> Block:
    found = block.entries.get(key)
    if not isinstance(found, Block):
        raise block.at(key).refusal(key, "is missing")
    if found.kind != kind:
        cause = f"is of the kind {found.kind}, which is not read"
        raise block.at(key).refusal(key, cause, f"{kind} is")
    return found


def _surface(layout: Block) -> Surface:
    listed = layout.entries.get("Zones")
    if not isinstance(listed, list) or not all(isinstance(z, Block) for z in listed) or not listed:
        raise layout.at("Zones").refusal("Zones", "is not a list of zones")
    sparing = int(number(layout, "Sparing scheme used"))
    mapping = int(number(layout, "LBN-to-PBN mapping scheme"))
    for key, value, words in (
        ("Sparing scheme used", sparing, SPARING),
        ("LBN-to-PBN mapping scheme", mapping, SERPENTINE),
    ):
        if value >= len(words):
            raise layout.at(key).refusal(key, f"{value} is unknown", f"0 to {len(words) - 1}")
    zones = []
    following = 0
    for block in listed:
        zone = _zone(block)
        if zone.first < following or zone.last < zone.first:
            cause = (
                f"cylinders {zone.first} to {zone.last} are no range after cylinder {following - 1}"
            )
            raise block.place.refusal("First cylinder number", cause)
        following = zone.last + 1
        zones.append(zone)
    return Surface(
        tuple(zones),
        list(SPARING)[sparing],
        list(SERPENTINE)[mapping],
        max(int(number(layout, "Rangesize for sparing", 1)), 1),
    )


def _zone(block: Block) -> Zone:
    defects = _whole(block, "defects")
    if len(defects) % 2:
        raise block.at("defects").refusal("defects", "are no pairs of sectors")
    return Zone(
        int(number(block, "First cylinder number", None)),
        int(number(block, "Last cylinder number", None)),
        int(number(block, "Blocks per track", None, low=1)),
        number(block, "Offset of first block"),
        int(number(block, "Empty space at zone front")),
        number(block, "Skew for track switch"),
        number(block, "Skew for cylinder switch"),
        int(number(block, "Number of spares")),
        tuple(_whole(block, "slips")),
        tuple(zip(defects[::2], defects[1::2], strict=True)),
    )


def _whole(block: Block, key: str) -> list[int]:
    found = block.entries.get(key, [])
    if not isinstance(found, list) or not all(isinstance(n, int) and n >= 0 for n in found):
        raise block.at(key).refusal(key, "is not a list of whole numbers")
    return found


def _seeks(mechanics: Block, cylinders: int) -> tuple[list[tuple[int, float]], float]:
    """The points of the seek curve in ms, and what a write settles longer."""
    settle = number(mechanics, "Add. write settling delay", low=-math.inf)
    kind = mechanics.entries.get("Seek type", "extracted")
    place = mechanics.at("Seek type")
    single = number(mechanics, "Single cylinder seek time")
    full = number(mechanics, "Full strobe seek time")
    if kind == "extracted":
        name = mechanics.entries.get("Full seek curve")
        if not isinstance(name, str):
            raise mechanics.at("Full seek curve").refusal("Full seek curve", "names no file")
        at = mechanics.at("Full seek curve")
        folder = Path(at.file).parent
        return read_seeks(folder / name, str(folder / name), at), settle
    if kind == "linear":
        return [(1, single), (max(cylinders - 1, 2), full)], settle
    if kind == "curve":
        average = number(mechanics, "Average seek time", None)
        return _curve(single, average, full, cylinders), settle
    if kind in ("hpl", "hplplus10"):
        points = dict(_hpl(mechanics, cylinders))
        if kind == "hplplus10":
            points |= dict(enumerate(_numbers(mechanics, "First ten seek times", 10), 1))
        return sorted(points.items()), settle
    remedy = "extracted, linear, curve, hpl and hplplus10 are read"
    raise place.refusal("Seek type", f"{kind} is not read", remedy)


def _distances(cylinders: int) -> list[int]:
    """Distances that a smooth curve is taken at: all short ones, fewer far ones."""
    far = (round(64 * 1.05**n) for n in range(400))
    return [*range(1, min(64, cylinders)), *dict.fromkeys(d for d in far if d < cylinders)]


def _curve(single: float, average: float, full: float, cylinders: int) -> list[tuple[int, float]]:
    """Lee's curve through three seeks (E. K. Lee and R. H. Katz, UCB/CSD 91/616, 1991)."""
    root = (15 * average - 10 * single - 5 * full) / (3 * math.sqrt(cylinders))
    slope = (7 * single - 15 * average + 8 * full) / (3 * cylinders)
    return [(d, root * math.sqrt(d - 1) + slope * (d - 1) + single) for d in _distances(cylinders)]


def _numbers(block: Block, key: str, count: int) -> list[float]:
    """Read a list of ``count`` numbers."""
    found = block.entries.get(key)
    if not isinstance(found, list) or len(found) != count:
        raise block.at(key).refusal(key, f"are not {count} numbers")
    if not all(isinstance(one, int | float) for one in found):
        raise block.at(key).refusal(key, f"are not {count} numbers")
    return [float(one) for one in found]


def _hpl(mechanics: Block, cylinders: int) -> list[tuple[int, float]]:
    """Ruemmler and Wilkes' curve: a root up to a distance, a line beyond (HPL-93-68)."""
    values = _numbers(mechanics, "HPL seek equation values", 6)
    border, fixed, root, far, slope, single = values
    points = {
        d: fixed + root * math.sqrt(d) if d < border else far + slope * d
        for d in sorted({*_distances(cylinders), *range(1, min(int(border) + 2, cylinders))})
    }
    if single >= 0:
        points[1] = single
    return list(points.items())

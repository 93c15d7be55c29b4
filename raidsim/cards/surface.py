"""Disks whose surface and seeks were measured: zones sector by sector, and a seek curve by points.

A card of a hard disk may have two sections that are tables, as characterisation tools print them:

    [surface]
    source = "measured"                   (any text of where it is from)
    sparing = "none"                      (one of SPARING)
    serpentine = "no"                     (one of SERPENTINE)
    [[surface.zone]]
    cylinders = [0, 615]                  first and last; some may be left out between zones
    sectors = 256                         of a track, spares included
    offset = 0                            sectors from the index mark to the first one
    empty = 128000                        sectors at the front that hold no data
    track_skew = 75                       sectors by which the next track begins later
    cylinder_skew = 86                    the same at the next cylinder
    spares = 0                            in units of the sparing
    slips = [272037]                      sectors of the zone that are passed over
    remaps = [[1000, 250000]]             sectors of the zone whose data lies in others

    [seek_curve]
    source = "measured"
    unit = "ms"
    distance = [1, 2, 10]                 cylinders
    read = [1.66, 1.76, 2.35]
    write = [1.96, 2.06, 2.65]            settling included; as reading if it is left out

What other values of a card say of tracks and seeks follows from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from raidsim import units
from raidsim.errors import quote

SPARING = {
    "none": "no spares",
    "tracks": "so many tracks at the end of the zone; slips and remaps count tracks",
    "sectors-per-track": "so many sectors at the end of each track; slips stay within it",
    "sectors-per-cylinder": "so many sectors at the end of each cylinder; slips stay within it",
    "sectors-per-cylinder-slip-to-end": "the same; slips move all sectors of the zone behind them",
    "sectors-per-cylinder-at-front": "so many sectors at the front of each cylinder",
    "sectors-per-cylinder-at-front-slip-to-end": "the same; slips move all sectors behind them",
    "sectors-at-end": "none in the zones; slips move all sectors of the zone behind them",
    "sectors-per-range": "so many sectors at the end of each range of cylinders",
    "sectors-per-zone": "so many sectors at the end of the zone",
    "sectors-per-zone-slip-to-end": "the same, and one more for each slip",
}
"""How a zone holds spare sectors, in the order of DiskSim's numbers."""

SERPENTINE = {
    "no": "each cylinder begins with head 0",
    "by-zone": "the second, fourth, ... cylinder of a zone begins with the last head",
    "by-disk": "odd cylinders begin with the last head",
}
"""With which head cylinders begin, in the order of DiskSim's numbers."""

MOST_ROWS = 100_000
"""Ranges, slips and remaps of a surface: each is a row of its own in the kernel's table `zones`."""

MOST_CYLINDERS = 10_000_000
MOST_SECTORS = 100_000


@dataclass(frozen=True)
class Zone:
    """Cylinders whose tracks have equally many sectors. All lengths count sectors.

    Attributes
    ----------
    first, last : cylinders.
    sectors : of a track, spares included.
    offset : from the index mark to the first sector.
    empty : at the front, that hold no data.
    track_skew, cylinder_skew : by which the next track, or cylinder, begins later.
    spares : in units of the sparing.
    slips : that are passed over, counted from the first of the zone.
    remaps : pairs: where a sector would be, where it is.
    """

    first: int
    last: int
    sectors: int
    offset: float = 0.0
    empty: int = 0
    track_skew: float = 0.0
    cylinder_skew: float = 0.0
    spares: int = 0
    slips: tuple[int, ...] = ()
    remaps: tuple[tuple[int, int], ...] = ()

    @property
    def cylinders(self) -> int:
        """The number of cylinders."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class Surface:
    """The zones of a disk, outer to inner, and how sectors are set apart in them."""

    zones: tuple[Zone, ...]
    sparing: str = "none"
    serpentine: str = "no"
    range: int = 1
    source: str = ""

    @property
    def cylinders(self) -> int:
        """Cylinders of all zones together."""
        return self.zones[-1].last + 1

    def sectors(self, heads: int) -> int:
        """Sectors that hold data."""
        return sum(data_sectors(self, zone, heads) for zone in self.zones)


@dataclass(frozen=True)
class SeekPoints:
    """A measured seek curve: seconds over so many cylinders, before a read and before a write."""

    distance: tuple[int, ...]
    read: tuple[float, ...]
    write: tuple[float, ...]
    source: str = ""

    def time(self, op: str, distance: float) -> float:
        """Seconds over ``distance`` cylinders before op "read" or "write": lines between points."""
        if distance <= 0:
            return 0.0
        return float(np.interp(distance, self.distance, getattr(self, op)))

    def average(self, op: str, cylinders: int) -> float:
        """Seconds between independent uniform cylinders, in the mean."""
        distance = np.arange(1, cylinders)
        chance = 2.0 * (cylinders - distance) / float(cylinders) ** 2
        return float((np.interp(distance, self.distance, getattr(self, op)) * chance).sum())


def data_sectors(surface: Surface, zone: Zone, heads: int) -> int:
    """Sectors of a zone that hold data."""
    tracks = zone.cylinders * heads
    left = tracks * zone.sectors - zone.empty
    sparing = surface.sparing
    if sparing == "tracks":
        return left - zone.spares * zone.sectors
    if sparing == "sectors-per-track":
        return left - zone.spares * tracks
    if sparing.startswith("sectors-per-cylinder"):
        left -= zone.spares * zone.cylinders
    elif sparing == "sectors-per-range":
        left -= zone.spares * (zone.cylinders // surface.range)
    elif sparing.startswith("sectors-per-zone"):
        left -= zone.spares
    slips_to_end = sparing.endswith("slip-to-end") or sparing == "sectors-at-end"
    return left - len(zone.slips) if slips_to_end else left


# -- reading -------------------------------------------------------------------------------------

Path = tuple[str | int, ...]
Refuse = Callable[[Path, str, str | None], None]
"""Takes where something is wrong, what it is and what would be right."""


@dataclass
class _Table:
    """A table of a card's file, and what is wrong with it."""

    data: Mapping[str, Any]
    path: Path
    refuse: Refuse
    known: set[str] = field(default_factory=set)

    def number(self, key: str, default: float | None, low: float, high: float) -> float:
        """A number between two others, both included."""
        self.known.add(key)
        value = self.data.get(key, default)
        place = (*self.path, key)
        if value is None:
            self.refuse(place, "is missing", f"a number from {low:g} to {high:g}")
            return low
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(place, "is not a number", f"from {low:g} to {high:g}")
            return low
        if not low <= value <= high:
            self.refuse(place, f"{value:g} is out of range", f"from {low:g} to {high:g}")
            return low
        return value

    def whole(self, key: str, default: int | None, low: int, high: int) -> int:
        """A whole number between two others."""
        value = self.number(key, default, low, high)
        if value != int(value):
            self.refuse((*self.path, key), f"{value:g} is not a whole number", None)
        return int(value)

    def word(self, key: str, default: str, words: Mapping[str, str]) -> str:
        """One of some words."""
        self.known.add(key)
        value = self.data.get(key, default)
        if isinstance(value, str) and value in words:
            return value
        self.refuse(
            (*self.path, key), f"{quote(value)} is unknown", f"give one of {', '.join(words)}"
        )
        return default

    def text(self, key: str) -> str:
        """A line of text that may be left out."""
        self.known.add(key)
        value = self.data.get(key, "")
        if not isinstance(value, str):
            self.refuse((*self.path, key), "is not a text", "put it in quotes")
            return ""
        return value

    def numbers(self, key: str, *, whole: bool = False) -> tuple[float, ...]:
        """A list of numbers from 0 on; empty if it is left out."""
        self.known.add(key)
        value = self.data.get(key, [])
        kinds = (int,) if whole else (int, float)
        if not isinstance(value, list) or not all(
            isinstance(one, kinds) and not isinstance(one, bool) and 0 <= one < math.inf
            for one in value
        ):
            kind = "whole numbers" if whole else "numbers"
            self.refuse((*self.path, key), f"is not a list of {kind} from 0 on", None)
            return ()
        return tuple(value)

    def pairs(self, key: str) -> tuple[tuple[int, int], ...]:
        """A list of pairs of whole numbers; empty if it is left out."""
        self.known.add(key)
        value = self.data.get(key, [])
        if isinstance(value, list) and all(
            isinstance(pair, list)
            and len(pair) == 2
            and all(isinstance(one, int) and one >= 0 for one in pair)
            for pair in value
        ):
            return tuple((int(a), int(b)) for a, b in value)
        self.refuse((*self.path, key), "is not a list of pairs of whole numbers", None)
        return ()

    def end(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self.data:
            if key not in self.known:
                known = ", ".join(sorted(self.known))
                self.refuse((*self.path, key), "unknown key", f"known: {known}")


def read_surface(data: object, refuse: Refuse) -> Surface | None:
    """The section ``[surface]``; None if it cannot be used, which was said then."""
    if not isinstance(data, Mapping):
        refuse(("surface",), "is not a table", "write [surface]")
        return None
    wrong: list[Path] = []

    def say(path: Path, cause: str, remedy: str | None) -> None:
        wrong.append(path)
        refuse(path, cause, remedy)

    table = _Table(data, ("surface",), say, {"zone"})
    sparing = table.word("sparing", "none", SPARING)
    serpentine = table.word("serpentine", "no", SERPENTINE)
    cylinders = table.whole("range", 1, 1, MOST_CYLINDERS)
    source = table.text("source")
    table.end()
    listed = data.get("zone")
    if not isinstance(listed, list) or not listed:
        refuse(("surface", "zone"), "is missing", "write [[surface.zone]] for each zone")
        return None
    zones = [_zone(one, ("surface", "zone", n), say) for n, one in enumerate(listed)]
    if wrong or any(zone is None for zone in zones):
        return None
    found = Surface(tuple(z for z in zones if z), sparing, serpentine, cylinders, source)
    following = 0
    for number, zone in enumerate(found.zones):
        if zone.first < following:
            refuse(
                ("surface", "zone", number, "cylinders"),
                f"begins with cylinder {zone.first}",
                f"zones follow each other: {following} is the first that may come next",
            )
            return None
        following = zone.last + 1
    pieces = sum(
        len(zone.slips)
        + len(zone.remaps)
        + (zone.cylinders // cylinders if sparing == "sectors-per-range" else 0)
        for zone in found.zones
    )
    if pieces > MOST_ROWS:
        cause = f"has {pieces:,} ranges, slips and remaps"
        refuse(("surface",), cause, f"no more than {MOST_ROWS:,}: leave some out")
        return None
    return found


def _zone(data: object, path: Path, refuse: Refuse) -> Zone | None:
    if not isinstance(data, Mapping):
        refuse(path, "is not a table", "write [[surface.zone]]")
        return None
    table = _Table(data, path, refuse, {"cylinders"})
    ends = data.get("cylinders")
    if (
        not isinstance(ends, list)
        or len(ends) != 2
        or not all(isinstance(end, int) and 0 <= end < MOST_CYLINDERS for end in ends)
        or ends[0] > ends[1]
    ):
        refuse((*path, "cylinders"), "is not the first and the last cylinder", "[0, 615]")
        return None
    zone = Zone(
        ends[0],
        ends[1],
        table.whole("sectors", None, 1, MOST_SECTORS),
        table.number("offset", 0.0, 0, MOST_SECTORS),
        table.whole("empty", 0, 0, 2**40),
        table.number("track_skew", 0.0, 0, MOST_SECTORS),
        table.number("cylinder_skew", 0.0, 0, MOST_SECTORS),
        table.whole("spares", 0, 0, 2**40),
        tuple(int(one) for one in table.numbers("slips", whole=True)),
        table.pairs("remaps"),
    )
    table.end()
    return zone


def read_seek_curve(data: object, refuse: Refuse) -> SeekPoints | None:
    """The section ``[seek_curve]``; None if it cannot be used, which was said then."""
    if not isinstance(data, Mapping):
        refuse(("seek_curve",), "is not a table", "write [seek_curve]")
        return None
    table = _Table(data, ("seek_curve",), refuse)
    distance = tuple(int(one) for one in table.numbers("distance", whole=True))
    unit = table.text("unit")
    read = table.numbers("read")
    write = table.numbers("write") or read
    source = table.text("source")
    table.end()
    if not distance or any(b <= a for a, b in zip((0, *distance), distance, strict=False)):
        refuse(("seek_curve", "distance"), "is not a list of distances that rise from 1", None)
        return None
    for key, times in (("read", read), ("write", write)):
        if len(times) != len(distance):
            cause = f"has {len(times)} times for {len(distance)} distances"
            refuse(("seek_curve", key), cause, "give one for each")
            return None
    try:
        second = units.convert(1.0, unit, "time")
    except units.QuantityError as error:
        refuse(("seek_curve", "unit"), error.cause, error.remedy)
        return None
    reads, writes = (tuple(one * second for one in times) for times in (read, write))
    return SeekPoints(distance, reads, writes, source)


def values_of(
    surface: Surface | None, seeks: SeekPoints | None, heads: int, sector: int
) -> dict[str, float]:
    """Return the other values of the card that follow, in base units, by their names."""
    found: dict[str, float] = {}
    if surface is not None:
        found["geometry.zones"] = len(surface.zones)
        of_track = surface.sparing == "sectors-per-track"
        lengths = [zone.sectors - of_track * zone.spares for zone in surface.zones]
        found["geometry.track_outer"] = max(lengths) * sector
        found["geometry.track_inner"] = min(lengths) * sector
        found["capacity.user"] = surface.sectors(heads) * sector
    if seeks is not None:
        cylinders = surface.cylinders if surface else seeks.distance[-1] + 1
        for op in ("read", "write"):
            found[f"seek.{op}_single"] = seeks.time(op, 1)
            found[f"seek.{op}_average"] = seeks.average(op, cylinders)
            found[f"seek.{op}_full"] = seeks.time(op, cylinders - 1)
    return found

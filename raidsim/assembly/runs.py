"""Where the sectors of a measured zone lie: runs of sectors, cut where one is passed over.

Sectors of a zone are counted twice here. Their *place* counts all sectors that there are, track
by track and cylinder by cylinder. Their *rank* counts those that may hold data: all but the spares
that are set apart in each track or cylinder. A run is ranks one behind the other.

In some sparings a slip, a sector that is passed over, moves all sectors of the zone behind it; in
others those of its own track, cylinder or range only, which has spares for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from raidsim.cards.surface import Surface, Zone, data_sectors


@dataclass(frozen=True)
class Run:
    """Sectors of a zone that follow each other.

    Attributes
    ----------
    length : how many.
    skip : rank of the first, counted from the first sector of ``cylinder``.
    cylinder : of the zone, from which on its tracks are counted.
    per_cylinder, track : sectors of a cylinder, of a track, that may hold data.
    front : spare sectors at the front of each cylinder.
    slipped : slips before, that have pushed its angle by as many sectors.
    """

    length: int
    skip: int
    cylinder: int
    per_cylinder: int
    track: int
    front: int = 0
    slipped: int = 0

    def place(self, number: int, heads: int, sectors: int) -> int:
        """Place of the sector ``number`` of the run, in a zone of so many sectors a track."""
        rank = self.skip + number
        cylinder, inside = divmod(rank, self.per_cylinder)
        head, sector = divmod(inside + self.front, self.track)
        return ((self.cylinder + cylinder) * heads + head) * sectors + sector

    def number_of(self, place: int, heads: int, sectors: int) -> int | None:
        """Which sector of the run lies at ``place``; None if none does."""
        track, sector = divmod(place, sectors)
        cylinder, head = divmod(track, heads)
        inside = head * self.track + sector - self.front
        if sector >= self.track or not 0 <= inside < self.per_cylinder:
            return None
        number = (cylinder - self.cylinder) * self.per_cylinder + inside - self.skip
        return number if 0 <= number < self.length else None

    def part(self, first: int, length: int) -> Run:
        """Some sectors of it."""
        return replace(self, skip=self.skip + first, length=length)


def runs(surface: Surface, zone: Zone, heads: int) -> list[Run]:
    """The sectors of a zone in the order of their addresses.

    As many as :func:`raidsim.cards.surface.data_sectors` says.
    """
    total = data_sectors(surface, zone, heads)
    ways = {
        "sectors-per-track": _within_units,
        "sectors-per-cylinder": _within_units,
        "sectors-per-cylinder-at-front": _within_units,
        "sectors-per-range": _within_units,
    }
    found = list(ways.get(surface.sparing, _to_the_end)(surface, zone, heads))
    cut = []
    for run in found:
        if total <= 0:
            break
        cut.append(run.part(0, min(run.length, total)))
        total -= cut[-1].length
    return _remapped(surface, zone, heads, [run for run in cut if run.length])


def _to_the_end(surface: Surface, zone: Zone, heads: int) -> Iterator[Run]:
    """Slips move all sectors behind them."""
    of_cylinder = heads * zone.sectors
    per_cylinder, front = of_cylinder, 0
    pushes = surface.sparing.startswith("sectors-per-cylinder")
    if pushes:
        per_cylinder -= zone.spares
        front = zone.spares if "at-front" in surface.sparing else 0
    whole = Run(per_cylinder * zone.cylinders, 0, 0, per_cylinder, zone.sectors, front)
    slips = sorted(zone.slips)
    if surface.sparing == "tracks":
        slips = [p for t in slips for p in range(t * zone.sectors, (t + 1) * zone.sectors)]
    ranks = [whole.number_of(place, heads, zone.sectors) for place in slips]
    over = sorted({rank for rank in ranks if rank is not None and rank >= zone.empty})
    # Slips push the angle of the cylinders behind them: these begin a run of their own.
    pushed = {-(-(rank + 1) // per_cylinder) * per_cylinder for rank in over} if pushes else set()
    rank = zone.empty
    slipped = 0
    for stop in sorted({*over, *pushed, whole.length}):
        if rank < stop <= whole.length:
            yield replace(whole.part(rank, stop - rank), slipped=slipped)
        rank = max(rank, stop + (stop in over))
        if stop in pushed:
            slipped = sum(one < stop for one in over)


def _within_units(surface: Surface, zone: Zone, heads: int) -> Iterator[Run]:
    """Slips move the sectors of their own track, cylinder or range."""
    of_cylinder = heads * zone.sectors
    track, front = zone.sectors, 0
    unit = of_cylinder
    if surface.sparing == "sectors-per-track":
        unit, track = zone.sectors, zone.sectors - zone.spares
    elif surface.sparing == "sectors-per-range":
        unit = of_cylinder * surface.range
    elif "at-front" in surface.sparing:
        front = zone.spares
    ranges = surface.sparing == "sectors-per-range"
    data = unit - zone.spares
    per_cylinder = data * (of_cylinder // unit) if unit <= of_cylinder else of_cylinder
    regular = Run(0, 0, 0, per_cylinder, track, front)
    plain = Run(0, 0, 0, of_cylinder, zone.sectors)
    whole = zone.cylinders * of_cylinder
    units = -(-whole // unit)
    slips = sorted(zone.slips)
    left = zone.empty
    at = 0
    while at < units:
        inside = [p for p in slips if at * unit <= p < (at + 1) * unit]
        slipped = 0 if ranges else sum(p < at * unit for p in slips)
        if inside or ranges:
            place, found = at * unit + front, 0
            if (at + 1) * unit > whole:  # cylinders that are too few for a range have no spares
                data = whole - at * unit
            while front and (at + 1) * unit - place - sum(p >= place for p in inside) < data:
                place -= 1  # spares at the front stand in for what is passed over
            inside = [p for p in inside if p >= place]
            for stop in [*inside, (at + 1) * unit]:
                length = min(stop - place, data - found)
                if length > left:
                    yield replace(plain, skip=place + left, length=length - left, slipped=slipped)
                left -= min(left, length)
                found += length
                place = stop + 1
            at += 1
            continue
        upto = min((p // unit for p in slips if p >= at * unit), default=units)
        length = (upto - at) * data
        if length > left:
            yield replace(regular, skip=at * data + left, length=length - left, slipped=slipped)
        left -= min(left, length)
        at = upto


def _remapped(surface: Surface, zone: Zone, heads: int, found: list[Run]) -> list[Run]:
    """Cut runs where a sector (in the sparing "tracks": a track) lies elsewhere."""
    pairs = zone.remaps
    if surface.sparing == "tracks":
        n = zone.sectors
        pairs = tuple((a * n + s, b * n + s) for a, b in pairs for s in range(n))
    of_cylinder = heads * zone.sectors
    for place, instead in pairs:
        if place == instead:
            continue
        for index, run in enumerate(found):
            number = run.number_of(place, heads, zone.sectors)
            if number is None:
                continue
            elsewhere = Run(1, instead, 0, of_cylinder, zone.sectors, 0, run.slipped)
            parts = [run.part(0, number), elsewhere]
            parts.append(run.part(number + 1, run.length - number - 1))
            found[index : index + 1] = [part for part in parts if part.length]
            break
    return found

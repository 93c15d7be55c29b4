"""Where the sectors of a measured zone are: runs of sectors, divided where a sector is skipped.

Sectors of a zone have two numbers here. Their *place* counts all existing sectors, track by track
and cylinder by cylinder. Their *rank* counts the sectors that may hold data: all but the spares
that are reserved in each track or cylinder. A run is a sequence of consecutive ranks.

A slip is a sector that is skipped. In some forms of sparing it moves all later sectors of the zone.
In others it only moves those of its own track, cylinder or range, which has spares for it.
"""

from __future__ import annotations

from bisect import bisect_left
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
        """Return the number of the run's sector at ``place``, from 0 on; None if there is none."""
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
    at_a_time = zone.sectors if surface.sparing == "tracks" else 1
    ranks = (whole.number_of(one * at_a_time, heads, zone.sectors) for one in zone.slips)
    over = sorted({rank for rank in ranks if rank is not None and rank + at_a_time > zone.empty})
    # Slips push the angle of the cylinders behind them: these begin a run of their own.
    pushed = {-(-(rank + 1) // per_cylinder) * per_cylinder for rank in over} if pushes else set()
    passed = set(over)
    rank = zone.empty
    slipped = 0
    for stop in sorted({*over, *pushed, whole.length}):
        if rank < stop <= whole.length:
            yield replace(whole.part(rank, stop - rank), slipped=slipped)
        rank = max(rank, stop + (at_a_time if stop in passed else 0))
        if stop in pushed:
            slipped = bisect_left(over, stop)


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
    slips = sorted(set(zone.slips))
    left = zone.empty
    at = 0
    while at < units:
        first, last = bisect_left(slips, at * unit), bisect_left(slips, (at + 1) * unit)
        slipped = 0 if ranges else first
        if first == last and not ranges:  # as many units as there are without a slip
            upto = min(slips[first] // unit, units) if first < len(slips) else units
            length = (upto - at) * data
            if length > left:
                yield replace(regular, skip=at * data + left, length=length - left, slipped=slipped)
            left -= min(left, length)
            at = upto
            continue
        inside = slips[first:last]
        place, found = at * unit + front, 0
        if (at + 1) * unit > whole:  # cylinders that are too few for a range have no spares
            data = whole - at * unit
        begin = at * unit
        while place > begin and (at + 1) * unit - place - sum(p >= place for p in inside) < data:
            place -= 1  # spares at the front replace skipped sectors
        for stop in [*(p for p in inside if p >= place), (at + 1) * unit]:
            length = min(stop - place, data - found)
            if length > left:
                yield replace(plain, skip=place + left, length=length - left, slipped=slipped)
            left -= min(left, length)
            found += length
            place = stop + 1
        at += 1


def _remapped(surface: Surface, zone: Zone, heads: int, found: list[Run]) -> list[Run]:
    """Cut runs where a sector (in the sparing "tracks": a track) lies elsewhere."""
    at_a_time = zone.sectors if surface.sparing == "tracks" else 1
    of_cylinder = heads * zone.sectors
    for place, instead in zone.remaps:
        if place == instead:
            continue
        for index, run in enumerate(found):
            number = run.number_of(place * at_a_time, heads, zone.sectors)
            if number is None:
                continue
            length = min(at_a_time, run.length - number)
            elsewhere = Run(
                length, instead * at_a_time, 0, of_cylinder, zone.sectors, 0, run.slipped
            )
            parts = [run.part(0, number), elsewhere]
            parts.append(run.part(number + length, run.length - number - length))
            found[index : index + 1] = [part for part in parts if part.length]
            break
    return found

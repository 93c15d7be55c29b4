"""Where the bytes of a hard disk are: from zones to the rows of the kernel's table ``zones``.

A data sheet gives the lengths of the outermost and the innermost tracks, and the number of heads.
These become zones with equal numbers of cylinders, one row each. A measured surface has more
details, and a zone may be several rows: a row ends where a sector is skipped, or is elsewhere. The
distance between a row's last byte and the next row's first one is computed here, once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from raidsim.assembly import shingles
from raidsim.assembly.runs import Run, runs
from raidsim.assembly.seeks import head_switch_ns, seek_ns
from raidsim.cards import Card
from raidsim.cards.surface import Surface, Zone
from raidsim.kernel.tables import NONE
from raidsim.units import NS_PER_S


@dataclass(frozen=True)
class Row:
    """A row of the table ``zones``: see there. Bytes and ns."""

    first: int
    end: int
    skip: int
    cylinder: int
    per_cylinder: int
    front: int
    track: int
    byte_time: float
    angle: float
    track_skew: float
    cylinder_skew: float
    track_gap: float
    cylinder_gap: float
    gap: float
    turned: int = NONE  # parity of the cylinders, counted in the row, that begin with the last head

    def place(self, heads: int, offset: int) -> tuple[int, int, float]:
        """Cylinder, head and angle (not yet within a turn) of byte ``offset``."""
        inside = offset - self.first + self.skip
        cylinder = inside // self.per_cylinder
        inside += self.front - cylinder * self.per_cylinder
        head = inside // self.track
        switches = head + cylinder * (heads - 1)
        angle = self.angle + switches * self.track_skew + cylinder * self.cylinder_skew
        angle += (inside - head * self.track) * self.byte_time
        if self.turned not in (NONE, 1 - cylinder % 2):
            head = heads - 1 - head
        return self.cylinder + cylinder, head, angle


@dataclass(frozen=True)
class Geometry:
    """Zones of a disk, outer to inner: bytes of a track, cylinders; and the skews in ns.

    Every other cylinder begins with its last head: the arm seeks to the next one without a switch.
    """

    heads: int
    tracks: tuple[int, ...]  # bytes of a track, by zone
    cylinders: int  # of each zone
    revolution: int  # ns
    track_skew: float
    cylinder_skew: float

    @property
    def capacity(self) -> int:
        """Bytes of all zones."""
        return self.heads * self.cylinders * sum(self.tracks)


def geometry(card: Card, speed: float = 1.0) -> Geometry:
    """Zones of equally many cylinders, as many as the capacity needs.

    The bytes of a track fall evenly from the outer to the inner zone. Skews cover the head
    switch, and the longer of the single-cylinder seeks of reads and writes.
    """
    zones = card.integer("geometry.zones")
    sector = card.integer("capacity.physical_sector")
    outer, inner = card.integer("geometry.track_outer"), card.integer("geometry.track_inner")
    tracks = tuple(
        max(round(size / sector), 1) * sector for size in np.linspace(outer, inner, zones)
    )
    heads = card.integer("geometry.heads")
    size = card.integer("capacity.user") + shingles.media_cache(card)
    cylinders = -(-size // (heads * sum(tracks)))
    single = max(card.number("seek.read_single"), card.number("seek.write_single"))
    return Geometry(
        heads,
        tracks,
        cylinders,
        revolution(card, speed),
        card.number("geometry.head_switch") * NS_PER_S,
        single * NS_PER_S,
    )


def revolution(card: Card, speed: float) -> int:
    """One turn, ns; ``speed`` is relative to the card's."""
    return round(NS_PER_S / card.number("spindle.speed") / speed)


def cylinders(card: Card) -> int:
    """Cylinders of all zones together."""
    if card.surface is not None:
        return card.surface.cylinders
    shape = geometry(card)
    return shape.cylinders * len(shape.tracks)


def rows(card: Card, speed: float = 1.0, shift: float = 0.0) -> list[Row]:
    """The rows of a disk, in the order of its addresses.

    ``shift`` is the share of a revolution by which its angles are shifted. A media cache is before
    byte 0.
    """
    if card.surface is not None:
        return _measured(card, card.surface, speed, shift)
    shape = geometry(card, speed)
    first = -shingles.media_cache(card)
    angle = shift * shape.revolution
    found = []
    for number, track in enumerate(shape.tracks):
        tracks = shape.heads * shape.cylinders
        found.append(
            Row(
                first,
                first + tracks * track,
                0,
                number * shape.cylinders,
                shape.heads * track,
                0,
                track,
                shape.revolution / track,
                angle,
                shape.track_skew,
                shape.cylinder_skew,
                shape.track_skew,
                shape.cylinder_skew,
                shape.cylinder_skew,
                turned=1 - number * shape.cylinders % 2,
            )
        )
        first += tracks * track
        angle += (tracks - shape.cylinders) * shape.track_skew
        angle += shape.cylinders * shape.cylinder_skew
        angle %= shape.revolution
    return found


# -- a surface that was measured -----------------------------------------------------------------


def _measured(card: Card, surface: Surface, speed: float, shift: float) -> list[Row]:
    turn = revolution(card, speed)
    heads = card.integer("geometry.heads")
    sector = card.integer("capacity.sector")
    found: list[Row] = []
    first = 0
    for zone in surface.zones:
        for run in runs(surface, zone, heads):
            row = _row(surface, zone, run, first, heads, sector, turn, shift)
            found.append(_with_switches(card, row, heads, turn))
            first = row.end
    following = [*found[1:], found[-1]]
    return [
        replace(row, gap=_gap(card, row, after, heads, turn))
        for row, after in zip(found, following, strict=True)
    ]


def _row(
    surface: Surface,
    zone: Zone,
    run: Run,
    first: int,
    heads: int,
    sector: int,
    turn: int,
    shift: float,
) -> Row:
    width = turn / zone.sectors
    skews = run.cylinder * ((heads - 1) * zone.track_skew + zone.cylinder_skew)
    spare_of_track = zone.sectors - run.track
    spare_of_cylinder = heads * run.track - run.per_cylinder + spare_of_track
    parity = {"no": NONE, "by-zone": 1, "by-disk": 1 - zone.first % 2}[surface.serpentine]
    if parity != NONE and run.cylinder % 2:
        parity = 1 - parity
    return Row(
        first=first,
        end=first + run.length * sector,
        skip=run.skip * sector,
        cylinder=zone.first + run.cylinder,
        per_cylinder=run.per_cylinder * sector,
        front=run.front * sector,
        track=run.track * sector,
        byte_time=width / sector,
        angle=shift * turn + (zone.offset + skews + run.slipped) * width,
        track_skew=zone.track_skew * width,
        cylinder_skew=zone.cylinder_skew * width,
        track_gap=(zone.track_skew + spare_of_track) * width,
        cylinder_gap=(zone.cylinder_skew + spare_of_cylinder) * width,
        gap=0.0,
        turned=parity,
    )


def _with_switches(card: Card, row: Row, heads: int, turn: int) -> Row:
    """A switch that takes longer than the gap between two tracks costs a revolution."""
    switch = head_switch_ns(card, "read")
    single = card.number("seek.read_single") * NS_PER_S
    if row.turned == NONE and heads > 1:  # the next cylinder begins with another head
        single = max(single, switch)
    return replace(
        row,
        track_gap=row.track_gap + (turn if row.track_gap < switch else 0),
        cylinder_gap=row.cylinder_gap + (turn if row.cylinder_gap < single else 0),
    )


def _gap(card: Card, row: Row, after: Row, heads: int, turn: int) -> float:
    """ns from the last byte of a row to the first one of the next."""
    cylinder, head, angle = row.place(heads, row.end - 1)
    there, other, begins = after.place(heads, after.first)
    wait = (begins - angle - row.byte_time) % turn
    move = 0.0
    if there != cylinder:
        move = seek_ns(card, "read", abs(there - cylinder), cylinders(card))
    if head != other:
        move = max(move, head_switch_ns(card, "read"))
    if turn - wait < 1.0:  # rounding
        wait = 0.0
    return wait + turn * max(math.ceil((move - wait) / turn), 0)

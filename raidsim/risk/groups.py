"""The groups of an array that can lose data: drives that can replace each other's data.

A *group* is a number of drives that hold each other's data, in copies or in parity. Drives of
different groups share no data. RAID 10 has a group for each set of copies, RAID 50 and 60 one for
each span. RAID 1E, and RAID 10 with a spread, is one group in which neighbours hold each other's
copies: a second failure only loses data if it affects a neighbour of the first.

The counts here follow from the layout itself, so they hold for any level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from raidsim.layout.address import strip_place
from raidsim.layout.tables import CONCATENATED, MIRRORED, PARITY
from raidsim.scenario import VolumeSpec


@dataclass(frozen=True)
class Group:
    """Drives that hold each other's data.

    Attributes
    ----------
    drives : how many.
    tolerated : of each set, how many may fail without loss.
    sets : sets of drives of which more than ``tolerated`` may not be missing together: all drives
        under parity and in a mirror, each run of neighbours that holds a strip under RAID 1E.
    sources : drives that have to be read to restore one of them when no redundancy is left.
    """

    drives: int
    tolerated: int
    sets: tuple[tuple[int, ...], ...]
    sources: int

    @property
    def most_failed(self) -> int:
        """Failed drives that it may live with, if they are well placed.

        With several sets it may be more still; that the next failure is then taken to lose data
        exaggerates the risk by the share of time in which a drive is missing, some 1e-5.
        """
        return self.tolerated + (1 if len(self.sets) > 1 else 0)

    def fatal(self, failed: int) -> float:
        """Chance that the next failure loses data, while ``failed`` drives are missing.

        All combinations that have lost nothing yet are equally likely. With one set it is 0 or
        1. With w sets of c drives, any c of n drives are one of the sets in w of C(n, c) cases.
        """
        if failed < self.tolerated:
            return 0.0
        if failed > self.tolerated or len(self.sets) == 1:
            return 1.0
        return min(len(self.sets) / math.comb(self.drives, self.tolerated + 1), 1.0)

    def critical(self, failed: int) -> float:
        """Share of what a rebuild restores that has just one source left.

        With one set that is all or nothing. With several, the share of the strips of a missing
        drive whose other copies, all but one, are missing too: of the c - 1 other drives of a
        set, c - 2 are among the ``failed`` - 1 others, given that not all of them are.
        """
        if failed < self.tolerated or self.tolerated == 0:
            return 0.0
        if len(self.sets) == 1:
            return 1.0
        n, c, others = self.drives, self.tolerated + 1, failed - 1
        cases = math.comb(n - 1, others)
        one_left = (c - 1) * math.comb(n - c, others - (c - 2))
        none_left = math.comb(n - c, others - (c - 1)) if others >= c - 1 else 0
        return one_left / (cases - none_left) if cases > none_left else 0.0


@dataclass(frozen=True)
class Redundancy:
    """A volume as equal groups.

    Attributes
    ----------
    group : one of them.
    groups : how many.
    share : of the volume, what is lost with a group: all of it where data is striped over groups.
    """

    group: Group
    groups: int
    share: float

    @property
    def drives(self) -> int:
        """Drives of all groups."""
        return self.groups * self.group.drives


def whole(drives: int, tolerated: int) -> Group:
    """A group in which any ``tolerated`` drives may fail: parity, or no redundancy."""
    return Group(drives, tolerated, (tuple(range(drives)),), drives - tolerated)


def mirror(copies: int) -> Group:
    """A group of drives that hold the same."""
    return Group(copies, copies - 1, (tuple(range(copies)),), 1)


def ring(drives: int, copies: int = 2) -> Group:
    """A group in which ``copies`` neighbours hold each strip: RAID 1E."""
    turns = [sorted((first + i) % drives for i in range(copies)) for first in range(drives)]
    return Group(drives, copies - 1, tuple(sorted({tuple(turn) for turn in turns})), 1)


def redundancy(volume: VolumeSpec) -> Redundancy:
    """The groups of a volume."""
    layout = volume.layout
    if layout is None or layout["family"] == CONCATENATED:
        return Redundancy(whole(1, 0), volume.drives, 1 / volume.drives)
    if layout["family"] == PARITY:
        return Redundancy(
            whole(int(layout["span_drives"]), int(layout["parity"])), int(layout["spans"]), 1.0
        )
    if layout["family"] == MIRRORED:
        group, in_span = _mirrored(layout)
        return Redundancy(group, in_span * int(layout["spans"]), 1.0)
    return Redundancy(whole(volume.drives, 0), 1, 1.0)


def tolerated_still(volume: VolumeSpec) -> int:
    """Drives that may fail beside those that have, whichever they are."""
    shape, missing = redundancy(volume), set(volume.failed)
    lost = max(
        sum(first + drive in missing for drive in alike)
        for first in range(0, shape.drives, shape.group.drives)
        for alike in shape.group.sets
    )
    return max(volume.failures_tolerated - lost, 0)


def _mirrored(layout: np.void) -> tuple[Group, int]:
    """Return the group of a mirrored span, and how many such a span has.

    Where copies lie repeats after as many strips as there are drives.
    """
    n, copies = int(layout["span_drives"]), int(layout["copies"])
    strips = max(min(n, int(layout["span_size"] // layout["strip"])), 1)
    sets = {
        tuple(sorted(strip_place(layout, strip, copy)[0] for copy in range(copies)))
        for strip in range(strips)
    }
    if len(sets) * copies == n:  # none has a drive in common with another
        return mirror(copies), len(sets)
    if len(sets) == 1:  # a volume of less than a row
        return mirror(copies), 1
    return Group(n, copies - 1, tuple(sorted(sets)), 1), 1

"""What firmware of disks does by class and year, where a new card's base is of another class.

SATA disks of desktop computers up to 2011 sort few commands and few cached writes: by
CrystalDiskMark on seven disks and arrays of 2008 to 2010, reads with 32 outstanding within 1 GiB
are 2 to 2.8 times as many as alone (a disk that sorts all 32 has 3.5 times), and cached writes 0.9
to 2.5 times as many as seek and rotation leave one at a time. The figures are in
docs/background/measured-crystaldiskmark-blind.tsv.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.cards.card import Card

SORTS_ALL = 2012
"""From this year on SATA disks sort what they have taken."""


@dataclass(frozen=True)
class ClassValue:
    """A count of a class, from where to where it may be, and why."""

    value: float
    span: tuple[float, float]
    because: str
    note: str


_OLD_SATA = {
    "queue.window": ClassValue(
        8,
        (2, 32),
        "reads with 32 outstanding were 2 to 2.8 times as many as alone; 32 would give 3.5",
        "class: SATA disks up to 2011",
    ),
    "write_cache.entries": ClassValue(
        4,
        (1, 32),
        "cached writes were 0.9 to 2.5 times as many as seek and rotation leave one at a time",
        "class: SATA disks up to 2011",
    ),
}


def of_class(name: str, like: Card, year: int | None) -> ClassValue | None:
    """Return the class's value of a new disk of ``year``; None if the base is as near."""
    if like.kind != "hdd" or year is None or year >= SORTS_ALL:
        return None
    if like.word("link.interface") != "sata" or (like.year is not None and like.year < SORTS_ALL):
        return None
    return _OLD_SATA.get(name)

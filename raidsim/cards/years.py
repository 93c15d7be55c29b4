"""The first year of each kind of hardware: no card can have an earlier year of launch."""

from __future__ import annotations

from raidsim.errors import quote

FIRST = {
    "hdd": 1956,  # the IBM 350
    "ssd": 1991,  # SanDisk's first solid state drive of flash
    "controller": 1986,  # SCSI, which is what the first host bus adapters were for
    "host": 1956,  # the first one that a disk was in
}
"""By kind of a card: the year of the first hardware of that kind."""

LAST = 2100
"""Far ahead of any hardware that is sold."""


def fault_of(kind: str, year: object) -> tuple[str, str] | None:
    """Return cause and remedy if a year of launch is wrong for a kind of card; else None."""
    first = FIRST[kind]
    remedy = f"give the year of its launch, {first} or later, such as 2018"
    if type(year) is not int or not 0 < year <= LAST:
        return f"{quote(year)} is not a year of a launch", remedy
    if year < first:
        return f"there was no {kind} in {year} yet", remedy
    return None

"""Properties of SATA disks of desktop computers by year; the bases of new cards are server disks.

The figures are in docs/background/measured-crystaldiskmark-blind.tsv, and those of one disk in
measured-single-drives-blind.tsv beside it.

- Up to 2011 firmware sorts few cached writes. CrystalDiskMark on seven disks and arrays of 2008 to
  2010 shows this within 1 GiB: cached writes are 0.9 to 2.5 times as many as single writes with
  seek and rotation. Reads with 32 outstanding are 2 to 2.8 times as many as alone. A disk that
  sorts all 32, and whose arm takes time to stop, has 2.7 times.
- Up to 2016 the arm settles slowly. Single reads within 1 GiB took four disks of 2009 to 2013 0.5
  to 0.75 ms longer than with the 0.23 ms to the next cylinder that near-line disks print. Sheets
  of SATA disks for personal computers print 1.0 ms before a read and 1.1 ms before a write (Hitachi
  5K320 and 7K320, OEM specifications, 4.4.2.3).
- Up to 2016 the arm of most of them has one stage: a voice coil, without a small actuator near the
  head (the first SATA disk with both is WD's Caviar Black of 2 TB of 2009). After a seek over more
  than some cylinders it has to stop and settle. Nine such disks of 1993 to 2004 whose seeks were
  measured need 14 to 35 % of the average seek for that, less the seek to the next cylinder. From
  15 to 22 % the curve through three seeks of a sheet is nearest to what was measured
  (docs/decisions/0135-stopping-takes-time.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.cards.card import Card


@dataclass(frozen=True)
class ClassValue:
    """A value of SATA disks up to a year, from where to where it may be, and why; in base units."""

    until: int
    value: float
    unit: str
    span: tuple[float, float]
    because: str

    @property
    def note(self) -> str:
        """Where it is from."""
        return f"class: SATA disks up to {self.until}"


_READS_SETTLE = "within 1 GiB a read took 0.5 to 0.75 ms longer than with near-line disks' 0.23 ms"

_ARMS_SETTLE = "nine disks with measured seeks need 14 to 35 %; arms with two stages hardly any"

_OF_DESKTOPS = {
    "queue.window": ClassValue(
        2011, 32, "1", (4, 32),
        "reads with 32 outstanding were 2 to 2.8 times as many as alone: sorting all gives 2.7",
    ),
    "write_cache.entries": ClassValue(
        2011, 4, "1", (1, 32),
        "cached writes were 0.9 to 2.5 times as many as seek and rotation leave one at a time",
    ),
    "seek.read_single": ClassValue(2016, 0.8e-3, "ms", (0.2e-3, 1.2e-3), _READS_SETTLE),
    "seek.write_single": ClassValue(
        2016, 0.9e-3, "ms", (0.25e-3, 1.5e-3), f"{_READS_SETTLE}; a write settles a little longer"
    ),
    "seek.settle": ClassValue(2016, 0.15, "%", (0.05, 0.35), _ARMS_SETTLE),
}  # fmt: skip


def of_class(name: str, like: Card, year: int | None) -> ClassValue | None:
    """Return the class's value of a new disk of ``year``; None if the base is as near.

    A base is as near if it is of those years too, and its own card gives the value. What it has
    from its own base is often the value of a disk for servers, and a default is no statement. A
    value that was fitted to its figures is that of one disk; the class is of several.
    """
    found = _OF_DESKTOPS.get(name)
    if found is None or like.kind != "hdd" or like.word("link.interface") != "sata":
        return None
    if year is None or year > found.until:
        return None
    if like.year is None or like.year > found.until:
        return found
    unsaid = ("calibrated", "default")
    own = name not in like.origins and like.sources[name].source not in unsaid
    return None if own else found

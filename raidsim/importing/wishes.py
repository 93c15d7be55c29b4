"""What the user says that files leave open."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wishes:
    """What the user says that files leave open.

    Attributes
    ----------
    group : which of several groups of a file of loads, from 1.
    capacity : bytes of the volume, for sizes in percent.
    outstanding : I/Os outstanding, of loads that statistics tell of.
    at_rate : their rate is to be kept, however many I/Os that leaves outstanding.
    random : their share of random accesses, from 0 to 1.
    device : which device is meant, of several.
    """

    group: int | None = None
    capacity: float | None = None
    outstanding: int | None = None
    at_rate: bool = False
    random: float | None = None
    device: str | None = None

"""Values from the user that the files do not give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wishes:
    """Values from the user that files do not give.

    Attributes
    ----------
    group : which of several groups of a file of loads, from 1.
    capacity : bytes of the volume, for sizes in percent; of the largest, if none is given.
    capacities : bytes of the volumes in the files, by device, if no capacity is given.
    outstanding : outstanding I/Os, of loads from statistics.
    at_rate : their rate is to be kept, with any number of outstanding I/Os.
    random : their share of random accesses, from 0 to 1.
    device : which device is meant, of several.
    """

    group: int | None = None
    capacity: float | None = None
    outstanding: int | None = None
    at_rate: bool = False
    random: float | None = None
    device: str | None = None
    capacities: Mapping[str, int] = field(default_factory=dict)

    def room(self, device: str | None) -> int | None:
        """Bytes of the volume that a load on this device runs on, as far as they are known."""
        known = self.capacities.get(f"dev:{device}") if device is not None else None
        return known or (None if self.capacity is None else int(self.capacity))

"""Which parts of a system were compared with measurements, and how far models may be off: data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Compared:
    """What models leave out of the figures of a system: standard deviations of their logarithms.

    It comes on top of the error of sampling and of what cards do not know, and is the larger the
    less of the system was compared with measurements.
    """

    slower: float  # where a system is slower than simulated
    faster: float  # where it is faster
    tail: float  # where percentiles from the 95th on are longer
    uncompared: list[str] = field(default_factory=list)  # cards compared with no measurement
    stand_ins: list[str] = field(default_factory=list)  # cards that stand in for other parts
    measured_apart: list[str] = field(default_factory=list)  # cards never compared in one system

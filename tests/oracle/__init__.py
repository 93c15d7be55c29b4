"""Queueing networks once more, as plain SimPy: slow, readable, independent of the kernel.

Nothing here imports raidsim. Service, arrival and think times are given, so that a run can be
compared with the compiled kernel event for event.
"""

from oracle.network import Fork, OracleNetwork, Outcome, Visit
from oracle.station import FIFO, LIFO, PRIORITY, Station

__all__ = [
    "FIFO",
    "LIFO",
    "PRIORITY",
    "Fork",
    "OracleNetwork",
    "Outcome",
    "Station",
    "Visit",
]

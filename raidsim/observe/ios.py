"""The I/Os of a load one by one: when each was issued, submitted and completed, and its kind.

They are only kept on request, since a run may complete millions. A :class:`Keeper` requests them,
and keeps for each point the data that it makes from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from raidsim.observe import figures
from raidsim.system.system import System

MOST = 1_000_000
"""I/Os that are kept of the window of a point: with what else is made of them, some 100 MB."""

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Ios:
    """The I/Os of one load that completed in the window, in the order of their completions.

    All times are ns since the window opened: what was issued before it has a time below zero.

    Attributes
    ----------
    worker : which worker of the load issued it, from 0 on.
    op : READ or WRITE.
    offset, length : bytes, in the volume.
    issued, submitted, completed : when its worker issued it, had spent the CPU time of its
        submission, and had it back.
    ios, bytes : all that completed in the window, reads and writes. These are more than are
        listed where the window had more of them than are kept.
    span : length of the window, ns.
    seconds : how long the load ran in it.
    """

    worker: NDArray[np.int64]
    op: NDArray[np.int64]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    issued: NDArray[np.int64]
    submitted: NDArray[np.int64]
    completed: NDArray[np.int64]
    ios: tuple[int, int]
    bytes: tuple[int, int]
    span: int
    seconds: float

    @property
    def left_out(self) -> int:
        """I/Os of the window that are not listed."""
        return sum(self.ios) - len(self.op)

    def of_worker(self, worker: int) -> Ios:
        """The I/Os of one worker that are listed."""
        mine = self.worker == worker
        return Ios(
            self.worker[mine],
            self.op[mine],
            self.offset[mine],
            self.length[mine],
            self.issued[mine],
            self.submitted[mine],
            self.completed[mine],
            self.ios,
            self.bytes,
            self.span,
            self.seconds,
        )


def of(system: System, streams: Sequence[int], workers: int) -> Ios:
    """The I/Os of a load, by the streams of its workers; a load that began again has more."""
    rows = system.world.ios[: int(system.state["logged"])]
    worker_of = np.full(system.count("streams") + 1, -1, np.int64)
    for number, stream in enumerate(streams):
        worker_of[stream] = number % workers
    worker = worker_of[rows["stream"]]
    mine = worker >= 0
    rows = rows[mine]
    origin = int(system.state["slice_origin"])
    counted = system.world.streams[list(streams)]
    ios, size = counted["window_ios"].sum(axis=0), counted["window_bytes"].sum(axis=0)
    return Ios(
        worker=worker[mine],
        op=rows["op"].astype(np.int64),
        offset=rows["offset"].copy(),
        length=rows["length"].copy(),
        issued=rows["issued"] - origin,
        submitted=rows["submitted"] - origin,
        completed=rows["completed"] - origin,
        ios=(int(ios[0]), int(ios[1])),
        bytes=(int(size[0]), int(size[1])),
        span=figures.span(system),
        seconds=figures.seconds_of(system, streams),
    )


class Keeper(Generic[Kept]):
    """Requests a record of the I/Os of a run, and keeps the data made from it, point by point.

    Parameters
    ----------
    make
        Makes the data to keep from the I/Os of a load.
    most
        I/Os of a point that are recorded, of all its loads together.

    Attributes
    ----------
    found
        By the key of the point, and then by load.
    """

    def __init__(self, make: Callable[[Ios], Kept], most: int = MOST) -> None:
        self.make = make
        self.most = most
        self.found: dict[float, dict[str, Kept]] = {}

    def begin(self, system: System) -> None:
        """Have the I/Os of a point noted from now on."""
        system.log_ios(self.most)

    def take(
        self, value: float, system: System, loads: Mapping[str, tuple[Sequence[int], int]]
    ) -> None:
        """Keep those of a point that was measured, by the streams and workers of its loads."""
        found = self.found.setdefault(value, {})
        for name, (streams, workers) in loads.items():
            if streams:
                found[name] = self.make(of(system, streams, workers))

"""The input from which a format reads a trace, and what a format must have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raidsim.trace.counts import Counts
from raidsim.trace.names import Names
from raidsim.trace.request import FLUSH, MOST_BYTES, OPS, TIMED, Requests
from raidsim.trace.stream import Source

SECTOR = 512
NONE = np.nan

Action = Literal["Q", "D"]


@dataclass(frozen=True)
class Options:
    """The options that a user may give for a trace.

    Attributes
    ----------
    action : which event of blktrace is a request: Q, as it was asked for, or D, as the device got
        it; None: Q, or D where there is no Q.
    columns : of a CSV, which column is what; empty: its header says so itself.
    sector : bytes of the unit in which the format counts addresses; None: the usual one.
    """

    action: Action | None = None
    columns: tuple[str, ...] = ()
    sector: int | None = None


@dataclass(frozen=True)
class Head:
    """The beginning of a trace, by which its format is recognised.

    Attributes
    ----------
    data : the first 64 KiB, unpacked.
    whole : whether that is all.
    """

    data: bytes
    whole: bool

    def lines(self, most: int = 50) -> list[bytes]:
        """The first whole lines that are not empty."""
        found = self.data.split(b"\n")
        if not self.whole and len(found) > 1:
            found.pop()
        return [line.strip() for line in found if line.strip()][:most]

    def begins_with(self, pattern: re.Pattern[bytes]) -> bool:
        """Return whether the first line matches."""
        lines = self.lines(1)
        return bool(lines) and bool(pattern.fullmatch(lines[0]))

    def all_are(self, pattern: re.Pattern[bytes], most_others: float = 0.5) -> bool:
        """Return whether lines match, but for a share of others."""
        lines = self.lines()
        matching = sum(bool(pattern.fullmatch(line)) for line in lines)
        return matching > 0 and matching >= (1 - most_others) * len(lines)


@dataclass
class Scan:
    """One pass through a trace.

    Attributes
    ----------
    source : the file.
    options : what the user says of it.
    counts : what was met so far.
    volumes : their names so far.
    ticks : units of its times in a second, where the format alone does not say that.
    """

    source: Source
    options: Options
    counts: Counts = field(default_factory=Counts)
    volumes: Names = field(init=False)
    ticks: int | None = None

    def __post_init__(self) -> None:
        self.volumes = Names(self.source.path)

    @property
    def sector(self) -> int:
        """Bytes of a sector, for formats that count in sectors."""
        return self.options.sector or SECTOR

    def in_bytes(self, sectors: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sectors in bytes; -1, which no request has, where that is beyond every volume."""
        fits = sectors <= MOST_BYTES // self.sector
        return np.where(fits, np.where(fits, sectors, 0) * self.sector, -1)

    def requests(
        self,
        lines: NDArray[np.int64],
        *,
        tick: ArrayLike,
        op: ArrayLike,
        volume: ArrayLike,
        offset: NDArray[np.int64],
        size: NDArray[np.int64],
        response: ArrayLike = NONE,
    ) -> Requests:
        """Requests of some lines; those that no drive could do are counted instead.

        Parameters
        ----------
        lines
            The line of each, for messages.
        """
        op = np.broadcast_to(np.asarray(op), np.shape(lines))
        fits = (offset >= 0) & (size >= 0) & (offset <= MOST_BYTES) & (size <= MOST_BYTES)
        fits &= np.where(fits, offset, 0) + np.where(fits, size, 0) <= MOST_BYTES
        for line in lines[~fits]:
            self.counts.refuse(int(line), "ends beyond 2^62 bytes; no volume is so large")
        empty = fits & (size == 0) & (op != FLUSH)
        for kind in np.unique(op[empty]):
            number = int((op[empty] == kind).sum())
            self.counts.pass_over(f"{OPS[int(kind)]} of 0 bytes", number)
        keep = fits & ~empty
        out = np.empty(int(keep.sum()), TIMED)
        given = {"tick": tick, "op": op, "volume": volume, "response": response}
        for name, values in given.items():
            out[name] = np.broadcast_to(np.asarray(values), np.shape(lines))[keep]
        out["offset"] = offset[keep]
        out["size"] = size[keep]
        flushes = out["op"] == FLUSH
        out["offset"][flushes] = 0
        out["size"][flushes] = 0
        return out


class Format(Protocol):
    """A format of traces: a module with these names."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module has constants
        """The name for `--format`."""

    @property
    def TITLE(self) -> str:  # noqa: N802
        """The name for readers."""

    @property
    def TICKS(self) -> int:  # noqa: N802
        """Units of its times in a second."""

    @property
    def TAKES(self) -> tuple[str, ...]:  # noqa: N802
        """Which of `Options` mean something for it."""

    def recognises(self, head: Head) -> bool:
        """Return whether a file that begins so can be nothing else."""

    def read(self, scan: Scan) -> Iterator[Requests]:
        """Requests in the order of the file, as arrays of TIMED."""

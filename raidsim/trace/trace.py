"""A trace as an object: its requests in memory, its figures, its picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.trace import info as figures
from raidsim.trace.counts import Counts
from raidsim.trace.file import TraceFile, open_trace
from raidsim.trace.reading import Action
from raidsim.trace.request import REQUEST, Requests

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE_OF_MEMORY = 0.5


class Trace:
    """A trace of block I/Os: what somebody's storage was asked for, and when.

    >>> trace = raidsim.Trace.read("web_0.csv.gz")  # doctest: +SKIP
    >>> print(trace.info().rate, trace.requests["size"].mean())  # doctest: +SKIP

    Attributes
    ----------
    path : the file.
    format : name of its format.
    title : what people call that format.
    """

    def __init__(self, file: TraceFile, volume: str | None = None) -> None:
        self._file = file
        self._volume = volume
        self._shift = 0.0
        self._info: figures.TraceInfo | None = None
        self.path = file.path
        self.format = file.format
        self.title = file.title

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002 - the word that users know
        *,
        columns: str | Sequence[str] | Mapping[str, str] | None = None,
        action: Action | None = None,
        sector: int | None = None,
        volume: str | None = None,
    ) -> Trace:
        """A trace in a file, which may be packed with gzip or zstd.

        Nothing but its beginning is read before something of it is asked for.

        Parameters
        ----------
        path
            The file.
        format
            Name of its format, such as "msr"; None where the file can be nothing else.
        columns
            Of a CSV, which column is what: ``"time=TS [us], op=Type, offset=LBA [sectors],
            size=Bytes [B]"``.
        action
            Of blktrace, "Q" (as asked for) or "D" (as the device got them).
        sector
            Bytes of a sector, in formats that count sectors; None: 512.
        volume
            Only the requests to this volume, by the name that the trace has for it.

        Raises
        ------
        InputError
            The file cannot be read, is of no known format, or could be of several.
        """
        return cls(open_trace(path, format, columns, action=action, sector=sector), volume)

    def blocks(self, rows: int = 65_536) -> Iterator[Requests]:
        """Requests as arrays of at most so many, for traces of any length.

        Fields: ``time`` (s since the first request), ``op`` (0 read, 1 write, 2 trim, 3 flush),
        ``volume`` (index into `volumes`), ``offset`` and ``size`` (bytes), ``response`` (s, NaN
        where the trace has none).

        Raises
        ------
        InputError
            The file cannot be read, there is no request in it, or none to the volume asked for; or
            the number of rows is none.
        """
        given: Any = rows
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            cause = f"{quote(given)} is not a number of requests"
            raise InputError([Problem("blocks()", None, "rows", cause, "give 1 or more")])
        return self._blocks(rows)

    def _blocks(self, rows: int) -> Iterator[Requests]:
        if self._volume is None:
            yield from self._file.blocks(rows)
            return
        first: float | None = None
        for block in self._file.blocks(rows):
            names = self._file.volumes
            if self._volume not in names:
                continue
            found = block[block["volume"] == names.index(self._volume)]
            if len(found):
                first = self._shift = float(found["time"][0]) if first is None else first
                found["time"] -= first
                yield found
        if first is None:
            known = self._file.volumes
            remedy = suggest(self._volume, known) or f"it has {', '.join(known[:10])}"
            cause = f'there is no request to a volume "{self._volume}"'
            raise InputError([Problem(self.path, None, None, cause, remedy)])

    @cached_property
    def requests(self) -> Requests:
        """All requests as one array, with the fields that `blocks` names.

        Raises
        ------
        InputError
            As for `blocks`; or they would take more than half of the memory of the computer.
        """
        most = _memory() * SHARE_OF_MEMORY / REQUEST.itemsize
        found: list[Requests] = []
        number = 0
        for block in self.blocks():
            number += len(block)
            if number > most / 2:  # they are copied once more, into one array
                cause = f"has more than {int(most / 2):,} requests, too many for half of the memory"
                remedy = "go through it with blocks(), or ask for info()"
                raise InputError([Problem(self.path, None, None, cause, remedy)])
            found.append(block)
        return np.concatenate(found)

    @property
    def begins(self) -> datetime | None:
        """When the first request came (UTC), if the trace says so; known once it was read."""
        begins = self._file.begins
        return None if begins is None else begins + timedelta(seconds=self._shift)

    @property
    def volumes(self) -> tuple[str, ...]:
        """Names of the volumes, each at its index; all of them once the trace was read."""
        return self._file.volumes

    @property
    def counts(self) -> Counts:
        """The counts of its reading: lines not understood, late requests, and so on."""
        return self._file.counts

    def info(self, progress: Callable[[float], None] | None = None) -> figures.TraceInfo:
        """Its figures: span, rate, sizes, footprint, miss-ratio curve and so on.

        It is read once, from start to end, in bounded memory.

        Parameters
        ----------
        progress
            Is called with the share of the file that was read, 0 to 1, again and again.

        Raises
        ------
        InputError
            As for `blocks`.
        """
        if self._info is None:
            self._info = figures.measure(
                self.path,
                self.format,
                self._told(progress) if progress else self.blocks(),
                lambda: self.volumes,
                lambda: self.counts,
                begins=lambda: self.begins,
            )
        return self._info

    def _told(self, progress: Callable[[float], None]) -> Iterator[Requests]:
        """The requests, while somebody is told how far it is."""
        whole = max(1, Path(self.path).stat().st_size)
        for block in self.blocks():
            progress(min(1.0, self.counts.bytes / whole))
            yield block

    def plot(self) -> Figure:
        """Draw its figures, as ``raidsim trace info --plot`` does; `savefig` writes it.

        Raises
        ------
        InputError
            As for `blocks`.
        """
        from raidsim.report import trace_plot  # noqa: PLC0415 - drawn above, when it is called for

        return trace_plot.figure(self.info())

    def __repr__(self) -> str:
        of = "" if self._volume is None else f", volume {self._volume}"
        return f'<Trace "{self.path}": {self._file.title}{of}>'


def _memory() -> int:
    """Bytes of memory of the computer; of one that does not say so, 8 GiB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30

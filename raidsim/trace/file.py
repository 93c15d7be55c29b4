"""A trace as a file: its format is found or named, and its requests come out in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from os import PathLike
from typing import get_args

from raidsim.errors import InputError, Problem, one_line, quote, refuse, suggest
from raidsim.trace import formats, order
from raidsim.trace.counts import Counts
from raidsim.trace.reading import Action, Format, Head, Options, Scan
from raidsim.trace.request import Requests
from raidsim.trace.stream import HEAD, Source

ROWS = 65_536
TAR_AT = 257
INSTEAD = {
    "columns": "leave it out, or name the format csv or parquet",
    "action": "leave it out: only traces of blktrace have several events for a request",
    "sector": "leave it out: the unit of its addresses is known",
}
"""What may be said of some formats only, and what to do where it was said of another one."""
IN_UNITS = "leave it out, and give it as the unit of the column, as in offset=LBA [4 KiB]"


class TraceFile:
    """A trace, which may be read from its start several times.

    Attributes
    ----------
    path : the file, as it was given.
    format : name of its format, as `--format` takes it.
    title : what people call that format.
    volumes : names of the volumes met so far; all of them after a pass.
    counts : what the pass under way, or the last one, has met.
    begins : when the first request came, if the trace says so.
    """

    def __init__(self, source: Source, format_: Format, options: Options) -> None:
        self._source = source
        self._format = format_
        self._scan = Scan(source, options)
        self.path = source.path
        self.format = format_.NAME
        self.title = format_.TITLE

    @property
    def volumes(self) -> tuple[str, ...]:
        """Names of the volumes met so far, each at the index that requests have."""
        return self._scan.volumes.all

    @property
    def counts(self) -> Counts:
        """What the pass under way, or the last one, has met so far."""
        return self._scan.counts

    @property
    def begins(self) -> datetime | None:
        """When the first request came, if the format has times of a calendar (UTC).

        Known once a pass has given requests.
        """
        epoch, origin = getattr(self._format, "EPOCH", None), self.counts.origin
        if epoch is None or origin is None:
            return None
        try:
            first = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=epoch)
            return first + timedelta(microseconds=origin * 10**6 // self._format.TICKS)
        except OverflowError:
            return None

    def blocks(self, rows: int = ROWS) -> Iterator[Requests]:
        """Requests from the start of the trace, as arrays of `REQUEST`.

        Times rise within an array and from one to the next. Counts and names of volumes begin
        anew with each call.

        Parameters
        ----------
        rows
            Most requests in an array.

        Raises
        ------
        InputError
            The file cannot be read, or there is no request in it.
        """
        scan = self._scan = Scan(self._source, self._scan.options)
        found = self._format.read(scan)
        ordered = order.in_order(found, scan.counts)
        # Some formats know their unit of time only when they have seen the header.
        blocks = order.from_first(ordered, lambda: scan.ticks or self._format.TICKS, scan.counts)
        if getattr(self._format, "WHOLE_SECONDS", False):
            blocks = order.spread(blocks, scan.counts)
        yield from order.in_blocks(blocks, rows)
        scan.counts.finished = True
        if not scan.counts.requests:
            _refuse_empty(self.path, self.title, scan.counts)


def open_trace(
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that users know
    columns: str | Sequence[str] | Mapping[str, str] | None = None,
    *,
    action: Action | None = None,
    sector: int | None = None,
) -> TraceFile:
    """A trace of block I/Os, to be read in blocks.

    Parameters
    ----------
    path
        The file; it may be packed with gzip or zstd.
    format
        Name of its format, one of those in ``raidsim.trace.formats.BY_NAME``; None where the file
        can be nothing else.
    columns
        Of a CSV, which column is what, in which unit:
        ``"time=Timestamp [us], op=Type [1=read 0=write], offset=LBA [sectors], size=4 [B]"``.
    action
        Of a trace of blktrace: "Q", I/Os as they were asked for, or "D", as the device got them.
        None: Q, or D where there is no Q.
    sector
        Bytes that a sector stands for, in formats that count in sectors; None: 512.

    Raises
    ------
    InputError
        The file cannot be read, is of no format known or could be of several, or an argument is
        wrong.
    """
    options = _options(columns, action, sector)
    source = Source.of(path)
    if options.columns and format is None:
        parquet = source.head().startswith(formats.PARQUET)
        if not parquet and b"\0" in source.head():
            refuse(source.path, "is not text, so it has no columns of CSV", "leave --columns out")
        format = "parquet" if parquet else "csv"  # noqa: A001 - columns are said of nothing else
    if format is None:
        return TraceFile(source, _heeding(_recognised(source), options), options)
    if format not in formats.BY_NAME:
        known = ", ".join(sorted(formats.BY_NAME))
        remedy = suggest(str(format), formats.BY_NAME) or f"known are {known}"
        cause = f"{quote(format)} is not a format of traces"
        if str(format).lower() in formats.NOT_OF_BLOCKS:
            cause = f"{quote(format)} is not read: {formats.NOT_OF_BLOCKS[str(format).lower()]}"
            remedy = "give the trace from which it was made"
        raise InputError([Problem(None, None, "--format", cause, remedy)])
    return TraceFile(source, _heeding(formats.BY_NAME[format], options), options)


def _heeding(format_: Format, options: Options) -> Format:
    """The format itself, if all that is said of it means something for it.

    What would be passed over in silence may have been meant to change every address.
    """
    problems = []
    for name, remedy in INSTEAD.items():
        if getattr(options, name) and name not in format_.TAKES:
            cause = f"does not apply to the format {format_.NAME}"
            unit = name == "sector" and "columns" in format_.TAKES
            problems.append(Problem(None, None, f"--{name}", cause, IN_UNITS if unit else remedy))
    if problems:
        raise InputError(problems)
    return format_


def _options(
    columns: str | Sequence[str] | Mapping[str, str] | None,
    action: Action | None,
    sector: int | None,
) -> Options:
    if isinstance(columns, str):
        columns = columns.split(",")
    elif isinstance(columns, Mapping):
        columns = [f"{name}={what}" for name, what in columns.items()]
    if action is not None and action not in get_args(Action):
        cause = f"{quote(action)} is not an event that can be used as a request"
        raise InputError([Problem(None, None, "--action", cause, "write Q or D")])
    if sector is not None and (
        isinstance(sector, bool) or not isinstance(sector, int) or not 1 <= sector <= 2**30
    ):
        raise InputError(
            [Problem(None, None, "--sector", f"{quote(sector)} is not a size of a sector")]
        )
    return Options(action, tuple(str(one) for one in columns or ()), sector)


def _recognised(source: Source) -> Format:
    """The one format that a file can be of."""
    data = source.head()
    if data[TAR_AT : TAR_AT + 5] == b"ustar":
        refuse(source.path, "is an archive of tar", "unpack it with tar -xf, and give a file of it")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        refuse(source.path, "is text in UTF-16", "write it as UTF-8")
    head = Head(data, whole=len(data) < HEAD)
    found = [one for one in formats.FORMATS if one.recognises(head)]
    if len(found) == 1:
        return found[0]
    if found:
        names = " or ".join(one.NAME for one in found)
        refuse(
            source.path, f"could be {names}", "say which with --format, in a scenario with format"
        )
    cause, remedy = formats.unlike(head)
    return refuse(source.path, cause, remedy)


def _refuse_empty(path: str, title: str, counts: Counts) -> None:
    problems = [Problem(path, one.line, None, one_line(one.reason)) for one in counts.examples]
    cause = f"has no request that could be read as {title}"
    if counts.cut_short:
        cause += f"; {counts.cut_short}"
    if counts.passed_over:
        kinds = ", ".join(f"{kind}: {number:,}" for kind, number in counts.passed_over.items())
        cause += f"; left out were {kinds}"
    raise InputError([Problem(path, None, None, cause), *problems])

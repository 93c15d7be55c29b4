"""The keys of a load that replays a trace."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field

from raidsim.scenario.fields import Choice, Count, Line, Number, Quantity
from raidsim.trace.formats import BY_NAME


class Replay(NamedTuple):
    """A trace, and how it is replayed."""

    file: Annotated[str, Line(), Field(description="path of the trace, plain or compressed")]
    format: Annotated[
        str | None,
        Choice(tuple(sorted(BY_NAME))),
        Field(description="its format; left out, it is recognised where that is certain"),
    ] = None
    columns: Annotated[
        str | None,
        Line(),
        Field(
            description='of a CSV: `"time=ts [us], op=type, offset=lba [sectors], size=len [B]"`'
        ),
    ] = None
    action: Annotated[
        str | None,
        Choice(("Q", "D")),
        Field(
            description="of blktrace: Q: requests as they were asked for; D: as the device got"
            " them; left out, Q if there are any"
        ),
    ] = None
    sector: Annotated[
        int | None,
        Quantity("size", above="0 B"),
        Field(description="of a format that counts in sectors: the size of one; left out, 512 B"),
    ] = None
    replay: Annotated[
        str,
        Choice(("timed", "closed", "gaps")),
        Field(
            description="when a request is issued: timed: at its time, whatever the system does;"
            " closed: as soon as fewer than `outstanding` are under way; gaps: one at a time, as"
            " long after the end of the one before as in the trace"
        ),
    ] = "timed"
    speed: Annotated[
        float, Number(1e9), Field(description="times and gaps are divided by this")
    ] = 1.0
    outstanding: Annotated[
        int | None, Count(1, 65536), Field(description="of a closed replay: requests under way")
    ] = None
    volumes: Annotated[
        tuple[Annotated[str, Line()], ...] | None,
        Field(
            description="volumes of the trace that are replayed, one behind the other; left out,"
            " its only one"
        ),
    ] = None
    slice: Annotated[
        tuple[Annotated[float, Quantity("time", high="876000 h")], ...] | None,
        Field(description="from when to when, since the first request of the trace"),
    ] = None
    beyond: Annotated[
        str,
        Choice(("refuse", "wrap", "scale")),
        Field(
            description="what becomes of addresses beyond the volume: refuse: so does the load;"
            " wrap: they begin again at its start; scale: all addresses shrink until they fit"
        ),
    ] = "refuse"

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
        Field(description="format of the trace; by default it is recognised where that is certain"),
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
            description="for blktrace: Q takes requests as they were made, D as the device got"
            " them; by default Q if there are any"
        ),
    ] = None
    sector: Annotated[
        int | None,
        Quantity("size", above="0 B"),
        Field(
            description="for a format that counts in sectors: the size of a sector; by default"
            " 512 B"
        ),
    ] = None
    replay: Annotated[
        str,
        Choice(("timed", "closed", "gaps")),
        Field(
            description="time at which a request is issued: timed: its time in the trace,"
            " whatever the"
            " system does; closed: as soon as fewer than `outstanding` are under way; gaps:"
            " one request at a time, each as long after the end of the previous one as in the"
            " trace"
        ),
    ] = "timed"
    speed: Annotated[
        float, Number(1e9), Field(description="times and gaps are divided by this")
    ] = 1.0
    outstanding: Annotated[
        int | None,
        Count(1, 65536),
        Field(description="for a closed replay: number of requests under way"),
    ] = None
    volumes: Annotated[
        tuple[Annotated[str, Line()], ...] | None,
        Field(
            description="volumes of the trace that are replayed, placed one behind the other; by"
            " default its only one"
        ),
    ] = None
    slice: Annotated[
        tuple[Annotated[float, Quantity("time", high="876000 h")], ...] | None,
        Field(
            description="start and end of the part to replay, since the first request of the trace"
        ),
    ] = None
    beyond: Annotated[
        str,
        Choice(("refuse", "wrap", "scale")),
        Field(
            description="treatment of addresses beyond the volume: refuse: the load is refused;"
            " wrap: they"
            " begin again at the start of the volume; scale: all addresses are reduced until"
            " they fit"
        ),
    ] = "refuse"

"""What the tables of a scenario are made of: the base of all, and the tables that stand in them."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from raidsim.scenario.fields import Count, Line, Quantity, table_only

Name = Annotated[str, Line()]
Size = Quantity("size", above="0 B", sectors=True)
Rate = Annotated[float, Quantity("rate", low="0.001 IO/s", high="100000 kIO/s")]
Table = BeforeValidator(table_only)


class Part(BaseModel):
    """A table of the file: frozen, with no keys but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Area(NamedTuple):
    """The part of a volume that a load touches; ``size`` None is all the rest of it."""

    offset: Annotated[int, Quantity("size", sectors=True), Field(description="first byte")] = 0
    size: Annotated[
        int | None,
        Quantity("size", above="0 B", sectors=True, word="rest"),
        Field(description="bytes from there"),
    ] = None


class SizeShare(NamedTuple):
    """One request size of a mix and the share of the requests that have it."""

    size: Annotated[int, Size, Field(description="request size")]
    share: Annotated[float, Quantity("share", above="0 %"), Field(description="of the requests")]


class Burst(NamedTuple):
    """A load that issues only in the first part of each period."""

    on: Annotated[
        float, Quantity("time", above="0 s", high="8760 h"), Field(description="issues this long")
    ]
    off: Annotated[
        float, Quantity("time", high="8760 h"), Field(description="then pauses this long")
    ]


class Hot(NamedTuple):
    """A share of the area that gets a share of the random accesses."""

    area: Annotated[float, Quantity("share", above="0 %"), Field(description="share of the area")]
    accesses: Annotated[float, Quantity("share"), Field(description="share of random accesses")]


class Limit(NamedTuple):
    """Where a load ends: at the first of these that is reached."""

    time: Annotated[
        float | None,
        Quantity("time", above="0 s", high="8760 h"),
        Field(description="simulated time"),
    ] = None
    ios: Annotated[int | None, Count(1), Field(description="I/Os issued")] = None
    bytes: Annotated[
        int | None,
        Quantity("size", above="0 B", high="1000000 TB"),
        Field(description="bytes requested"),
    ] = None

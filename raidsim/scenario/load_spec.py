"""The keys of a load in a scenario: which requests, how many, where, and when it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field

from raidsim.scenario.fields import Choice, Count, Flag, Number, Quantity, as_list, key
from raidsim.scenario.part import Area, Name, Part, Size, Table
from raidsim.scenario.replay import Replay


class SizeShare(NamedTuple):
    """One request size of a mix, the share of the requests that have it, and what these do."""

    size: Annotated[int, Size, Field(description="request size")]
    share: Annotated[float, Quantity("share", above="0 %"), Field(description="of the requests")]
    read: Annotated[
        float | None,
        Quantity("share"),
        Field(description="share of reads of this size; by default that of the load"),
    ] = None
    random: Annotated[
        float | None,
        Quantity("share"),
        Field(description="share of random accesses of this size; by default that of the load"),
    ] = None


class Requests(NamedTuple):
    """The requests of a load that have one size: how many of all, and what they do."""

    bytes: int
    share: float = 1.0
    read: float = 1.0
    random: float = 1.0
    trim: float = 0.0


class Zone(NamedTuple):
    """A part of the area with its share of the random accesses."""

    area: Annotated[float, Quantity("share", above="0 %"), Field(description="share of the area")]
    accesses: Annotated[float, Quantity("share"), Field(description="share of random accesses")]


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


class LoadSpec(Part):
    """A load: which requests, how many, where."""

    name: Name = key("name of the load", "load")
    volume: Name = key("volume it runs on", None, "the only volume")
    read: Annotated[float | None, Quantity("share")] = key(
        "share of reads", None, "none: give it, or that of each of the sizes"
    )
    trim: Annotated[float, Quantity("share")] = key(
        "share of trims (discards): requests that name data which is no longer needed; requests"
        " that are neither reads nor trims are writes",
        "0 %",
    )
    random: Annotated[float, Quantity("share")] = key(
        "share of random accesses; the others continue where the last sequential access of"
        " their worker ended",
        "100 %",
    )
    size: Annotated[int | None, Size] = key("request size", None, "none; give size or sizes")
    sizes: Annotated[tuple[Annotated[SizeShare, Table], ...], Field(min_length=1)] = key(
        "mix of request sizes: a list of { size, share }, with read and random for a size that has"
        " its own; the shares add up to 100 %",
        None, "none; give size or sizes",
    )  # fmt: skip
    align: Annotated[int, Size] = key(
        "requests start at multiples of this, from the start of the area",
        None, "the request size, of a mix the largest",
    )  # fmt: skip
    area: Annotated[Area, Table] = key(
        "part of the volume that is accessed", {"offset": "0 B", "size": "rest"}
    )
    workers: Annotated[int, Count(1, 1024)] = key(
        "processes, each with its own outstanding I/Os (or rate) and its own CPU time", 1
    )
    partitions: Annotated[bool, Flag()] = key(
        "each worker has an equal part of the volume to itself, and `area` lies in that part", False
    )
    outstanding: Annotated[
        tuple[Annotated[int, Count(1, 65536)], ...] | None, BeforeValidator(as_list)
    ] = key("closed load: I/Os outstanding per worker; a list is a sweep", None, "none")
    rate: Annotated[
        tuple[Annotated[float, Quantity("rate", low="0.001 IO/s", high="100000 kIO/s")], ...]
        | None,
        BeforeValidator(as_list),
    ] = key("open load: arrivals at this mean rate; a list is a sweep", None, "none")
    rate_distribution: Annotated[str, Choice(("exponential", "constant"))] = key(
        "variation of the times between arrivals: random arrivals (exponential: Poisson) or equal"
        " times (constant)",
        "exponential",
    )
    arrivals: tuple[Annotated[float, Quantity("time", high="8760 h")], ...] | None = key(
        "open load: the times of all arrivals, in order; it ends after the last", None, "none"
    )
    trace: Annotated[Replay | None, Table] = key(
        "trace to replay; it contains the requests and their times, and the load ends"
        " when it ends", None, "none"
    )  # fmt: skip
    within: Annotated[float | None, Quantity("time", above="0 s", high="1 h")] = key(
        "latency to stay within: the sweep is searched for the highest load that stays within it",
        None,
        "none",
    )
    within_percentile: Annotated[float | None, Quantity("share", low="50 %", high="99.99 %")] = key(
        "share of the I/Os whose latency must lie within `within`", None, "none: the mean must"
    )
    burst: Annotated[Burst | None, Table] = key(
        "issues only in the `on` part of each period", None, "none"
    )
    think: Annotated[float, Quantity("time", high="1 h")] = key(
        "closed load: time from a completion to the next issue in its place", "0 us"
    )
    think_distribution: Annotated[str, Choice(("constant", "exponential"))] = key(
        "how the think time varies around its mean", "constant"
    )
    hot: Annotated[Hot | None, Table] = key(
        "a share of the area gets a share of the random accesses", None, "none"
    )
    zones: tuple[Annotated[Zone, Table], ...] | None = key(
        "parts of the area, in order, with their shares of the random accesses: a list of"
        " { area, accesses }; either adds up to 100 %",
        None, "none",
    )  # fmt: skip
    zipf: Annotated[float | None, Number(5)] = key(
        "exponent of a Zipf distribution of random accesses over the aligned blocks", None, "none"
    )
    once: Annotated[bool, Flag()] = key(
        "random accesses return to a place only after their worker has accessed all places"
        " of the area, as in fio without `norandommap`", False
    )  # fmt: skip
    flush_every: Annotated[int, Count(0, 10**9)] = key(
        "closed load: after this number of writes of a worker its next request is a flush; the"
        " worker waits for it, whatever it has outstanding, as with fsync; 0 for no flushes",
        0,
    )
    fua: Annotated[bool, Flag()] = key(
        "writes are answered when they are on the medium, whatever volatile cache is in front of"
        " it (force unit access), as with O_DSYNC",
        False,
    )
    after: Name | None = key(
        "load further up in the file that must end before this"
        " one begins, with all loads that began with it; each"
        " group of loads is measured separately", None, "none: it begins at once",
    )  # fmt: skip
    priority: Annotated[int, Count(0, 3)] = key(
        "priority, 0 (first) to 3 (last): the order in which a drive's front end takes commands", 0
    )
    timeout: Annotated[float | None, Quantity("time", above="0 s", high="8760 h", word="none")] = (
        key("an I/O that takes longer counts as timed out; its drive continues with it", "none")
    )
    limit: Annotated[Limit, Table] = key(
        "the load ends at the first of these limits that is reached", {}, "none"
    )

    @property
    def intensities(self) -> tuple[float, ...]:
        """Its intensities: numbers of outstanding I/Os, or rates; empty for given arrivals."""
        return self.outstanding or self.rate or ()

    @property
    def mix(self) -> tuple[Requests, ...]:
        """Its requests, size by size, each with its own shares."""
        return tuple(
            Requests(
                one.size,
                one.share,
                (self.read or 0.0) if one.read is None else one.read,
                self.random if one.random is None else one.random,
                self.trim,
            )
            for one in self.sizes
        )

    @property
    def read_share(self) -> float:
        """Share of reads among all its requests."""
        return _shared((one.share, one.read) for one in self.mix)

    @property
    def random_share(self) -> float:
        """Share of random accesses among all its requests."""
        return _shared((one.share, one.random) for one in self.mix)

    @property
    def has_end(self) -> bool:
        """Whether it ends by itself."""
        ends = (self.limit.time, self.limit.ios, self.limit.bytes, self.arrivals, self.trace)
        return any(end is not None for end in ends)

    def extent(self, capacity: int, worker: int = 0) -> tuple[int, int]:
        """First byte and number of bytes that a worker accesses on a volume of `capacity` bytes.

        With ``partitions`` a part of the volume starts at a multiple of the alignment.
        """
        part = capacity
        if self.partitions:
            part = capacity // self.workers // self.align * self.align
        size = part - self.area.offset if self.area.size is None else self.area.size
        return (worker * part if self.partitions else 0) + self.area.offset, size

    def touched(self, capacity: int) -> int:
        """Number of bytes that all workers together access on a volume of `capacity` bytes."""
        _, size = self.extent(capacity)
        return size * (self.workers if self.partitions else 1)


LARGE = 4 * 2**20
"""Bytes of an I/O up to which as many I/Os are measured as of small ones. A larger one is thousands
of commands: it takes as much longer to simulate, and tells as much more."""


def share_of_ios(loads: Sequence[LoadSpec]) -> float:
    """Share of the usual number of I/Os that is enough where all of them are large, 0 to 1."""
    sizes = [one.size for load in loads for one in load.sizes or ()]
    if not sizes or any(load.trace is not None for load in loads):
        return 1.0
    return min(LARGE / min(sizes), 1.0)


def _shared(parts: Iterable[tuple[float, float]]) -> float:
    """Return the mean of the parts' shares over all; exact where they are equal."""
    known = list(parts)
    if len({share for _, share in known}) == 1:
        return known[0][1]
    return sum(weight * share for weight, share in known) / sum(weight for weight, _ in known)

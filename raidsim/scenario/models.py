"""What a scenario says: host, controllers, links, volumes, loads, and how to measure.

The fields are the keys of the file; each carries its meaning and its default,
from which the reference page is made. Values are plain numbers in base units:
seconds, bytes, hertz, and shares from 0 to 1. Where a table means more than its keys say, such as
a card that is loaded by its name, its class is called ``...Keys``, and `specs` has what it means.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from raidsim.kernel.replacement import described
from raidsim.kernel.replacement import names as policies
from raidsim.layout.arrange import WORDS
from raidsim.layout.mirrored import SPREADS
from raidsim.layout.parity import ROTATIONS
from raidsim.scenario.fields import (
    Choice,
    Count,
    Flag,
    Number,
    Quantity,
    as_list,
    key,
)
from raidsim.scenario.part import Area, Name, Part, Size, Table
from raidsim.scenario.replay import Replay
from raidsim.topology.lanes import SPEEDS

LEVELS = ("single", *WORDS)
"""Levels of a volume; single is one drive, jbod drives one behind the other."""

LATER_LEVELS = ("raid2", "raid3", "raid5e", "raid5ee", "raidz")
"""Levels that people may ask for and that this version does not simulate."""

CACHE_CHOICES = {
    "write": ("through", "back", "back-bad-battery"),
    "read_ahead": ("none", "ahead", "adaptive"),
    "io": ("direct", "cached"),
}
"""Modes of a controller's cache, by the key of a volume that chooses one."""


class SizeShare(NamedTuple):
    """One request size of a mix, the share of the requests that have it, and what these do."""

    size: Annotated[int, Size, Field(description="request size")]
    share: Annotated[float, Quantity("share", above="0 %"), Field(description="of the requests")]
    read: Annotated[
        float | None,
        Quantity("share"),
        Field(description="share of reads of this size; left out, that of the load"),
    ] = None
    random: Annotated[
        float | None,
        Quantity("share"),
        Field(description="share of random accesses of this size; left out, that of the load"),
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


class HostKeys(Part):
    """The server: its card, and the clock rate it runs at."""

    model: Name = key("card of the host: a name of `raidsim models`, or a path")
    clock: Annotated[float | None, Quantity("frequency", low="0.1 GHz", high="10 GHz")] = key(
        "clock rate of the CPUs; CPU times scale with it", None, "that of the card"
    )
    power_plan: Annotated[str, Choice(("performance", "default"))] = key(
        "settings of BIOS and operating system: performance: CPUs are always awake, at their clock"
        " rate; default: they run slower and sleep while there is little to do",
        "performance",
    )
    cpu_load: Annotated[bool, Flag()] = key(
        "default power plan: another process keeps the CPUs awake and at their clock rate, and"
        " gives way to the I/Os",
        False,
    )
    affinity: Annotated[str, Choice(("favourable", "unfavourable"))] = key(
        "where processes run: on the CPU that serves the interrupts of the drives, or on that of"
        " another socket, to which memory and data are remote",
        "favourable",
    )
    set: dict[str, Any] = key(
        'other values for the card, e.g. "submit.io_time" = "4 us"',
        {},
        "none",
    )


class ControllerKeys(Part):
    """A RAID controller or host bus adapter in the server."""

    name: Name = key("name of the controller", "controller")
    model: Name = key("card of the controller: a name of `raidsim models`, or a path")
    battery: Annotated[str, Choice(("good", "low", "learning", "absent"))] | None = key(
        "state of the battery (or of the flash module and its capacitor) that keeps the cache in a"
        " power cut; learning: it is being discharged and charged to learn its capacity",
        None, "good if the card has one, else absent",
    )  # fmt: skip
    set: dict[str, Any] = key(
        'other values for the card, e.g. "cache.size" = "1 GiB"',
        {},
        "none",
    )


class LinkSpec(Part):
    """What drives share on their way up: an expander with its wide port, a switch, a network."""

    name: Name = key("name of the link")
    to: Name | None = key(
        'what it leads to: a controller, another link, or "host"',
        None, "the only controller, or the host",
    )  # fmt: skip
    speed: Annotated[str, Choice(tuple(SPEEDS))] = key("kind and generation of its lanes")
    lanes: Annotated[int, Count(1, 64)] = key("lanes side by side: the width of the port", 1)


class VolumeKeys(Part):
    """A volume: drives under a RAID level."""

    name: Name = key("name of the volume", "data")
    level: Annotated[str, Choice(LEVELS, LATER_LEVELS)] = key(
        "RAID level; single is one drive, jbod several behind one another", "single"
    )
    drives: Annotated[int, Count(1, 1024)] = key("number of drives, all alike", 1)
    strip: Annotated[int, Size] = key(
        "data that lies together on one drive, in all levels but single", "64 KiB"
    )
    spans: Annotated[int, Count(1, 512)] | None = key(
        "arrays under RAID 10, 50 or 60", None, "two; RAID 10: as many as there are sets of copies"
    )
    copies: Annotated[int, Count(2, 16)] = key(
        "copies of each strip under RAID 1E and 10; RAID 1 has one on each drive", 2
    )
    spread: Annotated[str, Choice(tuple(SPREADS))] | None = key(
        "where copies lie: near (RAID 1E adjacent), offset (RAID 1E offset) or far, or the latter"
        " two within sets of as many drives as there are copies, as dm-raid has them; RAID 10 is"
        " then one array over all drives, as Linux md has it",
        None, "near; RAID 10: fixed sets of mirrored drives",
    )  # fmt: skip
    rotation: Annotated[str, Choice(tuple(ROTATIONS))] = key(
        "how parity wanders over the drives: the four ways of Linux md, the three of SNIA DDF, or"
        " not at all; those of RAID 6 that end in -6 have Q on the last drive",
        "left-symmetric",
    )
    parity_writes: Annotated[str, Choice(("fewest", "no-modify", "no-reconstruct"))] = key(
        "how parity is brought up to date: with the fewest commands, or never by"
        " read-modify-write, or never by reconstruct-write, where there is a choice",
        "fewest",
    )
    mirror_reads: Annotated[
        str | None,
        Choice(("shortest-queue", "nearest-head", "round-robin", "lowest-address", "linux-md")),
    ] = key(
        "which copy a read takes, unless it continues a sequential stream; lowest-address:"
        " whether it does or not; linux-md: as Linux md balances reads of RAID 1 and RAID 10",
        None, "as the host's card has it; shortest-queue on controllers; linux-md of far copies",
    )  # fmt: skip
    failed: Annotated[tuple[Annotated[int, Count(0, 1023)], ...], BeforeValidator(as_list)] = key(
        "drives that have failed before the run begins, counted from 0", [], "none"
    )
    spares: Annotated[int, Count(0, 64)] = key(
        "hot spares: drives of the same kind, one of which takes the place of one that fails", 0
    )
    rebuild_rate: Annotated[float | None, Quantity("share", low="1 %")] = key(
        "share of the time that rebuilds, checks and the like work while hosts do; all of it"
        " while they don't",
        None, "as the card of the controller or host has it",
    )  # fmt: skip
    rebuild_limit: Annotated[
        float | None, Quantity("bandwidth", low="0.001 MB/s", high="100000 MB/s", word="none")
    ] = key(
        'most of each drive that they go through in a second, such as "20 MB/s" (10^6 bytes)',
        "none",
    )
    rebuild_sample: Annotated[float, Quantity("share", low="0.001 %")] = key(
        "share of the rows of strips that rebuilds, checks and the like simulate, evenly spread:"
        " what they take in all is extrapolated",
        "100 %",
    )
    controller: Name | None = key(
        'controller that it is on; "host": the drives are on the server itself, and RAID is'
        " software of the operating system",
        None, "the only controller, or the host if there is none",
    )  # fmt: skip
    behind: Annotated[tuple[Name, ...], BeforeValidator(as_list)] = key(
        "link that its drives hang on; of several the drives take turns: drive 0 is behind the"
        " first, drive 1 behind the second",
        [], "none: straight on the ports",
    )  # fmt: skip
    write: Annotated[str, Choice(CACHE_CHOICES["write"])] = key(
        "write mode of the controller's cache: writes are acknowledged once they are on the drives,"
        " or once they are in the cache while its battery is good, or even if it is not",
        "through",
    )
    read_ahead: Annotated[str, Choice(CACHE_CHOICES["read_ahead"])] = key(
        "read mode of the controller's cache: reads fetch no more than asked, always what follows,"
        " or what follows once a stream is seen to be sequential",
        "none",
    )
    io: Annotated[str, Choice(CACHE_CHOICES["io"])] = key(
        "I/O mode of the controller's cache: what is read from drives is kept in it (cached) or"
        " not (direct)",
        "direct",
    )
    disk_cache: Annotated[str, Choice(("on", "off"))] | None = key(
        "volatile write caches of its drives", None, "as the card of the drive has it"
    )
    intent: Annotated[str, Choice(("none", "bitmap", "journal", "ppl"))] | None = key(
        "RAID by software of the operating system: what it notes of writes before it carries them"
        " out, and so what a resync after a power cut has to go through: none: all of the array;"
        " bitmap: the chunks that were written to last; journal: nothing, stripes under update are"
        " written again from it (what the journal's own drive takes is not simulated); ppl:"
        " nothing, parity of stripes under update is made right from logs on the members",
        None, "what the operating system of the host does: bitmap from `raid.bitmap_from` of its"
        " card on, else none",
    )  # fmt: skip
    bitmap_chunk: Annotated[int, Size] = key(
        "what a bit of the bitmap stands for: so many bytes of each drive", "64 MiB"
    )
    group_thread_cnt: Annotated[int, Count(0, 1024)] | None = key(
        "RAID with parity by software of the operating system: worker threads that handle its"
        " stripes, in each NUMA node of the host (`cpu.nodes`), as md has it in sysfs; 0: one"
        " thread for all",
        None, "`raid.threads` of the card of the host",
    )  # fmt: skip
    stripe_cache_size: Annotated[int, Count(17, 32768)] | None = key(
        "RAID with parity by software of the operating system: stripe heads that it keeps in"
        " memory, each a page of every drive, as md has it in sysfs; writes that wait in them"
        " together are carried out together",
        None, "`raid.stripe_cache` of the card of the host",
    )  # fmt: skip
    access: Annotated[str, Choice(("read-write", "read-only", "blocked"))] = key(
        "access policy: what hosts may do", "read-write"
    )
    drive: Name = key("card of the drive: a name of `raidsim models`, or a path")
    set: dict[str, Any] = key(
        'other values for the card, e.g. "flash.read_time" = "60 us"',
        {},
        "none",
    )
    state: Annotated[str, Choice(("fresh", "filled", "steady"))] = key(
        "what was done to solid state drives before: fresh: nothing was ever written; filled:"
        " all was written once, in sequence; steady: then the loads that write at random have"
        " done so until the write amplification is steady",
        "steady",
    )
    filled: Annotated[float, Quantity("share")] = key(
        "share of the capacity that holds data, from its start; the rest is trimmed, and serves"
        " as spare area",
        "100 %",
    )


class HybridKeys(Part):
    """A hybrid: a volume as cache or tier in front of another."""

    name: Name = key("name of the hybrid; loads run on it as on a volume", "hybrid")
    front: Name = key("the fast volume, which holds some blocks")
    back: Name = key("the large volume, whose addresses are those of the hybrid")
    controller: Name | None = key(
        'storage processor that it is on, with front and back behind it; "host": the server itself'
        " keeps it, and asks volumes on controllers through those",
        None, '"host"',
    )  # fmt: skip
    mode: Annotated[str, Choice(("cache", "tier"))] = key(
        "cache: the front has copies, and what the back gets later; tier: a block lives in the"
        " front or in the back, wherever it belongs by its heat",
        "cache",
    )
    write: Annotated[str, Choice(("back", "through", "around"))] = key(
        "of a cache: writes go into the front, and later to the back; into both; or into the back,"
        " and the front forgets the block",
        "back",
    )
    promote: Annotated[str, Choice(("first", "second", "never"))] = key(
        "which miss of a block brings it into the front (of a tier: which access within"
        " `interval`)",
        "first",
    )
    bypass: Annotated[int | None, Quantity("size", above="0 B", sectors=True, word="none")] = key(
        "longer sequential runs go past the front", "none"
    )
    evict: Annotated[str, Choice(policies())] = key(
        f"which block of a cache gives its place to another; {described()}", "lru"
    )
    block: Annotated[int, Size] = key(
        "unit of the map: a power of two from 4 KiB to 64 MiB", "64 KiB"
    )
    front_size: Annotated[int | None, Quantity("size", sectors=True, word="all")] = key(
        "so much of the front is used", "all"
    )
    back_offset: Annotated[int, Quantity("size", sectors=True)] = key(
        "where its region of the back begins", "0 B"
    )
    size: Annotated[int | None, Quantity("size", above="0 B", sectors=True, word="rest")] = key(
        "size of that region, and so of the hybrid, in whole blocks", "rest"
    )
    high: Annotated[float, Quantity("share")] = key(
        "share of the front that may be dirty: writes wait for room above it", "80 %"
    )
    low: Annotated[float, Quantity("share")] = key(
        "share of the front that may stay dirty: above it dirty blocks are written back", "10 %"
    )
    flush: Annotated[float, Quantity("time", above="0 s", high="8760 h")] = key(
        "after so long without a write all that is dirty is written back", "30 s"
    )
    copies: Annotated[int, Count(1, 1024)] = key(
        "write-backs, or moves of a tier, under way at a time", 16
    )
    copy_size: Annotated[int, Size] = key(
        "most contiguous data that is written back as one", "1 MiB"
    )
    interval: Annotated[float, Quantity("time", low="1 s", high="8760 h")] = key(
        "of a tier: heat, the number of accesses, halves after each", "10 min"
    )
    placement: Annotated[str, Choice(("in-place", "log"))] = key(
        "where writes go on the back: to their addresses, or gathered to full stripes one behind"
        " the other, where the back is free behind the addresses of the hybrid",
        "in-place",
    )
    warm: Annotated[Area | None, Table] = key(
        "part of the hybrid that is in the front when the run begins, from its start on as far as"
        " there is room",
        None, "none",
    )  # fmt: skip
    warm_share: Annotated[float, Quantity("share")] = key(
        "share of the blocks of `warm` that is there, evenly spread", "100 %"
    )
    buffer: Annotated[str, Choice(("through", "back", "back-bad-battery"))] = key(
        "write mode of the storage processor's own cache in front of both, as `write` of a volume",
        "through",
    )
    read_ahead: Annotated[str, Choice(CACHE_CHOICES["read_ahead"])] = key(
        "read mode of that cache", "none"
    )
    io: Annotated[str, Choice(CACHE_CHOICES["io"])] = key("I/O mode of that cache", "direct")


class LoadSpec(Part):
    """A load: which requests, how many, where."""

    name: Name = key("name of the load", "load")
    volume: Name = key("volume it runs on", None, "the only volume")
    read: Annotated[float | None, Quantity("share")] = key(
        "share of reads", None, "none; give it, or that of each of the sizes"
    )
    trim: Annotated[float, Quantity("share")] = key(
        "share of trims (discards): requests that say what need not be kept any more; what neither"
        " reads nor trims is written",
        "0 %",
    )
    random: Annotated[float, Quantity("share")] = key(
        "share of random accesses; the others continue where the last sequential access of"
        " their worker ended",
        "100 %",
    )
    size: Annotated[int | None, Size] = key("request size", None, "none; give size or sizes")
    sizes: Annotated[tuple[Annotated[SizeShare, Table], ...], Field(min_length=1)] = key(
        "mix of request sizes: a list of { size, share }, and read and random where a size has"
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
        "how the times between arrivals at a rate vary: as if by chance (Poisson), or not at all",
        "exponential",
    )
    arrivals: tuple[Annotated[float, Quantity("time", high="8760 h")], ...] | None = key(
        "open load: the times of all arrivals, in order; it ends after the last", None, "none"
    )
    trace: Annotated[Replay | None, Table] = key(
        "a trace that is replayed; it says what the requests are and when they come, and ends the"
        " load", None, "none"
    )  # fmt: skip
    within: Annotated[float | None, Quantity("time", above="0 s", high="1 h")] = key(
        "latency to stay within: the sweep is searched for the highest load that does", None, "none"
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
        "random accesses come to no place again before each worker was at all places of the area,"
        " as fio's do without `norandommap`", False
    )  # fmt: skip
    flush_every: Annotated[int, Count(0, 10**9)] = key(
        "closed load: after so many writes of a worker its next request is a flush, which it waits"
        " for whatever it has outstanding, as in fsync; 0 for none",
        0,
    )
    fua: Annotated[bool, Flag()] = key(
        "writes are answered once they are on the medium, whatever volatile cache is before it"
        " (force unit access), as O_DSYNC asks for",
        False,
    )
    after: Name | None = key(
        "load further up that has to be over before this one begins, and all that began with it:"
        " each group of loads is measured by itself", None, "none: it begins at once",
    )  # fmt: skip
    priority: Annotated[int, Count(0, 3)] = key(
        "0 (first) to 3 (last): which command a drive's front end takes first", 0
    )
    timeout: Annotated[float | None, Quantity("time", above="0 s", high="8760 h", word="none")] = (
        key("an I/O that takes longer counts as timed out; its drive goes on with it", "none")
    )
    limit: Annotated[Limit, Table] = key("the load ends at the first that is reached", {}, "none")

    @property
    def sweep(self) -> tuple[float, ...]:
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


def _shared(parts: Iterable[tuple[float, float]]) -> float:
    """What shares of parts come to of all; exact where they are equal."""
    known = list(parts)
    if len({share for _, share in known}) == 1:
        return known[0][1]
    return sum(weight * share for weight, share in known) / sum(weight for weight, _ in known)


class AirSpec(Part):
    """The air that the drives stand in, and how warm they are when the run begins."""

    ambient: Annotated[float, Quantity("temperature", low="-40 C", high="90 C")] = key(
        "temperature of the air at the drives", "25 C"
    )
    airflow: Annotated[float, Quantity("share")] = key(
        "airflow, relative to that for which the server is released", "100 %"
    )
    start: Annotated[str, Choice(("idle", "warm"))] = key(
        "drives begin as warm as they are when idle, or as the load makes them in the long run",
        "idle",
    )


class Measure(Part):
    """How long a point is measured, and how sure its result must be."""

    precision: Annotated[float, Quantity("share", low="0.01 %", high="50 %")] = key(
        "half width of the confidence interval of the throughput, relative, to reach", "1 %"
    )
    confidence: Annotated[float, Quantity("share", low="50 %", high="99.99 %")] = key(
        "confidence of the intervals", "95 %"
    )
    min_ios: Annotated[int, Count(1, 10**10)] = key("I/Os per point, at least", 50_000)
    max_ios: Annotated[int, Count(1, 10**10)] = key("I/Os per point, at most", 20_000_000)
    max_time: Annotated[float, Quantity("time", above="0 s", high="24 h")] = key(
        "simulated time per point, at most", "10 min"
    )
    duration: Annotated[float | None, Quantity("time", above="0 s", high="8760 h")] = key(
        "scenarios with events: how long to measure",
        None, "until all that the events began is over, loads that end by themselves too, and"
        " all machines are ready; without machines then as long as before the first event",
    )  # fmt: skip

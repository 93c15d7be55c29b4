"""The tables of a scenario: host, controllers, links, volumes, hybrids, air, and measurement.

The fields are the keys of the file. Each has its meaning and its default, from which the reference
page is made. Values are plain numbers in base units: seconds, bytes, hertz, and shares from 0 to 1.
If a table means more than its keys say, such as a card that is loaded by its name, its class is
called ``...Keys``, and `specs` has its meaning.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from raidsim.kernel.replacement import described
from raidsim.kernel.replacement import names as policies
from raidsim.layout.arrange import WORDS
from raidsim.layout.mirrored import SPREADS
from raidsim.layout.parity import ROTATIONS
from raidsim.scenario.fields import Choice, Count, Flag, Quantity, as_list, key
from raidsim.scenario.part import Area, Name, Part, Size, Table
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


class HostKeys(Part):
    """The server: its card, and the clock rate it runs at."""

    model: Name = key("card of the host: a name of `raidsim models`, or a path")
    stand_in: Annotated[bool, Flag()] = key(
        "the card is that of a similar server, because there is none of this one; intervals"
        " of `--unknowns` are then as wide as for known parts in another system, or, if the server"
        " does RAID itself, as for parts that were compared with no measurement",
        False,
    )
    clock: Annotated[float | None, Quantity("frequency", low="0.1 GHz", high="10 GHz")] = key(
        "clock rate of the CPUs; CPU times scale with it", None, "that of the card"
    )
    power_plan: Annotated[str, Choice(("performance", "default"))] = key(
        "settings of BIOS and operating system: performance: CPUs are always awake, at their clock"
        " rate; default: they run slower and sleep while there is little to do",
        "performance",
    )
    cpu_load: Annotated[bool, Flag()] = key(
        "with the default power plan: another process keeps the CPUs awake and at their clock"
        " rate, and gives way to the I/Os",
        False,
    )
    affinity: Annotated[str, Choice(("favourable", "unfavourable"))] = key(
        "place of processes: on the CPU that serves the interrupts of the drives, or on that of"
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
    stand_in: Annotated[bool, Flag()] = key(
        "the card is that of a similar controller, because there is none of this one; intervals"
        " of `--unknowns` are then as wide as for parts that were compared with no measurement",
        False,
    )
    battery: Annotated[str, Choice(("good", "low", "learning", "absent"))] | None = key(
        "state of the battery (or of the flash module and its capacitor) that keeps the cache in a"
        " power cut; learning: it is being discharged and charged to measure its capacity",
        None, "good if the card has one, else absent",
    )  # fmt: skip
    set: dict[str, Any] = key(
        'other values for the card, e.g. "cache.size" = "1 GiB"',
        {},
        "none",
    )


class LinkSpec(Part):
    """A link that drives share: an expander with its wide port, a switch, a network."""

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
        "contiguous data on one drive before the next drive follows; for all levels but single",
        "64 KiB",
    )
    spans: Annotated[int, Count(1, 512)] | None = key(
        "number of arrays under RAID 10, 50 or 60",
        None,
        "two; RAID 10: as many as there are sets of copies",
    )
    copies: Annotated[int, Count(2, 16)] = key(
        "copies of each strip under RAID 1E and 10; RAID 1 has one on each drive", 2
    )
    spread: Annotated[str, Choice(tuple(SPREADS))] | None = key(
        "places of copies: near (RAID 1E adjacent), offset (RAID 1E offset) or far; the other two"
        " words mean offset or far within sets of as many drives as there are copies, as in"
        " dm-raid. RAID 10 is then one array over all drives, as in Linux md",
        None, "near; RAID 10: fixed sets of mirrored drives",
    )  # fmt: skip
    rotation: Annotated[str, Choice(tuple(ROTATIONS))] = key(
        "rotation of parity over the drives: the four of Linux md, the three of SNIA DDF, or none;"
        " those of RAID 6 that end in -6 have Q on the last drive",
        "left-symmetric",
    )
    parity_writes: Annotated[str, Choice(("fewest", "no-modify", "no-reconstruct"))] = key(
        "method by which parity is updated where there is a choice: the one with the fewest"
        " commands, or never read-modify-write, or never reconstruct-write",
        "fewest",
    )
    mirror_reads: Annotated[
        str | None,
        Choice(("shortest-queue", "nearest-head", "round-robin", "lowest-address", "linux-md")),
    ] = key(
        "copy that a read takes if it does not continue a sequential stream; lowest-address also"
        " holds for streams; linux-md balances reads of RAID 1 and RAID 10 as Linux md does",
        None,
            "the value on the host's card; shortest-queue on controllers; linux-md for far copies",
    )  # fmt: skip
    failed: Annotated[tuple[Annotated[int, Count(0, 1023)], ...], BeforeValidator(as_list)] = key(
        "drives that have failed before the run begins, counted from 0", [], "none"
    )
    spares: Annotated[int, Count(0, 64)] = key(
        "number of hot spares: drives of the same kind; one of them replaces a drive that fails", 0
    )
    rebuild_rate: Annotated[float | None, Quantity("share", low="1 %")] = key(
        "share of the time for rebuilds, checks and other background work while hosts have I/Os"
        " under way; without such I/Os it takes all of the time",
        None, "as the card of the controller or host has it",
    )  # fmt: skip
    rebuild_limit: Annotated[
        float | None, Quantity("bandwidth", low="0.001 MB/s", high="100000 MB/s", word="none")
    ] = key(
        'highest rate of rebuilds, checks and resyncs on each drive, such as "20 MB/s" (10^6'
        " bytes); for a check or resync of RAID 1E or 10 by the host, highest rate of the array,"
        " as in Linux md",
        "none",
    )
    rebuild_sample: Annotated[float, Quantity("share", low="0.001 %")] = key(
        "share of the rows of strips that rebuilds, checks and other background work simulate,"
        " evenly spread; the time for all rows is extrapolated",
        "100 %",
    )
    controller: Name | None = key(
        'controller that the volume is on; "host": the drives are connected to the server itself,'
        " and RAID is software of the operating system",
        None, "the only controller, or the host if there is none",
    )  # fmt: skip
    behind: Annotated[tuple[Name, ...], BeforeValidator(as_list)] = key(
        "link that the drives are behind; with several links the drives take turns: drive 0 is"
        " behind the first, drive 1 behind the second",
        [], "none: straight on the ports",
    )  # fmt: skip
    write: Annotated[str, Choice(CACHE_CHOICES["write"])] = key(
        "write mode of the controller's cache: writes are answered when they are on the drives"
        " (through), or when they are in the cache while its battery is good (back), or in any"
        " state of the battery (back-bad-battery)",
        "through",
    )
    read_ahead: Annotated[str, Choice(CACHE_CHOICES["read_ahead"])] = key(
        "read mode of the controller's cache: a read fetches only the requested data (none), also"
        " the data behind it (ahead), or also the data behind it if reads are a sequential stream"
        " (adaptive)",
        "none",
    )
    io: Annotated[str, Choice(CACHE_CHOICES["io"])] = key(
        "I/O mode of the controller's cache: data read from drives is kept in it (cached) or not"
        " (direct)",
        "direct",
    )
    disk_cache: Annotated[str, Choice(("on", "off"))] | None = key(
        "volatile write caches of its drives", None, "as the card of the drive has it"
    )
    intent: Annotated[str, Choice(("none", "bitmap", "journal", "ppl"))] | None = key(
        "RAID by software of the operating system: its record of writes before they are carried"
        " out, which decides what a resync after a power cut goes through: none: all of the array;"
        " bitmap: the chunks that were written last; journal: nothing, because stripes under"
        " update are written again from the journal (the time of the journal's own drive is not"
        " simulated); ppl: nothing, because parity of stripes under update is corrected from logs"
        " on the members",
        None,
            "the default of the host's operating system: bitmap for drives of at least"
            " `raid.bitmap_from` of its card on, else none",
    )  # fmt: skip
    bitmap_chunk: Annotated[int, Size] = key(
        "number of bytes of each drive that one bit of the bitmap covers", "64 MiB"
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
    stand_in: Annotated[bool, Flag()] = key(
        "the card is that of a similar drive, because there is none of these drives; intervals"
        " of `--unknowns` are then as wide as for parts that were compared with no measurement",
        False,
    )
    set: dict[str, Any] = key(
        'other values for the card, e.g. "flash.read_time" = "60 us"',
        {},
        "none",
    )
    state: Annotated[str, Choice(("fresh", "filled", "steady"))] = key(
        "state of solid state drives before the run: fresh: nothing was ever written; filled: all"
        " was written once, in sequence; steady: after that, the loads that write at random have"
        " run until the write amplification no longer changes",
        "steady",
    )
    filled: Annotated[float, Quantity("share")] = key(
        "share of the capacity that contains data, from its start; the rest is trimmed, and is"
        " used as spare area",
        "100 %",
    )


class HybridKeys(Part):
    """A hybrid: a volume as cache or tier in front of another."""

    name: Name = key("name of the hybrid; loads run on it as on a volume", "hybrid")
    front: Name = key("the fast volume, which holds some blocks")
    back: Name = key("the large volume, whose addresses are those of the hybrid")
    controller: Name | None = key(
        'storage processor that the hybrid is on, with front and back behind it; "host": the'
        " server itself does its work, and reaches volumes on controllers through these",
        None, '"host"',
    )  # fmt: skip
    mode: Annotated[str, Choice(("cache", "tier"))] = key(
        "cache: the front contains copies of blocks, and data that goes to the back later; tier: a"
        " block is either in the front or in the back, as its heat decides",
        "cache",
    )
    write: Annotated[str, Choice(("back", "through", "around"))] = key(
        "for a cache: writes go into the front, and later to the back (back); into both (through);"
        " or into the back, and the block is dropped from the front (around)",
        "back",
    )
    promote: Annotated[str, Choice(("first", "second", "never"))] = key(
        "miss at which a block is brought into the front (for a tier: access within `interval`)",
        "first",
    )
    bypass: Annotated[int | None, Quantity("size", above="0 B", sectors=True, word="none")] = key(
        "sequential runs that are longer than this bypass the front", "none"
    )
    evict: Annotated[str, Choice(policies())] = key(
        f"which block of a cache gives its place to another; {described()}", "lru"
    )
    block: Annotated[int, Size] = key(
        "unit of the map: a power of two from 4 KiB to 64 MiB", "64 KiB"
    )
    front_size: Annotated[int | None, Quantity("size", sectors=True, word="all")] = key(
        "part of the front that is used", "all"
    )
    back_offset: Annotated[int, Quantity("size", sectors=True)] = key(
        "start of its region of the back", "0 B"
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
        "time without a write after which all dirty data is written back", "30 s"
    )
    copies: Annotated[int, Count(1, 1024)] = key(
        "write-backs, or moves of a tier, under way at a time", 16
    )
    copy_size: Annotated[int, Size] = key(
        "most contiguous data that is written back as one", "1 MiB"
    )
    interval: Annotated[float, Quantity("time", low="1 s", high="8760 h")] = key(
        "for a tier: time after which heat, the number of accesses, is halved", "10 min"
    )
    placement: Annotated[str, Choice(("in-place", "log"))] = key(
        "place of writes on the back: at their addresses (in-place), or joined to full stripes one"
        " behind the other (log), where the back is free behind the addresses of the hybrid",
        "in-place",
    )
    warm: Annotated[Area | None, Table] = key(
        "part of the hybrid that is in the front when the run begins: from its start, as far as"
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


class AirSpec(Part):
    """The air that the drives stand in, and how warm they are when the run begins."""

    ambient: Annotated[float, Quantity("temperature", low="-40 C", high="90 C")] = key(
        "temperature of the air at the drives", "25 C"
    )
    airflow: Annotated[float, Quantity("share")] = key(
        "airflow, relative to that for which the server is approved", "100 %"
    )
    start: Annotated[str, Choice(("idle", "warm"))] = key(
        "drives begin as warm as they are when idle, or as warm as the load makes them in the long"
        " run",
        "idle",
    )


class Measure(Part):
    """The length of a point's measurement, and the precision of its result."""

    precision: Annotated[float, Quantity("share", low="0.01 %", high="50 %")] = key(
        "half width of the confidence interval that is to be reached, relative to the throughput",
        "1 %",
    )
    confidence: Annotated[float, Quantity("share", low="50 %", high="99.99 %")] = key(
        "confidence of the intervals", "95 %"
    )
    min_ios: Annotated[int, Count(1, 10**10)] = key(
        "I/Os per point, at least; by default fewer if all I/Os are larger than 4 MiB: as much"
        " data as 50,000 of 4 MiB, at least 400 I/Os",
        50_000,
    )
    max_ios: Annotated[int, Count(1, 10**10)] = key("I/Os per point, at most", 20_000_000)
    max_time: Annotated[float, Quantity("time", above="0 s", high="24 h")] = key(
        "simulated time per point, at most", "10 min"
    )
    duration: Annotated[float | None, Quantity("time", above="0 s", high="8760 h")] = key(
        "scenarios with events: how long to measure",
        None,
            "until all that the events began has ended, with all loads that have an end, and all"
            " machines are ready; without machines then for as long as before the first event",
    )  # fmt: skip

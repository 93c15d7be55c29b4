# ruff: noqa: E501
"""What a card of each kind may contain: one table of attributes.

The checks of a card, the bounds of a fit, the output of ``raidsim models NAME`` and the reference
page of the cards are made from this table. Bounds are wide: they exclude what is physically
impossible, not what is unusual.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from raidsim import units
from raidsim.kernel.replacement import described
from raidsim.kernel.replacement import names as policies
from raidsim.layout.arrange import WORDS

Value = float | int | str | bool

UNKNOWN = "unknown"
"""Default of what a card may leave out: then it has no such value."""

SATA_TAGS = 32
"""Commands that a SATA drive queues at most: a tag of NCQ has five bits (Serial ATA 2.5)."""


@dataclass(frozen=True)
class Attribute:
    """One value of a card.

    Attributes
    ----------
    name : section and key, e.g. "flash.read_time".
    dimension : a key of ``units.DIMENSIONS``, "flag" for true/false, or "choice".
    meaning : what it is, in a line.
    default : as a text with unit; None if every card must say it, UNKNOWN if a card may
        leave it out and then has no such value.
    low, high : bounds as texts with unit, both included; None for flags and choices.
    choices : the words that a choice may be.
    """

    name: str
    dimension: str
    meaning: str
    default: str | bool | None = None
    low: str | None = None
    high: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """Whether a card must give it."""
        return self.default is None

    @property
    def is_number(self) -> bool:
        """Whether it has a unit and bounds."""
        return self.dimension not in ("flag", "choice")

    @property
    def unit(self) -> str:
        """The unit that the bounds are written in: a good one for this attribute."""
        if not self.is_number:
            return "1"
        return ([*str(self.high).split(maxsplit=1), "1"])[1]

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest value in base units (a flag: 0 and 1)."""
        if self.low is None or self.high is None:
            return (0, 1)
        return _bound(self.low, self.dimension), _bound(self.high, self.dimension)

    @property
    def default_value(self) -> Value | None:
        """The default in base units, or None if there is none."""
        if self.default is None or isinstance(self.default, bool):
            return self.default
        if self.default == UNKNOWN:
            return None
        if self.dimension == "choice":
            return self.default
        return units.parse(self.default, self.dimension)


@cache
def _bound(text: str, dimension: str) -> float:
    return units.parse(text, dimension)


@dataclass(frozen=True)
class CardKind:
    """A kind of card: what it describes, and its attributes in the order they are shown."""

    name: str
    meaning: str
    attributes: tuple[Attribute, ...]

    @cached_property
    def by_name(self) -> dict[str, Attribute]:
        """The attributes by their names."""
        return {a.name: a for a in self.attributes}

    @property
    def has_surface(self) -> bool:
        """Whether its surface and its seeks may be given as measured."""
        return "geometry.heads" in self.by_name


# Columns: name, dimension (or the words of a choice), low, high, default (None: required), meaning.
# One line each, so that it can be read as a table.
# fmt: off
_Row = tuple[str, str | tuple[str, ...], str | None, str | None, str | bool | None, str]

_CAPACITY: tuple[_Row, ...] = (
    ("capacity.user",                     "capacity",      "0.01 GB",      "1000 TB",      None,    "capacity that the host can address"),
    ("capacity.sector",                   "size",          "512 B",        "4096 B",       "512 B", "smallest addressable block (logical sector)"),
)

# What every drive has towards its host.
_FRONT: tuple[_Row, ...] = (
    ("link.interface",                    ("sata", "sas", "nvme", "pcie", "scsi"), None, None, None, "interface: SATA and parallel SCSI are half duplex, the others full duplex; pcie: PCIe without NVMe, with the maker's own protocol"),
    ("link.lanes",                        "count",         "1",            "16",           "4",     "NVMe and PCIe: lanes of the drive's own link; link.time_per_byte is the time of all lanes together"),
    ("link.time_per_byte",                "time_per_byte", "0.001 us/KiB", "1000 us/KiB",  None,    "time on the link per byte, each way; a bandwidth (payload) may be given"),
    ("command.latency",                   "time",          "0 us",         "1000 us",      None,    "fixed part of every command: doorbell or frames, fetch, completion, interrupt"),
    ("command.max_transfer",              "size",          "4 KiB",        "1048576 KiB",  None,    "longest command; the host splits longer requests"),
    ("command.queue_depth",               "count",         "1",            "65536",        "65536", "commands that the drive takes at a time (NCQ, TCQ); the others wait in the host. If the card of a SATA drive does not give it, 32"),
)

# What planners need.
_PLANNING: tuple[_Row, ...] = (
    ("body.form_factor",                  ("2.5 in", "3.5 in", "add-in card", "M.2"), None, None, None, "form factor of the drive"),
    ("power.idle",                        "power",         "0 W",          "1000 W",       None,    "power when idle"),
    ("power.active",                      "power",         "0 W",          "1000 W",       None,    "highest power under load"),
    ("reliability.afr",                   "share",         "0.001 %",      "100 %",        None,    "annual failure rate"),
    ("reliability.mtbf",                  "time",          "1 h",          "1000000000 h", UNKNOWN, "mean time between failures"),
    ("reliability.uber",                  "per_bit",       "0 1/bit",      "1e-6 1/bit",   None,    "unrecoverable read errors (sectors) per bit read"),
)

_SSD: tuple[_Row, ...] = (
    *_CAPACITY,
    *_FRONT,
    ("recovery.time",                     "time",          "0 ms",         "600000 ms",    "100 ms", "time for which it tries to read a page with too many errors before it reports an error"),
    ("link.command_size",                 "size",          "0 B",          "64 KiB",       "0 B",   "time of a command on the link in addition to its data, given as a number of bytes: frames of command and response, and the connection that is opened for them"),
    ("front_end.command_time",            "time",          "0 us",         "1000 us",      None,    "time of a front-end core per command"),
    ("front_end.read_time",               "time",          "0 us",         "1000 us",      "0 us",  "additional time of a front-end core per read: looking up the map, and a command to the flash"),
    ("front_end.write_time",              "time",          "0 us",         "1000 us",      "0 us",  "time of a front-end core per write after its acknowledgement: updating the map"),
    ("front_end.move_time",               "time",          "0 us",         "1000 us",      "0 us",  "time of a front-end core per unit of the map that garbage collection moves: choosing it and updating the map"),
    ("front_end.cores",                   "count",         "1",            "64",           "1",     "cores of the front end that work side by side"),
    ("driver.read_time",                  "time",          "0 us",         "1000 us",      "0 us",  "CPU time of the host per read, of a driver that keeps the drive's map (a flash translation layer on the host)"),
    ("driver.write_time",                 "time",          "0 us",         "1000 us",      "0 us",  "CPU time of the host per write, of such a driver"),
    ("driver.read_time_per_byte",         "time_per_byte", "0 us/KiB",     "100 us/KiB",   "0 us/KiB", "CPU time of the host per byte read, of such a driver"),
    ("driver.write_time_per_byte",        "time_per_byte", "0 us/KiB",     "100 us/KiB",   "0 us/KiB", "CPU time of the host per byte written, of such a driver"),
    ("driver.clock",                      "frequency",     "0.1 GHz",      "10 GHz",       "3 GHz", "clock rate at which these times hold, of a CPU that does 100 % of the work per clock (cpu.work_per_clock): Haswell"),
    ("data_path.read_time_per_byte",      "time_per_byte", "0 us/KiB",     "100 us/KiB",   None,    "time of the data path, which both directions share, per byte from the flash side to the host"),
    ("data_path.write_time_per_byte",     "time_per_byte", "0 us/KiB",     "100 us/KiB",   None,    "time of the data path, which both directions share, per byte from the host into the write buffer"),
    ("data_path.turnaround",              "time",          "0 us",         "100 us",       "0 us",  "time that the data path loses at each change of direction"),
    ("buffer.size",                       "size",          "4 KiB",        "16 GiB",       None,    "size of the write buffer"),
    ("buffer.protected",                  "flag",          None,           None,           False,   "the write buffer survives a power cut"),
    ("write_cache.enabled",               "flag",          None,           None,           True,    "writes are acknowledged from the write buffer (disk cache on); otherwise when they are on flash, unless the buffer survives a power cut"),
    ("flash.channels",                    "count",         "1",            "256",          None,    "flash channels"),
    ("flash.dies_per_channel",            "count",         "1",            "256",          None,    "dies on each channel"),
    ("flash.dies_in_step",                "count",         "1",            "64",           "1",     "dies of a channel that share a chip enable and work as one"),
    ("flash.planes",                      "count",         "1",            "16",           "1",     "planes of a die that are programmed together"),
    ("flash.die_capacity",                "capacity",      "0.125 GiB",    "1024 GiB",     UNKNOWN, "user data that a die holds, as its maker counts it (256 Gbit are 32 GiB): all dies together hold the capacity and the spare area"),
    ("flash.page",                        "size",          "512 B",        "1024 KiB",     None,    "flash page: the data that one plane programs at once"),
    ("flash.pages_per_block",             "count",         "16",           "8192",         "256",   "pages of a block, the unit that is erased at once on each plane"),
    ("flash.frame",                       "size",          "512 B",        "1024 KiB",     None,    "ECC frame: the smallest part of a page that a channel transfers"),
    ("flash.stripe",                      "size",          "512 B",        "1048576 KiB",  None,    "contiguous bytes kept on one channel, before mapping units are interleaved (flash.interleave)"),
    ("flash.parts_in_turn",               "flag",          None,           None,           True,    "a read that crosses the end of a stripe is served in parts, one after the other; if false, side by side"),
    ("flash.cache_read",                  "flag",          None,           None,           False,   "dies sense the next page of a sequential stream while they transfer the one before, so that sensing takes no additional time (cache read)"),
    ("flash.interleave",                  "count",         "1",            "64",           "1",     "stripes, on as many channels, on which neighbouring mapping units lie in turn; 1: neighbouring ones lie in one stripe until that is full"),
    ("flash.read_time",                   "time",          "0.1 us",       "10000 us",     None,    "time of a die to read a page (tR), on average"),
    ("flash.bits_per_cell",               "count",         "1",            "5",            UNKNOWN, "bits of a cell: 2 MLC, 3 TLC, 4 QLC; the pages of a word line have different read times"),
    ("flash.read_spread",                 "share",         "0 %",          "100 %",        "0 %",   "share of flash.read_time that grows with the number of voltages that a page is compared with: 1, 2, 4 ... for the first, second, third ... bit of a cell; flash.read_time is the mean"),
    ("flash.read_retries",                "share",         "0 %",          "50 %",         "0 %",   "share of the reads of a die that have too many errors and are repeated with other voltages; of the repeated reads the same share is repeated once more. flash.read_time is the mean with these"),
    ("flash.suspend_time",                "time",          "0 us",         "1000 us",      UNKNOWN, "a program or an erase gives way to a read of the host within this time (program suspend, erase suspend); without this value reads wait until it has ended"),
    ("flash.resume_time",                 "time",          "0 us",         "1000 us",      "0 us",  "additional time of a program or an erase each time it continues"),
    ("flash.suspensions",                 "count",         "0",            "1000",         "8",     "highest number of times that one program or erase gives way; 0: reads wait until it has ended"),
    ("flash.program_time",                "time",          "0.001 ms",     "100 ms",       None,    "time of a die to program all planes (tPROG)"),
    ("flash.erase_time",                  "time",          "0.001 ms",     "1000 ms",      "5 ms",  "time of a die to erase a block on all planes (tBERS)"),
    ("flash.channel_read_time_per_byte",  "time_per_byte", "0 us/KiB",     "1000 us/KiB",  None,    "channel: die to controller, per byte"),
    ("flash.channel_write_time_per_byte", "time_per_byte", "0 us/KiB",     "1000 us/KiB",  None,    "channel: controller to die, per byte"),
    ("flash.cycles",                      "count",         "1",            "10000000",     UNKNOWN, "program/erase cycles that a block is rated for"),
    ("flash.spare",                       "share",         "1 %",          "100 %",        None,    "spare area: flash beyond the capacity that the host can address, relative to that"),
    ("slc.size",                          "capacity",      "0 GB",         "10000 GB",     UNKNOWN, "SLC cache: capacity of the blocks that always hold one bit a cell; without this value a drive has no such cache"),
    ("slc.dynamic_size",                  "capacity",      "0 GB",         "10000 GB",     UNKNOWN, "SLC cache: highest additional capacity, in blocks that hold no data: as far as the free capacity allows, divided by slc.bits_per_cell"),
    ("slc.bits_per_cell",                 "count",         "2",            "8",            UNKNOWN, "SLC cache: bits that a cell holds outside of it; pages and capacity of a block are divided by this"),
    ("slc.program_time",                  "time",          "0.001 ms",     "10 ms",        UNKNOWN, "SLC cache: time of a die to program all planes"),
    ("slc.read_time",                     "time",          "0.1 us",       "1000 us",      UNKNOWN, "SLC cache: time of a die to read a page, when it is folded"),
    ("slc.when_full",                     ("direct", "fold"), None,        None,           UNKNOWN, "SLC cache: writes that find it full bypass it (direct), or wait until data is folded (fold)"),
    ("slc.idle_after",                    "time",          "0 s",          "1000 s",       UNKNOWN, "SLC cache: time without commands after which its data is folded"),
    ("mapping.unit",                      "size",          "512 B",        "1024 KiB",     "4 KiB", "granule of the map, of stream detection and of the sector buffer"),
    ("mapping.kept_in",                   ("memory", "flash"), None,      None,           "memory", "where the map is while the drive works: all of it in its memory (DRAM), or on flash, and a part of it in memory"),
    ("mapping.memory",                    "size",          "32 KiB",       "16 GiB",       UNKNOWN, "map on flash: memory for its pages, of the controller or lent by the host (host memory buffer); 1 MiB covers 1 GiB of a drive, with mapping units of 4 KiB"),
    ("mapping.look_ups",                  "count",         "1",            "1024",         UNKNOWN, "map on flash: pages of it that are read at a time, for reads of the host"),
    ("mapping.changes",                   "count",         "1",            "1024",         UNKNOWN, "map on flash: changes that are made at a time, each of which reads a page of it, or programs some that have changed"),
    ("mapping.programs",                  "count",         "0",            "100",          "1",     "program units of the map that are written after the data before a flush, or a forced write, is answered; none where the write buffer survives a power cut"),
    ("read_ahead.depth",                  "size",          "0 KiB",        "1048576 KiB",  "0 KiB", "bytes read ahead of a sequential stream; 0 for none"),
    ("read_ahead.streams",                "count",         "0",            "1024",         "0",     "sequential streams followed at a time"),
    ("read_ahead.threshold",              "count",         "1",            "1024",         "2",     "commands in sequence before read-ahead runs"),
    *_PLANNING,
    ("power.read_energy",                 "energy_per_byte", "0 nJ/B",     "1000 nJ/B",    UNKNOWN, "energy of reading, beyond the idle power, per byte read from flash"),
    ("power.write_energy",                "energy_per_byte", "0 nJ/B",     "1000 nJ/B",    UNKNOWN, "energy of writing, beyond the idle power, per byte programmed"),
    ("endurance.written",                 "capacity",      "1 GB",         "1000000 TB",   None,    "data that may be written over its life"),
    ("endurance.dwpd",                    "per_day",       "0 1/day",      "1000 1/day",   None,    "drive writes per day over the warranty"),
    ("heat.inner_capacity",               "heat_capacity", "0.1 J/K",      "1000 J/K",     UNKNOWN, "heat capacity of the parts whose temperature the drive reports"),
    ("heat.inner_resistance",             "heat_resistance", "0.01 K/W",   "100 K/W",      UNKNOWN, "thermal resistance from those parts to the case"),
    ("heat.case_capacity",                "heat_capacity", "0.1 J/K",      "10000 J/K",    UNKNOWN, "heat capacity of the case"),
    ("heat.air_resistance",               "heat_resistance", "0.01 K/W",   "100 K/W",      UNKNOWN, "thermal resistance from the case to the air at full airflow"),
    ("heat.still_resistance",             "heat_resistance", "0.01 K/W",   "1000 K/W",     UNKNOWN, "thermal resistance from the case to still air"),
    ("throttle.light_at",                 "temperature",   "0 C",          "150 C",        UNKNOWN, "temperature from which the drive throttles lightly"),
    ("throttle.light_speed",              "share",         "1 %",          "100 %",        UNKNOWN, "speed of its data path while it throttles lightly"),
    ("throttle.heavy_at",                 "temperature",   "0 C",          "150 C",        UNKNOWN, "temperature from which the drive throttles heavily"),
    ("throttle.heavy_speed",              "share",         "0.1 %",        "100 %",        UNKNOWN, "speed of its data path while it throttles heavily"),
    ("throttle.hysteresis",               "temperature_step", "0 K",       "50 K",         UNKNOWN, "how far below a threshold it must cool before it speeds up again"),
)

_HDD: tuple[_Row, ...] = (
    *_CAPACITY,
    ("capacity.physical_sector",          "size",          "512 B",        "4096 B",       "512 B", "size of a sector on the medium: on a 512e drive it is larger than the logical sector, and a write of a part of it costs a revolution"),
    *_FRONT,
    ("command.time",                      "time",          "0 us",         "10000 us",     None,    "time of the drive's controller per command, one at a time"),
    ("command.write_time",                "time",          "0 us",         "10000 us",     "0 us",  "additional time of the controller per write: it asks the host for the data"),
    ("command.early_seek",                "flag",          None,           None,           False,   "the arm moves to the place of a write while the first part of its data is still on the link; if false, it moves when that part has come"),
    *((f"overhead.{op}_{hit}_after_{before}", "time", "0 us", "100000 us", UNKNOWN, f"time of the drive's controller for a {op} that {word}, after a {before}; all eight or none: they take the place of command.time") for op, hits in (("read", ("finds its first sector in the buffer", "finds nothing in the buffer")), ("write", ("is cached", "is not cached"))) for hit, word in zip(("hit", "miss"), hits, strict=True) for before in ("read", "write")),
    ("overhead.read_completion",          "time",          "0 us",         "100000 us",    "0 us",  "time on the link behind the data of a read: status and completion"),
    ("recovery.time",                     "time",          "0 ms",         "600000 ms",    "7000 ms", "time for which it tries to read a bad sector before it reports an error"),
    ("command.queues_uncached_writes",    "flag",          None,           None,           True,    "the drive queues also while its write cache is off; false for SATA drives that then take one command at a time"),
    ("queue.discipline",                  ("fifo", "sstf", "look", "sptf"), None, None,    "sptf",  "which command the arm takes next: first come, shortest seek, elevator, or shortest positioning time"),
    ("queue.window",                      "count",         "1",            "65536",        "65536", "number of the commands in the drive that it works on and sorts at a time; the others wait in order. 65536 means all of them, as in drives with a queue.choose_time"),
    ("queue.choose_time",                 "time",          "0 ms",         "5 ms",         "0 ms",  "time of firmware between two accesses that are not adjacent: it ends one, and chooses the next among all commands that have arrived by then; 0 for none. Shingled disks have none"),
    ("queue.passes",                      "number",        "1",            "1000",         "10",    "limit for accesses that go before one that waits: this number for each access that waits beside it; then it goes first"),
    ("queue.ageing",                      "number",        "0",            "10",           "0",     "weight of a ms of waiting relative to a ms of positioning in the choice of the next command; 0: waiting does not count"),
    ("spindle.speed",                     "rotation",      "1000 rpm",     "60000 rpm",    None,    "revolutions per minute"),
    ("spindle.tolerance",                 "share",         "0 %",          "5 %",          "0.1 %", "largest deviation of the speed of one drive: disks of an array drift relative to each other"),
    ("spindle.start_time",                "time",          "0 s",          "120 s",        "15 s",  "time from power-on until it takes commands"),
    ("geometry.heads",                    "count",         "1",            "64",           None,    "recording surfaces"),
    ("geometry.zones",                    "count",         "1",            "256",          "16",    "number of zones, each with the same number of cylinders; a measured surface has its own zones"),
    ("geometry.track_outer",              "size",          "4 KiB",        "1048576 KiB",  None,    "user data of a track in the outermost zone"),
    ("geometry.track_inner",              "size",          "4 KiB",        "1048576 KiB",  None,    "user data of a track in the innermost zone"),
    ("geometry.head_switch",              "time",          "0 ms",         "10 ms",        None,    "time to continue with the next head, and the least time of a seek to another head; the track skew is as long, so a stream loses no revolution"),
    ("geometry.write_head_switch",        "time",          "0 ms",         "20 ms",        UNKNOWN, "time to continue with the next head before a write, for which the arm settles longer; if the card does not give it, as before a read"),
    ("access.zero_latency_reads",         "flag",          None,           None,           False,   "a read on one track begins with the first of its sectors that passes the head"),
    ("access.zero_latency_writes",        "flag",          None,           None,           False,   "a write on one track begins with the first of its sectors that passes the head"),
    ("seek.read_single",                  "time",          "0 ms",         "50 ms",        None,    "seek to the next cylinder, reading; the cylinder skew is as long, so a stream loses no revolution"),
    ("seek.read_average",                 "time",          "0 ms",         "100 ms",       None,    "seek between independent random cylinders, reading, on average"),
    ("seek.read_full",                    "time",          "0 ms",         "200 ms",       None,    "seek over all cylinders, reading"),
    ("seek.settle",                       "share",         "0 %",          "60 %",         "0 %",   "time to stop and settle after a seek over many cylinders, as a share of the average seek less the one to the next cylinder, which needs none of it; half of it is needed 10 cylinders further on. The three seeks stay as they are"),
    ("seek.write_single",                 "time",          "0 ms",         "50 ms",        None,    "seek to the next cylinder, writing (settles longer)"),
    ("seek.write_average",                "time",          "0 ms",         "100 ms",       None,    "seek between independent random cylinders, writing, on average"),
    ("seek.write_full",                   "time",          "0 ms",         "200 ms",       None,    "seek over all cylinders, writing"),
    ("buffer.size",                       "size",          "64 KiB",       "4 GiB",        None,    "the drive's memory, for reading ahead and for writes"),
    ("buffer.read_watermark",             "share",         "0 %",          "100 %",        "0 %",   "share of a read that must be in the buffer before its transfer over the link begins"),
    ("buffer.read_unit",                  "size",          "0 B",          "1024 KiB",     "0 B",   "smallest part of a read that must be in the buffer before its transfer over the link begins: a sector for drives that send sector by sector"),
    ("read_ahead.segments",               "count",         "0",            "1024",         "16",    "streams that the buffer holds at a time; 0 for no read-ahead"),
    ("read_ahead.depth",                  "size",          "0 KiB",        "1048576 KiB",  "1 MiB", "most data that is read ahead of a stream, while no command waits"),
    ("read_ahead.minimum",                "size",          "0 KiB",        "1048576 KiB",  "0 KiB", "data that is read ahead of a sequential stream even if other commands wait"),
    ("read_ahead.segment",                "size",          "512 B",        "1048576 KiB",  UNKNOWN, "size of a segment, a ring that keeps the data that was read last; if the card does not give it, as read_ahead.depth"),
    ("read_ahead.until",                  ("stream", "depth", "track", "cylinder", "next-track"), None, None, "stream", "how far it reads ahead. stream: read_ahead.depth behind a read that continues another one, read_ahead.minimum behind any other. depth: read_ahead.depth behind each read. track, cylinder: to the end of the track or cylinder, and no more than read_ahead.depth. next-track: to the end of the track after the read, for any read_ahead.depth, and of one more track after a stream has crossed the end of a track"),
    ("read_ahead.on_hit",                 "flag",          None,           None,           True,    "after a read that finds its data in a segment, more is read ahead into this segment"),
    ("read_ahead.from_landing",           "flag",          None,           None,           False,   "sectors that pass the head on the track before the first sector of a read are kept as well"),
    ("write_cache.enabled",               "flag",          None,           None,           False,   "writes are acknowledged from the drive's volatile buffer (disk cache on)"),
    ("write_cache.size",                  "size",          "4 KiB",        "4 GiB",        "2 MiB", "most data that is acknowledged and not on the medium"),
    ("write_cache.entries",               "count",         "1",            "65536",        "64",    "most writes that are acknowledged and not on the medium"),
    ("write_cache.aims",                  "count",         "1",            "1024",         UNKNOWN, "if write_cache.reads_first is given: number of cached writes, on the nearest cylinders, among which the arm chooses by the shortest positioning time. As many are written in one turn while commands wait. If the card does not give it, the arm chooses among all of them, and a turn is one write"),
    ("write_cache.reads_first",           "share",         "1 %",          "100 %",        UNKNOWN, "fill level of the cache below which commands go before cached writes; above it the two take turns. If the card does not give it, commands and cached writes wait in one queue"),
    ("write_cache.shares_segments",       "flag",          None,           None,           False,   "a write takes the place of a read-ahead segment, and its data can be read from there later"),
    ("write_cache.read_hits",             "flag",          None,           None,           True,    "data can be read from the cache before it is on the medium; if false, such reads wait until it is"),
    ("smr.band",                          "size",          "1 MiB",        "1048576 KiB",  UNKNOWN, "size of a band: shingled tracks that are written only from start to end, and rewritten as a whole; without this value the disk is a conventional one"),
    ("smr.media_cache",                   "capacity",      "0.01 GB",      "1000 GB",      UNKNOWN, "size of the log on conventional tracks at the outer edge that takes all writes except streams; it is not part of the user capacity"),
    ("smr.records",                       "count",         "1",            "100000000",    UNKNOWN, "writes that the map of the media cache holds"),
    ("smr.idle_after",                    "time",          "0 s",          "3600 s",       UNKNOWN, "time without commands after which the data in the media cache is moved to its bands"),
    ("write_cache.protected_size",        "size",          "0 KiB",        "4 GiB",        "0 KiB", "size of a persistent cache, on flash or on the medium, that takes writes while the disk cache is off, since it survives a power cut; 0 for none"),
    *_PLANNING,
    ("endurance.workload",                "capacity",      "1 GB",         "1000000 TB",   UNKNOWN, "rated workload: bytes read and written per year"),
)

_HOST: tuple[_Row, ...] = (
    ("cpu.clock",               "frequency", "0.1 GHz", "10 GHz",    None,     "clock rate at which the times below hold"),
    ("cpu.cores",               "count",     "1",       "4096",      None,     "cores of all sockets"),
    ("cpu.nodes",               "count",     "1",       "64",        "1",      "NUMA nodes that its cores and memory are in: Linux md has group_thread_cnt workers of an array in each"),
    ("cpu.line_time",           "time",      "0 us",    "10 us",     "0 us",   "time until a core has a cache line that another core of its NUMA node has written (a transfer from cache to cache); 0: shared cache lines take no time"),
    ("cpu.remote_line_time",    "time",      "0 us",    "10 us",     UNKNOWN,  "time until a core has a cache line that a core of another NUMA node has written; if the card does not give it, as cpu.line_time"),
    ("cpu.thread_gain",         "share",     "0 %",     "100 %",     UNKNOWN,  "work that the second hardware thread of a core adds to that of the first, 0 % if a core has only one thread. Processes and threads of software RAID then share the cores, and become slower if more of them are busy than there are cores. If the card does not give it, each has its own core"),
    ("cpu.work_per_clock",      "share",     "10 %",    "100 %",     "100 %",  "work of a core per clock, relative to the core for which cards of drives give the times of their drivers (driver.clock)"),
    ("cpu.idle_clock",          "frequency", "0.1 GHz", "10 GHz",    "1.2 GHz", "lowest clock rate that the governor chooses under the default power plan"),
    ("governor.target",         "share",     "10 %",    "100 %",     "90 %",   "default power plan: utilisation of a core that the governor aims at when it chooses its clock rate"),
    ("governor.interval",       "time",      "0.1 ms",  "10000 ms",  "30 ms",  "default power plan: time between two choices of the clock rate by the governor"),
    ("sleep.after",             "time",      "0 us",    "1000000 us", "50 us", "default power plan: a core that has been idle for longer sleeps"),
    ("sleep.wake_time",         "time",      "0 us",    "10000 us",  "104 us", "default power plan: time that a core needs to wake"),
    ("interrupts.cores",        "count",     "1",       "4096",      "1",      "cores that complete I/Os, for all processes together: those that serve the interrupts of the drives"),
    ("interrupts.shared",       "flag",      None,      None,        False,    "favourable affinity: a process runs on the core that serves the interrupts of its drives, and shares it with them"),
    ("submit.io_time",          "time",      "0 us",    "1000 us",   None,     "submission, per host I/O"),
    ("submit.device_io_time",   "time",      "0 us",    "1000 us",   "0 us",   "submission, per command"),
    ("submit.page_time",        "time",      "0 us",    "1000 us",   "0 us",   "submission, per page of data"),
    ("submit.write_time",       "time",      "0 us",    "1000 us",   "0 us",   "submission, additional time of a write"),
    ("submit.wake_time",        "time",      "0 us",    "1000 us",   "0 us",   "submission, additional time of an I/O if the process was waiting: the scheduler wakes it, on a core that leaves a light sleep state"),
    ("complete.io_time",        "time",      "0 us",    "1000 us",   None,     "completion, per host I/O"),
    ("complete.device_io_time", "time",      "0 us",    "1000 us",   "0 us",   "completion, per command"),
    ("complete.page_time",      "time",      "0 us",    "1000 us",   "0 us",   "completion, per page of data"),
    ("complete.write_time",     "time",      "0 us",    "1000 us",   "0 us",   "completion, additional time of a write"),
    ("page.size",               "size",      "512 B",   "2048 KiB",  "4096 B", "size of the memory pages of the data: 2 MiB if large buffers get huge pages (Linux with transparent_hugepage=always, or mmaphuge of fio)"),
    ("remote.io_time",          "time",      "0 us",    "1000 us",   "0 us",   "unfavourable affinity: additional time of submission per host I/O"),
    ("remote.page_time",        "time",      "0 us",    "1000 us",   "0 us",   "unfavourable affinity: additional time of submission per page of data"),
    ("remote.write_time",       "time",      "0 us",    "1000 us",   "0 us",   "unfavourable affinity: additional time of submission of a write"),
    ("remote.write_time_per_byte", "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "unfavourable affinity: least time per byte that a drive in the host's slots fetches (writes)"),
    ("pcie.near_slots",         "count",     "1",       "1000",      UNKNOWN,  "slots for drives at the socket that serves their interrupts. Drives in further slots fetch data (writes) with remote.write_time_per_byte; if the card does not give it, all slots are at that socket"),
    ("pcie.lanes",              "count",     "1",       "1024",      UNKNOWN,  "lanes of PCIe of all its processors, for drives and controllers; without this value their number is not checked"),
    ("pcie.read_time_per_byte", "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "least time per byte that a drive in the host's slots sends to memory (reads); 0: only the drive's own link limits it"),
    ("pcie.write_time_per_byte", "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "least time per byte that a drive in the host's slots fetches from memory (writes); 0: only the drive's own link limits it"),
    ("disks.sata_ports",        "count",     "0",       "128",       UNKNOWN,  "ports for SATA of the server itself; without this value their number is not checked"),
    ("disks.elevator",          ("none", "mq-deadline"), None, None, "none", "order in which the host sends the commands that wait for a slot of a drive on SATA, SAS or SCSI that is on the host itself. none: as they arrive; mq-deadline: as Linux does, in batches of reads or of writes in order of address, reads first"),
    ("disks.flushes",           ("each", "gathered"), None, None, "each", "how the host sends flushes to such a drive. each: every flush as a separate command; gathered: as Linux does, one at a time, which serves all flushes that were requested before it began"),
    ("raid.io_time",            "time",      "0 us",    "1000 us",   "0 us",   "software RAID: submission, per host I/O"),
    ("raid.device_io_time",     "time",      "0 us",    "1000 us",   "0 us",   "software RAID: submission, per command beyond the first. If the card gives times of stripe heads, the threads of RAID 5 and 6 take this time for every command"),
    ("raid.mirror_write_time",  "time",      "0 us",    "1000 us",   "0 us",   "software RAID: submission, additional time of each write to a copy, compared with a write to a strip: copying the request, and the log of writes under way"),
    ("raid.parity_time_per_byte", "time_per_byte", "0 us/KiB", "100 us/KiB", "0.1 us/KiB", "software RAID: exclusive or, per byte read or written; a bandwidth may be given, as the kernel measures it when it starts (xor)"),
    ("raid.q_time_per_byte",    "time_per_byte", "0 us/KiB", "100 us/KiB", "0.1 us/KiB", "software RAID: additional time per byte for the second parity (Q) of RAID 6"),
    ("raid.stripe_time",        "time",      "0 us",    "1000 us",   "0 us",   "software RAID with parity: time of a thread that handles stripes, per stripe head (a page of each member) that a write needs, or a read of lost data"),
    ("raid.stripe_io_time",     "time",      "0 us",    "1000 us",   "0 us",   "software RAID with parity: time of a thread that handles stripes, per page of a member that a stripe head reads or writes. If this or raid.stripe_time is given, these threads issue the commands, and not the process"),
    ("raid.stripe_copy_time",   "time",      "0 us",    "1000 us",   "0 us",   "the part of raid.stripe_io_time in which the page is copied between a host's request and the stripe cache; rebuilds, checks and resyncs do not take it"),
    ("raid.serial_time",        "time",      "0 us",    "1000 us",   "0 us",   "software RAID with parity: time per stripe head of the one thread of the array that releases heads and gives them to workers, under a lock, for any number of workers; without workers this thread does all of the work"),
    ("raid.stripe_lines",       "count",     "0",       "1000",      "0",      "software RAID with parity: transfers of cache lines (cpu.line_time) per stripe head that are made under the lock of the array, one after the other"),
    ("raid.copy_io_time",       "time",      "0 us",    "1000 us",   "0 us",   "software RAID with copies: time of the thread of the array per command of a rebuild, check or resync. Such a command reads or writes at most 64 KiB, and at most a strip if there are more drives than copies"),
    ("raid.compare_time_per_byte", "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "software RAID with copies: time of the thread of the array per byte that a check, or a resync of RAID 10, compares with the first copy; a bandwidth may be given"),
    ("raid.request_lines",      "count",     "0",       "1000",      "0",      "software RAID: transfers, for each request, of the cache line in which an array counts its requests under way"),
    ("raid.mirror_lines",       "count",     "0",       "1000",      "0",      "software RAID with copies: transfers, for each request, of a further cache line: that of the lock that each request takes, with what is counted under it"),
    ("raid.parity_read_lines",  "count",     "0",       "1000",      "0",      "software RAID with parity: transfers, for each read, of the cache line of the lock that each read takes"),
    ("raid.threads",            "count",     "1",       "4096",      "1",      "software RAID: threads of an array that handle stripes and compute parity side by side, if the volume does not give group_thread_cnt"),
    ("raid.stripe_cache",       "count",     "0",       "32768",     "256",   "software RAID with parity: stripe heads that it keeps in memory, if the volume does not give stripe_cache_size; 0: writes to a stripe are not combined, and data that was read before is read again"),
    ("raid.bitmap_from",        "capacity",  "1 GB",    "1000000 TB", UNKNOWN, "software RAID: arrays of drives of this size or more get a bitmap of write intents when they are made, unless the volume says otherwise (intent); if the card does not give it, no array gets one"),
    ("raid.mirror_reads",       ("shortest-queue", "linux-md"), None, None, "shortest-queue", "software RAID: which copy a read takes, if the volume does not say it. shortest-queue: the copy with the shortest queue; linux-md: by the rules of Linux md (read_balance in raid1.c and raid10.c)"),
    ("raid.stream_depth",       "count",     "1",       "1024",      "8",      "software RAID: commands of a sequential stream of reads that go to one copy before the next one is used too; Linux md has other rules (raid.mirror_reads)"),
    ("rebuild.rate",                  "share",         "1 %",      "100 %",      "30 %",  "share of the time that rebuilds and other background work take while hosts have I/Os under way"),
    ("rebuild.size",                  "size",          "4 KiB",    "65536 KiB",  "256 KiB", "data of each drive that background work takes at a time"),
    ("rebuild.depth",                 "count",         "1",        "64",         "4",     "number of these units under way at a time"),
    ("rebuild.on_read_error",         ("puncture", "stop"), None,  None,         "puncture", "treatment of a stripe that a rebuild cannot restore: the rebuild marks it and continues, or ends"),
    ("power.idle",              "power",     "0 W",     "10000 W",   UNKNOWN,  "power of the server when idle, without drives and controllers"),
    ("power.active",            "power",     "0 W",     "10000 W",   UNKNOWN,  "power of the server under load, without drives and controllers"),
)

_CONTROLLER: tuple[_Row, ...] = (
    ("link.speed",                    ("pcie-1", "pcie-2", "pcie-3", "pcie-4", "pcie-5", "dmi-2", "1gbe", "10gbe", "40gbe"), None, None, None,  "connection to the host: kind and generation of its lanes; for a storage processor in a separate enclosure, of its network ports"),
    ("link.lanes",                    "count",         "1",        "16",         None,    "number of these lanes"),
    ("ports.speed",                   ("sata-3g", "sata-6g", "sas-3g", "sas-6g", "sas-12g", "sas-24g"), None, None, None, "kind and generation of its ports towards the drives"),
    ("ports.lanes",                   "count",         "1",        "64",         None,    "number of these ports"),
    ("drives.max",                    "count",         "1",        "4096",       None,    "drives that it supports"),
    ("drives.of_volume",              "count",         "1",        "4096",       UNKNOWN, "drives that one volume on it may have; if the card does not give it, as many as it supports"),
    ("drives.pcie",                   "flag",          None,       None,         False,   "NVMe and PCIe drives may be on it: it also has PCIe slots, as a storage processor does, or ports that can be SAS, SATA or PCIe (tri-mode)"),
    ("drives.pcie_speed",             ("pcie-3", "pcie-4", "pcie-5"), None, None,  UNKNOWN, "tri-mode: generation of the lanes to these drives; if the card does not give it, only the drives' own links limit them"),
    ("drives.pcie_lanes",             "count",         "1",        "16",         "1",     "tri-mode: lanes of its ports that each of these drives gets, depending on cables and backplane: 1, 2 or 4"),
    ("drives.pcie_max",               "count",         "1",        "4096",       UNKNOWN, "NVMe and PCIe drives that it supports; if the card does not give it, as many as drives.max"),
    ("drives.queue_depth",            "count",         "1",        "1024",       None,    "commands that it has outstanding on one drive"),
    *((f"levels.{word}",              "flag",          None,       None,         False,   "it passes single drives through" if word == "jbod" else f"it has RAID {name.upper()}") for word, name in WORDS.items()),
    ("levels.copies",                 "count",         "2",        "4096",      "2",     "copies that a mirror on it may have: RAID 1 of as many drives, or as many of each strip under RAID 1E and 10"),
    ("strip.smallest",                "size",          "512 B",    "1048576 KiB", "64 KiB", "smallest strip"),
    ("strip.largest",                 "size",          "512 B",    "1048576 KiB", "64 KiB", "largest strip; all powers of two between the two are possible"),
    ("command.cores",                 "count",         "1",        "64",         "1",     "cores of its processor that take commands side by side"),
    ("command.time",                  "time",          "0 us",     "1000 us",    None,    "time of a core per command of the host"),
    ("command.write_time",            "time",          "0 us",     "1000 us",    "0 us",  "additional time of a write of the host: receiving its data, mirroring it to a partner"),
    ("command.time_per_byte",         "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "time of a core per byte of a command's data, where its cores touch the data, as those of storage processors do"),
    ("command.write_time_per_byte",   "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "additional time of a write of the host per byte of its data"),
    ("command.device_io_time",        "time",          "0 us",     "1000 us",    "0 us",  "time of a core per command to a drive"),
    ("command.firmware_time",         "time",          "0 us",     "1000 us",    "0 us",  "time of firmware for each command to a drive, and for a request that the cache answers. Hardware alone handles a request, without this time, on two conditions: it is a read that needs one command, or a write without copies and parity that needs one; and the cache may hold no data of its volume (write-through, direct, no read-ahead)"),
    ("command.latency",               "time",          "0 us",     "1000 us",    "0 us",  "fixed part of every command of the host: doorbell, fetch, completion, interrupt"),
    ("parity.time_per_byte",          "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "parity engine: exclusive or, per byte read or written"),
    ("parity.q_time_per_byte",        "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "parity engine: additional time per byte for the second parity (Q) of RAID 6"),
    ("mirror.write_time",             "time",          "0 us",     "10000 us",   "0 us",  "additional time of a core for each write to a copy, compared with a write to a strip: on some chips firmware handles mirrors, and hardware passes strips on"),
    ("mirror.stream_depth",           "count",         "1",        "1024",       "8",     "commands of a sequential stream of reads that go to one copy before the next one is used too"),
    ("cache.size",                    "size",          "1 MiB",    "1024 GiB",   UNKNOWN, "size of the cache; if the card does not give it, there is none"),
    ("cache.replacement",             policies(),       None,        None,         "lru",   f"policy by which the line to evict is chosen among those without dirty data; {described()}"),
    ("cache.protection",              ("none", "battery", "flash"), None, None,  "none",  "protection of the cache in a power cut: none, a battery, or flash with a capacitor"),
    ("cache.lookup_time",             "time",          "0 us",     "1000 us",    "0 us",  "time of a core per command to search the cache, while the cache holds any data of the volume"),
    ("cache.line_time",               "time",          "0 us",     "1000 us",    "0 us",  "time of a core to search the cache, for each line (a strip, or a part of it) that the command touches"),
    ("cache.dirty_time",              "time",          "0 us",     "1000 us",    "0 us",  "time of a core for each line that a write makes dirty: it finds room for the line, and plans and ends its destage"),
    ("cache.copy_time_per_byte",      "time_per_byte", "0 us/KiB", "100 us/KiB", "0 us/KiB", "time of the cache's memory per byte that is written to it or read from it"),
    ("cache.keep_time_per_byte",      "time_per_byte", "0 us/KiB", "100 us/KiB", UNKNOWN, "time of the cache's memory per byte that a read in the I/O mode cached leaves in the cache, as firmware may copy it there; if the card does not give it, as cache.copy_time_per_byte"),
    ("cache.direct_passes",           "count",         "0",        "2",          "0",     "how often the data of a read passes the cache's memory on its way from the drives to the host: 2, in and out, on chips that gather all data there; 0 if it goes directly to the host"),
    ("cache.low_mark",                "share",         "0 %",      "100 %",      "0 %",   "share of dirty lines from which it destages at once"),
    ("cache.high_mark",               "share",         "1 %",      "100 %",      "80 %",  "share of dirty lines above which writes wait"),
    ("cache.flush_time",              "time",          "0.001 s",  "1000 s",     "4 s",   "time without a write after which all dirty data is destaged, also below the low mark"),
    ("cache.destage_depth",           "count",         "1",        "1024",       "8",     "destage commands per drive at a time: for a mirror each goes to all copies, for parity each goes to the drives of data and parity"),
    ("cache.flash_destage_depth",     "count",         "1",        "1024",       "16",    "writes that it destages at a time per drive, for arrays of drives without arms, which do not sort"),
    ("cache.destage_size",            "size",          "4 KiB",    "1048576 KiB", "1 MiB", "largest contiguous data that it destages as one command"),
    ("cache.detects_streams",         "flag",          None,       None,         False,   "its read mode \"ahead\" reads ahead only of streams that it has found to be sequential, as \"adaptive\" does on all controllers; if false, it reads ahead behind every read"),
    ("cache.read_ahead",              "size",          "0 KiB",    "1048576 KiB", "0 KiB", "data that it fetches ahead of a sequential stream"),
    ("rebuild.rate",                  "share",         "1 %",      "100 %",      "30 %",  "share of the time that rebuilds and other background work take while hosts have I/Os under way"),
    ("rebuild.size",                  "size",          "4 KiB",    "65536 KiB",  "256 KiB", "data of each drive that background work takes at a time"),
    ("rebuild.depth",                 "count",         "1",        "64",         "4",     "number of these units under way at a time"),
    ("rebuild.on_read_error",         ("puncture", "stop"), None,  None,         "puncture", "treatment of a stripe that a rebuild cannot restore: the rebuild marks it and continues, or ends"),
    ("power.active",                  "power",         "0 W",      "1000 W",     None,    "power of the controller under load"),
)
# fmt: on


def _kind(name: str, meaning: str, rows: tuple[_Row, ...]) -> CardKind:
    return CardKind(name, meaning, tuple(map(_attribute, rows)))


def _attribute(row: _Row) -> Attribute:
    name, dimension, low, high, default, meaning = row
    if isinstance(dimension, tuple):
        return Attribute(name, "choice", meaning, default, choices=dimension)
    return Attribute(name, dimension, meaning, default, low, high)


KINDS: dict[str, CardKind] = {
    kind.name: kind
    for kind in (
        _kind(
            "hdd",
            "A hard disk: an arm over zones of cylinders, a spindle that never stops, a queue of"
            " commands, and a buffer for reading ahead and for writes.",
            _HDD,
        ),
        _kind(
            "ssd",
            "A solid state drive on SATA, SAS or PCIe: front end, data path shared by both"
            " directions, write buffer, flash channels and dies, spare area.",
            _SSD,
        ),
        _kind(
            "controller",
            "A RAID controller or host bus adapter: cores that take commands, ports towards the"
            " drives, a parity engine, and for some a cache.",
            _CONTROLLER,
        ),
        _kind(
            "host",
            "A server: CPU time to submit and to complete I/Os. Submission is a serial station of each"
            " process, completion one station of all of them: the cores that serve interrupts. All"
            " times but that of waking scale with cpu.clock over the clock rate that is run.",
            _HOST,
        ),
    )
}

DRIVE_KINDS = ("ssd", "hdd")
"""Kinds of cards that a volume can be made of."""

HEAT = tuple(row[0] for row in _SSD if row[0].startswith("heat."))
ENERGY = tuple(row[0] for row in _SSD if row[1] == "energy_per_byte")
"""What the card of a solid state drive must say for its temperature to be simulated."""

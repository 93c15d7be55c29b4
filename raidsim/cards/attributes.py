"""What a card of each kind says: one table of attributes.

From this table come the checks of a card, the bounds of a fit, what
``raidsim models NAME`` shows and the reference page of the cards.
Bounds are wide: they keep out what cannot be physics, not what is unusual.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from raidsim import units

Value = float | int | str | bool


@dataclass(frozen=True)
class Attribute:
    """One value of a card.

    Attributes
    ----------
    name : section and key, e.g. "flash.read_time".
    dimension : a key of ``units.DIMENSIONS``, or "flag" for true/false.
    meaning : what it is, in a line.
    default : as a text with unit, or None if every card must say it.
    low, high : bounds as texts with unit, both included; None for flags.
    """

    name: str
    dimension: str
    meaning: str
    default: str | bool | None = None
    low: str | None = None
    high: str | None = None

    @property
    def required(self) -> bool:
        """Whether a card must give it."""
        return self.default is None

    @property
    def unit(self) -> str:
        """The unit that the bounds are written in: a good one for this attribute."""
        if self.dimension == "flag":
            return "1"
        return (str(self.high).split(maxsplit=1) + ["1"])[1]

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest value in base units (a flag: 0 and 1)."""
        if self.low is None or self.high is None:
            return (0, 1)
        return _bound(self.low, self.dimension), _bound(self.high, self.dimension)

    @property
    def default_value(self) -> Value | None:
        """The default in base units, or None."""
        if self.default is None or isinstance(self.default, bool):
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

    @property
    def by_name(self) -> dict[str, Attribute]:
        """The attributes by their names."""
        return {a.name: a for a in self.attributes}


def _a(
    name: str, dimension: str, meaning: str, low: str | None = None, high: str | None = None,
    default: str | bool | None = None,
) -> Attribute:  # fmt: skip
    return Attribute(name, dimension, meaning, default, low, high)


NVME_SSD = CardKind(
    "nvme-ssd",
    "A solid state drive on PCIe: front end, data path, write buffer, flash channels and dies.",
    (
        _a("capacity.user", "capacity", "what the host can address", "1 GB", "1000 TB"),
        _a("capacity.sector", "size", "smallest addressable block", "512 B", "4096 B", "512 B"),
        _a("link.time_per_byte", "time_per_byte",
           "time on the link per byte, each way; a bandwidth may be given", "0.001 us/KiB", "100 us/KiB"),
        _a("command.latency", "time",
           "fixed part of every command: doorbell, fetch, completion, interrupt", "0 us", "1000 us"),
        _a("front_end.command_time", "time", "time of a front-end core per command", "0 us", "1000 us"),
        _a("front_end.cores", "count", "cores of the front end that work side by side", "1", "64", "1"),
        _a("data_path.read_time_per_byte", "time_per_byte",
           "data path shared by both directions: flash side to host, per byte", "0 us/KiB", "100 us/KiB"),
        _a("data_path.write_time_per_byte", "time_per_byte",
           "the same, host into write buffer", "0 us/KiB", "100 us/KiB"),
        _a("data_path.turnaround", "time", "lost on the data path at each change of direction",
           "0 us", "100 us", "0 us"),
        _a("buffer.size", "size", "write buffer", "4 KiB", "16 GiB"),
        _a("buffer.protected", "flag", "the write buffer survives a power cut", default=False),
        _a("flash.channels", "count", "flash channels", "1", "256"),
        _a("flash.dies_per_channel", "count", "dies on each channel", "1", "256"),
        _a("flash.planes", "count", "planes of a die that are programmed together", "1", "16", "1"),
        _a("flash.page", "size", "flash page: what one plane programs at once", "512 B", "1024 KiB"),
        _a("flash.frame", "size", "ECC frame: the least that a channel transfers of a page",
           "512 B", "1024 KiB"),
        _a("flash.stripe", "size", "contiguous bytes of the address space kept on one channel",
           "512 B", "1048576 KiB"),
        _a("flash.read_time", "time", "time of a die to read a page (tR)", "0.1 us", "10000 us"),
        _a("flash.program_time", "time", "time of a die to program all planes (tPROG)", "0.001 ms", "100 ms"),
        _a("flash.channel_read_time_per_byte", "time_per_byte",
           "channel: die to controller, per byte", "0 us/KiB", "1000 us/KiB"),
        _a("flash.channel_write_time_per_byte", "time_per_byte",
           "channel: controller to die, per byte", "0 us/KiB", "1000 us/KiB"),
        _a("mapping.unit", "size", "granule of the map, of stream detection and of the sector buffer",
           "512 B", "1024 KiB", "4 KiB"),
        _a("read_ahead.depth", "size", "bytes read ahead of a sequential stream; 0 for none",
           "0 KiB", "1048576 KiB", "0 KiB"),
        _a("read_ahead.streams", "count", "sequential streams followed at a time", "0", "1024", "0"),
        _a("read_ahead.threshold", "count", "commands in sequence before read-ahead runs", "1", "1024", "2"),
        _a("power.idle", "power", "power when idle", "0 W", "1000 W", "0 W"),
        _a("power.active", "power", "highest power under load", "0 W", "1000 W", "0 W"),
        _a("reliability.mtbf", "time", "mean time between failures", "1 h", "1000000000 h"),
        _a("reliability.uber", "per_bit", "unrecoverable read errors (sectors) per bit read", "0 1/bit", "1e-6 1/bit"),
        _a("endurance.written", "capacity", "what may be written over its life", "1 GB", "1000000 TB"),
        _a("endurance.dwpd", "per_day", "drive writes per day over the warranty", "0 1/day", "1000 1/day"),
    ),
)  # fmt: skip

HOST = CardKind(
    "host",
    "A server: CPU time to submit and to complete I/Os. Submission and completion are two serial"
    " stations of each process; all times scale with cpu.clock over the clock that is run.",
    (
        _a("cpu.clock", "frequency", "clock rate at which the times below hold", "0.1 GHz", "10 GHz"),
        _a("cpu.cores", "count", "cores of all sockets", "1", "4096"),
        _a("submit.io_time", "time", "submission, per host I/O", "0 us", "1000 us"),
        _a("submit.device_io_time", "time", "submission, per device I/O", "0 us", "1000 us", "0 us"),
        _a("submit.page_time", "time", "submission, per page of data", "0 us", "1000 us", "0 us"),
        _a("submit.write_time", "time", "submission, what a write takes more", "0 us", "1000 us", "0 us"),
        _a("complete.io_time", "time", "completion, per host I/O", "0 us", "1000 us"),
        _a("complete.device_io_time", "time", "completion, per device I/O", "0 us", "1000 us", "0 us"),
        _a("complete.page_time", "time", "completion, per page of data", "0 us", "1000 us", "0 us"),
        _a("complete.write_time", "time", "completion, what a write takes more", "0 us", "1000 us", "0 us"),
        _a("page.size", "size", "memory page", "512 B", "2097152 B", "4096 B"),
    ),
)  # fmt: skip

KINDS: dict[str, CardKind] = {kind.name: kind for kind in (NVME_SSD, HOST)}

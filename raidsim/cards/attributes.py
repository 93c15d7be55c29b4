# ruff: noqa: E501
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
        return ([*str(self.high).split(maxsplit=1), "1"])[1]

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


# Columns: name, dimension, low, high, default (None: required), meaning. One line each, so that
# it can be read as a table.
# fmt: off
_Row = tuple[str, str, str | None, str | None, str | bool | None, str]

_NVME_SSD: tuple[_Row, ...] = (
    ("capacity.user",                     "capacity",      "1 GB",         "1000 TB",      None,    "what the host can address"),
    ("capacity.sector",                   "size",          "512 B",        "4096 B",       "512 B", "smallest addressable block"),
    ("link.time_per_byte",                "time_per_byte", "0.001 us/KiB", "100 us/KiB",   None,    "time on the link per byte, each way; a bandwidth may be given"),
    ("command.latency",                   "time",          "0 us",         "1000 us",      None,    "fixed part of every command: doorbell, fetch, completion, interrupt"),
    ("command.max_transfer",              "size",          "4 KiB",        "1048576 KiB",  None,    "longest command; the host splits longer requests (MDTS)"),
    ("front_end.command_time",            "time",          "0 us",         "1000 us",      None,    "time of a front-end core per command"),
    ("front_end.write_time",              "time",          "0 us",         "1000 us",      "0 us",  "time of a front-end core per write after its acknowledgement: updating the map"),
    ("front_end.cores",                   "count",         "1",            "64",           "1",     "cores of the front end that work side by side"),
    ("data_path.read_time_per_byte",      "time_per_byte", "0 us/KiB",     "100 us/KiB",   None,    "data path shared by both directions: flash side to host, per byte"),
    ("data_path.write_time_per_byte",     "time_per_byte", "0 us/KiB",     "100 us/KiB",   None,    "the same, host into write buffer"),
    ("data_path.turnaround",              "time",          "0 us",         "100 us",       "0 us",  "lost on the data path at each change of direction"),
    ("buffer.size",                       "size",          "4 KiB",        "16 GiB",       None,    "write buffer"),
    ("buffer.protected",                  "flag",          None,           None,           False,   "the write buffer survives a power cut"),
    ("flash.channels",                    "count",         "1",            "256",          None,    "flash channels"),
    ("flash.dies_per_channel",            "count",         "1",            "256",          None,    "dies on each channel"),
    ("flash.dies_in_step",                "count",         "1",            "64",           "1",     "dies of a channel that share a chip enable and work as one"),
    ("flash.planes",                      "count",         "1",            "16",           "1",     "planes of a die that are programmed together"),
    ("flash.page",                        "size",          "512 B",        "1024 KiB",     None,    "flash page: what one plane programs at once"),
    ("flash.frame",                       "size",          "512 B",        "1024 KiB",     None,    "ECC frame: the least that a channel transfers of a page"),
    ("flash.stripe",                      "size",          "512 B",        "1048576 KiB",  None,    "contiguous bytes of the address space kept on one channel"),
    ("flash.read_time",                   "time",          "0.1 us",       "10000 us",     None,    "time of a die to read a page (tR)"),
    ("flash.program_time",                "time",          "0.001 ms",     "100 ms",       None,    "time of a die to program all planes (tPROG)"),
    ("flash.channel_read_time_per_byte",  "time_per_byte", "0 us/KiB",     "1000 us/KiB",  None,    "channel: die to controller, per byte"),
    ("flash.channel_write_time_per_byte", "time_per_byte", "0 us/KiB",     "1000 us/KiB",  None,    "channel: controller to die, per byte"),
    ("mapping.unit",                      "size",          "512 B",        "1024 KiB",     "4 KiB", "granule of the map, of stream detection and of the sector buffer"),
    ("read_ahead.depth",                  "size",          "0 KiB",        "1048576 KiB",  "0 KiB", "bytes read ahead of a sequential stream; 0 for none"),
    ("read_ahead.streams",                "count",         "0",            "1024",         "0",     "sequential streams followed at a time"),
    ("read_ahead.threshold",              "count",         "1",            "1024",         "2",     "commands in sequence before read-ahead runs"),
    ("power.idle",                        "power",         "0 W",          "1000 W",       "0 W",   "power when idle"),
    ("power.active",                      "power",         "0 W",          "1000 W",       "0 W",   "highest power under load"),
    ("reliability.mtbf",                  "time",          "1 h",          "1000000000 h", None,    "mean time between failures"),
    ("reliability.uber",                  "per_bit",       "0 1/bit",      "1e-6 1/bit",   None,    "unrecoverable read errors (sectors) per bit read"),
    ("endurance.written",                 "capacity",      "1 GB",         "1000000 TB",   None,    "what may be written over its life"),
    ("endurance.dwpd",                    "per_day",       "0 1/day",      "1000 1/day",   None,    "drive writes per day over the warranty"),
)

_HOST: tuple[_Row, ...] = (
    ("cpu.clock",               "frequency", "0.1 GHz", "10 GHz",    None,     "clock rate at which the times below hold"),
    ("cpu.cores",               "count",     "1",       "4096",      None,     "cores of all sockets"),
    ("submit.io_time",          "time",      "0 us",    "1000 us",   None,     "submission, per host I/O"),
    ("submit.device_io_time",   "time",      "0 us",    "1000 us",   "0 us",   "submission, per device I/O"),
    ("submit.page_time",        "time",      "0 us",    "1000 us",   "0 us",   "submission, per page of data"),
    ("submit.write_time",       "time",      "0 us",    "1000 us",   "0 us",   "submission, what a write takes more"),
    ("complete.io_time",        "time",      "0 us",    "1000 us",   None,     "completion, per host I/O"),
    ("complete.device_io_time", "time",      "0 us",    "1000 us",   "0 us",   "completion, per device I/O"),
    ("complete.page_time",      "time",      "0 us",    "1000 us",   "0 us",   "completion, per page of data"),
    ("complete.write_time",     "time",      "0 us",    "1000 us",   "0 us",   "completion, what a write takes more"),
    ("page.size",               "size",      "512 B",   "2097152 B", "4096 B", "memory page"),
)
# fmt: on


def _kind(name: str, meaning: str, rows: tuple[_Row, ...]) -> CardKind:
    attributes = tuple(
        Attribute(row_name, dimension, row_meaning, default, low, high)
        for row_name, dimension, low, high, default, row_meaning in rows
    )
    return CardKind(name, meaning, attributes)


KINDS: dict[str, CardKind] = {
    kind.name: kind
    for kind in (
        _kind(
            "nvme-ssd",
            "A solid state drive on PCIe: front end, data path shared by both directions, write"
            " buffer, flash channels and dies.",
            _NVME_SSD,
        ),
        _kind(
            "host",
            "A server: CPU time to submit and to complete I/Os. Submission and completion are two"
            " serial stations of each process; all times scale with cpu.clock over the clock rate"
            " that is run.",
            _HOST,
        ),
    )
}

"""The speed of flash channels by the year of a drive: the interfaces of ONFI and Toggle.

A data sheet does not print it. A channel is one bus for both directions. But other limits of a
drive's writes, such as its power, also appear as channel time in a fit. So a fit may search slower
channels too.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.cards.fit_ranges import FitRange

READ, WRITE = "flash.channel_read_time_per_byte", "flash.channel_write_time_per_byte"
BOTH = READ, WRITE

_LAST = 9999


@dataclass(frozen=True)
class ChannelClass:
    """The speed of a channel in drives up to a year of launch, MB/s with command and status."""

    until: int
    read: float
    low: float
    high: float
    interface: str

    @property
    def range(self) -> FitRange:
        """From where to where a fit looks for the time of a byte."""
        return FitRange(f"{self.low:g} MB/s", f"{self.high:g} MB/s", self.why)

    def holds(self, time: float) -> bool:
        """Return whether a channel that takes so many seconds a byte is of the class."""
        return self.low <= 1e-6 / time <= self.high

    @property
    def why(self) -> str:
        """Where it is from."""
        return (
            f"{self.interface}, of which commands, status and waits leave 60 to 85 %:"
            " as drives of these years do whose cards were fitted to measurements"
        )


# fmt: off
CHANNELS = (
    ChannelClass(2011, 140, 100, 200, "ONFI 2 and Toggle 1: 166 and 200 MT/s"),
    ChannelClass(2013, 230, 140, 340, "ONFI 2.3 to 3: 200 to 400 MT/s"),
    ChannelClass(2015, 330, 230, 430, "ONFI 3 and Toggle 2: 333 and 400 MT/s"),
    ChannelClass(2017, 450, 330, 620, "ONFI 3.2 and Toggle 2: 400 and 533 MT/s"),
    ChannelClass(2018, 590, 420, 800, "ONFI 4 and Toggle 2: 533 to 800 MT/s"),
    ChannelClass(2020, 850, 600, 1150, "ONFI 4 and Toggle 3: 800 to 1200 MT/s"),
    ChannelClass(2023, 1080, 600, 1800, "ONFI 4.1 and 4.2: 1200 and 1600 MT/s"),
    ChannelClass(_LAST, 1900, 1300, 3000, "ONFI 5: 2400 and 3600 MT/s"),
)
# fmt: on


def channel_of(year: int) -> ChannelClass:
    """Return the class of the channels of a drive of a year."""
    return next(one for one in CHANNELS if year <= one.until)


def class_with(because: str) -> ChannelClass | None:
    """Return the class of channels that is the reason of a range; None if none is."""
    return next((one for one in CHANNELS if because.startswith(one.why)), None)

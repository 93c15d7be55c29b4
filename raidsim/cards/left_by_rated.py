"""Upper limits of values of a solid state drive that follow from its rated figures.

A fit only sees a value in figures that this value limits. But other figures give information too:
they show that the part is fast enough. Each byte passes the data path and one of the channels, and
each command one of the cores of the front end. So none of these can be slower than the printed
rates.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from raidsim.cards import channel_classes
from raidsim.cards.card import Card
from raidsim.cards.rated import RatedPerformance

_BYTES = {
    "data_path.read_time_per_byte": 1,
    "data_path.write_time_per_byte": 0,
    channel_classes.READ: 1,
    channel_classes.WRITE: 0,
}
"""By name of a time per byte: the share of reads of what passes there."""

_COMMANDS = {"front_end.read_time": (1,), "front_end.write_time": (0,)}
"""By name of a time of the front end beside that of a command: the share of reads."""

_OF_ALL = "front_end.command_time"


def left_by_rated(card: Card, name: str) -> float:
    """Return the most that rated figures leave of a value, in base units; infinity if no limit.

    A figure counts with its tolerance: it may be missed by that. All channels take part. All cores
    together take no longer for a command than cores / rate, of which it has its own part.
    """
    if card.rated is None:
        return math.inf
    if name in _BYTES:
        speed = _most_bytes(card.rated.performance, _BYTES[name])
        side_by_side = card.integer("flash.channels") if name in channel_classes.BOTH else 1
        return side_by_side / speed if speed else math.inf
    if name in _COMMANDS or name == _OF_ALL:
        which = _COMMANDS.get(name, (0, 1))
        rate = _highest_rate(card.rated.performance, which)
        own = card.number(_OF_ALL) if name in _COMMANDS else 0.0
        return card.number("front_end.cores") / rate - own if rate else math.inf
    return math.inf


def _most_bytes(printed: Iterable[RatedPerformance], read: float) -> float:
    """Return the bytes a second of the fastest printed figure; 0 if none.

    Small random requests have a byte rate too: 540,000 of 4 KiB are 2,200 MB/s.
    """
    sizes = {"bandwidth": 1, "rate": None}
    return max(
        (
            one.value * (1 - one.tolerance) * (sizes[one.what] or one.size)
            for one in printed
            if one.read == read and one.what in sizes
        ),
        default=0.0,
    )


def _highest_rate(printed: Iterable[RatedPerformance], read: Collection[float]) -> float:
    """Return the requests a second at random that the printed figures stand for; 0 if none."""
    return max(
        (
            one.value * (1 - one.tolerance)
            for one in printed
            if one.read in read and (one.what, one.random) == ("rate", 1)
        ),
        default=0.0,
    )

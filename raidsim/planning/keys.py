"""The tables of a need: the requirements, and the possible choices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from raidsim.layout.arrange import WORDS
from raidsim.planning.money import Amount, Money
from raidsim.scenario.fields import Choice, Count, Quantity, Reader, as_list, key, wrong
from raidsim.scenario.part import Name, Part, Size

LEVELS = tuple(word for word in WORDS if word != "jbod")
"""Levels that a design may have."""

USUAL_LEVELS = ("raid1", "raid5", "raid6", "raid10", "raid50", "raid60")

STATES = ("healthy", "degraded", "rebuilding")
"""When a latency is asked for."""

PERCENTILES = {0.5: "p50", 0.95: "p95", 0.99: "p99", 0.999: "p999"}
"""Percentiles that results have, by share."""

_RANGE = re.compile(r"\s*(\d{1,6})\s*\.\.\s*(\d{1,6})\s*(?::\s*(\d{1,6})\s*)?")


@dataclass(frozen=True)
class Counts(Reader):
    """Whole numbers: one, a range as ``"4..24"`` or ``"4..24:4"``, or a list of these."""

    low: int
    high: int

    def read(self, value: Any) -> tuple[int, ...]:
        """See :class:`Reader`."""
        found: set[int] = set()
        for one in value if isinstance(value, list | tuple) else [value]:
            found |= self._of(one)
        if not found:
            raise wrong("is an empty list", "give at least one number")
        return tuple(sorted(found))

    def _of(self, one: Any) -> set[int]:
        match = _RANGE.fullmatch(one) if isinstance(one, str) else None
        if match is None:
            if isinstance(one, str):
                raise wrong(f'"{one}" is not a range', 'write a number, or "4..24", or "4..24:4"')
            return {Count(self.low, self.high).read(one)}
        first, last = (Count(self.low, self.high).read(int(match[n])) for n in (1, 2))
        step = int(match[3] or 1)
        if step == 0:
            raise wrong(f'"{one}" does not end', "write a step of 1 or more")
        if last < first:
            raise wrong(f'"{one}" is an empty range', "write the smaller number first")
        return set(range(first, last + 1, step))

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "counts"


class NeedKeys(Part):
    """The keys of a need and its limits."""

    capacity: Annotated[int, Quantity("capacity", above="0 GB", high="1000000 TB")] = key(
        "usable capacity that is needed now, after RAID"
    )
    growth: Annotated[float, Quantity("share")] = key(
        "by how much the capacity that is needed grows in a year", "0 %"
    )
    load_growth: Annotated[float, Quantity("share")] | None = key(
        "by how much the load grows in a year", None, "as the capacity does"
    )
    years: Annotated[int, Count(1, 20)] = key("the horizon: number of years to plan for", 5)
    failures: Annotated[int, Count(0, 15)] = key(
        "number of drives of an array that may fail, in any combination, without loss of data", 1
    )
    rebuild: Annotated[float, Quantity("time", above="0 s", high="8760 h")] | None = key(
        "longest time that the rebuild of a drive may take", None, "no limit"
    )
    rebuild_while: Annotated[str, Choice(("loaded", "idle"))] = key(
        "whether the limit `rebuild` holds while the load runs, or on an idle array", "loaded"
    )
    loss: Annotated[float, Quantity("share", above="0 %")] | None = key(
        "highest probability that any data is lost within the horizon", None, "no limit"
    )
    endurance: Annotated[float, Quantity("time", above="0 s", high="876000 h")] | None = key(
        "time that the drives must last under the writes of this load, by their rating; 43800 h"
        " are five years",
        None, "the horizon; no limit if a load has `outstanding`",
    )  # fmt: skip
    drives: Annotated[int, Count(1, 100_000)] | None = key(
        "highest number of drives, including spares, at the end of the horizon", None, "no limit"
    )
    rack_units: Annotated[int, Count(1, 10_000)] | None = key(
        "highest number of rack units, at the end of the horizon", None, "no limit"
    )
    power: Annotated[float, Quantity("power", above="0 W")] | None = key(
        "highest mean power under the load at the end of the horizon, of parts whose cards give it",
        None, "no limit",
    )  # fmt: skip
    budget: Annotated[Money, Amount()] | None = key(
        "highest cost over the horizon: a number, in the currency of the prices, or a text with a"
        ' currency, such as "9000 EUR"',
        None, "no limit",
    )  # fmt: skip


class LatencyKeys(Part):
    """A latency that the load must stay within; reads and writes each."""

    within: Annotated[float, Quantity("time", above="0 s", high="8760 h")] = key(
        "the latency limit, for reads and for writes separately"
    )
    percentile: Annotated[float, Quantity("share")] | None = key(
        "share of the I/Os that must be within it: 50 %, 95 %, 99 % or 99.9 %", None, "their mean"
    )
    when: Annotated[tuple[Annotated[str, Choice(STATES)], ...], BeforeValidator(as_list)] = key(
        "when this limit holds: with all drives, with one missing, or while one is rebuilt; a list"
        " for several of these",
        ["healthy"],
    )


class ChoiceKeys(Part):
    """The keys of the parts that designs may have."""

    drives: Annotated[tuple[Name, ...], BeforeValidator(as_list)] | None = key(
        "cards of drives: names of `raidsim models`, or paths",
        None,
        "all cards of drives that name a maker",
    )
    levels: Annotated[tuple[Annotated[str, Choice(LEVELS)], ...], BeforeValidator(as_list)] = key(
        "RAID levels", list(USUAL_LEVELS)
    )
    counts: Annotated[tuple[int, ...], Counts(1, 1024)] = key(
        'drives of an array: a number, a range such as "4..24" or "4..24:2", or a list of these',
        ["2..6", "8..16:2", 20, 24],
    )
    spans: Annotated[tuple[int, ...], Counts(2, 512)] = key("spans of RAID 50 and 60", [2, 3, 4])
    copies: Annotated[tuple[int, ...], Counts(2, 16)] = key(
        "copies of each strip under RAID 10 and 1E", [2, 3]
    )
    strips: Annotated[tuple[Annotated[int, Size], ...], BeforeValidator(as_list)] = key(
        "strips", ["64 KiB"]
    )
    controllers: Annotated[tuple[Name, ...], BeforeValidator(as_list)] | None = key(
        'cards of controllers; "host" is software RAID of the server, without a controller', None,
        '"host" and all cards of controllers',
    )  # fmt: skip
    writes: Annotated[
        tuple[Annotated[str, Choice(("through", "back"))], ...], BeforeValidator(as_list)
    ] = key("write modes of controllers with a cache", ["through", "back"])
    spares: Annotated[tuple[int, ...], Counts(0, 64)] = key("hot spares of each array", [0, 1])
    arrays: Annotated[tuple[int, ...], Counts(1, 64)] = key(
        "equal arrays that are bought at first; the load is divided among them", [1, 2]
    )
    hosts: Annotated[tuple[Name, ...], BeforeValidator(as_list)] | None = key(
        "cards of servers", None, "all cards of servers"
    )
    since: Annotated[int, Count(1956, 2100)] | None = key(
        "earliest year of launch of cards that are not named", None, "any year"
    )


class ChassisKeys(Part):
    """The keys of the chassis that hold the drives; the first one contains the server."""

    small_bays: Annotated[int, Count(0, 1000)] = key("bays for drives of 2.5 in", 24)
    large_bays: Annotated[int, Count(0, 1000)] = key("bays for drives of 3.5 in", 12)
    slots: Annotated[int, Count(0, 1000)] = key("slots for add-in cards", 0)
    sockets: Annotated[int, Count(0, 1000)] = key("sockets for M.2", 0)
    rack_units: Annotated[int, Count(1, 100)] = key("rack units of one chassis", 2)

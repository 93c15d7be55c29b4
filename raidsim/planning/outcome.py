"""The result of a plan, as plain data that reports read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

from raidsim.errors import InputError, Problem, named_as_arguments, quote
from raidsim.plain_json import finite
from raidsim.result.draws import Experiment
from raidsim.scenario import Scenario

SCHEMA = "raidsim.plan/1"


@dataclass(frozen=True)
class Stage:
    """One stage of the funnel: how many designs came to it, fell in it, and for what."""

    name: str
    came: int
    fell: Mapping[str, int]
    runs: int = 0

    @property
    def left(self) -> int:
        """Designs that are left behind it."""
        return self.came - sum(self.fell.values())


@dataclass(frozen=True)
class Break:
    """The first limit that growth reaches with the first arrays, and after how many years."""

    years: int
    what: str


@dataclass(frozen=True)
class Money:
    """Cost over the horizon, by what it is for, in the currency of the prices."""

    purchase: float
    growth: float
    energy: float
    replacements: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.purchase + self.growth + self.energy + self.replacements


@dataclass(frozen=True)
class State:
    """A design in one state: the latency of its reads and writes, s, and how far limits are.

    ``over`` is the largest ratio of a latency to its limit; at most 1 if all are kept.
    ``unsettled`` says what still filled after the longest run that is made, so that these figures
    may be better than later ones; it is empty if nothing did. ``late`` says that a run of usual
    length was over before caches had settled, so that these are of a longer one.
    """

    latency: Mapping[str, Mapping[str, float]]
    over: float
    carried: bool
    unsettled: str = ""
    late: bool = False


@dataclass(frozen=True)
class Candidate:
    """A design that meets the need, and that no other design beats in every aim.

    Attributes
    ----------
    number, label : which design, and its description.
    keys : the same in the words of ``--why``.
    drives : that are bought at first, spares among them; ``last_drives`` after the horizon.
    usable : bytes that are bought at first.
    rack_units : of the first purchase.
    watts : mean power under the load, of all parts whose cards give it, as bought at first.
    cost : over the horizon; None without prices.
    healthy, degraded, rebuilding : latencies.
    limit : the busiest part under the load, and its ``utilisation``.
    headroom : how many times the load is carried within the limits; ``more`` if at least that.
    rebuild : seconds of the rebuild of a drive; inf if it never ends; None without redundancy.
    loss : chance that any data is lost within the horizon.
    years : until the rated bytes are written as the load grows; None for ever, or unrated.
    breaks : the limit that growth reaches first; None if none within thirty years.
    arrays : of each year from the first on, how many arrays there are.
    chance : share of the draws of unknown values in which it meets the need; of ``draws``.
    experiment : the measurement that would reduce this uncertainty most; None if nothing was drawn.
    scenario : the design under the load of the need.
    """

    number: int
    label: str
    keys: Mapping[str, str]
    drives: int
    last_drives: int
    usable: int
    rack_units: int
    watts: float
    cost: Money | None
    healthy: State
    degraded: State | None
    rebuilding: State | None
    limit: str
    utilisation: float
    headroom: float
    more: bool
    rebuild: float | None
    loss: float
    years: float | None
    breaks: Break | None
    arrays: tuple[int, ...]
    chance: float | None = None
    draws: int = 0
    experiment: Experiment | None = None
    scenario: Scenario | None = field(default=None, repr=False, compare=False)

    @property
    def mean(self) -> float:
        """The slower of the means of reads and of writes, s."""
        return max((one["mean"] for one in self.healthy.latency.values()), default=0.0)


@dataclass(frozen=True)
class Lever:
    """The cost of a limit: the best design without it, beside the best with it.

    Attributes
    ----------
    limit : which.
    best : the least cost (or drives) without it, as far as arithmetic and bounds tell; None if
        there is no design either.
    """

    limit: str
    best: float | None


@dataclass(frozen=True)
class Nearest:
    """The design that is nearest to a need that nothing meets.

    Attributes
    ----------
    number, label : which.
    lacks : by limit, how many times too much or too little it is.
    """

    number: int
    label: str
    lacks: Mapping[str, float]


@dataclass(frozen=True)
class Plan:
    """The result of a plan.

    Attributes
    ----------
    title, path : of the need.
    asked : the need in words, line by line.
    currency, prices : of the prices, and where they are from; None without prices.
    unpriced : cards without a price.
    designs : how many there were to choose from.
    funnel : stage by stage.
    front : designs worth buying, the cheapest first.
    levers : what limits cost; the dearest first.
    nearest : if nothing meets the need.
    settles : what measurement would settle a choice that is close, in words; empty if none is.
    remarks : what a reader has to know beside.
    """

    title: str
    path: str
    asked: list[str]
    currency: str | None
    prices: str | None
    unpriced: list[str]
    designs: int
    funnel: list[Stage]
    front: list[Candidate]
    levers: list[Lever]
    nearest: Nearest | None
    settles: str
    remarks: list[str]
    schema: str = SCHEMA
    ask: Callable[[str], str] | None = field(default=None, repr=False, compare=False)

    def __iter__(self) -> Iterator[Candidate]:
        """Go through the front."""
        return iter(self.front)

    def why(self, design: int | str) -> str:
        """At which stage designs fell, and by how much.

        Parameters
        ----------
        design
            The number of one, or words that several have: "level=raid5, drives=6".

        Raises
        ------
        InputError
            There is no such design.
        """
        assert self.ask is not None
        given: Any = design
        if isinstance(given, bool) or not isinstance(given, int | str):
            cause = f"{quote(given)} is neither the number of a design nor words"
            remedy = 'give its number, or "level=raid6, drives=8"'
            raise InputError([Problem("why()", None, "design", cause, remedy)])
        with named_as_arguments():
            return self.ask(str(design))

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain dicts, lists and numbers; scenarios with every default."""
        found: dict[str, Any] = {"schema": self.schema}
        for name in self.__dataclass_fields__:
            if name in ("ask", "schema", "front"):
                continue
            value = getattr(self, name)
            if name in ("funnel", "levers"):
                value = [asdict(one) for one in value]
            elif name == "nearest" and value is not None:
                value = asdict(value)
            found[name] = value
        found["front"] = [_candidate(one) for one in self.front]
        plain: dict[str, Any] = finite(found)
        return plain

    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write it as JSON, as ``raidsim plan --json`` does; return the text without a path.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        from raidsim.report import output  # noqa: PLC0415

        return output.as_json(self.to_dict(), path)

    def __repr__(self) -> str:
        lines = [f'<Plan "{self.title}": {len(self.front)} of {self.designs:,} designs']
        lines += [f"  {one.number}: {one.label}" for one in self.front]
        return "\n".join(lines) + ">"

    __str__ = __repr__


def _candidate(one: Candidate) -> dict[str, Any]:
    found = {name: getattr(one, name) for name in one.__dataclass_fields__ if name != "scenario"}
    for name in ("cost", "healthy", "degraded", "rebuilding", "breaks", "experiment"):
        if found[name] is not None:
            found[name] = asdict(found[name])
    if one.cost is not None:
        found["cost"]["total"] = one.cost.total
    found["scenario"] = None if one.scenario is None else one.scenario.resolved()
    return found

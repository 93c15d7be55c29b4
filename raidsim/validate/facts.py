"""Facts of a scenario before a run: capacities, overhead, numbers of parts.

Catalogue claims quote these, and values of cards. If a fact is a number of parts or of bytes, it
counts all of them. Any other fact must be the same in all parts of the scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from raidsim import units
from raidsim.assembly.drives import kind_of
from raidsim.errors import InputError, Problem
from raidsim.layout.arrange import WORDS, arrange

if TYPE_CHECKING:
    from raidsim.scenario import Scenario, VolumeSpec
    from raidsim.validate.claims import ScenarioValue

T = TypeVar("T")


@dataclass(frozen=True)
class Fact:
    """A way to read a number from a scenario, in base units of its dimension."""

    dimension: str
    of: Callable[[Scenario], float | None]


def read_scenario(value: ScenarioValue, unit: str) -> float | None:
    """Return a fact of a scenario in `unit`; None if the scenario has it not, or several.

    Raises
    ------
    InputError
        The scenario or its overrides are wrong, or the unit is one of something else.
    """
    from raidsim.scenario import load  # noqa: PLC0415  (claims that need no scenario load none)

    fact = FACTS[value.fact]
    found = fact.of(load(value.scenario, overrides=list(value.overrides)))
    try:
        return None if found is None else units.in_unit(found, unit, fact.dimension)
    except units.QuantityError as error:
        raise InputError([Problem(None, None, value.fact, error.cause, error.remedy)]) from None


def _usable(scenario: Scenario) -> list[VolumeSpec]:
    """The volumes that hold what is kept: all that are no front of a hybrid."""
    fronts = {hybrid.front for hybrid in scenario.hybrids}
    return [volume for volume in scenario.volumes if volume.name not in fronts]


def _capacity(scenario: Scenario) -> float:
    return sum(volume.capacity for volume in _usable(scenario))


def _overhead(scenario: Scenario) -> float:
    return 1 - _capacity(scenario) / sum(volume.raw_capacity for volume in _usable(scenario))


def _of(scenario: Scenario, medium: str) -> list[VolumeSpec]:
    """The volumes whose data lies on a medium."""
    return [one for one in scenario.volumes if kind_of(one.card).medium == medium]


def _drives(medium: str) -> Callable[[Scenario], float]:
    def of(scenario: Scenario) -> float:
        return sum(volume.drives + volume.spares for volume in _of(scenario, medium))

    return of


def _flash(scenario: Scenario) -> float:
    return sum(volume.raw_capacity for volume in _of(scenario, "flash"))


def _power(scenario: Scenario) -> float:
    drives = sum(
        (volume.drives + volume.spares) * volume.card.number("power.active")
        for volume in scenario.volumes
    )
    return drives + sum(one.card.number("power.active") for one in scenario.controllers)


def _fewest(scenario: Scenario) -> float | None:
    """Least drives of which the level can be made, by the layout itself."""
    level = _same(volume.level for volume in scenario.volumes)
    if level not in WORDS:
        return None
    strip = scenario.volumes[0].strip or units.SECTOR
    for drives in count(1):
        try:
            arrange(WORDS[str(level)], drives, strip, 1024 * strip)
        except ValueError:
            continue
        return drives
    return None


def _same(values: Iterable[T]) -> T | None:
    """Return the one value that all have; None if they differ or there is none."""
    different = set(values)
    return different.pop() if len(different) == 1 else None


FACTS: dict[str, Fact] = {
    "usable_capacity": Fact("capacity", _capacity),
    "overhead": Fact("share", _overhead),
    "failures_tolerated": Fact(
        "count", lambda s: min(volume.failures_tolerated for volume in _usable(s))
    ),
    "fewest_drives": Fact("count", _fewest),
    "hard_disks": Fact("count", _drives("platter")),
    "flash_drives": Fact("count", _drives("flash")),
    "flash_capacity": Fact("capacity", _flash),
    "strip": Fact("size", lambda s: _same(volume.strip for volume in s.volumes)),
    "highest_power": Fact("power", _power),
    "read_share": Fact("share", lambda s: _same(one.read_share for one in s.loads)),
    "random_share": Fact("share", lambda s: _same(one.random_share for one in s.loads)),
    "request_size": Fact("size", lambda s: _same(one.size for one in s.loads)),
    "alignment": Fact("size", lambda s: _same(one.align for one in s.loads)),
    "file_size": Fact("size", lambda s: _same(one.area.size for one in s.loads)),
    "workers": Fact("count", lambda s: sum(one.workers for one in s.loads)),
    "machines": Fact("count", lambda s: sum(one.count for one in s.machines)),
}
"""By the name that a claim uses as its metric."""

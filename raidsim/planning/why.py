"""Why a design is not worth buying: the stage in which it failed, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from raidsim import units
from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.planning import checked as checks
from raidsim.planning import coarse
from raidsim.planning.arithmetic import Limit
from raidsim.planning.choice import AXES, Numbers, Space, space_of
from raidsim.planning.need import Need
from raidsim.planning.prices import Prices
from raidsim.planning.work import Work, known_aims

WORDS = (
    "drive", "level", "drives", "spans", "copies", "strip", "controller", "write", "spares",
    "host", "arrays",
)  # fmt: skip
"""What designs are asked for by."""

_ORDER = ("arithmetic", "bounds", "coarse runs", "beaten", "exact runs", "the last runs", "front")


def why(work: Work, design: str) -> str:
    """At which stage a design fell, or of several that which came farthest."""
    numbers = _meant(work.space, design)
    told = [(*_fate(work, int(number)), int(number)) for number in _nearest(work, numbers)]
    _, text, number = max(told, key=lambda one: (one[0], -one[2]))
    one = work.space.design(number)
    head = f"{number}: {one.label}"
    if len(numbers) == 1:
        return f"{head}\n{text}"
    return f"{len(numbers):,} designs match; this one reached the latest stage:\n{head}\n{text}"


def refuse_unknown(need: Need, designs: Sequence[str], prices: Prices | None = None) -> None:
    """Refuse what means no design of a need, before anything is run for it.

    Raises
    ------
    InputError
        With every problem of them.
    """
    space = space_of(need, prices)
    problems = []
    for design in designs:
        try:
            _meant(space, design)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _meant(space: Space, design: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Numbers of the designs that a number, or words with their values, mean."""
    text = design.strip()
    if text.isascii() and text.isdigit():
        if int(text) >= space.size:
            raise _wrong(f"there is no design {text}", f"0 to {space.size - 1}")
        return np.array([int(text)])
    wanted: dict[str, str] = {}
    for part in text.split(","):
        word, equals, value = (piece.strip() for piece in part.partition("="))
        if word not in WORDS or not equals:
            remedy = suggest(word, WORDS) or 'write a number, or "level=raid6, drives=8"'
            raise _wrong(f"{quote(part.strip())} is not a property of a design", remedy)
        wanted[word] = value
    fits = [np.ones(len(axis), bool) for axis in space.axes]
    for word, value in wanted.items():
        axis, known = _axis(space, word)
        found = np.array([one == value for one in known])
        if not found.any():
            listed = sorted(set(known))
            remedy = suggest(value, listed) or f"there are {', '.join(listed[:20])}"
            raise _wrong(f"no design has {word} {quote(value)}", remedy)
        fits[axis] &= found
    grid = np.ix_(*(np.flatnonzero(one) for one in fits))
    numbers = np.ravel_multi_index(grid, space.grid).ravel()
    if len(numbers) == 0:
        raise _wrong(f"no design is {quote(text)}", "ask for fewer designs at a time")
    return np.asarray(numbers, dtype=np.int64)


def _axis(space: Space, word: str) -> tuple[int, list[str]]:
    """The axis that a word is about, and what it is at each place of it."""
    if word == "drive":
        return 0, [card.name for card in space.drives]
    if word in ("level", "drives", "spans", "copies"):
        return 1, [str(getattr(shape, word)) for shape in space.shapes]
    if word == "strip":
        return 2, [units.text(strip, "size") for strip in space.strips]
    if word == "controller":
        return 3, [place.name for place in space.places]
    if word == "write":
        return 3, [place.write for place in space.places]
    if word == "host":
        return 5, [card.name for card in space.hosts]
    return AXES.index(word), [str(one) for one in space.axes[AXES.index(word)]]


def _nearest(work: Work, numbers: Iterable[int]) -> list[int]:
    """The designs that came farthest, as far as that is quickly told: a few of each fate."""
    listed = np.asarray(list(numbers))
    if len(listed) <= 200:
        return [int(one) for one in listed]
    known = set(work.front) | set(work.checked) | set(work.exact)
    named = [int(one) for one in listed if int(one) in known]
    keeps = work.arithmetic.fallen().ravel()[listed] == -1
    places = np.searchsorted(work.coarse.numbers, listed[keeps])
    run = [int(one) for one, place in zip(listed[keeps], places, strict=True)
           if work.coarse.state[place] in (coarse.RUN, coarse.FELL)]  # fmt: skip
    order = np.argsort(-_farther(work, listed), kind="stable")
    return [*named, *run[:200], *(int(listed[place]) for place in order[:100])]


def _farther(work: Work, numbers: Numbers) -> Numbers:
    """Return the stage that designs reach by arithmetic and bounds; 2 if they keep all limits.

    Of designs dropped in one stage, those that miss fewer limits, by less, count as farther.
    """
    stages = np.array([limit.stage for limit in work.arithmetic.limits])
    fallen = work.arithmetic.fallen().ravel()[numbers]
    missed, by = (values.ravel()[numbers] for values in work.arithmetic.lacking)
    return np.asarray(np.where(fallen < 0, 2.0, stages[fallen] + 0.5 - missed / 100 - by / 1e5))


def _fate(work: Work, number: int) -> tuple[float, str]:
    """Return the stage that a design reached, as a number to compare, and its end in words."""
    limits = work.arithmetic.limits
    fallen = int(work.arithmetic.fallen().ravel()[number])
    if fallen >= 0:
        said = [
            _short(work, limit, number) for limit in limits if not _ratio(work, limit, number) <= 1
        ]
        far = float(_farther(work, np.array([number]))[0])
        return far, f"dropped by {_ORDER[limits[fallen].stage]}: {'; '.join(said)}"
    if number in work.front:
        return 6, "is on the front"
    if number in work.fell:
        lacks = "; ".join(f"{name} {_times(by)}" for name, by in work.fell[number].items())
        stage = 4 if work.fell_in[number] == 3 else 5
        return stage, f"dropped in {_ORDER[stage]}: {lacks}"
    if number in work.checked or number in work.exact:
        return 5.5, f"keeps all limits, and is no better in any aim than {_better(work, number)}"
    place = int(np.searchsorted(work.coarse.numbers, number))
    state = int(work.coarse.state[place])
    if state == coarse.FELL:
        over, measured = float(work.coarse.over[place]), work.coarse.measured[place]
        reason = f" ({measured.reason})" if measured.reason else ""
        return 2.5, f"dropped in coarse runs: rate or latency {_times(over)}{reason}"
    if state == coarse.BEATEN:
        by = work.space.design(int(work.coarse.numbers[work.coarse.by[place]]))
        best = f"even at its bounds it is better in no aim than {by.number}: {by.label}"
        return 3, f"was not run: {best}"
    if state == coarse.OPEN:
        return 2.8, "was not run: all coarse runs were used; raise --runs"
    return 4.5, f"may keep all limits, and is no better in any aim than {_better(work, number)}"


def _better(work: Work, number: int) -> str:
    """The design of the front that is at least as good in every aim, as far as runs tell."""
    place = int(np.searchsorted(work.coarse.numbers, number))
    if work.front:
        own = work.aims.steps(np.array([known_aims(work, place)]))
        for one in work.front:
            aims = work.aims.steps(np.array([checks.aims(work.checked[one])]))
            if (aims <= own).all():
                return f"{one}: {work.space.design(one).label}"
    return "others that were run"


def _ratio(work: Work, limit: Limit, number: int) -> float:
    grid = work.space.grid
    at = np.unravel_index(number, grid)
    return float(np.broadcast_to(limit.ratio, grid)[at])


def _short(work: Work, limit: Limit, number: int) -> str:
    ratio = _ratio(work, limit, number)
    if limit.has is None:
        return f"no {limit.name}" if limit.name == "bays" else f"not so: {limit.name}"
    grid = work.space.grid
    has = float(np.broadcast_to(limit.has, grid)[np.unravel_index(number, grid)])
    currency = "" if work.prices is None else f" {work.prices.currency}"
    asked = f"{shown(limit.asked, limit.dimension, currency)} {_verb(limit)}"
    return f"{limit.name} {shown(has, limit.dimension, currency)}, and {asked} ({_times(ratio)})"


def _verb(limit: Limit) -> str:
    least = limit.name in ("capacity", "failures survived", "endurance", "rate")
    return "are needed" if least else "are allowed"


def shown(value: float, dimension: str, currency: str = "") -> str:
    """A figure of a limit with its unit."""
    if dimension == "count":
        return f"{value:,.0f}"
    if dimension == "money":
        return f"{value:,.0f}{currency}"
    if dimension == "years":
        return f"{units.plain(value, 3)} years"
    if dimension == "share":
        return f"{100 * value:.3g} %"
    if dimension == "capacity":
        return f"{units.plain(value / 1e12, 4)} TB"
    if dimension == "time":
        if value >= 600:
            return f"{units.plain(value / 3600, 3)} h"
        return f"{units.plain(1000 * value, 3)} ms"
    if dimension == "power":
        return f"{value:,.0f} W"
    if dimension == "rate":
        return f"{value:,.0f} IO/s"
    return units.plain(value, 4)


def _times(ratio: float) -> str:
    if not np.isfinite(ratio):
        return "by no measure"
    return (
        f"off by {100 * (ratio - 1):.3g} %" if ratio < 2 else f"off {units.plain(ratio, 3)} times"
    )


def _wrong(cause: str, remedy: str) -> InputError:
    return InputError([Problem(None, None, "--why", cause, remedy)])

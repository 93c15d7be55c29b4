"""The figures that the page of a lesson draws: every setting of its knobs, computed beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from raidsim.teaching.lesson import Lesson
from raidsim.teaching.runs import simulate


@dataclass(frozen=True)
class Grid:
    """Figures by setting.

    Attributes
    ----------
    settings : the values of the knobs, the last one changes first.
    figures : for each setting, one number for each figure that is shown.
    by_hand : the same by closed forms; None where there is none.
    """

    settings: list[tuple[Any, ...]]
    figures: list[list[float]]
    by_hand: list[list[float | None]]


def compute(lesson: Lesson) -> Grid:
    """Simulate every setting of the knobs of a lesson."""
    explore = lesson.explore
    settings = list(product(*(knob.values for knob in explore.knobs)))
    return Grid(
        settings,
        [list(_figures(lesson, setting)) for setting in settings],
        [
            [None if one.hand is None else one.hand(*setting) for one in explore.shown]
            for setting in settings
        ],
    )


def _figures(lesson: Lesson, setting: tuple[Any, ...]) -> Iterator[float]:
    explore = lesson.explore
    if explore.simulated is not None:
        yield from map(float, explore.simulated(*setting))
        return
    point = simulate(lesson.system, *changes_of(lesson, setting))
    for one in explore.shown:
        yield float(one.read(point))


def changes_of(lesson: Lesson, setting: tuple[Any, ...]) -> list[str]:
    """Return the changes of the system by a setting of the knobs: KEY=VALUE."""
    pairs = zip(lesson.explore.knobs, setting, strict=True)
    return [change.format(value=value) for knob, value in pairs for change in knob.changes]

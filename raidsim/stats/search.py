"""The highest value at which a condition holds, found with few trials.

Trials go up a list of increasing values to the first one at which the condition does not hold. The
answer is between this value and the one below it. Each further trial halves the interval, until its
ends are neighbours: consecutive whole numbers, or values that differ by no more than a resolution.
If the values of the list double, a resolution of 1 % takes seven further trials at most.

If the caller can estimate the limit from the measurements at both ends, a few trials go there
before any halving: two or three are often enough.

A condition that holds at a value must hold below it too. If chance decides near the limit, the
answer is a value at which it held, with one not much above it at which it did not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Trial = Callable[[float, int], bool]
"""Whether it holds at a value; the number is how many trials may follow at most.

Where the border is guessed it is how many usually follow: one, to see that the guess was right.
"""

Guess = Callable[[float, float], float | None]
"""Where between a value that holds and one that does not the border should be; None: unknown."""

GUIDED = 4
"""Trials at most that go where the border is expected."""


@dataclass(frozen=True)
class Border:
    """Between what holds and what does not; None where the ladder has no such end."""

    holds: float | None
    exceeded: float | None


def highest(
    ladder: Sequence[float],
    trial: Trial,
    *,
    whole: bool,
    resolution: float,
    guess: Guess | None = None,
) -> Border:
    """Search for the highest value that holds.

    Parameters
    ----------
    ladder
        Values to begin with, rising.
    trial
        Tries a value.
    whole
        Whether only whole numbers are possible.
    resolution
        How far apart the two ends may be that are found in the end, as a share of the lower one;
        neighbouring whole numbers are as near as can be.
    guess
        Where to expect the border; only asked for whole numbers. Without it every trial halves.
    """
    below: float | None = None
    for number, value in enumerate(ladder):
        if trial(value, len(ladder) - number - 1):
            below = value
        elif below is None:
            return Border(None, value)
        else:
            low, high = below, value
            if whole and guess is not None:
                low, high = _approach(low, high, trial, resolution, guess)
            return _halve(low, high, trial, whole, resolution)
    return Border(below, None)


def _approach(
    low: float, high: float, trial: Trial, resolution: float, guess: Guess
) -> tuple[float, float]:
    """Return a narrower step between whole numbers, after a few trials where a guess puts it."""
    for number in range(GUIDED):
        expected = guess(low, high)
        if not _halvings(low, high, max(resolution * low, 1.0)) or expected is None:
            break
        place = min(max(math.floor(expected), low + 1), high - 1)
        if trial(place, int(number == 0)):
            low = place
        else:
            high = place
    return low, high


def _halve(low: float, high: float, trial: Trial, whole: bool, resolution: float) -> Border:
    while left := _halvings(low, high, max(resolution * low, float(whole))):
        middle = (low + high) // 2 if whole else (low + high) / 2
        if trial(middle, left - 1):
            low = middle
        else:
            high = middle
    return Border(low, high)


def _halvings(low: float, high: float, near: float) -> int:
    """Return the most trials that bring two values as near to each other as requested."""
    return max(math.ceil(math.log2((high - low) / near)), 0)

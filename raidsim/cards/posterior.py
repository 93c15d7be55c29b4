"""The joint distribution of the unknown values of a card.

The ranges of :mod:`raidsim.cards.plausible` are the prior. Each is taken as the middle 95 % of a
normal distribution of the value's logarithm (of the value itself if it may be 0), and values of one
group move together. The figures to which a card was fitted narrow the prior. With the sensitivities
J (by what share a figure changes for 1 % more of a value) and the errors of the figures, S:

    covariance = (J' S^-1 J + P^-1)^-1

P is the prior's covariance. This is the posterior of a linear model with normal errors (for example
C. M. Bishop, Pattern Recognition and Machine Learning, 2006, section 2.3.3). Directions that no
figure determines stay as wide as their ranges. The mean is the card: its values are the result of
the fit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.cards.card import Card
from raidsim.cards.plausible import Plausible, plausible

Vector = NDArray[np.float64]

NORMAL_95 = 1.959964
"""Standard deviations on either side that hold the middle 95 % of a normal distribution."""

TOGETHER = 0.8
"""Correlation of the values of a group: what decides one decides the other, but not alone."""

FIGURE = 0.03
"""Relative standard deviation of a figure that a card is fitted to.

Rounding of print (two to three digits), repeatability of a measurement, and that a model is no
drive. What the residuals of the fit show beyond that is added.
"""

ALIKE = 0.7
"""Correlation of the errors of figures that tell of the same values in the same proportion.

What a model leaves out it leaves out of all of them, so that ten such figures tell little more
than two. Of figures that tell of different values it is less, as the cosine of their slopes is.
"""

FITTED = 1.25
"""Factor either way for a value that was calibrated and of which no sensitivity is on record."""

SEEN = 0.8
"""Share of its deviation below which what figures leave of a value counts as narrower."""


@dataclass(frozen=True)
class Posterior:
    """A joint distribution of the unknown values of a card, from which draws come.

    Attributes
    ----------
    names : the values.
    mean : logarithm of each value of the card, or the value (base units) where ``linear``.
    covariance : of these.
    linear : which values may be 0, and are not drawn in logarithms.
    whole : which are counts or bytes, and are rounded.
    low, high : ends of the plausible ranges, which no draw exceeds.
    seen : which values the figures that the card was fitted to have narrowed.
    owners : the card that states each value: cards that inherit a value share it, so that draws
        of the same normal number mean the same.
    """

    names: tuple[str, ...]
    mean: Vector
    covariance: Vector
    linear: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    low: Vector
    high: Vector
    seen: NDArray[np.bool_]
    owners: tuple[str, ...]

    def deviations(self) -> Vector:
        """Standard deviation of each logarithm (or value)."""
        return np.sqrt(np.diag(self.covariance))

    def values(self, normals: Vector) -> Vector:
        """Values (base units) for standard normal numbers, draws by names.

        The root of the covariance is the symmetric one, so that a normal number has the same
        meaning for any other unknown values of the card. A value that no figure has narrowed has
        the same distances below and above the card's value as its range; these need not be equal. A
        few draws are values that are impossible together on a card (a seek over all cylinders
        shorter than the average one). The caller moves these nearer to the card.
        """
        moves = np.atleast_2d(normals) @ root(self.covariance)
        below, above = self._sides()
        moves = moves * np.where(moves < 0, below, above)
        found = self.mean + moves
        found = np.where(self.linear, found, np.exp(np.where(self.linear, 0.0, found)))
        found = np.clip(found, self.low, self.high)
        return np.where(self.whole, np.round(found), found)

    def interval(self, name: str) -> tuple[float, float]:
        """The middle 95 % of one value (base units), whatever the others are."""
        i = self.names.index(name)
        below, above = self._sides()
        reach = NORMAL_95 * math.sqrt(self.covariance[i, i])
        ends = self.mean[i] + np.array([-reach * below[i], reach * above[i]])
        ends = np.clip(ends if self.linear[i] else np.exp(ends), self.low[i], self.high[i])
        return float(ends[0]), float(ends[1])

    def _sides(self) -> tuple[Vector, Vector]:
        """Return the weights of a move down and a move up, so that ranges are met on both sides."""
        with np.errstate(divide="ignore"):
            low = np.where(self.linear, self.low, np.log(self.low))
            high = np.where(self.linear, self.high, np.log(self.high))
        wide = (high - low) / 2
        told = self.seen | (wide == 0.0)  # values that a sheet leaves no range do not move
        wide = np.where(told, 1.0, wide)
        below = np.where(told, 1.0, (self.mean - low) / wide)
        above = np.where(told, 1.0, (high - self.mean) / wide)
        return below, above


def posterior(card: Card) -> Posterior:
    """Return the joint distribution of the unknown values of a card.

    The ranges are the prior. It is conditioned by the figures to which the card was fitted, or the
    card from which it inherits a value.
    """
    ranges = plausible(card)
    told = _told(card, ranges)
    names = tuple(ranges)
    value = np.array([card.number(name) for name in names])
    low = np.array([ranges[name].low for name in names])
    high = np.array([ranges[name].high for name in names])
    linear = (low <= 0) | (value <= 0)
    with np.errstate(divide="ignore"):
        bottom, mean, top = (np.where(linear, x, np.log(x)) for x in (low, value, high))
    half = (top - bottom) / 2
    blind = [
        i for i, name in enumerate(names) if not told and card.sources[name].source == "calibrated"
    ]
    for i in blind:
        narrow = math.log(FITTED) * (value[i] if linear[i] else 1.0)
        half[i] = min(half[i], narrow)
    prior = _prior(half / NORMAL_95, [ranges[name].together for name in names])
    slopes, errors = _figures(card, names, told)
    scale = np.where(linear & (value > 0), value, 1.0)  # d log figure / d value = J / value
    covariance = conditioned(prior, slopes / scale, errors)
    seen = np.sqrt(np.diag(covariance)) < SEEN * np.sqrt(np.diag(prior))
    seen[blind] = True
    dimensions = [card.about.by_name[name].dimension for name in names]
    whole = np.array([one in ("count", "size", "capacity") for one in dimensions], dtype=np.bool_)
    owners = tuple(card.origins[name].card if name in card.origins else card.name for name in names)
    return Posterior(names, mean, covariance, linear, whole, low, high, seen, owners)


def conditioned(prior: Vector, slopes: Vector, errors: Vector) -> Vector:
    """Return the covariance of values once figures are known: (J' S^-1 J + P^-1)^-1.

    Parameters
    ----------
    prior
        P, covariance of the values' logarithms.
    slopes
        J, figures by values: change of a figure's logarithm for that of a value.
    errors
        S, covariance of the figures' logarithms.
    """
    if not slopes.size:
        return prior
    # The same as in the docstring (Woodbury), and sound where a range has no width.
    across = prior @ slopes.T
    gain = np.linalg.solve(slopes @ across + errors, across.T)
    found = prior - across @ gain
    return (found + found.T) / 2


def root(covariance: Vector) -> Vector:
    """Return the symmetric square root of a covariance."""
    sizes, directions = np.linalg.eigh(covariance)
    found: Vector = (directions * np.sqrt(np.maximum(sizes, 0.0))) @ directions.T
    return found


def _prior(deviations: Vector, groups: list[str]) -> Vector:
    """Covariance of values that move alone or, in groups, together."""
    same = np.array([[a == b != "" for b in groups] for a in groups], dtype=np.bool_)
    correlation = np.where(same.reshape(len(groups), len(groups)), TOGETHER, 0.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation * np.outer(deviations, deviations)


def _told(card: Card, ranges: Mapping[str, Plausible]) -> dict[str, Mapping[str, float]]:
    """Return by value and figure the change of the figure for 1 % more of an unknown value."""
    told = {**card.base_sensitivities, **card.sensitivities}
    return {name: told[name] for name in ranges if told.get(name)}


def _figures(
    card: Card, names: tuple[str, ...], told: Mapping[str, Mapping[str, float]]
) -> tuple[Vector, Vector]:
    """Slopes of the figures, by logarithms of values, and the covariance of their errors."""
    claims = sorted({claim for changes in told.values() for claim in changes})
    slopes = np.zeros((len(claims), len(names)))
    for name, changes in told.items():
        # A bandwidth in a card is a time per byte in base units: more of one is less of the other.
        sign = -1.0 if "/s" in card.sources[name].unit else 1.0
        for claim, change in changes.items():
            slopes[claims.index(claim), names.index(name)] = sign * change / 0.01
    residuals = {**card.base_residuals, **card.residuals}
    left = [residuals[claim] for claim in claims if claim in residuals]
    variance = FIGURE**2 + (float(np.median(np.abs(left))) * 1.4826) ** 2 if left else FIGURE**2
    sizes = np.linalg.norm(slopes, axis=1)
    kinds = slopes / np.where(sizes > 0, sizes, 1.0)[:, None]
    shape = ALIKE * (kinds @ kinds.T)
    np.fill_diagonal(shape, 1.0)
    return slopes, variance * shape

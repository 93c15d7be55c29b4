"""Which key matters: main effects and interactions of the varied keys of a study, by variance.

The keys explain the logarithm of a figure (or the figure, if it is not always above zero), by least
squares. A key with few values has a separate effect for each. A key with many values, all of them
numbers, has a line and a curve in the logarithm (or the number). The share of a key is the increase
of the sum of squared errors without it, with all other keys present (sums of squares of type II).
The share of an interaction is the decrease when the pair is added. In a whole grid the shares of
all terms add up to one. If variants are missing, keys may share what they explain.

Measurements of runs have an error, so terms explain something by chance. The intervals of the runs
say how much. A term is called noise if chance would reach its share in one of twenty cases
(chi-squared, from the errors of the runs).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, stats

from raidsim import units
from raidsim.errors import InputError, Problem
from raidsim.studies.vary import number_of

LEAST = 3  # rows, of which anything can be explained
FEW = 12
"""Values of a key that have an effect each, at most."""

CHANCE = 0.05
NORMAL = 1.96  # half a 95 % interval, in standard deviations


@dataclass(frozen=True)
class Effect:
    """The share that one key explains, or that two together explain beyond each.

    Attributes
    ----------
    share : of the variance of the figure, 0 to 1.
    noise : whether chance alone would explain as much in one of twenty cases; None where the
        errors of the runs are not known.
    levels : of a key with few values: each value, and its effect on the figure as a factor, others
        being as they are on average; as a difference, if the figure is not always above zero.
    """

    keys: tuple[str, ...]
    share: float
    noise: bool | None
    levels: tuple[tuple[Any, float], ...] = ()


@dataclass(frozen=True)
class Effects:
    """The shares of a figure that keys explain, the largest first.

    Attributes
    ----------
    rows : figures that were looked at.
    logarithm : whether it is the logarithm that is explained, so that effects are factors.
    rest : share that neither keys nor pairs of them explain.
    by_chance : share that the errors of the runs explain; None where they are not known.
    """

    figure: str
    rows: int
    logarithm: bool
    terms: tuple[Effect, ...]
    rest: float
    by_chance: float | None


def effects(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], figure: str) -> Effects:
    """Explain a figure by the keys that were varied.

    Parameters
    ----------
    rows
        Rows of a study: values of the keys, and figures.

    Raises
    ------
    InputError
        There are too few rows with a number for the figure, or nothing varies.
    """
    used = [row for row in rows if _is_number(row.get(figure))]
    varied = [key for key in keys if len({_hashable(row.get(key)) for row in used}) > 1]
    y = np.array([float(row[figure]) for row in used])
    cause = ""
    if not used:
        cause = f"no row has a number for {figure}"
    elif len(used) < LEAST:
        cause = f"{len(used)} of {len(rows)} rows have a number for {figure}; {LEAST} are needed"
    elif not varied:
        cause = f"no key varies in the {len(used)} rows that have a number for {figure}"
    elif np.ptp(y) == 0:
        cause = f"{figure} is {units.plain(float(y[0]), 6)} in all of the {len(used)} rows"
    if cause:
        remedy = "explain another figure" if varied or not used else "vary more"
        raise InputError([Problem(None, None, "effects", cause, remedy)])
    logarithm = bool(np.all(y > 0))
    values = np.log(y) if logarithm else y
    columns = {key: _columns([row.get(key) for row in used]) for key in varied}
    total = float(((values - values.mean()) ** 2).sum())
    error = _errors(used, figure, logarithm)
    return Effects(
        figure, len(used), logarithm, *_terms(used, values, columns, total, error, logarithm)
    )


def _terms(
    rows: Sequence[Mapping[str, Any]],
    values: NDArray[np.float64],
    columns: Mapping[str, NDArray[np.float64]],
    total: float,
    error: float | None,
    logarithm: bool,
) -> tuple[tuple[Effect, ...], float, float | None]:
    everything = _together(columns.values(), len(values))
    left = _left(everything, values)
    found = []
    for key in columns:
        others = _together([c for k, c in columns.items() if k != key], len(values))
        explained = max(_left(others, values) - left, 0.0)
        levels = _levels(rows, key, columns, everything, values, logarithm)
        found.append(_effect((key,), explained, total, columns[key].shape[1], error, levels))
    pairs = []
    for one, other in itertools.combinations(columns, 2):
        product = _products(columns[one], columns[other])
        both = np.hstack([everything, product])
        if np.linalg.matrix_rank(both) >= len(values):
            continue  # as many effects as rows explain anything
        explained = max(left - _left(both, values), 0.0)
        pairs.append(product)
        found.append(_effect((one, other), explained, total, product.shape[1], error))
    rest = left
    if pairs:
        whole = np.hstack([everything, *pairs])
        rest = _left(whole, values)
    found.sort(key=lambda term: -term.share)
    by_chance = None if error is None else min(error * (len(values) - 1) / total, 1.0)
    return tuple(found), rest / total, by_chance


def _effect(
    keys: tuple[str, ...], explained: float, total: float, freedom: int, error: float | None,
    levels: tuple[tuple[Any, float], ...] = (),
) -> Effect:  # fmt: skip
    noise = None
    if error is not None:
        noise = bool(error > 0 and stats.chi2.sf(explained / error, freedom) > CHANCE)
    return Effect(keys, explained / total, noise, levels)


def _columns(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return the columns of a key in the model: one for each value but one, or line and curve."""
    distinct = list(dict.fromkeys(map(_hashable, values)))
    numbers = [number_of(value) for value in values]
    known = [number for number in numbers if number is not None]
    if len(distinct) > FEW and len(known) == len(numbers):
        x = np.array(known)
        x = np.log(x) if np.all(x > 0) else x
        x = (x - x.mean()) / x.std()
        return np.column_stack([x, x**2 - (x**2).mean()])
    place = {value: number for number, value in enumerate(distinct)}
    table = np.zeros((len(values), len(distinct)))
    table[np.arange(len(values)), [place[_hashable(value)] for value in values]] = 1.0
    return np.asarray(table[:, 1:] - table.mean(axis=0)[1:])


def _products(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return (a[:, :, None] * b[:, None, :]).reshape(len(a), -1)


def _together(columns: Any, rows: int) -> NDArray[np.float64]:
    return np.hstack([np.ones((rows, 1)), *columns])


def _left(model: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Sum of squares that a model leaves."""
    solution = linalg.lstsq(model, values)[0]
    return float(((values - model @ solution) ** 2).sum())


def _levels(
    rows: Sequence[Mapping[str, Any]], key: str, columns: Mapping[str, NDArray[np.float64]],
    model: NDArray[np.float64], values: NDArray[np.float64], logarithm: bool,
) -> tuple[tuple[Any, float], ...]:  # fmt: skip
    """The effect of each value of a key, against the mean of all rows."""
    given = [_hashable(row.get(key)) for row in rows]
    distinct = list(dict.fromkeys(given))
    if len(distinct) > FEW:
        return ()
    solution = linalg.lstsq(model, values)[0]
    begin = 1
    for name, part in columns.items():
        if name == key:
            own = columns[key] @ solution[begin : begin + part.shape[1]]
        begin += part.shape[1]
    found = []
    for value in distinct:
        effect = float(own[given.index(value)])
        found.append((rows[given.index(value)][key], math.exp(effect) if logarithm else effect))
    return tuple(found)


def _errors(rows: Sequence[Mapping[str, Any]], figure: str, logarithm: bool) -> float | None:
    """Mean variance of the figure by the error of its runs; known of throughput."""
    if figure != "iops":
        return None
    found = []
    for row in rows:
        low, high = row.get("iops_low"), row.get("iops_high")
        if low is None or high is None or low <= 0:
            return None
        half = (high - low) / 2 / NORMAL
        found.append((half / float(row[figure])) ** 2 if logarithm else half**2)
    return float(np.mean(found))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)

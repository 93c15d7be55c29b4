"""Checks of arguments: all errors of a call are reported at once, in words."""

from __future__ import annotations

import math
import operator
from collections.abc import Container, Iterable, Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from raidsim import units
from raidsim.errors import InputError, Problem, quote
from raidsim.scenario.fields import Quantity
from raidsim.scenario.plain import plain


class Arguments:
    """The arguments of one call while they are checked.

    A method returns the value to go on with (of any kind if it is wrong);
    :meth:`raise_if_wrong` ends the check.

    Parameters
    ----------
    call
        What messages begin with, e.g. "data.read()".
    """

    def __init__(self, call: str) -> None:
        self.call = call
        self.problems: list[Problem] = []

    def wrong(self, key: str, cause: str, remedy: str | None = None) -> None:
        """Note what is wrong with an argument."""
        self.problems.append(Problem(self.call, None, key, cause, remedy))

    def raise_if_wrong(self) -> None:
        """End with an InputError that holds every problem."""
        if self.problems:
            raise InputError(self.problems)

    def given(
        self,
        where: str,
        keys: Mapping[str, Any],
        absent: Container[str],
        needed: Container[str] = (),
    ) -> dict[str, Any]:
        """The keys that have a value; None is wrong where it does not mean something.

        Parameters
        ----------
        where
            The table of a scenario that they are keys of, for messages.
        absent
            Keys that mean something by being left out.
        needed
            Keys that have no default.
        """
        for key, value in keys.items():
            if value is None and key not in absent:
                remedy = "give a value" if key in needed else "give a value, or leave it out"
                self.wrong(f"{where}.{key}", "is None", remedy)
        return {key: value for key, value in keys.items() if value is not None}

    def whole(self, key: str, value: Any, low: int, high: int, of: int = 1) -> int:
        """A whole number from ``low`` to ``high``, and a multiple of ``of``."""
        try:
            number = None if isinstance(value, bool) else operator.index(value)
        except TypeError:
            number = None
        allowed = f"a whole number from {low} to {high}"
        if number is None:
            self.wrong(key, f"{quote(value)} is not a whole number", f"give {allowed}")
            return low
        if not low <= number <= high:
            self.wrong(key, f"{quote(number)} is out of range", f"give {allowed}")
        elif number % of:
            near = f"{number // of * of} or {(number // of + 1) * of}, for example"
            self.wrong(key, f"{number} is not a multiple of {of}", near)
        return number

    def number(self, key: str, value: Any, low: float, high: float, unit: str = "") -> float:
        """A finite number from ``low`` to ``high``; ``unit`` is shown behind the two."""
        allowed = f"give a number from {low:g} to {high:g}{unit}"
        try:
            number = math.nan if isinstance(value, str | bytes | bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self.wrong(key, f"{quote(value)} is not a number to compute with", allowed)
            return low
        if not low <= number <= high:
            self.wrong(key, f"{quote(value)} is out of range", allowed)
        return number

    def quantity(
        self, key: str, value: Any, dimension: str, low: str | None = None, high: str | None = None
    ) -> float:
        """A text with a unit, such as "30 %" or "10 s", in base units, from ``low`` to ``high``."""
        try:
            found = Quantity(dimension, low=low, high=high).read(plain(value))
        except PydanticCustomError as error:
            context = error.context or {}
            self.wrong(key, str(context["cause"]), context["remedy"])
            found = units.parse(low, dimension) if low is not None else 0.0
        assert found is not None
        return found

    def seconds(self, key: str, value: Any, low: float, high: float) -> float:
        """A length of time from ``low`` to ``high`` s: a number of s, or a text with a unit."""
        if isinstance(value, str):
            value = self.quantity(key, value, "time")
        return self.number(key, value, low, high, " s")

    def instance(self, key: str, value: Any, kind: type, remedy: str) -> None:
        """A value of one class."""
        if not isinstance(value, kind):
            self.wrong(key, f"{quote(value)} is not a {kind.__name__}", remedy)

    def several(self, key: str, value: Any, remedy: str) -> None:
        """Several values: a list or the like, and no text."""
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            self.wrong(key, f"{quote(value)} is not a list", remedy)

    def table(self, key: str, value: Any) -> dict[str, Any]:
        """A mapping, or None for an empty one, as :func:`plain` data."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.wrong(key, f"{quote(value)} is not a table", "give a dict")
            return {}
        table = plain(value)
        assert isinstance(table, dict)
        return table


def is_time(value: Any) -> bool:
    """Return whether a value is a number on the axis of time; infinity is one."""
    if isinstance(value, str | bytes | bool):
        return False
    try:
        return not math.isnan(float(value))
    except (TypeError, ValueError, OverflowError):
        return False

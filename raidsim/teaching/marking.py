"""Typed answers: how they are read, and the replies to them.

The rules are data (:data:`RULES`). The script of a lesson's page applies the same data, and has no
rules of its own.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from raidsim.teaching.sheet import Asked, letter

NUMBER = (
    # Thousands may be separated: 1,024, 1_024, 1 024. A comma before any other number of digits is
    # not accepted: it may be a decimal comma, and would be read wrongly.
    r"\s*([+-]?(?:[0-9]+(?:[,_ ][0-9]{3})*(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)"
    r"\s*(?:/\s*([0-9]+(?:\.[0-9]+)?))?\s*([^0-9,.\s].*?)?\s*"
)
"""A number, perhaps over another, and what stands behind it; as Python and JavaScript read it."""
_NUMBER = re.compile(NUMBER, re.IGNORECASE)
_FAMILIES: tuple[dict[str, float], ...] = (
    {
        "ns": 1e-9,
        "us": 1e-6,
        "µs": 1e-6,
        "μs": 1e-6,
        "ms": 1e-3,
        "s": 1.0,
        "min": 60.0,
        "h": 3600.0,
    },
    {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "kB": 1e3, "GB": 1e9, "TB": 1e12},
    {"%": 0.01, "": 1.0},
)
"""Units that are turned into each other, each in terms of the first of its family's powers."""

EXACT = 1e-9
"""Share by which a typed number may be off where an exact one is asked for: rounding alone."""


MISTAKE = 0.02
"""Share by which a number may be off and still be a known mistake."""
RULES = {"number": NUMBER, "families": _FAMILIES, "exact": EXACT, "mistake": MISTAKE}


class UnreadableError(Exception):
    """A typed answer is no answer; the text says what one looks like."""


@dataclass(frozen=True)
class Mark:
    """The reply to an answer.

    Attributes
    ----------
    right : whether it is.
    hint : what was overlooked, or the general hint; "" if it is right.
    known : whether the answer is a mistake that the lesson knows.
    """

    right: bool
    hint: str = ""
    known: bool = False


def read_answer(asked: Asked, text: str) -> float:
    """Read a typed answer: a number with or without its unit, or the letter of an option.

    Raises
    ------
    UnreadableError
        If it is neither.
    """
    if asked.options:
        return _read_choice(asked, text)
    unit = asked.question.unit
    match = _NUMBER.fullmatch(text)
    if match is None:
        in_unit = f" in {unit}" if unit else ""
        msg = f"that is not a number; type one{in_unit}, as in 12.5"
        raise UnreadableError(msg)
    value = float(re.sub(r"[,_ ]", "", match[1]))
    if match[2] is not None:
        if float(match[2]) == 0:
            msg = "nothing can be divided by 0"
            raise UnreadableError(msg)
        value /= float(match[2])
    if not math.isfinite(value):
        msg = "that number is too large"
        raise UnreadableError(msg)
    return value * _factor(match[3] or "", unit)


def _read_choice(asked: Asked, text: str) -> float:
    word = text.strip().rstrip(").").casefold()
    letters = [letter(place) for place in range(len(asked.options))]
    if word in letters:
        return float(letters.index(word))
    names = [option.casefold() for option in asked.options]
    if word in names:
        return float(names.index(word))
    msg = f"type one of the letters {', '.join(letters)}"
    raise UnreadableError(msg)


def _factor(typed: str, unit: str) -> float:
    """Return the factor from one unit to another."""
    if typed in ("", unit) or typed.casefold() == unit.casefold():
        return 1.0
    for family in _FAMILIES:
        if typed in family and unit in family:
            return family[typed] / family[unit]
    msg = f'the answer is wanted in {unit}, not in "{typed}"' if unit else "type a plain number"
    raise UnreadableError(msg)


def right_values(asked: Asked) -> list[float]:
    """Return the right values, each with its tolerance: closed form and simulation.

    Where nothing but an exact answer will do, that is the closed form alone.
    """
    found = [asked.answer]
    simulated = asked.simulated
    if asked.question.tolerance > 0 and not asked.options and simulated is not None:
        found += [simulated] if simulated != asked.answer else []
    return found


def is_right(asked: Asked, value: float) -> bool:
    """Return whether a value is right, within the tolerance of its question."""
    if asked.options:
        return value == asked.answer
    return any(_near(value, right, asked.question.tolerance) for right in right_values(asked))


def mark(asked: Asked, value: float) -> Mark:
    """Mark an answer: right, a known mistake with its hint, or wrong with the general hint."""
    if is_right(asked, value):
        return Mark(right=True)
    for wrong, hint in asked.hints_of_mistakes():
        if _near(value, wrong, MISTAKE if not asked.options else 0.0):
            return Mark(right=False, hint=hint, known=True)
    return Mark(right=False, hint=asked.hint)


def _near(value: float, other: float, share: float) -> bool:
    return abs(value - other) <= max(share, EXACT) * abs(other)

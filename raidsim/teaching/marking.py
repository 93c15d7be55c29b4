"""Typed answers: how they are read, and what is said to them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from raidsim.teaching.sheet import Asked, letter

_NUMBER = re.compile(
    r"\s*([+-]?(?:\d[\d,_ ]*)?\.?\d+(?:e[+-]?\d+)?|[+-]?\d[\d,_ ]*\.)"
    r"\s*(?:/\s*(\d+(?:\.\d+)?))?\s*(.*?)\s*",
    re.IGNORECASE,
)
_FAMILIES: tuple[dict[str, float], ...] = (
    {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0},
    {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "kB": 1e3, "GB": 1e9, "TB": 1e12},
    {"%": 0.01, "": 1.0},
)
"""Units that are turned into each other, each in terms of the first of its family's powers."""

EXACT = 1e-9
"""Share by which a typed number may be off where an exact one is asked for: rounding alone."""


class UnreadableError(Exception):
    """A typed answer is no answer; the text says what one looks like."""


@dataclass(frozen=True)
class Mark:
    """What is said to an answer.

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
        msg = f"that is no number; type one{in_unit}, as in 12.5"
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
    return value * _factor(match[3], unit)


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
    """What a number in one unit is multiplied by to be one in another."""
    if typed in ("", unit) or typed.casefold() == unit.casefold():
        return 1.0
    for family in _FAMILIES:
        if typed in family and unit in family:
            return family[typed] / family[unit]
    msg = f'the answer is wanted in {unit}, not in "{typed}"' if unit else "type a plain number"
    raise UnreadableError(msg)


def is_right(asked: Asked, value: float) -> bool:
    """Whether a value is right, within the tolerance of its question.

    Where there are both, the closed form and the simulation are both right.
    """
    if asked.options:
        return value == asked.answer
    references = [asked.answer] if asked.hand is None else [asked.hand]
    if asked.question.tolerance > 0 and asked.simulated is not None:
        references.append(asked.simulated)
    return any(_near(value, right, asked.question.tolerance) for right in references)


def mark(asked: Asked, value: float) -> Mark:
    """Mark an answer: right, a known mistake with its hint, or wrong with the general hint."""
    if is_right(asked, value):
        return Mark(right=True)
    for wrong, hint in asked.hints_of_mistakes():
        if _near(value, wrong, 0.02 if not asked.options else 0.0):
            return Mark(right=False, hint=hint, known=True)
    return Mark(right=False, hint=asked.hint)


def _near(value: float, other: float, share: float) -> bool:
    return abs(value - other) <= max(share, EXACT) * abs(other)

"""Values of fio's options: sizes, times, shares and lists, with fio's units.

fio's ``k`` is 1024 and its ``KiB`` is 1000, unless ``kb_base=1000`` turns that round; case does not
count. A bare time is in seconds, of some options in microseconds.
"""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"(0x[0-9a-f]+|\d+(?:\.\d+)?)\s*([a-z%]*)", re.IGNORECASE)
_POWERS = {letter: power for power, letter in enumerate("kmgtp", 1)}
_TIMES = {
    "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6,
    "usec": 1e-6,
}  # fmt: skip
MOST = 2**60


class Unreadable(Exception):
    """A value that is not understood; the text says what it should be."""


def size(text: str, base: int = 1024, whole: int | None = None) -> int:
    """Bytes; a share in percent of a ``whole``, where there may be one.

    Raises
    ------
    Unreadable
        It is no size, or a share of a whole that is not known.
    """
    number, unit = _split(text.replace("%%", "%"), "a size, as in 4k")
    if unit == "%":
        if whole is None:
            raise Unreadable(
                "is a share of a volume whose size is not known; give it with --capacity"
            )
        if number != int(number):
            raise Unreadable("is not a whole percentage: for others fio takes whole bytes")
        return int(whole * number / 100)
    factor: float | None = {"": 1.0, "b": 1.0}.get(unit)
    if unit and unit[0] in _POWERS:
        power, rest = _POWERS[unit[0]], unit[1:]
        if rest in ("", "b", "i"):
            factor = float(base**power)
        elif rest == "ib":
            factor = float((1000 if base == 1024 else 1024) ** power)
    if factor is None or number * factor > MOST:
        raise Unreadable("is not a size that raidsim knows, as in 4k")
    return int(number * factor)


def seconds(text: str, bare: float = 1.0) -> float:
    """Seconds; a number without a unit is so many times ``bare`` of them.

    Raises
    ------
    Unreadable
        It is no time.
    """
    number, unit = _split(text, "a time, as in 10s")
    if unit and unit not in _TIMES:
        raise Unreadable("is not a time, as in 10s")
    return number * (_TIMES[unit] if unit else bare)


def number(text: str) -> float:
    """A number without a unit.

    Raises
    ------
    Unreadable
        It is no number, or has a unit.
    """
    found, unit = _split(text, "a number")
    if unit:
        raise Unreadable("is not a plain number")
    return found


def integer(text: str, base: int = 1024) -> float:
    """A number that may have a suffix, as 2k: fio reads all its integers as it reads sizes.

    Raises
    ------
    Unreadable
        It is no number, or has a percent sign.
    """
    found, unit = _split(text, "a number, as in 100 or 2k")
    if unit == "%":
        raise Unreadable("has a percent sign, and is not a share")
    return float(size(text, base)) if unit else found


def count(text: str, least: int = 1, most: int = 65536, base: int = 1024) -> int:
    """A whole number, which may have a suffix.

    Raises
    ------
    Unreadable
        It is no whole number from ``least`` to ``most``.
    """
    found = integer(text, base)
    if found != int(found) or not least <= found <= most:
        raise Unreadable(f"is not a whole number from {least} to {most}")
    return int(found)


def percent(text: str) -> float:
    """A share from 0 to 1: fio has whole percents, and cuts off what is behind the point.

    Raises
    ------
    Unreadable
        It is no number up to 100 without a percent sign.
    """
    found, unit = _split(text, "a share, as in 70")
    if unit == "%":
        raise Unreadable("has a percent sign, so fio reads any share as 100 %")
    if unit or found > 100:
        raise Unreadable("is not a share, as in 70")
    return int(found) / 100


def whole_percents(text: str) -> int:
    """Return the percents that fio reads of a share in a list: its first digits, 100 at most."""
    digits = re.match(r"\s*(\d*)", text)
    return min(int((digits and digits[1]) or "0"), 100)


def split(text: str) -> list[float]:
    """The shares, from 0 to 1, of a list of sizes such as 4k/60:8k/40, as fio takes them.

    Percents are whole: digits behind the point are cut off. A share that is 0 or missing gets a
    part of the rest, again in whole percents. If the sum is not 100 %, the difference is added to
    the largest share; of equal ones, to the last.

    Raises
    ------
    Unreadable
        Shares come to more than 100 % beside some that are not given.
    """
    whole = [whole_percents(entry.partition("/")[2]) for entry in text.split(":")]
    missing = sum(one == 0 for one in whole)
    left = 100 - sum(whole)
    if left < 0 and missing:
        raise Unreadable("comes to more than 100 %, and sizes are left that have no share")
    each = left // missing if missing else 0
    whole = [one or each for one in whole]
    found = [0.0] * len(whole)
    left = 100
    for place in sorted(range(len(whole)), key=whole.__getitem__):
        found[place] = min(whole[place], left) / 100
        left -= min(whole[place], left)
        largest = place
    found[largest] += left / 100
    return found


def flag(text: str | None) -> bool:
    """Return whether a switch is on; an option without value is."""
    return (text or "1").strip().lower() not in ("0", "false", "no")


def _split(text: str, what: str) -> tuple[float, str]:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise Unreadable(f"is not {what}")
    digits = match[1].lower()
    found = float(int(digits, 16)) if digits.startswith("0x") else float(digits)
    if not math.isfinite(found):
        raise Unreadable(f"is not {what}")
    return found, match[2].lower()

"""Quantities as people write them ("8 KiB", "67 %") and as raidsim computes with them.

Inside raidsim every quantity is a plain number in SI base units: seconds, bytes,
hertz, watts, joules, degrees Celsius, and shares from 0 to 1. Sizes and
capacities are integers. KiB, MiB ... are base 2; kB, MB ... are base 10. The
"MB/s" of 2**20 bytes that the published documents use is written "MiB/s" here.

Arithmetic on the way in is exact (fractions), so "0.1 GB" is 100,000,000 bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from raidsim.errors import quote, suggest

SECTOR = 512
"""Bytes of the smallest addressable block of a volume."""

NS_PER_S = 1e9
"""The kernel's clock counts ns."""

NS_PER_MS = 1e6
MS_PER_S = 1e3
KIB, MIB = 2**10, 2**20

HOURS_PER_YEAR = 8760.0
"""Of 365 days, as rates of failure and costs a year count it."""

CALENDAR_YEAR_S = 365.25 * 86_400.0
"""How long a year is that passes, leap years included, s."""

_BYTES = (
    {"B": 1}
    | {prefix + "iB": 1024**power for power, prefix in enumerate("KMGTP", start=1)}
    | {prefix + "B": 1000**power for power, prefix in enumerate("kMGTP", start=1)}
)
_MOST_BYTES = 2**62  # more is on no system, and less fits into the integers of the kernel
_TIMES = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "day": Fraction(86400),
}
_BANDWIDTHS = {f"{unit}/s": Fraction(factor) for unit, factor in _BYTES.items()}
_TIMES_PER_BYTE = {
    f"{time}/{size}": _TIMES[time] / _BYTES[size]
    for time in ("ns", "us", "ms", "s")
    for size in ("B", "KiB", "MiB", "kB")
}


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its units, what may be asked of it, and an example.

    ``units`` maps each unit to its size in the base unit. ``inverse`` holds units
    that say the same upside down: a time per byte may be given as a bandwidth. Above
    ``most``, in the base unit, no number is meant.
    """

    name: str
    units: dict[str, Fraction]
    example: str
    inverse: dict[str, Fraction] | None = None
    integer: bool = False
    signed: bool = False
    high: Fraction | None = None
    most: int = 10**30

    @property
    def bare(self) -> bool:
        """Whether it is a pure number."""
        return list(self.units) == ["1"]

    @property
    def known(self) -> list[str]:
        """Every unit that may be written."""
        return [*self.units, *(self.inverse or {})]


def _dimension(
    name: str, units: Mapping[str, Fraction | int], example: str, **rest: Any
) -> Dimension:
    return Dimension(name, {u: Fraction(f) for u, f in units.items()}, example, **rest)


_MILLI, _MICRO, _KILO = Fraction(1, 1000), Fraction(1, 10**6), 1000

DIMENSIONS: dict[str, Dimension] = {
    d.name: d
    for d in (
        _dimension("time", _TIMES, "10 ms"),
        _dimension("size", _BYTES, "8 KiB", integer=True, most=_MOST_BYTES),
        _dimension("capacity", _BYTES, "800 GB", integer=True, most=_MOST_BYTES),
        _dimension("rate", {"IO/s": 1, "kIO/s": _KILO}, "1000 IO/s"),
        _dimension("bandwidth", _BANDWIDTHS, "3380 MiB/s"),
        _dimension("frequency", {"Hz": 1, "kHz": _KILO, "MHz": 10**6, "GHz": 10**9}, "3.5 GHz"),
        _dimension("time_per_byte", _TIMES_PER_BYTE, "0.4 us/KiB", inverse=_BANDWIDTHS),
        _dimension(
            "energy",
            {"J": 1, "uJ": _MICRO, "mJ": _MILLI, "kJ": _KILO, "Wh": 3600, "kWh": 3600 * _KILO},
            "3 J",
        ),
        _dimension("energy_per_byte", {"nJ/B": Fraction(1, 10**9)}, "5 nJ/B"),
        _dimension("power", {"W": 1, "mW": _MILLI, "kW": _KILO}, "25 W"),
        _dimension("heat_capacity", {"J/K": 1}, "60 J/K"),
        _dimension("heat_resistance", {"K/W": 1}, "2 K/W"),
        _dimension("temperature_step", {"K": 1}, "3 K"),
        _dimension("rotation", {"rpm": Fraction(1, 60)}, "15000 rpm"),
        _dimension("temperature", {"C": 1, "°C": 1}, "35 C", signed=True),
        _dimension("share", {"%": Fraction(1, 100)}, "67 %", high=Fraction(1)),
        _dimension("deviation", {"%": Fraction(1, 100)}, "-1.2 %", signed=True),
        _dimension("count", {"1": 1}, "16", integer=True),
        _dimension("number", {"1": 1}, "0.99"),
        _dimension("per_bit", {"1/bit": 1}, "1e-17 1/bit"),
        _dimension("per_day", {"1/day": 1}, "10 1/day"),
    )
}

_ALIASES = {"µs": "us", "μs": "us", "sec": "s", "d": "day"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_PREFIX = re.compile(r"([num]?s/)?([KMGTPkmgtp])(?:i|[Bb]|iB|ib)?(?:/s)?")
_BITS = re.compile(r"([kKMGT]?)(?:bits?(?:/s)?|bps|b/s)")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)(?![a-z])", re.IGNORECASE)
_LONGEST = 80
_NOBODY_READS = 1e15


class QuantityError(ValueError):
    """A text is no quantity of the dimension asked for: `cause`, and what would be right."""

    def __init__(self, cause: str, remedy: str | None = None) -> None:
        super().__init__(cause if remedy is None else f"{cause}; {remedy}")
        self.cause = cause
        self.remedy = remedy


def parse(text: object, dimension: str) -> float:
    """The quantity that a text states, in base units.

    Parameters
    ----------
    text : a number, a space or none, and a unit; for "count" and "number" a bare number.
    dimension : a key of ``DIMENSIONS``.

    Returns
    -------
    Value in s, bytes, 1/s, Hz, s/byte, J, W, degrees C or a share of 1; an ``int`` for
    sizes, capacities and counts.

    Raises
    ------
    QuantityError : no number, no unit, a unit of something else, negative, NaN, infinite,
        a share over 100 %, or a size that is no whole number of bytes.
    """
    if isinstance(text, str):
        return _parse_text(text, dimension)
    d = DIMENSIONS[dimension]
    if isinstance(text, bool) or not isinstance(text, int | float):
        raise QuantityError(f"{_shown(text)} is not a valid {_name(d)}", _write(d))
    if d.bare:
        return convert(text, "1", dimension)
    number = exact(text)  # says so if it is NaN, infinite or far too large
    remedy = f'write it with its unit, such as "{d.example}"'
    if dimension == "share" and isinstance(text, float):
        remedy = f'write "{_decimal(number * 100)} %", for example'
    raise QuantityError(f"{quote(text)} has no unit", remedy)


@lru_cache(maxsize=4096)
def _parse_text(text: str, dimension: str) -> float:
    d = DIMENSIONS[dimension]
    number_text, unit = _split(text, d)
    if not unit and not d.bare:
        raise QuantityError(f"{quote(text)} has no unit", _write(d))
    return convert(number_text, unit or "1", dimension)


def convert(value: str | int | float, unit: str, dimension: str) -> float:
    """A number given in `unit`, in base units of `dimension`; errors as in :func:`parse`."""
    d = DIMENSIONS[dimension]
    number = exact(value)
    shown = quote(value) if bare_unit(unit) else quote(f"{value} {unit}")
    factor, upside_down = _factor(unit, d)
    if number < 0 and not d.signed:
        raise QuantityError(f"{shown} is negative", f"a {_name(d)} is zero or more")
    if upside_down:
        if number == 0:
            raise QuantityError(f"{shown} would take for ever", "give a bandwidth above zero")
        number = 1 / (number * factor)
    else:
        number *= factor
    if d.high is not None and number > d.high:
        raise QuantityError(f"{shown} is more than 100 %", "a share is from 0 % to 100 %")
    if d.integer and number.denominator != 1:
        what = "a whole number" if dimension == "count" else "a whole number of bytes"
        raise QuantityError(f"{shown} is not {what}", _write(d))
    if abs(number) > d.most:
        raise QuantityError(f"{shown} is too large to be meant", _write(d))
    return int(number) if d.integer else float(number)


def in_unit(value: float, unit: str, dimension: str) -> float:
    """A value in base units, expressed in `unit`: what :func:`convert` undoes."""
    factor, upside_down = _factor(unit, DIMENSIONS[dimension])
    return float(1 / (exact(value) * factor) if upside_down else exact(value) / factor)


def capacity_for_people(number: float) -> str:
    """Bytes of a drive or volume in base 10, rounded: 800 GB, 1.6 TB, 65.54 kB."""
    for factor, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= factor:
            return f"{plain(number / factor, 4)} {unit}"
    return f"{number:.4g} B"


def sizes_to_compare(*numbers: int) -> list[str]:
    """Sizes in bytes as texts to be compared: rounded for people, unless they then look the same.

    Examples
    --------
    >>> sizes_to_compare(800 * 10**9, 10**12)
    ['800 GB', '1 TB']
    """
    rounded = [capacity_for_people(number) for number in numbers]
    if len(set(rounded)) == len(set(numbers)):
        return rounded
    return [text(number, "size") for number in numbers]


MOST_DIGITS = 6  # of a time for people in its own unit


def time_for_people(seconds: float) -> str:
    """A time as it is best read, to the microsecond: 2 h, 20.237617 s."""
    exactly = text(seconds, "time")
    if sum(one.isdigit() for one in exactly) <= MOST_DIGITS:
        return exactly
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + " s"


@lru_cache(maxsize=4096)
def text(value: float, dimension: str) -> str:
    """A value in base units as a text that :func:`parse` reads back to the same value.

    The unit is the one that needs the fewest digits, if possible none before the point
    being zero; of equals the larger.
    """
    d = DIMENSIONS[dimension]
    if d.bare:
        return _decimal(exact(value))
    base = min(d.units, key=lambda unit: abs(d.units[unit] - 1))
    if value == 0:
        return f"0 {base}"
    found: list[tuple[bool, int, Fraction, str]] = []
    for unit, factor in d.units.items():
        number = exact(value) / factor
        written = f"{_decimal(number)} {unit}"
        with suppress(QuantityError):  # a size in so large a unit is no whole number of bytes
            if parse(written, dimension) == value:
                found.append((abs(number) < 1, len(written.split(maxsplit=1)[0]), -factor, written))
    if found:
        return min(found)[-1]
    digits = Context(prec=25).divide(
        *map(Decimal, (exact(value) / d.units[base]).as_integer_ratio())
    )
    return f"{digits} {base}"


def plain(value: float, digits: int) -> str:
    """A number for people, rounded to some digits, with thousands marked: 10,600, not 1.06e+04."""
    near = float(f"{value:.{digits}g}")
    return f"{near:,.0f}" if 10**digits <= abs(near) < _NOBODY_READS else f"{near:,.{digits}g}"


def bare_unit(unit: str) -> bool:
    """Return whether a unit is that of pure numbers."""
    return unit == "1"


def exact(value: str | int | float) -> Fraction:
    """The number written, exactly; QuantityError if it is none, not finite or absurdly large."""
    if isinstance(value, float) and not math.isfinite(value):
        raise QuantityError(f"{value} is not a number to compute with", "write a finite number")
    if not isinstance(value, str) and abs(value) > 10**40:
        raise QuantityError(f"{quote(value)} is too large to be meant")
    # A float of numpy is a float whose repr is "np.float64(8.0)".
    written = repr(float(value)) if isinstance(value, float) else str(value)
    if len(written) > _LONGEST or not _NUMBER.fullmatch(written):
        raise QuantityError(f"{quote(written)} is not a number")
    return Fraction(written)


def _split(written: str, d: Dimension) -> tuple[str, str]:
    """Number and unit of a text such as "8 KiB"."""
    stripped = written.strip()
    if len(stripped) > _LONGEST:
        raise QuantityError(f"{quote(stripped)} is too long for a {_name(d)}", _write(d))
    if _NOT_FINITE.match(stripped):
        raise QuantityError(f"{quote(written)} is not a number to compute with", _write(d))
    match = _NUMBER.match(stripped)
    if match is None:
        raise QuantityError(f"{quote(written)} does not start with a number", _write(d))
    rest = stripped[match.end() :]
    if rest[:1] in (",", "_", "."):
        cause = f"{quote(written)} has separators in the number"
        raise QuantityError(cause, f"write digits only: {_example(d)}")
    return match.group(), rest.strip()


def _factor(unit: str, d: Dimension) -> tuple[Fraction, bool]:
    """Size of a unit, and whether it is one of the inverse ones."""
    unit = _ALIASES.get(unit, unit)
    if unit in d.units:
        return d.units[unit], False
    if d.inverse and unit in d.inverse:
        return d.inverse[unit], True
    no_unit = f"{quote(unit)} is not a unit of a {_name(d)}"
    if remedy := _in_bytes(unit, d):
        raise QuantityError(no_unit, remedy)
    if remedy := _which_bytes(unit, d):
        raise QuantityError(no_unit, remedy)
    for other in DIMENSIONS.values():
        if unit in other.known and not bare_unit(unit):
            cause = f"{quote(unit)} is a unit of {_name(other)}, not of {_name(d)}"
            raise QuantityError(cause, _write(d))
    if d.bare:
        raise QuantityError(no_unit, "write the number without a unit")
    raise QuantityError(no_unit, suggest(unit, d.known) or _write(d))


def _in_bytes(unit: str, d: Dimension) -> str | None:
    """Return advice for bits per second: those of links are mostly given as "10 Gbit/s"."""
    part = _BITS.fullmatch(unit)
    if part is None or "B/s" not in d.known:
        return None
    if not part[1]:
        return 'a byte has 8 bits: 8 of them are "1 B/s"'
    prefix = part[1].upper()
    smaller = {"K": "", "M": "k", "G": "M", "T": "G"}[prefix]
    return f'a byte has 8 bits: 1 {prefix.replace("K", "k")}bit/s is "125 {smaller}B/s"'


def _which_bytes(unit: str, d: Dimension) -> str | None:
    """Return advice for a prefix that leaves the bytes open: "512K", "8 KB"."""
    part = _PREFIX.fullmatch(unit)
    if part is None:
        return None
    before, prefix = part[1] or "", part[2].upper()
    after = "" if before or d.name in ("size", "capacity") else "/s"
    power = "KMGTP".index(prefix) + 1
    found = (
        (f"{before}{prefix}iB{after}", 1024**power),
        (f"{before}{prefix.replace('K', 'k')}B{after}", 1000**power),
    )
    known = [f'"{one}" ({size} bytes)' for one, size in found if one in d.known]
    return f"write {' or '.join(known)}" if known else None


def _decimal(number: Fraction) -> str:
    """A number in the fewest decimal digits that give the same float."""
    if number.denominator == 1 and abs(number) < 10**16:
        return str(number.numerator)
    written = repr(float(number))
    return written.removesuffix(".0")


def _name(d: Dimension) -> str:
    return d.name.replace("_", " ")


def _example(d: Dimension) -> str:
    return d.example if d.bare else f'"{d.example}"'


def _write(d: Dimension) -> str:
    return f"write a {_name(d)} such as {_example(d)}"


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return quote(value)

"""What a study varies: keys of a scenario, and the values that each takes.

As ``--vary`` words it::

    volume.level=raid5,raid6,raid10            these values
    volume.drives=4..24:4                      from 4 to 24 in steps of 4
    load.size=4 KiB..1 MiB*2                   each twice the one before
    volume.level+volume.drives=raid6+8,raid10+12    keys that go together

and ``--sample``, for values in between::

    load.read=0 %..100 %                       even
    load.outstanding=1..256 log                even in the logarithm

A condition (``--where``) keeps the variants for which it is true. It compares keys with each other
and with values, as Python would: ``volume.drives >= 6 or volume.level == 'raid10'``.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from raidsim import units
from raidsim.errors import InputError, Problem, quote
from raidsim.scenario.overrides import value_of

MOST = 1_000_000
"""Variants of one study."""

Changes = dict[str, Any]

_RANGE = re.compile(r"(?P<low>.+?)\.\.(?P<high>.+?)(?P<how>(?:[:*].+)?)")
_SAMPLED = re.compile(r"(?P<low>.+?)\.\.(?P<high>.+?)(?P<log>\s+log)?")
_NUMBER = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]{1,3})?)\s*(.*)")


@dataclass(frozen=True)
class Axis:
    """Keys that are varied together, and their values: for each key one, in each step."""

    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    @property
    def steps(self) -> list[Changes]:
        """The changes of each step."""
        return [dict(zip(self.keys, step, strict=True)) for step in self.values]


@dataclass(frozen=True)
class Between:
    """A key whose values are drawn between two."""

    key: str
    low: Any
    high: Any
    log: bool = False

    def at(self, share: float) -> Any:
        """The value at a share of the way from low to high; whole between whole numbers.

        Raises
        ------
        InputError
            The values have no logarithm, though it is drawn along one.
        """
        low, high, unit = _ends(self.low, self.high, self.key)
        if self.log:
            if low <= 0:
                raise _wrong("--sample", self.key, "a logarithm needs values above zero")
            found = float(low) * (float(high) / float(low)) ** share
        else:
            found = float(low) + (float(high) - float(low)) * share
        if isinstance(self.low, int) and isinstance(self.high, int):
            return round(found)
        if unit in units.DIMENSIONS["size"].units:
            return _size(found, unit)
        return f"{found:.6g} {unit}" if unit else float(f"{found:.9g}")


def _size(number: float, unit: str) -> str:
    """A size near a number of units that is a whole number of sectors."""
    one = units.parse(f"1 {unit}", "size")
    sectors = max(1, round(number * one / units.SECTOR))
    return units.text(sectors * units.SECTOR, "size")


# -- reading ------------------------------------------------------------------------------------


def parse_axis(text: str, option: str = "--vary") -> Axis:
    """Read what one option, or one entry of a study file, varies.

    Raises
    ------
    InputError
        If it has no key, no values, or values that do not go together.
    """
    left, equals, right = text.partition("=")
    keys = tuple(part.strip() for part in left.split("+"))
    if not equals or not all(keys) or not right.strip():
        cause = f"{quote(text)} does not say which key takes which values"
        raise _wrong(option, None, cause, f"write {option} volume.drives=4,6,8")
    steps: list[tuple[Any, ...]] = []
    for part in _split(right, ","):
        if len(keys) == 1:
            steps += [(value,) for value in _values(part, keys[0], option)]
            continue
        given = tuple(value_of(one.strip()) for one in _split(part, "+"))
        if len(given) != len(keys):
            cause = f"{quote(part.strip())} has {len(given)} values for {len(keys)} keys"
            raise _wrong(option, left.strip(), cause, "join them with +, as the keys")
        steps.append(given)
    return Axis(keys, tuple(steps))


def between(text: str, option: str = "--sample") -> Between:
    """Read between which values a key is drawn.

    Raises
    ------
    InputError
        If it has no key, or not two values of one kind.
    """
    key, equals, right = (part.strip() for part in text.partition("="))
    found = _SAMPLED.fullmatch(right)
    if not equals or not key or found is None:
        cause = f"{quote(text)} does not say between which values a key is drawn"
        raise _wrong(option, None, cause, f'write {option} "load.read=0 %..100 %"')
    one = Between(key, value_of(found["low"].strip()), value_of(found["high"].strip()),
                  bool(found["log"]))  # fmt: skip
    low, high, _ = _ends(one.low, one.high, key, option)
    if low >= high:
        raise _wrong(option, key, f"{quote(right)} does not rise", "write the lower one first")
    one.at(0.5)
    return one


def _split(text: str, at: str) -> list[str]:
    """Parts of a text, at a sign that stands in no brackets and no quotes."""
    parts, depth, quoted, begin = [], 0, "", 0
    for place, sign in enumerate(text):
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "\"'":
            quoted = sign
        elif sign in "[{(":
            depth += 1
        elif sign in ")}]":
            depth -= 1
        elif sign == at and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def _values(text: str, key: str, option: str) -> list[Any]:
    """One value, or those of a range."""
    text = text.strip()
    found = _RANGE.fullmatch(text)
    if found is None or text[:1] in "\"'[{":
        return [value_of(text)] if text else [_nothing(option, key)]
    low, high = (value_of(found[end].strip()) for end in ("low", "high"))
    first, last, unit = _ends(low, high, key, option)
    how = found["how"] or ":1"
    step, _ = _number(value_of(how[1:].strip()), unit if how[0] == ":" else "", key, option)
    grows = step > 0 if how[0] == ":" else step > 1 and first > 0
    if last < first:
        cause = f"{quote(text)} is an empty range"
        raise _wrong(option, key, cause, "write the smaller number first")
    if not grows:
        cause = f"{quote(text)} does not end"
        raise _wrong(option, key, cause, "write low..high:step, or low..high*factor")
    adds = how[0] == ":"
    steps = (last - first) / step if adds else math.log(last / first) / math.log(step)
    if steps >= MOST:
        raise _wrong(option, key, f"{quote(text)} has more than {MOST:,} values")
    numbers = [first]
    while (following := numbers[-1] + step if adds else numbers[-1] * step) <= last:
        numbers.append(following)
    return [_written(number, unit) for number in numbers]


def _nothing(option: str, key: str) -> Any:
    raise _wrong(option, key, "has an empty value", "write values between commas")


def _ends(
    low: Any, high: Any, key: str, option: str = "--sample"
) -> tuple[Fraction, Fraction, str]:
    """Two ends as numbers of one unit."""
    first, unit = _number(low, None, key, option)
    last, _ = _number(high, unit, key, option)
    return first, last, unit


def _number(value: Any, unit: str | None, key: str, option: str) -> tuple[Fraction, str]:
    """A number and its unit; in the unit that is given, if it has another one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        written, own = repr(value), ""
    else:
        found = _NUMBER.fullmatch(str(value))
        if found is None:
            raise _wrong(option, key, f"{quote(value)} is not a number", "write a list")
        written, own = found[1], found[2].strip()
    try:
        number = units.exact(written)
    except units.QuantityError as error:
        raise _wrong(option, key, error.cause, error.remedy) from None
    if unit is None or own == unit:
        return number, own
    for dimension in units.DIMENSIONS.values():
        if own in dimension.units and unit in dimension.units:
            return number * dimension.units[own] / dimension.units[unit], unit
    cause = f"{quote(value)} is not in {unit}" if unit else f"{quote(value)} has a unit"
    raise _wrong(option, key, cause, "give both ends in units of one kind")


def _written(number: Fraction, unit: str) -> Any:
    """A number as a scenario has it."""
    plain: int | float = number.numerator if number.denominator == 1 else float(number)
    return f"{plain} {unit}" if unit else plain


# -- variants -----------------------------------------------------------------------------------


def variants(
    axes: Sequence[Axis],
    drawn: Sequence[Between] = (),
    *,
    samples: int = 0,
    seed: int = 1,
    where: str | None = None,
) -> list[Changes]:
    """All that is varied: each step of each axis with each of the others.

    Parameters
    ----------
    drawn
        Keys whose values are drawn together, as a Latin hypercube, ``samples`` times.
    seed
        Of what is drawn.
    where
        A condition; what it is not true for is left out.

    Raises
    ------
    InputError
        A key is varied twice, the condition is none, or there are no variants, or too many.
    """
    keys = [key for one in axes for key in one.keys] + [one.key for one in drawn]
    for key in keys:
        if keys.count(key) > 1:
            raise _wrong("--vary", key, "is varied twice", "vary each key once")
    rows = [*(one.steps for one in axes)]
    if drawn:
        rows.append(_hypercube(drawn, samples, seed))
    count = math.prod(len(steps) for steps in rows)
    if count > MOST:
        cause = f"{count:,} variants are more than {MOST:,}"
        raise _wrong("--vary", None, cause, "vary less, or draw with --sample")
    found: list[Changes] = [
        {key: value for step in steps for key, value in step.items()}
        for steps in itertools.product(*rows)
    ]
    if where is not None:
        holds = condition(where, keys)
        found = [one for one in found if holds(one)]
        if not found:
            raise _wrong("--where", None, f"{quote(where)} leaves no variant")
    return found


def _hypercube(drawn: Sequence[Between], samples: int, seed: int) -> list[Changes]:
    from scipy.stats import qmc  # noqa: PLC0415  (takes half a second to load)

    shares = qmc.LatinHypercube(len(drawn), rng=seed).random(samples)
    return [
        {one.key: one.at(float(share)) for one, share in zip(drawn, row, strict=True)}
        for row in shares
    ]


# -- conditions ---------------------------------------------------------------------------------

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_COMPUTE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}
_FORM = "compare keys that are varied, as in volume.drives >= 6 and volume.level != 'raid5'"


def condition(text: str, keys: Sequence[str]) -> Callable[[Mapping[str, Any]], bool]:
    """Read a condition on keys that are varied: what it says of the changes of a variant.

    Nothing is run: only comparisons, arithmetic, ``and``, ``or`` and ``not`` are understood.

    Raises
    ------
    InputError
        If it is anything else, or names a key that is not varied.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _wrong("--where", None, f"{quote(text)} is not a condition", _FORM) from None
    known = set(keys)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) not in known:
            inside = any(ast.unparse(node) in key for key in known)
            if not inside:
                cause = f"{quote(ast.unparse(node))} is not varied"
                raise _wrong("--where", None, cause, f"varied: {', '.join(keys)}")

    def holds(changes: Mapping[str, Any]) -> bool:
        try:
            return bool(_value(tree, changes))
        except (TypeError, ZeroDivisionError, KeyError) as error:
            raise _wrong("--where", None, f"{quote(text)}: {error}", _FORM) from None

    return holds


def _value(node: ast.expr, changes: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return _comparable(changes[ast.unparse(node)])
    if isinstance(node, ast.Constant):
        return _comparable(node.value)
    if isinstance(node, ast.Tuple | ast.List):
        return [_value(one, changes) for one in node.elts]
    if isinstance(node, ast.BoolOp):
        every = all if isinstance(node.op, ast.And) else any
        return every(_value(one, changes) for one in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        found = _value(node.operand, changes)
        return not found if isinstance(node.op, ast.Not) else -found
    if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTE:
        return _COMPUTE[type(node.op)](_value(node.left, changes), _value(node.right, changes))
    if isinstance(node, ast.Compare):
        values = [_value(one, changes) for one in (node.left, *node.comparators)]
        return all(
            _COMPARE[type(how)](a, b)
            for how, (a, b) in zip(node.ops, itertools.pairwise(values), strict=True)
        )
    raise _wrong("--where", None, f"{quote(ast.unparse(node))} is not a comparison", _FORM)


def _comparable(value: Any) -> Any:
    """A quantity with a unit as a number in base units, so that 1 MiB is more than 64 KiB."""
    found = number_of(value)
    return value if found is None or isinstance(value, bool) else found


def number_of(value: Any) -> float | None:
    """A value of a key as a number in base units; None if it is none."""
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        for dimension in ("size", "time", "share", "rate", "frequency", "power"):
            try:
                return float(units.parse(value, dimension))
            except units.QuantityError:
                continue
    return None


def _wrong(option: str, key: str | None, cause: str, remedy: str | None = None) -> InputError:
    return InputError([Problem(option, None, key, cause, remedy)])

"""``--set KEY=VALUE``: another value for a key, before anything is checked.

The key is written as in messages: ``load.outstanding``, ``measure.precision``, ``load[1].size`` or
``load.NAME.size`` if there are several loads, ``load[*].size`` for all of them
(``load.outstanding`` and ``load.rate`` mean all that have them), ``volume.set.flash.read_time`` for
a value of a card. The value is TOML. A value that is no TOML is a text, so quotes may be left out:
``load.size=8 KiB``, also for quantities in a list: ``load.rate=[100 IO/s, 1 kIO/s]``. Without a
value (``load.rate=``) the key is removed.

A program gives keys and values separately (:func:`put`), as in ``scenario.with_("load.outstanding",
32)``.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from raidsim import schemas
from raidsim.cards.toml_file import NOT_SO_DEEP, TOO_DEEP, copied, is_deep
from raidsim.cards.toml_lines import DEEPEST, KeyPath
from raidsim.errors import Problem, quote
from raidsim.scenario.event import EventSpec
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import ControllerKeys, HybridKeys, LinkSpec, VolumeKeys
from raidsim.scenario.plain import plain, without_none
from raidsim.scenario.reading import OVERRIDE, Reading

_STEP = re.compile(r"""([A-Za-z0-9_-]+|"[^"]*"|'[^']*')((?:\[(?:[0-9]{1,6}|\*)\])*)(?:\.|$)""")
_QUANTITIES = re.compile(r"\[((?:\s*\d[^\[\]{},\"']*,)*\s*\d[^\[\]{},\"']*)\]")
_EVERY = "*"
_LONGEST_KEPT = 4096  # characters of a value; longer ones are parsed each time
_INTENSITIES = ("outstanding", "rate")
_FIELDS = {
    "controller": ControllerKeys.model_fields,
    "hybrid": HybridKeys.model_fields,
    "link": LinkSpec.model_fields,
    "volume": VolumeKeys.model_fields,
    "load": LoadSpec.model_fields,
    "machine": MachineSpec.model_fields,
    "event": EventSpec.model_fields,
}
_FORM = "write --set KEY=VALUE, e.g. --set load.outstanding=32"


class _Refused(Exception):
    def __init__(self, cause: str, remedy: str | None = None) -> None:
        self.problem = (cause, remedy)


def apply(reading: Reading, overrides: Iterable[str]) -> None:
    """Change the data of `reading` by each override in turn; a later one wins."""
    for text in overrides:
        key, equals, value = text.partition("=")
        key = key.strip()
        with _noted(reading, key):
            if not text.isprintable() and any("\ud800" <= c <= "\udfff" for c in text):
                raise _Refused("is not UTF-8 text")  # what a shell passes on as it is
            if not equals:
                raise _Refused(f"{quote(text)} has no value", _FORM)
            wanted = value_of(value.strip()) if value.strip() else None
            if is_deep(wanted):
                raise _Refused(TOO_DEEP, NOT_SO_DEEP)
            _change(reading, key, wanted)


def put(reading: Reading, changes: Mapping[str, Any]) -> None:
    """Change the data of `reading` by values of keys, in turn; None takes a key away."""
    for key, value in changes.items():
        with _noted(reading, str(key)):
            if not isinstance(key, str):
                raise _Refused("is not a key", _FORM)
            given = without_none(plain(value))
            if is_deep(given):
                raise _Refused(TOO_DEEP, NOT_SO_DEEP)
            _change(reading, key.strip(), given)


@contextmanager
def _noted(reading: Reading, key: str) -> Iterator[None]:
    """Note a change that is refused as a problem."""
    try:
        yield
    except _Refused as refused:
        cause, remedy = refused.problem
        if remedy == _FORM and reading.override != OVERRIDE:
            remedy = f'write {reading.override.removesuffix(")")}"load.outstanding", 32)'
        reading.problems.append(Problem(reading.override, None, key[:80] or None, cause, remedy))


def _change(reading: Reading, key: str, value: Any) -> None:
    if key == schemas.KEY:
        raise _Refused(
            "says how a file is written, and is not a key that can be set", "leave it out"
        )
    for steps in _expand(reading.data, _steps(key)):
        path = _address(reading.data, steps)
        if value is None:
            _take(reading.data, path)
        else:
            _put(reading.data, path, copied(value))
        reading.overridden.add(path)


def _steps(key: str) -> KeyPath:
    """The steps of a key: names and indices."""
    steps: KeyPath = ()
    at = 0
    while at < len(key):
        match = _STEP.match(key, at)
        if match is None:
            raise _Refused("is not a key", _FORM)
        steps += (match[1].strip("\"'"),)
        if len(steps) >= DEEPEST:
            raise _Refused(TOO_DEEP, NOT_SO_DEEP)
        indices = re.findall(r"[0-9]+|\*", match[2])
        steps += tuple(int(one) if one != _EVERY else one for one in indices)
        at = match.end()
    if not steps or key.endswith("."):
        raise _Refused("is not a key", _FORM)
    return steps


def _expand(data: dict[str, Any], steps: KeyPath) -> list[KeyPath]:
    """The steps of each table that is meant: of all with an index of ``*``, or that are loads."""
    first, *rest = steps
    items = data.get(str(first)) if first in _FIELDS else None
    if _EVERY in rest and (rest[0] != _EVERY or not isinstance(items, list) or not items):
        raise _Refused("there is no list of tables to set it in", _FORM)
    if not isinstance(items, list):
        return [steps]
    if rest and rest[0] == _EVERY:
        return [(first, index, *rest[1:]) for index in range(len(items))]
    if first == "load" and len(items) > 1 and rest and rest[0] in _INTENSITIES:
        having = [n for n, item in enumerate(items) if isinstance(item, dict) and rest[0] in item]
        return [(first, index, *rest) for index in having] or [steps]
    return [steps]


def _address(data: dict[str, Any], steps: KeyPath) -> KeyPath:
    """The full path that is meant: which load, volume ..., and the name of a card's value."""
    first, *rest = steps
    if first in _FIELDS and isinstance(first, str):
        items = data.setdefault(first, [{}])
        if not isinstance(items, list):
            raise _Refused(f"the scenario has no [[{first}]] to set it in")
        if rest and not isinstance(rest[0], int):
            rest = _which(first, items, rest)
        elif rest and isinstance(rest[0], int) and rest[0] >= len(items):
            raise _Refused(_how_many(len(items)))
    path = (first, *rest)
    if "set" in path:
        at = path.index("set") + 1
        if at < len(path):
            path = (*path[:at], ".".join(str(step) for step in path[at:]))
    return path


def _how_many(items: int) -> str:
    """Return the valid numbers, for a number that does not exist."""
    if items == 1:
        return "there is only one of them, which has the number 0"
    return f"there are only {items} of them, which have the numbers 0 to {items - 1}"


def _which(first: str, items: list[Any], rest: list[str | int]) -> list[str | int]:
    """Put in the index that was left out, or that a name stands for."""
    told_by = "kind" if first == "event" else "name"
    default = _FIELDS[first][told_by].default
    names = [item.get(told_by, default) if isinstance(item, dict) else None for item in items]
    if names.count(rest[0]) == 1 and (len(rest) > 1 or rest[0] not in _FIELDS[first]):
        return [names.index(rest[0]), *rest[1:]]
    if len(items) == 1:
        return [0, *rest]
    example = f"{first}[0].{rest[0]}"
    raise _Refused(f"there are {len(items)} tables [[{first}]]", f"say which one, as in {example}")


def value_of(text: str) -> Any:
    """The TOML value of a text, or the text itself."""
    kept = _value_of if len(text) <= _LONGEST_KEPT else _value_of.__wrapped__
    return copied(kept(text))


@lru_cache(maxsize=4096)
def _value_of(text: str) -> Any:
    if "\n" in text or "\r" in text:
        return text
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        listed = _QUANTITIES.fullmatch(text)
        return [_value_of(one.strip()) for one in listed[1].split(",")] if listed else text
    return value


def _container(data: Any, path: KeyPath, create: bool) -> Any:
    """The table or list that holds the last step of a path; None if there is none."""
    for step, following in itertools.pairwise(path):
        if isinstance(data, dict) and isinstance(step, str):
            if step not in data:
                if not create or isinstance(following, int):
                    return None
                data[step] = {}
            data = data[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _put(data: dict[str, Any], path: KeyPath, value: Any) -> None:
    container, last = _container(data, path, create=True), path[-1]
    if isinstance(container, dict) and isinstance(last, str):
        if len(path) > 1 and path[-2] == "set":
            _forget(container, last)
        container[last] = value
    elif isinstance(container, list) and isinstance(last, int) and last < len(container):
        container[last] = value
    else:
        raise _Refused("there is no such place in the scenario")


def _take(data: dict[str, Any], path: KeyPath) -> None:
    container, last = _container(data, path, create=False), path[-1]
    if isinstance(container, dict) and isinstance(last, str):
        container.pop(last, None)
        if len(path) > 1 and path[-2] == "set":
            _forget(container, last)
    elif isinstance(container, list) and isinstance(last, int) and last < len(container):
        del container[last]


def _forget(table: dict[str, Any], dotted: str) -> None:
    """Take away a card's value that the file wrote as nested tables."""
    *outer, last = dotted.split(".")
    inner: Any = table
    for name in outer:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if isinstance(inner, dict):
        inner.pop(last, None)

"""Mistakes that people and programs make: in the data of a file, in its text, and in both."""

from __future__ import annotations

import marshal
import random
from collections.abc import Callable
from typing import Any

from raidsim.report.toml_text import render
from tests.fuzz import right

ODD: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 7, 10**6, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30,
    10**300, 0.0, -0.0, 0.5, 1.0, 1e-320, 1e308, -1e308, float("nan"), float("inf"), True, False,
    "", " ", "0", "1", "-1", "8", "8 KiB", "512", "512 B", "513 B", "512K", "1 B", "0 B", "0 s",
    "1 ns", "1e-30 s", "8760 h", "8761 h", "-5 ms", "0 %", "100 %", "100.0000001 %", "1e-300 %",
    "120 %", "67", "67%", "nan %", "inf s", "1e999 B", "8192 PiB", "16 EiB", "4611686018 GB",
    "0 MB/s", "0 us/KiB", "1e30 MB/s", "0 IO/s", "1 IO/s", "1e12 IO/s", "0 Hz", "-40 C", "0 rpm",
    "none", "rest", "all", "host", "data", "single", "raid0", "raid5", "raid6", "raid60", "raid10",
    "back", "through", "on", "off", "learning", "intel-p3700-800gb", "nl-sas-2tb", "../models/x",
    "seagate-st373455ss", "lsi-megaraid-1078-512", "fujitsu-rx2540-m1", "x.toml", "/dev/null", ".",
    "\x00", "\x1b[31m", "\n", "\u2028", "\ufeff", "ü", "𝟠 KiB", "８ KiB", "8\u00a0KiB", "µs",
    "8 µs",
    "a" * 300, "9" * 90, "1" * 400 + " B", "{}", "[]", "a.b.c", '"', "'", "\\", "${x}", "%s", "*",
    [], {}, [[]], [{}], [1, 2, 3], [0], [-1], ["1 s", "0 s"], {"a": 1}, {"offset": "0 B"},
    {"offset": "1 PB", "size": "512 B"}, {"size": "0 B"}, {"on": "0 s", "off": "0 s"}, None,
    {"area": "0 %", "accesses": "100 %"}, {"size": "8 KiB", "share": "100 %"}, [None], {"": {}},
)  # fmt: skip
"""Values of other types, units, magnitudes and signs."""

UNITS = (
    "B",
    "KiB",
    "GB",
    "TB",
    "s",
    "ms",
    "ns",
    "h",
    "%",
    "IO/s",
    "MB/s",
    "us/KiB",
    "C",
    "W",
    "",
    "K",
)
PIECES = (
    "[", "]", "[[", "]]", "{", "}", '"', "'", "'''", '"""', "=", ".", ",", "\n", "\r", "#", "\\",
    "load", "[load]", "[[load]]", "[[volume]]", "[host]", "set", "size", "nan", "inf", "-1",
    "1e999", "0x", "true", "8 KiB", "100 %", " ", "\t", "\ufeff", "\u2028", "1979-05-27", "9" * 30,
    "\x00",
    "a.b = 1\n", "x = { y = 1 }\n", "é", "\U0001f4be", "\ud800", "[a.b.c]\n", "= = =", "seed = 1\n",
)  # fmt: skip

Container = dict[str, Any] | list[Any]


def copied(data: Any) -> Any:
    """A copy to make mistakes in."""
    return marshal.loads(marshal.dumps(data))


def place(random: random.Random, data: Any) -> tuple[Container, Any] | None:
    """A table or a list somewhere in the data, and one of its keys; None if there is none."""
    found = None
    here = data
    while isinstance(here, dict | list) and here:
        key = random.choice(list(here)) if isinstance(here, dict) else random.randrange(len(here))
        if found is not None and random.random() < 0.12:
            break
        found = (here, key)
        here = here[key]
    return found


def one(random: random.Random, data: dict[str, Any]) -> None:
    """Make a mistake in the data of a file, wherever it may be."""
    found = place(random, data)
    if found is None:
        data[random.choice(KEYS)] = odd(random)
        return
    where, key = found
    random.choices(_MISTAKES, _CHANCES)[0](random, data, where, key)


def odd(random: random.Random, like: Any = None) -> Any:
    """A value that hardly anybody would write there."""
    if isinstance(like, str) and random.random() < 0.35 and (parts := like.split(" ")):
        number, unit = parts[0], parts[-1] if len(parts) > 1 else ""
        if random.random() < 0.5:
            return f"{number} {random.choice(UNITS)}"
        scale = random.choice(["0", "-", "1e-9", "1e6", "1e12", "1e-320", "0.3", "3", "7", "1000"])
        return f"-{number} {unit}" if scale == "-" else f"{scale} {unit}"
    if isinstance(like, int) and random.random() < 0.4:
        return random.choice([-like, like * 1000, like + 1, like - 1, like * 10**9, float(like)])
    return random.choice(ODD)


def _another_value(random: random.Random, data: Any, where: Any, key: Any) -> None:
    where[key] = copied(odd(random, where[key]))


def _another_key(random: random.Random, data: Any, where: Any, key: Any) -> None:
    if isinstance(where, dict):
        old = str(key)
        at = random.randrange(len(old)) if old else 0
        typo = old[:at] + random.choice(["", "x", old[at : at + 1] * 2, "_", " "]) + old[at + 1 :]
        where[random.choice([typo, random.choice(KEYS), old.upper(), ""])] = where.pop(key)


def _nothing(random: random.Random, data: Any, where: Any, key: Any) -> None:
    del where[key]


def _moved(random: random.Random, data: Any, where: Any, key: Any) -> None:
    value = where[key]
    if random.random() < 0.5:
        del where[key]
    other = place(random, data)
    if other is not None:
        there, at = other
        if isinstance(there, dict):
            there[key if isinstance(key, str) else random.choice(KEYS)] = copied(value)
        else:
            there[at] = copied(value)


def _repeated(random: random.Random, data: Any, where: Any, key: Any) -> None:
    if isinstance(where, list):
        where += copied([where[key]] * random.choice([1, 1, 1, 2, 5]))
    elif isinstance(where[key], list):
        where[key] = copied(where[key] * random.choice([2, 2, 3, 20]))


def _wrapped(random: random.Random, data: Any, where: Any, key: Any) -> None:
    value = where[key]
    for _ in range(random.choice([1, 1, 1, 2, 5, 40])):
        value = [value] if random.random() < 0.5 else {random.choice(KEYS): value}
    where[key] = value


def _taken_from_elsewhere(random: random.Random, data: Any, where: Any, key: Any) -> None:
    other = place(random, data)
    if other is not None:
        where[key] = copied(other[0][other[1]])


def _allowed(random: random.Random, data: Any, where: Any, key: Any) -> None:
    allowed(random, data)


def allowed(random: random.Random, data: Any) -> None:
    """Give a key a value that is allowed there, at an end of its range or somewhere between."""
    name = random.choice([*right.TABLES, "event"])
    tables = data.get(name)
    table = random.choice(tables) if isinstance(tables, list) and tables else tables
    if not isinstance(table, dict):
        return
    model = right.TABLES.get(name, random.choice(right.EVENTS))
    key = random.choice(list(right.keys_of(model)))
    table[key] = right.of_key(random, model, key, data)


def _one_more(random: random.Random, data: Any, where: Any, key: Any) -> None:
    name = random.choice(
        ["controller", "link", "volume", "hybrid", "load", "machine", "event", "event"]
    )
    tables = data.setdefault(name, [])
    if isinstance(tables, list):
        tables.append(right.table(random, name, data))


_MISTAKES: tuple[Callable[[random.Random, Any, Any, Any], None], ...] = (
    _another_value, _another_key, _nothing, _moved, _repeated, _wrapped, _taken_from_elsewhere,
    _allowed, _one_more,
)  # fmt: skip
_CHANCES = (30, 8, 8, 5, 4, 3, 8, 25, 9)
KEYS = (
    "size", "share", "offset", "area", "on", "off", "name", "model", "drive", "drives", "level",
    "set",
    "volume", "load", "host", "controller", "event", "machine", "hybrid", "link", "measure", "air",
    "kind", "at", "every", "for", "rate", "outstanding", "read", "x", "title", "seed", "value",
    "unit", "source", "claims", "range", "base", "id", "run", "scenario", "published", "tolerance",
    "metric",
)  # fmt: skip


def several(random: random.Random, data: dict[str, Any]) -> dict[str, Any]:
    """A copy of the data with one to four mistakes: one may hide another."""
    made: dict[str, Any] = copied(data)
    for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
        one(random, made)
    return made


def text_of(data: dict[str, Any]) -> str:
    """The data as TOML; what TOML has no word for is left out."""
    return render(_sayable(data))


def _sayable(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _sayable(value) for key, value in data.items() if value is not None}
    return [_sayable(one) for one in data if one is not None] if isinstance(data, list) else data


def damaged(random: random.Random, text: str) -> str:
    """The text with one to four pieces cut out, put in, doubled or moved."""
    for _ in range(random.choice([1, 1, 2, 3, 4])):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice([0, 0, 1, 3, 10, 40]))
        piece = random.choice(PIECES) if random.random() < 0.8 else text[end : end + 60]
        text = text[:start] + piece + text[end:]
    return text

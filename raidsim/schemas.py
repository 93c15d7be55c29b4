"""Schema numbers: the meaning of a file's keys, and how files with older numbers are read.

A scenario, a card or a file of claims may begin with ``schema = 1``; a file without a number always
has 1. A result says ``"schema": "raidsim.result/2"``. The number rises when a key changes its
meaning or is removed, not when one is added. A developer who raises it writes a migration from the
previous number, so that every older file can be read. The user is told what was changed in it.
"""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from raidsim.errors import InputError, Problem, SchemaWarning, quote

KEY = "schema"

Migration = Callable[[dict[str, Any]], str]
"""Changes the data of a file, in place, from one number to the next.

Says what it changed; an empty text if it had nothing to change.
"""


@dataclass(frozen=True)
class Schema:
    """The schema of one kind of file.

    Attributes
    ----------
    number : the present one.
    migrations : by the number that each one starts from; from 1 to the present one.
    """

    number: int = 1
    migrations: Mapping[int, Migration] = field(default_factory=dict)


def _without_price(data: dict[str, Any]) -> str:
    """Take the price of a card away: nothing reads it, and prices are in files of their own."""
    price = data.get("price")
    if not isinstance(price, dict) or "each" not in price:
        return ""
    del price["each"]
    if not price:
        del data["price"]
    return "price.each is left out: prices are in files of their own, which raidsim plan reads"


def _with_compared(data: dict[str, Any]) -> str:
    """Take what models leave out from the draws of a result, where only they had it."""
    unknowns = data.get("unknowns")
    if not isinstance(unknowns, dict) or "model" not in unknowns:
        return ""
    model = unknowns.pop("model")
    slower, tail = unknowns.pop("model_slower", None), unknowns.pop("model_tail", None)
    names = {key: unknowns.pop(key, []) for key in ("uncompared", "stand_ins", "measured_apart")}
    slower = model if slower is None else slower
    data["compared"] = {"slower": slower, "faster": model, "tail": slower if tail is None else tail}
    data["compared"] |= names
    return "compared has what models leave out, which unknowns had: model, model_slower and so on"


SCHEMAS: dict[str, Schema] = {
    "scenario": Schema(),
    "card": Schema(2, {1: _without_price}),
    "claims": Schema(),
    "result": Schema(2, {1: _with_compared}),
}


def up_to_date(
    kind: str, data: Mapping[str, Any], name: str, line: Callable[[], int | None] = lambda: None
) -> dict[str, Any]:
    """The data of a file as the present schema has them, without the number.

    Parameters
    ----------
    kind : a key of ``SCHEMAS``.
    data : what the file holds; it stays as it is.
    name : the file as messages name it.
    line : where the number stands, which only a message wants to know.

    Raises
    ------
    InputError : the number is none, or newer than this version of raidsim.

    Warns
    -----
    SchemaWarning : the file is of an older number, and something was changed: what.
    """
    present = SCHEMAS[kind]
    new = {key: value for key, value in data.items() if key != KEY}
    written = data.get(KEY, of_result(1) if kind == "result" else 1)
    number = _number(kind, written)
    if number is None:
        cause = f"{quote(written)} is not a schema of a {kind} file"
        raise _wrong(name, line(), cause, f"write {_shown(kind, present.number)}")
    if number > present.number:
        cause = f"{number} is newer than this version of raidsim, which reads up to"
        raise _wrong(name, line(), f"{cause} {present.number}", "install a newer raidsim")
    if number < present.number:
        new = copy.deepcopy(new)
    for older in range(number, present.number):
        said = present.migrations[older](new)
        if not said:
            continue
        warnings.warn(
            f"{name}: brought from schema {older} to {older + 1}: {said}",
            SchemaWarning,
            stacklevel=2,
        )
    return new


def head(kind: str) -> dict[str, Any]:
    """The present number as data of a file begin with it; 1 goes without saying."""
    number = SCHEMAS[kind].number
    return {} if number == 1 else {KEY: number}


def of_result(number: int) -> str:
    """A number as a result writes it."""
    return f"raidsim.result/{number}"


def _number(kind: str, written: Any) -> int | None:
    if kind == "result":
        found = re.fullmatch(r"raidsim\.result/([1-9][0-9]{0,8})", str(written))
        return int(found[1]) if found and isinstance(written, str) else None
    return written if type(written) is int and written > 0 else None


def _shown(kind: str, number: int) -> str:
    return f'"{KEY}": "{of_result(number)}"' if kind == "result" else f"{KEY} = {number}"


def _wrong(name: str, line: int | None, cause: str, remedy: str) -> InputError:
    return InputError([Problem(name, line, KEY, cause, remedy)])

"""Values, claims and residuals written into the file of a card; everything else stays as it is."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from raidsim.errors import InputError, Problem


@dataclass(frozen=True)
class NewValue:
    """What becomes of one value: the number in the unit of the card, and what it was fitted to."""

    name: str
    number: float
    claims: tuple[str, ...]


def rewritten(text: str, values: Sequence[NewValue], residuals: Mapping[str, float]) -> str:
    """Return the text of a card with other values and residuals, comments kept.

    Parameters
    ----------
    text
        The card, well formed.
    values
        New numbers for values that stand in it.
    residuals
        Relative error that each claim is left with.
    """
    card: Any = tomlkit.parse(text)
    for value in values:
        section, _, key = value.name.partition(".")
        entry = card[section][key]
        if entry["value"] != value.number:
            entry["value"] = _plain(value.number)
        if list(entry.get("claims", [])) != list(value.claims):
            entry["claims"] = list(value.claims)
    if card.get("residuals", {}) != {claim: percent(error) for claim, error in residuals.items()}:
        _set_residuals(card, residuals)
    # tomlkit leaves no space behind a key that it adds to an inline table.
    return re.sub(r"(claims = \[[^\]\n]*\])\}", r"\1 }", tomlkit.dumps(card))


def percent(error: float) -> str:
    """Return a residual as a card holds it."""
    return f"{error * 100:.1f} %".replace("-0.0 %", "0.0 %")


def write(path: Path, text: str) -> None:
    """Replace a card file as a whole; InputError if that cannot be done."""
    try:
        number, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
            temporary.chmod(path.stat().st_mode & 0o777)
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        cause = f"cannot be written: {error.strerror or error}"
        remedy = "copy the card to a folder of yours and name its path"
        raise InputError([Problem(str(path), None, None, cause, remedy)]) from None


def _set_residuals(card: tomlkit.TOMLDocument, residuals: Mapping[str, float]) -> None:
    """Fill the table of residuals, where it is or at the end."""
    if "residuals" not in card:
        if not tomlkit.dumps(card).endswith("\n\n"):
            card.add(tomlkit.nl())
        card["residuals"] = tomlkit.table()
    table = card["residuals"]
    assert isinstance(table, Table)
    for claim in list(table):
        table.remove(claim)
    for claim, error in residuals.items():
        table[claim] = percent(error)


def _plain(number: float) -> float | int:
    """Return a whole number as an int, as people write it."""
    return int(number) if number == int(number) and abs(number) < 10**15 else number

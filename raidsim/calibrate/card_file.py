"""Values, claims, residuals and sensitivities written into the files of cards.

Everything else in a file stays as it is, comments included.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from raidsim import cards
from raidsim.cards.places import looks_like_path
from raidsim.errors import InputError, Problem

TOLD = "How a simulated figure changes for 1 % more of a value."


@dataclass(frozen=True)
class NewValue:
    """The new state of one value.

    ``number`` is in the unit of the card; ``claims`` are those it was fitted to, and
    ``sensitivities``, by claim, the relative change of the figure for 1 % more of the value.
    ``unit``, ``source`` and ``note`` are None if they stay as they are.
    """

    name: str
    number: float
    claims: tuple[str, ...]
    sensitivities: Mapping[str, float] = field(default_factory=dict)
    unit: str | None = None
    source: str | None = None
    note: str | None = None


def rewritten(text: str, values: Sequence[NewValue], residuals: Mapping[str, float]) -> str:
    """Return the text of a card with other values, residuals and sensitivities, comments kept.

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
        if section not in card:
            card.add(section, tomlkit.table())
        if key not in card[section]:
            card[section].add(key, tomlkit.inline_table())
        entry = card[section][key]
        if entry.get("value") != value.number:
            entry["value"] = _plain(value.number)
        for name in ("unit", "source", "note"):
            written = getattr(value, name)
            if written is not None and entry.get(name) != written:
                entry[name] = written
        # If no claim determines a value any more, the claims of its earlier fit stay.
        if value.claims and list(entry.get("claims", [])) != list(value.claims):
            entry["claims"] = list(value.claims)
    _fill(card, "residuals", {claim: percent(error) for claim, error in residuals.items()})
    told = {
        value.name: {claim: percent(change, 2) for claim, change in value.sensitivities.items()}
        for value in values
        if value.sensitivities
    }
    _fill(card, "sensitivities", told, TOLD)
    return spaced(tomlkit.dumps(card))


def spaced(text: str) -> str:
    """Return a text with spaces inside of braces, where tomlkit leaves none."""
    written = re.sub(r'(?m)^(\w+ = )\{ ?(.*[\]"0-9e])\}$', r"\1{ \2 }", text)
    return re.sub(r'(?m)^("[^"\n]+" = )\{("[^\n]*")\}$', r"\1{ \2 }", written)


def percent(error: float, digits: int = 1) -> str:
    """Return a relative number as a card holds it."""
    zero = f"{0:.{digits}f} %"
    return f"{error * 100:.{digits}f} %".replace(f"-{zero}", zero)


def refuse_named(names: Iterable[str]) -> None:
    """Refuse to write into cards that are given by name: they come with raidsim.

    A change would change all scenarios that have them. Whoever means to do that gives the path.

    Raises
    ------
    InputError
        With each card that is named.
    """
    cause = "is a card that comes with raidsim, and a fit would change it for all scenarios"
    problems = [
        Problem(
            name, None, None, cause,
            f"add --dry-run, or fit a copy of it by its path: the file is {cards.load(name).path}",
        )
        for name in names
        if not looks_like_path(name)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def check(paths: Iterable[Path]) -> None:
    """Refuse cards that could not be written, before any work is done; InputError with each."""
    problems = []
    for path in paths:
        try:
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, "write-protected")
            _beside(path, "").unlink()
        except OSError as error:
            problems.append(_unwritable(path, error))
    if problems:
        raise InputError(problems)


def write(texts: Mapping[Path, str]) -> None:
    """Replace card files, all of them or none; InputError if that cannot be done.

    Each new file is complete beside the old one before any of them is replaced.
    """
    ready: dict[Path, Path] = {}
    replaced: dict[Path, str] = {}
    path = Path()
    try:
        try:
            for path, text in texts.items():
                ready[path] = _beside(path, text)
            for path, temporary in ready.items():
                replaced[path] = path.read_text(encoding="utf-8")
                temporary.replace(path)
        except BaseException:
            for done, old in replaced.items():
                with suppress(OSError):
                    _beside(done, old).replace(done)
            raise
        finally:
            for temporary in ready.values():
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError([_unwritable(path, error)]) from None


def _unwritable(path: Path, error: OSError) -> Problem:
    cause = f"cannot be written: {(error.strerror or str(error)).lower()}"
    remedy = "copy the card to a folder of yours and name its path, or see with --dry-run"
    return Problem(str(path), None, None, cause, remedy)


def _beside(path: Path, text: str) -> Path:
    """Write a text into a new file in the folder of another, with its permissions."""
    number, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.chmod(path.stat().st_mode & 0o777)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _fill(
    card: tomlkit.TOMLDocument, name: str, content: Mapping[str, Any], comment: str = ""
) -> None:
    """Fill a table, where it is or at the end; an empty one does not appear."""
    if card.get(name, {}) == content:
        return
    if name not in card:
        if not tomlkit.dumps(card).endswith("\n\n"):
            card.add(tomlkit.nl())
        card[name] = tomlkit.table()
        if comment:
            card[name].add(tomlkit.comment(comment))
    table = card[name]
    assert isinstance(table, Table)
    for key in list(table):
        table.remove(key)
    for key, value in content.items():
        table[key] = inline(value) if isinstance(value, Mapping) else value
    if not content:
        del card[name]


def inline(content: Mapping[str, str]) -> InlineTable:
    """Return a table on one line."""
    table = tomlkit.inline_table()
    table.update(content)
    return table


def _plain(number: float) -> float | int:
    """Return a whole number as an int, as people write it."""
    return int(number) if number == int(number) and abs(number) < 10**15 else number

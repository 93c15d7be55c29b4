"""The cards that come with raidsim, and finding one by its name or its path."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from raidsim.cards.card import Card
from raidsim.cards.loader import read
from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.resources import data_folder


def names() -> list[str]:
    """Names of all cards, sorted."""
    return sorted(path.stem for path in data_folder("models").rglob("*.toml"))


def catalogue() -> list[Card]:
    """All cards, by kind and name; InputError with the problems of every bad one."""
    cards: list[Card] = []
    problems: list[Problem] = []
    folder = data_folder("models")
    stamps = _stamps(folder)
    for path in sorted(folder.rglob("*.toml")):
        try:
            cards.append(_read_once(path, None, True, stamps))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return sorted(cards, key=lambda card: (card.kind, card.name))


def find(name: str, folder: Path | None = None) -> Path:
    """File of a card.

    Parameters
    ----------
    name : a name of the catalogue, or a path: something with a slash or ending in ``.toml``.
    folder : where a relative path is looked for if it is not in the current folder.

    Raises
    ------
    InputError : there is none; with the nearest name.
    """
    if looks_like_path(name):
        beside = (folder or Path()) / name
        return beside if exists(beside) and not exists(Path(name)) else Path(name)
    folder = data_folder("models")
    if exists(folder / f"{name}.toml"):
        return folder / f"{name}.toml"
    for path in folder.rglob("*.toml"):
        if path.stem == name:
            return path
    remedy = suggest(name, names()) or "raidsim models lists the known ones"
    raise InputError([Problem(None, None, None, f"no model is called {quote(name)}", remedy)])


def load(name: str | Path, folder: Path | None = None, *, may_have_base: bool = True) -> Card:
    """The card of a name or a path; InputError with all that is wrong."""
    path = find(str(name), folder)
    shown = None if path.is_absolute() else str(name)
    if path.is_relative_to(data_folder("models")):
        return _read_once(path, shown, may_have_base, _stamps(path.parent))
    return read(path, shown, may_have_base=may_have_base)


@lru_cache(maxsize=1024)
def _read_once(
    path: Path, shown: str | None, may_have_base: bool, _stamps: tuple[int, ...]
) -> Card:
    """A card of the catalogue, as long as no card there changes: it may say a base."""
    return read(path, shown, may_have_base=may_have_base)


def _stamps(folder: Path) -> tuple[int, ...]:
    """When the files of a folder were last written."""
    with os.scandir(folder) as entries:
        files = [(one.name, one.stat().st_mtime_ns) for one in entries]
    return tuple(time for name, time in sorted(files) if name.endswith(".toml"))


def looks_like_path(name: str) -> bool:
    """Whether a text is meant as the path of a file rather than as a name."""
    return name.endswith(".toml") or "/" in name or "\\" in name


def exists(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False

"""The cards that come with raidsim, and loading one by its name or its path."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from raidsim.cards.card import Card
from raidsim.cards.loader import read
from raidsim.cards.places import find, shown_as
from raidsim.errors import InputError, Problem
from raidsim.resources import data_folder


def catalogue() -> list[Card]:
    """All cards, by kind and name; InputError with the problems of every bad one."""
    cards: list[Card] = []
    problems: list[Problem] = []
    folder = data_folder("models")
    stamps = _stamps(folder)
    for path in sorted(folder.rglob("*.toml")):
        try:
            cards.append(_read_once(path, None, stamps))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return sorted(cards, key=lambda card: (card.kind, card.name))


def load(name: str | Path, folder: Path | None = None) -> Card:
    """The card of a name or a path; InputError with all that is wrong."""
    path = find(str(name), folder)
    shown = shown_as(path, name)
    if path.is_relative_to(data_folder("models")):
        return _read_once(path, shown, _stamps(path.parent))
    return read(path, shown)


@lru_cache(maxsize=1024)
def _read_once(path: Path, shown: str | None, _stamps: tuple[int, ...]) -> Card:
    """A card of the catalogue, as long as no card there changes: it may say a base."""
    return read(path, shown)


def _stamps(folder: Path) -> tuple[int, ...]:
    """When the files of a folder were last written."""
    with os.scandir(folder) as entries:
        files = [(one.name, one.stat().st_mtime_ns) for one in entries]
    return tuple(time for name, time in sorted(files) if name.endswith(".toml"))

"""The cards that come with raidsim, and loading one by its name or its path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from raidsim.cards.card import Card
from raidsim.cards.loader import read
from raidsim.cards.places import find, shown_as
from raidsim.errors import InputError, Problem
from raidsim.resources import data_folder

Stamps = tuple[tuple[int, int], ...]
"""For each file when it was last written, ns, and its size."""


@dataclass(frozen=True)
class _Kept:
    card: Card
    stamps: Stamps


_kept: dict[tuple[Path, str | None], _Kept] = {}
_MOST_KEPT = 1024


def catalogue() -> list[Card]:
    """All cards, by kind and name; InputError with the problems of every bad one."""
    cards: list[Card] = []
    problems: list[Problem] = []
    for path in sorted(data_folder("models").rglob("*.toml")):
        try:
            cards.append(_read_once(path, None))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return sorted(cards, key=lambda card: (card.kind, card.name))


def load(name: str | Path, folder: Path | None = None) -> Card:
    """The card of a name or a path; InputError with all that is wrong."""
    path = find(str(name), folder)
    return _read_once(path, shown_as(path, name))


def _read_once(path: Path, shown: str | None) -> Card:
    """Read a card, unless it was read before and none of its files has changed since."""
    key = (path.absolute(), shown)
    kept = _kept.get(key)
    if kept is not None and kept.card.path == path and kept.stamps == _stamps(kept.card.files):
        return kept.card
    card = read(path, shown)
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    if stamps := _stamps(card.files):
        _kept[key] = _Kept(card, stamps)
    return card


def _stamps(files: Iterable[Path]) -> Stamps:
    """What tells whether files have changed; nothing if one of them is gone."""
    try:
        found = [file.stat() for file in files]
    except OSError:
        return ()
    return tuple((one.st_mtime_ns, one.st_size) for one in found)

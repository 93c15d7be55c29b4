"""The cards that come with raidsim, and loading one by its name or its path."""

from __future__ import annotations

from pathlib import Path

from raidsim.cards.card import Card
from raidsim.cards.loader import read_once
from raidsim.cards.places import find, shown_as
from raidsim.errors import InputError, Problem
from raidsim.resources import data_folder


def catalogue() -> list[Card]:
    """All cards, by kind and name; InputError with the problems of every bad one."""
    cards: list[Card] = []
    problems: list[Problem] = []
    for path in sorted(data_folder("models").rglob("*.toml")):
        try:
            cards.append(read_once(path, None))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return sorted(cards, key=lambda card: (card.kind, card.name))


def load(name: str | Path, folder: Path | None = None) -> Card:
    """The card of a name or a path; InputError with all that is wrong."""
    path = find(str(name), folder)
    return read_once(path, shown_as(path, name))

"""Cards with mistakes: a card comes of it, or messages."""

from __future__ import annotations

import random
from pathlib import Path

from raidsim.assembly import hdd
from raidsim.assembly.surface import rows
from raidsim.cards.loader import from_file
from raidsim.errors import InputError
from tests.fuzz import bases, complaints, mistakes, right

NAME = "any.toml"


def prepare() -> None:
    """Read what is shipped."""
    bases.keep_cards()


def attempt(random: random.Random) -> None:
    """Read one, and change it as a scenario would."""
    data = bases.card(random)
    if random.random() < 0.93:
        data = mistakes.several(random, data)
    try:
        card = from_file(bases.file(random, data, NAME), Path(NAME))
    except InputError as error:
        complaints.check(error, NAME)
        return
    if card.surface is not None:
        try:
            hdd.check(card)
        except InputError:
            return
        found = rows(card)
        assert found[-1].end >= card.integer("capacity.user")
        assert min(row.gap for row in found) >= 0
    changed = dict(right.changes(random, card.about))
    for entry in card.changed(changed).entries():
        assert entry.source.unit, entry

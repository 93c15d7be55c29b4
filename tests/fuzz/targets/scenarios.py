"""Scenario files with mistakes: as TOML, as the JSON of a result, and damaged as text.

A scenario comes of it, which says of itself all that it needs to be loaded again, or messages.
"""

from __future__ import annotations

import random
from typing import Any

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.scenario import Scenario
from tests.fuzz import Fault, bases, complaints, mistakes

NAME = "any.toml"


def prepare() -> None:
    """Read what is shipped."""
    bases.keep_cards()


def attempt(random: random.Random) -> None:
    """Read one."""
    data = bases.scenario(random)
    if random.random() < 0.93:
        data = mistakes.several(random, data)
    kind = random.random()
    if kind < 0.6:
        read(data)
        return
    text = mistakes.text_of(data)
    read(mistakes.damaged(random, text) if kind < 0.75 else text)


def read(written: dict[str, Any] | str, overrides: tuple[str, ...] = ()) -> Scenario | None:
    """The scenario that is written; None where messages say what is wrong."""
    try:
        if isinstance(written, str):
            found = scenario.load_text(written, NAME, overrides)
        else:
            found = scenario.from_data(written, NAME, overrides)
    except InputError as error:
        complaints.check(error, NAME, "--set")
        return None
    again = scenario.from_data(found.resolved(), NAME)
    if again.resolved() != found.resolved():
        raise Fault("what a scenario says of itself is another one")
    return found

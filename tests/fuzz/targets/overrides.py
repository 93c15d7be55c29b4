"""``--set`` with mistakes, on scenarios without any: a scenario comes of it, or messages."""

from __future__ import annotations

import random

from tests.fuzz import bases
from tests.fuzz.targets.scenarios import read


def prepare() -> None:
    """Read what is shipped."""
    bases.keep_cards()


def attempt(random: random.Random) -> None:
    """One to three overrides of a scenario."""
    data = bases.scenario(random)
    count = random.choice([1, 1, 1, 2, 3])
    read(data, tuple(bases.override(random, data) for _ in range(count)))

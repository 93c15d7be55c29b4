"""Files of claims with mistakes: claims come of it that know what they need, or messages."""

from __future__ import annotations

import random
from pathlib import Path

from raidsim.errors import InputError
from raidsim.validate import schema
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import CardValue
from tests.fuzz import bases, complaints, mistakes

NAME = "any.toml"


def prepare() -> None:
    """Read what is shipped."""
    bases.keep_cards()


def attempt(random: random.Random) -> None:
    """Read one, and what its claims say of cards."""
    data = bases.claim_file(random)
    if random.random() < 0.93:
        data = mistakes.several(random, data)
    try:
        for claim in schema.from_file(bases.file(random, data, NAME), Path(NAME)):
            claim.jobs()
            assert claim.interval[0] <= claim.interval[1], claim
            if isinstance(claim.subject, CardValue):
                looked_up(claim)
    except InputError as error:
        complaints.check(error, NAME)


def looked_up(claim: schema.Claim) -> None:
    """Read what a claim says of a card; what is wrong is said at the claim."""
    assert isinstance(claim.subject, CardValue)
    try:
        read_card(claim.subject, claim.unit)
    except InputError as error:
        raise InputError([claim.located(problem) for problem in error.problems]) from None

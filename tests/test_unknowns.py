"""What cards do not know: draws, intervals, shares of the variance, and what would tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from watching import scenario as scenario_of

import raidsim
from raidsim import InputError, cards
from raidsim.fio.job_file import read_jobs
from raidsim.report import json_file
from raidsim.report import unknowns as words
from raidsim.report.sweeps import sweeps
from raidsim.scenario import Scenario
from raidsim.studies import unknown
from raidsim.studies.engine import execute
from raidsim.studies.orders import compare
from raidsim.unknowns import spread
from raidsim.unknowns.draws import Draws, cards_of
from raidsim.unknowns.experiments import experiment_for
from raidsim.unknowns.shares import shares
from raidsim.unknowns.values import unsures

QUICK = {"min_ios": 2_000, "max_ios": 20_000, "precision": "5 %"}
READS = {"read": "100 %", "size": "4 KiB", "area": {"size": "1 GiB"}, "outstanding": 8}
SUBMISSION = "submit.io_time"


def place_of(scenario: Scenario, card: cards.Card) -> str:
    """Where a scenario has a card, as its keys say it."""
    return "host" if card.kind == "host" else "volume"


def known_but(scenario: Scenario, *unsure: str) -> Scenario:
    """A scenario that sets all values of its cards but some: what a scenario says is known."""
    changes = {}
    for card in cards_of(scenario):
        for one in unsures(card).values:
            if one.name not in unsure:
                attribute = card.about.by_name[one.name]
                written = raidsim.units.text(one.value, attribute.dimension)
                number = int(one.value) if attribute.dimension == "count" else written
                changes[f"{place_of(scenario, card)}.set.{one.name}"] = number
    return scenario.with_(changes)


@pytest.fixture(scope="module")
def bound_by_submission() -> Scenario:
    """One process that submits for 20 us, to a drive that is much faster: a server of one kind.

    Nothing else of the cards is unsure.
    """
    scenario = scenario_of(READS | {"outstanding": 32}, measure=QUICK)
    fast = {"host.set.submit.io_time": "10 us", "host.set.complete.io_time": "0.3 us"}
    return known_but(scenario.with_(fast))

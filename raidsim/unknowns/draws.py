"""Draws of all cards: a Latin hypercube over their unknown values.

Each value has a separate column. The normal distribution is divided into as many strata of equal
probability as there are draws. Each draw has one point in one stratum, and chance assigns the
strata to the draws. The random numbers of a column depend only on the seed and the name of the
value. So a card is drawn alike in every scenario, and two scenarios can be compared draw by draw.
Neither the order of the values nor the number of workers has an effect.

Draw 0 is the cards as they are. Drawn values are limited to the plausible ranges, and whole numbers
are rounded. If values do not fit together on a card, as its loader says, they are moved halfway
back to the card's own values, repeatedly, until they do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.drives import is_drive, kind_of
from raidsim.cards import Card
from raidsim.errors import InputError
from raidsim.scenario import Scenario
from raidsim.unknowns.values import UnknownValue, UnknownValues, unknown_values

HALVINGS = 4
"""How often a draw that does not fit together is halved before the card stays as it is."""

_Key = tuple[str, str, tuple[tuple[str, object], ...]]


@dataclass
class Draws:
    """A number of draws of the values of any card that is asked for.

    Parameters
    ----------
    count
        How many, beside draw 0.
    seed
        Where their chance begins.

    Attributes
    ----------
    drawn_in
        Of each card and draw whose values did not fit together, the share of the way from the
        card's own values that was left.
    """

    count: int
    seed: int
    drawn_in: dict[tuple[str, int], float] = field(default_factory=dict)
    _known: dict[_Key, UnknownValues] = field(default_factory=dict)
    _columns: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    _drawn: dict[_Key, NDArray[np.float64]] = field(default_factory=dict)

    def column(self, key: str) -> NDArray[np.float64]:
        """Standard normal numbers of a value, one for each draw from 1 on."""
        from scipy.stats import norm, qmc  # noqa: PLC0415  (takes half a second to load)

        if key not in self._columns:
            digest = hashlib.sha256(f"{self.seed} {key}".encode()).digest()
            rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
            shares = qmc.LatinHypercube(1, rng=rng).random(self.count)[:, 0]
            self._columns[key] = norm.ppf(np.clip(shares, 1e-9, 1 - 1e-9))
        return self._columns[key]

    def unknown_values(self, card: Card) -> UnknownValues:
        """The unknown values of a card."""
        key = _key_of(card)
        if key not in self._known:
            self._known[key] = unknown_values(card)
        return self._known[key]

    def values(self, card: Card, number: int) -> dict[str, float]:
        """The values of a card in a draw, by attribute, in base units: those that are unknown."""
        found = self.unknown_values(card)
        if number == 0 or not found.values:
            return {}
        key = _key_of(card)
        if key not in self._drawn:
            scores = np.column_stack([self.column(one.key) for one in found.values])
            self._drawn[key] = found.at(scores)
        names = (one.name for one in found.values)
        return dict(zip(names, map(float, self._drawn[key][number - 1]), strict=True))

    def card(self, card: Card, number: int) -> Card:
        """A card in a draw; draw 0 is the card itself."""
        drawn = self.values(card, number)
        if not drawn:
            return card
        own = {one.name: one for one in self.unknown_values(card).values}
        share = 1.0
        for _ in range(1 + HALVINGS):
            moved = {name: _between(own[name], value, share) for name, value in drawn.items()}
            changed = card.changed(
                {name: round(value) if own[name].step else value for name, value in moved.items()}
            )
            if _fits(changed):
                break
            share /= 2
        else:
            share, changed = 0.0, card
        if share < 1:
            self.drawn_in[card.name, number] = share
        return changed

    def scenario(self, scenario: Scenario, number: int) -> Scenario:
        """A scenario in a draw: all of its cards, each drawn once for all its copies."""
        if number == 0:
            return scenario
        host = scenario.host.model_copy(update={"card": self.card(scenario.host.card, number)})
        controllers = tuple(
            one.model_copy(update={"card": self.card(one.card, number)})
            for one in scenario.controllers
        )
        volumes = tuple(
            one.model_copy(update={"card": self.card(one.card, number)}) for one in scenario.volumes
        )
        return scenario.model_copy(
            update={"host": host, "controllers": controllers, "volumes": volumes}
        )

    def inputs(self, scenario: Scenario) -> dict[str, tuple[UnknownValue, Card]]:
        """Every unknown value of the cards of a scenario, by its key, and a card that has it."""
        return {
            one.key: (one, card)
            for card in cards_of(scenario)
            for one in self.unknown_values(card).values
        }

    def table(self, scenario: Scenario) -> Mapping[str, NDArray[np.float64]]:
        """Return the draws of each unknown value of a scenario, by key: a number for each."""
        cards = cards_of(scenario)
        found: dict[str, NDArray[np.float64]] = {}
        for card in cards:
            rows = [self.values(card, number) for number in range(1, self.count + 1)]
            for one in self.unknown_values(card).values:
                found.setdefault(one.key, np.array([row[one.name] for row in rows]))
        return found


def cards_of(scenario: Scenario) -> list[Card]:
    """The cards of a scenario: host, controllers, drives."""
    controllers = [one.card for one in scenario.controllers]
    return [scenario.host.card, *controllers, *(one.card for one in scenario.volumes)]


def _between(own: UnknownValue, drawn: float, share: float) -> float:
    """A value some share of the way from a card's own to a drawn one."""
    if share == 1:
        return drawn
    if own.value > 0 and drawn > 0:
        return own.possible(own.value * (drawn / own.value) ** share)
    return own.possible(own.value + share * (drawn - own.value))


def _fits(card: Card) -> bool:
    """Return whether the values of a card fit together, as its loader checks it."""
    if not is_drive(card):
        return True
    try:
        kind_of(card).check(card)
    except InputError:
        return False
    return True


def _key_of(card: Card) -> _Key:
    """Return a key that is equal for equal cards."""
    return card.name, str(card.path), tuple(sorted(card.values.items()))

"""The cost of systems: to buy, and over five years.

Energy is the highest power of all parts whose cards give it, all the time. Drives that fail are
replaced at their annual rate and price. Nothing is discounted.

This is the cost of systems as they are. ``raidsim.planning.cost`` reads the same file of prices for
another question: the cost of many designs at once, which grow over a horizon. The two only share
power times price and drives times rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from raidsim.cards import Card
from raidsim.observe import inventory
from raidsim.scenario import Scenario
from raidsim.studies.comparison import Fact
from raidsim.units import HOURS_PER_YEAR

YEARS = 5.0


class Prices(Protocol):
    """Prices in one currency: of one drive, controller and server by card, and of a kWh."""

    @property
    def currency(self) -> str:
        """As in "EUR"."""

    @property
    def not_given(self) -> tuple[str, ...]:
        """Names of prices that count as free because nobody gave them."""

    @property
    def drive(self) -> Mapping[str, float]:
        """Price of a drive, by the name of its card."""

    @property
    def controller(self) -> Mapping[str, float]:
        """Price of a controller, by the name of its card."""

    @property
    def server(self) -> Mapping[str, float]:
        """Price of a server, by the name of its card."""

    @property
    def kwh(self) -> float:
        """Price of energy."""


def costs_of(scenarios: Sequence[Scenario], prices: Prices, usable: Sequence[float]) -> list[Fact]:
    """Cost of each system; None where a card has no price.

    ``usable`` is the usable capacity of each, TB.
    """
    unit = prices.currency
    bought = [_purchase(one, prices) for one in scenarios]
    energy = [_energy(one, prices) for one in scenarios]
    replaced = [_replacements(one, prices) for one in scenarios]
    whole = [
        None if price is None or failed is None else price + power + failed
        for price, power, failed in zip(bought, energy, replaced, strict=True)
    ]
    per = [
        None if cost is None or not capacity else cost / capacity
        for cost, capacity in zip(whole, usable, strict=True)
    ]
    years = f"{YEARS:g} years"
    return [
        Fact("purchase", unit, tuple(bought)),
        Fact(f"energy, {years}", unit, tuple(energy)),
        Fact(f"drives replaced, {years}", unit, tuple(replaced)),
        Fact(f"cost, {years}", unit, tuple(whole)),
        Fact(f"cost, {years}, per TB usable", unit, tuple(per)),
    ]


def unpriced(scenarios: Sequence[Scenario], prices: Prices) -> list[str]:
    """The names of cards that have no price, each once."""
    found = (
        card.name
        for one in scenarios
        for card, known, _ in _parts(one, prices)
        if card.name not in known
    )
    return list(dict.fromkeys(found))


def left_out(prices: Prices) -> list[str]:
    """Say that energy counts as free because a file of prices does not name it."""
    if "kwh" not in prices.not_given:
        return []
    return ["costs leave out energy: the prices give no kwh"]


def _parts(scenario: Scenario, prices: Prices) -> Iterator[tuple[Card, Mapping[str, float], int]]:
    """Every kind of part with the prices of its kind, and how many there are."""
    yield scenario.host.card, prices.server, 1
    for controller in scenario.controllers:
        yield controller.card, prices.controller, 1
    for volume in scenario.volumes:
        yield volume.card, prices.drive, volume.drives + volume.spares


def _purchase(scenario: Scenario, prices: Prices) -> float | None:
    parts = list(_parts(scenario, prices))
    if any(card.name not in known for card, known, _ in parts):
        return None
    return sum(known[card.name] * number for card, known, number in parts)


def _energy(scenario: Scenario, prices: Prices) -> float:
    kilowatts = inventory.system_power(scenario).active / 1000
    return kilowatts * HOURS_PER_YEAR * YEARS * prices.kwh


def _replacements(scenario: Scenario, prices: Prices) -> float | None:
    if any(volume.card.name not in prices.drive for volume in scenario.volumes):
        return None
    return sum(
        volume.drives
        * volume.card.number("reliability.afr")
        * YEARS
        * prices.drive[volume.card.name]
        for volume in scenario.volumes
    )

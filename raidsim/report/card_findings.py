"""What is wrong with the cards of a scenario that can be run all the same."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.cards.arithmetic import contradictions
from raidsim.cards.inherited import other_makers
from raidsim.report.finding import Finding, Severity, cards_of
from raidsim.scenario import Scenario


def does_not_add_up(scenario: Scenario) -> Iterator[Finding]:
    """Values or rated figures of a card contradict each other."""
    cards = [*cards_of(scenario), *(volume.card for volume in scenario.volumes)]
    found = [
        Finding(f"model {card.name}", str(one), "one of them is wrong")
        for card in cards  # volumes may set other values for the same card
        for one in contradictions(card)
    ]
    yield from dict.fromkeys(found)


def of_another_maker(scenario: Scenario) -> Iterator[Finding]:
    """A card states only what differs from a card of something that another maker sells."""
    for card in cards_of(scenario):
        for sentence in other_makers(card):
            remedy = "state what is known of this one"
            yield Finding(f"model {card.name}", sentence, remedy, Severity.info)


CHECKS = (does_not_add_up, of_another_maker)

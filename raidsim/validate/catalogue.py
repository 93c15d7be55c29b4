"""Values that catalogue claims quote, read off the cards."""

from __future__ import annotations

from raidsim import cards, units
from raidsim.cards import Card
from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.layout.arrange import WORDS
from raidsim.topology.lanes import SPEEDS
from raidsim.validate.claims import CardValue

LEVELS = "levels"
"""Key of the number of RAID levels that a controller has; single drives passed through are none."""


def read_card(value: CardValue, unit: str) -> float:
    """Return a value of a card in `unit`, or relative to that of another card.

    A word that names a kind of lanes is read as the payload of one lane.

    Raises
    ------
    InputError
        There is no such card, the card has no such value, or the unit is one of something else.
    """
    number, dimension = _number(cards.load(value.card), value.key)
    try:
        if value.of is not None:
            number /= _number(cards.load(value.of), value.key)[0]
            if dimension == "time_per_byte":  # written and compared as bandwidths
                number = 1 / number
            return units.in_unit(number, unit, "number" if units.bare_unit(unit) else "share")
        return units.in_unit(number, unit, dimension)
    except units.QuantityError as error:
        path = str(cards.load(value.card).path)
        raise InputError([Problem(path, None, value.key, error.cause, error.remedy)]) from None


def _number(card: Card, key: str) -> tuple[float, str]:
    """Return a value of a card in base units, and its dimension."""
    if key == LEVELS and card.kind == "controller":
        known = [word for word in WORDS if word != "jbod" and card.flag(f"levels.{word}")]
        return len(known), "count"
    attribute = card.about.by_name.get(key)
    if attribute is None:
        remedy = suggest(key, card.about.by_name)
        cause = f"a card of kind {card.kind} has no {quote(key)}"
        raise InputError([Problem(str(card.path), None, key, cause, remedy)])
    if not card.has(key):
        raise InputError([Problem(str(card.path), None, key, "the card leaves it out")])
    if set(attribute.choices) & set(SPEEDS):
        return SPEEDS[card.word(key)], "bandwidth"
    if not attribute.is_number:
        raise InputError([Problem(str(card.path), None, key, "is a word, and no number")])
    return card.number(key), attribute.dimension

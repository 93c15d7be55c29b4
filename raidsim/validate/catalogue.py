"""Values that catalogue claims quote, read off the cards."""

from __future__ import annotations

from raidsim import cards, units
from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.validate.claims import CardValue


def read_card(value: CardValue, unit: str) -> float:
    """Return a value of a card in `unit`.

    Raises
    ------
    InputError
        There is no such card, the card has no such value, or the unit is one of something else.
    """
    card = cards.load(value.card)
    attribute = card.about.by_name.get(value.key)
    if attribute is None:
        remedy = suggest(value.key, card.about.by_name)
        cause = f"a card of kind {card.kind} has no {quote(value.key)}"
        raise InputError([Problem(str(card.path), None, value.key, cause, remedy)])
    try:
        return units.in_unit(card.number(value.key), unit, attribute.dimension)
    except units.QuantityError as error:
        raise InputError(
            [Problem(str(card.path), None, value.key, error.cause, error.remedy)]
        ) from None

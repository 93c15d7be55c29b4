"""Names of hardware, compared in the ways that people and tools write them: any case, any spaces.

A name matches if it is found at the start of a word of the other: SSDSC2BA800G3 matches "INTEL
SSDSC2BA800G3", but P420i does not match "PRAID EP420i", which is another maker's controller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidsim.cards.card import Card

LEAST = 4
"""Letters and digits of the shortest order number."""


def plain(text: str) -> str:
    """Return the letters and digits of a text, in capitals."""
    return re.sub(r"[^A-Z0-9]", "", text.upper())


def is_one_of(model: str, card: Card) -> bool:
    """Return whether a card is of the very model that a computer lists under this name."""
    return any(rest.startswith(plain(one)) for rest in _rests(model) for one in card.order_numbers)


def kinship(model: str, card: Card) -> int:
    """Return the number of letters and digits with which both of two names begin.

    Makers number drives of a series alike: MZQL2 begins those of all sizes of a PM9A3.
    """
    pairs = ((rest, plain(one)) for rest in _rests(model) for one in card.order_numbers)
    return max((_common(*pair) for pair in pairs), default=0)


def _rests(model: str) -> Iterator[str]:
    """Yield the text from the beginning of each word on."""
    for word in re.finditer(r"[A-Za-z0-9]+", model):
        yield plain(model[word.start() :])


def _common(one: str, other: str) -> int:
    same = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        same += 1
    return same

"""Cards: models of hardware as data, with the unit and the source of every value."""

from raidsim.cards.attributes import KINDS, Attribute, CardKind
from raidsim.cards.card import Card, Entry, Source
from raidsim.cards.catalogue import catalogue, load
from raidsim.cards.places import find, names

__all__ = [
    "KINDS",
    "Attribute",
    "Card",
    "CardKind",
    "Entry",
    "Source",
    "catalogue",
    "find",
    "load",
    "names",
]

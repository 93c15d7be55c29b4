"""The plausible range of each unknown value of a card, its reason, and which values move together.

A value that a sheet, a document or a scenario gives is known, except where sheets print a typical
value (seeks) or a bound (failures). All other values are unknown: assumed ones, defaults,
calibrated ones, and those with another maker's card as their source. The range is the one on the
card (``range`` and ``because`` beside the value). Otherwise it is that of the class of hardware:
see ``plausible_drives.py`` and ``plausible_systems.py``.

``raidsim card new`` takes over values from another card, each with the search range of a fit. This
range is about parts of any maker and year, and is wider than the possible values of one drive. So
the class is used instead. But the other drive may be at one end of the class and this one at the
other, so a share of the value counts twice.

Flags and choices, structure and settings are never drawn (:func:`fixed` has the reasons). A value
of 0 that means "the card has no such part" is not drawn either.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from raidsim import units
from raidsim.cards import channel_classes
from raidsim.cards import plausible_drives as drives
from raidsim.cards import plausible_systems as systems
from raidsim.cards.attributes import Attribute
from raidsim.cards.card import Card
from raidsim.cards.followers import FOLLOWS
from raidsim.cards.left_by_rated import left_by_rated
from raidsim.cards.narrow_ranges import is_for_fits, is_of_all_seeks
from raidsim.errors import Problem

KNOWN = ("datasheet", "document", "scenario")
"""Sources of values that are known, unless the value is inherited from another maker's card."""


@dataclass(frozen=True)
class Plausible:
    """From where to where a value may lie (base units), why, and the group that it moves with.

    ``low`` to ``high`` holds the middle 95 % of what it may be, and the card's own value.
    ``together`` is empty for a value that moves alone.
    """

    low: float
    high: float
    because: str
    together: str = ""


def _speed(low: float, high: float) -> Callable[[Card], bool]:
    return lambda card: low <= card.number("spindle.speed") * 60 < high


def _interface(*names: str) -> Callable[[Card], bool]:
    return lambda card: card.word("link.interface") in names


def _before(year: int) -> Callable[[Card], bool]:
    return lambda card: card.year is not None and card.year < year


def _since(year: int) -> Callable[[Card], bool]:
    return lambda card: card.year is not None and card.year >= year


def _sized(form_factor: str, low: float, high: float) -> Callable[[Card], bool]:
    """Drives of one size: the larger the platters, the further the arm goes."""
    turns = _speed(low, high)
    return lambda card: card.word("body.form_factor") == form_factor and turns(card)


CLASSES: dict[str, Callable[[Card], bool]] = {
    "any": lambda _: True,
    "nvme": _interface("nvme"),
    "pcie": _interface("pcie"),
    "packets": _interface("nvme", "pcie"),
    "sata": _interface("sata"),
    "sas": _interface("sas"),
    "fast": _speed(8000, 1e9),
    "15k": _speed(13000, 1e9),
    "15k 2.5 in": _sized("2.5 in", 13000, 1e9),
    "15k 3.5 in": _sized("3.5 in", 13000, 1e9),
    "10k": _speed(8000, 13000),
    "10k 2.5 in": _sized("2.5 in", 8000, 13000),
    "10k 3.5 in": _sized("3.5 in", 8000, 13000),
    "7k": _speed(6500, 8000),
    "before 2010": _before(2010),
    "sata before 2012": lambda card: _interface("sata")(card) and _before(2012)(card),
    "before 2018": _before(2018),
    "since 2016": _since(2016),
}
"""What the classes of the tables mean: interface, revolutions per minute, form factor, year."""

ROWS: dict[str, tuple[drives.Row, ...]] = {
    "hdd": drives.HDD,
    "ssd": drives.SSD,
    "host": systems.HOST,
    "controller": systems.CONTROLLER,
}
"""Ranges of classes, by kind of card."""


def plausible(card: Card) -> dict[str, Plausible]:
    """Every value of the card that is unknown, by name; its own value is within the range.

    A value without a range on the card or of its class is left out. A value outside its class
    widens the range: :func:`problems` says so.
    """
    found = {}
    for name in unknown_names(card):
        one = _own(card, name) or _of_class(card, name)
        if one is not None:
            value = card.number(name)
            low, high = min(one.low, value), max(one.high, value)
            found[name] = Plausible(low, high, one.because, one.together)
    return found


def whole(dimension: str, low: float, high: float) -> tuple[float, float]:
    """Return the ends of a range as a value of a dimension can have them: counts are whole."""
    # An end that went through a logarithm may be a little off a whole number.
    least, most = float(math.ceil(low * (1 - 1e-9))), float(math.floor(high * (1 + 1e-9)))
    return (least, most) if dimension == "count" and least <= most else (low, high)


def unknown_names(card: Card) -> list[str]:
    """The numbers of a card that are not known for sure, in the order of the attributes."""
    others = card.of_others()
    found = []
    for attribute in card.about.attributes:
        name = attribute.name
        if not attribute.is_number or not card.has(name) or _is_fixed(card, attribute):
            continue
        source = card.sources[name]
        unknown = source.range is not None or source.source not in KNOWN or name in others
        if source.source != "scenario" and (unknown or _typical(card, name) is not None):
            found.append(name)
    return found


def fixed(kind: str, name: str) -> str:
    """Return the reason why a number of a kind of card is never drawn; empty if it may be."""
    if any(row[0] == name for row in ROWS[kind]):
        return ""
    where = drives.FIXED if kind in ("hdd", "ssd") else systems.FIXED
    return where.get(name, "")


def problems(card: Card) -> list[Problem]:
    """Missing or wrong ranges of a card, reported for the keys of its file.

    A default outside the class is no mistake of the user, and widens the range.
    """
    found = []
    for name in unknown_names(card):
        attribute = card.about.by_name[name]
        value = card.number(name)
        one = _own(card, name) or _of_class(card, name)
        section, _, key = name.partition(".")
        form = f'write range = [low, high] and because = "..." beside [{section}] {key}'
        if one is None:
            found.append(card.problem(name, "is not known for sure and has no range", form))
        elif not one.low <= value <= one.high and card.sources[name].source != "default":
            low, high = (units.text(end, attribute.dimension) for end in (one.low, one.high))
            cause = f"{units.text(value, attribute.dimension)} is outside of what its class has"
            if (how := card.sources[name].note).startswith(FOLLOWS):
                cause = f"{units.text(value, attribute.dimension)}, which {how}, is outside of what"
                cause += " its class has"
                form = f'write {key} with range = [low, high] and because = "..." in [{section}]'
            remedy = f"{low} to {high} ({one.because}); if it is right, {form}"
            found.append(card.problem(name, cause, remedy))
    return found


def _own(card: Card, name: str) -> Plausible | None:
    """The range that a card writes beside a value."""
    source = card.sources[name]
    if source.range is None or _is_taken_over(card, name) or _follows_a_printed_seek(card, name):
        return None
    ends = _stated(card, name)
    group = next((row[4] for row in ROWS[card.kind] if row[0] == name), "")
    high = min(ends[1], max(left_by_rated(card, name), card.number(name)))
    return Plausible(ends[0], high, source.because or "as the card says", group)


def _stated(card: Card, name: str) -> tuple[float, float]:
    """The ends of the range that a card writes beside a value, in base units."""
    source = card.sources[name]
    assert source.range is not None
    dimension = card.about.by_name[name].dimension
    low, high = sorted(units.convert(end, source.unit, dimension) for end in source.range)
    return low, high


def _is_taken_over(card: Card, name: str) -> bool:
    """Return whether a value is another card's, with a range that only bounds a fit.

    What that card has none of is not, since there a fit begins at the least, and all have channels;
    nor is what its class does not have.
    """
    source, value = card.sources[name], card.number(name)
    if source.range is None or not is_for_fits(name, source.because):
        return False
    row = _row(card, name, ROWS[card.kind])
    if row is None:
        return bool(fixed(card.kind, name))
    low, high = _ends(card, name, row)
    from_a_card = value > _stated(card, name)[0] or name in channel_classes.BOTH
    return from_a_card and low <= value <= high


def _follows_a_printed_seek(card: Card, name: str) -> bool:
    """Whether a seek has the range of all disks of its class, and the sheet prints the average."""
    if not is_of_all_seeks(name, card.sources[name].because):
        return False
    average = name.rpartition("_")[0] + "_average"
    return card.sources[average].source in ("datasheet", "document")


def _of_class(card: Card, name: str) -> Plausible | None:
    """The range of a value's class; None if there is none."""
    typical = _typical(card, name)
    row = typical or _row(card, name, ROWS[card.kind])
    if row is None:
        return None
    low, high = _ends(card, name, row)
    if typical is None and _is_taken_over(card, name):
        found = channel_classes.class_with(card.sources[name].because)
        if found is not None and found.holds(card.number(name)):
            return Plausible(1e-6 / found.high, 1e-6 / found.low, found.why, row[4])
        (least, most), value = _stated(card, name), card.number(name)
        if row[2].startswith("x"):
            low, high = low * low / value, high * high / value
        low, high = max(low, least), min(high, most, max(left_by_rated(card, name), value))
    return Plausible(low, high, row[5], row[4])


def _typical(card: Card, name: str) -> drives.Row | None:
    """The row of a value that a sheet prints, and which is not exact all the same."""
    if card.sources[name].source not in ("datasheet", "document"):
        return None
    if name in drives.ALWAYS and card.kind in ("hdd", "ssd"):
        return _row(card, name, ROWS[card.kind])
    return _row(card, name, drives.TYPICAL) if card.kind in ("hdd", "ssd") else None


def _row(card: Card, name: str, rows: tuple[drives.Row, ...]) -> drives.Row | None:
    fitting = (row for row in rows if row[0] == name and CLASSES[row[1]](card))
    if card.number(name) == 0:
        dimension = card.about.by_name[name].dimension
        fitting = (row for row in fitting if _begins_at_zero(row, dimension))
    return next(fitting, None)


def _ends(card: Card, name: str, row: drives.Row) -> tuple[float, float]:
    attribute, value = card.about.by_name[name], card.number(name)
    low, high = (_end(text, value, attribute) for text in row[2:4])
    return low, high


def _end(text: str, value: float, attribute: Attribute) -> float:
    """One end of a row, kept within what is possible at all."""
    if not text.startswith("x"):
        return _quantity(text, attribute.dimension)
    low, high = attribute.bounds
    moved = value * float(text[1:])
    return min(max(moved, low), high)


@cache
def _quantity(text: str, dimension: str) -> float:
    return units.parse(text, dimension)


def _begins_at_zero(row: drives.Row, dimension: str) -> bool:
    return not row[2].startswith("x") and _quantity(row[2], dimension) == 0


def _is_fixed(card: Card, attribute: Attribute) -> bool:
    """Return whether a number is never drawn; one with a range of its own is."""
    name = attribute.name
    if card.sources[name].range is not None and not _is_taken_over(card, name):
        return False
    if fixed(card.kind, name):
        return True
    return card.number(name) == 0 and _row(card, name, ROWS[card.kind]) is None

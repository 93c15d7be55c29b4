"""The cards that a scenario names, with the values that it sets instead of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from raidsim import cards, units
from raidsim.cards import Card
from raidsim.cards.attributes import Attribute, Value
from raidsim.cards.entry import check_value, check_word
from raidsim.cards.followers import followers
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, quote, suggest
from raidsim.scenario.reading import Reading, Values

MOST_NAMED = 8
"""Cards of a kind that a message names; of more it says where they are listed."""


def with_card(
    reading: Reading,
    values: Values,
    key: str,
    kinds: tuple[str, ...],
    path: KeyPath,
    folder: Path | None,
) -> tuple[Values, Card | None]:
    """The card that a table names, with the values it sets; in the values they are in base units.

    Where there is no such card, what is wrong is noted, and the values are as they were.
    """
    if key not in values:
        return values, None
    try:
        card = cards.load(values[key], folder)
    except InputError as error:
        for problem in error.problems:
            if problem.file is None:
                reading.problem((*path, key), problem.cause, problem.remedy)
            else:
                reading.problem((*path, key), f"bad card: {problem}")
        return values, None
    if card.kind in kinds:
        changes = _changes(reading, card, values.get("set", {}), (*path, "set"))
        if "set" in values:
            values = {**values, "set": changes}
        return values, card.changed({**changes, **_other_forms(card, changes)})
    cause = f"{quote(card.name)} is a card of kind {card.kind}, not {' or '.join(kinds)}"
    fitting = [c.name for c in cards.catalogue() if c.kind in kinds]
    remedy = f"give one of {', '.join(fitting)}"
    if len(fitting) > MOST_NAMED:
        some = ", ".join(fitting[:MOST_NAMED])
        remedy = f"give another, such as {some}: raidsim models lists all {len(fitting)}"
    reading.problem((*path, key), cause, remedy)
    return values, None


def battery_of(reading: Reading, state: str | None, card: Card, path: KeyPath) -> str:
    """The state of the battery of a controller, where none is given that of a new one."""
    protected = card.word("cache.protection") != "none"
    if state not in (None, "absent") and not protected:
        cause = f"{card.name} has no battery"
        reading.problem((*path, "battery"), cause, 'leave it out, or write "absent"')
    return state or ("good" if protected else "absent")


def _other_forms(card: Card, changes: Mapping[str, Value]) -> dict[str, Value]:
    """Values of the card that would contradict one in another form which a scenario sets."""
    found = followers({**card.values, **changes}, changes, card.values)
    known = card.about.by_name
    return {
        name: value for name, (value, _) in found.items() if not check_value(known[name], value)
    }


def _changes(
    reading: Reading, card: Card, table: Mapping[str, Any], path: KeyPath
) -> dict[str, Value]:
    """Values that a ``set`` table gives, in base units."""
    changes: dict[str, Value] = {}
    known = card.about.by_name
    for name, place, value in _flatten(table, path):
        if name not in known:
            cause = f"{quote(name)} is not a value of a card of kind {card.kind}"
            remedy = suggest(name, known) or f"raidsim models {card.name} lists what it has"
            reading.problem(place, cause, remedy)
        elif (changed := _value(reading, known[name], value, place)) is not None:
            changes[name] = changed
    return changes


def _value(reading: Reading, attribute: Attribute, value: Any, place: KeyPath) -> Value | None:
    if not attribute.is_number:
        if wrong := check_word(attribute, value):
            reading.problem(place, *wrong)
            return None
        return cast("Value", value)
    try:
        number = units.parse(value, attribute.dimension)
    except units.QuantityError as error:
        reading.problem(place, error.cause, error.remedy)
        return None
    if wrong := check_value(attribute, number):
        reading.problem(place, *wrong)
        return None
    return number


def _flatten(
    table: Mapping[str, Any], place: KeyPath, name: str = ""
) -> list[tuple[str, KeyPath, Any]]:
    """Dotted names of a table whose names may be nested: name, path in the file, value."""
    found: list[tuple[str, KeyPath, Any]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += _flatten(value, (*place, key), f"{name}{key}.")
        else:
            found.append((f"{name}{key}", (*place, key), value))
    return found

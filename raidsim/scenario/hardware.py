"""The cards that a scenario names, with the values that it sets in place of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, cast

from raidsim import cards, units
from raidsim.cards import Card
from raidsim.cards.attributes import KINDS, Attribute, CardKind, Value
from raidsim.cards.loader import check_value, check_word
from raidsim.cards.toml_lines import Path
from raidsim.errors import InputError, quote, suggest
from raidsim.scenario.checks import taken
from raidsim.scenario.models import ControllerKeys
from raidsim.scenario.reading import Reading, read_part


def attach_card(
    reading: Reading,
    values: dict[str, Any],
    key: str,
    kinds: tuple[str, ...],
    path: Path,
    folder: FilePath | None,
) -> None:
    """Load the card that a table names, with the values it sets, into ``values["card"]``."""
    if key not in values:
        return
    try:
        card = cards.load(values[key], folder)
    except InputError as error:
        for problem in error.problems:
            if problem.file is None:
                reading.problem((*path, key), problem.cause, problem.remedy)
            else:
                reading.problem((*path, key), f"bad card: {problem}")
        return
    if card.kind in kinds:
        changes = _changes(reading, KINDS[card.kind], values.get("set", {}), (*path, "set"))
        if "set" in values:
            values["set"] = changes
        values["card"] = card.changed(changes)
        return
    cause = f"{quote(card.name)} is a card of kind {card.kind}, not {' or '.join(kinds)}"
    fitting = [c.name for c in cards.catalogue() if c.kind in kinds]
    reading.problem((*path, key), cause, f"one of {', '.join(fitting)}")


def read_controller(
    reading: Reading, table: Any, path: Path, folder: FilePath | None
) -> dict[str, Any]:
    """Values of a [[controller]], with its card and the state of its battery."""
    values = read_part(reading, ControllerKeys, table, path)
    for key, cause, remedy in taken(values.get("name")):
        reading.problem((*path, key), cause, remedy)
    attach_card(reading, values, "model", ("controller",), path, folder)
    if "card" in values and "battery" in values:
        values["battery"] = read_battery(reading, values["battery"], values["card"], path)
    return values


def read_battery(reading: Reading, state: str | None, card: Card, path: Path) -> str:
    """The state of the battery of a controller, where none is given that of a new one."""
    protected = card.word("cache.protection") != "none"
    if state not in (None, "absent") and not protected:
        cause = f"{card.name} has none"
        reading.problem((*path, "battery"), cause, 'leave it out, or write "absent"')
    return state or ("good" if protected else "absent")


def _changes(
    reading: Reading, kind: CardKind, table: Mapping[str, Any], path: Path
) -> dict[str, Value]:
    """Values that a ``set`` table gives, in base units."""
    changes: dict[str, Value] = {}
    known = kind.by_name
    for name, place, value in _flatten(table, path):
        if name not in known:
            cause = f"{quote(name)} is no value of a card of kind {kind.name}"
            reading.problem(place, cause, suggest(name, known))
        elif (changed := _value(reading, known[name], value, place)) is not None:
            changes[name] = changed
    return changes


def _value(reading: Reading, attribute: Attribute, value: Any, place: Path) -> Value | None:
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


def _flatten(table: Mapping[str, Any], place: Path, name: str = "") -> list[tuple[str, Path, Any]]:
    """Dotted names of a table whose names may be nested: name, path in the file, value."""
    found: list[tuple[str, Path, Any]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += _flatten(value, (*place, key), f"{name}{key}.")
        else:
            found.append((f"{name}{key}", (*place, key), value))
    return found

"""The differences between the texts of scenarios: keys, and card values of corresponding parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidsim.cards import Card
from raidsim.scenario import Scenario

IGNORED = ("title", "description", "schema", "seed")
NUMBERED = ("failed",)
"""Lists of numbers of drives, which are no counts: they are shown as a scenario has them."""
ABSENT = None


@dataclass(frozen=True)
class Setting:
    """A key of scenarios, or a value of cards, that is not the same in all systems.

    Attributes
    ----------
    where : empty for a key of the scenarios; else the part whose cards differ: "drives of data".
    key : as ``--set`` takes it, or the attribute of the card.
    values : of each system, as text with unit; None where it has none.
    """

    where: str
    key: str
    values: tuple[str | None, ...]


def settings(resolved: Sequence[Mapping[str, Any]]) -> list[Setting]:
    """The keys in which scenarios differ, in the order in which they first stand."""
    flat = [dict(_flat(one)) for one in resolved]
    keys = dict.fromkeys(key for one in flat for key in one)
    found = []
    for key in keys:
        values = tuple(one.get(key) for one in flat)
        if len(set(values)) > 1:
            found.append(Setting("", key, values))
    return found


def card_values(scenarios: Sequence[Scenario]) -> list[Setting]:
    """The values in which the cards of like parts differ: hosts, controllers, drives of volumes.

    Parts are alike that stand in the same place; of parts of another kind nothing is compared.
    """
    found: list[Setting] = []
    for where, cards in _parts(scenarios):
        if len({card.kind for card in cards}) > 1:
            continue
        names = [attribute.name for attribute in cards[0].about.attributes]
        for name in names:
            raw = [card.values.get(name) for card in cards]
            if len(set(raw)) > 1:
                values = tuple(_text(card, name) for card in cards)
                found.append(Setting(where, name, values))
    return found


def _parts(scenarios: Sequence[Scenario]) -> Iterator[tuple[str, list[Card]]]:
    """The cards of parts that stand in the same place of every scenario."""
    yield "host", [one.host.card for one in scenarios]
    for number in range(min(len(one.controllers) for one in scenarios)):
        name = scenarios[0].controllers[number].name
        yield f"controller {name}", [one.controllers[number].card for one in scenarios]
    for number in range(min(len(one.volumes) for one in scenarios)):
        name = scenarios[0].volumes[number].name
        yield f"drives of {name}", [one.volumes[number].card for one in scenarios]


def _text(card: Card, name: str) -> str | None:
    """A value of a card as the card writes it."""
    if not card.has(name):
        return ABSENT
    source = card.sources[name]
    value = source.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    words = f"{value:.6g}" if isinstance(value, float) else str(value)
    return words if source.unit == "1" else f"{words} {source.unit}"


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """The keys of tables in tables, with their values as text."""
    for key, value in table.items():
        if not before and key in IGNORED:
            continue
        path = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}.")
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for number, one in enumerate(value):
                inner = path if len(value) == 1 else f"{path}[{number}]"
                yield from _flat(one, f"{inner}.")
        else:
            yield path, f"{value}" if key in NUMBERED and value else _words(value)


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None or value == {} else str(value)

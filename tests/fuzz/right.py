"""Values that may be written: for each key of a scenario or a card one that is allowed there.

They are drawn from the same bounds that the readers check: the ends of each range as often as
what lies between, so that what is allowed, and extreme, is tried too.
"""

from __future__ import annotations

import math
from functools import cache
from random import Random
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from raidsim import units
from raidsim.cards.attributes import KINDS, Attribute, CardKind
from raidsim.cards.places import names as card_names
from raidsim.scenario import events
from raidsim.scenario.fields import Choice, Count, Flag, Line, Number, Quantity, Reader
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import (
    AirSpec,
    ControllerKeys,
    HostKeys,
    HybridKeys,
    LinkSpec,
    Measure,
    VolumeKeys,
)
from raidsim.scenario.part import Part
from raidsim.scenario.reading import fields_of

TABLES: dict[str, type[Part]] = {
    "host": HostKeys, "controller": ControllerKeys, "link": LinkSpec, "volume": VolumeKeys,
    "hybrid": HybridKeys, "load": LoadSpec, "machine": MachineSpec, "air": AirSpec,
    "measure": Measure,
}  # fmt: skip
EVENTS = tuple(events.KINDS.values())
REFERENCES = (
    "name",
    "volume",
    "controller",
    "link",
    "load",
    "to",
    "behind",
    "front",
    "back",
    "partner",
)
MODELS = ("model", "drive")


@cache
def keys_of(model: type[Part]) -> dict[str, Any]:
    """What may stand at each key of a table: a reader, a tuple of fields, or a list of one."""
    return {
        key: _form(model.model_fields[field].annotation, model.model_fields[field].metadata)
        for key, field in fields_of(model).items()
    }


def _form(annotation: Any, metadata: Any = ()) -> Any:
    if get_origin(annotation) is Annotated:
        return _form(annotation.__origin__, (*annotation.__metadata__, *metadata))
    for one in metadata:
        if isinstance(one, Reader):
            return one
    if hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        return {name: _form(hints[name]) for name in annotation._fields}
    inner = [_form(one) for one in get_args(annotation)]
    found = [one for one in inner if one is not None]
    if not found:
        return None
    return [found[0]] if get_origin(annotation) is tuple else found[0]


def value(random: Random, form: Any) -> Any:
    """Something that may stand where this form is asked for."""
    match form:
        case Quantity():
            if form.word is not None and random.random() < 0.2:
                return form.word
            low, high = form.low or form.above, form.high
            return quantity(random, form.dimension, low, high, 512 if form.sectors else 1)
        case Count():
            return count(random, form.low, form.high)
        case Number():
            return random.choice([form.high, form.high / 2, 1e-300, random.uniform(0, form.high)])
        case Choice():
            return random.choice(form.words)
        case Flag():
            return random.random() < 0.5
        case Line():
            return random.choice(["data", "a", "x" * 200, "host", "ü", " a", "none", "rest"])
        case dict():
            return {
                key: value(random, inner) for key, inner in form.items() if random.random() < 0.9
            }
        case list():
            return [value(random, form[0]) for _ in range(random.choice([0, 1, 1, 2, 3, 8]))]
    return random.choice(["text", {}])


def count(random: Random, low: int, high: int) -> int:
    """A whole number of a range: an end, or one between, small ones more often."""
    kind = random.random()
    if kind < 0.15:
        return low
    if kind < 0.3:
        return high
    return min(max(low + int(math.exp(random.uniform(0, math.log(high - low + 1)))) - 1, low), high)


def quantity(
    random: Random, dimension: str, low: str | None, high: str | None, grain: int = 1
) -> str:
    """A quantity of a range, in one of its units: one of a few dozen."""
    return random.choice(_quantities(dimension, low, high, grain))


@cache
def _quantities(dimension: str, low: str | None, high: str | None, grain: int) -> list[str]:
    drawn = Random(f"{dimension} {low} {high}")
    return [_quantity(drawn, dimension, low, high, grain) for _ in range(40)]


def _quantity(random: Random, dimension: str, low: str | None, high: str | None, grain: int) -> str:
    d = units.DIMENSIONS[dimension]
    least = units.parse(low, dimension) if low else 0.0
    most = units.parse(high, dimension) if high else float(d.high or min(d.most, 10**18))
    kind = random.random()
    if kind < 0.15:
        number = least
    elif kind < 0.3:
        number = most
    else:
        bottom = max(least, most * 1e-15, 1e-12)
        number = math.exp(random.uniform(math.log(bottom), math.log(max(most, bottom))))
        if d.signed and random.random() < 0.5:
            number = random.uniform(least, most)
    if d.integer:
        power = 2 ** random.choice([0, 9, 12, 16, 20]) if kind >= 0.3 else 1
        step = max(grain, power)
        number = max(int(number) // step * step, step if number else 0)
    return units.text(number, dimension)


def of_attribute(random: Random, attribute: Attribute) -> Any:
    """A value that a card may have."""
    if attribute.dimension == "flag":
        return random.random() < 0.5
    if attribute.choices:
        return random.choice(attribute.choices)
    if attribute.dimension in ("count", "number"):
        low, high = (float(bound) for bound in (attribute.low or 0, attribute.high or 0))
        if attribute.dimension == "count":
            return count(random, int(low), int(high))
        return random.choice([low, high, random.uniform(low, high)])
    return quantity(random, attribute.dimension, attribute.low, attribute.high)


@cache
def _attributes() -> list[Attribute]:
    return [attribute for kind in KINDS.values() for attribute in kind.attributes]


def changes(random: Random, kind: CardKind) -> list[tuple[str, Any]]:
    """Names and values of a few attributes of a card, as a scenario hands them on."""
    found = random.sample(kind.attributes, 3)
    made = [(attribute, of_attribute(random, attribute)) for attribute in found]
    return [
        (one.name, units.parse(value, one.dimension) if one.is_number else value)
        for one, value in made
    ]


def setting(random: Random) -> tuple[str, Any]:
    """Name and value of an attribute of any card."""
    attribute = random.choice(_attributes())
    return attribute.name, of_attribute(random, attribute)


def table(random: Random, name: str, data: dict[str, Any], full: float = 0.3) -> dict[str, Any]:
    """A table of a scenario: each of its keys with so great a chance, and those it needs."""
    model = random.choice(EVENTS) if name == "event" else TABLES[name]
    made: dict[str, Any] = {"kind": model.KIND} if name == "event" else {}
    for key in keys_of(model):
        needed = model.model_fields[fields_of(model)[key]].is_required()
        if key != "kind" and random.random() < (0.97 if needed else full):
            made[key] = of_key(random, model, key, data)
    return made


def of_key(random: Random, model: type[Part], key: str, data: dict[str, Any]) -> Any:
    """A value for a key of a table: what it refers to is mostly there."""
    if key in MODELS:
        return random.choice(_cards())
    if key == "set":
        return dict(setting(random) for _ in range(random.choice([0, 1, 1, 2, 4])))
    if key in REFERENCES and random.random() < 0.9:
        found = names_in(data)
        if found:
            name = random.choice(found)
            return [name] if key == "behind" and random.random() < 0.5 else name
    return value(random, keys_of(model)[key])


@cache
def _cards() -> list[str]:
    return card_names()


def names_in(data: Any) -> list[str]:
    """Names of all tables of a scenario, and those that they have without being given one."""
    found = ["data", "host"]
    for tables in data.values() if isinstance(data, dict) else ():
        for one in tables if isinstance(tables, list) else ():
            name = one.get("name") if isinstance(one, dict) else None
            if isinstance(name, str):
                found.append(name)
    return found

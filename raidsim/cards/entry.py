"""One entry of a card: its value, unit and source, with its range and the reason of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raidsim import units
from raidsim.cards.attributes import Attribute, Value
from raidsim.cards.card import WRITTEN_SOURCES, Source
from raidsim.errors import quote, suggest


@dataclass
class Wrong(Exception):
    """One value cannot be used: which key of it, and why."""

    key: str
    cause: str
    remedy: str | None = None


def value_of(attribute: Attribute, entry: Mapping[str, Any]) -> Value:
    """Return the value of an entry in base units, or the word that it is."""
    if "value" not in entry:
        raise Wrong("value", "is missing")
    value, unit = entry["value"], entry.get("unit", "1")
    if not isinstance(unit, str):
        raise Wrong("unit", "is not a text", f'write unit = "{attribute.unit}"')
    if not attribute.is_number:
        word: Value = value
        if wrong := check_word(attribute, word):
            raise Wrong("value", *wrong)
        return word
    if "unit" not in entry:
        raise Wrong("unit", "is missing", f'write unit = "{attribute.unit}"')
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong("value", f"{quote(value)} is not a number", "the unit has its own key")
    try:
        converted = units.convert(value, unit, attribute.dimension)
    except units.QuantityError as error:
        raise Wrong("value", error.cause, error.remedy) from None
    if wrong := check_value(attribute, converted):
        raise Wrong("value", *wrong)
    return converted


def source_of(attribute: Attribute, entry: Mapping[str, Any]) -> Source:
    """Return where the value of an entry is from, with its range and its reasons."""
    source, note = entry.get("source"), entry.get("note", "")
    claims, unit = entry.get("claims", []), entry.get("unit", "1")
    if source not in WRITTEN_SOURCES:
        known = f"give one of {', '.join(WRITTEN_SOURCES)}"
        if source is None:
            raise Wrong("source", "is missing", known)
        hint = suggest(source, WRITTEN_SOURCES) if isinstance(source, str) else None
        raise Wrong("source", f"{quote(source)} is not a source of a value", hint or known)
    if not isinstance(note, str):
        raise Wrong("note", "is not a text", "put it in quotes")
    if not isinstance(claims, list) or not all(isinstance(c, str) for c in claims):
        raise Wrong("claims", "is not a list of texts", 'write claims = ["..."]')
    if claims and source != "calibrated":
        raise Wrong("claims", "are allowed only with a calibrated value", 'source = "calibrated"')
    return Source(
        source, note, tuple(claims), entry.get("value", 0), str(unit),
        _range(attribute, entry, str(unit)), _because(entry),
    )  # fmt: skip


def _because(entry: Mapping[str, Any]) -> str:
    """Return the reason of a range, as the card gives it."""
    because = entry.get("because", "")
    if not isinstance(because, str):
        raise Wrong("because", "is not a text", "put it in quotes")
    if because and "range" not in entry:
        raise Wrong("because", "stands only with a range", "write range = [low, high] too")
    return because


def _range(attribute: Attribute, entry: Mapping[str, Any], unit: str) -> tuple[float, float] | None:
    """From where to where a fit may move a value, in its unit."""
    written = entry.get("range")
    if written is None:
        return None
    try:
        low, high = (units.convert(end, unit, attribute.dimension) for end in written)
    except (units.QuantityError, TypeError, ValueError, KeyError):
        raise Wrong("range", f"{quote(written)} is not a range", "write [low, high]") from None
    for end in (low, high):
        if wrong := check_value(attribute, end):
            raise Wrong("range", *wrong)
    try:
        value = units.convert(entry.get("value", 0), unit, attribute.dimension)
    except (units.QuantityError, TypeError, ValueError):
        return None  # which is said of the value
    if not 0 < min(low, high) <= value <= max(low, high) or low == high:
        cause = f"{quote(written)} does not contain the value {quote(entry.get('value'))}"
        raise Wrong("range", cause, "write [low, high] around it, above zero")
    return float(written[0]), float(written[1])


def check_value(attribute: Attribute, value: Value) -> tuple[str, str] | None:
    """Cause and remedy if a value (base units) lies outside the bounds of its attribute."""
    if not attribute.is_number:
        return None
    low, high = attribute.bounds
    if low <= float(value) <= high:
        return None
    try:
        shown = units.text(float(value), attribute.dimension)
    except units.QuantityError:  # what follows from measured values may be beyond all units
        shown = f"{float(value):.4g}"
    return (
        f"{shown} is outside what is possible for {attribute.name}",
        f"it is from {attribute.low} to {attribute.high}",
    )


def check_word(attribute: Attribute, value: object) -> tuple[str, str | None] | None:
    """Cause and remedy if a value is none of a flag or of a choice."""
    if attribute.dimension == "flag":
        return (
            None if isinstance(value, bool) else (f"{quote(value)} is neither true nor false", None)
        )
    if value in attribute.choices:
        return None
    known = f"give one of {', '.join(attribute.choices)}"
    hint = suggest(value, attribute.choices) if isinstance(value, str) else None
    return f"{quote(value)} is not a valid {attribute.name}", hint or known

"""What the user's measurements showed about a card, as a new card with the old one as its base."""

from __future__ import annotations

from pathlib import Path

import tomlkit
from tomlkit.items import InlineTable

from raidsim.calibrate.card_file import TOLD, inline, percent, spaced
from raidsim.calibrate.learned import Learned, OwnResults
from raidsim.calibrate.own_results import drive_of, stated
from raidsim.cards import Card
from raidsim.cards.plausible import plausible
from raidsim.cards.toml_file import parse
from raidsim.judge.judgement import target_of
from raidsim.resources import data_folder
from raidsim.scenario import Scenario
from raidsim.schemas import SCHEMAS
from raidsim.unknowns.compared import used_parts

MOST_CLAIMS = 6


def measured_cards(scenario: Scenario, found: OwnResults, volume: str | None = None) -> list[Card]:
    """Return the cards of the measured parts, the drive first.

    These are drives and their controller, or the host if it does RAID itself, and any other part
    whose values the results changed.
    """
    load = {"volume": target_of(scenario, volume), "read": "100 %", "size": "4 KiB"}
    alone = scenario.with_(
        {"load": [load | {"outstanding": 1}], "event": None, "machine": None}
    )  # whatever its own loads are about
    told = {one.card.name: one.card for one in found.values if one.is_told}
    used = (part.card for part in used_parts(alone))
    cards = {card.name: card for card in (drive_of(scenario, volume), *used)}
    return list((cards | {name: card for name, card in told.items() if name not in cards}).values())


def card_text(card: Card, found: OwnResults, place: Path) -> str:
    """Return the text of a card with the learned values; all other values come from its base.

    A value keeps its plausible range. ``[sensitivities]`` make it narrower. They include those of
    the base that depend on the same values.

    Parameters
    ----------
    place
        The place of the new file: the base is named relative to it.
    """
    values = found.of(card.name)
    text = tomlkit.document()
    text.add("schema", tomlkit.item(SCHEMAS["card"].number))
    text.add("name", tomlkit.item(place.stem))
    text.add("kind", tomlkit.item(card.kind))
    text.add("title", tomlkit.item(f"{card.title}, as measured"))
    if card.maker:
        text.add("maker", tomlkit.item(card.maker))
    if card.year is not None:
        text.add("year", tomlkit.item(card.year))
    text.add("base", tomlkit.item(_base(card)))
    for one in sorted(values, key=lambda value: list(card.values).index(value.name)):
        section, _, key = one.name.partition(".")
        if section not in text:
            text.add(section, tomlkit.table())
        text[section].add(key, _value(one))
    residuals = {**card.base_residuals, **card.residuals}
    own = {f"fio: {one.name}": 1 / one.after - 1 for one in found.figures}
    residuals |= own
    earlier = {**card.base_sensitivities, **card.sensitivities}
    table = tomlkit.table()
    table.add(tomlkit.comment(TOLD))
    used = set(own)  # it was compared with them, whether or not its values changed
    for one in values:
        slopes = {name: 0.01 * _sign(card, one.name) * by for name, by in one.slopes.items()}
        told = {**earlier.get(one.name, {}), **slopes}
        used |= told.keys()
        if told:
            table.add(one.name, inline({name: percent(by, 2) for name, by in told.items()}))
    left = tomlkit.table()
    for name, error in residuals.items():
        if name in used:
            left.add(name, percent(error))
    text.add("residuals", left)
    if values:
        text.add("sensitivities", table)
    return spaced(tomlkit.dumps(text))


def _base(card: Card) -> str:
    inside = card.path.resolve().is_relative_to(data_folder("models").resolve())
    return card.name if inside else str(card.path.resolve())


def _value(one: Learned) -> InlineTable:
    """Return a value with the range that it had before, and where it is from now."""
    source, before = one.card.sources[one.name], plausible(one.card)[one.name]
    low, value, high = (
        stated(one.card, one.name, x)[0] for x in (before.low, one.after, before.high)
    )
    unit = stated(one.card, one.name, one.after)[1]
    # What moved only with other values still rests on the claims that it was fitted to before.
    claims = sorted(one.slopes, key=lambda name: -abs(one.slopes[name])) or list(source.claims)
    found = tomlkit.inline_table()
    found.update({"value": value, "unit": unit, "source": "calibrated" if claims else "assumed"})
    if min(low, high) > 0:
        low, high = min(low, high, value), max(low, high, value)
        found.update({"range": [low, high], "because": before.because})
    if claims:
        found["claims"] = claims[:MOST_CLAIMS]
    kind = f" ({before.together})" if before.together else ""
    moved = f"moved with other values{kind} that measurements told of"
    found["note"] = "fitted to measurements" if one.slopes else moved
    return found


def _sign(card: Card, name: str) -> int:
    """Return -1 where the card states a bandwidth: 1 % more of it is 1 % less time."""
    return -1 if "/s" in card.sources[name].unit else 1


def check_text(text: str, place: Path) -> None:
    """Raise an InputError if the text is no card that can be read from its place."""
    from raidsim.cards.loader import from_file  # noqa: PLC0415  (only here)

    from_file(parse(text, str(place)), place)

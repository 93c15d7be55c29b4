"""What a card inherits from cards of other makers, in words."""

from __future__ import annotations

from collections.abc import Iterable

from raidsim.cards.card import NO_MAKER, Card, Origin

NAMED = 3
"""Values of a section up to which they are named; of more only the section is."""

_SECTIONS = {
    "heat": "how it warms",
    "throttle": "when it throttles",
    "endurance": "endurance",
    "power": "power",
    "reliability": "reliability",
}


def other_makers(card: Card) -> list[str]:
    """Return a sentence for each card of another maker that values come from."""
    found: dict[Origin, list[str]] = {}
    for name, origin in card.of_others().items():
        found.setdefault(origin, []).append(name)
    return [
        f"{words(names)} {'is' if len(names) == 1 else 'are'} of {origin.card},"
        f" which {_what(origin)}"
        for origin, names in found.items()
    ]


def _what(origin: Origin) -> str:
    if origin.maker == NO_MAKER:
        return "stands for a class of hardware"
    return f"another maker sells ({origin.maker})"


def words(names: Iterable[str]) -> str:
    """Return names of attributes as a list: ``heat.* (how it warms), flash.read_time``."""
    sections: dict[str, list[str]] = {}
    for name in names:
        sections.setdefault(name.partition(".")[0], []).append(name)
    return ", ".join(_section(section, several) for section, several in sections.items())


def _section(section: str, names: list[str]) -> str:
    meaning = f" ({_SECTIONS[section]})" if section in _SECTIONS else ""
    return f"{section}.*{meaning}" if len(names) > NAMED else ", ".join(names) + meaning

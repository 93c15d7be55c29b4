"""Which parts of a system were compared with measurements, and which rest on a data sheet alone.

A card was compared if a published claim (`validation/`) is about its part, or if it was fitted to
measurements and is near them. The list of the first is kept in a file, since reading all claims
takes seconds. For parts that were compared with no measurement, models have a larger error: nobody
has seen how their drive differs from its data sheet. A card that stands in for another part was
compared with that other part as little.

Parts that were compared, but in different systems, are between the two: what a drive does is known,
but not what the server does to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from raidsim import cards
from raidsim.cards import Card
from raidsim.resources import data_folder
from raidsim.result import Compared
from raidsim.scenario import ControllerSpec, HostSpec, Scenario, VolumeSpec
from raidsim.unknowns import spread
from raidsim.unknowns.spread import LeftOut
from raidsim.unknowns.values import unknown_values

LIST = "compared.txt"
"""The cards that claims are about, beside the claims: one a line, with the documents."""

SERVER = "server "
"""How the line of a host in that file begins which measurements were made on."""

SHEET = "rated."
"""How the name of a residual begins that is of a figure which a data sheet prints."""

OF_ITS_PLACE = ("link.", "write_cache.enabled")
"""Values that a port or a setting gives a drive: it is the same drive in another place."""

ALONE = ("single", "jbod")
"""Levels without any work of RAID."""


@dataclass(frozen=True)
class Part:
    """A drive, a controller or a host of a scenario: its card, and if that stands in for it."""

    card: Card
    stand_in: bool

    @property
    def key(self) -> tuple[str, Path]:
        """What two scenarios have in common that have the same card."""
        return self.card.name, self.card.path

    @property
    def is_known(self) -> bool:
        """Whether measurements of this part were compared with simulations of its card."""
        return not self.stand_in and was_compared(self.card)


def parts(scenario: Scenario) -> list[Part]:
    """Drives and controllers, and a host that does RAID itself, each card once."""
    return _parts(scenario, scenario.volumes, scenario.controllers)


def used_parts(scenario: Scenario) -> list[Part]:
    """The same of volumes that loads or events are about; of all volumes where it has machines."""
    named = {load.volume or scenario.volumes[0].name for load in scenario.loads}
    named |= {str(getattr(event, "volume", "")) for event in scenario.events}
    hybrids = [one for one in scenario.hybrids if one.name in named]
    named |= {end for one in hybrids for end in (one.front, one.back)}
    volumes = [volume for volume in scenario.volumes if volume.name in named]
    if scenario.machines or not volumes:
        return parts(scenario)
    above = {volume.controller for volume in volumes} | {one.controller for one in hybrids}
    controllers = [one for one in scenario.controllers if one.name in above]
    return _parts(scenario, volumes, controllers)


def _parts(
    scenario: Scenario, volumes: Iterable[VolumeSpec], controllers: Iterable[ControllerSpec]
) -> list[Part]:
    specs: list[VolumeSpec | ControllerSpec | HostSpec] = [*volumes, *controllers]
    if any(volume.controller == "host" and volume.level not in ALONE for volume in volumes):
        specs.append(scenario.host)
    found: dict[tuple[str, Path], Part] = {}
    for spec in specs:
        part = Part(spec.card, spec.stand_in)
        if part.stand_in or part.key not in found:
            found[part.key] = part
    return list(found.values())


def uncompared(scenario: Scenario) -> list[str]:
    """Names of the cards of what a scenario uses that were compared with no measurement."""
    found = [part.card for part in used_parts(scenario) if not part.stand_in]
    return list(dict.fromkeys(card.name for card in found if not was_compared(card)))


def measured_apart(scenario: Scenario) -> list[str]:
    """Names of the cards that were all compared with measurements, but not in one system.

    A system is the drives, controllers and the host of one document. Cards that were fitted to a
    user's own measurements were measured in the user's system, so its host is known with them.

    Returns
    -------
    list of str
        The host first; nothing if one document measured them all together, or if one of the parts
        was compared with no measurement.
    """
    found = [part for part in used_parts(scenario) if part.card.path != scenario.host.card.path]
    if not all(part.is_known for part in used_parts(scenario)):
        return []
    host, every = scenario.host, [scenario.host.card, *(part.card for part in found)]
    documents = [] if any(map(_is_fitted, every)) else [_servers_of(host.card, host.stand_in)]
    documents += [
        _documents().get(part.card.name, frozenset()) for part in found if not _is_fitted(part.card)
    ]
    if not documents or frozenset.intersection(*documents):
        return []
    return list(dict.fromkeys([host.card.name, *(part.card.name for part in found)]))


def _servers_of(card: Card, stand_in: bool) -> frozenset[str]:
    """Return the documents whose figures were measured on a host."""
    if stand_in or not _is_ours(card) or _is_changed(card):
        return frozenset()
    return _documents().get(SERVER + card.name, frozenset())


def stand_ins(scenario: Scenario) -> list[str]:
    """Names of the cards of what a scenario uses that stand in for other parts."""
    return list(dict.fromkeys(part.card.name for part in used_parts(scenario) if part.stand_in))


def compared(scenario: Scenario) -> Compared:
    """Return what was compared of a scenario's parts, and what models leave out because of it."""
    slower, faster = left_out(scenario)
    return Compared(
        slower,
        faster,
        spread.TAIL,
        uncompared=uncompared(scenario),
        stand_ins=stand_ins(scenario),
        measured_apart=measured_apart(scenario),
    )


def left_out(scenario: Scenario) -> LeftOut:
    """Relative standard deviations of what models leave out of a scenario's figures."""
    if not all(part.is_known for part in used_parts(scenario)):
        return LeftOut(spread.SLOWER, spread.UNCOMPARED)
    deviation = spread.APART if measured_apart(scenario) else spread.MODEL
    return LeftOut(deviation, deviation)


def left_out_of_ratio(one: Scenario, other: Scenario) -> float:
    """Relative standard deviation of what models leave out of the ratio of two scenarios.

    Only parts that they do not share count: for a drive that is in both, the error is the same in
    both figures.
    """
    own, others = ({part.key: part for part in used_parts(scenario)} for scenario in (one, other))
    sides = (
        [part for key, part in mine.items() if key not in theirs]
        for mine, theirs in ((own, others), (others, own))
    )
    return math.hypot(*(_of(side) for side in sides))


def _of(found: list[Part]) -> float:
    if not found:
        return 0.0
    return spread.MODEL if all(part.is_known for part in found) else spread.UNCOMPARED


def was_compared(card: Card) -> bool:
    """Return whether a claim is about this card, or it comes near measurements of a user's own.

    One that a scenario makes other hardware of, by values that its card knows, was not.
    """
    if _is_changed(card):
        return False
    own = _own_errors(card)
    if own:
        return _is_near(own)
    return card.name in _documents() and _is_ours(card)


def _is_fitted(card: Card) -> bool:
    """Return whether a card of a user's own comes near the user's measurements."""
    own = _own_errors(card)
    return bool(own) and _is_near(own) and not _is_ours(card)


def _own_errors(card: Card) -> list[float]:
    """Return the relative errors of a card at the measurements that it was fitted to."""
    return [error for name, error in card.residuals.items() if not name.startswith(SHEET)]


def _is_near(errors: Sequence[float]) -> bool:
    """Return whether half of the measurements are at least as near as those of uncompared parts.

    A fit writes a card whatever it misses. One that was fitted to measurements of another device
    is known no better by them.
    """
    off = [abs(math.log1p(one)) if one > -1 else math.inf for one in errors]
    return median(off) <= spread.UNCOMPARED


def _is_changed(card: Card) -> bool:
    """Return whether a scenario changes a known value of a card: it is then other hardware.

    A user may set values that the card does not know, if the user knows them.
    """
    changed = [
        name
        for name, source in card.sources.items()
        if source.source == "scenario" and not name.startswith(OF_ITS_PLACE)
    ]
    if not changed:
        return False
    return not set(changed) <= _open_values(card.path)


@cache
def _open_values(path: Path) -> frozenset[str]:
    """Return the values that the card of a file does not know."""
    return frozenset(one.name for one in unknown_values(cards.load(str(path))).values)


def _is_ours(card: Card) -> bool:
    """Return whether a card is one of raidsim's own, and no other one with the same name."""
    path = card.path.resolve()
    return any(path.is_relative_to(data_folder(kind)) for kind in ("models", "validation"))


@cache
def _documents() -> dict[str, frozenset[str]]:
    """Return the documents whose claims are about a card; of hosts, those measured on it."""
    text = (data_folder("validation") / LIST).read_text(encoding="utf-8")
    rows = (line.partition(": ") for line in text.splitlines() if not line.startswith("#"))
    return {name: frozenset(documents.split()) for name, _, documents in rows}

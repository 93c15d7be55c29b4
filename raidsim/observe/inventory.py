"""The contents of a scenario before a run: capacity, redundancy, power, and its links.

``run``, ``check`` and ``explain`` all take these figures from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidsim.assembly.fabric import fabric
from raidsim.cards import Card
from raidsim.result.facts import HybridFacts, LinkFacts, Power, SystemPower, VolumeFacts
from raidsim.scenario import HybridSpec, Scenario, VolumeSpec
from raidsim.topology.graph import Load
from raidsim.units import MIB


@dataclass(frozen=True)
class PartPower:
    """The power of parts of one kind, in W each; None where their card does not give it.

    Attributes
    ----------
    kind : "host", "controller", "drives" or "spares".
    name : of the part, or of the volume that the drives are of.
    card : its card.
    number : how many.
    """

    kind: str
    name: str
    card: str
    number: int
    idle: float | None
    active: float | None


def power_parts(scenario: Scenario) -> list[PartPower]:
    """The power of every part, in the order of the scenario; spares turn idle until one is taken.

    Drives that have failed draw nothing. That of a server is with its fans, memory and power
    supplies, as the cards have it.
    """
    return list(_power_parts(scenario))


def _power_parts(scenario: Scenario) -> Iterator[PartPower]:
    def part(kind: str, name: str, card: Card, number: int, *, is_idle: bool = False) -> PartPower:
        power = power_of(card)
        active = power.idle if is_idle else power.active
        return PartPower(kind, name, card.name, number, power.idle, active)

    yield part("host", "host", scenario.host.card, 1)
    for controller in scenario.controllers:
        yield part("controller", controller.name, controller.card, 1)
    for volume in scenario.volumes:
        yield part("drives", volume.name, volume.card, _working(volume))
        if volume.spares:
            yield part("spares", volume.name, volume.card, volume.spares, is_idle=True)


def volume_facts(volume: VolumeSpec) -> VolumeFacts:
    """Capacity, redundancy and power of a volume, spares included."""
    return VolumeFacts(
        name=volume.name,
        level=volume.level,
        drives=volume.drives,
        drive=volume.card.name,
        raw_bytes=volume.raw_capacity,
        usable_bytes=volume.capacity,
        failures_tolerated=volume.failures_tolerated,
        failed=sorted(set(volume.failed)),
        power_w=_drives_power(volume),
    )


def volumes(scenario: Scenario) -> list[VolumeFacts]:
    """The facts of every volume."""
    return [volume_facts(volume) for volume in scenario.volumes]


def links(scenario: Scenario) -> list[LinkFacts]:
    """Return the bandwidth of controllers' connections and links, and what can arrive there."""
    return [_link_facts(load) for load in fabric(scenario).loads()]


def power_of(card: Card) -> Power:
    """Power of one piece of hardware. A card that knows no idle power has one figure for both."""
    active = card.number("power.active") if card.has("power.active") else None
    if "power.idle" not in card.about.by_name:
        return Power(active, active)
    return Power(card.number("power.idle") if card.has("power.idle") else None, active)


def system_power(scenario: Scenario) -> SystemPower:
    """Power of all drives, controllers and the host, of those whose cards say it."""
    cards = [scenario.host.card, *(controller.card for controller in scenario.controllers)]
    parts = [(card, power_of(card)) for card in cards]
    parts += [(volume.card, _drives_power(volume)) for volume in scenario.volumes]
    silent = [card.name for card, power in parts if power.idle is None or power.active is None]
    return SystemPower(
        idle=_sum(power.idle for _, power in parts),
        active=_sum(power.active for _, power in parts),
        without=list(dict.fromkeys(silent)),
    )


def _drives_power(volume: VolumeSpec) -> Power:
    """Power of the drives of a volume; its spares turn idle until one of them is taken."""
    one = power_of(volume.card)
    working = _working(volume)
    idle = _times(one.idle, working + volume.spares)
    if one.active is None or one.idle is None:
        return Power(idle, _times(one.active, working))
    return Power(idle, one.active * working + one.idle * volume.spares)


def _working(volume: VolumeSpec) -> int:
    """Return the number of drives that use power: failed ones count as dead or removed."""
    return volume.drives - len(set(volume.failed))


def _link_facts(load: Load) -> LinkFacts:
    edge = load.edge
    return LinkFacts(
        name=str(edge.lower),
        to=edge.upper,
        speed=edge.kind,
        lanes=edge.lanes,
        mbps=load.carried / MIB,
        drives=load.drives,
        arriving_mbps=load.arriving / MIB,
        oversubscription=load.factor,
    )


def _times(watts: float | None, number: int) -> float | None:
    return None if watts is None else watts * number


def _sum(watts: Iterable[float | None]) -> float:
    return sum(each for each in watts if each is not None)


def hybrid_facts(spec: HybridSpec) -> HybridFacts:
    """Return the facts of a hybrid that do not depend on a run."""
    return HybridFacts(
        name=spec.name,
        mode=spec.mode,
        front=spec.front,
        back=spec.back,
        front_bytes=spec.room,
        usable_bytes=spec.capacity,
        block_bytes=spec.block,
    )

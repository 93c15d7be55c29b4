"""From a scenario to the graph of its parts, with the bandwidth of each connection.

If the two ends of a SAS or SATA link have different speeds, the slower one is used (a drive's card
gives the drive's speed). A link to a controller has at most as many lanes as the controller has
ports.
"""

from __future__ import annotations

from raidsim.assembly.drives import kind_of
from raidsim.cards import Card
from raidsim.scenario import ControllerSpec, LinkSpec, Tables, VolumeSpec
from raidsim.topology.graph import CHIP, LINK, Fabric, Group, Part
from raidsim.topology.lanes import agreed, bandwidth, is_half_duplex, is_serial


def fabric(scenario: Tables) -> Fabric:
    """Build the graph of a scenario: controllers, then links, then the drives of each volume."""
    controllers = {one.name: one for one in scenario.controllers}
    parts = [_chip(one) for one in scenario.controllers]
    for one in scenario.links:
        above = controllers.get(str(one.to))
        parts.append(link_part(one, above.card if above else None))
    groups = [_group(one) for one in scenario.volumes]
    return Fabric(parts, groups)


def sustained_rate(card: Card) -> float:
    """Sustained rate of a drive for large sequential reads, bytes/s.

    It is limited by the drive's link.
    """
    return kind_of(card).sustained_rate(card)


def _chip(spec: ControllerSpec) -> Part:
    speed, lanes = spec.card.word("link.speed"), spec.card.integer("link.lanes")
    return Part(spec.name, CHIP, "host", speed, lanes, bandwidth(speed, lanes))


def link_part(spec: LinkSpec, above: Card | None) -> Part:
    """A link with what it carries; ``above`` is the card of the controller that it leads to."""
    speed, lanes = spec.speed, spec.lanes
    if above is not None and is_serial(speed):
        speed = agreed(speed, above.word("ports.speed"))
        lanes = min(lanes, above.integer("ports.lanes"))
    return Part(
        spec.name,
        LINK,
        str(spec.to),
        speed,
        lanes,
        bandwidth(speed, lanes),
        is_half_duplex(speed),
    )


def _group(spec: VolumeSpec) -> Group:
    return Group(
        spec.name,
        spec.drives,
        spec.behind or (str(spec.controller),),
        sustained_rate(spec.card),
        spec.card.word("link.interface"),
        1 / spec.card.number("link.time_per_byte"),
    )

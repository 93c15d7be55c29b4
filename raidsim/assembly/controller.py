"""From the card of a controller to its stations and its row."""

from __future__ import annotations

from raidsim.assembly.cache import add_cache
from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.system.system import System
from raidsim.topology.graph import Edge
from raidsim.topology.lanes import bandwidth
from raidsim.units import NS_PER_S


def add_controller(system: System, name: str, card: Card) -> tuple[int, int]:
    """Add a controller; its row, and the station of its parity engine."""
    cores = system.add_station(
        f"{name}: cores", "controller core", servers=card.integer("command.cores")
    )
    to_host = system.add_station(f"{name}: link to host", "host link")
    to_controller = system.add_station(f"{name}: link to controller", "host link")
    replies = system.add_station(f"{name}: latency", "command latency", servers=t.UNLIMITED)
    engine = system.add_station(f"{name}: parity engine", "parity engine")
    cache = t.NONE
    if card.has("cache.size"):
        cache = add_cache(system, name, card)
    row = system.add_row(
        "controllers",
        cache=cache,
        commands=cores,
        to_host=to_host,
        to_controller=to_controller,
        replies=replies,
        command_time=round(card.number("command.time") * NS_PER_S),
        write_time=round(card.number("command.write_time") * NS_PER_S),
        command_ns=card.number("command.time_per_byte") * NS_PER_S,
        write_ns=card.number("command.write_time_per_byte") * NS_PER_S,
        latency=round(card.number("command.latency") * NS_PER_S),
        link_ns=NS_PER_S / bandwidth(card.word("link.speed"), card.integer("link.lanes")),
    )
    return row, engine


def add_hop(system: System, edge: Edge) -> int:
    """Add a shared link, with a station each way or one for both if it is half duplex; its row."""
    name = str(edge.lower)
    if edge.half_duplex:
        up = down = system.add_station(f"{name}: link", "shared link")
    else:
        up = system.add_station(f"{name}: up", "shared link")
        down = system.add_station(f"{name}: down", "shared link")
    return system.add_row("hops", up=up, down=down, ns=NS_PER_S / edge.bandwidth)

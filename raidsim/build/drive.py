"""From the card of a drive to its rows in the kernel's tables: what all drives have in common."""

from __future__ import annotations

from raidsim.build import hdd, heat, ssd
from raidsim.build.disk_cache import cache_size, is_protected
from raidsim.build.heat import STANDARD_AIR, Air
from raidsim.build.system import System
from raidsim.cards import Card
from raidsim.kernel import tables as t

GIGA = 1e9
UNQUEUED = 65536  # command slots from which no load can fill them


def add_drive(
    system: System,
    name: str,
    card: Card,
    air: Air = STANDARD_AIR,
    outstanding: int | None = None,
    in_array: bool = False,
) -> int:
    """Add a drive with its stations, in some air; its index.

    Parameters
    ----------
    outstanding
        Commands that its controller has outstanding on it; None for as many as it takes.
    in_array
        Whether other drives of its model stand beside it: then its spindle has its own angle
        and speed.

    Raises
    ------
    InputError
        If the card's values contradict each other.
    """
    kind = hdd if card.kind == "hdd" else ssd
    kind.check(card)
    heat.check(card)
    depth = queue_depth(card)
    if outstanding is not None:
        depth = min(depth, outstanding)
    slots = t.NONE
    if kind is hdd or depth < UNQUEUED:
        slots = system.add_station(f"{name}: command slots", "command slot", servers=depth)
    latency_station = system.add_station(
        f"{name}: command latency", "command latency", servers=t.UNLIMITED
    )
    half_duplex = card.word("link.interface") == "sata"
    to_host = system.add_station(f"{name}: link{'' if half_duplex else ' to host'}", "link")
    to_drive = to_host if half_duplex else system.add_station(f"{name}: link to drive", "link")
    index = system.append("drives")
    system.cards[index] = card
    rows = {"drive": index, "link_to_host": to_host, "link_to_drive": to_drive}
    if kind is hdd and in_array:
        row = hdd.add(system, name, card, **rows, turning=hdd.spindle(system, name, card))
    else:
        row = kind.add(system, name, card, **rows)
    system.set_row(
        "drives",
        index,
        kind=t.DRIVE_SSD if kind is ssd else t.DRIVE_DISK,
        row=row,
        slots=slots,
        latency_station=latency_station,
        protected=card.flag("buffer.protected") if kind is ssd else is_protected(card),
        size=card.integer("capacity.user"),
        grain=card.integer("flash.page" if kind is ssd else "command.max_transfer"),
        max_transfer=card.integer("command.max_transfer"),
        # Half on the way out (doorbell, fetch), half on the way back (entry, interrupt).
        latency=round(card.number("command.latency") * GIGA / 2),
        recovery=round(card.number("recovery.time") * GIGA),
        idle_power=card.number("power.idle"),
        active_power=card.number("power.active"),
    )
    if heat.is_known(card):
        heat.add(system, card, index, air)
    return index


def queue_depth(card: Card) -> int:
    """Commands that the drive works on at a time.

    One, if it queues only while it caches writes. What a hard disk has taken beyond its
    window waits its turn as if it were in the host still.
    """
    depth = card.integer("command.queue_depth")
    if card.kind == "ssd":
        return depth
    if cache_size(card) or card.flag("command.queues_uncached_writes"):
        return min(depth, card.integer("queue.window"))
    return 1

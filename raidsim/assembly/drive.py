"""From the card of a drive to its rows in the kernel's tables: what all drives have in common."""

from __future__ import annotations

from raidsim.assembly import heat
from raidsim.assembly.drives import Links, kind_of
from raidsim.assembly.drives.kind import UNQUEUED
from raidsim.assembly.heat import STANDARD_AIR, Air
from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.system.system import System
from raidsim.units import NS_PER_S


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
    kind = kind_of(card)
    if not any(card is known for known in system.cards.values()):  # those of an array share one
        kind.check(card)
        heat.check(card)
    depth = kind.queue_depth(card)
    if outstanding is not None:
        depth = min(depth, outstanding)
    slots = t.NONE
    if kind.always_slots or depth < UNQUEUED:
        slots = system.add_station(f"{name}: command slots", "command slot", servers=depth)
    latency_station = system.add_station(
        f"{name}: command latency", "command latency", servers=t.UNLIMITED
    )
    half_duplex = card.word("link.interface") in ("sata", "scsi")
    to_host = system.add_station(f"{name}: link{'' if half_duplex else ' to host'}", "link")
    to_drive = to_host if half_duplex else system.add_station(f"{name}: link to drive", "link")
    index = system.append("drives")
    system.cards[index] = card
    row = kind.add(system, name, card, index, Links(to_host, to_drive), in_array)
    system.set_row(
        "drives",
        index,
        kind=kind.number,
        row=row,
        slots=slots,
        latency_station=latency_station,
        protected=kind.is_protected(card),
        no_flush=not kind.takes_flushes(card),
        forces=not card.flag("write_cache.enabled"),
        size=card.integer("capacity.user"),
        grain=kind.grain(card),
        max_transfer=card.integer("command.max_transfer"),
        # Half on the way out (doorbell, fetch), half on the way back (entry, interrupt).
        latency=round(kind.latency(card) * NS_PER_S / 2),
        recovery=round(card.number("recovery.time") * NS_PER_S),
        idle_power=card.number("power.idle"),
        active_power=card.number("power.active"),
        powered_since=system.now,
    )
    if card.word("link.interface") == "sata" and slots != t.NONE:
        # A flush is no queued command: after it, one event may let all slots begin.
        system.need_margin(depth)
        system.set_row("drives", index, flush_queue=system.add_row("flush_queues", alone=1))
    if heat.is_known(card):
        heat.add(system, card, index, air)
    return index

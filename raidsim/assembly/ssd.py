"""From the card of a solid state drive to its rows in the kernel's tables."""

from __future__ import annotations

from raidsim.assembly import ftl, sensing, slc
from raidsim.cards import Card
from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.system.system import System
from raidsim.units import NS_PER_S

MOST_MOVES = 4096  # senses of garbage collection in one event
WHOLE = 1 << 62  # bytes: no read reaches as far


def add(
    system: System, name: str, card: Card, *, drive: int, link_to_host: int, link_to_drive: int
) -> int:
    """Add what is behind the link of drive ``drive``; its row in ``ssds``."""
    channels = card.integer("flash.channels")
    dies = card.integer("flash.dies_per_channel") // card.integer("flash.dies_in_step")
    page = card.integer("flash.page")
    planes = card.integer("flash.planes")
    path = system.add_station(
        f"{name}: data path",
        "data path",
        turnaround=round(card.number("data_path.turnaround") * NS_PER_S),
    )
    cores = card.integer("front_end.cores")
    # The front end fetches the most urgent command first; among equals, the first that came.
    front_end = system.add_station(
        f"{name}: front end", "front end", servers=cores, discipline=t.PRIORITY
    )
    first_channel = system.add_stations(f"{name}: channel", "flash channel", channels)
    # Where programs give way, a die takes the senses that wait before them.
    order = t.PRIORITY if sensing.suspends(card) else t.FIFO
    first_die = system.add_stations(f"{name}: die", "flash die", channels * dies, order)
    segments = card.integer("read_ahead.streams") if card.number("read_ahead.depth") else 0
    depth = card.integer("read_ahead.depth")
    slots = (depth // page + 2) // planes * planes + 2 * planes
    first_segment = system.append("segments", segments)
    first_slot = system.append("slots", segments * slots)
    size, unit = card.integer("capacity.user"), card.integer("mapping.unit")
    made = ftl.shape(-(-size // unit), card.number("flash.spare"))
    # An idle drive may read ahead for all its streams in one event, and each unit of a page
    # written may have others moved, from as many program units.
    moves = (page // unit + 2) * (made.block_units + 1)
    system.need_margin(segments * (depth // page + planes) + min(moves, MOST_MOVES))
    read_time = round(card.number("flash.read_time") * NS_PER_S)
    channel_write = card.number("flash.channel_write_time_per_byte") * NS_PER_S
    return system.add_row(
        "ssds",
        drive=drive,
        size=size,
        ftl=ftl.add(system, made),
        slc=slc.add(system, name, card),
        front_end=front_end,
        link_to_host=link_to_host,
        link_to_drive=link_to_drive,
        path=path,
        first_channel=first_channel,
        first_die=first_die,
        channels=channels,
        dies=dies,
        planes=planes,
        page=page,
        frame=card.integer("flash.frame"),
        stripe=card.integer("flash.stripe"),
        split=card.integer("flash.stripe") if card.flag("flash.parts_in_turn") else WHOLE,
        unit=unit,
        command_time=round(card.number("front_end.command_time") * NS_PER_S),
        command_read_time=round(card.number("front_end.read_time") * NS_PER_S),
        command_write_time=round(card.number("front_end.write_time") * NS_PER_S),
        move_update_time=round(card.number("front_end.move_time") * NS_PER_S),
        link_ns=card.number("link.time_per_byte") * NS_PER_S,
        link_command_size=card.integer("link.command_size"),
        path_read_ns=card.number("data_path.read_time_per_byte") * NS_PER_S,
        path_write_ns=card.number("data_path.write_time_per_byte") * NS_PER_S,
        path_flush_ns=channel_write / channels,
        channel_read_ns=card.number("flash.channel_read_time_per_byte") * NS_PER_S,
        channel_write_ns=channel_write,
        read_time=read_time,
        sequential_read_time=0 if card.flag("flash.cache_read") else read_time,
        sensing=sensing.add(system, name, card),
        program_time=round(card.number("flash.program_time") * NS_PER_S),
        pages_per_block=card.integer("flash.pages_per_block"),
        erase_time=round(card.number("flash.erase_time") * NS_PER_S),
        buffer=card.integer("buffer.size"),
        ahead_depth=depth,
        ahead_threshold=card.integer("read_ahead.threshold"),
        first_segment=first_segment,
        segments=segments,
        slots=slots,
        first_slot=first_slot,
    )


def check(card: Card) -> None:
    """Refuse a card whose values do not fit together."""
    page = card.integer("flash.page")
    unit = page * card.integer("flash.planes")
    problems = []

    def need(holds: bool, key: str, cause: str, remedy: str) -> None:
        if not holds:
            problems.append(card.problem(key, cause, remedy))

    frame, stripe = card.integer("flash.frame"), card.integer("flash.stripe")
    in_step, dies = card.integer("flash.dies_in_step"), card.integer("flash.dies_per_channel")
    need(
        dies % in_step == 0,
        "flash.dies_in_step",
        "does not divide flash.dies_per_channel",
        f"a divisor of {dies}",
    )
    need(page % frame == 0, "flash.frame", "does not divide flash.page", "a divisor of the page")
    need(
        stripe % unit == 0,
        "flash.stripe",
        f"is no multiple of a program unit (planes x page = {unit} bytes)",
        f"a multiple of {unit} bytes",
    )
    need(
        # Up to one of the host's and one of moved data are gathered while a page comes in.
        card.integer("buffer.size") >= 3 * unit,
        "buffer.size",
        f"holds less than three program units ({3 * unit} bytes)",
        f"at least {3 * unit} bytes",
    )
    problems += slc.problems(card)
    if problems:
        raise InputError(problems)

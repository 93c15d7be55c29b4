"""From the card of a solid state drive to its rows in the kernel's tables."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.assembly import ftl, mapping, sensing, slc
from raidsim.assembly.sata import link_times
from raidsim.cards import Card
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.system.system import System
from raidsim.units import NS_PER_S

MOST_MOVES = 4096  # senses of garbage collection in one event
WHOLE = 1 << 62  # bytes: no read reaches as far


def add(
    system: System, name: str, card: Card, *, drive: int, link_to_host: int, link_to_drive: int
) -> int:
    """Add what is behind the link of drive ``drive``; its row in ``ssds``."""
    unit = card.integer("mapping.unit")
    made = ftl.shape(-(-card.integer("capacity.user") // unit), card.number("flash.spare"))
    stations = _stations(system, name, card)
    ahead = _read_ahead(system, card)
    # An idle drive may read ahead for all its streams in one event, and each unit of a page
    # written may have others moved, from as many program units.
    pages = ahead["ahead_depth"] // card.integer("flash.page") + card.integer("flash.planes")
    moves = (card.integer("flash.page") // unit + 2) * (made.block_units + 1)
    moves = min(moves, MOST_MOVES)
    if mapping.is_on_flash(card):  # each unit may need a page of it, for which another one leaves
        moves *= 4
    system.need_margin(ahead["segments"] * pages + moves)
    return system.add_row(
        "ssds",
        drive=drive,
        size=card.integer("capacity.user"),
        ftl=ftl.add(system, made),
        slc=slc.add(system, name, card),
        map=mapping.add(system, name, card),
        sensing=sensing.add(system, name, card),
        link_to_host=link_to_host,
        link_to_drive=link_to_drive,
        buffer=card.integer("buffer.size"),
        **stations,
        **_structure(card),
        **_times(card),
        **ahead,
    )


def _stations(system: System, name: str, card: Card) -> dict[str, int]:
    """Add what commands wait for in a drive: its data path, front end, channels and dies."""
    channels = card.integer("flash.channels")
    dies = card.integer("flash.dies_per_channel") // card.integer("flash.dies_in_step")
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
    return {
        "path": path,
        "front_end": front_end,
        "first_channel": first_channel,
        "channels": channels,
        "first_die": first_die,
        "dies": dies,
    }


def _read_ahead(system: System, card: Card) -> dict[str, int]:
    """Add room for what is read ahead: a segment for each stream, a slot for each page of one."""
    segments = card.integer("read_ahead.streams") if card.number("read_ahead.depth") else 0
    depth, planes = card.integer("read_ahead.depth"), card.integer("flash.planes")
    slots = (depth // card.integer("flash.page") + 2) // planes * planes + 2 * planes
    return {
        "ahead_depth": depth,
        "ahead_threshold": card.integer("read_ahead.threshold"),
        "segments": segments,
        "first_segment": system.append("segments", segments),
        "slots": slots,
        "first_slot": system.append("slots", segments * slots),
    }


def _structure(card: Card) -> dict[str, int]:
    """Return the structure of the flash, and how data is spread over it."""
    stripe = card.integer("flash.stripe")
    return {
        "planes": card.integer("flash.planes"),
        "page": card.integer("flash.page"),
        "pages_per_block": card.integer("flash.pages_per_block"),
        "frame": card.integer("flash.frame"),
        "unit": card.integer("mapping.unit"),
        "map_programs": 0 if card.flag("buffer.protected") else card.integer("mapping.programs"),
        "stripe": stripe,
        "interleave": card.integer("flash.interleave"),
        "split": stripe if card.flag("flash.parts_in_turn") else WHOLE,
    }


def _times(card: Card) -> dict[str, float]:
    """Return all times in ns: firmware, links, data path, channels and dies."""

    def time(key: str) -> int:
        return round(card.number(key) * NS_PER_S)

    link = link_times(card)
    read_time = time("flash.read_time")
    channel_write = card.number("flash.channel_write_time_per_byte") * NS_PER_S
    return {
        "command_time": time("front_end.command_time"),
        "command_read_time": time("front_end.read_time"),
        "command_write_time": time("front_end.write_time"),
        "move_update_time": time("front_end.move_time"),
        "link_ns": link.per_byte * NS_PER_S,
        "link_command_size": link.command,
        "path_read_ns": card.number("data_path.read_time_per_byte") * NS_PER_S,
        "path_write_ns": card.number("data_path.write_time_per_byte") * NS_PER_S,
        "path_flush_ns": channel_write / card.integer("flash.channels"),
        "channel_read_ns": card.number("flash.channel_read_time_per_byte") * NS_PER_S,
        "channel_write_ns": channel_write,
        "read_time": read_time,
        "sequential_read_time": 0 if card.flag("flash.cache_read") else read_time,
        "program_time": time("flash.program_time"),
        "erase_time": time("flash.erase_time"),
    }


def check(card: Card) -> None:
    """Refuse a card whose values do not fit together."""
    problems = [
        *_flash_problems(card),
        *_buffer_problems(card),
        *slc.problems(card),
        *mapping.problems(card),
    ]
    if problems:
        raise InputError(problems)


def _program_unit(card: Card) -> int:
    """Bytes that a die programs at a time: a page of each plane."""
    return card.integer("flash.page") * card.integer("flash.planes")


def _flash_problems(card: Card) -> Iterator[Problem]:
    """Check that dies, pages and stripes divide into whole numbers of their parts."""
    page, frame = card.integer("flash.page"), card.integer("flash.frame")
    dies, unit = card.integer("flash.dies_per_channel"), _program_unit(card)
    if dies % card.integer("flash.dies_in_step"):
        cause = "does not divide flash.dies_per_channel"
        yield card.problem("flash.dies_in_step", cause, f"a divisor of {dies}")
    if page % frame:
        yield card.problem("flash.frame", "does not divide flash.page", "a divisor of the page")
    if card.integer("flash.stripe") % unit:
        cause = f"is not a multiple of a program unit (planes x page = {unit} bytes)"
        yield card.problem("flash.stripe", cause, f"give a multiple of {unit} bytes")
    stripe = card.integer("flash.stripe")
    if card.integer("flash.interleave") > 1 and stripe % card.integer("mapping.unit"):
        cause = "does not divide flash.stripe"
        advice = f"a divisor of {stripe} bytes, or a flash.interleave of 1"
        yield card.problem("mapping.unit", cause, advice)


def _buffer_problems(card: Card) -> Iterator[Problem]:
    """Up to one unit of the host's and one of moved data are gathered while a page comes in.

    With a map on flash one of its pages is, too.
    """
    units, words = (4, "four") if mapping.is_on_flash(card) else (3, "three")
    least = units * _program_unit(card)
    if card.integer("buffer.size") < least:
        cause = f"holds less than {words} program units ({least} bytes)"
        yield card.problem("buffer.size", cause, f"give at least {least} bytes")

"""From the card of a drive without DRAM to the rows of its map on flash."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from raidsim.cards import Card
from raidsim.errors import Problem
from raidsim.kernel import tables as t
from raidsim.kernel.map_tables import ENTRY, MAP_PAGE, WAYS
from raidsim.units import NS_PER_S

if TYPE_CHECKING:
    from raidsim.system.system import System

KEPT_IN = "mapping.kept_in"
NEEDED = ("mapping.memory", "mapping.look_ups", "mapping.changes")
LOOK_UP, CHANGE = "map look-up", "map change"  # kinds of station
FIRST_SEED = 0  # chooses the pages that are in memory when a run begins, if not all fit


def is_on_flash(card: Card) -> bool:
    """Return whether the drive keeps its map on flash, and only a part of it in memory."""
    return card.word(KEPT_IN) == "flash"


def covered(card: Card) -> int:
    """Bytes of the drive whose places are in memory, of a drive with its map on flash."""
    return _sets(card) * WAYS * _bytes_of_a_page(card)


def read_time(card: Card) -> float:
    """Time of a die to sense a page of the map, s: cells of one bit, if the drive has such."""
    return card.number("slc.read_time" if card.has("slc.size") else "flash.read_time")


def _bytes_of_a_page(card: Card) -> int:
    """Bytes of the drive whose places a page of the map holds."""
    return MAP_PAGE // ENTRY * card.integer("mapping.unit")


def _pages(card: Card) -> int:
    """Pages of the whole map."""
    return -(-card.integer("capacity.user") // _bytes_of_a_page(card))


def _sets(card: Card) -> int:
    """Sets of pages in memory: not more than hold all pages."""
    return min(
        max(card.integer("mapping.memory") // (MAP_PAGE * WAYS), 1), -(-_pages(card) // WAYS)
    )


def add(system: System, name: str, card: Card) -> int:
    """Add the map of a drive on which nothing was ever written; its row, or NONE."""
    if not is_on_flash(card):
        return t.NONE
    sets = _sets(card)
    pages = _pages(card)
    look_ups, changes = (
        system.add_station(f"{name}: {words}", word, servers=card.integer(key))
        for words, word, key in (
            ("look-ups in the map", LOOK_UP, "mapping.look_ups"),
            ("changes of the map", CHANGE, "mapping.changes"),
        )
    )
    return system.add_row(
        "maps",
        entries=MAP_PAGE // ENTRY,
        sets=sets,
        first_slot=system.append("map_slots", sets * WAYS),
        pages=pages,
        first_page=system.append("map_pages", pages),
        look_ups=look_ups,
        changes=changes,
        read_time=round(read_time(card) * NS_PER_S),
    )


def prepare(
    system: System,
    row: int,
    card: Card,
    *,
    filled: float,
    areas: Iterable[tuple[int, int]],
    written: Iterable[tuple[int, int]],
) -> None:
    """Give a map its past, when ``filled`` of the capacity holds data.

    Parameters
    ----------
    areas
        Bytes of the drive that loads use: offset and size. Pages of these are in memory, spread
        alike if not all find room.
    written
        Those that loads have written to until now: so they hold data, and their pages in memory
        differ from those on flash.
    """
    table = system.world.maps[row]
    known = _fill(system, row, filled)
    changed = np.zeros(len(known), bool)
    for begin, end in _spans(card, written):
        known[begin:end] = 1
        changed[begin:end] = True
    slots, held = _held(_spans(card, areas), len(known), int(table["sets"]))
    there = known[held] == 1
    slots, held = slots[there], held[there]
    rows = system.world.map_slots[int(table["first_slot"]) :][: int(table["sets"]) * WAYS]
    rows["page"][slots] = held
    rows["used"][slots] = 0
    rows["changed"][slots] = changed[held]


def fill(system: System, filled: float) -> None:
    """Let all drives hold data in the first ``filled`` of their capacity: no page is in memory."""
    for row in range(system.count("maps")):
        _fill(system, row, filled)


def _fill(system: System, row: int, filled: float) -> NDArray[np.int8]:
    """The pages of a map, of which as many have entries."""
    table = system.world.maps[row]
    known: NDArray[np.int8] = system.world.map_pages[int(table["first_page"]) :][
        : int(table["pages"])
    ]
    known[:] = 0
    known[: math.ceil(filled * len(known))] = 1
    return known


def _spans(card: Card, areas: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The pages of the map that areas of a drive need: first, and the one behind the last."""
    size = _bytes_of_a_page(card)
    return tuple(
        sorted({(begin // size, -(-(begin + length) // size)) for begin, length in areas if length})
    )


@lru_cache(maxsize=64)
def _held(
    spans: tuple[tuple[int, int], ...], pages: int, sets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of slots, and the pages that they hold: as many of these spans as there is room for."""
    used = np.zeros(pages, bool)
    for begin, end in spans:
        used[begin:end] = True
    found = np.random.default_rng(FIRST_SEED).permutation(np.flatnonzero(used))
    order = np.argsort(found % sets, kind="stable")
    found = found[order]
    of_set = found % sets
    place = np.arange(len(found)) - np.searchsorted(of_set, of_set)
    fits = place < WAYS
    return (of_set * WAYS + place)[fits], found[fits]


def stations_of(system: System, row: int) -> list[int]:
    """The stations of the firmware's work on a map."""
    table = system.world.maps[row]
    return [int(table["look_ups"]), int(table["changes"])]


def renew(system: System, row: int) -> None:
    """Let a map be that of a drive on which nothing was ever written."""
    table = system.world.maps[row]
    first = int(table["first_page"])
    system.world.map_pages[first : first + int(table["pages"])] = 0
    first = int(table["first_slot"])
    rows = system.world.map_slots[first : first + int(table["sets"]) * WAYS]
    rows["page"] = rows["used"] = t.NONE
    rows["changed"] = 0


def problems(card: Card) -> list[Problem]:
    """Return what does not fit together among the values of the map."""
    if not is_on_flash(card):
        return []
    return [
        card.problem(key, "is missing", f'{KEPT_IN} = "flash" needs {" and ".join(NEEDED)}')
        for key in NEEDED
        if not card.has(key)
    ]

"""Which card of the catalogue becomes the base of a new drive, if nobody names one.

Values that a sheet does not print come from the base: the time of a command on the interface,
channels, the times of the flash, seeks. So the base has the same interface, and an SLC cache if the
drive has one. Among these cards, the one with the nearest cells and year of launch is taken, of
disks the one with the nearest speed and year; its maker's own values count more. If the base is of
another generation, there is a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NoReturn

from raidsim.cards.attributes import KINDS
from raidsim.cards.card import NO_MAKER, Card
from raidsim.cards.catalogue import catalogue
from raidsim.cards.flash_classes import CELLS, bits_of, cells_problem, gathers
from raidsim.errors import InputError, Problem, quote

INTERFACES = {"sata": "SATA", "sas": "SAS", "nvme": "NVMe"}
"""Interfaces that choose a base, and how they are written."""

OF_DISKS = ("sata", "sas")
"""Those of disks."""

SPEEDS = (3_600, 15_000)
"""Revolutions per minute of disks, from the slowest to the fastest."""

GENERATION = 3
"""Years between two drives from which on they are of different generations."""

_BIT, _UNKNOWN, _CACHE, _MAKER, _OTHERS = 4.0, 2.0, 8.0, 0.5, 3.0
"""Years that a bit of a cell counts as, cells that are not told, an SLC cache, another maker, and
each card that a base itself stands on, if one is another maker's: its values would be taken over
once more."""

_OCTAVE = 40.0
"""Years that twice the speed of a spindle counts as: seeks and tracks follow the speed, so any
disk of the same speed is nearer than one of the next."""

_SAME_SPEED = 0.05
"""Relative difference up to which two disks turn alike: 10,500 rpm are sold as 10,000."""


def kind_problem(kind: str) -> Problem:
    """Return the message for a kind of card that does not exist."""
    return Problem(None, None, "KIND", f"{quote(kind)} is not a kind", f"known: {', '.join(KINDS)}")


def stores_in_flash(kind: str) -> bool:
    """Return whether drives of a kind have flash, so that they have cells and a year of flash."""
    return "flash.read_time" in KINDS[kind].by_name


def turns(kind: str) -> bool:
    """Return whether drives of a kind have platters."""
    return "spindle.speed" in KINDS[kind].by_name


def nearest_base(
    known: Iterable[Card],
    interface: str,
    *,
    cells: str = "",
    year: int | None = None,
    slc_cache: bool = False,
    maker: str = "",
) -> Card | None:
    """Return the card of a drive of an interface that is most like a new one, or None.

    Drives whose cards do not give their dies are left out: a fit could not count them. Without a
    year the newest of the equally near ones is taken.
    """
    fitting = [
        card
        for card in known
        if stores_in_flash(card.kind)
        and card.word("link.interface") == interface
        and card.has("flash.die_capacity")
        and card.year is not None
        and card.maker != NO_MAKER
    ]

    def distance(card: Card) -> tuple[float, int, int, int, str]:
        years = _distance(card, cells=cells, year=year, slc_cache=slc_cache, maker=maker)
        age = -(card.year or 0) if year is None else 0
        return years, age, len(card.files), -len(card.residuals), card.name

    return min(fitting, key=distance, default=None)


def nearest_disk(
    known: Iterable[Card], interface: str, rpm: int, *, year: int | None = None, maker: str = ""
) -> Card | None:
    """Return the card of a disk of an interface that is most like a new one, or None.

    Shingled disks are left out. Without a year the newest of the equally near ones is taken.
    """
    fitting = [
        card
        for card in known
        if turns(card.kind)
        and card.word("link.interface") == interface
        and not card.has("smr.band")
        and card.year is not None
        and card.maker != NO_MAKER
    ]

    def distance(card: Card) -> tuple[float, int, int, str]:
        years = _OCTAVE * abs(math.log2(_rpm(card) / rpm))
        years += abs((card.year or 0) - year) if year else 0
        years += _MAKER if maker and maker != card.maker else 0
        return years, -(card.year or 0), len(card.files), card.name

    return min(fitting, key=distance, default=None)


def chosen_base(
    kind: str,
    interface: str,
    like: Card | None,
    *,
    cells: str = "",
    year: int | None = None,
    slc_cache: bool = False,
    maker: str = "",
    rpm: int | None = None,
) -> tuple[Card, str]:
    """Return the card that a new drive stands on, and in a sentence why.

    Raises
    ------
    InputError
        The new card is no drive, the interface is none, or another base is named.
    """
    if kind not in KINDS:
        raise InputError([kind_problem(kind)])
    if turns(kind):
        return _chosen_disk(interface, like, year=year, slc_cache=slc_cache, maker=maker, rpm=rpm)
    option = "--interface" if interface else "--slc-cache" if slc_cache else "--rpm"
    if not stores_in_flash(kind):
        _refuse(option, "chooses the base of a drive", "name one with --like")
    if rpm is not None:
        _refuse("--rpm", "is the speed of a disk", "leave it out")
    _check(option, interface, like, tuple(INTERFACES))
    if cells and cells not in CELLS:
        raise InputError([cells_problem(cells)])
    base = nearest_base(
        catalogue(), interface, cells=cells, year=year, slc_cache=slc_cache, maker=maker
    )
    assert base is not None  # the catalogue has drives of each
    bits, cache = bits_of(base), ", an SLC cache" if gathers(base) else ""
    held = "" if bits is None else f", {bits} bits a cell"
    told = ["interface", "SLC cache", *(["cells"] if cells else []), *(["year"] if year else [])]
    left_out = [*([] if cells else ["--cells"]), *([] if year else ["--year"])]
    why = (
        f"Its base is {base.name}, the nearest of the catalogue by {', '.join(told[:-1])} and"
        f" {told[-1]}: {INTERFACES[interface]}, of {base.year}{held}{cache}."
    )
    if left_out:
        why += f" {' and '.join(left_out)} would find a nearer one."
    return base, why


def _chosen_disk(
    interface: str,
    like: Card | None,
    *,
    year: int | None,
    slc_cache: bool,
    maker: str,
    rpm: int | None,
) -> tuple[Card, str]:
    """Return the card that a new disk stands on, and in a sentence why."""
    if slc_cache:
        _refuse("--slc-cache", "chooses the base of a solid state drive", "leave it out")
    _check("--interface" if interface else "--rpm", interface, like, OF_DISKS)
    if rpm is None:
        _refuse("--interface", "chooses among the disks of one speed", "give --rpm as well: 7200")
    least, most = SPEEDS
    if not least <= rpm <= most:
        cause, remedy = f"no disk turns {rpm:,} times a minute", f"give {least:,} to {most:,}"
        _refuse("--rpm", cause, remedy)
    base = nearest_disk(catalogue(), interface, rpm, year=year, maker=maker)
    assert base is not None  # the catalogue has disks of each
    why = (
        f"Its base is {base.name}, the nearest disk of the catalogue by"
        f" {'interface, speed and year' if year else 'interface and speed'}:"
        f" {INTERFACES[interface]}, {_rpm(base):,.0f} rpm, of {base.year}."
    )
    if abs(_rpm(base) / rpm - 1) > _SAME_SPEED:
        why += " It turns at another speed: write all seek times and rates that the sheet prints."
    if not year:
        why += " --year would find a nearer one."
    return base, why


def _check(option: str, interface: str, like: Card | None, known: Sequence[str]) -> None:
    """Refuse an interface that chooses no base, or one beside a base that is named."""
    if like is not None:
        _refuse(option, "--like names a base already", "leave one of the two out")
    if not interface:
        cause = "chooses among the drives of an interface"
        _refuse(option, cause, f"give --interface as well: {', '.join(known)}")
    if interface not in known:
        _refuse(option, f"{quote(interface)} chooses no base", f"known: {', '.join(known)}")


def _refuse(option: str, cause: str, remedy: str) -> NoReturn:
    raise InputError([Problem(None, None, option, cause, remedy)])


def _rpm(card: Card) -> float:
    """Return revolutions per minute."""
    return card.number("spindle.speed") * 60


def _distance(card: Card, *, cells: str, year: int | None, slc_cache: bool, maker: str) -> float:
    """Return the distance of a drive from a new one, in years."""
    assert card.year is not None
    distance = 0.0 if year is None else float(abs(card.year - year))
    if cells:
        bits = bits_of(card)
        distance += _UNKNOWN if bits is None else _BIT * abs(bits - CELLS[cells])
    if slc_cache != gathers(card):
        distance += _CACHE
    if maker and maker != card.maker:
        distance += _MAKER
    if card.of_others():
        distance += _OTHERS * (len(card.files) - 1)
    return distance


def warnings(
    like: Card, *, cells: str = "", year: int | None = None, slc_cache: bool | None = None
) -> list[str]:
    """Return in sentences what of a base is of another generation than a new drive."""
    found = []
    if year is not None and like.year is not None and abs(year - like.year) >= GENERATION:
        found.append(
            f"{like.name} is of {like.year}, {abs(year - like.year)} years away: its channels and"
            " its firmware are of another generation; write what the sheet or a review says."
        )
    bits = bits_of(like)
    if cells and bits is not None and bits != CELLS[cells]:
        found.append(
            f"{like.name} holds {bits} bits a cell, and {cells.upper()} {CELLS[cells]}: how long it"
            " programs is a guess, until the sheet's sustained writes say it."
        )
    if slc_cache is False and like.has("buffer.protected") and like.flag("buffer.protected"):
        found.append(
            f"{like.name} has capacitors that empty its write buffer: write protected = false in"
            " [buffer] unless the sheet prints power-loss protection, which drives of personal"
            " computers lack: flushes and forced writes take those many times as long."
        )
    if slc_cache is not None and slc_cache != gathers(like):
        has = "an" if gathers(like) else "no"
        found.append(f"{like.name} has {has} SLC cache: bursts of writes are not its own.")
    return found

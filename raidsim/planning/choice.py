"""The possible designs: a grid of drives, arrangements, controllers, servers.

A design is a place in the grid. Its number is that of the place, so it is the same whenever the
same need is read, whatever happens to other designs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.cards import Card
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.card import NO_MAKER
from raidsim.cards.catalogue import catalogue, load
from raidsim.errors import InputError, Problem, quote
from raidsim.layout.arrange import BY_WORD
from raidsim.planning.keys import ChoiceKeys
from raidsim.planning.need import Need
from raidsim.planning.prices import Prices
from raidsim.risk.groups import Group, mirror, ring, whole
from raidsim.scenario import array_checks, arrays
from raidsim.scenario.arrays import NESTED, WITH_COPIES

HOST = "host"
WITH_SPANS = tuple(word for word in NESTED if BY_WORD[word].parity)
ON_THE_SERVER = ("nvme", "pcie", "sata")
"""Interfaces of drives that a server takes without a controller: PCIe slots, and ports of SATA."""

MOST_DESIGNS = 8_000_000
"""Designs of a grid that memory is there for: some 100 bytes each."""

AXES = ("drive", "shape", "strip", "place", "spares", "host", "arrays")
DRIVE, SHAPE, STRIP, PLACE, SPARES, HOSTS, ARRAYS = range(len(AXES))

Booleans = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """The arrangement of an array's drives; spans and copies are 1 where there are none."""

    level: str
    drives: int
    spans: int = 1
    copies: int = 1

    @property
    def parity(self) -> int:
        """Drives' worth of parity in a span."""
        return BY_WORD[self.level].parity

    @property
    def failures(self) -> int:
        """Drives that may fail, whichever they are."""
        return self.parity or self.copies - 1

    @property
    def data_of_span(self) -> int:
        """Strips of data in a row of a span."""
        return self.drives // self.spans - self.parity

    @property
    def group(self) -> tuple[Group, int]:
        """Drives that hold each other's data, and how many such groups there are."""
        if self.parity:
            return whole(self.drives // self.spans, self.parity), self.spans
        if self.level == "raid1e":
            return ring(self.drives, self.copies), 1
        if self.copies > 1:
            return mirror(self.copies), self.drives // self.copies
        return whole(self.drives, 0), 1

    def __str__(self) -> str:
        words = f"RAID {self.level[4:].upper()} of {self.drives}"
        if self.spans > 1:
            words += f" in {self.spans} spans"
        if self.level in WITH_COPIES and self.copies > 2:
            words += f", {self.copies} copies"
        return words


@dataclass(frozen=True)
class Place:
    """The part that drives are on: a controller and its write mode, or the server itself."""

    card: Card | None
    write: str = "through"

    @property
    def name(self) -> str:
        """Name of the controller's card, or "host"."""
        return HOST if self.card is None else self.card.name

    @property
    def has_cache(self) -> bool:
        """Whether it has a cache."""
        return self.card is not None and self.card.has("cache.size")


@dataclass(frozen=True)
class Design:
    """One of the grid."""

    number: int
    drive: Card
    shape: Shape
    strip: int
    place: Place
    spares: int
    host: Card
    arrays: int
    names_strip: bool = False
    """Whether its label says the strip: only where designs differ in it."""

    @property
    def label(self) -> str:
        """The design in one line."""
        many = f"{self.arrays} x " if self.arrays > 1 else ""
        on = self.place.name
        if self.place.has_cache:
            on += f", write-{self.place.write}"
        parts = [f"{many}{self.shape} {self.drive.name}"]
        if self.names_strip:
            parts.append(f"strips of {units.text(self.strip, 'size')}")
        if self.spares:
            parts.append(f"{self.spares} spare{'s'[: self.spares > 1]}")
        return ", ".join([*parts, f"on {on}", f"in {self.host.name}"])

    @property
    def keys(self) -> dict[str, str]:
        """The words by which a user asks for designs like this one, with their values."""
        return {
            "number": str(self.number),
            "drive": self.drive.name,
            "level": self.shape.level,
            "drives": str(self.shape.drives),
            "spans": str(self.shape.spans),
            "copies": str(self.shape.copies),
            "strip": units.text(self.strip, "size"),
            "controller": self.place.name,
            "write": self.place.write,
            "spares": str(self.spares),
            "host": self.host.name,
            "arrays": str(self.arrays),
        }


@dataclass(frozen=True)
class Space:
    """All designs of a choice."""

    drives: tuple[Card, ...]
    shapes: tuple[Shape, ...]
    strips: tuple[int, ...]
    places: tuple[Place, ...]
    spares: tuple[int, ...]
    hosts: tuple[Card, ...]
    arrays: tuple[int, ...]

    @cached_property
    def axes(self) -> tuple[Sequence[Any], ...]:
        """The values of each axis, in the order of AXES."""
        return (
            self.drives, self.shapes, self.strips, self.places, self.spares, self.hosts, self.arrays
        )  # fmt: skip

    @property
    def grid(self) -> tuple[int, ...]:
        """Length of each axis."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def size(self) -> int:
        """The number of designs."""
        return math.prod(self.grid)

    def design(self, number: int) -> Design:
        """The design of a number."""
        at = np.unravel_index(number, self.grid)
        drive, shape, strip, place, spares, host, arrays = (
            axis[int(i)] for axis, i in zip(self.axes, at, strict=True)
        )
        many = len(self.strips) > 1
        return Design(int(number), drive, shape, strip, place, spares, host, arrays, many)

    def along(self, values: Any, *axes: int) -> Numbers:
        """An array of figures with the axes that it has, shaped to go with the whole grid."""
        found = np.asarray(values, dtype=float)
        shape = [1] * len(AXES)
        for length, axis in zip(found.shape, axes, strict=True):
            shape[axis] = length
        return found.reshape(shape)

    # ---- what fits together

    @cached_property
    def fits(self) -> Booleans:
        """Whether a controller or the server takes drives, level, strip and as many drives."""
        widest = np.zeros((len(self.drives), len(self.places)))
        for d, drive in enumerate(self.drives):
            for p, place in enumerate(self.places):
                widest[d, p] = self._most_drives(drive, place)
        levels = [
            [
                not _refused({"level": shape.level}, place.card, "level")
                and (place.card is None or shape.copies <= place.card.integer("levels.copies"))
                for place in self.places
            ]
            for shape in self.shapes
        ]
        strips = [
            [
                not _refused({"level": "raid0", "strip": strip}, place.card, "strip")
                for place in self.places
            ]
            for strip in self.strips
        ]
        wide = self.along([shape.drives for shape in self.shapes], SHAPE)
        return np.asarray(
            (self.along(widest, DRIVE, PLACE) >= wide)
            & (self.along(levels, SHAPE, PLACE) > 0)
            & (self.along(strips, STRIP, PLACE) > 0)
            & (self.most_together >= self.first_drives)
            & (self.capacity > 0)
        )

    @cached_property
    def most_together(self) -> Numbers:
        """Drives that one controller takes, at most, whatever arrays they are of."""
        most = [[_most_on(drive, place.card) for place in self.places] for drive in self.drives]
        return self.along(np.array(most), DRIVE, PLACE)

    @cached_property
    def most_on_server(self) -> Numbers:
        """Drives that the server itself takes, at most, where no controller does."""
        most = [
            [
                [_most_in(drive, host) if place.card is None else math.inf for host in self.hosts]
                for place in self.places
            ]
            for drive in self.drives
        ]
        return self.along(np.array(most), DRIVE, PLACE, HOSTS)

    def _most_drives(self, drive: Card, place: Place) -> int:
        """Drives of a volume, at most, of those that shapes have; 0 if it takes none of them."""
        if place.card is None:
            fits = drive.word("link.interface") in ON_THE_SERVER
            return max(shape.drives for shape in self.shapes) if fits else 0
        for count in sorted({shape.drives for shape in self.shapes}, reverse=True):
            found = array_checks.check_volume({"drives": count}, drive, place.card)
            wrong = [key for key, _, _ in found]
            if "drive" in wrong:
                return 0
            if "drives" not in wrong:
                return count
        return 0

    @cached_property
    def capacity(self) -> Numbers:
        """Usable bytes of one array; 0 where drives cannot be arranged so."""
        found = np.zeros((len(self.drives), len(self.shapes), len(self.strips)))
        for s, shape in enumerate(self.shapes):
            for k, strip in enumerate(self.strips):
                values = _values(shape, strip)
                for d, drive in enumerate(self.drives):
                    layout, wrong = arrays.lay_out(values, drive, controlled=True)
                    if wrong is None and layout is not None:
                        found[d, s, k] = int(layout["size"])
        return self.along(found, DRIVE, SHAPE, STRIP)

    @cached_property
    def of_one(self) -> Numbers:
        """Drives of one array, its spares among them."""
        drives = self.along([shape.drives for shape in self.shapes], SHAPE)
        return drives + self.along(self.spares, SPARES)

    @cached_property
    def first_drives(self) -> Numbers:
        """Drives that are bought at first, spares among them."""
        return self.of_one * self.along(self.arrays, ARRAYS)


def _most_in(drive: Card, host: Card) -> float:
    """Drives that the lanes of a server are enough for, or its ports for SATA."""
    is_sata = drive.word("link.interface") == "sata"
    name = "disks.sata_ports" if is_sata else "pcie.lanes"
    if not host.has(name):
        return math.inf
    return host.integer(name) // (1 if is_sata else drive.integer("link.lanes"))


def _most_on(drive: Card, card: Card | None) -> float:
    """Drives that a controller takes, at most; NVMe ones have no expander, but take its lanes."""
    if card is None:
        return math.inf
    most = card.number("drives.max")
    if arrays.is_on_lanes_of(card, drive):
        most = min(most, card.integer("ports.lanes") // arrays.ports_of_one(card, drive))
    return most


def _refused(values: Mapping[str, Any], card: Card | None, key: str) -> bool:
    if card is None:
        return False
    return any(one[0] == key for one in array_checks.check_volume(values, None, card))


def _values(shape: Shape, strip: int) -> dict[str, Any]:
    """Return the values that make up a layout."""
    return {
        "level": shape.level, "drives": shape.drives, "strip": strip, "spread": None,
        "spans": shape.spans if shape.level in WITH_SPANS else None,
        "copies": shape.copies if shape.level in WITH_COPIES else 2,
        "rotation": "left-symmetric",
    }  # fmt: skip


# ---- from the keys of a need


def space_of(need: Need, prices: Prices | None = None) -> Space:
    """The designs of a need: of the cards that it names, else of all that have a price.

    Raises
    ------
    InputError : a card is not there or of a wrong kind, or there are too many designs, or none.
    """
    choice, problems = need.choice, list[Problem]()
    drives = _cards(
        need,
        "drives",
        choice.drives,
        DRIVE_KINDS,
        problems,
        None if prices is None else prices.drive,
    )
    hosts = _cards(need, "hosts", choice.hosts, ("host",), problems)
    named = choice.controllers
    on_host = named is None or HOST in named
    cards = None if named is None else tuple(one for one in named if one != HOST)
    offered = None if prices is None else prices.controller
    controllers = _cards(need, "controllers", cards, ("controller",), problems, offered)
    if problems:
        raise InputError(problems)
    places = [Place(None)] if on_host else []
    for card in controllers:
        writes = choice.writes if card.has("cache.size") else ("through",)
        places += [Place(card, write) for write in dict.fromkeys(writes)]
    levels = {shape.level: None for shape in shapes_of(choice)}
    space = Space(
        drives=drives,
        shapes=tuple(shapes_of(choice)),
        strips=tuple(dict.fromkeys(choice.strips)),
        places=tuple(places),
        spares=choice.spares,
        hosts=hosts,
        arrays=(1,) if any(load.trace for load in need.specs) else choice.arrays,
    )
    if space.size == 0:
        cause = "leaves no design: no number of drives fits a level"
        raise InputError([Problem(need.path, None, "choice", cause, f"levels: {levels or 'none'}")])
    if space.size > MOST_DESIGNS:
        sizes = ", ".join(f"{len(axis)} {name}s".replace("sparess", "numbers of spares")
                          .replace("arrayss", "numbers of arrays")
                          for name, axis in zip(AXES, space.axes, strict=True))  # fmt: skip
        cause = f"{space.size:,} designs are more than {MOST_DESIGNS:,}: {sizes}"
        remedy = "name fewer drives, counts, controllers or hosts under [choice], or since = YEAR"
        raise InputError([Problem(need.path, None, "choice", cause, remedy)])
    return space


def shapes_of(choice: ChoiceKeys) -> Iterator[Shape]:
    """Every arrangement of the numbers of drives that may be chosen."""
    for level in dict.fromkeys(choice.levels):
        for count in choice.counts:
            yield from _shapes(level, count, choice)


def _shapes(level: str, count: int, choice: ChoiceKeys) -> Iterator[Shape]:
    """Those of a level that so many drives make."""
    least = BY_WORD[level].parity + 2  # of one span
    if level == "raid1":
        if count >= least:
            yield Shape(level, count, 1, count)
    elif level in WITH_COPIES:
        for copies in choice.copies:
            if count > copies and (level != "raid10" or count % copies == 0):
                yield Shape(level, count, 1, copies)
    elif level in WITH_SPANS:
        for spans in choice.spans:
            if count % spans == 0 and count // spans >= least:
                yield Shape(level, count, spans)
    elif count >= least:
        yield Shape(level, count)


def _cards(
    need: Need,
    key: str,
    names: Sequence[str] | None,
    kinds: Sequence[str],
    problems: list[Problem],
    offered: Mapping[str, float] | None = None,
) -> tuple[Card, ...]:
    """The cards of a choice; where none is named all of the kinds that are offered at a price."""
    if names is None:
        first = need.choice.since or 0
        return tuple(
            card
            for card in catalogue()
            if card.kind in kinds and card.maker != NO_MAKER and (card.year or 0) >= first
            if offered is None or card.name in offered
        )
    found = []
    for name in dict.fromkeys(names):
        try:
            card = load(name, need.folder)
        except InputError as error:
            problems += [
                Problem(need.path, None, f"choice.{key}", str(one.cause), one.remedy)
                for one in error.problems
            ]
            continue
        if card.kind not in kinds:
            cause = f"{quote(name)} is a card of a {card.kind}"
            problems.append(Problem(need.path, None, f"choice.{key}", cause, _of(kinds)))
            continue
        found.append(card)
    return tuple(found)


def _of(kinds: Sequence[str]) -> str:
    return f"name one of a {' or '.join(kinds)}: raidsim models lists them"

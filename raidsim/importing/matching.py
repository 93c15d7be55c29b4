"""Hardware to cards: the same model, else the nearest one with the reason and the differences.

The differences are written into a ``set`` table, so the scenario needs no new card.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raidsim import cards
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.card import Card
from raidsim.cards.flash_classes import gathers
from raidsim.cards.order_numbers import is_one_of, kinship
from raidsim.errors import quote
from raidsim.importing import words
from raidsim.importing.model import Controller, Drive, Fact, Place

SERIES = 5
"""Letters and digits that the names of two drives of a series begin with, at least."""

SIZES = 4.1
"""A drive that holds so many times as much as another of its series has too many dies for it."""

SAME = 0.005
"""Share by which a capacity may differ from that of a card and be the same."""

_CLIENT = re.compile(
    r"\b(EVO|9[5-9]0 PRO|WDS|WD_BLACK|KINGSTON|SSDPEKN|SSDPEKK|CT\d{3,4}|Crucial|SKHynix|PC\d{3})",
    re.I,
)
_OF_A_PLATFORM = ("conventional-hybrid-sp", "iocontrol-n5-sp", "intel-sata-raid")
_ON_BOARD = re.compile(r"\bC6\d\d\b|Rapid Storage|RSTe|embedded SATA|Software RAID", re.IGNORECASE)
_USUAL = 2 * 2**30  # cache of a controller of which nothing is known


@dataclass
class Match:
    """A card for a part.

    Attributes
    ----------
    card : its name.
    reason : why this one.
    is_exact : it describes the very model.
    changes : values that are known better than the card has them, each with where from.
    """

    card: str
    reason: str
    is_exact: bool = False
    changes: dict[str, tuple[Any, str]] = field(default_factory=dict)


def rotates(card: Card) -> bool:
    """Return whether it is the card of a hard disk."""
    return "spindle.speed" in card.about.by_name


def _drive_cards() -> list[Card]:
    return [card for card in cards.catalogue() if card.kind in DRIVE_KINDS]


def match_drive(drive: Drive, least: int, *, is_all: bool = False) -> Match:
    """The card for a drive.

    Parameters
    ----------
    least
        Bytes that it holds at least, if nothing else is known of its capacity.
    is_all
        The array has whole drives, and no partitions: they hold about as much.
    """
    exact = _very_model(drive)
    size = drive.capacity or drive.size
    if exact is not None:
        near = size is None or abs(size.value / exact.number("capacity.user") - 1) < 0.1
        if near:
            made = Match(exact.name, f"the same model: {exact.title}", is_exact=True)
            _sectors(made, exact, drive)
            return made
    spins, why = _medium(drive)
    wanted = size.value if size else max(least, 0)
    rpm, why_rpm = _speed(drive, spins, wanted)
    interface = drive.interface.value if drive.interface else None
    found = min(
        (card for card in _drive_cards() if rotates(card) == spins),
        key=lambda card: _distance(card, drive, interface, rpm, wanted),
    )
    made = Match(found.name, "")
    _differences(made, found, drive, least, is_all=is_all)
    named = f"no card for {quote(drive.model.value)}" if drive.model else "the model is not known"
    series = "series" if not spins and _series(found, drive) else ""
    plug = interface
    if plug is None and drive.controller is None and found.word("link.interface") == "sata":
        plug = "SATA (a guess: the host itself has ports for it)"
    alike = [why, plug, why_rpm, series, *(["capacity"] if size else [])]
    made.reason = f"{named}; the nearest by {', '.join(one for one in alike if one)}: {found.title}"
    return made


def _very_model(drive: Drive) -> Card | None:
    """The card of what a drive calls itself; of several the one whose number says the most."""
    if drive.model is None:
        return None
    text = drive.model.value
    found = [card for card in _drive_cards() if is_one_of(text, card)]
    return max(found, key=lambda card: max(map(len, card.order_numbers)), default=None)


def _medium(drive: Drive) -> tuple[bool, str]:
    """Return whether it rotates, and how that is known."""
    if drive.rotates is not None:
        return drive.rotates.value, "hard disk" if drive.rotates.value else "flash"
    if drive.rpm is not None:
        return True, "hard disk"
    if drive.interface is not None and drive.interface.value in {"nvme", "pcie"}:
        return False, "flash"
    if drive.model is not None and re.search(r"SSD|MZ[7WQ]|MTFD|NVMe", drive.model.value, re.I):
        return False, "flash, as its model tells"
    return True, "hard disk (a guess: no file says whether it is one)"


def _speed(drive: Drive, spins: bool, size: int) -> tuple[int | None, str]:
    """Revolutions a minute, and how they are known."""
    if not spins:
        return None, ""
    if drive.rpm is not None:
        return drive.rpm.value, f"{drive.rpm.value:,} rpm"
    if drive.interface is not None and drive.interface.value == "sas" and 0 < size < 1.9e12:
        return 10000, "10,000 rpm (a guess: SAS below 2 TB)"
    return 7200, "7,200 rpm (a guess)"


def _distance(
    card: Card, drive: Drive, interface: str | None, rpm: int | None, size: int
) -> tuple[float, ...]:
    """Return the distance of a card from the wanted part, the most important term first."""
    own = card.word("link.interface")
    shingled = float(card.has("smr.band"))
    if interface is None:
        # Ports of a host itself are for SATA; SAS drives need an adapter.
        cannot_be = "sas" if drive.controller is None else "nvme"
        odd = 2.0 if own == cannot_be else float(own == "pcie")
    elif interface == own:
        odd = 0.0
    else:
        odd = (
            1.0
            if {interface, own} <= {"sas", "sata"} or {interface, own} <= {"nvme", "pcie"}
            else 2.0
        )
    spinning = rotates(card)
    speed = abs(math.log(card.number("spindle.speed") * 60 / rpm)) if spinning and rpm else 0.0
    is_client = drive.model is not None and _CLIENT.search(drive.model.value) is not None
    m2 = float((card.word("body.form_factor") == "M.2") != is_client) if own == "nvme" else 0.0
    far = abs(math.log(card.number("capacity.user") / size)) if size > 0 else 0.0
    if spinning:
        # How dense a disk is says more of it than its plug: that is a value of its own.
        return shingled, round(speed, 2), far + 0.5 * odd
    series = _series(card, drive) if far <= math.log(SIZES) else 0
    other = float(gathers(card) != is_client)
    return odd, m2, other, -series, far, float("add-in" in card.word("body.form_factor"))


def _series(card: Card, drive: Drive) -> int:
    """Letters and digits that the names of two drives of a series have in common; else none."""
    alike = kinship(drive.model.value, card) if drive.model is not None else 0
    return alike if alike >= SERIES else 0


def _differences(made: Match, card: Card, drive: Drive, least: int, *, is_all: bool) -> None:
    """Return the values that the files give and that differ from the card."""
    _capacity(made, card, drive, least, is_all=is_all)
    _sectors(made, card, drive)
    rpm = drive.rpm if rotates(card) else None
    if rpm is not None and abs(rpm.value / (card.number("spindle.speed") * 60) - 1) > 0.01:
        made.changes["spindle.speed"] = (f"{rpm.value} rpm", str(rpm.place))
    own = card.word("link.interface")
    if drive.interface is not None and drive.interface.value != own:
        made.changes["link.interface"] = (drive.interface.value, str(drive.interface.place))
        if drive.interface.value == "sata":
            note = "SATA-6G: 600 MB/s less frames, as on other cards"
            made.changes["link.time_per_byte"] = ("550 MB/s", f"guess: {note}")
            made.changes["command.queue_depth"] = (32, "SATA queues 32 commands")


def _capacity(made: Match, card: Card, drive: Drive, least: int, *, is_all: bool) -> None:
    size = drive.capacity or drive.size
    own = card.number("capacity.user")
    if size is not None:
        value, place = size.value, str(size.place)
        differs = abs(value / own - 1) > SAME
    else:
        value, place = least, "what the array uses of each drive"
        differs = least > own
        if not differs and is_all:
            place = f"guess: {place}; no file says how large the drives are"
            differs = least < own * (1 - SAME)
    if not differs or value < 10**9:
        return
    made.changes["capacity.user"] = (f"{_whole(value)} B", place)
    if card.has("endurance.written") and "endurance.written" in card.about.by_name:
        written = card.number("endurance.written") * value / own
        note = f"as {card.name} for each byte of capacity"
        made.changes["endurance.written"] = (f"{written / 1e12:.6g} TB", f"guess: {note}")


def _whole(size: int) -> int:
    """A capacity in whole sectors of 4 KiB."""
    return size // 4096 * 4096


def _sectors(made: Match, card: Card, drive: Drive) -> None:
    named: Mapping[str, Fact[int] | None] = {
        "capacity.sector": drive.sector,
        "capacity.physical_sector": drive.physical_sector,
    }
    for key, fact in named.items():
        if key in card.about.by_name and fact is not None and fact.value != card.integer(key):
            made.changes[key] = (f"{fact.value} B", str(fact.place))
    # A medium whose sectors are smaller than what hosts address makes no sense.
    if drive.sector is not None and "capacity.physical_sector" in card.about.by_name:
        own = made.changes.get("capacity.physical_sector")
        physical = (
            drive.physical_sector.value
            if own and drive.physical_sector
            else card.integer("capacity.physical_sector")
        )
        if physical < drive.sector.value:
            made.changes["capacity.physical_sector"] = (
                f"{drive.sector.value} B",
                str(drive.sector.place),
            )


@dataclass(frozen=True)
class Needs:
    """The features that a controller must have because its volumes use them."""

    levels: frozenset[str]
    strips: frozenset[int]
    drives: int
    has_nvme: bool
    uses_cache: bool
    copies: int
    place: Place


def match_controller(known: Controller | None, needs: Needs) -> Match:
    """The card for a controller; of one that no file describes, that of a usual one."""
    found, reason, is_exact = _nearest(known, needs)
    made = Match(found.name, reason, is_exact)
    if known is not None:
        _known_values(made, found, known)
    for level in sorted(needs.levels - {"single"}):
        if not found.flag(f"levels.{level}"):
            made.changes[f"levels.{level}"] = (True, str(needs.place))
    if needs.copies > found.integer("levels.copies"):
        made.changes["levels.copies"] = (needs.copies, str(needs.place))
    if needs.strips:
        smallest, largest = found.integer("strip.smallest"), found.integer("strip.largest")
        if min(needs.strips) < smallest:
            made.changes["strip.smallest"] = (words.size_text(min(needs.strips)), str(needs.place))
        if max(needs.strips) > largest:
            made.changes["strip.largest"] = (words.size_text(max(needs.strips)), str(needs.place))
    if needs.drives > found.integer("drives.max"):
        made.changes["drives.max"] = (needs.drives, str(needs.place))
    if needs.has_nvme and not found.flag("drives.pcie"):
        made.changes["drives.pcie"] = (True, f"{needs.place}: NVMe drives are on it")
    return made


def _nearest(known: Controller | None, needs: Needs) -> tuple[Card, str, bool]:
    """The card, why it is taken, and whether it describes the very model."""
    catalogue = {card.name: card for card in cards.catalogue() if card.kind == "controller"}
    usual = {name: card for name, card in catalogue.items() if name not in _OF_A_PLATFORM}
    cached = [card for card in usual.values() if card.has("cache.size")]
    model = quote(known.model.value) if known and known.model else "a controller of unknown model"
    if known is not None and known.model is not None and _ON_BOARD.search(known.model.value):
        return catalogue["intel-sata-raid"], f"{model}: on the mainboard, as this one is", False
    for card in usual.values():
        if known and known.model and (number := _model_number(card)) in known.model.value.lower():
            return card, f"{model}: the card of a {number}", True
        if known and known.model and is_one_of(known.model.value, card):
            return card, f"{model}: the card of a {card.order_numbers[0]}", True
    without = known is not None and known.memory is not None and known.memory.value == 0
    is_plain = needs.levels <= {"jbod", "single"} and not needs.uses_cache
    adapter = (
        known is not None
        and known.model
        and re.search(r"\bHBA|\bIT\b|SAS\d{4}-?\d*[ei]?$", known.model.value)
    )
    if (without or adapter) and not needs.uses_cache and (is_plain or without):
        bares = (c for c in usual.values() if not c.has("cache.size") and "hba" in c.name)
        bare = min(bares, key=lambda card: card.integer("drives.max"))
        why = f"no card for {model}; it has no cache, and neither has this one"
        return bare, why, False
    memory = known.memory.value if known and known.memory and known.memory.value else _USUAL
    ports = known.ports.value if known and known.ports else "sas-12g"
    found = min(
        cached,
        key=lambda card: (
            abs(_generation(card.word("ports.speed")) - _generation(ports)),
            abs(math.log(card.number("cache.size") / memory)),
            len(card.files),  # of several the card with the fewest bases
            card.name,
        ),
    )
    if known is None or not (known.model or known.memory or known.ports):
        why = "guess: no file describes the controller; a usual one of 2 GiB of cache"
        return found, why, False
    alike = [f"{memory / 2**20:,.0f} MiB of cache"] if known.memory else []
    alike += [ports] if known.ports else []
    by = f"the nearest by {' and '.join(alike)}" if alike else "guess: a usual one"
    return found, f"no card for {model}; {by}: {found.title}", False


def _generation(ports: str) -> int:
    """The generation of a speed of ports: 3, 6, 12 and 24 Gbit/s are one after the other."""
    found = re.search(r"-(\d+)g", ports)
    return int(math.log2(int(found[1]) / 3)) if found else 2


def _model_number(card: Card) -> str:
    """The number of a controller that its name ends in, such as 9400-16i; a line end if none."""
    found = re.search(r"\d{3,4}w?-\d+i(?=-|$)", card.name)
    return found[0] if found else "\n"


def _known_values(made: Match, card: Card, known: Controller) -> None:
    memory, protection = known.memory, known.protection
    if not card.has("cache.size"):
        memory = protection = None
    if memory is not None and memory.value not in {0, card.integer("cache.size")}:
        made.changes["cache.size"] = (words.size_text(memory.value), str(memory.place))
    if protection is not None and protection.value != card.word("cache.protection"):
        made.changes["cache.protection"] = (protection.value, str(protection.place))
    if known.ports is not None and known.ports.value != card.word("ports.speed"):
        made.changes["ports.speed"] = (known.ports.value, str(known.ports.place))

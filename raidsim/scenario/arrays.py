"""What the drives, the level and the controller of a volume mean, and how its array is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from raidsim import units
from raidsim.cards.card import Card
from raidsim.layout.arrange import BY_WORD, WORDS, arrange
from raidsim.layout.tables import MIRRORED, PARITY
from raidsim.scenario.finding import Finding
from raidsim.topology.lanes import SATA_COMMAND, bandwidth, is_serial, of_one_drive

HOST = "host"
NESTED = tuple(word for word, level in BY_WORD.items() if level.nested)
WITH_COPIES = ("raid1e", "raid10")
"""Levels that may be asked for a number of copies; RAID 1 has one on each drive."""

WITH_PARITY = tuple(word for word, level in BY_WORD.items() if level.family == PARITY)
WITH_Q = tuple(word for word in WITH_PARITY if BY_WORD[word].parity == 2)
LEAST_OF_Q = 4
"""Drives of a RAID 6 that Linux md starts, at least; controllers build one of three, too."""

WITH_PARTIAL_PARITY = ("raid5", "raid50")
"""Levels of which Linux md logs partial parity: of RAID 5 alone, which RAID 50 is made of."""

REDUNDANT = tuple(w for w, level in BY_WORD.items() if level.family in (MIRRORED, PARITY))
WITHOUT_REDUNDANCY = ("single", *(word for word in BY_WORD if word not in REDUNDANT))
SLOWER = 0.8
"""A port that carries less than this share of a drive's own link has a lower line rate.

A smaller difference comes from how the two count frames.
"""

CACHE_MODES = (("write", "through"), ("read_ahead", "none"), ("io", "direct"))


def default_controller(controllers: Sequence[str]) -> str | None:
    """Controller of a volume that names none; None if it would have to choose."""
    if len(controllers) == 1:
        return controllers[0]
    return None if controllers else HOST


def writes_back(write: str, battery: str | None) -> bool:
    """Return whether the cache answers writes: not without a good battery, unless told so."""
    if write == "back":
        return battery == "good"
    return write == "back-bad-battery"


def stops_trims(values: Mapping[str, Any], drive: Card, layout: np.void | None) -> str | None:
    """Return the reason why trims do not reach the drives of a volume; None if they do.

    Linux md passes discards on, but under parity only where an administrator vouches for the
    drives (devices_handle_discard_safely of raid456, which is off).
    """
    if not drive.has("flash.spare"):
        return "a hard disk has no use for them"
    if values.get("controller") not in (None, HOST):
        return "a RAID controller does not pass them on"
    if layout is not None and layout["family"] == PARITY:
        return "under parity Linux md does not pass them on, as it is set up by default"
    return None


def intent_of(
    values: Mapping[str, Any], drive: Card | None, host: Card | None, *, is_controlled: bool
) -> str:
    """Return the default record of writes of a volume: that of the operating system.

    mdadm gives a redundant array of large members a bitmap when it makes it. A bitmap whose chunks
    would be no multiple of the strip is left out.
    """
    redundant = values.get("level") not in WITHOUT_REDUNDANCY
    if is_controlled or not redundant or drive is None or host is None:
        return "none"
    if not host.has("raid.bitmap_from"):
        return "none"
    chunk, strip = values.get("bitmap_chunk"), values.get("strip")
    if chunk is None or strip is None or chunk % strip:
        return "none"
    return "bitmap" if drive.number("capacity.user") >= host.number("raid.bitmap_from") else "none"


def is_on_pcie_of(card: Card, drive: Card) -> bool:
    """Return whether a drive is on PCIe lanes of a controller: in its slots, or tri-mode ports."""
    return drive.word("link.interface") in ("pcie", "nvme") and card.flag("drives.pcie")


def at_speed_of(drive: Card, port: str) -> Card:
    """The drive as it runs on a port: on SAS and SATA the two agree on the slower speed.

    The sheet of a SATA drive counts what a command takes of the drive's own link, so the times of
    its card include it. A port of a lower line rate takes more for a command, so there it counts
    by itself. (Some 3 us of it are in the card's latency as well.)
    """
    interface = drive.word("link.interface")
    if not (is_serial(port) and is_serial(interface)):
        return drive
    carried = of_one_drive(port, interface)
    slow = _no_faster(drive, carried)
    is_of_another_speed = carried * drive.number("link.time_per_byte") < SLOWER
    has_size = "link.command_size" in drive.about.by_name
    if interface != "sata" or not is_of_another_speed or not has_size:
        return slow
    if drive.integer("link.command_size"):
        return slow
    return slow.changed({"link.command_size": SATA_COMMAND})


def is_on_slower_port(drive: Card) -> bool:
    """Return whether :func:`at_speed_of` made a SATA solid state drive slower than its own link."""
    name = "link.command_size"
    return (
        drive.word("link.interface") == "sata"
        and name in drive.sources
        and drive.sources[name].source == "scenario"
        and drive.sources["link.time_per_byte"].source == "scenario"
    )


def on_lanes_of(drive: Card, controller: Card) -> Card:
    """The drive as it runs on a controller: on tri-mode ports it has their lanes.

    A link has the lanes and the generation that both ends have. So on half of its lanes a drive has
    half of its own bandwidth, however fast the other end would be.
    """
    if not is_on_lanes_of(controller, drive):
        return drive
    speed, lanes = controller.word("drives.pcie_speed"), controller.integer("drives.pcie_lanes")
    own = 1 / drive.number("link.time_per_byte")
    shared = min(lanes / drive.integer("link.lanes"), 1.0)
    return _no_faster(drive, min(bandwidth(speed, lanes), own * shared))


def is_on_lanes_of(controller: Card, drive: Card) -> bool:
    """Return whether a drive takes lanes of the tri-mode ports of a controller."""
    return is_on_pcie_of(controller, drive) and controller.has("drives.pcie_speed")


def ports_of_one(controller: Card, drive: Card) -> int:
    """Ports (lanes) of a controller that one drive takes without an expander or a switch.

    A PCIe card is in a slot of a storage processor, unless the ports are tri-mode.
    """
    if is_on_lanes_of(controller, drive):
        return controller.integer("drives.pcie_lanes")
    return 0 if drive.word("link.interface") == "pcie" else 1


def _no_faster(drive: Card, carried: float) -> Card:
    """The drive with a link that carries no more than so many bytes a second."""
    if drive.number("link.time_per_byte") >= 1 / carried:
        return drive
    return drive.changed({"link.time_per_byte": 1 / carried})


def not_by_software(level: str, drives: int, spans: int | None) -> tuple[str, str] | None:
    """Return cause and remedy if Linux md, or its model here, has no array of so few drives.

    A RAID 6 has four drives at least (``setup_conf`` of ``drivers/md/raid5.c``). RAID 4 and 5 of
    two are mirrors there.
    """
    kind = BY_WORD.get(level)
    if kind is None or not kind.parity:
        return None
    parts = (spans or 2) if kind.nested else 1
    each = " in each span" if kind.nested else ""
    name = level.replace("raid", "RAID ")
    if level in WITH_Q and parts * kind.least_drives <= drives < parts * LEAST_OF_Q:
        cause = f"{name} of {drives} drives is not started by Linux md"
        return cause, f"give at least {LEAST_OF_Q}{each}, or a controller that builds it"
    if level not in WITH_Q and drives == 2 * parts:
        cause = f"{name} of {drives} drives is not simulated: Linux md mirrors them"
        pairs = 'level = "raid10"' if kind.nested else 'level = "raid1"'
        return cause, f"give at least {kind.least_drives}{each}, or {pairs}"
    return None


def lay_out(
    values: Mapping[str, Any], drive: Card | None, controlled: bool
) -> tuple[np.void | None, Finding | None]:
    """The layout of a volume, None for one drive on the host; and what is impossible in it."""
    needed = ("level", "drives", "strip", "spans", "copies", "spread", "rotation")
    if drive is None or any(name not in values for name in needed):
        return None, None
    level = values["level"]
    if level == "single" and not controlled:
        return None, None
    sector, whole = (drive.integer(f"capacity.{of}") for of in ("sector", "user"))
    if values["strip"] > whole:
        cause = f"{units.text(values['strip'], 'size')} is more than a drive holds"
        return None, ("strip", cause, f"give at most {units.text(whole, 'size')}")
    if values["strip"] % sector:
        remedy = f"give a multiple of the drive's sector of {sector} bytes"
        return None, (
            "strip",
            f"{units.text(values['strip'], 'size')} is not a whole number of sectors",
            remedy,
        )
    try:
        return (
            arrange(
                WORDS["jbod" if level == "single" else level],
                values["drives"],
                values["strip"],
                whole,
                spans=values["spans"],
                copies=values["copies"],
                spread=values["spread"],
                rotation=values["rotation"],
            ),
            None,
        )
    except ValueError as error:
        cause, _, remedy = str(error).partition(": ")
        return None, ("drives", cause, remedy or None)

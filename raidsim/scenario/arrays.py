"""What must hold between the drives, the level and the controller of a volume.

:func:`check_volume` yields (key, cause, remedy) like the checks of a load; :func:`lay_out` makes
the layout of a volume in which nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from raidsim import units
from raidsim.cards.card import Card
from raidsim.errors import nearest_name, quote
from raidsim.layout.arrange import WORDS, arrange
from raidsim.layout.tables import PARITY
from raidsim.scenario.checks import Finding
from raidsim.scenario.models import LEVELS
from raidsim.topology.lanes import bandwidth, is_serial

HOST = "host"
NESTED = ("raid10", "raid50", "raid60")
WITH_COPIES = ("raid1e", "raid10")
WITH_PARITY = ("raid4", "raid5", "raid6", "raid50", "raid60")
WITH_Q = ("raid6", "raid60")
WITH_PARTIAL_PARITY = ("raid5", "raid50")
WITHOUT_REDUNDANCY = ("single", "jbod", "raid0")
CACHE_MODES = (("write", "through"), ("read_ahead", "none"), ("io", "direct"))
INTERFACES = {"sas": ("sas", "sata"), "sata": ("sata",)}
"""Drives that ports take: SAS ones take SATA drives too."""


def check_reference(
    values: Mapping[str, Any], key: str, known: Sequence[str], what: str
) -> Iterator[Finding]:
    """A controller, or links, that are named must be of the scenario; each of them once."""
    named = values.get(key)
    names = [named] if isinstance(named, str) else list(named or ())
    for name in dict.fromkeys(names):
        if name not in known:
            remedy = nearest_name(name, known) if known else "leave it out"
            yield key, f"{quote(name)} is no {what} of this scenario", remedy
        if names.count(name) > 1:
            yield key, f"{quote(name)} is there twice", "name each once"


def default_controller(controllers: Sequence[str]) -> str | None:
    """Controller of a volume that names none; None if it would have to choose."""
    if len(controllers) == 1:
        return controllers[0]
    return None if controllers else HOST


def writes_back(write: str, battery: str | None) -> bool:
    """Whether writes are answered from the cache: not without a good battery, unless told so."""
    if write == "back":
        return battery == "good"
    return write == "back-bad-battery"


def stops_trims(values: Mapping[str, Any], drive: Card, layout: np.void | None) -> str | None:
    """Why a trim does not come to the drives of a volume; None if it does.

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


def can_switch(drive: Card) -> bool:
    """Whether a drive has a write cache that can be switched on and off."""
    return "write_cache.enabled" in drive.about.by_name


def check_volume(
    values: Mapping[str, Any], drive: Card | None, controller: Card | None
) -> Iterator[Finding]:
    """Everything but the layout; ``controller`` None for the host itself, ``drive`` if unknown."""
    yield from _sensible_for_the_level(values)
    yield from _noted_intent(values, controller)
    yield from _with_threads(values, controller)
    if controller is None:
        yield from cache_findings(values, None)
    else:
        yield from _on_a_controller(values, drive, controller)
    if values.get("disk_cache") is not None and drive is not None and not can_switch(drive):
        cause = f"{drive.name} has no write cache that can be switched"
        yield "disk_cache", cause, "leave it out"
    drives = values.get("drives", 1)
    for number in values.get("failed", ()):
        if number >= drives:
            yield "failed", f"there is no drive {number}", f"0 to {drives - 1}"
    if values.get("level") == "single" and values.get("failed"):
        yield "failed", "a single drive that has failed serves nothing", "leave it out"


def _sensible_for_the_level(values: Mapping[str, Any]) -> Iterator[Finding]:
    level = values.get("level")
    if level is None:
        return
    if level == "single" and values.get("drives", 1) != 1:
        yield "drives", f"{values['drives']} drives are no single one", 'give level, or "jbod"'
    if values.get("spans") is not None and level not in NESTED:
        yield "spans", f"{level} has no spans", f"only {', '.join(NESTED)} have"
    if values.get("spread") is not None and level not in WITH_COPIES:
        yield "spread", f"{level} has no copies to spread", f"only {', '.join(WITH_COPIES)} have"
    one_parity = level in WITH_PARITY and level not in WITH_Q
    if one_parity and str(values.get("rotation", "")).endswith("-6"):
        remedy = f"{values['rotation'].removesuffix('-6')}; only {', '.join(WITH_Q)} have it"
        yield "rotation", f"{level} has no Q to keep on the last drive", remedy
    if values.get("spares", 0) > 0 and level in WITHOUT_REDUNDANCY:
        yield "spares", f"{level} has no redundancy to rebuild from", "leave it out"


def _noted_intent(values: Mapping[str, Any], controller: Card | None) -> Iterator[Finding]:
    """What is noted of writes must have an array to be about, and software that does it."""
    intent, level = values.get("intent") or "none", values.get("level")
    if intent != "none":
        if controller is not None:
            cause = f"is a key of RAID by software, and this volume is on {controller.name}"
            yield "intent", cause, 'leave it out, or give controller = "host"'
        elif level in WITHOUT_REDUNDANCY:
            yield "intent", f"{level} has no redundancy to keep consistent", "leave it out"
        elif intent == "journal" and level is not None and level not in WITH_PARITY:
            cause = f"{level} has no parity, and a journal is about parity"
            yield "intent", cause, f'give "bitmap"; {", ".join(WITH_PARITY)} have journals'
        elif intent == "ppl" and level is not None and level not in WITH_PARTIAL_PARITY:
            cause = f"{level} has no log of partial parity: md keeps one for RAID 5 alone"
            yield "intent", cause, f'give "bitmap"; {" and ".join(WITH_PARTIAL_PARITY)} have ppl'
    chunk, strip = values.get("bitmap_chunk"), values.get("strip")
    if intent == "bitmap" and chunk is not None and strip is not None and chunk % strip:
        cause = f"{units.text(chunk, 'size')} is no multiple of the strip"
        yield "bitmap_chunk", cause, f"a multiple of {units.text(strip, 'size')}"


def intent_of(
    values: Mapping[str, Any], drive: Card | None, host: Card | None, *, is_controlled: bool
) -> str:
    """What is noted of writes where a volume does not say: what the operating system does.

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


def _with_threads(values: Mapping[str, Any], controller: Card | None) -> Iterator[Finding]:
    """Threads and memory that stripes are handled with must be the operating system's."""
    for key in ("group_thread_cnt", "stripe_cache_size"):
        if values.get(key) is not None and controller is not None:
            cause = f"is a key of RAID by software, and this volume is on {controller.name}"
            yield key, cause, 'leave it out, or give controller = "host"'


def cache_findings(values: Mapping[str, Any], card: Card | None) -> Iterator[Finding]:
    """Modes of a cache that a controller lacks; ``card`` None for the host itself."""
    for key, off in CACHE_MODES:
        if values.get(key, off) == off:
            continue
        if card is None:
            cause = "is a setting of a controller's cache, and this volume is on the host itself"
            yield key, cause, "add a [[controller]] with a cache, or leave it out"
        elif not card.has("cache.size"):
            yield key, f"{card.name} has no cache", f'give {key} = "{off}"'
        elif key == "read_ahead" and card.integer("cache.read_ahead") == 0:
            yield key, f"{card.name} does not read ahead", 'write read_ahead = "none"'


def _on_a_controller(
    values: Mapping[str, Any], drive: Card | None, card: Card
) -> Iterator[Finding]:
    level = values.get("level")
    known = [name for name in LEVELS if name != "single" and card.flag(f"levels.{name}")]
    if level is not None and level not in ("single", *known):
        cause = f"{card.name} has no {level}"
        yield "level", cause, f"it has {', '.join(known)}" if known else "give single drives"
    yield from cache_findings(values, card)
    yield from _as_many_drives(values.get("drives", 1), card, drive)
    strip = values.get("strip")
    if strip is not None and level not in ("single", "jbod"):
        low, high = card.integer("strip.smallest"), card.integer("strip.largest")
        if not low <= strip <= high or strip & (strip - 1):
            cause = f"{card.name} has no strips of {units.text(strip, 'size')}"
            span = units.text(low, "size")
            if high > low:
                span = f"a power of two from {span} to {units.text(high, 'size')}"
            yield "strip", cause, span
    if drive is not None:
        ports = card.word("ports.speed").partition("-")[0]
        interface = drive.word("link.interface")
        if interface not in INTERFACES[ports] and not _on_pcie_of(card, drive):
            cause = f"{drive.name} has {interface}, and {card.name} {ports.upper()} ports"
            yield "drive", cause, f"a drive with {' or '.join(INTERFACES[ports])}"


def _on_pcie_of(card: Card, drive: Card) -> bool:
    """Whether a drive is on PCIe lanes of a controller: in its slots, or on tri-mode ports."""
    return drive.word("link.interface") in ("pcie", "nvme") and card.flag("drives.pcie")


def _as_many_drives(drives: int, card: Card, drive: Card | None) -> Iterator[Finding]:
    most = card.integer("drives.max")
    if drive is not None and _on_pcie_of(card, drive) and card.has("drives.pcie_max"):
        least = min(most, card.integer("drives.pcie_max"))
        if drives > least:
            cause = f"{drives} are more PCIe drives than {card.name} supports"
            yield "drives", cause, f"at most {least}"
    elif drives > most:
        yield "drives", f"{drives} are more than {card.name} supports", f"at most {most}"
    elif card.has("drives.of_volume") and drives > (most := card.integer("drives.of_volume")):
        cause = f"{drives} are more than a volume on {card.name} can have"
        yield "drives", cause, f"at most {most}"


def at_speed_of(drive: Card, port: str) -> Card:
    """The drive as it runs on a port: on SAS and SATA the two agree on the slower speed."""
    if is_serial(port) and is_serial(drive.word("link.interface")):
        return _no_faster(drive, bandwidth(port, 1))
    return drive


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
    """Whether a drive takes lanes of the tri-mode ports of a controller."""
    return _on_pcie_of(controller, drive) and controller.has("drives.pcie_speed")


def ports_of_one(controller: Card, drive: Card) -> int:
    """Ports (lanes) of a controller that one drive takes without an expander or a switch."""
    if is_on_lanes_of(controller, drive):
        return controller.integer("drives.pcie_lanes")
    return 1


def _no_faster(drive: Card, carried: float) -> Card:
    """The drive with a link that carries no more than so many bytes a second."""
    if drive.number("link.time_per_byte") >= 1 / carried:
        return drive
    return drive.changed({"link.time_per_byte": 1 / carried})


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
        return None, ("strip", cause, f"at most {units.text(whole, 'size')}")
    if values["strip"] % sector:
        remedy = f"a multiple of the drive's sector of {sector} bytes"
        return None, (
            "strip",
            f"{units.text(values['strip'], 'size')} is not whole sectors",
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

"""Conditions that the drives, the level and the controller of a volume must meet together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raidsim import units
from raidsim.cards.card import Card
from raidsim.errors import nearest_name, quote
from raidsim.scenario.arrays import (
    CACHE_MODES,
    NESTED,
    WITH_COPIES,
    WITH_PARITY,
    WITH_PARTIAL_PARITY,
    WITH_Q,
    WITHOUT_REDUNDANCY,
    is_on_pcie_of,
    not_by_software,
)
from raidsim.scenario.finding import Finding
from raidsim.scenario.models import LEVELS

INTERFACES = {"sas": ("sas", "sata"), "sata": ("sata",)}
"""Drives that ports take: SAS ones take SATA drives too."""
WRITTEN = {"sas": "SAS", "sata": "SATA", "nvme": "NVMe", "pcie": "PCIe", "scsi": "SCSI"}
"""Interfaces as people write them."""


def check_reference(
    values: Mapping[str, Any], key: str, known: Sequence[str], what: str
) -> Iterator[Finding]:
    """A controller, or links, that are named must be of the scenario; each of them once."""
    named = values.get(key)
    names = [named] if isinstance(named, str) else list(named or ())
    for name in dict.fromkeys(names):
        if name not in known:
            remedy = nearest_name(name, known) if known else "leave it out"
            yield key, f"{quote(name)} is not a {what} of this scenario", remedy
        if names.count(name) > 1:
            yield key, f"{quote(name)} is there twice", "name each once"


def check_volume(
    values: Mapping[str, Any], drive: Card | None, controller: Card | None
) -> Iterator[Finding]:
    """Everything but the layout; ``controller`` None for the host itself, ``drive`` if unknown."""
    yield from _check_level(values)
    yield from _check_intent(values, controller)
    yield from _check_threads(values, controller)
    if controller is None:
        yield from _check_software(values)
        yield from check_cache(values, None)
    else:
        yield from _check_controller(values, drive, controller)
    drives = values.get("drives", 1)
    failed = tuple(values.get("failed", ()))
    for number in dict.fromkeys(failed):
        if failed.count(number) > 1:
            yield "failed", f"drive {number} is there twice", "name each drive once"
        if number >= drives:
            yield "failed", f"there is no drive {number}", f"give 0 to {drives - 1}"
    if values.get("level") == "single" and values.get("failed"):
        yield "failed", "with a single drive that has failed no I/O is possible", "leave it out"


def _check_level(values: Mapping[str, Any]) -> Iterator[Finding]:
    level = values.get("level")
    if level is None:
        return
    if level == "single" and values.get("drives", 1) != 1:
        cause = f"{values['drives']} drives are not a single one"
        yield "drives", cause, 'give a RAID level, or level = "jbod"'
    if values.get("spans") is not None and level not in NESTED:
        yield "spans", f"{level} has no spans", f"only {', '.join(NESTED)} have spans"
    if values.get("spread") is not None and level not in WITH_COPIES:
        yield (
            "spread",
            f"{level} has no copies to spread",
            f"only {', '.join(WITH_COPIES)} have copies",
        )
    one_parity = level in WITH_PARITY and level not in WITH_Q
    if one_parity and str(values.get("rotation", "")).endswith("-6"):
        remedy = f"give {values['rotation'].removesuffix('-6')}; only {', '.join(WITH_Q)} have a Q"
        yield "rotation", f"{level} has no Q to keep on the last drive", remedy
    if values.get("spares", 0) > 0 and level in WITHOUT_REDUNDANCY:
        yield "spares", f"{level} has no redundancy to rebuild from", "leave it out"


def _check_software(values: Mapping[str, Any]) -> Iterator[Finding]:
    """RAID by software of the host must have drives enough for it."""
    level, drives = values.get("level"), values.get("drives")
    if level is not None and drives is not None:
        wrong = not_by_software(level, drives, values.get("spans"))
        if wrong is not None:
            yield "drives", *wrong


def _check_intent(values: Mapping[str, Any], controller: Card | None) -> Iterator[Finding]:
    """Check that a record of writes has an array to belong to, and software that keeps it."""
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
        cause = f"{units.text(chunk, 'size')} is not a multiple of the strip"
        yield "bitmap_chunk", cause, f"give a multiple of {units.text(strip, 'size')}"


def _check_threads(values: Mapping[str, Any], controller: Card | None) -> Iterator[Finding]:
    """Threads and memory that stripes are handled with must be the operating system's."""
    for key in ("group_thread_cnt", "stripe_cache_size"):
        if values.get(key) is not None and controller is not None:
            cause = f"is a key of RAID by software, and this volume is on {controller.name}"
            yield key, cause, 'leave it out, or give controller = "host"'


def check_cache(values: Mapping[str, Any], card: Card | None) -> Iterator[Finding]:
    """Modes of a cache that a controller lacks; ``card`` None for the host itself."""
    cause = "is a setting of a controller's cache, and this volume is on the host itself"
    remedy = "add a [[controller]] with a cache, or leave it out"
    return check_modes(values, card, {}, (cause, remedy))


def check_modes(
    values: Mapping[str, Any],
    card: Card | None,
    keys: Mapping[str, str],
    on_host: tuple[str, str],
) -> Iterator[Finding]:
    """Modes of a cache that the controller of a volume or a hybrid lacks.

    Parameters
    ----------
    card
        Of the controller; None for the host itself.
    keys
        By mode of a volume: the key that it has here, if that is another one.
    on_host
        What is wrong with any mode on the host itself, and what to do.
    """
    for mode, off in CACHE_MODES:
        key = keys.get(mode, mode)
        if values.get(key, off) == off:
            continue
        if card is None:
            yield key, *on_host
        elif not card.has("cache.size"):
            yield key, f"{card.name} has no cache", f'give {key} = "{off}"'
        elif mode == "read_ahead" and card.integer("cache.read_ahead") == 0:
            yield key, f"{card.name} does not read ahead", f'give {key} = "{off}"'


def _check_controller(
    values: Mapping[str, Any], drive: Card | None, card: Card
) -> Iterator[Finding]:
    level = values.get("level")
    known = [name for name in LEVELS if name != "single" and card.flag(f"levels.{name}")]
    if level is not None and level not in ("single", *known):
        cause = f"{card.name} has no {level}"
        remedy = f"it has {', '.join(known)}" if known else "give single drives"
        if not set(known) - {"jbod"}:  # a host bus adapter, below software of the host
            remedy += (
                '; for RAID by software of the host give controller = "host", and a [[link]] to'
                " the host that its drives are behind, as wide as the adapter"
            )
        yield "level", cause, remedy
    elif level is not None:
        yield from _check_copies(values, level, card)
    yield from check_cache(values, card)
    yield from _check_drives(values.get("drives", 1), card, drive)
    strip = values.get("strip")
    if strip is not None and level not in ("single", "jbod"):
        low, high = card.integer("strip.smallest"), card.integer("strip.largest")
        if not low <= strip <= high or strip & (strip - 1):
            cause = f"{card.name} has no strips of {units.text(strip, 'size')}"
            span = units.text(low, "size")
            if high > low:
                span = f"a power of two from {span} to {units.text(high, 'size')}"
            yield "strip", cause, f"give {span}"
    if drive is not None:
        ports = card.word("ports.speed").partition("-")[0]
        interface = drive.word("link.interface")
        if interface not in INTERFACES[ports] and not is_on_pcie_of(card, drive):
            cause = (
                f"{drive.name} has {WRITTEN[interface]}, and {card.name} has {WRITTEN[ports]} ports"
            )
            yield (
                "drive",
                cause,
                f"give a drive with {' or '.join(WRITTEN[one] for one in INTERFACES[ports])}",
            )


def _check_copies(values: Mapping[str, Any], level: str, card: Card) -> Iterator[Finding]:
    """Refuse more copies than the firmware keeps: most firmware keeps two."""
    most, drives = card.integer("levels.copies"), values.get("drives", 1)
    by_software = 'or more copies by software: controller = "host"'
    if level == "raid1" and drives > most:
        cause = f"{card.name} mirrors at most {most} drives under raid1"
        remedy = f'give drives = {most}, level = "raid10" for more drives, {by_software}'
        yield "drives", cause, remedy
    elif level in WITH_COPIES and values.get("copies", 2) > most:
        cause = f"{card.name} keeps at most {most} copies under {level}"
        yield "copies", cause, f"give copies = {most}, {by_software}"


def _check_drives(drives: int, card: Card, drive: Card | None) -> Iterator[Finding]:
    most = card.integer("drives.max")
    if drive is not None and is_on_pcie_of(card, drive) and card.has("drives.pcie_max"):
        least = min(most, card.integer("drives.pcie_max"))
        if drives > least:
            cause = f"{drives} are more PCIe drives than {card.name} supports"
            yield "drives", cause, f"give at most {least}"
    elif drives > most:
        yield "drives", f"{drives} are more than {card.name} supports", f"give at most {most}"
    elif card.has("drives.of_volume") and drives > (most := card.integer("drives.of_volume")):
        cause = f"{drives} are more than a volume on {card.name} can have"
        yield "drives", cause, f"give at most {most}"

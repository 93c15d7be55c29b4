"""Conditions between a hybrid and the volumes that it is made of.

:func:`check_hybrid` yields (key, cause, remedy) like the checks of a load. :func:`measure` computes
its size, :func:`check_overlaps` finds hybrids that use the same volume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raidsim import units
from raidsim.cards.card import Card
from raidsim.errors import nearest_name, quote
from raidsim.scenario.array_checks import check_modes
from raidsim.scenario.arrays import CACHE_MODES, HOST
from raidsim.scenario.finding import Finding, IndexedFinding
from raidsim.scenario.found import Extent, FoundHybrid, FoundVolume

LEAST_BLOCK = 4 * 1024
LARGEST_BLOCK = 64 * 1024**2
MOST_BLOCKS = 16 * 1024**2  # in the front
LEAST_LOG = 1  # of the size of the hybrid
MOST_PLACES = 32 * 1024**2  # blocks of a tier, whose heat is kept account of
CACHE_KEYS = {"write": "buffer"}
"""Modes of a cache that have another key in a hybrid, whose `write` is about its front."""
NO_VOLUME = FoundVolume({})
OF_A_CACHE = (("write", "back"), ("evict", "lru"))


def check_parts(values: Mapping[str, Any], volumes: Mapping[str, FoundVolume]) -> Iterator[Finding]:
    """Front and back must be two volumes of the scenario."""
    for key in ("front", "back"):
        name = values.get(key)
        if name is not None and name not in volumes:
            cause = f"{quote(name)} is not a volume of this scenario"
            yield key, cause, nearest_name(name, volumes)
    if "front" in values and values.get("front") == values.get("back"):
        yield "back", "is the same volume as the front", "name another volume"


def check_hybrid(
    values: Mapping[str, Any],
    volumes: Mapping[str, FoundVolume],
    controller: Card | None,
) -> Iterator[Finding]:
    """Check a hybrid of two volumes; ``controller`` is None for the host itself."""
    block = values.get("block")
    if block is not None and not _is_block(block):
        cause = f"a block cannot be of {units.text(block, 'size')}"
        yield "block", cause, "give a power of two from 4 KiB to 64 MiB"
    if {"high", "low"} <= set(values) and values["low"] > values["high"]:
        yield "low", "is more than high", "give at most as much as high"
    if values.get("mode") == "tier":
        for key, default in OF_A_CACHE:
            if values.get(key, default) != default:
                yield key, "is a setting of a cache, and this is a tier", "leave it out"
    yield from _check_cache(values, controller)
    if values.get("controller") != HOST:
        yield from _check_caches_below(values, volumes)
    yield from _check_sizes(values, volumes)


def _check_cache(values: Mapping[str, Any], controller: Card | None) -> Iterator[Finding]:
    """Modes of a storage processor's cache that it lacks; ``controller`` None for the host."""
    cause = "is a setting of a storage processor's cache, and this hybrid is on the host itself"
    remedy = "give it a controller with a cache, or leave it out"
    return check_modes(values, controller, CACHE_KEYS, (cause, remedy))


def _check_caches_below(
    values: Mapping[str, Any], volumes: Mapping[str, FoundVolume]
) -> Iterator[Finding]:
    """A storage processor has its cache in front of the hybrid, not between it and its volumes."""
    for part in ("front", "back"):
        volume = volumes.get(values.get(part, ""), NO_VOLUME).values
        for mode, off in CACHE_MODES:
            if volume.get(mode, off) != off:
                cause = f"{quote(values[part])} has {mode} = {quote(volume[mode])}"
                key = CACHE_KEYS.get(mode, mode)
                remedy = f"the cache is in front of the hybrid: give {key} there"
                yield part, cause, remedy


def _check_sizes(
    values: Mapping[str, Any], volumes: Mapping[str, FoundVolume]
) -> Iterator[Finding]:
    front, back = (
        volumes.get(values.get(key, ""), NO_VOLUME).capacity for key in ("front", "back")
    )
    known = {"block", "front_size", "back_offset", "size", "mode"} <= set(values)
    if not known or front is None or back is None:
        return
    block, wanted = values["block"], values["size"]
    if not _is_block(block):
        return
    used = front if values["front_size"] is None else values["front_size"]
    left = back - values["back_offset"]
    found: list[Finding] = []
    if used > front:
        cause = f"{_size(used)} is more than the front has"
        found.append(("front_size", cause, f"give at most {_size(front)}"))
    elif 0 < used < block:
        cause = f"is {_size(used)}, which holds no block of {_size(block)}"
        found.append(("front_size", cause, "make it larger"))
    if values["back_offset"] % block:
        remedy = f"give a multiple of {_size(block)}"
        found.append(("back_offset", "is not at the beginning of a block", remedy))
    if left < block:
        found.append(
            (
                "back_offset",
                f"{_size(values['back_offset'])} is beyond the end of the back",
                "give less",
            )
        )
    elif wanted is not None and wanted > left:
        cause = f"{_size(wanted)} is more than the back has behind back_offset"
        found.append(("size", cause, f"give at most {_size(left)}"))
    elif wanted is not None and wanted < block:
        cause = f"is {_size(wanted)}, which holds no block of {_size(block)}"
        found.append(("size", cause, "make it larger"))
    yield from found or _check_map(values, front, back)


def _check_map(values: Mapping[str, Any], front: int, back: int) -> Iterator[Finding]:
    """Check that the map has a size that can be kept, and the content that it begins with."""
    capacity = measure(values, front, back)[1]
    block, warm = values["block"], values.get("warm")
    left = back - values["back_offset"]
    if values.get("placement") == "log" and left - capacity < LEAST_LOG * capacity:
        cause = f"behind the hybrid of {_size(capacity)} the back has no room for a log"
        yield "placement", cause, "give a size that leaves as much of the back free as it takes"
    if too_many := _too_many(values, front, back):
        cause = f"{_size(block)} makes {too_many:,} blocks, too many to follow"
        larger = block
        while larger < LARGEST_BLOCK and _too_many({**values, "block": larger}, front, back):
            larger *= 2
        remedy = "give a smaller size"
        if not _too_many({**values, "block": larger}, front, back):
            remedy = f'write block = "{_size(larger)}" or more, or give a smaller size'
        yield "block", cause, remedy
    if warm is not None and warm.offset + (warm.size or 0) > capacity:
        yield "warm", f"ends beyond the hybrid of {_size(capacity)}", None


def _too_many(values: Mapping[str, Any], front: int, back: int) -> int:
    """Blocks to follow, if they are more than can be; else 0."""
    blocks, capacity, _ = measure(values, front, back)
    places = capacity // values["block"] if values["mode"] == "tier" else 0
    return max(blocks, places) if blocks > MOST_BLOCKS or places > MOST_PLACES else 0


def _is_block(size: int) -> bool:
    return LEAST_BLOCK <= size <= LARGEST_BLOCK and size & (size - 1) == 0


MEASURED = ("front", "back", "block", "front_size", "back_offset", "size")
"""Keys that say how large a hybrid is."""


def measure(values: Mapping[str, Any], front: int, back: int) -> tuple[int, int, int]:
    """Blocks that the front may come to hold, bytes of the hybrid, and bytes used of the front.

    A front that is larger than the hybrid never holds more than all blocks of the hybrid.
    """
    block = values["block"]
    used = front if values["front_size"] is None else values["front_size"]
    left = back - values["back_offset"]
    size = left if values["size"] is None else values["size"]
    capacity = size // block * block
    return min(used, capacity) // block, capacity, used // block * block


def extent_of(values: Mapping[str, Any], volumes: Mapping[str, FoundVolume]) -> Extent | None:
    """Return the size of a hybrid in which nothing is wrong; None if it is unknown."""
    if not set(MEASURED) <= set(values):
        return None
    front, back = (volumes[values[key]] for key in ("front", "back"))
    if front.capacity is None or back.capacity is None:
        return None
    blocks, capacity, room = measure(values, front.capacity, back.capacity)
    cards = (front.card, back.card)
    sector = max(card.integer("capacity.sector") for card in cards if card is not None)
    return Extent(capacity, blocks, room, sector)


def check_overlaps(hybrids: Sequence[FoundHybrid]) -> Iterator[IndexedFinding]:
    """Index, key, cause and remedy of each that uses what another one uses."""
    for index, one in enumerate(hybrids):
        for other in hybrids[:index]:
            for key, cause, remedy in _in_the_way(one, other):
                yield index, key, cause, remedy


def _in_the_way(one: FoundHybrid, other: FoundHybrid) -> Iterator[tuple[str, str, str]]:
    """Yield the parts of a hybrid that another one uses."""
    name = quote(other.values.get("name", "hybrid"))
    front, back = (one.values.get(key) for key in ("front", "back"))
    if front is not None and front in (other.values.get("front"), other.values.get("back")):
        yield "front", f"is in use by {name}", "give each hybrid its own front"
    if back is not None and back == other.values.get("front"):
        yield "back", f"is the front of {name}", "name another volume"
    if back is None or back != other.values.get("back"):
        return
    regions = [
        (each.values["back_offset"], each.extent.capacity)
        for each in (one, other)
        if "back_offset" in each.values and each.extent is not None
    ]
    if len(regions) < 2:
        return
    (first, size), (second, _) = sorted(regions, key=lambda region: region[0])
    if first + size > second:
        cause = f"its part of {quote(back)} overlaps that of {name}"
        yield "back_offset", cause, "give each a back_offset and a size"


def _size(number: int) -> str:
    return units.text(number, "size")

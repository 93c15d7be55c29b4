"""From a [[hybrid]] to its rows of the kernel: the blocks of its front and where they go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly import replacement
from raidsim.assembly.cache import chains, line_size, modes
from raidsim.assembly.volume_rows import drives_of
from raidsim.cards.card import Card
from raidsim.kernel import cache as lines_of
from raidsim.kernel import cache_tables as c
from raidsim.kernel import hybrid_tables as h
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_WRITE_BACK, HYBRID
from raidsim.kernel.load_tables import MANUAL
from raidsim.scenario import ControllerSpec, HybridSpec, LoadSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

MODES = {"cache": h.MODE_CACHE, "tier": h.MODE_TIER}
WRITES = {"back": h.WRITE_BACK, "through": h.WRITE_THROUGH, "around": h.WRITE_AROUND}
PROMOTIONS = {"first": 1, "second": 2, "never": h.NO_PROMOTION}


def add_hybrid(
    system: System,
    spec: HybridSpec,
    *,
    front: int,
    back: int,
    controller: int,
    controller_spec: ControllerSpec | None,
) -> int:
    """Add a hybrid of two volumes that are there, warm as it says; its volume's index.

    Parameters
    ----------
    front, back
        Rows of the volumes.
    controller, controller_spec
        Row of the storage processor, and what the scenario says of it; NONE and None for the host.
    """
    tier = spec.mode == "tier"
    block = spec.block
    row = system.append("arrays")
    if system.append("layouts") != row:
        raise AssertionError("every array has its layout under its own number")
    volume = system.append("volumes")
    cache = _add_blocks(system, spec)
    traces = _add_traces(system, spec)
    number = system.add_row(
        "hybrids",
        front=front,
        back=back,
        back_offset=spec.back_offset,
        cache=cache,
        block=block,
        mode=MODES[spec.mode],
        write=WRITES[spec.write],
        promote=PROMOTIONS[spec.promote],
        bypass=spec.bypass or 0,
        through=int(controller == t.NONE),
        first_trace=traces[0],
        traces=traces[1],
        first_trail=system.append("trails", c.TRAILS) if spec.bypass else 0,
        interval=round(spec.interval * NS_PER_S),
        moves=spec.copies if tier else 0,
    )
    below = system.world.volumes[back]
    width = block
    if below["kind"] == t.VOLUME_ARRAY:
        width = int(system.world.arrays[below["array"]]["width"])
    if spec.placement == "log":
        first = spec.back_offset + -(-spec.capacity // width) * width
        end = int(below["size"]) // width * width
        log = {"stripe": width, "log_first": first, "log_head": first, "log_end": end}
        system.set_row("hybrids", number, log=1, **log)
    card = None if controller_spec is None else controller_spec.card
    line, destages = line_size(card, block), 0
    if card is not None and card.has("cache.size"):
        destages = _destages(system, card, controller, (front, back))
        system.need_margin(destages + card.integer("cache.read_ahead") // line)
    system.set_row(
        "arrays",
        row,
        family=HYBRID,
        hybrid=number,
        width=width,
        locks=1,
        line=line,
        **modes(system, spec.buffer, spec.read_ahead, spec.io, controller_spec, destages),
    )
    system.set_row(
        "volumes",
        volume,
        kind=t.VOLUME_ARRAY,
        array=row,
        controller=controller,
        size=spec.capacity,
    )
    if spec.warm is not None:
        _warm(system, volume, cache, _first_blocks(spec), tier)
    system.need_margin(spec.copies)
    return volume


def _destages(system: System, card: Card, controller: int, parts: Sequence[int]) -> int:
    """Return the number of destages of the storage processor's cache to a hybrid at a time.

    Its cache has room for them: it only knows the drives of volumes behind its controller.
    """
    depth = max(card.integer("cache.destage_depth") // 2, 1)  # for data on two drives
    destages = depth * sum(len(drives_of(system, part)) for part in parts)
    cache = system.world.caches[system.world.controllers[controller]["cache"]]
    for part in parts:
        if system.world.volumes[part]["controller"] != controller:
            cache["most_tasks"] += depth * len(drives_of(system, part))
    cache["most_tasks"] = max(int(cache["most_tasks"]), destages)
    return destages


def _add_blocks(system: System, spec: HybridSpec) -> int:
    """The blocks of the front as lines of a row of CACHE; its number."""
    block, blocks = spec.block, spec.blocks
    size = blocks * block
    tier = spec.mode == "tier"
    first = system.append("lines", blocks)
    buckets = 1 << max(blocks - 1, 0).bit_length()
    first_bucket = system.append("buckets_of_lines", buckets)
    # The heads of the list of dirty blocks, and the way to a place in it; pointers of a block
    # are written before they are read.
    pointers = (2 if tier else blocks + 2) * c.LEVELS
    first_tower = system.append("towers", pointers)
    system.world.towers[first_tower : first_tower + c.LEVELS] = t.NONE
    row = system.append("caches")
    system.set_row(
        "caches",
        row,
        size=size,
        high=spec.high * spec.room,
        low=spec.low * spec.room,
        first_line=first,
        lines=blocks,
        fresh=first,  # a large front takes no memory before it is used
        end=first + blocks,
        first_bucket=first_bucket,
        buckets=buckets,
        **replacement.fields(system, spec.evict, blocks),
        first_tower=first_tower,
        destage_size=spec.copy_size,
        most_tasks=0 if tier else spec.copies,
        wanted=spec.copies,
        flush_time=round(spec.flush * NS_PER_S),
        flusher=system.take_job(t.STAGE_CACHE_FLUSH, row=row),
        clock=system.add_station(f"{spec.name}: flush time", "flush time", servers=t.UNLIMITED),
        errand=ERRAND_WRITE_BACK,
        again=t.STAGE_PLAN,
    )
    return row


def _add_traces(system: System, spec: HybridSpec) -> tuple[int, int]:
    """Add the entries for blocks that are not in the front: return the first and their number."""
    if spec.mode == "tier":
        count = 2 * (spec.capacity // spec.block)
    elif spec.promote == "second":
        count = 1 << max(spec.blocks - 1, 0).bit_length()
    else:
        return 0, 1
    return system.append("traces", count), count


def _first_blocks(spec: HybridSpec) -> NDArray[np.int64]:
    """Numbers of the blocks that are in the front from the beginning."""
    if spec.warm is None:
        return np.zeros(0, np.int64)
    size = spec.capacity - spec.warm.offset if spec.warm.size is None else spec.warm.size
    first = spec.warm.offset // spec.block
    end = -(-(spec.warm.offset + size) // spec.block)
    count = int((end - first) * spec.warm_share)
    spread = np.arange(count) * (end - first) // max(count, 1)
    return first + spread[: spec.blocks]


def _warm(
    system: System, volume: int, cache_row: int, strips: NDArray[np.int64], dirty: bool
) -> None:
    """Let the front hold the blocks of these numbers, the first used last.

    As if they had been read one after the other: in the index, and in the list of those that may
    be evicted. Of a tier they are nowhere else.
    """
    count = len(strips)
    if count == 0:
        return
    cache = system.world.caches[cache_row]
    size = int(cache["size"]) // int(cache["lines"])
    first = int(cache["first_line"])
    number = np.arange(first, first + count)
    rows = system.world.lines[first : first + count]
    cache["fresh"] += count
    rows["volume"] = volume
    rows["strip"] = strips
    rows["size"] = size
    rows["valid"] = lines_of.mask(size, 0, size)
    rows["waiters"] = t.NONE
    rows["key"] = lines_of.key_of(volume, strips)
    places = lines_of.bucket(cache, volume, strips)
    rows["chain"] = chains(places, number, system.world.buckets_of_lines)
    cache["used"] = cache["held"][0] = count * size
    if dirty:
        rows["dirty"] = rows["valid"]
        cache["dirty"] = cache["dirty_peak"] = count * size
        return
    cache["clean"] = count * size
    rows["newer"] = number + 1
    rows["newer"][-1] = t.NONE
    rows["older"] = number - 1
    rows["older"][0] = t.NONE
    cache["oldest"][0], cache["newest"][0] = number[0], number[-1]


def streams_below(
    system: System, spec: HybridSpec, load: LoadSpec, rows: tuple[int, int]
) -> Iterator[int]:
    """Streams that write at random on front and back what a load on the hybrid means to them.

    Solid state drives that are in a steady state when the run begins have been written so. The
    front holds as many blocks as the load touches, wherever they are; in the back each has its
    place.
    """
    if load.read_share == 1 or load.random_share == 0:
        return
    first, _ = load.extent(spec.capacity)
    touched = load.touched(spec.capacity)
    used = min(spec.blocks * spec.block, touched)
    areas = ((rows[0], 0, used), (rows[1], spec.back_offset + first, touched))
    for volume, offset, size in areas:
        largest = max(one.size for one in load.sizes)
        if size < max(largest, load.align):
            continue
        yield system.add_stream(
            f"{spec.name}/{load.name}: before",
            [one._replace(read=0.0) for one in load.mix],
            mode=MANUAL,
            volume=volume,
            area_offset=offset,
            area_size=size,
            align=load.align,
        )

"""Shingled disks in the steady state: random writes have filled their media caches.

The log is computed as the writes of the loads would leave it. It has as many writes as it can hold,
uniform over the areas of the loads, each with its place and its band. A record whose data was
written again later, or whose band was written, is still in the log but no longer in the map. Hot
spots and Zipf distributions are not used: a uniform distribution is the worst case, since each band
then has the fewest writes that share its rewrite.

A band is rewritten when its oldest record reaches the end of the log: after as many writes as the
log holds. The next record of this band, already in the log or later, begins another such period.
Let the log hold L records, with n for each band. When it began, L of L + L / n bands were waiting
for a rewrite; the rest had no record. For each waiting band the log contains the records after a
moment that is uniform over the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.kernel import tables as t
from raidsim.system.sizes import sizes_of_writes, writes_at_random
from raidsim.system.system import System, stream_key

AreaOf = Callable[[int, int], tuple[int, int]]


def fill(
    system: System, row: int, streams: Sequence[int], area_of: AreaOf, longest: int, seed: str
) -> None:
    """Fill the media cache in ``row`` of `shingles` with what these streams write at random.

    Parameters
    ----------
    area_of
        Which bytes of the disk hold bytes of its volume: offset and size, of offset and size.
    longest
        Bytes to which a write is cut on its way to the disk.
    seed
        Name of the random numbers.
    """
    found = [s for s in streams if writes_at_random(system, s)]
    areas = [_area(system, s, area_of) for s in found]
    found = [s for s, (_, size) in zip(found, areas, strict=True) if size > 0]
    areas = [area for area in areas if area[1] > 0]
    if not found:
        return
    s = system.world.shingles[row]
    disk = system.world.disks[s["disk"]]
    rng = np.random.default_rng(int(stream_key(system.seed, seed, "media cache")))
    most = int(s["most_records"])
    which = rng.integers(0, len(found), most)
    offsets, lengths = np.zeros(most, np.int64), np.zeros(most, np.int64)
    for number, stream in enumerate(found):
        mine = np.flatnonzero(which == number)
        lengths[mine] = np.minimum(_sizes(system, stream, rng.random(len(mine))), longest)
        offsets[mine] = _places(system, stream, areas[number], lengths[mine], rng)
    lengths = np.minimum(lengths, (offsets // s["band"] + 1) * s["band"] - offsets)
    lengths = np.minimum(lengths, disk["size"] - offsets)
    sector = int(disk["physical_sector"])
    taken = -(-lengths // sector) * sector
    ends = np.cumsum(taken)
    count = int(np.searchsorted(ends, s["media_cache"], side="right"))
    rewritten = _rewritten(s, areas, count, rng)
    _write(system, s, offsets[:count], lengths[:count], (ends - taken)[:count], rewritten)
    s["head"] = int(ends[count - 1])
    s["used"] = s["head"] - int(system.world.records[s["first_record"] + s["oldest"]]["place"])


def _rewritten(
    s: Any, areas: Sequence[tuple[int, int]], count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """For each band the record of the log up to which it was rewritten last; 0 if it was not."""
    last = max((offset + size - 1) // s["band"] for offset, size in areas)
    of_band = np.zeros(int(last) + 1)  # records of each band in the log, expected
    for offset, size in areas:
        bands = np.arange(offset // s["band"], (offset + size - 1) // s["band"] + 1)
        of_band[bands] += count / len(areas) / len(bands)
    waited_for = rng.random(len(of_band)) < of_band / (of_band + 1)
    found: NDArray[np.float64] = waited_for * rng.random(len(of_band)) * count
    return found


def _write(
    system: System,
    s: Any,
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    places: NDArray[np.int64],
    rewritten: NDArray[np.float64],
) -> None:
    """Write the records of a log that begins with these, and the lists of their bands."""
    count = len(offsets)
    numbers = np.arange(count)
    _, last = np.unique(offsets[::-1], return_index=True)  # of each place only the newest counts
    live = np.sort(count - 1 - last)
    live = live[live >= rewritten[offsets[live] // s["band"]]]
    first_record, first_band = int(s["first_record"]), int(s["first_band"])
    records = system.world.records[first_record : first_record + count]
    records["offset"], records["length"], records["place"] = offsets, lengths, places
    records["next"] = t.NONE
    records["live"] = np.isin(numbers, live)
    bands = offsets[live] // s["band"]
    order = np.argsort(bands, kind="stable")
    sorted_bands, sorted_live = bands[order], live[order]
    same = sorted_bands[1:] == sorted_bands[:-1]
    records["next"][sorted_live[:-1][same]] = sorted_live[1:][same]
    begins = np.flatnonzero(np.append(True, ~same))
    ends = np.append(begins[1:], len(sorted_live)) - 1
    rows = system.world.bands[first_band:]
    rows["first"][sorted_bands[begins]] = sorted_live[begins]
    rows["last"][sorted_bands[begins]] = sorted_live[ends]
    s["next"] = count
    s["oldest"] = int(live[0])
    s["kept"] = count - int(live[0])


def _area(system: System, s: int, area_of: AreaOf) -> tuple[int, int]:
    stream = system.world.streams[s]
    return area_of(int(stream["area_offset"]), int(stream["area_size"]))


def _sizes(system: System, s: int, drawn: NDArray[np.float64]) -> NDArray[np.int64]:
    """Sizes of the writes of a stream."""
    rows = sizes_of_writes(system, s)
    which: NDArray[np.int64] = rows["bytes"][np.searchsorted(rows["up_to"], drawn, side="right")]
    return which


def _places(
    system: System,
    s: int,
    area: tuple[int, int],
    lengths: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Uniform over an area, aligned as the stream says."""
    align = max(int(system.world.streams[s]["align"]), 1)
    first, size = area
    room = np.maximum((size - lengths) // align, 0)
    found: NDArray[np.int64] = first + (rng.random(len(lengths)) * (room + 1)).astype(int) * align
    return found

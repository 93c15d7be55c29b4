"""The commands of an array to its drives in the window, by their content."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from raidsim.assembly.volume_rows import below
from raidsim.kernel import array_tables as a
from raidsim.kernel import tables as t
from raidsim.result import ArrayUse
from raidsim.scenario import Scenario
from raidsim.system.sizes import sizes_that_write
from raidsim.system.system import System

ORIGINS = {
    "host": a.FOR_HOST,
    "destage": a.FOR_DESTAGE,
    "read-ahead": a.FOR_READ_AHEAD,
    "background": a.BACKGROUND,
}
TRANSFERS = {
    "read": a.READ_DATA,
    "read for read-modify-write": a.READ_FOR_MODIFY,
    "read for reconstruct-write": a.READ_FOR_RECONSTRUCT_WRITE,
    "read to reconstruct": a.READ_TO_RECONSTRUCT,
    "write": a.WRITE_DATA,
    "parity write": a.WRITE_PARITY,
    "full-stripe write": a.WRITE_FULL_STRIPE,
    "trim": a.TRIM_DATA,
    "bitmap write": a.WRITE_BITMAP,
    "log write": a.WRITE_LOG,
}


def warnings(
    system: System, scenario: Scenario, volumes: Mapping[str, int], volume: str
) -> list[str]:
    """Return warnings about the array of a load, or about those below its hybrid.

    That is what md does and is not simulated, and what no window is long enough for.
    """
    hybrid = scenario.hybrid(volume)
    names = (volume,) if hybrid is None else (hybrid.front, hybrid.back)
    found = [
        f"{one.name}: the writes to its journal take no time here, but md writes all data and"
        " parity to a separate drive first"
        for one in scenario.volumes
        if one.name in names and one.intent == "journal"
    ]
    if _gathers_of_several(system, volumes[volume]):
        found.append(
            f"how many of the writes of several sequential streams meet in a stripe of {volume}"
            " depends on how these run beside each other, which may change after minutes: other"
            " seeds may give other rates, so run several"
        )
    return found


def _gathers_of_several(system: System, volume: int) -> bool:
    """Return whether a stripe cache puts together what more than one sequential stream writes."""
    row = system.world.volumes[volume]
    if row["kind"] != t.VOLUME_ARRAY:
        return False
    array = system.world.arrays[row["array"]]
    if array["stripe_cache"] == 0:
        return False
    streams = np.flatnonzero(system.rows("streams")["volume"] == volume).tolist()
    sequential = [
        stream
        for stream in streams
        if any(
            size["random_share"] < 1.0 and size["bytes"] < array["width"]
            for size in sizes_that_write(system, stream)
        )
    ]
    return len(sequential) > 1


def arrays(system: System, volumes: Mapping[str, int], volume: str) -> list[ArrayUse]:
    """The use of the array that a load runs on, or of those below its hybrid; none of one drive."""
    world = system.world
    names = {row: name for name, row in volumes.items()}
    row = volumes[volume]
    streams = system.rows("streams")
    ios = int(streams["window_ios"][streams["volume"] == row].sum())
    return [
        _use_of(system, names[part], int(world.volumes[part]["array"]), ios)
        for part in below(system, row) or (row,)
        if world.volumes[part]["kind"] == t.VOLUME_ARRAY
    ]


def _use_of(system: System, name: str, array: int, ios: int) -> ArrayUse:
    counts = system.world.arrays[array]["device_ios"].copy()
    before = system.at_reset.get("arrays")
    if before is not None and array < len(before):
        counts -= before[array]["device_ios"]
    table = counts.reshape(a.ORIGINS, a.TRANSFERS)
    made = {
        origin: {what: int(table[i, j]) for what, j in TRANSFERS.items() if table[i, j]}
        for origin, i in ORIGINS.items()
        if table[i].any()
    }
    each = None
    if ios:
        each = {by: {what: n / ios for what, n in row.items()} for by, row in made.items()}
    return ArrayUse(name=name, host_ios=ios, device_ios=made, per_host_io=each)

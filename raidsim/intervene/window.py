"""The measured window: opening it, and reading its counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly import heat, supply
from raidsim.intervene import exposure
from raidsim.kernel import disk_buffer
from raidsim.kernel import tables as t
from raidsim.kernel.world import TABLES
from raidsim.records import Role, copied
from raidsim.system.system import System


def settle_areas(system: System) -> None:
    """Bring the areas under the curves of every station up to the present time."""
    for disk in system.world.disks[: system.count("disks")]:
        disk_buffer.catch_up(system.world, disk)
    now = system.now
    rows = system.world.stations[: system.count("stations")]
    passed = now - rows["changed"]
    rows["busy_area"] += passed * rows["busy"]
    rows["queue_area"] += passed * rows["waiting"]
    rows["changed"] = now


def settle_promises(system: System) -> None:
    """Bring the integrals of the bytes that a power cut would lose up to the present time."""
    now = system.now
    rows = system.world.drives[: system.count("drives")]
    rows["unsafe_area"] += _at_risk(rows).astype(float) * (now - rows["unsafe_changed"])
    rows["unsafe_changed"] = now


def _at_risk(rows: NDArray[Any]) -> NDArray[np.int64]:
    """As :func:`raidsim.kernel.reply.at_risk`, of many drives."""
    found: NDArray[np.int64] = np.maximum(rows["unsafe"] - rows["withheld"], 0)
    return found


def settle_dirt(system: System) -> None:
    """Bring the integrals of the dirty bytes in caches up to the present time."""
    now = system.now
    rows = system.world.caches[: system.count("caches")]
    rows["dirty_area"] += rows["dirty"].astype(float) * (now - rows["dirty_changed"])
    rows["dirty_changed"] = now


def reset(system: System) -> None:
    """Open a new window at the present time: counts go to zero, the system's state stays."""
    settle_areas(system)
    settle_promises(system)
    settle_dirt(system)
    supply.settle(system)
    used = [table for table in TABLES.values() if system.count(table.name)]
    for table in used:
        table.open_window(system.rows(table.name))
    drives, caches = system.rows("drives"), system.rows("caches")
    drives["unsafe_peak"] = _at_risk(drives)
    caches["dirty_peak"] = caches["dirty"]
    exposure.reset(system)
    system.at_reset = {
        table.name: copied(system.rows(table.name)) for table in used if table.of(Role.COUNTER)
    }
    system.state["slice_origin"] = system.now
    system.state["slice_width"] = t.FIRST_SLICE
    heat.reset(system)


def series(system: System, streams: list[int]) -> tuple[NDArray[np.float64], float]:
    """Completions per full time slice of these streams together, and the slice's width in ns."""
    width = int(system.state["slice_width"])
    full = min((system.now - int(system.state["slice_origin"])) // width, t.SLICES)
    total = system.world.slices[system.accounts(streams), :full].sum(axis=0)
    return total.astype(float), float(width)


def over_periods(series: NDArray[np.float64], width: float, period: float) -> NDArray[np.float64]:
    """The content of a series of slices in each whole period since the window opened.

    Widths of slices and periods are in ns, no period shorter than a slice. A slice across an edge
    is divided by time. The last period counts as whole if it lacks less than a slice.
    """
    edges = width * np.arange(len(series) + 1)
    sums = np.concatenate(([0.0], np.cumsum(series)))
    count = int((edges[-1] + width) // period)
    return np.diff(np.interp(period * np.arange(count + 1), edges, sums))

"""The present state of an array, and its work since the last reading: plain data from the kernel.

Times in s, sizes in bytes, temperatures in C, shares from 0 to 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from raidsim.assembly import heat
from raidsim.assembly.volume_rows import drives_of, member_of
from raidsim.control.environment import Environment
from raidsim.control.volume import Volume
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.kernel.reply import at_risk
from raidsim.layout.address import whole_drive
from raidsim.observe import station_use
from raidsim.observe.caching import mode
from raidsim.observe.thermal import STATES
from raidsim.system.system import System
from raidsim.units import MIB, NS_PER_S


class Meter:
    """Reads the rates and the use of stations over the time since it was read last."""

    def __init__(self, env: Environment, volume: Volume) -> None:
        self.env = env
        self.system = env.system
        self.volume = volume
        self.at = self.system.now
        self._areas = self._busy()
        self._counts = self._done()

    def take(self) -> tuple[dict[int, float], dict[str, Any]]:
        """Share of the time that each station was busy, and what completed; it begins anew."""
        areas, counts, now = self._busy(), self._done(), self.system.now
        passed = now - self.at
        busy: dict[int, float] = {}
        if passed > 0:
            grown = areas.copy()
            grown[: len(self._areas)] -= self._areas
            servers = np.maximum(self.system.rows("stations")["servers"], 1)
            # Read-ahead counts when its data is asked for, which may be later than it was read.
            shares = np.clip(grown / passed / servers, 0, 1)
            busy = dict(enumerate(shares.tolist()))
        done = {name: counts[name] - self._counts[name] for name in counts}
        rates = {
            "seconds": passed / NS_PER_S,
            "ios": done["reads"] + done["writes"],
            "iops": _over(done["reads"] + done["writes"], passed / NS_PER_S),
            "mbps": _over(done["bytes"] / MIB, passed / NS_PER_S),
            "read_s": _over(done["read_ns"] / NS_PER_S, done["reads"]),
            "write_s": _over(done["write_ns"] / NS_PER_S, done["writes"]),
            "failed": done["failed"],
        }
        self.at, self._areas, self._counts = now, areas, counts
        return busy, rates

    def _busy(self) -> Any:
        window.settle_areas(self.system)
        return station_use.worked(self.system.rows("stations")).astype(float)

    def _done(self) -> dict[str, int]:
        streams = self.system.rows("streams")
        mine = streams[streams["volume"] == self.volume.row]
        ios, spent = mine["window_ios"].sum(axis=0), mine["window_ns"].sum(axis=0)
        return {
            "reads": int(ios[t.READ]),
            "writes": int(ios[t.WRITE]),
            "read_ns": int(spent[t.READ]),
            "write_ns": int(spent[t.WRITE]),
            "bytes": int(mine["window_bytes"].sum()),
            "failed": int(mine["failed"].sum() + mine["timed_out"].sum()),
        }


def _over(amount: float, per: float) -> float | None:
    return amount / per if per > 0 else None


def rows_of_drives(system: System, volume: Volume) -> list[int]:
    """Rows of the drives of a volume, and then of its hot spares that are left."""
    return [*drives_of(system, volume.row), *system.spares.get(volume.row, ())]


def drives(system: System, volume: Volume, busy: dict[int, float]) -> list[dict[str, Any]]:
    """Each drive, and then each hot spare that is left."""
    world = system.world
    members = drives_of(system, volume.row)
    found = []
    for number, row in enumerate(rows_of_drives(system, volume)):
        drive = world.drives[row]
        in_array = number < len(members)
        stations = station_use.drive_stations(system, row)
        own = [s for s in stations if world.stations[s]["servers"] < t.UNLIMITED]
        good, queue = _of_member(system, volume, number) if in_array else (0.0, 0)
        found.append(
            {
                "number": number,
                "name": f"drive {number}" if in_array else f"spare {number - len(members)}",
                "spare": not in_array,
                "failed": bool(drive["failed"]),
                "rebuilding": _is_rebuilding(volume, number) if in_array else "",
                "slow_s": int(drive["delay"]) / NS_PER_S,
                "good": good,
                "queue": queue,
                "busy": min(max((busy.get(s, 0.0) for s in own), default=0.0), 1.0),
                "defects": int(drive["defects"]),
                "unsafe": int(at_risk(drive)),
                **_warmth(system, row),
            }
        )
    return found


def _of_member(system: System, volume: Volume, number: int) -> tuple[float, int]:
    """Share of a drive that can be relied on, and commands that it has to do."""
    world = system.world
    row = world.volumes[volume.row]
    if row["kind"] != t.VOLUME_ARRAY:
        streams = system.rows("streams")
        return 1.0, int(streams["in_flight"][streams["volume"] == volume.row].sum())
    member = member_of(system, volume.row, number)
    whole = int(whole_drive(world.layouts[row["array"]]))
    good = min(int(world.good[member]) / whole, 1.0) if whole else 1.0
    return good, int(world.members[member]["in_flight"])


def _is_rebuilding(volume: Volume, number: int) -> str:
    """Return the operation that restores a drive now: "rebuild", "copy-back" or ""."""
    kinds = ("rebuild", "copy-back")
    found = [
        one.kind
        for one in volume.operations
        if one.drive == number and not one.is_over and one.kind in kinds
    ]
    return found[-1] if found else ""


def _warmth(system: System, row: int) -> dict[str, Any]:
    index = heat.of_drive(system, row)
    if index is None:
        return {"temperature": None, "throttled": "", "speed": 1.0}
    heats = system.world.heats[index]
    return {
        "temperature": heat.thermal_state(system, heats).inner,
        "throttled": STATES[int(heats["state"])],
        "speed": float(heats["factor"]),
    }


def throttles_from(system: System, volume: Volume) -> list[float]:
    """Temperatures from which the drives throttle, lightly and heavily; none if they never do."""
    rows = [heat.of_drive(system, drive) for drive in drives_of(system, volume.row)]
    found = {
        float(system.world.heats[row][name])
        for row in rows
        if row is not None
        for name in ("light_at", "heavy_at")
    }
    return sorted(one for one in found if math.isfinite(one))


def cache(system: System, volume: Volume) -> dict[str, Any] | None:
    """The cache of the controller of a volume; None if it has none."""
    row = system.world.volumes[volume.row]["controller"]
    if volume.controller is None or row == t.NONE:
        return None
    index = int(system.world.controllers[row]["cache"])
    if index == t.NONE:
        return None
    rows = system.world.caches[index]
    return {
        "size": int(rows["size"]),
        "used": int(rows["used"]),
        "dirty": int(rows["dirty"]),
        "low": int(rows["low"]),
        "high": int(rows["high"]),
        "pinned": int(rows["pinned"]),
        "waits": bool(rows["first_waiting"] != t.NONE),
        "reads": int(rows["reads"]),
        "hits": int(rows["hits"]),
        "mode": mode(system, volume.row),
        "asked": volume.spec.write,
        "read_ahead": volume.spec.read_ahead,
        "reads_ahead": volume.controller.card.integer("cache.read_ahead") > 0,
        "battery": volume.controller.battery,
        "kept": volume.keeps_cache,
    }


def operations(volume: Volume) -> list[dict[str, Any]]:
    """Background work under way."""
    return [
        {
            "kind": one.kind,
            "drive": one.drive,
            "state": one.state,
            "progress": one.progress,
            "seconds": one.seconds,
            "sampled": one.share_simulated,
            "rate": one.pace.rate,
        }
        for one in volume.operations
        if not one.is_over
    ]

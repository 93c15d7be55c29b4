"""The work of a controller's cache in the window, and what a power cut would lose."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from raidsim.intervene.exposure import measured
from raidsim.intervene.pinned import pinned
from raidsim.intervene.window import settle_dirt
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.observe.figures import span
from raidsim.result import ControllerUse, WriteMode
from raidsim.scenario import ControllerSpec, Scenario
from raidsim.system.system import System


def controllers(
    system: System, scenario: Scenario, volumes: Mapping[str, int], volume: str
) -> list[ControllerUse]:
    """The use of the controller that a volume is on, by all volumes there; none on the host itself.

    ``volumes`` are the rows of the scenario's volumes by name.
    """
    specs = {one.name: scenario.controller(one) for one in scenario.volumes}
    specs |= {one.name: scenario.controller(one) for one in scenario.hybrids}
    spec = specs[volume]
    if spec is None:
        return []
    on_it = [name for name, other in specs.items() if other is not None and other.name == spec.name]
    words = {one.name: one.write for one in scenario.volumes}
    words |= {one.name: one.buffer for one in scenario.hybrids}
    inside = {name for one in scenario.hybrids for name in (one.front, one.back)}
    writes = {
        name: WriteMode(asked(words[name]), mode(system, row))
        for name, row in volumes.items()
        if name in on_it and not (name in inside and words[name] == "through")
    }
    row = int(
        system.world.controllers[system.world.volumes[volumes[volume]]["controller"]]["cache"]
    )
    return [use_of(system, spec, row, writes, [volumes[name] for name in writes])]


def use_of(
    system: System,
    spec: ControllerSpec,
    row: int,
    writes: dict[str, WriteMode],
    volumes: Collection[int],
) -> ControllerUse:
    """The use of one controller, whose cache has this row (NONE: it has no cache)."""
    reads = hits = size = peak = lost_peak = waits = 0
    mean = lost_mean = 0.0
    if row != t.NONE:
        settle_dirt(system)
        cache = system.world.caches[row]
        size, peak = int(cache["size"]), int(cache["dirty_peak"])
        passed = max(span(system), 1)
        mean = system.since("caches", row, "dirty_area") / passed
        if row in system.exposures:
            area, lost_peak, peak = measured(system, row)
            lost_mean = area / passed
        elif spec.battery != "good":
            lost_mean, lost_peak = mean, peak
        reads, hits = (int(system.since("caches", row, field)) for field in ("reads", "hits"))
        waits = sum(pinned(system, row, volumes).values())
    return ControllerUse(
        name=spec.name,
        cache_bytes=size,
        protection=spec.card.word("cache.protection"),
        battery=str(spec.battery),
        writes=writes,
        reads=reads,
        hits=hits,
        dirty_mean=mean,
        dirty_peak=peak,
        lost_mean=lost_mean,
        lost_peak=lost_peak,
        pinned=waits,
    )


def asked(write: str) -> str:
    """Return the answer to writes that a scenario's ``write`` asks for: "through" or "back"."""
    return "through" if write == "through" else "back"


def mode(system: System, volume: int) -> str:
    """Return the write mode of a volume: "back" or "through"."""
    array = system.world.arrays[system.world.volumes[volume]["array"]]
    return "back" if array["write_back"] else "through"


def dirty(system: System, cache: int) -> int:
    """Bytes of strips in a cache (NONE: there is none) that the drives do not have in whole yet."""
    return 0 if cache == t.NONE else int(system.world.caches[cache]["dirty"])


def cached(system: System) -> int:
    """Bytes that the caches of controllers hold, dirty ones counted twice."""
    rows = _of_controllers(system)
    return int(rows["used"].sum() + rows["dirty"].sum())


def cache_size(system: System) -> int:
    """Bytes of the caches of controllers."""
    return int(_of_controllers(system)["size"].sum())


def _of_controllers(system: System) -> Any:
    """Rows of the caches of controllers: the front of a hybrid may take hours to fill."""
    rows = system.world.caches[: system.count("caches")]
    return rows[rows["errand"] == ERRAND_DESTAGE]

"""How the front of a hybrid served in the window, and what it holds."""

from __future__ import annotations

from collections.abc import Mapping

from raidsim.intervene.window import settle_dirt
from raidsim.observe.observe import span
from raidsim.result import HybridUse
from raidsim.scenario import HybridSpec, Scenario
from raidsim.system.system import System

STILL_FILLING = 0.01  # of the front, within the window
COUNTS = {
    "reads": "reads",
    "hits": "hits",
    "writes": "writes",
    "past": "past",
    "waits": "waits",
    "promoted_bytes": "promoted",
    "written_back_bytes": "written_back",
    "lost_reads": "lost_reads",
}


def hybrids(
    system: System, scenario: Scenario, volumes: Mapping[str, int], volume: str
) -> list[HybridUse]:
    """The use of the hybrid that a load runs on; none if it runs on a volume."""
    spec = scenario.hybrid(volume)
    return [] if spec is None else [use_of(system, spec, volumes[volume])]


def use_of(system: System, spec: HybridSpec, volume: int) -> HybridUse:
    """The use of one hybrid, the volume with this row."""
    settle_dirt(system)
    number = number_of(system, volume)
    hybrid = system.world.hybrids[number]
    row = int(hybrid["cache"])
    cache = system.world.caches[row]
    counts = {name: int(system.since("hybrids", number, field)) for name, field in COUNTS.items()}
    return HybridUse(
        name=spec.name,
        mode=spec.mode,
        front_bytes=int(cache["size"]),
        held_bytes=int(cache["used"]),
        **counts,
        dirty_mean=system.since("caches", row, "dirty_area") / max(span(system), 1),
        dirty_peak=int(cache["dirty_peak"]),
        lost_bytes=int(hybrid["lost_bytes"]),
    )


def warnings(system: System, scenario: Scenario, volumes: Mapping[str, int]) -> list[str]:
    """What was not steady while it was measured: a front fills for hours, a run is shorter."""
    found = []
    for spec in scenario.hybrids:
        row = int(system.world.hybrids[number_of(system, volumes[spec.name])]["cache"])
        size = max(int(system.world.caches[row]["size"]), 1)
        for field, what in (("used", "held"), ("dirty", "dirty")):
            if spec.mode == "tier" and field == "dirty":
                continue  # all that it holds is
            more = system.since("caches", row, field) / size
            if abs(more) > STILL_FILLING:
                found.append(
                    f"the share of the front of {spec.name} that is {what} went"
                    f" {'up' if more > 0 else 'down'} by {abs(more):.0%} while it was measured"
                )
    return found


def number_of(system: System, volume: int) -> int:
    """The row in `hybrids` of a hybrid, the volume with this row."""
    return int(system.world.arrays[system.world.volumes[volume]["array"]]["hybrid"])

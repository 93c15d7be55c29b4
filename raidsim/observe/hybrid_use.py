"""The work of the front of a hybrid in the window, and its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidsim import units
from raidsim.intervene.window import settle_dirt
from raidsim.observe.figures import span
from raidsim.result import HybridUse
from raidsim.scenario import HybridSpec, LoadSpec, Scenario
from raidsim.system.system import System

STILL_FILLING = 0.01  # of what the front may come to hold, within the window
FOUND = 0.01  # of the places of loads, or of reads: less is not worth words
STAYS = 0.1
"""Share of what becomes dirty in the window. If more is not written back, the front fills."""
LEAST_BLOCKS = 100  # that become dirty, before they tell anything
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
        front_bytes=spec.room,
        held_bytes=int(cache["used"]),
        **counts,
        dirty_mean=system.since("caches", row, "dirty_area") / max(span(system), 1),
        dirty_peak=int(cache["dirty_peak"]),
        lost_bytes=int(hybrid["lost_bytes"]),
    )


def warnings(system: System, scenario: Scenario, volumes: Mapping[str, int]) -> list[str]:
    """Return warnings of fronts that were still filling: that takes hours, and a run is shorter."""
    found = []
    for spec in scenario.hybrids:
        number = number_of(system, volumes[spec.name])
        row = int(system.world.hybrids[number]["cache"])
        size = max(int(system.world.caches[row]["size"]), 1)
        for field, what in (("used", "held"), ("dirty", "dirty")):
            if spec.mode == "tier" and field == "dirty":
                continue  # all that it holds is
            more = system.since("caches", row, field)
            if abs(more) > STILL_FILLING * size:
                found.append(
                    f"the share of the front of {spec.name} that is {what} went"
                    f" {'up' if more > 0 else 'down'} by"
                    f" {units.plain(100 * abs(more) / spec.room, 2)} % while it was measured"
                )
        found += _fills(system, scenario, spec, number)
        found += _holds_still(system, scenario, spec, number)
    return found


def why_not_converged(
    system: System, scenario: Scenario, volumes: Mapping[str, int], volume: str
) -> list[str]:
    """Say so if the front of a load's hybrid takes up writes faster than its back, or forgets."""
    spec = scenario.hybrid(volume)
    if spec is None or spec.mode == "tier":
        return []
    number = number_of(system, volumes[spec.name])
    if forgets := _forgets(system, spec, number):
        return forgets
    cache = system.world.caches[int(system.world.hybrids[number]["cache"])]
    written = _touched(spec, [load for load in scenario.loads if load.read_share < 1])
    if written <= int(cache["low"]) or not (stays := _stays(system, number)):
        return []
    later = (
        "once as much is dirty as may be, writes wait for the back"
        if written > int(cache["high"])
        else "more of it is written back later, which slows front and back down"
    )
    return [
        f"not converged: {stays:.0%} of what became dirty in the front of {spec.name} stayed there;"
        f" {later}"
    ]


def _fills(system: System, scenario: Scenario, spec: HybridSpec, number: int) -> list[str]:
    """Say so if reads miss blocks that the front has room for, and will take up sooner or later."""
    hybrid = system.world.hybrids[number]
    cache = system.world.caches[int(hybrid["cache"])]
    reads, hits = (system.since("hybrids", number, of) for of in ("reads", "hits"))
    touched, size = _touched(spec, scenario.loads), int(cache["size"])
    free = min(size, touched) - int(cache["used"])
    missed = 1.0 - hits / reads if reads else 0.0
    if spec.promote == "never" or free <= FOUND * touched or missed <= FOUND:
        return []
    promoted = system.since("hybrids", number, "promoted")
    more = system.since("caches", int(hybrid["cache"]), "used")
    # What comes in with its second access does so late: before that nothing shows.
    if more <= STAYS * promoted and (spec.promote != "second" or spec.mode == "tier"):
        return []
    room = units.capacity_for_people(min(size, touched))
    used = units.plain(100 * cache["used"] / spec.room, 2)
    return [
        f"the front of {spec.name} fills, {used} % of it is"
        f" in use: {missed:.0%} of the reads miss it, and fewer will once it holds"
        f" {room}; say with hybrid.warm what it begins with"
    ]


def _forgets(system: System, spec: HybridSpec, number: int) -> list[str]:
    """Say so if writes past the front take more out of it than reads bring in.

    Of a large front that is a small share within a run, and goes on for hours: reads that will
    miss it in the long run are all found there as yet.
    """
    forgotten, promoted, hits = (
        system.since("hybrids", number, of) for of in ("forgotten", "promoted", "hits")
    )
    less = forgotten - promoted
    block = int(system.world.hybrids[number]["block"])
    if not hits or forgotten < LEAST_BLOCKS * block or less <= STAYS * forgotten:
        return []
    if spec.promote == "never":
        return [
            f"not converged: the front of {spec.name} forgets what is written past it, and nothing"
            ' brings it back (hybrid.promote = "never"): in the long run reads find nothing of it'
            " there; say with hybrid.warm_share what it begins with"
        ]
    return [
        f"not converged: the front of {spec.name} forgets what is written past it, and reads have"
        f" not brought back {less / forgotten:.0%} of that in this window: in the long run"
        " fewer reads find theirs there; raise measure.min_ios and measure.max_time, or say with"
        " hybrid.warm_share what it begins with"
    ]


def _holds_still(system: System, scenario: Scenario, spec: HybridSpec, number: int) -> list[str]:
    """Say so if a full front still holds what `warm` gave it, and not what its policy keeps.

    Where all places are alike it does not matter which of them it holds.
    """
    hybrid = system.world.hybrids[number]
    cache = system.world.caches[int(hybrid["cache"])]
    size, replaced = int(cache["size"]), int(hybrid["promoted"])
    reads, hits = (system.since("hybrids", number, of) for of in ("reads", "hits"))
    mine = [load for load in scenario.loads if load.volume == spec.name and load.trace is None]
    prefers = len(mine) > 1 or any(load.hot or load.zones or load.zipf for load in mine)
    if spec.mode == "tier" or spec.promote == "never" or not prefers or replaced >= size:
        return []
    full = int(cache["used"]) >= (1.0 - FOUND) * size
    if not full or _touched(spec, mine) <= size or reads - hits <= FOUND * reads:
        return []
    share = units.plain(100 * replaced / size, 2)
    return [
        f"the front of {spec.name} still holds much of what it began with (hybrid.warm): reads that"
        f" missed have replaced {share} % of it; once all of it was, another share of the reads may"
        " be found there"
    ]


def _touched(spec: HybridSpec, loads: Sequence[LoadSpec]) -> int:
    """Return the bytes of a hybrid that loads may read or write."""
    mine = [load for load in loads if load.volume == spec.name]
    if any(load.partitions for load in mine):
        return spec.capacity
    return min(sum(load.extent(spec.capacity)[1] for load in mine), spec.capacity)


def _stays(system: System, number: int) -> float:
    """The share of what became dirty in the window that was not written back, if that is much."""
    hybrid = system.world.hybrids[number]
    more = system.since("caches", int(hybrid["cache"]), "dirty")
    became = more + system.since("hybrids", number, "written_back")
    if became < LEAST_BLOCKS * int(hybrid["block"]) or more <= STAYS * became:
        return 0.0
    return float(more / became)


def number_of(system: System, volume: int) -> int:
    """The row in `hybrids` of a hybrid, the volume with this row."""
    return int(system.world.arrays[system.world.volumes[volume]["array"]]["hybrid"])

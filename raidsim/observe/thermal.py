"""Reading power, temperatures and the course of a run off the kernel, as the data of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raidsim.assembly import heat
from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.kernel import tables as t
from raidsim.observe import throttling
from raidsim.result import DriveUse, Sample, Temperature
from raidsim.system.system import System
from raidsim.units import MIB, NS_PER_S

FEWEST_SAMPLES = 10
LIGHTLY, HEAVILY = "lightly", "heavily"
STATES = {t.COOL: "", t.THROTTLED_LIGHTLY: LIGHTLY, t.THROTTLED_HEAVILY: HEAVILY}


def drives_under(system: System, streams: Sequence[int]) -> list[int]:
    """The drives under the volumes of these streams, in order."""
    volumes = dict.fromkeys(system.world.streams["volume"][list(streams)].tolist())
    return list(dict.fromkeys(d for v in volumes for d in drives_of(system, v)))


def name_of(system: System, drive: int) -> str:
    """Return the name of a drive: the name that its stations begin with."""
    station = int(system.world.drives[drive]["latency_station"])
    return system.names[station].owner


def use(system: System, drive: int) -> DriveUse:
    """Power, temperature and throttling of one drive over the window."""
    kind = kind_at(system, drive)
    index = heat.of_drive(system, drive)
    row = None if index is None else system.world.heats[index]
    if row is None or system.now <= row["window_begin"]:
        power = kind.power(system, drive)
        return DriveUse(name_of(system, drive), kind.name, power, None, None, {})
    found = heat.thermal_state(system, row)
    seconds = (system.now - int(row["window_begin"])) / NS_PER_S
    # The most that it takes is kept over steps of the kernel, which begin before the window.
    power = min((found.energy - float(row["window_energy"])) / seconds, float(row["most"]))
    throttled = found.light + found.heavy
    throttled -= int(row["window_light"] + row["window_heavy"]) / NS_PER_S
    total = float(row["inner_resistance"] + 1 / row["conductance"])
    return DriveUse(
        name=name_of(system, drive),
        kind=kind.name,
        power_w=power,
        temperature_c=Temperature(
            start=float(row["window_inner"]),
            end=found.inner,
            highest=max(float(row["highest"]), found.inner),
            steady=float(row["ambient"]) + power * total,
        ),
        throttled=throttled / seconds,
        throttles_from_c={
            words: float(row[field])
            for words, field in ((LIGHTLY, "light_at"), (HEAVILY, "heavy_at"))
            if math.isfinite(row[field])
        },
    )


def warnings(used: Sequence[DriveUse]) -> list[str]:
    """Return warnings about drives that would throttle if the run were longer.

    One for each volume, which names the hottest.
    """
    hottest: dict[str, tuple[float, DriveUse]] = {}
    number: dict[str, int] = {}
    for one in used:
        if one.temperature_c is None or one.throttled != 0:
            continue
        steady = one.temperature_c.steady
        if steady > one.throttles_from_c.get(LIGHTLY, math.inf):
            number[one.volume] = number.get(one.volume, 0) + 1
            hottest[one.volume] = max(
                hottest.get(one.volume, (steady, one)), (steady, one), key=lambda found: found[0]
            )
    return [
        f"at this load {_some(one, number[volume])} would reach {steady:.0f} C and throttle"
        f" (from {one.throttles_from_c[LIGHTLY]:g} C on): simulate longer (measure.max_time,"
        ' or the load\'s limit), or begin warm (air.start = "warm")'
        for volume, (steady, one) in hottest.items()
    ]


def _some(hottest: DriveUse, number: int) -> str:
    """A drive, or a number of drives of its volume."""
    if number == 1:
        return hottest.name
    return f"{number} drives of {hottest.volume} ({hottest.name} the hottest)"


def series(system: System, streams: Sequence[int]) -> list[Sample]:
    """Throughput of a load and temperatures of its drives over time; empty for few readings."""
    if system.count("heats") == 0:
        return []
    system.fill_samples()
    # A last tick may lie behind the end of the run.
    moments = system.world.moments[: int(system.state["samples"])]
    moments = moments[moments <= system.now]
    if len(moments) <= FEWEST_SAMPLES:
        return []
    done = system.world.progress[list(streams), : len(moments)].sum(axis=0)
    rows = {
        name_of(system, int(row["drive"])): system.world.samples[index]
        for index, row in enumerate(system.world.heats[: system.count("heats")])
        if int(row["drive"]) in drives_under(system, streams)
    }
    return [_sample(moments, done, rows, end) for end in range(1, len(moments))]


def _sample(moments: Any, done: Any, rows: dict[str, Any], end: int) -> Sample:
    passed = int(moments[end] - moments[end - 1])
    seconds = passed / NS_PER_S
    ios, size = (int(now - before) for now, before in zip(done[end], done[end - 1], strict=True))
    return Sample(
        time_s=int(moments[end] - moments[0]) / NS_PER_S,
        iops=ios / seconds,
        mbps=size / MIB / seconds,
        temperature_c={name: float(row[end]["inner"]) for name, row in rows.items()},
        power_w={
            name: float(row[end]["energy"] - row[end - 1]["energy"]) / seconds
            for name, row in rows.items()
        },
        throttled={
            name: words
            for name, row in rows.items()
            if (words := _throttled(row[end - 1], row[end], passed))
        },
    )


def _throttled(before: Any, after: Any, passed: int) -> str:
    """Return the throttling of a drive for most of the time between two readings, or ""."""
    light, heavy = int(after["light"] - before["light"]), int(after["heavy"] - before["heavy"])
    if 2 * (light + heavy) < passed:
        return ""
    return HEAVILY if heavy > light else LIGHTLY


def why_not_converged(system: System, turning: Sequence[int]) -> list[str]:
    """Say so if drives throttle now and then, and too few periods of that were measured.

    Parameters
    ----------
    turning
        Rows of temperatures of these drives.
    """
    periods = {index: throttling.periods(system, index) for index in turning}
    fewest = min(turning, key=periods.__getitem__, default=None)
    if fewest is None or periods[fewest] >= throttling.LEAST_PERIODS:
        return []
    name = name_of(system, int(system.world.heats[fewest]["drive"]))
    return [
        f"not converged: {name} throttles and cools, and {periods[fewest]:.1f} periods of that were"
        f" measured, where {throttling.LEAST_PERIODS} are needed; raise measure.max_time or"
        " measure.max_ios"
    ]

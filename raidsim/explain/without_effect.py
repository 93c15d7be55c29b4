"""Keys that are given and correct, but have no effect in their scenario.

A key that is wrong is refused when a scenario is read. This module finds keys that only have an
effect in other scenarios. For example, a sweep over levels may keep a parity rotation, but the
reader of a result should know where it had no effect. A key counts as given if its value is not the
default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from raidsim.assembly.drives import kind_of
from raidsim.cards.attributes import ENERGY, HEAT
from raidsim.layout.tables import MIRRORED, PARITY
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec
from raidsim.scenario.part import Part

MIRRORS = ("raid1e", "raid10")
"""Levels that say how many copies they keep."""

NO_MAP = "hard disks keep no map of what was written"

ALL = 0.999
"""Share of a volume that counts as all of it."""


@dataclass(frozen=True)
class Idle:
    """A key without effect: where it stands, such as "volume data", and why."""

    where: str
    key: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.key} has no effect: {self.why}"


def without_effect(scenario: Scenario) -> list[Idle]:
    """Every such key of a scenario."""
    found = [
        *_of_host(scenario),
        *(one for volume in scenario.volumes for one in _of_volume(scenario, volume)),
        *(one for load in scenario.loads for one in _of_load(scenario, load)),
        *_of_surroundings(scenario),
    ]
    return list(dict.fromkeys(found))


def _of_host(scenario: Scenario) -> Iterator[Idle]:
    if scenario.host.cpu_load and scenario.host.power_plan == "performance":
        why = 'with power_plan = "performance" the CPUs are awake without it'
        yield Idle("host", "cpu_load", why)


def _of_volume(scenario: Scenario, volume: VolumeSpec) -> Iterator[Idle]:
    layout, level = volume.layout, volume.level
    family = None if layout is None else int(layout["family"])
    background = volume.failures_tolerated or scenario.events  # a patrol needs no redundancy
    no_work = "" if background else f"{level} has nothing to rebuild from"
    reasons = {
        "strip": "a single drive on the host has no strips" if layout is None else "",
        "copies": f"{level} keeps none to choose" if level not in MIRRORS else "",
        "rotation": f"{level} has no parity" if family != PARITY else "",
        "parity_writes": f"{level} has no parity" if family != PARITY else "",
        "group_thread_cnt": f"{level} has no parity" if family != PARITY else "",
        "stripe_cache_size": f"{level} has no parity" if family != PARITY else "",
        "mirror_reads": f"{level} has no copies" if family != MIRRORED else "",
        "rebuild_rate": no_work,
        "rebuild_limit": no_work,
        "rebuild_sample": "" if scenario.events else "no rebuild begins without [[event]]",
        "bitmap_chunk": 'it is about intent = "bitmap"' if volume.intent != "bitmap" else "",
        "state": "" if kind_of(volume.card).has_past(volume.card) else NO_MAP,
        "filled": _filled(scenario, volume),
    }
    for key, why in reasons.items():
        if why and _is_given(volume, key):
            yield Idle(f"volume {volume.name}", key, why)


def _filled(scenario: Scenario, volume: VolumeSpec) -> str:
    """Return the reason why ``filled`` has no effect; empty if it has one."""
    if not kind_of(volume.card).keeps_map:
        return NO_MAP
    if volume.state == "fresh":
        return "nothing was ever written to fresh drives"
    if volume.card.has("slc.dynamic_size"):  # what is trimmed is room for the SLC cache
        return ""
    for load in scenario.loads:
        if load.volume == volume.name and load.read_share < 1 and _covers(volume, load):
            return (
                f'"{load.name}" writes to all of the volume, and what it has written is no spare'
                " area any more; give the load an area"
            )
    return ""


def _covers(volume: VolumeSpec, load: LoadSpec) -> bool:
    """Return whether a load writes to all that ``filled`` leaves trimmed, rounding aside."""
    first, size = load.extent(volume.capacity)
    if load.partitions:
        return size * load.workers >= ALL * volume.capacity
    return first <= volume.filled * volume.capacity and first + size >= ALL * volume.capacity


def _of_load(scenario: Scenario, load: LoadSpec) -> Iterator[Idle]:
    where = f"load {load.name}"
    if load.partitions and load.workers == 1:
        yield Idle(where, "partitions", "its one worker has the whole volume as its part")
    if load.think_distribution != "constant" and not load.think:
        yield Idle(where, "think_distribution", "it has no think time: think is 0")
    volumes = [volume for volume in scenario.volumes if volume.name == load.volume]
    if load.priority and volumes and not kind_of(volumes[0].card).has_priorities:
        yield Idle(where, "priority", "hard disks ignore it")


def _of_surroundings(scenario: Scenario) -> Iterator[Idle]:
    warming = [
        volume
        for volume in scenario.volumes
        if all(
            key in volume.card.about.by_name and volume.card.has(key) for key in (*HEAT, *ENERGY)
        )
    ]
    if not warming:
        for key in ("ambient", "airflow", "start"):
            if _is_given(scenario.air, key):
                yield Idle("air", key, "no drive's card says how it warms")
    if scenario.measure.duration is not None and not scenario.events:
        why = "it is about scenarios with events; use measure.max_time, or limit.time of a load"
        yield Idle("measure", "duration", why)
    if any(load.has_end for load in scenario.loads) and not scenario.events:
        for key in ("precision", "min_ios"):
            if _is_given(scenario.measure, key):
                why = "the load has an end, and is measured from start to end"
                yield Idle("measure", key, why)


def _is_given(part: Part, key: str) -> bool:
    return bool(getattr(part, key) != _default(type(part), key))


@cache
def _default(kind: type[Part], key: str) -> Any:
    """The default of a key, as a value: the models hold it as a file would write it."""
    field = kind.model_fields[key]
    if field.default is None:
        return None
    return TypeAdapter(field.rebuild_annotation()).validate_python(field.default)

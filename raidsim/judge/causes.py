"""Causes that make a measurement faster or slower than it should be, as changes of a scenario.

A cause is tried if the hardware and the load have the part that it is about. It is then simulated:
the changed scenario gives the figure that would be measured with this cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raidsim import units
from raidsim.assembly.drives import kind_of
from raidsim.fio.playing import Played
from raidsim.observe.traffic import writes_back
from raidsim.scenario import HybridSpec, Scenario, VolumeSpec
from raidsim.scenario.arrays import HOST

FAST, SLOW = "too fast", "too slow"
FEW = 32  # commands that SATA drives (NCQ) take at a time
TRACK = 63 * 512  # where partitions of old began, in bytes
HOT_AIR = {"air.airflow": "10 %", "air.ambient": "45 C", "air.start": "warm"}
MEMORY_CARD = "intel-p3700-2000gb"
MEMORY = {
    "command.latency": "0 us",
    "front_end.command_time": "0 us",
    "front_end.read_time": "0 us",
    "front_end.write_time": "0 us",
    "link.time_per_byte": "0.001 us/KiB",
    "data_path.read_time_per_byte": "0 us/KiB",
    "data_path.write_time_per_byte": "0 us/KiB",
    "data_path.turnaround": "0 us",
    "flash.read_time": "0.1 us",
    "flash.program_time": "0.001 ms",
    "flash.erase_time": "0.001 ms",
    "flash.channel_read_time_per_byte": "0 us/KiB",
    "flash.channel_write_time_per_byte": "0 us/KiB",
}
"""A drive that takes next to no time: what is left of an I/O is the host's own work."""

NO_FLASH = {name: MEMORY[name] for name in ("flash.read_time", "flash.channel_read_time_per_byte")}
"""What a read of units takes that hold nothing: a look into the map."""


@dataclass(frozen=True)
class Cause:
    """Something that would make a measurement differ.

    Attributes
    ----------
    words : what it is, for people.
    changes : keys of the scenario in which it is true, as `Scenario.with_` takes them.
    is_event : whether it happens while the load runs, so that how long to measure is to be chosen.
    needs_throttling : whether it is only true if drives throttle then.
    is_bound : whether it is simulated as far as it can go: in part it would be anything up to that.
    """

    words: str
    changes: Mapping[str, Any]
    is_event: bool = False
    needs_throttling: bool = False
    is_bound: bool = False


@dataclass(frozen=True)
class Case:
    """A job on the scenario's volume: what causes may be about.

    Attributes
    ----------
    scenario : with the loads of the job and of those that ran beside it.
    number : of the job's load in it.
    played : what the job's options became.
    """

    scenario: Scenario
    number: int
    played: Played

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.scenario.loads[self.number].read_share > 0

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return self.scenario.loads[self.number].read_share < 1

    @property
    def volumes(self) -> list[tuple[str, VolumeSpec]]:
        """The volumes that it is on, each with the beginning of its keys; two of a hybrid."""
        name = self.scenario.loads[self.number].volume
        hybrid = self.scenario.hybrid(name)
        names = [name] if hybrid is None else [hybrid.front, hybrid.back]
        return [
            (f"volume[{number}]", volume)
            for number, volume in enumerate(self.scenario.volumes)
            if volume.name in names
        ]

    @property
    def hybrid(self) -> HybridSpec | None:
        """The hybrid that it is on, if it is on one."""
        return self.scenario.hybrid(self.scenario.loads[self.number].volume)

    def has_cache(self, volume: VolumeSpec) -> bool:
        """Return whether the volume is behind a controller with a cache."""
        controller = self.scenario.controller(volume)
        return controller is not None and controller.card.has("cache.size")

    def writes_back(self, volume: VolumeSpec) -> bool:
        """Return whether its controller acknowledges writes from its cache."""
        return writes_back(self.scenario, volume)

    def has_past(self, volume: VolumeSpec) -> bool:
        """Return whether what its drives do depends on what was written to them before."""
        return kind_of(volume.card).has_past(volume.card)

    def disk_caches(self, volume: VolumeSpec) -> str | None:
        """Return whether its drives answer writes from volatile caches; None if they have none."""
        caching = volume.card.changed({"write_cache.enabled": True})
        if kind_of(caching).is_protected(caching):
            return None
        return "on" if volume.card.flag("write_cache.enabled") else "off"


Finder = Callable[[Case], Iterator[Cause]]


def causes_of(case: Case, direction: str) -> list[Cause]:
    """Return the possible causes, on this hardware, of a job that is too fast or too slow."""
    found = [cause for find in FINDERS[direction] for cause in find(case)]
    words = [cause.words for cause in found]
    return [
        replace(cause, words=f"{cause.words}: {_where(case, cause)}")
        if words.count(cause.words) > 1
        else cause
        for cause in found
    ]


def _where(case: Case, cause: Cause) -> str:
    """Return the name of the volume with a cause, if several volumes of a hybrid could have it."""
    names = [v.name for key, v in case.volumes if any(one.startswith(key) for one in cause.changes)]
    return f"volume {' and '.join(names)}"


# ---------------------------------------------------------------- too fast


def _page_cache(case: Case) -> Iterator[Cause]:
    """The host's memory answers: nothing is left but the work of the host itself."""
    if not case.played.is_buffered or case.hybrid is not None:
        return
    for key, volume in case.volumes:
        others = [name for name in VolumeSpec.model_fields if name not in ("name", "drive")]
        changes = {f"{key}.{name}": None for name in others} | {
            f"{key}.drive": MEMORY_CARD,
            f"{key}.controller": HOST,
            f"{key}.set": {
                **MEMORY,
                "capacity.user": units.text(max(volume.capacity, 10**9), "capacity"),
            },
            f"{key}.state": "fresh",
        }
        yield Cause("the page cache of the host answers everything", changes, is_bound=True)


def _cached_reads(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if not case.has_cache(volume) or not case.reads:
            continue
        if volume.io == "direct":
            words = "the controller's cache holds data that was read before (io = cached)"
            yield Cause(words, {f"{key}.io": "cached"})
        if volume.read_ahead == "none" and case.scenario.loads[case.number].random < 1:
            yield Cause("the controller reads ahead", {f"{key}.read_ahead": "ahead"})


def _cached_writes(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if not case.writes:
            continue
        if case.has_cache(volume) and not case.writes_back(volume):
            words = "the controller acknowledges writes from its cache (write-back)"
            yield Cause(words, {f"{key}.write": "back-bad-battery"})
        if case.disk_caches(volume) == "off":
            words = "the drives acknowledge writes from their own caches (disk cache on)"
            yield Cause(words, {f"{key}.disk_cache": "on"})


def _never_written(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if not case.has_past(volume):
            continue
        if case.reads and volume.card.has("flash.read_time"):
            asked = {f"{key}.set.{name}": value for name, value in NO_FLASH.items()}
            words = "the data that is read was never written, so that no flash is read"
            yield Cause(words, {f"{key}.state": "fresh"} | asked, is_bound=True)
        elif volume.state != "fresh":
            yield Cause("the drive was new (state = fresh)", {f"{key}.state": "fresh"})
        if volume.state == "steady" and case.writes:
            words = "the drive was written once only: no garbage to collect (state = filled)"
            yield Cause(words, {f"{key}.state": "filled"})


def _healthy(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if volume.failed:
            yield Cause("no drive of the array had failed", {f"{key}.failed": []})


def _held_in_front(case: Case) -> Iterator[Cause]:
    """The fast volume of a hybrid holds all that is accessed."""
    hybrid = case.hybrid
    if hybrid is None:
        return
    load = case.scenario.loads[case.number]
    offset, size = load.extent(hybrid.capacity)
    area = {"offset": units.text(offset, "size"), "size": units.text(size, "size")}
    key = f"hybrid[{case.scenario.hybrids.index(hybrid)}]"
    words = "the front of the hybrid holds the accessed data, as far as it has room"
    yield Cause(words, {f"{key}.warm": area, f"{key}.warm_share": "100 %"})


def _fast_host(case: Case) -> Iterator[Cause]:
    if case.scenario.host.power_plan != "performance":
        yield Cause("the host's CPUs were always awake", {"host.power_plan": "performance"})


# ---------------------------------------------------------------- too slow


def _few_outstanding(case: Case) -> Iterator[Cause]:
    load = case.scenario.loads[case.number]
    key = f"load[{case.number}]"
    if case.played.is_at_rate:
        return
    depth, workers = case.played.outstanding, load.workers
    if depth > 1:
        words = "only 1 I/O of each process at a time (a synchronous engine, or buffered I/O)"
        yield Cause(words, {f"{key}.outstanding": 1})
    if depth * workers > FEW:
        words = f"only {FEW} I/Os at a time, as a SATA queue takes"
        yield Cause(words, {f"{key}.outstanding": max(FEW // workers, 1)})
    if workers > 1:
        yield Cause("only 1 of the processes ran", {f"{key}.workers": 1})


def _misaligned(case: Case) -> Iterator[Cause]:
    load = case.scenario.loads[case.number]
    key = f"load[{case.number}]"
    if any(volume.card.integer("capacity.sector") > 512 for _, volume in case.volumes):
        return
    capacity = (case.hybrid or case.volumes[0][1]).capacity
    offset, size = load.extent(capacity)
    room = capacity // load.workers // load.align * load.align if load.partitions else capacity
    size = min(size, room - offset - TRACK)
    if size < max(one.size for one in load.sizes):
        return
    area = {"offset": units.text(offset + TRACK, "size"), "size": units.text(size, "size")}
    words = "misaligned: all I/Os begin 31.5 KiB (63 sectors) off"
    yield Cause(words, {f"{key}.area": area})


def _slow_links(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        per_byte = 2 * volume.card.number("link.time_per_byte") * 1e6 * 1024
        words = "the link of each drive at half its speed (half its lanes, or one generation less)"
        yield Cause(words, {f"{key}.set.link.time_per_byte": f"{per_byte:.12g} us/KiB"})
    used = {volume.controller for _, volume in case.volumes}
    for number, controller in enumerate(case.scenario.controllers):
        lanes = controller.card.integer("link.lanes")
        if controller.name in used and lanes > 1:
            words = f"the controller's link has {lanes // 2} of its {lanes} lanes"
            yield Cause(words, {f"controller[{number}].set.link.lanes": lanes // 2})
    behind = {name for _, volume in case.volumes for name in volume.behind}
    for number, link in enumerate(case.scenario.links):
        if link.name in behind and link.lanes > 1:
            words = f'link "{link.name}" has {link.lanes // 2} of its {link.lanes} lanes'
            yield Cause(words, {f"link[{number}].lanes": link.lanes // 2})


def _degraded(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if volume.failed or volume.failures_tolerated < 1:
            continue
        failed = {f"{key}.failed": [0]}
        yield Cause("one drive of the array had failed", failed)
        event = {"kind": "rebuild", "at": "0 s", "volume": volume.name, "drive": 0}
        words = "one drive of the array was being rebuilt"
        yield Cause(words, failed | {"event": [event]}, is_event=True)


def _throttled(case: Case) -> Iterator[Cause]:
    air = case.scenario.air
    if air.start != "warm" and any(
        volume.card.has("heat.case_capacity") for _, volume in case.volumes
    ):
        words = "the drives throttled: 45 C of air, and a tenth of the airflow"
        yield Cause(words, HOT_AIR, needs_throttling=True)


def _written_through(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if case.writes and case.writes_back(volume):
            words = "write-through instead of write-back (a battery that is low or learns)"
            yield Cause(words, {f"{key}.write": "through"})
        if case.writes and case.disk_caches(volume) == "on":
            yield Cause("the drives' own caches were off", {f"{key}.disk_cache": "off"})
        if case.reads and case.has_cache(volume) and volume.io == "cached":
            yield Cause("the cache keeps no data of reads (io = direct)", {f"{key}.io": "direct"})


def _worn(case: Case) -> Iterator[Cause]:
    for key, volume in case.volumes:
        if case.has_past(volume) and volume.state != "steady":
            words = "the drive was full and worn in (state = steady)"
            yield Cause(words, {f"{key}.state": "steady", f"{key}.filled": "100 %"})


def _not_in_front(case: Case) -> Iterator[Cause]:
    """The fast volume of a hybrid is of no help, or not yet."""
    hybrid = case.hybrid
    if hybrid is None:
        return
    key = f"hybrid[{case.scenario.hybrids.index(hybrid)}]"
    if hybrid.warm is not None:
        words = "the front of the hybrid was empty when the measurement began"
        yield Cause(words, {f"{key}.warm": None})
    words = "the front of the hybrid is passed by: nothing is promoted into it, and it began empty"
    yield Cause(words, {f"{key}.warm": None, f"{key}.promote": "never"})


def _slow_host(case: Case) -> Iterator[Cause]:
    host = case.scenario.host
    if host.power_plan == "performance":
        words = "the host's CPUs saved power (default power plan)"
        yield Cause(words, {"host.power_plan": "default"})
    if host.affinity == "favourable":
        words = "processes ran on another socket than the drive's interrupts"
        yield Cause(words, {"host.affinity": "unfavourable"})


FINDERS: Mapping[str, tuple[Finder, ...]] = {
    FAST: (_page_cache, _cached_reads, _cached_writes, _never_written, _healthy,
           _held_in_front, _fast_host),
    SLOW: (_few_outstanding, _misaligned, _slow_links, _degraded, _throttled, _written_through,
           _worn, _not_in_front, _slow_host),
}  # fmt: skip

"""What open loads ask of drives and of the host, at the very best: arithmetic before a run."""

from __future__ import annotations

import math

from raidsim.assembly.drives import Flow, kind_of
from raidsim.assembly.drives.kind import UNQUEUED
from raidsim.layout.tables import READ
from raidsim.observe.traffic import (
    cost,
    held,
    is_scattered,
    mean_cost,
    mean_size,
    touched,
    writes_back,
)
from raidsim.report.finding import offered, volume_of
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec


def drive_demands(
    scenario: Scenario, volume: VolumeSpec, loads: list[LoadSpec]
) -> dict[str, float]:
    """Share of time that open loads need of the parts of a drive that every request passes."""
    flows = flows_of(scenario, volume, loads)
    controller = scenario.controller(volume)
    waiting = UNQUEUED if controller is None else controller.card.integer("drives.queue_depth")
    found = kind_of(volume.card).demands(volume.card, flows, waiting)
    if controller is None:
        in_slot = max(
            sum(flow.read for flow in flows) / rate_of_slot(scenario, "read"),
            sum(flow.written for flow in flows) / rate_of_slot(scenario, "write"),
        )
        found["link"] = max(found.get("link", 0.0), in_slot)
    return found


def flows_of(scenario: Scenario, volume: VolumeSpec, loads: list[LoadSpec]) -> list[Flow]:
    """What open loads ask of a drive, at the very best.

    The I/Os of an array are taken as equal on all of its drives that have not failed.
    """
    drives = max(volume.drives - len(set(volume.failed)), 1)
    back = writes_back(scenario, volume)
    traffic = [
        (offered(load) / drives, mean_cost(scenario, volume, load, at_best=True), load)
        for load in loads
    ]
    return [
        Flow(
            ios=rate * each.ios,
            writes=rate * each.writes,
            read=rate * each.read_bytes,
            written=rate * each.written_bytes,
            random=load.random_share,
            spare=_spare(volume, load),
            span=touched(volume, load) if is_scattered(load) else 0.0,
            sorted=rate * (each.ios - _reads(volume, load)) if back else 0.0,
            held=held(scenario, volume, load),
        )
        for rate, each, load in traffic
    ]


def _reads(volume: VolumeSpec, load: LoadSpec) -> float:
    """Commands that read what a host I/O asks for, on average."""
    return sum(one.share * one.read * cost(volume, load, READ, one.bytes).reads for one in load.mix)


def _spare(volume: VolumeSpec, load: LoadSpec) -> float | None:
    """Return the spare area of what a load writes at random, as a share of it, at the very best.

    That is if all which holds no data serves this load. None if free blocks last for the run, or
    if it is not known how seldom the drive has to move data.
    """
    if volume.state != "steady" or not volume.card.has("flash.spare"):
        return None
    if load.trim or load.once or load.hot or load.zones or load.zipf:
        return None
    first, _ = load.extent(volume.capacity)
    written = load.touched(volume.capacity) / volume.capacity
    held = max(volume.filled, min(first / volume.capacity + written, 1.0))
    return (1.0 + volume.card.number("flash.spare") - held) / written


def rate_of_slot(scenario: Scenario, op: str) -> float:
    """Bytes/s that a slot of the host carries of "read" or "write"; infinite if it does not say."""
    per_byte = scenario.host.card.number(f"pcie.{op}_time_per_byte")
    return 1 / per_byte if per_byte > 0 else math.inf


def host_demand(scenario: Scenario, load: LoadSpec, step: str) -> float:
    """Cores' worth of time that all workers of an open load need to "submit" or "complete"."""
    return offered(load) * core_time(scenario, load, step)


def core_time(scenario: Scenario, load: LoadSpec, step: str) -> float:
    """Time of a core, s, that an I/O of a load takes to "submit" or "complete", on average."""
    card, host = scenario.host.card, scenario.host
    pages = mean_size(load) / card.number("page.size")
    cost = (
        card.number(f"{step}.io_time")
        + card.number(f"{step}.device_io_time")
        + card.number(f"{step}.page_time") * pages
        + card.number(f"{step}.write_time") * (1 - load.read_share)
    )
    if step == "submit":
        cost += _driver_time(scenario, load)
    if step == "submit" and host.affinity == "unfavourable":
        cost += card.number("remote.io_time") + card.number("remote.page_time") * pages
        cost += card.number("remote.write_time") * (1 - load.read_share)
    return slowness(scenario) * cost


def slowness(scenario: Scenario) -> float:
    """Return the factor by which the host is slower than at the clock rate of its card."""
    built = scenario.host.card.number("cpu.clock")
    return built / (scenario.host.clock or built)


def _driver_time(scenario: Scenario, load: LoadSpec) -> float:
    """CPU time of the host per I/O, s, that a driver takes which keeps the map of its drive."""
    volume = volume_of(scenario, load)
    if volume is None or scenario.controller(volume) is not None:
        return 0.0
    if not kind_of(volume.card).has_driver:
        return 0.0
    card, host = volume.card, scenario.host.card
    slower = card.number("driver.clock") / host.number("cpu.clock")
    reads, writes = (
        card.number(f"driver.{op}_time")
        + card.number(f"driver.{op}_time_per_byte") * mean_size(load)
        for op in ("read", "write")
    )
    mean = load.read_share * reads + (1 - load.read_share) * writes
    return mean * slower / host.number("cpu.work_per_clock")

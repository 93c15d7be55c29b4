"""Loads that ask for too much, or that measure something else: one function for each."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.assembly.drives import kind_of
from raidsim.explain.without_effect import without_effect
from raidsim.observe import of_loads
from raidsim.observe.traffic import mean_size, writes_back
from raidsim.report import demands
from raidsim.report.finding import (
    Checks,
    Finding,
    Severity,
    loads_of,
    named_drives,
    offered,
    volume_of,
)
from raidsim.report.numbers import count, percent, size
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec

MOSTLY = 0.5  # share of a thread's time from which what takes it is worth to be known
ARM = "arm"
"""The part of a disk that carries more the more commands wait."""

CROWDED = 0.9  # share of a station's time from which arrivals at random wait long


def more_workers_than_cores(scenario: Scenario) -> Iterator[Finding]:
    """Each worker is given CPU time of its own, which the host may not have."""
    workers = sum(load.workers for load in scenario.loads)
    cores = scenario.host.card.integer("cpu.cores")
    if workers > cores:
        yield Finding(
            "host",
            f"{workers} workers on {cores} cores: the simulation gives each worker a CPU of its"
            " own, the server could not",
            f"use at most {cores} workers in all",
        )


def rate_beyond_hardware(scenario: Scenario) -> Iterator[Finding]:
    """Open loads ask for more than the cards of drive and host allow at the very best."""
    for volume in scenario.volumes:
        loads = [load for load in loads_of(scenario, volume) if load.rate is not None]
        rates = ", ".join(f"{count(offered(load))} IO/s" for load in loads)
        for station, busy in demands.drive_demands(scenario, volume, loads).items():
            in_order = _in_order(scenario, volume, loads) if station == ARM else None
            if busy >= 1 or (busy >= CROWDED and in_order is None):
                yield _too_fast(
                    f"volume {volume.name}", rates, f"the {station} of {named_drives(volume)}", busy
                )
    host = scenario.host
    shared = host.card.flag("interrupts.shared") and host.affinity == "favourable"
    steps = ("submit", "complete") if shared else ("submit",)
    station = "a core of the host's CPU" if shared else "submission on the host's CPU"
    for load in scenario.loads:
        if load.rate is not None:
            busy = sum(demands.host_demand(scenario, load, step) for step in steps) / load.workers
            if busy >= CROWDED:
                rates = f"{count(offered(load) / load.workers)} IO/s per worker"
                yield _too_fast(f"load {load.name}", rates, station, busy)
    if shared:
        return
    loads = [load for load in scenario.loads if load.rate is not None]
    cores = host.card.integer("interrupts.cores")
    busy = sum(demands.host_demand(scenario, load, "complete") for load in loads) / cores
    if busy >= CROWDED:
        rates = ", ".join(f"{count(offered(load))} IO/s" for load in loads)
        yield _too_fast("host", rates, "completion on the host's CPU", busy)


def only_with_long_queues(scenario: Scenario) -> Iterator[Finding]:
    """Arms carry open loads only if many commands wait, so that the next one is always near."""
    for volume in scenario.volumes:
        loads = [load for load in loads_of(scenario, volume) if load.rate is not None]
        busy = _in_order(scenario, volume, loads)
        at_best = demands.drive_demands(scenario, volume, loads)
        least = at_best.get(ARM, 0.0)
        if busy is None or least >= 1:
            continue
        still = f"; at the very best it would still be {percent(least)} busy"
        rates = ", ".join(f"{count(offered(load))} IO/s" for load in loads)
        yield Finding(
            f"volume {volume.name}",
            f"{rates} would need {percent(busy)} of the time of each arm of {named_drives(volume)}"
            " if it served commands as they come; it carries more only while many wait, and takes"
            f" the nearest ones first{still if least >= CROWDED else ''}",
            "expect long queues: raidsim run shows what is carried; offer less, or use more drives",
        )


def within_the_buffer(scenario: Scenario) -> Iterator[Finding]:
    """A load touches so little that it measures the drive's buffer."""
    for load in scenario.loads:
        volume = volume_of(scenario, load)
        if volume is None:
            continue
        touched = load.touched(volume.capacity)
        if load.read_share == 1:
            continue  # reads are not served from the write buffer
        kind = kind_of(volume.card)
        buffer = kind.write_buffer(volume.card) * volume.drives
        where, medium = f"write buffer of {named_drives(volume)}", kind.medium
        controller = scenario.controller(volume)
        if controller is not None and writes_back(scenario, volume):
            buffer = controller.card.integer("cache.size")
            where, medium = f"cache of {controller.name}", "drives"
        if touched <= buffer:
            yield Finding(
                f"load {load.name}",
                f"all accessed data ({size(touched)}) fits in the {where} ({size(buffer)})",
                f"make area.size larger to see the {medium}",
            )


def answered_elsewhere(scenario: Scenario) -> Iterator[Finding]:
    """I/Os that something other than the medium answers, here or in a real system."""
    for load in scenario.loads:
        for text in of_loads.warnings(scenario, load):
            yield Finding(f"load {load.name}", text)


def pages_of_memory(scenario: Scenario) -> Iterator[Finding]:
    """Threads that are busy with pages of memory before the drives are with their data."""
    card = scenario.host.card
    page = card.integer("page.size")
    for load in scenario.loads:
        volume = volume_of(scenario, load)
        if load.rate is not None or volume is None or scenario.controller(volume) is not None:
            continue
        steps = ("submit", "complete") if card.flag("interrupts.shared") else ("submit",)
        cost = sum(demands.core_time(scenario, load, step) for step in steps)
        times = sum(card.number(f"{step}.page_time") for step in steps)
        of_pages = times * demands.slowness(scenario) * mean_size(load) / page
        reads, writes = kind_of(volume.card).mean_rates(volume.card)
        drives = volume.drives * (load.read_share * reads + (1 - load.read_share) * writes)
        if of_pages <= MOSTLY * cost:
            continue
        threads = load.workers * mean_size(load) / cost
        if threads < drives:
            yield Finding(
                f"load {load.name}",
                f"the CPU time of its workers is enough for {threads / 1e6:,.0f} MB/s,"
                f" {percent(of_pages / cost)} of it for pages of {size(page)} of memory; the drives"
                f" carry {drives / 1e6:,.0f} (MB/s of 10^6 bytes)",
                'if its buffers lie in huge pages, write "page.size" = "2 MiB" into [host.set]',
            )


def off_the_map(scenario: Scenario) -> Iterator[Finding]:
    """Requests begin or end inside a unit of the drive's map, which costs more."""
    for load in scenario.loads:
        volume = volume_of(scenario, load)
        if volume is None:
            continue
        kind = kind_of(volume.card)
        if not kind.reads_pay and load.read_share == 1:
            continue
        unit = volume.card.integer(kind.unit)
        sizes = [one.size for one in load.sizes]
        odd = [each for each in (load.align, load.area.offset, *sizes) if each % unit]
        if odd:
            yield Finding(
                f"load {load.name}",
                f"sizes, alignment or offset of {', '.join(dict.fromkeys(map(size, odd)))} are no"
                f" multiple of {size(unit)}, the unit that {volume.drive}"
                f" {kind.unit_verb}",
                f"align to {size(unit)} unless the real load does not",
            )


def ends_too_early(scenario: Scenario) -> Iterator[Finding]:
    """A limit ends a load before the number of I/Os that a point needs."""
    for load in scenario.loads:
        limit, least = load.limit.ios, scenario.measure.min_ios
        if limit is not None and limit < least:
            yield Finding(
                f"load {load.name}",
                f"ends after {limit:,} I/Os, fewer than the {least:,} that a point needs",
                "raise limit.ios or lower measure.min_ios",
            )


def keys_without_effect(scenario: Scenario) -> Iterator[Finding]:
    """Keys that are given and change nothing here."""
    for idle in without_effect(scenario):
        what = f"{idle.key} has no effect: {idle.why}"
        yield Finding(idle.where, what, severity=Severity.info)


CHECKS: Checks = (
    more_workers_than_cores,
    rate_beyond_hardware,
    only_with_long_queues,
    within_the_buffer,
    answered_elsewhere,
    pages_of_memory,
    off_the_map,
    ends_too_early,
    keys_without_effect,
)


def _in_order(scenario: Scenario, volume: VolumeSpec, loads: list[LoadSpec]) -> float | None:
    """Return the share of time that arms would need for commands in the order of their arrival.

    Returns
    -------
    At least 1; None if they have that time, or if loads go on where they were, as streams do.
    """
    flows = demands.flows_of(scenario, volume, loads)
    busy = kind_of(volume.card).one_at_a_time(volume.card, flows) if flows else None
    return busy if busy is not None and busy >= 1 else None


def _too_fast(where: str, rates: str, station: str, busy: float) -> Finding:
    if busy >= 1:
        what = f"{rates} would need {percent(busy)} of the time of {station}"
        return Finding(where, what, "it saturates: offer less", Severity.critical)
    what = f"{rates} would keep {station} {percent(busy)} busy"
    return Finding(where, what, "expect long queues")

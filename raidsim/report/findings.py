"""Problems and risks of a scenario that do not prevent a run: one small function for each.

``raidsim check`` runs them all, and those of :mod:`raidsim.report.array_findings` and of its
siblings for links, hybrids and cards. They only read the scenario and its cards, and report nothing
that needs a simulation. What loads ask of parts is in :mod:`raidsim.report.demands`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from raidsim import units
from raidsim.assembly import mapping, slc
from raidsim.assembly.disk_cache import cache_size
from raidsim.assembly.drives import kind_of
from raidsim.assembly.drives.kind import rate_of_link
from raidsim.cards.attributes import ENERGY, HEAT
from raidsim.explain.without_effect import without_effect
from raidsim.observe import of_loads
from raidsim.observe.traffic import (
    mean_cost,
    mean_size,
    writes_back,
)
from raidsim.report import (
    array_findings,
    card_findings,
    demands,
    event_words,
    hybrid_findings,
    link_findings,
)
from raidsim.report.finding import (
    Finding,
    Severity,
    cards_of,
    duty_cycle,
    is_written,
    loads_of,
    offered,
    volume_of,
)
from raidsim.report.numbers import count, percent, size, watts
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec

MOSTLY = 0.5  # share of a thread's time from which what takes it is worth to be known
ARM = "arm"
"""The part of a disk that carries more the more commands wait."""

CROWDED = 0.9  # share of a station's time from which arrivals at random wait long


def findings(scenario: Scenario) -> list[Finding]:
    """Everything that the checks below find, the most severe first, else in their order."""
    found = (finding for check in CHECKS for finding in check(scenario))
    return sorted(found, key=lambda finding: finding.severity.rank)


def unprotected_buffer(scenario: Scenario) -> Iterator[Finding]:
    """Writes are acknowledged from a buffer of the drives that a power cut empties."""
    for volume in scenario.volumes:
        card = volume.card
        if not is_written(scenario, volume) or kind_of(card).is_safe(card):
            continue
        kind = kind_of(card)
        what, remedy = kind.lossy
        most = kind.write_buffer(card) * volume.drives
        yield Finding(
            f"volume {volume.name}",
            f"a power cut loses up to {size(most)} of acknowledged writes: the write"
            f" {kind.buffer} of {_drives(volume)} {what}",
            remedy,
            Severity.critical,
        )


def disk_cache_that_nobody_set(scenario: Scenario) -> Iterator[Finding]:
    """SATA disks are sold with their write caches on, and no value says that these are off."""
    for volume in scenario.volumes:
        card = volume.card
        if not card.has("spindle.speed") or card.word("link.interface") != "sata":
            continue
        if card.sources["write_cache.enabled"].source != "default" or cache_size(card):
            continue
        if not is_written(scenario, volume) or writes_back(scenario, volume):
            continue
        yield Finding(
            f"volume {volume.name}",
            f"the write cache of {_drives(volume)} counts as off, so each write waits for the arm:"
            " neither the scenario nor the card says what it is set to, and SATA disks are sold"
            " with it on",
            'write disk_cache = "on", or "off" if it was switched off (hdparm -W shows it)',
        )


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
                    f"volume {volume.name}", rates, f"the {station} of {_drives(volume)}", busy
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
            f"{rates} would need {percent(busy)} of the time of each arm of {_drives(volume)} if it"
            " served commands as they come; it carries more only while many wait, and takes the"
            f" nearest ones first{still if least >= CROWDED else ''}",
            "expect long queues: raidsim run shows what is carried; offer less, or use more drives",
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


def wears_out(scenario: Scenario) -> Iterator[Finding]:
    """Open loads write more per day than the drive is rated for."""
    for volume in scenario.volumes:
        card = volume.card
        if not card.has("endurance.dwpd"):
            continue
        rated = card.number("endurance.dwpd")
        loads = [load for load in loads_of(scenario, volume) if load.rate is not None]
        best, apart = (
            sum(
                offered(load)
                * duty_cycle(load)
                * mean_cost(scenario, volume, load, at_best=gathers).written_bytes
                for load in loads
            )
            * 86400
            / volume.raw_capacity
            for gathers in (True, False)
        )
        if writes_back(scenario, volume):
            apart = best  # a cache has the time to gather a stream
        if rated and apart > rated:
            times = f"{apart:.3g}" if best == apart else f"{best:.3g} to {apart:.3g}"
            met = "" if best == apart else ", as many writes of a stripe meet in the stripe cache"
            yield Finding(
                f"volume {volume.name}",
                f"kept up all day, this writes {'the' if volume.drives == 1 else 'each'} drive"
                f" {times} times over{met}; {volume.drive} is rated for {rated:g} drive writes a"
                " day",
            )


def within_the_buffer(scenario: Scenario) -> Iterator[Finding]:
    """A load touches so little that it measures the drive's buffer."""
    for load in scenario.loads:
        volume = volume_of(scenario, load)
        if volume is None:
            continue
        _, extent = load.extent(volume.capacity)
        touched = extent * (load.workers if load.partitions else 1)
        if load.read_share == 1:
            continue  # reads are not served from the write buffer
        kind = kind_of(volume.card)
        buffer = kind.write_buffer(volume.card) * volume.drives
        where, medium = f"write buffer of {_drives(volume)}", kind.medium
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


def slower_slots(scenario: Scenario) -> Iterator[Finding]:
    """Slots of the host that carry less than drives in them would."""
    host = scenario.host.card
    for volume in scenario.volumes:
        if scenario.controller(volume) is not None:
            continue
        carried = (demands.rate_of_slot(scenario, "read"), demands.rate_of_slot(scenario, "write"))
        wanted = kind_of(volume.card).mean_rates(volume.card)
        if any(slot < own for slot, own in zip(carried, wanted, strict=True)):
            reads, writes, link = (
                "any" if math.isinf(rate) else f"{rate / 1e6:,.0f}"
                for rate in (*carried, rate_of_link(volume.card))
            )
            yield Finding(
                f"volume {volume.name}",
                f"a slot of {host.name} carries {reads} MB/s of reads and {writes} MB/s of writes,"
                f" the link of {volume.card.name} in it {link} (MB/s of 10^6 bytes)",
            )


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


def events_that_may_be_refused(scenario: Scenario) -> Iterator[Finding]:
    """Background work that cannot begin while a rebuild goes on, and may come before its end."""
    for event, why, is_sure in event_words.refusals(scenario):
        yield Finding(
            f"event {event.KIND} at {units.text(event.at, 'time')}",
            f"a run refuses it: {why} then" if is_sure else f"a run refuses it if {why} then",
            "let it happen later, or give a smaller rebuild_sample" if is_sure else None,
            Severity.warning if is_sure else Severity.info,
        )


def keys_without_effect(scenario: Scenario) -> Iterator[Finding]:
    """Keys that are given and change nothing here."""
    for idle in without_effect(scenario):
        what = f"{idle.key} has no effect: {idle.why}"
        yield Finding(idle.where, what, severity=Severity.info)


def begins_in_a_burst(scenario: Scenario) -> Iterator[Finding]:
    """A load without an end writes to an empty SLC cache: what it measures depends on how long."""
    for volume in scenario.volumes:
        card = volume.card
        if not slc.has_cache(card) or volume.state == "steady":
            continue
        filled = 0.0 if volume.state == "fresh" else volume.filled
        cache = slc.size_of(card, 1.0 - filled) * volume.drives
        copies = volume.drives * card.integer("capacity.user") / volume.capacity
        for load in loads_of(scenario, volume):
            area = load.extent(volume.capacity)[1] * (load.workers if load.partitions else 1)
            in_order = load.trace is None and load.random_share == 0
            if in_order and area * copies <= cache:
                continue  # nothing is valid in the oldest blocks: none of it leaves the cache
            if load.read_share < 1 and not load.has_end:
                yield Finding(
                    f"load {load.name}",
                    f"begins with the SLC cache of {_drives(volume)} empty, and its writes become"
                    f" slower once {size(cache)} of them fill it: no figure holds for both",
                    'set state = "steady" for what the drive keeps up, or a limit for the burst',
                )


def looks_up_its_map(scenario: Scenario) -> Iterator[Finding]:
    """A load on drives without DRAM uses more of them than the map in memory covers."""
    for volume in scenario.volumes:
        card = volume.card
        may_have = mapping.KEPT_IN in card.about.by_name and volume.state != "fresh"
        if not may_have or not mapping.is_on_flash(card) or mapping.problems(card):
            continue
        covered = mapping.covered(card)
        copies = volume.drives * card.integer("capacity.user") / volume.capacity
        for load in loads_of(scenario, volume):
            area = load.extent(volume.capacity)[1] * (load.workers if load.partitions else 1)
            of_a_drive = int(area * copies / volume.drives)
            if load.read_share == 1 and volume.state == "filled":  # nothing is there to look up
                of_a_drive = min(of_a_drive, int(volume.filled * card.integer("capacity.user")))
            if load.random_share == 0 or of_a_drive <= covered:
                continue
            missing = percent(1 - covered / of_a_drive)
            used, there = (units.capacity_for_people(part) for part in (of_a_drive, covered))
            yield Finding(
                f"load {load.name}",
                f"uses {used} of each {card.name}, which has no DRAM:"
                f" the map in its memory covers {there}, and up to {missing}"
                " of random I/Os need a part of it that is read from flash, reads before they go"
                " on and writes behind their answer",
                severity=Severity.info,
            )


def rebuilt_into_an_slc_cache(scenario: Scenario) -> Iterator[Finding]:
    """The sample of a rebuild that check simulates fits into the SLC cache of the new drive."""
    for volume in scenario.volumes:
        card = volume.card
        if not volume.failures_tolerated or not slc.has_cache(card):
            continue
        from raidsim.risk.rebuild import SAMPLE  # noqa: PLC0415  (few need it: it loads the model)

        if slc.size_of(card, 1.0) > SAMPLE:
            yield Finding(
                f"volume {volume.name}",
                f"the rebuild of a drive is timed by a sample that fits in the SLC cache of a new"
                f" {card.name}; the flash behind the cache is slower",
                'run a rebuild with rebuild_sample = "100 %"',
            )


def no_temperature(scenario: Scenario) -> Iterator[Finding]:
    """A drive that may throttle in reality, and does not here: its card gives no temperatures."""
    for volume in scenario.volumes:
        known = volume.card.about.by_name
        missing = [k for k in (*HEAT, *ENERGY) if k in known and not volume.card.has(k)]
        if missing:
            yield Finding(
                f"volume {volume.name}",
                f"{volume.card.name} does not say how it warms ({missing[0]} ...): its temperature"
                " is not simulated and it never throttles",
                severity=Severity.info,
            )


def too_warm(scenario: Scenario) -> Iterator[Finding]:
    """A drive that throttles under full load, or even when idle, in the air that it stands in."""
    for volume in scenario.volumes:
        card = volume.card
        if not all(map(card.has, (*HEAT, *ENERGY, "throttle.light_at"))):
            continue
        from raidsim.assembly import heat  # noqa: PLC0415  (few need it: it loads the kernel)

        air, begins = scenario.air, card.number("throttle.light_at")
        to_air = heat.resistance(card, air.airflow)
        powers = {state: card.number(f"power.{state}") for state in ("idle", "active")}
        warm = {state: air.ambient + power * to_air for state, power in powers.items()}
        if warm["active"] <= begins:
            continue
        state = "active" if warm["idle"] <= begins else "idle"
        at = "even idle, at" if state == "idle" else "at its most,"
        does = "it throttles all the time" if state == "idle" else "then it throttles"
        yield Finding(
            f"volume {volume.name}",
            f"{at} {watts(powers[state])}, {card.name} comes to {warm[state]:.0f} C in air of"
            f" {air.ambient:g} C with {percent(air.airflow)} of its airflow: {does}, from"
            f" {begins:g} C on",
            "give it cooler air, or more of it",
        )


def sorts_all_commands(scenario: Scenario) -> Iterator[Finding]:
    """A disk whose card does not give how many commands it sorts: then it sorts all of them."""
    for card in cards_of(scenario):
        silent = {entry.name for entry in card.entries() if entry.source.source == "default"}
        if "queue.window" not in silent:
            continue
        taken = card.integer("command.queue_depth")
        if taken > 1 and card.word("queue.discipline") != "fifo":
            yield Finding(
                f"model {card.name}",
                f"queue.window is not given, so that all {taken:,} commands which it takes are"
                " sorted: with many outstanding random I/Os it is faster than real drives",
                "give the number that it sorts, or queue.choose_time, the time of each choice",
            )


def unknown_values(scenario: Scenario) -> Iterator[Finding]:
    """Values of the cards that nothing printed or measured stands behind."""
    for card in cards_of(scenario):
        assumed, silent = (
            tuple(entry.name for entry in card.entries() if entry.source.source == source)
            for source in ("assumed", "default")
        )
        total = f"of {len(card.values)} values are"
        words = [f"{len(assumed)} {total} assumed"] if assumed else []
        if silent:
            are = "are" if assumed else total
            words.append(f"{len(silent)} {are} defaults for which its card has no value")
        listed = [f"assumed {', '.join(assumed)}"] if assumed else []
        listed += [f"by default {', '.join(silent)}"] if silent else []
        if words:
            yield Finding(
                f"model {card.name}",
                ", ".join(words),
                severity=Severity.info,
                named=(*assumed, *silent),
                listed="; ".join(listed),
                of_values=True,
            )


CHECKS: tuple[Callable[[Scenario], Iterator[Finding]], ...] = (
    unprotected_buffer,
    disk_cache_that_nobody_set,
    more_workers_than_cores,
    rate_beyond_hardware,
    only_with_long_queues,
    wears_out,
    within_the_buffer,
    answered_elsewhere,
    slower_slots,
    pages_of_memory,
    off_the_map,
    ends_too_early,
    events_that_may_be_refused,
    keys_without_effect,
    begins_in_a_burst,
    looks_up_its_map,
    rebuilt_into_an_slc_cache,
    no_temperature,
    too_warm,
    *array_findings.CHECKS,
    link_findings.oversubscribed_links,
    link_findings.slower_ports,
    array_findings.parity_for_nothing,
    array_findings.work_of_firmware,
    link_findings.cannot_be_built,
    *hybrid_findings.CHECKS,
    *card_findings.CHECKS,
    sorts_all_commands,
    unknown_values,
)


def _too_fast(where: str, rates: str, station: str, busy: float) -> Finding:
    if busy >= 1:
        what = f"{rates} would need {percent(busy)} of the time of {station}"
        return Finding(where, what, "it saturates: offer less", Severity.critical)
    what = f"{rates} would keep {station} {percent(busy)} busy"
    return Finding(where, what, "expect long queues")


def _drives(volume: VolumeSpec) -> str:
    """The drives of a volume: some-drive, 8 x some-drive."""
    name = volume.card.name
    return name if volume.drives == 1 else f"{volume.drives} x {name}"

"""Drives that lose writes, wear out, throttle or become slower: one function for each."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim import units
from raidsim.assembly import mapping, slc
from raidsim.assembly.disk_cache import cache_size
from raidsim.assembly.drives import kind_of
from raidsim.cards.attributes import ENERGY, HEAT
from raidsim.observe.traffic import mean_cost, writes_back
from raidsim.report.finding import (
    Checks,
    Finding,
    Severity,
    duty_cycle,
    is_written,
    loads_of,
    named_drives,
    offered,
)
from raidsim.report.numbers import percent, size, watts
from raidsim.scenario import Scenario


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
            f" {kind.buffer} of {named_drives(volume)} {what}",
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
            f"the write cache of {named_drives(volume)} counts as off, so each write waits for the"
            " arm: neither the scenario nor the card says what it is set to, and SATA disks are"
            " sold with it on",
            'write disk_cache = "on", or "off" if it was switched off (hdparm -W shows it)',
        )


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
            area = load.touched(volume.capacity)
            in_order = load.trace is None and load.random_share == 0
            if in_order and area * copies <= cache:
                continue  # nothing is valid in the oldest blocks: none of it leaves the cache
            if load.read_share < 1 and not load.has_end:
                yield Finding(
                    f"load {load.name}",
                    f"begins with the SLC cache of {named_drives(volume)} empty, and its writes"
                    f" become slower once {size(cache)} of them fill it: no figure holds for both",
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
            area = load.touched(volume.capacity)
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


CHECKS: Checks = (
    unprotected_buffer,
    disk_cache_that_nobody_set,
    wears_out,
    begins_in_a_burst,
    looks_up_its_map,
    rebuilt_into_an_slc_cache,
    no_temperature,
    too_warm,
)

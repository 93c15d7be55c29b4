"""What is wrong or risky in a scenario that can be run: one small function for each thing.

``raidsim check`` runs them all. They read the scenario and its cards only, and say
nothing that takes a simulation to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from raidsim.cards import Card
from raidsim.report.numbers import count, percent, size
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec

UNSURE_SOURCES = {"assumed": "assumed", "default": "defaults that the card is silent about"}
HEAT_KEYS = (
    "heat.inner_capacity",
    "heat.inner_resistance",
    "heat.case_capacity",
    "heat.air_resistance",
    "heat.still_resistance",
    "power.read_energy",
    "power.write_energy",
)
CROWDED = 0.9  # share of a station's time from which arrivals at random wait long


@dataclass(frozen=True)
class Finding:
    """Something to know before relying on a scenario: where, what, and what to do about it."""

    where: str
    what: str
    remedy: str | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f"; {self.remedy}" if self.remedy else "")


def findings(scenario: Scenario) -> list[Finding]:
    """Everything that the checks below find, in their order."""
    return [finding for check in CHECKS for finding in check(scenario)]


def unprotected_buffer(scenario: Scenario) -> Iterator[Finding]:
    """Writes are acknowledged from a buffer that a power cut empties."""
    for volume in scenario.volumes:
        card = volume.card
        written = any(load.read < 1 for load in _loads_of(scenario, volume))
        if not written or _is_safe(card):
            continue
        if card.kind == "hdd":
            what, remedy = "is volatile", 'set "write_cache.enabled" = false, or use a UPS'
        else:
            what, remedy = "is not protected", "choose a drive with power-loss protection"
        yield Finding(
            f"volume {volume.name}",
            f"a power cut loses up to {size(_write_buffer(card))} of acknowledged writes: the"
            f" write {'cache' if card.kind == 'hdd' else 'buffer'} of {card.name} {what}",
            remedy,
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
        loads = [load for load in _loads_of(scenario, volume) if load.rate is not None]
        rates = ", ".join(f"{count(_offered(load))} IO/s" for load in loads)
        for station, busy in _drive_demands(volume.card, loads).items():
            if busy >= CROWDED:
                yield _too_fast(
                    f"volume {volume.name}", rates, f"{station} of {volume.drive}", busy
                )
    for load in scenario.loads:
        if load.rate is not None:
            for station, busy in _host_demands(scenario, load).items():
                if busy >= CROWDED:
                    rates = f"{count(_offered(load) / load.workers)} IO/s per worker"
                    yield _too_fast(f"load {load.name}", rates, station, busy)


def wears_out(scenario: Scenario) -> Iterator[Finding]:
    """Open loads write more per day than the drive is rated for."""
    for volume in scenario.volumes:
        card = volume.card
        if not card.has("endurance.dwpd"):
            continue
        rated = card.number("endurance.dwpd")
        loads = [load for load in _loads_of(scenario, volume) if load.rate is not None]
        written = sum(
            _offered(load) * _duty(load) * (1 - load.read) * _mean_size(load) for load in loads
        )
        a_day = written * 86400 / volume.capacity
        if rated and a_day > rated:
            yield Finding(
                f"volume {volume.name}",
                f"kept up all day, this writes the drive {a_day:.3g} times over;"
                f" {volume.drive} is rated for {rated:g} drive writes a day",
            )


def within_the_buffer(scenario: Scenario) -> Iterator[Finding]:
    """A load touches so little that it measures the drive's buffer."""
    for load in scenario.loads:
        volume = _volume_of(scenario, load)
        _, extent = load.extent(volume.capacity)
        touched = extent * (load.workers if load.partitions else 1)
        if load.read == 1:
            continue  # reads are not served from the write buffer
        buffer = _write_buffer(volume.card)
        if touched <= buffer:
            medium = "platter" if volume.card.kind == "hdd" else "flash"
            yield Finding(
                f"load {load.name}",
                f"all it touches ({size(touched)}) fits in the write buffer of {volume.drive}"
                f" ({size(buffer)})",
                f"make area.size larger to see the {medium}",
            )


def off_the_map(scenario: Scenario) -> Iterator[Finding]:
    """Requests begin or end inside a unit of the drive's map, which costs more."""
    for load in scenario.loads:
        volume = _volume_of(scenario, load)
        disk = volume.card.kind == "hdd"
        if disk and load.read == 1:
            continue  # only writes of parts of a physical sector cost more
        unit = volume.card.integer("capacity.physical_sector" if disk else "mapping.unit")
        sizes = [request for request, _ in load.sizes]
        odd = [each for each in (load.align, *sizes) if each % unit]
        if odd:
            yield Finding(
                f"load {load.name}",
                f"sizes or alignment of {', '.join(dict.fromkeys(map(size, odd)))} are no multiple"
                f" of {size(unit)}, the unit that {volume.drive} {'writes' if disk else 'maps'}",
                f"align to {size(unit)} unless the real load does not",
            )


def ends_too_early(scenario: Scenario) -> Iterator[Finding]:
    """A limit ends a load before the number of I/Os that a point is to rest on."""
    for load in scenario.loads:
        limit, least = load.limit.ios, scenario.measure.min_ios
        if limit is not None and limit < least:
            yield Finding(
                f"load {load.name}",
                f"ends after {limit:,} I/Os, fewer than the {least:,} a point is to rest on",
                "raise limit.ios or lower measure.min_ios",
            )


def no_temperature(scenario: Scenario) -> Iterator[Finding]:
    """A drive that may throttle in reality, and does not here because its card is silent."""
    for volume in scenario.volumes:
        missing = [key for key in HEAT_KEYS if not volume.card.has(key)]
        if volume.card.kind == "ssd" and missing:
            yield Finding(
                f"volume {volume.name}",
                f"{volume.card.name} does not say how it warms ({missing[0]} ...): its temperature"
                " is not simulated and it never throttles",
            )


def unsure_values(scenario: Scenario) -> Iterator[Finding]:
    """Values of the cards that nothing printed or measured stands behind."""
    for card in _cards(scenario):
        for source, words in UNSURE_SOURCES.items():
            names = [entry.name for entry in card.entries() if entry.source.source == source]
            if names:
                total = len(card.values)
                yield Finding(
                    f"model {card.name}",
                    f"{len(names)} of {total} values are {words}: {', '.join(names)}",
                )


CHECKS: tuple[Callable[[Scenario], Iterator[Finding]], ...] = (
    unprotected_buffer,
    more_workers_than_cores,
    rate_beyond_hardware,
    wears_out,
    within_the_buffer,
    off_the_map,
    ends_too_early,
    no_temperature,
    unsure_values,
)


# ---------------------------------------------------------------- arithmetic


def _too_fast(where: str, rates: str, station: str, busy: float) -> Finding:
    if busy >= 1:
        what = f"{rates} would need {percent(busy)} of the time of the {station}"
        return Finding(where, what, "it saturates: offer less")
    what = f"{rates} would keep the {station} {percent(busy)} busy"
    return Finding(where, what, "expect long queues")


def _drive_demands(card: Card, loads: list[LoadSpec]) -> dict[str, float]:
    """Share of time that open loads need of the parts that every request passes."""
    rates = [(_offered(load), load.read, _mean_size(load)) for load in loads]
    if card.kind == "hdd":
        return _disk_demands(card, loads)
    ios = sum(rate for rate, _, _ in rates)
    read = sum(rate * share * size for rate, share, size in rates)
    written = sum(rate * (1 - share) * size for rate, share, size in rates)
    writes = sum(rate * (1 - share) for rate, share, _ in rates)
    front_end = ios * card.number("front_end.command_time")
    front_end += writes * card.number("front_end.write_time")
    # What is written crosses the data path twice: into the buffer, and out to all channels.
    flush = card.number("flash.channel_write_time_per_byte") / card.number("flash.channels")
    return {
        "front end": front_end / card.number("front_end.cores"),
        "data path": read * card.number("data_path.read_time_per_byte")
        + written * (card.number("data_path.write_time_per_byte") + flush),
        "link": max(read, written) * card.number("link.time_per_byte"),
    }


def _disk_demands(card: Card, loads: list[LoadSpec]) -> dict[str, float]:
    """The same of a hard disk, whose arm moves no faster than from cylinder to cylinder."""
    turn = 1 / card.number("spindle.speed")
    byte = turn / card.number("geometry.track_outer")
    controller = arm = link = 0.0
    for load in loads:
        rate = _offered(load)
        controller += rate * card.number("command.time")
        controller += rate * (1 - load.read) * card.number("command.write_time")
        arm += rate * (_mean_size(load) * byte + load.random * card.number("seek.read_single"))
        link += rate * _mean_size(load) * card.number("link.time_per_byte")
    return {"controller": controller, "arm": arm, "link": link}


def _is_safe(card: Card) -> bool:
    """Whether a power cut costs no write that was acknowledged."""
    if card.kind == "hdd":
        return not card.flag("write_cache.enabled")
    return card.flag("buffer.protected")


def _write_buffer(card: Card) -> int:
    """Bytes that may be acknowledged and not on the medium."""
    if card.kind == "hdd":
        return card.integer("write_cache.size") if card.flag("write_cache.enabled") else 0
    return card.integer("buffer.size")


def _host_demands(scenario: Scenario, load: LoadSpec) -> dict[str, float]:
    """Share of time that a worker of an open load needs to submit and to complete."""
    card = scenario.host.card
    slower = card.number("cpu.clock") / (scenario.host.clock or card.number("cpu.clock"))
    pages = _mean_size(load) / card.number("page.size")
    rate = _offered(load) / load.workers
    return {
        f"{stage} on the host's CPU": slower
        * rate
        * (
            card.number(f"{key}.io_time")
            + card.number(f"{key}.device_io_time")
            + card.number(f"{key}.page_time") * pages
            + card.number(f"{key}.write_time") * (1 - load.read)
        )
        for stage, key in (("submission", "submit"), ("completion", "complete"))
    }


def _offered(load: LoadSpec) -> float:
    """Highest rate of an open load's sweep, all workers together, in IO/s while it issues."""
    return max(load.rate or (0.0,)) * load.workers


def _duty(load: LoadSpec) -> float:
    """Share of the time in which a load issues."""
    return load.burst.on / (load.burst.on + load.burst.off) if load.burst else 1.0


def _mean_size(load: LoadSpec) -> float:
    """Mean request size in bytes."""
    return sum(request * share for request, share in load.sizes)


def _loads_of(scenario: Scenario, volume: VolumeSpec) -> list[LoadSpec]:
    return [load for load in scenario.loads if _volume_of(scenario, load) is volume]


def _volume_of(scenario: Scenario, load: LoadSpec) -> VolumeSpec:
    return scenario.volume(load.volume or scenario.volumes[0].name)


def _cards(scenario: Scenario) -> list[Card]:
    cards = [scenario.host.card, *(volume.card for volume in scenario.volumes)]
    return list({card.name: card for card in cards}.values())

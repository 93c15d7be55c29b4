"""Risks in the arrays and controllers of a scenario: one function for each.

Probabilities follow from the cards of the drives: of ``bits`` read, at least one is not recovered
with 1-(1-UBER)^bits; of N drives at least one fails in a year with 1-(1-AFR)^N. Failures are taken
as independent, which is too optimistic for drives of one make and age.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from raidsim.assembly.drives import kind_of
from raidsim.kernel.stripe_heads import PAGE
from raidsim.layout.address import addresses_of_a_check, whole_drive
from raidsim.layout.health import survives
from raidsim.layout.tables import PARITY, WRITE
from raidsim.observe.traffic import (
    cost,
    has_strips,
    health,
    mean_size,
    random_size,
    straddling,
    writes_back,
)
from raidsim.report.finding import Checks, Finding, Severity, is_written, loads_of
from raidsim.report.hardware import (
    BATTERY_WORDS,
    level_words,
    numbered,
    some,
)
from raidsim.report.numbers import count, percent, size, time
from raidsim.risk.groups import tolerated_still
from raidsim.scenario import ControllerSpec, Scenario, VolumeSpec, arrays
from raidsim.units import capacity_for_people

MD_SPEED = 200_000 * 1024
"""Most that md restores of each drive in a second, bytes, unless somebody raises it."""

WORTH_SAYING = 0.01  # probabilities and shares from 1 % on


def unsafe_cache(scenario: Scenario) -> Iterator[Finding]:
    """A controller's cache acknowledges writes that a power cut empties, or falls to through."""
    for volume in scenario.volumes:
        controller = scenario.controller(volume)
        if controller is None or volume.write == "through" or not is_written(scenario, volume):
            continue
        where, state = f"volume {volume.name}", _battery(controller)
        if volume.write == "back" and controller.battery != "good":
            waits = time(1e3 * _write_time(volume))
            yield Finding(
                where,
                f"{state}, so write-back falls to write-through: a write waits for the drives,"
                f" at least {waits} when they are idle",
                'give it a good battery, or write "back-bad-battery" and use a UPS',
            )
        if volume.write == "back-bad-battery":
            card = controller.card
            most = card.integer("cache.size") * card.number("cache.high_mark")
            held = f"{most / 2**20:,.0f} MiB"
            lost = f"a power cut loses up to {held} of acknowledged writes"
            if controller.battery == "good":
                what = f"once {_keeper(controller)} is low or in a learn cycle, {lost}"
                severity = Severity.warning
            else:
                what = f"{lost}: {state}, and the cache writes back all the same"
                severity = Severity.critical
            yield Finding(where, what, 'write "back", or use a UPS', severity)


def no_redundancy(scenario: Scenario) -> Iterator[Finding]:
    """An array in which any drive that fails takes data with it.

    Of the front of a hybrid that is said there.
    """
    fronts = {hybrid.front for hybrid in scenario.hybrids}
    for volume in scenario.volumes:
        if volume.level not in ("raid0", "jbod") or volume.name in fronts:
            continue
        failing = 1 - (1 - volume.card.number("reliability.afr")) ** volume.drives
        lost = "all data" if volume.level == "raid0" else "the data on it"
        yield Finding(
            f"volume {volume.name}",
            f"{level_words(volume.level)} has no redundancy: a drive that fails takes {lost} with"
            f" it, and one of {some(volume.drives, 'drive')} fails within a year with a"
            f" probability of {_probability(failing)}",
            severity=Severity.critical,
        )


def begins_with_failures(scenario: Scenario) -> Iterator[Finding]:
    """An array that has lost drives before the run, or data."""
    for volume in scenario.volumes:
        if volume.layout is None or not volume.failed:
            continue
        which = f"{numbered(sorted(set(volume.failed)))} of {volume.drives} failed"
        if not survives(volume.layout, health(volume)):
            what = f"begins with {which}: data is lost, and I/Os that need it fail"
            yield Finding(f"volume {volume.name}", what, severity=Severity.critical)
            continue
        left = tolerated_still(volume)
        any_more = "any one more may fail" if left == 1 else f"any {left} more may fail"
        more = any_more if left else "one more failed drive may lose data"
        what = f"begins degraded, with {which}: {more}{_idle_spares(volume)}"
        severity = Severity.warning if left else Severity.critical
        yield Finding(f"volume {volume.name}", what, severity=severity)


def _idle_spares(volume: VolumeSpec) -> str:
    """Find hot spares that do not replace drives that failed before the run."""
    if not volume.spares:
        return ""
    many = volume.spares > 1
    return (
        f"; its hot {'spares wait' if many else 'spare waits'} for drives that fail in the run: an"
        " event rebuild restores those that failed before"
    )


def unreadable_in_rebuild(scenario: Scenario) -> Iterator[Finding]:
    """A rebuild that reads so much that it may well meet a sector which cannot be read.

    It is that of the drives which have failed before, else that of the first one to fail. What
    stands in a sector is lost if no more than that drive may be missing.
    """
    for volume in scenario.volumes:
        if volume.layout is None or volume.failures_tolerated == 0:
            continue
        if tolerated_still(volume) > (0 if volume.failed else 1):
            continue
        if not survives(volume.layout, health(volume)):
            continue
        read = int(volume.layout["data"]) * int(whole_drive(volume.layout))
        uber = volume.card.number("reliability.uber")
        failing = -math.expm1(8 * read * math.log1p(-uber))
        if failing < WORTH_SAYING:
            continue
        sources = "all other drives" if volume.layout["family"] == PARITY else "the other copy"
        if volume.layout["family"] == PARITY and volume.layout["spans"] > 1:
            sources = "the other drives of its span"
        yield Finding(
            f"volume {volume.name}",
            f"the rebuild of a drive reads {capacity_for_people(read)} from {sources}; with a"
            f" probability of {_probability(failing)} it meets a sector there that cannot be read"
            f" ({uber:g} per bit), and what that sector should restore is lost",
            "one more parity or copy survives that",
        )


def faster_than_md_is_allowed(scenario: Scenario) -> Iterator[Finding]:
    """Software RAID of Linux whose rebuilds go faster here than md does by itself."""
    if not scenario.host.card.has("raid.bitmap_from"):  # which says what md and mdadm do
        return
    for volume in scenario.volumes:
        if scenario.controller(volume) is not None or volume.layout is None:
            continue
        if volume.failures_tolerated == 0 or volume.rebuild_limit is not None:
            continue
        rate = min(kind_of(volume.card).mean_rates(volume.card))
        if rate * addresses_of_a_check(volume.layout) <= MD_SPEED:
            continue
        what, of = "rebuilds and checks", "each drive"
        if addresses_of_a_check(volume.layout) > 1:
            what, of = "checks", "the array"
            if rate > MD_SPEED:
                what, of = "rebuilds and checks", "each drive, and of the array in checks,"
        yield Finding(
            f"volume {volume.name}",
            f"{what} run as fast as drives and host allow, but Linux md limits them to"
            f" 200,000 KiB/s of {of} unless an administrator has raised its sync_speed_max",
            'write rebuild_limit = "204.8 MB/s" if nobody has done so',
            Severity.info,
        )


def straddles_strips(scenario: Scenario) -> Iterator[Finding]:
    """Requests that fit in one strip and lie in two."""
    for volume in scenario.volumes:
        for load in loads_of(scenario, volume):
            share = straddling(volume, load)
            if share < WORTH_SAYING or max(one.size for one in load.sizes) > volume.strip:
                continue
            yield Finding(
                f"load {load.name}",
                f"{percent(share)} of its requests straddle two strips of {size(volume.strip)} and"
                f" take two drives each",
                "align requests to their size, or choose larger strips",
            )


def strip_that_md_refuses(scenario: Scenario) -> Iterator[Finding]:
    """Software RAID with strips that Linux md has none of."""
    for volume in scenario.volumes:
        if scenario.controller(volume) or not has_strips(volume):
            continue
        any_multiple = volume.level == "raid0"
        if volume.strip % PAGE or not (any_multiple or volume.strip.bit_count() == 1):
            yield Finding(
                f"volume {volume.name}",
                f"Linux md has no strips of {size(volume.strip)}: a chunk is a multiple of a page"
                " of 4 KiB, and but for RAID 0 a power of two of them",
                "choose 4, 8, 16 ... KiB, or a [[controller]]",
            )


def strip_below_request(scenario: Scenario) -> Iterator[Finding]:
    """Random requests that keep several drives busy each."""
    for volume in scenario.volumes:
        for load in loads_of(scenario, volume):
            mean = random_size(load)
            if mean <= volume.strip or not has_strips(volume):
                continue
            yield Finding(
                f"load {load.name}",
                f"its random requests of {_mean(mean)} are larger than the strips of"
                f" {size(volume.strip)}: each keeps {math.ceil(mean / volume.strip)} or more drives"
                " busy, and fewer are served at a time",
                "choose larger strips unless few I/Os are outstanding",
            )


def writes_read_first(scenario: Scenario) -> Iterator[Finding]:
    """Writes smaller than a stripe, which parity makes several commands of."""
    for volume in scenario.volumes:
        if volume.layout is None or volume.layout["family"] != PARITY:
            continue
        for load in loads_of(scenario, volume):
            if load.read_share == 1 or (load.random_share == 0 and writes_back(scenario, volume)):
                continue
            written = 1 - load.read_share
            costs = [
                (cost(volume, load, WRITE, one.bytes), one.share * (1 - one.read) / written)
                for one in load.mix
            ]
            reads = sum(each.reads * share for each, share in costs)
            writes = sum(each.writes * share for each, share in costs)
            if reads < WORTH_SAYING:
                continue
            yield Finding(
                f"load {load.name}",
                f"on {level_words(volume.level)} of {volume.drives} drives a write of"
                f" {_mean(mean_size(load))} takes {reads + writes:.1f} commands ({reads:.1f}"
                f" reads, {writes:.1f} writes)",
                f"writes of whole stripes of {size(_stripe(volume))} need no reads",
                Severity.info,
            )


def parity_for_nothing(scenario: Scenario) -> Iterator[Finding]:
    """Software RAID with parity on a host whose card does not say what its stripes take."""
    host = scenario.host.card
    names = ("raid.stripe_time", "raid.stripe_io_time", "raid.serial_time")
    if any(host.number(name) > 0 for name in names):
        return
    for volume in scenario.volumes:
        if scenario.controller(volume) or volume.level not in arrays.WITH_PARITY:
            continue
        if kind_of(volume.card).seeks:  # whose stripes are few
            continue
        yield Finding(
            f"volume {volume.name}",
            f"{host.name} does not say what its software RAID takes for a stripe, so writes cost it"
            " no more than the arithmetic of parity: on solid state drives they are simulated with"
            " several times as many as its threads would carry",
            "take a host whose card says it (linux-xeon-e5-pair), or write raid.stripe_time,"
            " raid.stripe_io_time and raid.serial_time into [host.set]",
        )


def work_of_firmware(scenario: Scenario) -> Iterator[Finding]:
    """Reads of solid state drives that firmware works on, where hardware would hand them on."""
    for volume in scenario.volumes:
        controller = scenario.controller(volume)
        if controller is None or kind_of(volume.card).seeks:
            continue
        reasons = _kept_for(volume)
        if not reasons or all(load.read_share == 0 for load in loads_of(scenario, volume)):
            continue
        card = controller.card
        each, firmware, search = (
            card.number(key)
            for key in ("command.device_io_time", "command.firmware_time", "cache.lookup_time")
        )
        each += card.number("command.time")
        if firmware == 0 or not card.has("cache.size"):
            continue
        cores = card.integer("command.cores")
        slow, fast = (
            count(float(f"{cores / time:.2g}")) for time in (each + firmware + search, each)
        )
        yield Finding(
            f"volume {volume.name}",
            f"{' and '.join(reasons)}, so its reads are work of {controller.name}'s firmware: at"
            f" most {slow} a second, where its hardware hands on {fast} that are of one strip each",
            'write = "through", read_ahead = "none" and io = "direct" let them go straight through',
            Severity.info,
        )


CHECKS: Checks = (
    unsafe_cache,
    no_redundancy,
    begins_with_failures,
    unreadable_in_rebuild,
    faster_than_md_is_allowed,
    straddles_strips,
    strip_that_md_refuses,
    strip_below_request,
    writes_read_first,
    parity_for_nothing,
    work_of_firmware,
)


# ---------------------------------------------------------------- arithmetic


def _keeper(controller: ControllerSpec) -> str:
    """Return the name of the part that keeps a controller's cache in a power cut."""
    flash = controller.card.word("cache.protection") == "flash"
    return f"the {'flash module' if flash else 'battery'} of {controller.name}"


def _kept_for(volume: VolumeSpec) -> list[str]:
    """Return as clauses why the cache of its controller may hold data of a volume."""
    return [
        words
        for words, is_so in (
            ("its writes are cached", volume.write != "through"),
            ("it reads ahead", volume.read_ahead != "none"),
            ("its reads are cached", volume.io == "cached"),
        )
        if is_so
    ]


def _battery(controller: ControllerSpec) -> str:
    """The state of what keeps a cache, as a clause."""
    if controller.card.word("cache.protection") == "none":
        return f"{controller.name} has no battery"
    return f"{_keeper(controller)} is {BATTERY_WORDS[str(controller.battery)]}"


def _write_time(volume: VolumeSpec) -> float:
    """Least time of a small write on idle drives in s; on parity the old data is read before."""
    parity = volume.layout is not None and volume.layout["family"] == PARITY
    return kind_of(volume.card).write_time(volume.card, parity)


def _stripe(volume: VolumeSpec) -> int:
    """Data of a stripe in bytes."""
    return volume.strip * (1 if volume.layout is None else int(volume.layout["data"]))


def _mean(number: float) -> str:
    """A mean size: exact where it is one, in KiB otherwise."""
    return size(number) if number % 512 == 0 else f"{number / 1024:.1f} KiB"


def _probability(share: float) -> str:
    """Three digits: 9.15 %."""
    return f"{100 * share:.3g} %"

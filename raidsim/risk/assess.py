"""The risk of a volume of a scenario, from its drives, its level and its rebuild time.

The chance of loss and the mean time to it come from the Markov chain of a group, with all groups
alike and independent: 1 - (1 - p)^groups, and the time of a group over their number. Simulated
lifetimes, with fixed times of rebuilds and deliveries, are given beside them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from raidsim.layout.address import whole_drive
from raidsim.layout.health import survives
from raidsim.layout.tables import PARITY
from raidsim.observe.traffic import health
from raidsim.risk import markov
from raidsim.risk.groups import Redundancy, redundancy
from raidsim.risk.hazard import Drives, Repair, Wear, Weibull, from_afr, from_mtbf
from raidsim.risk.lifetimes import Loss, simulate
from raidsim.risk.markov import YEAR, Chain
from raidsim.scenario import HybridSpec, Scenario, VolumeSpec
from raidsim.stats.proportions import Estimate
from raidsim.workers.engine import execute

if TYPE_CHECKING:
    from raidsim.risk.under_load import UnderLoad

MISSION = 5 * YEAR
"""Hours that a risk is given for, unless another time is asked for."""

REPLACEMENT = 24.0
"""Hours until a failed drive, or a spare that was taken, is replaced: service on the next day."""

LIFETIMES = 10_000
TERA = 1e12


@dataclass(frozen=True)
class Risk:
    """The risk of a volume over a mission.

    Attributes
    ----------
    volume, level : which one.
    mission : hours.
    afr : chance of a drive to fail within a year; ``afr_from`` says which value of its card that
        is from, if there are two.
    rebuild : seconds of the rebuild of one drive on an idle array; 0 without redundancy.
    replacement : hours until a drive is replaced.
    spares : hot spares.
    uber : unrecoverable read errors per bit.
    mttdl : mean time to the first loss of any data, hours; inf if there is no end of it.
    any : chance that any data is lost, a sector or all.
    array : chance that more drives are missing than the array survives (JBOD: any drive).
    simulated_any, simulated_array : the same of simulated lifetimes.
    lost : mean number of bytes lost.
    worn : chance that any data is lost if flash is written as fast as it is rated for.
    worn_life : hours in which its drives then write their rating.
    under_load : the rebuild while the scenario's loads run; None if that was not simulated.
    loaded : the risk if all rebuilds take that time, or if none ends within the mission; None if
        that time is not known.
    missing : drives that are missing at the start, with which all chances and ``mttdl`` begin.
    """

    volume: str
    level: str
    mission: float
    afr: float
    afr_from: str
    rebuild: float
    replacement: float
    spares: int
    uber: float
    mttdl: float
    any: float
    array: float
    simulated_any: Estimate
    simulated_array: Estimate
    lost: float
    worn: Estimate | None = None
    worn_life: float | None = None
    under_load: UnderLoad | None = None
    loaded: Risk | None = None
    missing: int = 0

    @property
    def mttdl_years(self) -> float:
        """Mean time to data loss in years of 8760 h."""
        return self.mttdl / YEAR

    @property
    def mission_years(self) -> float:
        """The mission in years of 8760 h."""
        return self.mission / YEAR

    @property
    def lost_tb(self) -> float:
        """Expected loss in 10^12 bytes."""
        return self.lost / TERA


def assess(
    scenario: Scenario,
    volume: VolumeSpec,
    *,
    mission: float = MISSION,
    replacement: float = REPLACEMENT,
    seconds: float | None = None,
    lifetimes: int = LIFETIMES,
) -> Risk:
    """Assess a volume.

    Parameters
    ----------
    scenario, volume
        The volume and what is around it. Drives that have failed before are about to be replaced.
    mission
        Hours.
    replacement
        Hours until a failed drive is replaced, or the spare that was taken.
    seconds
        Time of a rebuild, inf if it never ends; None: as the simulation finds it on idle drives.
    lifetimes
        How many are simulated.
    """
    card = volume.card
    failures, afr_from = failure_rate(volume)
    uber = card.number("reliability.uber")
    takes = _rebuild_time(scenario, volume) if seconds is None else seconds
    shape = redundancy(volume)
    # Where there is nothing to rebuild from no time counts, and none is no time to divide by.
    waits = takes / 3600 + (0.0 if volume.spares else replacement) or REPLACEMENT
    used = card.integer("capacity.user") if volume.layout is None else whole_drive(volume.layout)
    process = markov.chain(
        shape.group, 1 / failures.scale, 1 / waits, uber=uber, drive_bits=8 * used
    )
    begins = _failed(volume, shape)
    lost = [markov.losses(process, mission, failed) for failed in begins]
    any_lost = [markov.probability(process, mission, failed) for failed in begins]
    gone = volume.layout is not None and not survives(volume.layout, health(volume))
    repair = Repair(min(takes / 3600, mission), volume.spares, replacement)
    unread = markov.unreadable(uber, 8 * used)

    def live(lived: Drives) -> Loss:
        return simulate(
            shape,
            lived,
            repair,
            mission,
            lifetimes=lifetimes,
            seed=scenario.seed,
            name=volume.name,
            failed=sorted(set(volume.failed)),
        )

    simulated = live(Drives(failures, unread=unread))
    life = _rated_life(volume)
    worn = None
    if life is not None:
        worn = live(Drives(failures, wear=Wear(life), unread=unread)).any
    return Risk(
        volume=volume.name,
        level=volume.level,
        mission=mission,
        afr=-math.expm1(-YEAR / failures.scale),
        afr_from=afr_from,
        rebuild=takes,
        replacement=replacement,
        spares=volume.spares,
        uber=uber,
        mttdl=0.0 if gone else _mean_time(process, begins),
        any=1.0 if gone else _one_of(any_lost),
        array=1.0 if gone else _one_of(each for each, _ in lost),
        simulated_any=simulated.any,
        simulated_array=simulated.group,
        lost=float(volume.capacity) if gone else _bytes_lost(volume, shape, lost),
        worn=worn,
        worn_life=life,
        missing=len(set(volume.failed)),
    )


def assess_all(scenario: Scenario) -> list[Risk]:
    """Assess every volume of a scenario, with rebuilds of idle drives and under its loads.

    Volumes are assessed side by side: rebuilds are simulated, which may take half a minute each.
    """
    return execute(scenario.volumes, partial(_assess_twice, scenario))


def _assess_twice(scenario: Scenario, volume: VolumeSpec) -> Risk:
    risk = assess(scenario, volume)
    if not is_simulated(volume):
        return risk
    from raidsim.risk.under_load import rebuild_under_load  # noqa: PLC0415  (loads the kernel)

    under_load = rebuild_under_load(scenario, volume, least=risk.rebuild)
    if under_load is None:
        return risk
    loaded = assess(scenario, volume, seconds=under_load.seconds)
    return replace(risk, under_load=under_load, loaded=loaded)


def of_hybrid(hybrid: HybridSpec, risks: Iterable[Risk]) -> float:
    """Chance that a hybrid loses any data.

    Where the front holds what the back does not (a tier, or a cache that writes back), it is lost
    with either of them; else with the back. Rebuilds take the time that they do under load.
    """
    by_name = {risk.volume: (risk.loaded or risk).any for risk in risks}
    if has_all_in_back(hybrid):
        return by_name[hybrid.back]
    return _one_of((by_name[hybrid.front], by_name[hybrid.back]))


def has_all_in_back(hybrid: HybridSpec) -> bool:
    """Return whether the back of a hybrid holds all of its data at any time."""
    return hybrid.mode == "cache" and hybrid.write != "back"


def failure_rate(volume: VolumeSpec) -> tuple[Weibull, str]:
    """Return the constant failure rate of a volume's drives, and the card value that gives it.

    Every card has an annual failure rate, and field figures are given as one. A mean time
    between failures counts only if the scenario sets it and no rate. Where a card states it and no
    rate, the rate of the card follows from it already.
    """
    card, own = volume.card, volume.set
    if not card.has("reliability.mtbf"):
        return from_afr(card.number("reliability.afr")), "AFR"
    hours = card.number("reliability.mtbf") / 3600
    if "reliability.mtbf" in own and "reliability.afr" not in own:
        return from_mtbf(hours), f"MTBF {hours:,.0f} h, not the AFR of the card"
    failures = from_afr(card.number("reliability.afr"))
    if math.isclose(failures.scale, hours, rel_tol=1e-6):  # one of them follows from the other
        told = "" if "reliability.afr" in own else f", of the MTBF of {hours:,.0f} h"
        return failures, "AFR" + told
    return failures, f"AFR, not the MTBF of {hours:,.0f} h"


def is_simulated(volume: VolumeSpec) -> bool:
    """Return whether a rebuild must be simulated, which needs the compiled kernel."""
    return volume.layout is not None and volume.failures_tolerated > 0


def _rebuild_time(scenario: Scenario, volume: VolumeSpec) -> float:
    if not is_simulated(volume):
        return 0.0
    from raidsim.risk import rebuild  # noqa: PLC0415  (loads the kernel)

    return rebuild.simulated(scenario, volume)


def _failed(volume: VolumeSpec, shape: Redundancy) -> list[int]:
    """Drives that are missing at the start, group by group, as many as the chain knows states."""
    missing = Counter(drive // shape.group.drives for drive in set(volume.failed))
    return [min(missing[number], shape.group.most_failed) for number in range(shape.groups)]


def _mean_time(process: Chain, begins: Sequence[int]) -> float:
    """Mean time to the first loss in any of independent groups, hours.

    The time to loss of a group is exponential but for its first days, so of n groups it is the
    n-th part. A group that begins with drives missing passes its first days with a chance that is
    the ratio of its time to that of a whole one.
    """
    good = markov.mean_time(process)
    times = [markov.mean_time(process, failed) for failed in begins]
    if math.isinf(good):  # or longer than a number can tell
        return min(times)
    return good / len(begins) * math.prod(time / good for time in times)


def _one_of(chances: Iterable[float]) -> float:
    """Chance that at least one of several things happens that do not depend on each other."""
    found = list(chances)
    return 1.0 if max(found) >= 1 else -math.expm1(sum(math.log1p(-each) for each in found))


def _bytes_lost(
    volume: VolumeSpec, shape: Redundancy, lost: Sequence[tuple[float, float]]
) -> float:
    """Mean bytes lost: all that goes with groups, and sectors that a rebuild could not restore.

    ``lost`` has for each group the chance of its loss, and the mean number of rebuilds that lose
    a sector: under parity two, that which can't be read and that to be restored.
    """
    chances = [group for group, _ in lost]
    gone = _one_of(chances) if shape.share == 1 else sum(chances) * shape.share
    parity = volume.layout is not None and volume.layout["family"] == PARITY
    sector = volume.card.integer("capacity.sector") * (2 if parity else 1)
    return gone * volume.capacity + sum(rebuilds for _, rebuilds in lost) * sector


def _rated_life(volume: VolumeSpec) -> float | None:
    """Hours in which drives write their rating at the rated writes a day; None if unknown."""
    card = volume.card
    needed = ("endurance.written", "endurance.dwpd")
    if any(key not in card.about.by_name or not card.has(key) for key in needed):
        return None
    a_day = card.number("endurance.dwpd") * card.number("capacity.user")
    return 24 * card.number("endurance.written") / a_day if a_day else None

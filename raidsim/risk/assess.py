"""The risk of a volume of a scenario: what its drives, level and rebuild time come to.

The chance of loss and the mean time to it come from the Markov chain of a group, all groups
alike and independent: 1 - (1 - p)^groups, and the time of a group over their number. Simulated
lifetimes stand beside them, in which rebuilds and deliveries take fixed times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from raidsim.layout.address import whole_drive
from raidsim.layout.tables import PARITY
from raidsim.risk import markov
from raidsim.risk.groups import Redundancy, redundancy
from raidsim.risk.hazard import Drives, Repair, Wear, Weibull, from_afr, from_mtbf
from raidsim.risk.lifetimes import simulate
from raidsim.risk.markov import YEAR
from raidsim.risk.rebuild import RebuildTime, rebuild_time
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.stats.proportions import Estimate

MISSION = 5 * YEAR
"""Hours that a risk is given for, unless another time is asked for."""

REPLACEMENT = 24.0
"""Hours until a failed drive, or a spare that was taken, is replaced: service on the next day."""

LIFETIMES = 10_000
TERA = 1e12


@dataclass(frozen=True)
class Risk:
    """What a volume risks over a mission.

    Attributes
    ----------
    volume, level : which one.
    mission : hours.
    afr : failures of a drive per year, as a share; ``afr_from`` says which value of the card.
    rebuild : of one drive.
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
    """

    volume: str
    level: str
    mission: float
    afr: float
    afr_from: str
    rebuild: RebuildTime
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
    rebuild: RebuildTime | None = None,
    lifetimes: int = LIFETIMES,
    drives: Drives | None = None,
) -> Risk:
    """Assess a volume.

    Parameters
    ----------
    scenario, volume
        The volume and what is around it. Drives that have failed before count as good.
    mission
        Hours.
    replacement
        Hours until a failed drive is replaced, or the spare that was taken.
    rebuild
        Time of a rebuild; None: :func:`raidsim.risk.rebuild.rebuild_time`.
    lifetimes
        How many are simulated.
    drives
        How the drives fail in simulated lifetimes: Weibull, batches, scrubs ...; None: as the
        formulas have it, at a constant rate. The chain always has that of the card.
    """
    card = volume.card
    failures, afr_from = failure_rate(volume)
    uber = card.number("reliability.uber")
    takes = rebuild or rebuild_time(scenario, volume)
    shape = redundancy(volume)
    spares = int(getattr(volume, "spares", 0))
    waits = takes.seconds / 3600 + (0.0 if spares else replacement)
    used = card.integer("capacity.user") if volume.layout is None else whole_drive(volume.layout)
    process = markov.chain(
        shape.group, 1 / failures.scale, 1 / waits, uber=uber, drive_bits=8 * used
    )
    lost, sectors = markov.losses(process, mission)
    repair = Repair(takes.seconds / 3600, spares, replacement)
    given = drives or Drives(failures, unread=markov.unreadable(uber, 8 * used))
    common = {"lifetimes": lifetimes, "seed": scenario.seed, "name": volume.name}
    lived = simulate(shape, given, repair, mission, **common)
    life = _rated_life(volume)
    worn = None
    if life is not None:
        wearing = Drives(failures, wear=Wear(life), unread=given.unread)
        worn = simulate(shape, wearing, repair, mission, **common).any
    return Risk(
        volume=volume.name,
        level=volume.level,
        mission=mission,
        afr=-math.expm1(-YEAR / failures.scale),
        afr_from=afr_from,
        rebuild=takes,
        replacement=replacement,
        spares=spares,
        uber=uber,
        mttdl=markov.mean_time(process) / shape.groups,
        any=_one_of(markov.probability(process, mission), shape.groups),
        array=_one_of(lost, shape.groups),
        simulated_any=lived.any,
        simulated_array=lived.group,
        lost=_bytes_lost(volume, shape, lost, sectors),
        worn=worn,
        worn_life=life,
    )


def failure_rate(volume: VolumeSpec) -> tuple[Weibull, str]:
    """How the drives of a volume fail, at a constant rate, and which value of the card says it.

    Every card has an annual failure rate, and field figures are given as one. A mean time
    between failures counts only if the scenario sets it and no rate.
    """
    card, own = volume.card, volume.set
    if "reliability.mtbf" in own and "reliability.afr" not in own:
        return from_mtbf(card.number("reliability.mtbf") / 3600), "MTBF"
    return from_afr(card.number("reliability.afr")), "AFR"


def _one_of(chance: float, groups: int) -> float:
    """Chance that at least one of several groups meets what each meets with some chance."""
    return 1.0 if chance >= 1 else -math.expm1(groups * math.log1p(-chance))


def _bytes_lost(volume: VolumeSpec, shape: Redundancy, lost: float, sectors: float) -> float:
    """Mean bytes lost: all that goes with groups, and sectors that a rebuild could not restore.

    Under parity two sectors go at a time, that which can't be read and that to be restored.
    """
    if shape.share == 1:
        whole = _one_of(lost, shape.groups) * volume.capacity
    else:
        whole = lost * shape.groups * shape.share * volume.capacity
    parity = volume.layout is not None and volume.layout["family"] == PARITY
    sector = volume.card.integer("capacity.sector") * (2 if parity else 1)
    return whole + sectors * shape.groups * sector


def _rated_life(volume: VolumeSpec) -> float | None:
    """Hours in which drives write their rating at the rated writes a day; None if unknown."""
    card = volume.card
    needed = ("endurance.written", "endurance.dwpd")
    if any(key not in card.about.by_name or not card.has(key) for key in needed):
        return None
    a_day = card.number("endurance.dwpd") * card.number("capacity.user")
    return 24 * card.number("endurance.written") / a_day if a_day else None

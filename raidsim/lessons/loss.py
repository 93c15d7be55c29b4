"""Lesson: what the chance of losing data depends on."""

import math
from functools import cache

import numpy as np

from raidsim.risk import lifetimes, markov
from raidsim.risk.groups import redundancy
from raidsim.risk.hazard import Drives, Repair, Weibull
from raidsim.risk.markov import YEAR
from raidsim.scenario import load_text
from raidsim.teaching.lesson import Explore, Given, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import check

SYSTEM = """\
# Eight disks of 2 TB. `raidsim check` says how likely they lose data in five years.
title = "The chance of losing data"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
level = "raid5"
drives = 8
drive = "nl-sas-2tb"
strip = "64 KiB"

[volume.set]
"reliability.afr" = "2 %"               # of the drives fail in a year
"reliability.uber" = "1e-15 1/bit"      # one unreadable sector in so many bits

[[load]]
read = "67 %"
size = "8 KiB"
outstanding = 8
"""
FIVE = 5 * YEAR
DRIVE_BITS = 8 * 2e12


def rate(afr: float) -> float:
    """Failures per hour of a drive of which so many per cent fail in a year."""
    return -math.log1p(-afr / 100) / YEAR


def raid5(drives: int, afr: float, hours: float, unread: float = 0.0) -> float:
    """Mean time to data loss of RAID 5, years."""
    return markov.raid5(drives, rate(afr), 1 / hours, unread) / YEAR


def raid6(drives: int, afr: float, hours: float) -> float:
    """The same of RAID 6, rebuilt one drive after the other, without unreadable sectors."""
    return markov.raid6(drives, rate(afr), 1 / hours) / YEAR


def chance(years: float, mission: float = 5) -> float:
    """Chance in percent of a loss within a mission, both in years."""
    return -100 * math.expm1(-mission / years)


@cache
def lived(level: str, drives: int, afr: float, hours: float, unread: float = 0.0) -> float:
    """Chance in percent of a loss in five years, of 20,000 simulated lifetimes."""
    scenario = load_text(SYSTEM, overrides=[f"volume.level={level}", f"volume.drives={drives}"])
    found = lifetimes.simulate(
        redundancy(scenario.volumes[0]),
        Drives(Weibull(1 / rate(afr)), unread=unread),
        Repair(hours, exponential=True),
        FIVE,
        lifetimes=20_000,
    )
    return 100 * found.any.mean


def unreadable(drives: int, exponent: int, tb: float = 2.0) -> float:
    """Chance in percent that reading the others of a RAID 5 meets an unreadable sector."""
    return 100 * markov.unreadable(10.0**-exponent, (drives - 1) * 8e12 * tb)


def drawn_unreadable(d: Given) -> float:
    """Percent of 20,000 rebuilds that meet an unreadable sector: a Poisson number on each drive."""
    random = np.random.default_rng([d.others, d.exponent])
    sectors = random.poisson(DRIVE_BITS * 10.0**-d.exponent, (20_000, d.others))
    return 100 * float((sectors.sum(axis=1) > 0).mean())


def one_of_four(years: float) -> float:
    """AFR in percent of drives of which four fail once in so many years, all together."""
    return -100 * math.expm1(-1 / (4 * years))


def explored(afr: float, level: str, uber: str) -> tuple[float, float]:
    """Chances in percent of losing any data, and the array, in five years."""
    risk = check(
        SYSTEM,
        f'volume.set."reliability.afr"={afr} %',
        f"volume.level={level}",
        f'volume.set."reliability.uber"={uber} 1/bit',
    )
    return 100 * risk.any, 100 * risk.array


LESSON = Lesson(
    name="loss",
    title="What the chance of losing data depends on",
    about="failures, rebuild times, unreadable sectors, and which of them counts",
    text="""\
Drives fail at a rate λ each (an annual failure rate of 2 % is about one failure in 50 drive-years), and are restored in a time 1/μ: until somebody has brought a new one, and its rebuild is over. A RAID 5 loses data if a second drive fails meanwhile. With N drives the mean time to data loss (MTTDL) is

    MTTDL = ((2N - 1) λ + μ) / (N (N - 1) λ²)    ≈    μ / (N (N - 1) λ²)

so it goes with the square of the failure rate, nearly with the square of the number of drives, and with one over the time of repair. RAID 6 has to lose three: ≈ μ² / (N (N-1) (N-2) λ³), some thousand times as long.

A mean time of a thousand years does not mean that an array lasts so long. Of a thousand such arrays one loses data each year; within t years each does with the chance 1 - e^(-t / MTTDL).

But a second failure is not the most likely way to lose data. A rebuild reads all other drives from end to end, and one sector that cannot be read is lost with nothing to restore it from. Of bits read, data sheets say, one in 10^14 to 10^16 (UBER):

    h = 1 - (1 - UBER)^bits          seven drives of 2 TB: 1.1 · 10^14 bits

With 10^-15 that is 11 % of all rebuilds. It is why RAID 5 of large disks is advised against; RAID 6 still has a second parity then, and restores the sector.

All of this takes failures as independent. Drives of one batch, one shelf or one bad day are not.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="A rebuild reads {others} drives of 2 TB (10^12 bytes). With which chance does it meet an unreadable sector, at an UBER of 10^-{exponent} per bit?",
            draw={"others": (3, 5, 7), "exponent": (14, 15)},
            unit="%",
            hand=lambda d: unreadable(d.others + 1, d.exponent),
            simulated=drawn_unreadable,
            agrees=0.05,
            also=lambda d: {
                "bits": d.others * DRIVE_BITS,
                "many": d.others * DRIVE_BITS * 10.0**-d.exponent,
            },
            way="{bits} bits · 10^-{exponent} = {many} sectors on average, so none with e^-{many:.3g}: h = {hand} %. Of 20,000 rebuilds whose errors were drawn drive by drive {simulated} % met one.",
            hint="How many unreadable sectors are there on average, and with which chance is there none?",
            mistakes=(
                Mistake(
                    lambda d: (
                        100 * d.others * DRIVE_BITS * 10.0**-d.exponent
                        if d.exponent == 14
                        else -1.0
                    ),
                    "That is how many there are on average. A chance is never more than 1.",
                ),
                Mistake(
                    lambda d: 100 * d.others * 2e12 * 10.0**-d.exponent,
                    "UBER counts bits, and a byte has eight.",
                ),
            ),
        ),
        Question(
            ask="RAID 5 of {drives} drives with an AFR of {afr} %, restored in {hours} h. Which MTTDL has it, if all sectors can be read? (λ is AFR over 8,760 h, near enough.)",
            draw={"drives": (4, 8), "afr": (1, 2, 4), "hours": (12, 24, 48)},
            unit="years",
            tolerance=0.05,
            hand=lambda d: raid5(d.drives, d.afr, d.hours),
            simulated=lambda d: -5 / math.log1p(-lived("raid5", d.drives, d.afr, d.hours) / 100),
            agrees=0.06,
            also=lambda d: {"l": rate(d.afr)},
            way="λ = {l} per hour, μ = 1 / {hours} h: {hand} years. From the losses in 20,000 simulated lifetimes of five years: {simulated} years.",
            hint="μ / (N (N - 1) λ²), in hours; a year has 8,760.",
            mistakes=(
                Mistake(
                    lambda d: raid5(d.drives, d.afr, d.hours) * YEAR,
                    "That is hours.",
                ),
            ),
        ),
        Question(
            ask="An array has an MTTDL of {years} years. With which chance does it lose data within five years?",
            draw={"years": (10, 50, 200, 1000)},
            unit="%",
            hand=lambda d: chance(d.years),
            simulated=lambda d: lived("raid0", 4, one_of_four(d.years), 24),
            agrees=0.05,
            way="1 - e^(-5 / {years}) = {hand} %. Of 20,000 simulated lifetimes of a RAID 0 of four drives with that MTTDL {simulated} % ended in a loss.",
            hint="1 - e^(-t / MTTDL).",
            mistakes=(
                Mistake(
                    lambda d: 500 / d.years if d.years == 10 else -1.0,
                    "As long as that is small the chance is near 5 / MTTDL. Here it is not small.",
                ),
            ),
        ),
        Question(
            ask="The AFR of the drives of a RAID 5 is twice what the data sheet says. By which factor does the MTTDL fall, if all sectors can be read? Predict.",
            draw={"afr": (0.5, 1, 2), "hours": (12, 24)},
            predict=True,
            tolerance=0.05,
            hand=lambda d: raid5(8, d.afr, d.hours) / raid5(8, 2 * d.afr, d.hours),
            simulated=lambda d: (
                lived("raid5", 8, 2 * d.afr, d.hours) / lived("raid5", 8, d.afr, d.hours)
            ),
            agrees=0.06,
            way="It goes with λ²: {hand}. In simulated lifetimes {simulated} times as many lose data.",
            hint="How often does λ stand in the formula?",
            mistakes=(
                Mistake(lambda d: 2.0, "A loss takes two failures, and each is twice as likely."),
            ),
        ),
        Question(
            ask="Run raidsim check with {level} in place of RAID 5. With which chance is any data lost in five years?",
            draw={"level": ("raid6", "raid10")},
            unit="%",
            tolerance=0.1,
            runs=(("volume.level={level}",),),
            checks=True,
            read=lambda d, r: 100 * r.any,
            also=lambda d: {"five": 100 * check(SYSTEM).any},
            way="{simulated:.3g} %, where RAID 5 has {five} %. RAID 10 reads one drive for a rebuild, in place of seven; RAID 6 has a second parity left when a sector cannot be read.",
            hint="Run it, and take the chance of losing any data.",
        ),
        Question(
            ask="A hot spare is there at once, where a new drive takes a day to come: run raidsim check with volume.spares = 1 and {level}. How many times as long is the MTTDL?",
            draw={"level": ("raid5", "raid6", "raid10")},
            tolerance=0.1,
            runs=(("volume.spares=1", "volume.level={level}"), ("volume.level={level}",)),
            checks=True,
            read=lambda d, a, b: a.mttdl / b.mttdl,
            way="{simulated} times. Where unreadable sectors are what loses data, haste does not help: the rebuild reads the same bits. Where more failures have to fall into the time of repair, it does.",
            hint="Run both. Is it the time of the repair that loses data at this level?",
        ),
        Question(
            ask='Run raidsim check with drives of an UBER of 10^-{exponent} per bit (volume.set."reliability.uber"). With which chance does the RAID 5 lose any data in five years?',
            draw={"exponent": (14, 16)},
            unit="%",
            tolerance=0.1,
            runs=(('volume.set."reliability.uber"=1e-{exponent} 1/bit',),),
            checks=True,
            read=lambda d, r: 100 * r.any,
            also=lambda d: {"now": 100 * check(SYSTEM).any},
            way="{simulated} %, and {now} % with 10^-15. It is this figure of the data sheet, not the failure rate, that decides about RAID 5 of large disks.",
            hint="Run it with the key changed.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "annual failure rate",
                (0.5, 1, 2, 3, 5, 8),
                ('volume.set."reliability.afr"={value} %',),
                "%",
            ),
            Knob("level", ("raid5", "raid6", "raid10"), ("volume.level={value}",)),
            Knob(
                "UBER",
                ("1e-14", "1e-15", "1e-16"),
                ('volume.set."reliability.uber"={value} 1/bit',),
                "per bit",
            ),
        ),
        shown=(
            Shown("chance of losing any data in five years", "%", lambda p: 0.0),
            Shown("chance of losing the array", "%", lambda p: 0.0),
        ),
        simulated=explored,
    ),
    sources=(
        "D. A. Patterson, G. Gibson and R. H. Katz, A case for redundant arrays of inexpensive disks (RAID), SIGMOD 1988",
        "A. Thomasian and M. Blaum, Higher reliability redundant disk arrays, ACM Transactions on Storage 5 (2009)",
        "J. G. Elerath and M. Pecht, Enhanced reliability modeling of RAID storage systems, DSN 2007",
    ),
    simplifications=(
        "Failures come at a constant rate and independently; repairs vary like an exponential time.",
        "Only drives fail. Controllers, software and people lose more data than that.",
    ),
    disagreements=(
        "Field studies find annual failure rates two to five times those of data sheets, and errors that come in bursts.",
        "An unreadable sector is one sector lost. Some controllers give up the whole rebuild for it; then it costs the array.",
    ),
)

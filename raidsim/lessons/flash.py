"""Lesson: flash, write amplification and spare area."""

from raidsim.assembly.amplification import amplification, spare_for
from raidsim.result import Point
from raidsim.teaching.figures import iops, latency
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# A drive of flash that is written at random all over, for as long as it takes to be steady.
title = "Write amplification"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "intel-p3700-800gb"
state = "steady"                # or "fresh": never written to

[volume.set]
"flash.spare" = "28 %"          # flash beyond the capacity

[[load]]
read = "0 %"
random = "100 %"
size = "4 KiB"
outstanding = 32

[measure]
precision = "3 %"
min_ios = 10_000
max_ios = 20_000
"""
SPARES = (12, 28, 50)
PB = 1e15
SPARE = 'volume.set."flash.spare"={spare} %'


MORE = {
    False: "More spare area would make it faster, and so sooner worn by this rating, though each byte of the host wore the flash less.",
    True: "The host's CPU limits it here: more spare area would not make it faster, so not sooner worn by this rating, though each byte of the host wore the flash less.",
}
"""What more spare area does to a drive, by whether the host's CPU limits it already."""


def measured(point: Point) -> float:
    """Bytes that the flash programs for each byte of the host."""
    found = point.drives[0].write_amplification
    assert found is not None
    return found


def greedy(spare: float, in_use: float = 1.0) -> float:
    """Write amplification of random writes, with a share of the capacity in use.

    What is not in use (trimmed) is spare area as well.
    """
    return amplification((1 + spare) / in_use - 1)


def spare_of(wanted: float) -> float:
    """Spare area, percent, at which the formula gives a write amplification."""
    return round(100 * spare_for(wanted), 1)


def spare(percent: float) -> str:
    """Change the spare area."""
    return f'volume.set."flash.spare"={percent} %'


def cpu_limits(percent: float) -> bool:
    """Return whether a drive with so much spare area writes as fast as a fresh one (CPU limit)."""
    fresh = iops(simulate(SYSTEM, "volume.state=fresh"))
    return iops(simulate(SYSTEM, spare(percent))) > 0.98 * fresh


LESSON = Lesson(
    name="flash",
    title="Flash: write amplification and spare area",
    about="why a full drive writes more than it is given, and what trims and spare area do about it",
    text="""\
Flash is programmed page by page and erased block by block. A page cannot be written again before its block is erased, so new data goes to a new place, and the old one holds garbage. Sooner or later a block has to be emptied: what is still valid in it is moved elsewhere, then it is erased. The flash so writes more than the host does. How much more is the write amplification A.

If the block that is collected still has a share u of valid data, room for 1 - u is won by moving u:

    A = 1 / (1 - u)

So it depends on how empty the emptiest block is, and that on how much flash there is beyond the data. With random writes everywhere, and the emptiest block collected each time (greedy), with alpha = flash over data in use:

    A = alpha / (alpha + W0(-alpha · e^(-alpha)))        W0: the Lambert function

    spare area    7 %     14 %    28 %    50 %    100 %
    A             7.8     4.2     2.5     1.7     1.3

A trim tells the drive that data is not needed any more: less is in use, and alpha grows. A drive that was just bought has never collected anything, and A = 1. So has one that is written in sequence, round and round: all of a block becomes garbage together.

What A costs: the rate of writes, as the flash has A times the work; the tail of latencies, since reads wait for moves; and life, which ends after a number of programs and erases.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="A drive has {spare} % of spare area, is full, and is written at random all over. What is its write amplification?",
            draw={"spare": SPARES},
            tolerance=0.08,
            hand=lambda d: greedy(d.spare / 100),
            runs=((SPARE,),),
            read=lambda d, p: measured(p),
            agrees=0.03,
            way="alpha = 1 + {spare} %: A = {hand}. Simulated: {simulated}.",
            hint="The formula, or the table of this lesson.",
            mistakes=(
                Mistake(
                    lambda d: 100 / d.spare,
                    "One over the spare share would be so if the emptiest block were as full as all on average. It is emptier.",
                ),
            ),
        ),
        Question(
            ask="The block that is collected still holds {valid} % of valid data. How many bytes does the flash program for each byte of the host?",
            draw={"valid": (50, 60, 75)},
            tolerance=0.02,
            hand=lambda d: 100 / (100 - d.valid),
            simulated=lambda d: measured(
                simulate(SYSTEM, SPARE.format(spare=spare_of(100 / (100 - d.valid))))
            ),
            agrees=0.04,
            way="To win room for {room} bytes, {valid} are moved: {hand}. By the formula of this lesson that is so at {spare} % of spare area. Simulated, such a drive programs {simulated} bytes for each.",
            also=lambda d: {"room": 100 - d.valid, "spare": spare_of(100 / (100 - d.valid))},
            hint="How much room does it win, and how much is moved for that?",
            mistakes=(
                Mistake(
                    lambda d: d.valid / (100 - d.valid) if d.valid != 50 else -1.0,
                    "That is what is moved for each byte. The byte itself is programmed as well.",
                ),
                Mistake(
                    lambda d: 1 + d.valid / 100,
                    "A block that is collected makes room for less than a block.",
                ),
            ),
        ),
        Question(
            ask="Of the requests {trim} % are trims, all over the drive of 28 % spare area, at random. What is the write amplification?",
            draw={"trim": (20,)},
            tolerance=0.06,
            hand=lambda d: greedy(0.28, 1 - d.trim / 100),
            runs=(("load.trim={trim} %",),),
            read=lambda d, p: measured(p),
            agrees=0.06,
            also=lambda d: {"in_use": 100 - d.trim, "alpha": 1.28 / (1 - d.trim / 100)},
            way="In equilibrium {in_use} % of the drive is in use, so alpha = 1.28 / {in_use} % = {alpha}: A = {hand}. Simulated: {simulated}.",
            hint="Which share of the drive holds data then? Put that into alpha.",
            mistakes=(Mistake(lambda d: greedy(0.28), "That is without trims."),),
        ),
        Question(
            ask="Fresh, the drive does {fresh} random writes of 4 KiB a second. Predict how many it does in the long run with {spare} % of spare area.",
            draw={"spare": SPARES},
            unit="IO/s",
            predict=True,
            also=lambda d: {
                "fresh": iops(simulate(SYSTEM, "volume.state=fresh")),
                "a": greedy(d.spare / 100),
                "enough": (
                    "and that is enough for the moves"
                    if cpu_limits(d.spare)
                    else "but not enough for all of that"
                ),
            },
            runs=((SPARE,),),
            read=lambda d, p: iops(p),
            way="Simulated: {simulated} IO/s. The flash has {a} times the work. Whether that shows depends on what limited before. Here the host's CPU does while the drive is fresh, so the flash has time left, {enough}.",
            hint="How much more does the flash have to do, and was it what limited?",
        ),
        Question(
            ask="Run a mix: {read} % reads, 16 outstanding, on the drive with {spare} % spare area, fresh and steady. How many times as long is the mean read on the steady one?",
            draw={"read": (30, 50), "spare": (12,)},
            tolerance=0.1,
            runs=(
                ("load.read={read} %", "load.outstanding=16", SPARE, "volume.state=fresh"),
                ("load.read={read} %", "load.outstanding=16", SPARE),
            ),
            read=lambda d, a, b: latency(b) / latency(a),
            way="Simulated: {simulated} times. Reads wait for moves at dies and channels, though they write nothing.",
            hint="Run both, with volume.state changed.",
        ),
        Question(
            ask="The drive may be written to 14.6 PB (10^15 bytes) by its host. How many years is that, if it is written as fast as it goes at {spare} % spare area?",
            draw={"spare": SPARES},
            unit="years",
            tolerance=0.08,
            runs=((SPARE,),),
            read=lambda d, p: 14.6 * PB / (p.mbps * 2**20) / (365 * 86400),
            also=lambda d: {
                "mb": simulate(SYSTEM, spare(d.spare)).mbps,
                "more": MORE[cpu_limits(d.spare)],
            },
            way="Simulated: {mb} MB/s are written, so {simulated} years. {more}",
            hint="Run it: bytes in a second, then bytes in a year (365 days).",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "spare area", (7, 12, 20, 28, 50, 100), ('volume.set."flash.spare"={value} %',), "%"
            ),
            Knob("trims", (0, 20), ("load.trim={value} %",), "%"),
        ),
        shown=(
            Shown(
                "write amplification",
                "",
                measured,
                lambda spare, trim: greedy(spare / 100, 1 - trim / 100),
            ),
            Shown("rate", "IO/s", iops),
            Shown("mean write", "ms", lambda p: latency(p, "write")),
        ),
    ),
    sources=(
        "P. Desnoyers, Analytic modeling of SSD write performance, SYSTOR 2012",
        "X.-Y. Hu and others, Write amplification analysis in flash-based solid state drives, SYSTOR 2009",
        "SNIA, Solid State Storage Performance Test Specification (purge, precondition, steady state)",
    ),
    simplifications=(
        "Greedy collection, uniform random writes. Hot and cold data apart, and drives do better; mixed in one block, worse.",
        "The page map is scaled down: shares are right, the time from fresh to steady is not.",
    ),
    disagreements=(
        "Simulated amplification is 1 to 3 % off the formula: a block has 2,048 units here, and some blocks are always open.",
        "Data sheets give steady figures at a spare area that they do not print.",
    ),
)

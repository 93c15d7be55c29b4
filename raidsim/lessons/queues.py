"""Lesson: queues, and Little's law."""

from raidsim.lessons.disk_time import transfer
from raidsim.teaching.figures import busy, iops, latency
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate
from raidsim.units import KIB

SYSTEM = """\
# One disk that takes requests in the order in which they come, and does not read ahead.
title = "A disk and its queue"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "seagate-st373455ss"    # 73 GB, 15,000 rpm

[volume.set]
"queue.discipline" = "fifo"
"queue.choose_time" = "0 ms"
"command.queue_depth" = 256
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1

[measure]
precision = "2 %"
min_ios = 20_000
max_ios = 20_000
"""
OPEN = SYSTEM.replace("outstanding = 1", 'rate = "100 IO/s"')

SERVICE = 5.55
"""Mean service time of the arm, ms: seek, half a turn, 8 KiB under the head."""
VARIATION = 0.12
"""Squared coefficient of variation of that: variance over mean squared."""
RATES = (45, 60, 75, 85, 105, 120, 135)


def utilisation(rate: float) -> float:
    """Utilisation of the disk at a rate of arrivals in a second, 0 to 1."""
    return rate * SERVICE / 1000


def response(rate: float, variation: float = VARIATION) -> float:
    """Mean response time in ms by Pollaczek and Khinchine: M/G/1, first come first served."""
    rho = utilisation(rate)
    return SERVICE * (1 + rho * (1 + variation) / (2 * (1 - rho)))


def served(q: int) -> int:
    """Reads in a second with so many outstanding, as the question tells them: in whole numbers."""
    return round(iops(simulate(SYSTEM, f"load.outstanding={q}")))


def at_rate(rate: float) -> str:
    """Change the open load to a rate."""
    return f"load.rate={rate} IO/s"


LESSON = Lesson(
    name="queues",
    title="Queues, and Little's law",
    about="what rate, latency and the number under way have to do with each other",
    text=f"""\
A disk serves one request at a time; whoever comes meanwhile waits. Two laws say most of what there is to say.

Little's law. Let L requests be in a system on average, X leave it in a second, and each stay for W. Then

    L = X · W

for every system, whatever its order, its drives or its load. Two of the three tell the third. A load that keeps q I/Os outstanding (a closed load, as fio's iodepth) has L = q: once the disk is busy all the time, X cannot grow any more, and all that a longer queue does is make W = q / X longer.

The law of utilisation. A server that needs S for a request, and gets X of them in a second, is busy for the share U = X · S of the time. At U = 1 it is saturated: X = 1 / S.

What arrives at a rate of its own (an open load, as the customers of a shop) does not wait for answers. Requests that come at random then meet others in front of them, the more often the busier the disk is:

    W = S · (1 + U · (1 + C²) / (2 · (1 - U)))        C² = variance of S over its mean squared

This is the formula of Pollaczek and Khinchine for one server. Service that always takes equally long has C² = 0, exponential service has 1. This disk takes S = 5.55 ms with C² = 0.12: a seek of nearly 3.5 ms and half a turn of 2 ms, both of which vary, and {transfer(8 * KIB):.2f} ms for the data. (A disk also takes time to choose an access. Here it is left out: queue.choose_time is 0.)""",
    system=SYSTEM,
    questions=(
        Question(
            ask="The disk serves {rate} reads in a second, and the load keeps {q} of them outstanding. What is the mean latency?",
            draw={"q": (2, 4, 8, 16, 32, 64)},
            also=lambda d: {"rate": served(d.q)},
            unit="ms",
            hand=lambda d: 1000 * d.q / served(d.q),
            runs=(("load.outstanding={q}",),),
            read=lambda d, p: latency(p),
            agrees=0.01,
            way="Little: W = L / X = {q} / {rate} per second = {hand} ms. The simulation measures {simulated} ms.",
            hint="Three numbers belong together: how many are under way, how many leave in a second, and how long each stays.",
            mistakes=(
                Mistake(
                    lambda d: 1000 / served(d.q),
                    "One over the rate is the time between two completions. With {q} under way at a time each takes {q} times as long.",
                ),
            ),
        ),
        Question(
            ask="{rate} reads in a second arrive at this disk at random (an open load). For which share of the time is its arm busy?",
            draw={"rate": RATES},
            unit="%",
            hand=lambda d: 100 * utilisation(d.rate),
            simulated=lambda d: busy(simulate(OPEN, at_rate(d.rate)), "disk arm"),
            way="U = X · S = {rate} / s · 5.55 ms = {hand} %. The arm was busy for {simulated} % of the simulated time.",
            hint="How much work arrives in a second, if each read is 5.55 ms of it?",
            mistakes=(
                Mistake(
                    lambda d: 100 - 100 * utilisation(d.rate),
                    "That is the share of the time in which the arm is idle.",
                ),
            ),
        ),
        Question(
            ask="The same open load of {rate} reads in a second: how long does a read take on average, with its waiting?",
            draw={"rate": RATES},
            unit="ms",
            tolerance=0.07,
            agrees=0.08,
            hand=lambda d: response(d.rate),
            simulated=lambda d: latency(simulate(OPEN, at_rate(d.rate))),
            also=lambda d: {"u": utilisation(d.rate), "idle": 1 - utilisation(d.rate)},
            way="U = {u:.2f}, so W = 5.55 ms · (1 + {u:.2f} · 1.12 / (2 · {idle:.2f})) = {hand} ms. Simulated: {simulated} ms. The two differ by 0.1 ms of controller and host, which the formula leaves out, and by chance, which counts the more the busier the disk is.",
            hint="Put U = X · S and C² = 0.12 into the formula of Pollaczek and Khinchine.",
            mistakes=(
                Mistake(
                    lambda d: SERVICE / (1 - utilisation(d.rate)),
                    "S / (1 - U) holds for exponential service. A disk varies less: C² is 0.12, not 1.",
                ),
                Mistake(
                    lambda d: SERVICE,
                    "That is the time of a read that finds the disk idle. It does so in the share 1 - U of the cases only.",
                ),
            ),
        ),
        Question(
            ask="With {q} outstanding the disk has some latency. How many times as long is it with {twice} outstanding? Predict before you see the result.",
            draw={"q": (4, 8, 16, 32)},
            also=lambda d: {"twice": 2 * d.q},
            hand=lambda d: 2.0,
            runs=(("load.outstanding={q}",), ("load.outstanding={twice}",)),
            read=lambda d, a, b: latency(b) / latency(a),
            agrees=0.03,
            predict=True,
            way="The disk was busy all the time before: X stays, L doubles, so W = L / X doubles. Simulated: {simulated} times.",
            hint="Can a disk that is busy all the time do any more in a second?",
        ),
        Question(
            ask="Run the system with {q} outstanding, and again with discs that turn at {rpm} rpm. How many times as many reads does it do in a second at the lower speed?",
            draw={"q": (2, 8, 32), "rpm": (5400, 7200, 10000)},
            runs=(
                ("load.outstanding={q}",),
                ("load.outstanding={q}", 'volume.set."spindle.speed"={rpm} rpm'),
            ),
            read=lambda d, a, b: iops(b) / iops(a),
            way="Simulated: {simulated} times. Half a turn is longer, the seek is not: the saturated disk does 1 / S, and S grew from 5.55 ms.",
            hint='Change volume.set."spindle.speed", and divide the rates.',
            mistakes=(
                Mistake(
                    lambda d: d.rpm / 15000,
                    "Only the rotation takes longer by that factor; the seek stays as it is.",
                ),
            ),
        ),
        Question(
            ask='Replace "fifo" by the order "sptf" (shortest positioning time first) and sort all that is queued (volume.set."queue.window" = 64). What is the mean latency at {q} outstanding?',
            draw={"q": (4, 8, 16, 32)},
            unit="ms",
            runs=(
                (
                    "load.outstanding={q}",
                    'volume.set."queue.discipline"="sptf"',
                    'volume.set."queue.window"=64',
                ),
            ),
            read=lambda d, p: latency(p),
            also=lambda d: {
                "fifo": latency(simulate(SYSTEM, f"load.outstanding={d.q}")),
            },
            way="Simulated: {simulated} ms, in place of {fifo} ms. Little's law has no exception: each access is shorter, so X is higher, so W = {q} / X is shorter. The order changes S; it does not change the law.",
            hint="Run it; both keys belong into volume.set.",
            mistakes=(
                Mistake(
                    lambda d: latency(simulate(SYSTEM, f"load.outstanding={d.q}")),
                    "That is the latency in the old order.",
                ),
            ),
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("outstanding I/Os", (1, 2, 4, 8, 16, 32, 64), ("load.outstanding={value}",)),
            Knob(
                "speed",
                (5400, 7200, 10000, 15000),
                ('volume.set."spindle.speed"={value} rpm',),
                "rpm",
            ),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("mean latency", "ms", latency),
        ),
    ),
    sources=(
        "J. D. C. Little, A proof for the queuing formula L = λW, Operations Research 9 (1961)",
        "L. Kleinrock, Queueing Systems, volume 1, 1975, chapter 5 (M/G/1)",
        "R. H. and A. C. Arpaci-Dusseau, Operating Systems: Three Easy Pieces, chapter 37 (hard disk drives)",
    ),
    simplifications=(
        "Service times of one disk follow each other: where the arm stands depends on the read before. The formula takes them as independent.",
        "The disk does not read ahead, and sorts nothing, so that one order and one service time are left.",
    ),
    disagreements=(
        "The formula leaves out controller and host, which take 0.1 ms. At high utilisation a window of 20,000 reads still has a few per cent of chance in it, which may be more than that.",
    ),
)

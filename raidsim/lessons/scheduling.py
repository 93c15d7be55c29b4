"""Lesson: the order in which a disk serves its queue."""

from raidsim.teaching.figures import iops, latency, p99
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# One disk that sorts all that is queued: by which order?
title = "The order of a disk's queue"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "seagate-st373455ss"

[volume.set]
"queue.discipline" = "fifo"     # or "sstf", "look", "sptf"
"queue.window" = 256            # commands that it chooses from: all
"queue.ageing" = 0              # waiting counts for nothing
"queue.choose_time" = "0 ms"
"command.queue_depth" = 256
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 16

[measure]
precision = "2 %"
min_ios = 8_000
max_ios = 8_000
"""
ORDERS = ("fifo", "sstf", "look", "sptf")


def order(name: str) -> str:
    """Change the order."""
    return f'volume.set."queue.discipline"="{name}"'


def at(name: str, q: int) -> float:
    """IO/s in an order with so many outstanding."""
    return iops(simulate(SYSTEM, order(name), f"load.outstanding={q}"))


LESSON = Lesson(
    name="scheduling",
    title="The order of the queue",
    about="what sorting gains, when it gains nothing, and who pays for it",
    text="""\
When several requests wait, somebody may choose which one the arm serves next: the operating system, or the disk itself, which knows where its heads are.

    fifo    first come, first served
    sstf    shortest seek time first: the nearest cylinder
    look    the nearest one ahead; the arm turns where nothing is left (also: elevator, SCAN)
    sptf    shortest positioning time first: the least seek and rotation together (also: SATF)

Only sptf counts rotation. On a disk whose short seeks take less than half a turn that matters most: a near cylinder whose sector has just passed costs a turn.

What is there to choose from? With one request outstanding nothing, and all orders are alike. With q requests at random places the nearest one is about 1 / q of the way off, so the gain grows with the queue, and ever more slowly.

Who pays? Orders that take the nearest leave the far ones waiting. The mean gets better while the slowest requests get worse; sstf and sptf may even starve a request, as long as nearer ones keep coming. Disks therefore count waiting as a merit (ageing), and go by the arm's way alone less strictly. An elevator starves nobody: no request waits for more than two sweeps.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="With one read outstanding the disk does {one} reads a second in the order fifo. How many does it do in the order {name}?",
            draw={"name": ("sstf", "look", "sptf")},
            unit="IO/s",
            also=lambda d: {"one": at("fifo", 1)},
            hand=lambda d: at("fifo", 1),
            simulated=lambda d: at(d.name, 1),
            agrees=0.01,
            way="With one request there is nothing to choose from: {hand} IO/s, simulated {simulated}.",
            hint="From how many requests can the disk choose?",
        ),
        Question(
            ask="In the order fifo, one outstanding read makes {one} IO/s. How many make {q} outstanding reads?",
            draw={"q": (4, 8, 16, 32)},
            unit="IO/s",
            also=lambda d: {"one": at("fifo", 1)},
            hand=lambda d: at("fifo", 1),
            simulated=lambda d: at("fifo", d.q),
            agrees=0.05,
            way="First come, first served takes the same way over the platters as one after the other: {hand} IO/s. Simulated: {simulated}; it is 0.1 ms a read faster, since host and controller work on the next read while the arm moves.",
            hint="In which order are the places visited? Would one read at a time visit them in another?",
            mistakes=(
                Mistake(
                    lambda d: d.q * at("fifo", 1),
                    "There is one arm. {q} requests wait for it; it does not become {q} arms.",
                ),
            ),
        ),
        Question(
            ask="Which order does most reads in a second with {q} outstanding?",
            draw={"q": (8, 16, 32, 64)},
            options=ORDERS,
            runs=tuple((order(name), "load.outstanding={q}") for name in ORDERS),
            read=lambda d, *points: float(max(range(4), key=lambda n: iops(points[n]))),
            way="Simulated: the one that knows the rotation. Orders by distance save seeks only, and half a turn of 2 ms remains with each read.",
            hint="Run all four. Which of them counts rotation?",
            mistakes=(
                Mistake(
                    lambda d: 1.0,
                    "The shortest seek saves the arm's way. It is not the arm's way alone that takes time.",
                ),
            ),
        ),
        Question(
            ask="Predict: how many times as many reads as in the order fifo does sptf do in a second, with {q} outstanding?",
            draw={"q": (4, 8, 16, 32)},
            predict=True,
            runs=((order("fifo"), "load.outstanding={q}"), (order("sptf"), "load.outstanding={q}")),
            read=lambda d, a, b: iops(b) / iops(a),
            way="Simulated: {simulated} times. Twice the queue brings less than twice the gain: the best of many random places gets better slowly.",
            hint="From so many places, how long is the shortest seek and rotation?",
        ),
        Question(
            ask="With {q} outstanding, how long do the slowest 1 % of the reads take at least in the order {name} (99th percentile)?",
            draw={"q": (16, 32), "name": ("sstf", "sptf")},
            unit="ms",
            tolerance=0.1,
            runs=((order("{name}"), "load.outstanding={q}"),),
            read=lambda d, p: p99(p),
            also=lambda d: {
                "mean": latency(simulate(SYSTEM, order(d.name), f"load.outstanding={d.q}")),
                "fifo": p99(simulate(SYSTEM, order("fifo"), f"load.outstanding={d.q}")),
            },
            way="Simulated: {simulated} ms, while the mean is {mean} ms. In the order fifo the slowest 1 % take {fifo} ms or more, though its mean is worse. The far ones wait.",
            hint="Run it, and read the column p99.",
            mistakes=(
                Mistake(
                    lambda d: latency(simulate(SYSTEM, order(d.name), f"load.outstanding={d.q}")),
                    "That is the mean.",
                ),
            ),
        ),
        Question(
            ask='Let waiting count: volume.set."queue.ageing" = {ageing} with the order sptf and 32 outstanding. What is the 99th percentile now?',
            draw={"ageing": (0.005, 0.01)},
            unit="ms",
            tolerance=0.1,
            runs=((order("sptf"), "load.outstanding=32", 'volume.set."queue.ageing"={ageing}'),),
            read=lambda d, p: p99(p),
            also=lambda d: {
                "before": p99(simulate(SYSTEM, order("sptf"), "load.outstanding=32")),
                "rate": at("sptf", 32),
                "fifo": at("fifo", 32),
                "ten": iops(
                    simulate(
                        SYSTEM,
                        order("sptf"),
                        "load.outstanding=32",
                        f'volume.set."queue.ageing"={10 * d.ageing:g}',
                    )
                ),
                "now": iops(
                    simulate(
                        SYSTEM,
                        order("sptf"),
                        "load.outstanding=32",
                        f'volume.set."queue.ageing"={d.ageing}',
                    )
                ),
            },
            way="Simulated: {simulated} ms in place of {before} ms, and {now} IO/s in place of {rate}. The slowest gain much, all together lose next to nothing. With ten times as much ageing the rate falls to {ten} IO/s, on its way to the {fifo} of fifo.",
            hint="Run it with the key changed, and read the column p99.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("outstanding I/Os", (1, 2, 4, 8, 16, 32, 64), ("load.outstanding={value}",)),
            Knob("order", ORDERS, ('volume.set."queue.discipline"="{value}"',)),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("mean latency", "ms", latency),
            Shown("99th percentile", "ms", p99),
        ),
    ),
    sources=(
        "B. L. Worthington, G. R. Ganger and Y. N. Patt, Scheduling algorithms for modern disk drives, SIGMETRICS 1994",
        "D. M. Jacobson and J. Wilkes, Disk scheduling algorithms based on rotational position, HP Laboratories, 1991",
    ),
    simplifications=(
        "The disk chooses among all that it has queued, and in no time. Firmware chooses among some of them, and takes time: queue.window and queue.choose_time.",
        "The order is the disk's. A host that sorts cannot know the rotation.",
    ),
    disagreements=(
        "Measured SAS disks gain less than sptf over all 32 commands gives here, since their firmware takes time for each choice: queue.choose_time (see Hard disks in the documentation).",
        "Simulators that put the queue in the host find a fifth less at 32 outstanding, since the time of a command then lies between two accesses.",
    ),
)

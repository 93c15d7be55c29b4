"""Lesson: mirrors, which read from either copy and write to both."""

from raidsim.teaching.figures import both, device_ios, iops, latency
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# RAID 1 of two disks that take requests in their order.
title = "A mirror"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
level = "raid1"
drives = 2
drive = "seagate-st373455ss"
disk_cache = "off"
mirror_reads = "shortest-queue" # of equals the nearer arm

[volume.set]
"queue.discipline" = "fifo"
"command.queue_depth" = 256
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0
"spindle.tolerance" = "0.1 %"   # the discs do not turn alike

[[load]]
read = "100 %"
random = "100 %"
size = "8 KiB"
outstanding = 1

[measure]
precision = "2 %"
min_ios = 8_000
max_ios = 8_000
"""

LAST = {
    1: "Each further copy is one more drive to wait for, and adds less than the one before.",
    4: "While a write waits for its last drive the others go on with the next write, so every drive is busy all the time. Each of them does all the writes, however many drives there are: X stays what it is, and so does W = 4 / X.",
}
"""Why more copies make a write longer, or do not, by the number of writes outstanding."""

ALONE = SYSTEM.replace('level = "raid1"\ndrives = 2', 'level = "single"').replace(
    'mirror_reads = "shortest-queue" # of equals the nearer arm\n', ""
)
"""One of the disks without a mirror."""


def alone(read: int, q: int = 1) -> float:
    """Mean latency of one disk without a mirror, ms."""
    return both(simulate(ALONE, f"load.read={read} %", f"load.outstanding={q}"))


LESSON = Lesson(
    name="mirrors",
    title="Mirrors: reading from either, writing to both",
    about="what a second copy gives readers, and what it costs writers",
    text="""\
A mirror (RAID 1) holds every byte on each of its drives. A read takes one of them, a write goes to all of them and is over when the last one is.

Readers gain twice. Two drives serve twice as many reads, if at least two are outstanding. And even a single read can be sent to the drive whose arm is nearer. Of two arms at random places the nearer one is a fifth of the disk away on average, where one alone is a third away: 5/24 against 1/3.

Writers lose once. Each write is a command to both drives, so a mirror of two writes no more in a second than one drive. And it waits for the slower of the two. If both arms go the same way and only the rotation differs, that is the larger of two waits between 0 and a turn T: 2/3 T on average, where one drive waits for 1/2 T.

    mean of the larger of n waits between 0 and T = n / (n + 1) · T

With a share r of reads, the work of a request is r + 2 (1 - r) commands on two drives. A mirror of two so does

    2 X / (r + 2 (1 - r)) = 2 X / (2 - r)

requests, X being what one drive does. It is 2 X for reads only and X for writes only.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="A write goes to {drives} drives whose discs turn at {rpm} rpm, each at an angle of its own. How long does it wait for the last of them to come round, on average?",
            draw={"drives": (2, 3, 4), "rpm": (7200, 10000, 15000)},
            unit="ms",
            hand=lambda d: d.drives / (d.drives + 1) * 60000 / d.rpm,
            simulated=lambda d: (
                latency(
                    simulate(
                        SYSTEM,
                        "load.read=0 %",
                        f"volume.drives={d.drives}",
                        f'volume.set."spindle.speed"={d.rpm} rpm',
                    ),
                    "write",
                )
                - latency(
                    simulate(ALONE, "load.read=0 %", f'volume.set."spindle.speed"={d.rpm} rpm'),
                    "write",
                )
                + 30000 / d.rpm
            ),
            agrees=0.08,
            also=lambda d: {"turn": 60000 / d.rpm},
            way="n / (n + 1) of a turn of {turn} ms: {hand} ms. In the simulation a write takes so much longer on {drives} drives than on one that it comes to {simulated} ms.",
            hint="The mean of the larger of n waits between 0 and T is n / (n + 1) T.",
            mistakes=(
                Mistake(
                    lambda d: 30000 / d.rpm,
                    "That is what one drive waits for. The write has to wait for the slowest.",
                ),
            ),
        ),
        Question(
            ask="How many commands to drives does a request cause on average on a mirror of two, if {read} % of the requests are reads?",
            draw={"read": (0, 25, 50, 67, 75, 90)},
            tolerance=0.02,
            hand=lambda d: 2 - d.read / 100,
            runs=(("load.read={read} %",),),
            read=lambda d, p: device_ios(p),
            agrees=0.03,
            way="A read is one command, a write is two: {read} % · 1 + the rest · 2 = {hand}. Simulated: {simulated}.",
            hint="A read is one command. And a write?",
        ),
        Question(
            ask="A disk does {x} of these requests a second when it is busy. How many does a mirror of two do with 32 outstanding, if {read} % are reads?",
            draw={"read": (0, 50, 67, 100)},
            unit="IO/s",
            tolerance=0.07,
            also=lambda d: {"x": 32000 / alone(d.read, 32)},
            hand=lambda d: 2 * 32000 / alone(d.read, 32) / (2 - d.read / 100),
            runs=(("load.read={read} %", "load.outstanding=32"),),
            read=lambda d, p: iops(p),
            agrees=0.12,
            way="Two disks share 2 - {read} % commands a request: 2 · {x} / (2 - {read} %) = {hand} IO/s. Simulated: {simulated}. With 32 outstanding each disk has always something to do, and waits for no other.",
            hint="2 X / (2 - r).",
        ),
        Question(
            ask="Predict: one read at a time takes {one} ms on a single disk. How long on a mirror of {drives} that reads where the arm is nearest?",
            draw={"drives": (2, 3, 4)},
            unit="ms",
            predict=True,
            runs=(("volume.drives={drives}", "load.outstanding=1"),),
            read=lambda d, p: latency(p),
            also=lambda d: {"one": alone(100)},
            way="Simulated: {simulated} ms. Nobody waits in either case. The way of the nearest arm is shorter, half a turn is what it was.",
            hint="Nobody waits. But which arm moves?",
        ),
        Question(
            ask='Let the mirror take its copies in turn (volume.mirror_reads = "round-robin"), with reads only and {q} outstanding. How many reads a second?',
            draw={"q": (1, 2)},
            unit="IO/s",
            runs=(("volume.mirror_reads=round-robin", "load.outstanding={q}"),),
            read=lambda d, p: iops(p),
            also=lambda d: {"queue": iops(simulate(SYSTEM, f"load.outstanding={d.q}"))},
            way='Simulated: {simulated} IO/s, where "shortest-queue" does {queue}. Taking turns ignores who is idle and whose arm is near.',
            hint="Run it.",
            mistakes=(
                Mistake(
                    lambda d: iops(simulate(SYSTEM, f"load.outstanding={d.q}")),
                    'That is the rate with "shortest-queue".',
                ),
            ),
        ),
        Question(
            ask="Run writes only with {q} outstanding on a mirror of two, and on one of four. How many times as long is the mean write on four?",
            draw={"q": (1, 4)},
            runs=(
                ("load.read=0 %", "load.outstanding={q}"),
                ("load.read=0 %", "load.outstanding={q}", "volume.drives=4"),
            ),
            read=lambda d, a, b: latency(b, "write") / latency(a, "write"),
            also=lambda d: {"why": LAST[d.q]},
            way="Simulated: {simulated} times. {why}",
            hint="Run both.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("share of reads", (0, 25, 50, 75, 90, 100), ("load.read={value} %",), "%"),
            Knob("outstanding I/Os", (1, 2, 8, 32), ("load.outstanding={value}",)),
            Knob("copies", (2, 3, 4), ("volume.drives={value}",)),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("mean latency", "ms", both),
            Shown(
                "commands per request",
                "",
                device_ios,
                lambda read, q, copies: copies - (copies - 1) * read / 100,
            ),
        ),
    ),
    sources=(
        "D. Bitton and J. Gray, Disk shadowing, VLDB 1988",
        "P. M. Chen and others, RAID: high-performance, reliable secondary storage, ACM Computing Surveys 26(2), 1994",
    ),
    simplifications=(
        "5/24 is the distance of the nearer of two arms whose places are independent. With reads only, arms keep to parts of their own, and are nearer still.",
        "Distance is not time: settling and acceleration make a short seek longer than in proportion.",
    ),
    disagreements=(
        "Linux md chooses the nearer arm among idle drives; controllers often take turns, or fixed halves, and do not say so.",
    ),
)

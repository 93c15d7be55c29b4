"""Lesson: an array with a failed drive."""

from raidsim.lessons.small_write import cost
from raidsim.teaching.figures import device_ios, iops, p99
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# Software RAID 5 of six disks; nothing caches writes. `failed = [0]` takes the first disk out.
title = "An array with a failed drive"

[host]
model = "linux-xeon-e5-pair"

[host.set]
"raid.stripe_cache" = 0         # each write is planned by itself

[[volume]]
level = "raid5"
drives = 6
drive = "seagate-st373455ss"
strip = "64 KiB"
disk_cache = "off"

[volume.set]
"queue.discipline" = "fifo"
"command.queue_depth" = 256
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "100 %"
random = "100 %"
size = "8 KiB"
outstanding = 16

[measure]
precision = "2 %"
min_ios = 6_000
max_ios = 6_000
"""
FAILED = "volume.failed=[0]"


def reads_degraded(drives: int) -> float:
    """Accesses of a read of RAID 5 with a failed drive: 2 (N - 1) / N."""
    return 2 * (drives - 1) / drives


def writes_degraded(drives: int) -> float:
    """Accesses of a small write of RAID 5 with a failed drive, four drives or more.

    Its data is on the lost drive: the other N - 2 data strips are read, parity is written. Its
    parity is: the data is written. Else it is a read-modify-write.
    """
    n = drives
    return ((n - 1) + 1 + (n - 2) * cost("raid5", n)) / n


SERVICE = 5.55
"""Mean service time of a read, ms."""


def arms_at(busy: int, *changes: str) -> float:
    """Mean utilisation of the arms, in percent, at a rate that keeps six whole disks so busy."""
    rate = 6 * busy / 100 / SERVICE * 1000
    point = simulate(SYSTEM.replace("outstanding = 16", f'rate = "{rate:.0f} IO/s"'), *changes)
    arms = [use.utilisation for use in point.stations if use.kind == "disk arm"]
    return 100 * sum(arms) / len(arms)


LESSON = Lesson(
    name="degraded",
    title="A failed drive",
    about="what an array with a missing drive still does, and how fast",
    text="""\
When a drive of a RAID 5 fails, nothing is lost and nothing stops: what was on it is the exclusive or of the same place on all other drives. It is only work. Of N drives:

    a read of data that is there          1 access
    a read of data of the lost drive      N - 1 accesses: all the others

The lost drive had 1 / N of the data, so a read takes on average

    (N - 1) / N · 1 + 1 / N · (N - 1) = 2 (N - 1) / N

accesses, nearly two, on one drive less. Each survivor has twice the reads that it had: its own, and its part of every read of lost data. A degraded RAID 5 that only reads does half of what it did.

Writes suffer less. If the data is on the lost drive, the other N - 2 data strips are read, and parity is written: N - 1 accesses. If the parity is on it, the data is written, and that is all: 1. In all other cases it is the small write as before, 4.

A RAID 10 loses one of two copies. Each read takes one access as before, but all reads of that pair go to the partner, and a write there is one access in place of two. So it loses little in work; but the partner has twice the reads of the others, and a load with a fixed number outstanding waits for it.

With many drives the figure of RAID 5 hardly depends on N. The latency of reads of lost data does: they wait for the slowest of N - 1.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="A RAID 5 of {drives} disks has lost one. How many accesses does a random read of 8 KiB take on average?",
            draw={"drives": (4, 5, 6, 8, 10)},
            tolerance=0.02,
            hand=lambda d: reads_degraded(d.drives),
            runs=(("volume.drives={drives}", FAILED),),
            read=lambda d, p: device_ios(p),
            agrees=0.03,
            way="2 · ({drives} - 1) / {drives} = {hand}. Counted: {simulated}.",
            hint="Which share of the reads is of lost data, and how many accesses does each of these take?",
            mistakes=(
                Mistake(
                    lambda d: d.drives - 1,
                    "Only 1 of {drives} reads is of lost data. The others take one access.",
                ),
                Mistake(lambda d: 1.0, "That holds for data that is still there."),
            ),
        ),
        Question(
            ask="The same degraded RAID 5 of {drives} disks: how many accesses does a random write of 8 KiB take on average?",
            draw={"drives": (5, 6, 8, 10)},
            tolerance=0.02,
            hand=lambda d: writes_degraded(d.drives),
            runs=(("volume.drives={drives}", "load.read=0 %", FAILED),),
            read=lambda d, p: device_ios(p),
            agrees=0.03,
            also=lambda d: {"others": d.drives - 2, "lost": d.drives - 1},
            way="Of {drives} writes one has its data on the lost drive ({lost} accesses), one its parity (1), {others} neither (4 each): {hand} on average. Counted: {simulated}.",
            hint="Three cases: data lost, parity lost, neither.",
            mistakes=(
                Mistake(
                    lambda d: 4.0 if abs(writes_degraded(d.drives) - 4) > 0.1 else -1.0,
                    "Four holds where neither data nor parity of the write is on the lost drive.",
                ),
            ),
        ),
        Question(
            ask="A healthy RAID 5 reads with {busy} % of its disks' time at some rate of arrivals. How busy are the survivors at the same rate once a disk has failed?",
            draw={"busy": (20, 30, 40)},
            unit="%",
            tolerance=0.03,
            hand=lambda d: 2.0 * d.busy,
            simulated=lambda d: arms_at(d.busy, FAILED),
            agrees=0.05,
            way="Each survivor has its own reads and its part of every read of lost data: twice as many. {hand} %. Simulated with six disks: {simulated} %.",
            hint="How many reads has each survivor, compared with before?",
            mistakes=(
                Mistake(
                    lambda d: d.busy * 6 / 5,
                    "That would be so if the work of the lost disk were shared out. But each of its reads becomes one on every survivor.",
                ),
            ),
        ),
        Question(
            ask="Predict: {q} reads outstanding on six disks. Which share of its healthy rate does the degraded RAID 5 keep?",
            draw={"q": (8, 16, 64)},
            unit="%",
            predict=True,
            runs=(("load.outstanding={q}",), (FAILED, "load.outstanding={q}")),
            read=lambda d, a, b: 100 * iops(b) / iops(a),
            way="Simulated: {simulated} %. Twice the work for each survivor would leave half; with few outstanding the disks were not busy before, and reads of lost data keep them busier.",
            hint="How much more work is it, for each drive that is left?",
        ),
        Question(
            ask="Run a RAID 10 of {drives} disks with reads and 16 outstanding, whole and with a failed disk. Which share of its rate does it keep?",
            draw={"drives": (4, 6, 8)},
            unit="%",
            runs=(
                ("volume.level=raid10", "volume.drives={drives}"),
                ("volume.level=raid10", "volume.drives={drives}", FAILED),
            ),
            read=lambda d, a, b: 100 * iops(b) / iops(a),
            also=lambda d: {"even": 100 * (d.drives - 1) / d.drives},
            way="Simulated: {simulated} %. One of {drives} disks less would leave {even} % if the rest shared the work evenly; but the partner alone has the reads of two.",
            hint="Run both, and divide.",
            mistakes=(
                Mistake(
                    lambda d: 100 * (d.drives - 1) / d.drives,
                    "The disks that are left do not share the work evenly: who has the data of the lost one?",
                ),
            ),
        ),
        Question(
            ask="How many times as long as before do the slowest 1 % of the reads take in a degraded RAID 5 of {drives} disks with {q} outstanding?",
            draw={"drives": (4, 6, 8), "q": (4, 16)},
            tolerance=0.07,
            runs=(
                ("volume.drives={drives}", "load.outstanding={q}"),
                ("volume.drives={drives}", "load.outstanding={q}", FAILED),
            ),
            read=lambda d, a, b: p99(b) / p99(a),
            way="Simulated: {simulated} times. Every survivor has twice the reads, so queues are longer; and a read of lost data waits for the longest of them.",
            hint="Run both, and look at the column p99.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("outstanding I/Os", (1, 4, 16, 64), ("load.outstanding={value}",)),
            Knob("failed disks", ("[]", "[0]"), ("volume.failed={value}",)),
            Knob("level", ("raid5", "raid6", "raid10"), ("volume.level={value}",)),
            Knob("share of reads", (0, 67, 100), ("load.read={value} %",), "%"),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("commands per request", "", device_ios),
        ),
    ),
    sources=(
        "M. Holland and G. A. Gibson, Parity declustering for continuous operation in redundant disk arrays, ASPLOS 1992",
        "R. R. Muntz and J. C. S. Lui, Performance analysis of disk arrays under failure, VLDB 1990",
    ),
    simplifications=(
        "The failed drive is known to be gone; the time until it is taken for dead is not part of it.",
        "No rebuild goes on: that is the next lesson.",
    ),
    disagreements=(
        "Linux md reads all surviving drives for lost data, also under RAID 6, where one fewer would do; and it may read for a write whose parity is lost.",
        "Texts that say that a degraded RAID 5 is N times slower mean the one read of lost data, not the mean.",
    ),
)

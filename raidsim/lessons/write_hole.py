"""Lesson: the write hole, and the bitmap."""

import numpy as np

from raidsim.layout.arrange import arrange
from raidsim.lessons.rebuild import idle_seconds, media
from raidsim.result import Point
from raidsim.result.cuts import VolumeCut
from raidsim.store.array import Store
from raidsim.teaching.lesson import Explore, Given, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# Software RAID 5 is being written to when the power fails; no load runs when it is back.
title = "The write hole"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
level = "raid5"
drives = 5
drive = "seagate-st373455ss"    # 73 GB
strip = "64 KiB"
disk_cache = "off"
intent = "none"                 # or "bitmap", "ppl", "journal"
rebuild_sample = "0.1 %"

[[load]]
read = "0 %"
random = "100 %"
size = "8 KiB"
outstanding = 8
limit = { time = "2 s" }

[[event]]
kind = "power-cut"
at = "2 s"
outage = "1 s"
boot = "0 s"
"""


def cut(point: Point) -> VolumeCut:
    """Return the losses of the power cut."""
    assert point.course is not None
    return point.course.power_cuts[0].volumes[0]


def resync(point: Point) -> float:
    """Return the time of the resync, s."""
    assert point.course is not None
    found = point.course.operations[0].seconds
    assert found is not None
    return found


def torn(point: Point) -> float:
    """Stripes whose parity does not agree with their data."""
    return float(len(cut(point).inconsistent))


def hole(point: Point) -> float:
    """KiB of data that the loss of some drive would spoil, all drives together."""
    return sum(one.length for one in cut(point).write_hole) / 1024


def read_back(d: Given) -> float:
    """Tear a stripe of a real RAID 5 of three drives, lose the other drive, and read its byte."""
    store = Store(arrange("5", 3, 512, 512, rotation="parity-last"))
    store.write(0, np.full(512, d.a, np.uint8))
    store.write(512, np.full(512, d.b, np.uint8))
    store.drives[0][:] = d.new  # the power goes before the new parity is written
    store.fail(1)
    return float(store.read(512, 1)[0])


LESSON = Lesson(
    name="write-hole",
    title="The write hole, and the bitmap",
    about="how data is spoilt that nobody was writing to, and what a resync costs",
    text="""\
A small write changes data and parity, on two drives. If the power goes when one of them is written and the other is not, they come from different times. Nothing is lost yet: all data can be read. But the parity of that stripe is wrong, and the next failure of a drive uses it:

    b' = a_new xor parity_old = a_new xor (a_old xor b) = b xor (a_old xor a_new)

What is computed for b is not b, though nobody has written to b, and no error says so. That is the write hole. Mirrors have none: copies may differ, but either is old or new.

So after a crash parity is computed anew (resync). Of which stripes? If nobody knows which were being written, of all: as long as the whole array takes to read, hours on large disks, in which the hole is open.

    nothing noted    everything
    bitmap           regions (64 MiB of each drive) that were written to lately: a bit each,
                     set before the write
    journal          what is being written is written there first: some stripes, no hole at all
    partial parity   what stays as it is in a stripe is noted first (md: ppl): some stripes, no
                     hole either, and one more write for each
    battery          a controller that keeps its memory finishes what it had begun

A bitmap is as good as writes are close together. Random writes over the whole array dirty a region each; on a small area they share a few. Its price is a small write to all drives before the first write into a clean region, so random writes over a large array are far slower with it.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="RAID 5 of three drives holds the bytes a = {a} and b = {b}, and their parity. a is overwritten by {new}, and the power goes before the parity is. Then the drive of b fails. What is read for b?",
            draw={"a": (3, 12, 40, 170), "b": (7, 25, 99, 201), "new": (17, 64, 254)},
            tolerance=0.0,
            hand=lambda d: d.b ^ d.a ^ d.new,
            simulated=read_back,
            agrees=0.0,
            also=lambda d: {"p": d.a ^ d.b},
            way="The parity is {a} xor {b} = {p}, of the old a. What is computed for b is {new} xor {p} = {hand}, not {b}. A real array of bytes, torn in the same way, gives {simulated}.",
            hint="b is computed as a xor parity. Which a, and which parity?",
            mistakes=(
                Mistake(lambda d: d.b, "That would be so if the parity were that of the new a."),
            ),
        ),
        Question(
            ask="Nothing is noted, and nobody is there: how long does the resync of disks of 73.4 GB and {rpm} rpm take? A track of 466 kB on average passes in a turn, and the next one begins 0.5 ms later.",
            draw={"rpm": (7200, 10000, 15000)},
            unit="s",
            hand=lambda d: idle_seconds(d.rpm),
            runs=(('volume.set."spindle.speed"={rpm} rpm',),),
            read=lambda d, p: resync(p),
            agrees=0.05,
            also=lambda d: {"rate": media(d.rpm)},
            way="All of every drive is read, all drives at the same time: 73.4 GB / {rate} MB/s = {hand} s. Simulated: {simulated} s. A disk of 20 TB takes a day.",
            hint="What has to be read, and by how many drives at a time?",
        ),
        Question(
            ask="A bitmap with regions of 64 MiB of each drive, all writes in an area of {area} GB of the volume of four data drives. How many GB of each drive does the resync go through at most?",
            draw={"area": (1, 4, 8)},
            unit="GB",
            tolerance=0.12,
            hand=lambda d: d.area / 4,
            runs=(("volume.intent=bitmap", "load.area.size={area} GB"),),
            read=lambda d, p: sum(last - first for first, last in cut(p).resync_rows) * 65536 / 1e9,
            agrees=0.12,
            way="The area lies on {area} / 4 = {hand} GB of each drive, and no bit outside of it is set. Simulated: {simulated} GB; the last region is a whole one.",
            hint="How much of each drive does the area take?",
            mistakes=(
                Mistake(
                    lambda d: d.area,
                    "The volume's bytes are spread over four drives of data in each stripe.",
                ),
            ),
        ),
        Question(
            ask="Predict: without anything noted the resync takes {none} s. How long with a bitmap, if all writes are in the first {area} GB?",
            draw={"area": (1, 4, 8)},
            unit="s",
            predict=True,
            also=lambda d: {"none": resync(simulate(SYSTEM))},
            runs=(("volume.intent=bitmap", "load.area.size={area} GB"),),
            read=lambda d, p: resync(p),
            way="Simulated: {simulated} s. Only regions that were written to in the last seconds are gone through.",
            hint="How many GB of each drive, at the rate of its outer tracks?",
        ),
        Question(
            ask='Run it with "{intent}" noted and writes over all of the array. How many times as many writes a second does it do as with "none"?',
            draw={"intent": ("bitmap",)},
            tolerance=0.1,
            runs=(("volume.intent={intent}",), ()),
            read=lambda d, a, b: a.counts.completed / b.counts.completed,
            way="Simulated: {simulated} times. Nearly every write is the first into its region, and waits for its bit on all drives.",
            hint="Run both, and divide the completed I/Os.",
        ),
        Question(
            ask="How many stripes are torn (inconsistent) when the power goes with {q} writes outstanding and nothing noted?",
            draw={"q": (8, 32)},
            unit="",
            tolerance=0.0,
            runs=(("load.outstanding={q}",),),
            read=lambda d, p: torn(p),
            also=lambda d: {"hole": hole(simulate(SYSTEM, f"load.outstanding={d.q}"))},
            way="Simulated: {simulated}; {hole} KiB of data that nobody wrote to hang on them. Of {q} writes under way most are still reading, or waiting for a disk; torn are those of which one disk has written and the other has not. The number is a matter of chance: another seed gives another one.",
            hint="Run it, and look at what the power cut did.",
            mistakes=(
                Mistake(
                    lambda d: d.q,
                    "Not every write under way is just between its two writes.",
                ),
            ),
        ),
        Question(
            ask='And with volume.intent = "journal": how many KiB are in the hole then?',
            draw={"q": (8, 32)},
            unit="KiB",
            tolerance=0.0,
            runs=(("volume.intent=journal", "load.outstanding={q}"),),
            read=lambda d, p: hole(p),
            way="Simulated: {simulated}. What was being written stands in the journal, and is finished after power-on.",
            hint="Run it with {q} outstanding.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("area that is written", (1, 2, 4, 8, 16), ("load.area.size={value} GB",), "GB"),
            Knob("noted", ("none", "bitmap", "ppl", "journal"), ("volume.intent={value}",)),
            Knob("outstanding writes", (8, 32), ("load.outstanding={value}",)),
        ),
        shown=(
            Shown("time of the resync", "s", resync),
            Shown("torn stripes", "", torn),
            Shown("hole", "KiB", hole),
            Shown("writes in two seconds", "", lambda p: float(p.counts.completed)),
        ),
    ),
    sources=(
        "J. Gray and A. Reuter, Transaction Processing: Concepts and Techniques, 1993 (torn writes)",
        "T. E. Denehy, A. C. and R. H. Arpaci-Dusseau, Journal-guided resynchronization for software RAID, FAST 2005",
        "Linux kernel documentation, md: write-intent bitmap, raid5-ppl, raid5-cache",
    ),
    simplifications=(
        "A drive finishes the sector under its head and none after it.",
        "The journal costs no writes of its own here but for those of the array's drives.",
    ),
    disagreements=(
        "Makers of controllers say that theirs have no write hole; that holds as long as the battery does.",
        "0.1 % of the rows is resynchronised; times are extrapolated, some per cent are within that.",
    ),
)

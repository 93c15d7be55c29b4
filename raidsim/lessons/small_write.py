"""Lesson: the small write."""

from raidsim.teaching.figures import device_ios, iops, latency, planned_rate
from raidsim.teaching.lesson import Explore, Given, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# Software RAID 5 of six disks that take requests in their order; nothing caches writes.
title = "The small write"

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
read = "0 %"
random = "100 %"
size = "8 KiB"
outstanding = 64

[measure]
precision = "2 %"
min_ios = 4_000
max_ios = 4_000
"""
PARITY = {"raid5": 1, "raid6": 2}


def cost(level: str, drives: int) -> int:
    """Commands of a write within one strip: what is read, then data and parity written."""
    if level == "raid0":
        return 1
    if level == "raid10":
        return 2
    parity = PARITY[level]
    old = 1 + parity  # data and parity that are about to change
    rest = drives - parity - 1  # the other data of the stripe
    return min(old, rest) + 1 + parity


def busy_disk(read: float, system: str = SYSTEM) -> float:
    """IO/s of one disk of a system that is busy, with a share of reads from 0 to 1."""
    changes = ("volume.level=raid0", "volume.drives=1", "load.outstanding=16")
    return iops(simulate(system, *changes, f"load.read={100 * read:.0f} %"))


def planned(d: Given) -> float:
    """IO/s by the planning formula."""
    return planned_rate(d.drives, busy_disk(d.read / 100), d.read / 100, cost(d.level, d.drives))


LESSON = Lesson(
    name="small-write",
    title="The small write",
    about="why a write of 8 KiB costs four accesses under RAID 5, and six under RAID 6",
    text="""\
Parity is the exclusive or of the data of a stripe, byte by byte. Whoever changes data has to change parity too, or it would tell something wrong when a drive fails. For a write that is much smaller than a stripe there are two ways to the new parity:

    read-modify-write    read old data and old parity;
                         new parity = old parity xor old data xor new data
    reconstruct-write    read the rest of the stripe; new parity = xor of all data

RAID 5, by the first: two reads, then two writes, whatever the number of drives. By the second: as many reads as there are other data drives, then two writes. The way with fewer reads is taken. Of three drives there is only one other data drive: one read and two writes.

RAID 6 has two parities, P and Q, and changes both: three reads (old data, P, Q) and three writes, six in all. A mirror writes twice and reads nothing. RAID 0 writes once.

The planning formula follows. An array of N drives that do X accesses a second each, with a share r of reads and the cost c of a write (its write penalty), does at most

    N · X / (r + (1 - r) · c)

requests a second. What it does not tell is latency: reads and writes of a small write follow one another, so even on an idle array it takes about two accesses. And the second one often has to wait for a whole turn, since it goes to the place that was read a moment ago.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="How many accesses to drives does a write of 8 KiB cost on a {level} of {drives} drives, if nothing is cached?",
            draw={"level": ("raid5", "raid6"), "drives": (4, 5, 6, 8)},
            tolerance=0.0,
            hand=lambda d: cost(d.level, d.drives),
            runs=(("volume.level={level}", "volume.drives={drives}"),),
            read=lambda d, p: device_ios(p),
            agrees=0.005,
            also=lambda d: {
                "parity": PARITY[d.level],
                "old": 1 + PARITY[d.level],
                "rest": d.drives - PARITY[d.level] - 1,
            },
            way="Parity strips: {parity}. Read-modify-write reads {old}, reconstruct-write reads the other {rest} data strips; the smaller, and then 1 + {parity} writes: {hand}. Counted in the simulation: {simulated}.",
            hint="What has to be read before the new parity is known, and what is written then?",
            mistakes=(
                Mistake(
                    lambda d: 1 + PARITY[d.level],
                    "That is what is written. From what is the new parity computed?",
                ),
                Mistake(
                    lambda d: 4 if d.level == "raid6" and d.drives >= 6 else -1,
                    "Four is RAID 5. Q has to be read and written as well as P.",
                ),
            ),
        ),
        Question(
            ask="A RAID 5 of only {drives} drives: how many accesses does a small write cost?",
            draw={"drives": (3,)},
            tolerance=0.0,
            hand=lambda d: cost("raid5", 3),
            runs=(("volume.drives={drives}",),),
            read=lambda d, p: device_ios(p),
            agrees=0.005,
            way="There is one other data strip in the stripe. Reading it is enough: 1 read + 2 writes = {hand}. Simulated: {simulated}.",
            hint="How many other data strips has its stripe?",
            mistakes=(
                Mistake(
                    lambda d: 4,
                    "Four holds from four drives on. With three, one read tells the whole rest of the stripe.",
                ),
            ),
        ),
        Question(
            ask="A busy disk does {x} accesses a second. By the planning formula, how many requests does a {level} of {drives} such disks do, if {read} % of them are reads?",
            draw={"level": ("raid5", "raid6", "raid10"), "drives": (6, 8), "read": (0, 50, 67)},
            unit="IO/s",
            tolerance=0.03,
            hand=planned,
            runs=(("volume.level={level}", "volume.drives={drives}", "load.read={read} %"),),
            read=lambda d, p: iops(p),
            agrees=0.07,
            also=lambda d: {"x": busy_disk(d.read / 100), "cost": cost(d.level, d.drives)},
            way="{drives} · {x} / ({read} % + {cost} · the rest) = {hand} IO/s. With 64 outstanding the simulated array does {simulated}. The formula takes all drives as busy all the time.",
            hint="What does a write cost at this level?",
            mistakes=(
                Mistake(
                    lambda d: d.drives * busy_disk(d.read / 100),
                    "That is RAID 0. Here a write is more than one access.",
                ),
            ),
        ),
        Question(
            ask="One write at a time: on one disk it takes {one} ms. Predict how long it takes on a {level} of six.",
            draw={"level": ("raid5", "raid6", "raid10")},
            unit="ms",
            predict=True,
            runs=(("volume.level={level}", "load.outstanding=1"),),
            read=lambda d, p: latency(p, "write"),
            also=lambda d: {
                "one": latency(
                    simulate(SYSTEM, "volume.level=raid0", "volume.drives=1", "load.outstanding=1"),
                    "write",
                )
            },
            way="Simulated: {simulated} ms. Under parity the reads come first, and the slowest of them is waited for; then the writes go to places that have just passed under the head: nearly a whole turn of 4 ms more. A mirror only waits for the slower of two.",
            hint="What has to happen before the first write can begin, and where is the platter then?",
        ),
        Question(
            ask="Run {q} outstanding writes on RAID 5 and on RAID 10, both of eight disks. How many times as many does RAID 10 do in a second?",
            draw={"q": (8, 32, 64)},
            runs=(
                ("volume.drives=8", "load.outstanding={q}"),
                ("volume.drives=8", "volume.level=raid10", "load.outstanding={q}"),
            ),
            read=lambda d, a, b: iops(b) / iops(a),
            way="Simulated: {simulated} times. The planning formula says 4 / 2 = 2 with enough outstanding.",
            hint="Run both, and divide.",
            mistakes=(Mistake(lambda d: 4.0, "A mirror writes twice, too."),),
        ),
        Question(
            ask='Forbid read-modify-write (volume.parity_writes = "no-modify") on RAID 5 of {drives} disks. How many accesses does a write cost now?',
            draw={"drives": (5, 6, 8, 10)},
            runs=(("volume.drives={drives}", "volume.parity_writes=no-modify"),),
            read=lambda d, p: device_ios(p),
            tolerance=0.02,
            way="Simulated: {simulated}: all other data strips are read. That is how arrays without read-modify-write behave, and why it is there: its cost does not grow with the array.",
            hint="Run it, and count reads and writes to drives for each request of the host; or think which strips have to be read.",
            mistakes=(Mistake(lambda d: 4.0, "Four is read-modify-write, which is forbidden."),),
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("share of reads", (0, 25, 50, 67, 75, 90, 100), ("load.read={value} %",), "%"),
            Knob("level", ("raid0", "raid10", "raid5", "raid6"), ("volume.level={value}",)),
            Knob("disks", (4, 6, 8), ("volume.drives={value}",)),
        ),
        shown=(
            Shown(
                "rate",
                "IO/s",
                iops,
                lambda read, level, drives: planned_rate(
                    drives, busy_disk(read / 100), read / 100, cost(level, drives)
                ),
            ),
            Shown(
                "commands per request",
                "",
                device_ios,
                lambda read, level, drives: read / 100 + (1 - read / 100) * cost(level, drives),
            ),
        ),
    ),
    sources=(
        "D. A. Patterson, G. Gibson and R. H. Katz, A case for redundant arrays of inexpensive disks (RAID), SIGMOD 1988",
        "P. M. Chen and others, RAID: high-performance, reliable secondary storage, ACM Computing Surveys 26(2), 1994",
        "R. H. and A. C. Arpaci-Dusseau, Operating Systems: Three Easy Pieces, chapter 38 (RAID)",
    ),
    simplifications=(
        "No cache: a controller that writes back gathers small writes, and some become full stripes.",
        "Each write lies in one strip.",
    ),
    disagreements=(
        "Many texts say four for RAID 5 without exception; of three drives it is three, and six for RAID 6 holds from six drives on.",
        "The planning formula is up to 6 % too high here at 64 outstanding, and more with fewer: not all drives are busy at all times, and stripes that are being written are locked.",
    ),
)

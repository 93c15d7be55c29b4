"""Lesson: RAID 5, 6 and 10 for one budget."""

from raidsim.layout.arrange import WORDS, arrange
from raidsim.lessons.small_write import busy_disk, cost
from raidsim.teaching.figures import iops, planned_rate
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown

SYSTEM = """\
# Eight disks by software of the host, without a write cache: which level?
title = "Eight disks"

[host]
model = "linux-xeon-e5-pair"

[host.set]
"raid.stripe_cache" = 0

[[volume]]
level = "raid10"
drives = 8
drive = "seagate-st373455ss"    # 73 GB
strip = "64 KiB"
disk_cache = "off"

[volume.set]
"queue.discipline" = "fifo"
"command.queue_depth" = 256
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "67 %"
random = "100 %"
size = "8 KiB"
outstanding = 64

[measure]
precision = "2 %"
min_ios = 5_000
max_ios = 5_000
"""
LEVELS = ("raid5", "raid6", "raid10")
STRIP = 65536
GB = 73.407868928


def data_drives(level: str, drives: int) -> int:
    """Return the number of drives' worth of data in an array."""
    return {"raid5": drives - 1, "raid6": drives - 2, "raid10": drives // 2}[level]


def laid_out(level: str, drives: int) -> float:
    """The same as the layout itself says it, for drives of 1000 strips."""
    layout = arrange(WORDS[level], drives, STRIP, 1000 * STRIP)
    return int(layout["size"]) / (1000 * STRIP)


def drives_for(level: str, data: int) -> int:
    """Return the number of drives that hold so much data."""
    return {"raid5": data + 1, "raid6": data + 2, "raid10": 2 * data}[level]


LESSON = Lesson(
    name="budget",
    title="RAID 5, 6 and 10 for one budget",
    about="capacity, speed and safety of the same drives, three ways",
    text="""\
The same N drives, three ways:

               holds the data of   any that may fail   accesses of a small write
    RAID 10    N / 2               1                   2
    RAID 5     N - 1               1                   4
    RAID 6     N - 2               2                   6

Reads are alike: whatever the level, the data lies on all drives, and a healthy array reads it with one access. So a load of reads alone is served equally fast by all three. It is the writes that part them, by the planning formula

    N · X / (r + (1 - r) · c)

with the share r of reads and the cost c of a small write.

What the comparison is about depends on what is fixed. For the same number of drives RAID 5 has most capacity, and RAID 10 most speed. For the same capacity RAID 10 needs the most drives, and each of these also serves: twice the drives, and half the cost of a write.

Safety is a matter of its own. RAID 6 survives any two failures, RAID 5 any one; RAID 10 survives one for certain, and more with luck: of two failures the second one hits the partner of the first with the chance 1 / (N - 1). What a rebuild reads differs as well: a mirror reads one drive, parity reads all of them.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="How many GB does a {level} of {drives} drives of 73.4 GB hold?",
            draw={"level": LEVELS, "drives": (4, 6, 8, 12)},
            unit="GB",
            tolerance=0.01,
            hand=lambda d: data_drives(d.level, d.drives) * GB,
            simulated=lambda d: laid_out(d.level, d.drives) * GB,
            agrees=0.001,
            also=lambda d: {"data": data_drives(d.level, d.drives)},
            way="It holds the data of {data} of its {drives} drives: {hand} GB. The layout itself counts {simulated} GB.",
            hint="How many of the drives' worth is not data?",
            mistakes=(
                Mistake(
                    lambda d: d.drives * GB,
                    "That is what the drives hold. Parity or copies take their part.",
                ),
            ),
        ),
        Question(
            ask="The data of {data} drives has to fit. How many drives does {level} need for it?",
            draw={"level": LEVELS, "data": (3, 4, 6, 8)},
            tolerance=0.0,
            hand=lambda d: drives_for(d.level, d.data),
            simulated=lambda d: next(
                n
                for n in range(4, 40)
                if not (n % 2 and d.level == "raid10") and laid_out(d.level, n) >= d.data
            ),
            agrees=0.0,
            way="{hand}. The fewest drives whose layout holds as much are {simulated}.",
            hint="Turn the formula of the table round.",
        ),
        Question(
            ask="Eight disks, {read} % reads: how many times as fast as {level} is RAID 10, by the planning formula?",
            draw={"level": ("raid5", "raid6"), "read": (0, 50, 67, 90)},
            tolerance=0.03,
            hand=lambda d: (
                (d.read / 100 + (1 - d.read / 100) * cost(d.level, 8))
                / (d.read / 100 + (1 - d.read / 100) * 2)
            ),
            runs=(
                ("load.read={read} %", "volume.level=raid10"),
                ("load.read={read} %", "volume.level={level}"),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            agrees=0.1,
            also=lambda d: {"cost": cost(d.level, 8)},
            way="N and X are the same and cancel: (r + (1 - r) · {cost}) / (r + (1 - r) · 2) = {hand}. Simulated with 64 outstanding: {simulated}.",
            hint="Divide one formula by the other.",
            mistakes=(
                Mistake(
                    lambda d: cost(d.level, 8) / 2 if d.read else -1.0,
                    "That is the ratio for writes alone. Reads cost the same at both.",
                ),
            ),
        ),
        Question(
            ask="Predict: reads only. How many times as fast as RAID 6 is RAID 10 of the same eight disks, with {q} outstanding?",
            draw={"q": (16, 32, 64)},
            predict=True,
            hand=lambda d: 1.0,
            runs=(
                ("load.read=100 %", "load.outstanding={q}", "volume.level=raid10"),
                ("load.read=100 %", "load.outstanding={q}", "volume.level=raid6"),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            agrees=0.25,
            way="A healthy array of either level reads with one access, and the data lies on all eight: 1. Simulated: {simulated}; what a mirror has more comes of choosing the shorter of two queues, and of equals the nearer arm.",
            hint="Where does the data lie, and how many accesses does a read take?",
        ),
        Question(
            ask="The same capacity: the data of {data} drives. Run {read} % reads with 64 outstanding on as many disks as RAID 5 needs for it, and as RAID 10 needs. How many times as fast is RAID 10?",
            draw={"data": (4, 5, 6), "read": (50, 67)},
            also=lambda d: {"five": d.data + 1, "ten": 2 * d.data},
            runs=(
                ("load.read={read} %", "volume.level=raid10", "volume.drives={ten}"),
                ("load.read={read} %", "volume.level=raid5", "volume.drives={five}"),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            way="Simulated: {simulated} times, on {ten} disks in place of {five}. More drives, and a cheaper write.",
            hint="How many disks are they? Run both.",
            mistakes=(
                Mistake(
                    lambda d: 2 * d.data / (d.data + 1),
                    "That is the ratio of the disks alone. A write costs half as well.",
                ),
            ),
        ),
        Question(
            ask="At which of these loads is a RAID 6 of eight disks closest to a RAID 10 of the same disks?",
            draw={"q": (32, 64)},
            options=("0 % reads", "50 % reads", "90 % reads"),
            runs=tuple(
                (f"load.read={read} %", f"volume.level={level}", "load.outstanding={q}")
                for read in (0, 50, 90)
                for level in ("raid6", "raid10")
            ),
            read=lambda d, *p: float(
                max(range(3), key=lambda n: iops(p[2 * n]) / iops(p[2 * n + 1]))
            ),
            way="Simulated: the one with most reads. The levels differ in what writes cost; 10 % writes are two fifths of the work of a RAID 6 all the same: 0.6 accesses of 1.5 a request.",
            hint="In what do the levels differ?",
            mistakes=(Mistake(lambda d: 0.0, "Writes are where RAID 6 loses most."),),
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("share of reads", (0, 25, 50, 67, 75, 90, 100), ("load.read={value} %",), "%"),
            Knob("level", LEVELS, ("volume.level={value}",)),
            Knob("disks", (4, 6, 8, 10), ("volume.drives={value}",)),
        ),
        shown=(
            Shown(
                "rate",
                "IO/s",
                iops,
                lambda read, level, n: planned_rate(
                    n, busy_disk(read / 100, SYSTEM), read / 100, cost(level, n)
                ),
            ),
        ),
    ),
    sources=(
        "P. M. Chen and others, RAID: high-performance, reliable secondary storage, ACM Computing Surveys 26(2), 1994",
        "Fujitsu, Performance Report Modular RAID for PRIMERGY, 2008 (levels side by side, measured)",
    ),
    simplifications=(
        "All data is used alike, all requests are small and random, and nothing is cached.",
        "A drive costs the same at every level; slots, power and spares are not counted.",
    ),
    disagreements=(
        "Printed measurements with write-back caches show levels closer together: caches join writes and sort them.",
        "Mirrors are 10 to 20 % faster at reads than the formula says, as a read may choose the shorter queue; texts differ on whether to count that.",
    ),
)

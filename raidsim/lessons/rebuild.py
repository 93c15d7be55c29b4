"""Lesson: rebuild under load."""

from raidsim.result import OperationUse, Point
from raidsim.teaching.lesson import Explore, Given, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

NEAR = 3
"""Percent within which the rule is said to hold."""

SYSTEM = """\
# RAID 5 of five disks begins with a failed one; a second later its replacement is rebuilt.
title = "A rebuild under load"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
level = "raid5"
drives = 5
drive = "seagate-st373455ss"    # 73 GB
strip = "64 KiB"
disk_cache = "off"
failed = [1]
rebuild_rate = "30 %"           # share of the time that it works while the host has I/Os under way
rebuild_sample = "1 %"          # of the rows is simulated; times are extrapolated

[[load]]
read = "67 %"
random = "100 %"
size = "8 KiB"
outstanding = 4

[[event]]
kind = "rebuild"
at = "1 s"
drive = 1
"""
IDLE = SYSTEM.replace("outstanding = 4", "outstanding = 4\nlimit = { ios = 1 }")
"""The same with nobody there: the load ends after its first request."""
GB = 73.4
TRACK = 466_000
SWITCH = 0.5
"""Time to the next track, ms."""
RATES = (10, 30, 60, 100)


def operation(point: Point) -> OperationUse:
    """The rebuild of a run."""
    assert point.course is not None
    return point.course.operations[0]


def seconds(point: Point) -> float:
    """Return the time of the whole rebuild, s."""
    found = operation(point).seconds
    assert found is not None
    return found


def minutes(point: Point) -> float:
    """The same in minutes."""
    return seconds(point) / 60


def rate_meanwhile(point: Point) -> float:
    """IO/s of the load during the rebuild."""
    assert point.course is not None
    return point.course.phases[1].iops.mean


def read_in(point: Point, phase: int) -> float:
    """Mean latency of reads, ms, in a phase: 0 before the rebuild, 1 during it."""
    assert point.course is not None
    found = point.course.phases[phase].latency_ms["read"]
    assert found is not None
    return found.mean


def read_meanwhile(point: Point) -> float:
    """Mean latency of reads during the rebuild, ms."""
    return read_in(point, 1)


def media(rpm: float) -> float:
    """Mean rate of whole tracks in MB/s (10^6): in a turn each, and the way to the next."""
    return TRACK / (60000 / rpm + SWITCH) / 1000


def idle_seconds(rpm: float) -> float:
    """Time in which the new drive can be written from end to end."""
    return GB * 1000 / media(rpm)


def full(d: Given) -> float:
    """Time of the rebuild at 100 %, minutes, with the load of the question."""
    return minutes(simulate(SYSTEM, f"load.outstanding={d.q}", "volume.rebuild_rate=100 %"))


def rule(d: Given) -> str:
    """Return in words the error of this lesson's rule against the simulation."""
    simulated = minutes(
        simulate(SYSTEM, f"load.outstanding={d.q}", f"volume.rebuild_rate={d.rate} %")
    )
    too_long = 100 * (full(d) * 100 / d.rate / simulated - 1)
    if abs(too_long) < NEAR:
        return "At such a rate the rule holds; at others it is up to a tenth off."
    if too_long < 0:
        return (
            f"The rule gives {-too_long:.0f} % too little: without rests one row is written right"
            " behind the other, and after a rest its place on the new drive first has to come round."
        )
    return (
        f"The rule gives {too_long:.0f} % too much: while the rebuild rests the host is served"
        " sooner, and so shorter are the queues that it meets."
    )


LESSON = Lesson(
    name="rebuild",
    title="Rebuild under load",
    about="how long an array stands without its redundancy, and who decides that",
    text="""\
A new drive has taken the place of a failed one. A rebuild reads each stripe from the other drives, computes what the new one has to hold, and writes it, from the first stripe to the last. Until it is over another failure costs the data (RAID 5, or the partner under RAID 10).

With nobody else there it is as fast as one drive can be written from end to end, since all other drives read their parts at the same time:

    time = capacity / mean media rate          73.4 GB / 103.5 MB/s = 709 s

That holds for every level; what differs is how many drives are read: all others under parity, one under a mirror. It also says why rebuilds became longer with the years: capacities grew a hundred times, rates five times.

With a load, somebody has to wait. A controller's rebuild rate is the share of its time that the rebuild works while the host has requests under way: after some rows that took T it rests T · (1 / rate - 1). So

    time at a rate ≈ time at 100 % / rate

and time at 100 % is not that of an idle array either: the rebuild waits in the same queues as the host. Neither does 100 % stop the host: it takes its turns.

What one buys with a low rate is latency, what one pays is hours at risk. The choice is between a bad afternoon and a longer chance of a lost array.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="With nobody there: how long does the rebuild of a drive of 73.4 GB and {rpm} rpm take? A track of 466 kB on average passes in a turn, and the next one begins 0.5 ms later.",
            draw={"rpm": (7200, 10000, 15000)},
            unit="s",
            also=lambda d: {"rate": media(d.rpm)},
            hand=lambda d: idle_seconds(d.rpm),
            simulated=lambda d: seconds(simulate(IDLE, f'volume.set."spindle.speed"={d.rpm} rpm')),
            agrees=0.07,
            way="The drive is written at {rate:.1f} MB/s (10^6): 73.4 GB take {hand} s. Simulated: {simulated} s.",
            hint="All other drives read at the same time; the new one is written from end to end.",
            mistakes=(
                Mistake(
                    lambda d: 4 * idle_seconds(d.rpm),
                    "The other four drives are read at the same time, not one after the other.",
                ),
            ),
        ),
        Question(
            ask="How many times as long as that of a RAID 5 of four disks does the rebuild of a RAID 5 of {drives} disks take, with nobody there?",
            draw={"drives": (6, 10)},
            tolerance=0.03,
            hand=lambda d: 1.0,
            simulated=lambda d: (
                seconds(simulate(IDLE, f"volume.drives={d.drives}"))
                / seconds(simulate(IDLE, "volume.drives=4"))
            ),
            agrees=0.03,
            way="All drives but the new one read side by side, however many they are: {hand}. Simulated: {simulated}.",
            hint="Which of the drives is the one that all wait for?",
            mistakes=(
                Mistake(
                    lambda d: (d.drives - 1) / 3,
                    "More is read, but by more drives at the same time.",
                ),
            ),
        ),
        Question(
            ask="At a rebuild rate of 100 % and {q} outstanding I/Os the rebuild takes {full} min. How long at {rate} %, by the rule of this lesson?",
            draw={"q": (4,), "rate": (10, 30, 60)},
            unit="min",
            also=lambda d: {"full": full(d), "rule": rule(d)},
            hand=lambda d: full(d) * 100 / d.rate,
            runs=(("load.outstanding={q}", "volume.rebuild_rate={rate} %"),),
            read=lambda d, p: minutes(p),
            agrees=0.15,
            way="{full} min / {rate} % = {hand} min. Simulated: {simulated} min. {rule}",
            hint="It works for that share of the time only.",
            mistakes=(
                Mistake(
                    lambda d: full(d) * d.rate / 100,
                    "At a lower rate it takes longer, not shorter.",
                ),
            ),
        ),
        Question(
            ask="Predict: with nobody there the rebuild takes {idle} min. How long at {rate} % with {q} I/Os outstanding all the time?",
            draw={"q": (4,), "rate": (30, 100)},
            unit="min",
            predict=True,
            also=lambda d: {"idle": minutes(simulate(IDLE))},
            runs=(("load.outstanding={q}", "volume.rebuild_rate={rate} %"),),
            read=lambda d, p: minutes(p),
            way="Simulated: {simulated} min. The rebuild shares each disk with the host, and a disk that seeks between two streams of work is far slower than one that writes on and on.",
            hint="What happens to a sequential stream when random requests come in between?",
        ),
        Question(
            ask="Run it at {rate} % with four outstanding. How long is the mean read of the load during the rebuild?",
            draw={"rate": RATES},
            unit="ms",
            tolerance=0.07,
            runs=(("volume.rebuild_rate={rate} %",),),
            read=lambda d, p: read_meanwhile(p),
            also=lambda d: {
                "before": read_in(simulate(SYSTEM, f"volume.rebuild_rate={d.rate} %"), 0)
            },
            way="Simulated: {simulated} ms, after {before} ms before it began (with a drive missing). The rate is what decides how much the host notices.",
            hint="Run it, and look at the row of the rebuild.",
        ),
        Question(
            ask="Run RAID 10 of six disks and RAID 5 of six at {rate} % with four outstanding. How many times as long is the rebuild of RAID 5?",
            draw={"rate": (30, 100)},
            runs=(
                ("volume.level=raid5", "volume.drives=6", "volume.rebuild_rate={rate} %"),
                ("volume.level=raid10", "volume.drives=6", "volume.rebuild_rate={rate} %"),
            ),
            read=lambda d, a, b: seconds(a) / seconds(b),
            tolerance=0.07,
            way="Simulated: {simulated} times. Under RAID 5 each row waits for the slowest of five disks, all of which serve the host; a mirror reads one. With nobody there both take equally long.",
            hint="Run both, and divide.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("rebuild rate", (10, 20, 30, 60, 100), ("volume.rebuild_rate={value} %",), "%"),
            Knob("outstanding I/Os", (1, 4), ("load.outstanding={value}",)),
            Knob(
                "level", ("raid5", "raid6", "raid10"), ("volume.level={value}", "volume.drives=6")
            ),
        ),
        shown=(
            Shown("time of the rebuild", "min", minutes),
            Shown("rate of the load meanwhile", "IO/s", rate_meanwhile),
            Shown("mean read meanwhile", "ms", read_meanwhile),
        ),
    ),
    sources=(
        "M. Holland, G. A. Gibson and D. P. Siewiorek, Architectures and algorithms for on-line failure recovery in redundant disk arrays, Distributed and Parallel Databases 2 (1994)",
        "A. Thomasian and M. Blaum, Higher reliability redundant disk arrays, ACM Transactions on Storage 5 (2009)",
    ),
    simplifications=(
        "1 % of the rows is simulated, in places spread over the drive, and the time extrapolated: figures of the load rest on few seconds.",
        "The load is the same day and night. A real rebuild gains most of its way when nobody is there.",
    ),
    disagreements=(
        "What a rate of 30 % means differs by maker: a share of time here; elsewhere a share of throughput, or a floor in MB/s (Linux md).",
    ),
)

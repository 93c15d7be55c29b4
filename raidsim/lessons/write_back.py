"""Lesson: write-back, and what the battery is for."""

from raidsim.result import Point
from raidsim.teaching.figures import iops, latency, mbps
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate
from raidsim.units import MIB

SYSTEM = """\
# RAID 5 of six disks behind a controller with 512 MiB of cache and a battery.
title = "Write-back"

[host]
model = "fujitsu-rx300-s4"

[[controller]]
model = "lsi-megaraid-1078-512"
battery = "good"

[[volume]]
level = "raid5"
drives = 6
drive = "seagate-st373455ss"
strip = "64 KiB"
write = "back"
read_ahead = "none"
io = "direct"
disk_cache = "off"

[[load]]
read = "0 %"
random = "100 %"
size = "8 KiB"
outstanding = 1

[measure]
precision = "2 %"
min_ios = 4_000
max_ios = 40_000
"""
SHORT = "measure.max_ios=4000"
HIGH_MARK = 0.8
"""Share of the cache that may be dirty."""
LINE = 64 * 2**10
ROOM = 512 * MIB * HIGH_MARK / LINE
"""Lines that may be dirty."""


def dirty(point: Point) -> float:
    """Most of the cache that was dirty, MiB."""
    return point.controllers[0].dirty_peak / MIB


def lost(point: Point) -> float:
    """The most that a power cut would have lost, MiB."""
    return point.controllers[0].lost_peak / MIB


def burst(rate: int) -> str:
    """The system with a load that begins all at once, and lasts until the cache is full."""
    load = f'rate = "{rate} IO/s"\nlimit = {{ time = "{2 * ROOM / rate + 0.5:.1f} s" }}'
    begins = '[[event]]\nkind = "load-start"\nload = "load"\nat = "0.01 s"\n'
    return SYSTEM[: SYSTEM.index("[measure]")].replace("outstanding = 1", load) + begins


def seconds_to_fill(rate: int) -> float:
    """Return the time at which a burst has filled the cache, s."""
    course = simulate(burst(rate)).course
    assert course is not None
    full = 0.99 * ROOM * LINE
    return next(one.time_s for one in course.timeline if max(one.dirty.values()) >= full)


LESSON = Lesson(
    name="write-back",
    title="Write-back, and what the battery is for",
    about="why writes into a cache are fast, how long that lasts, and what it risks",
    text="""\
A controller that writes through answers a write when the drives have it. One that writes back answers when it is in its memory, and takes it to the drives later. So a write takes 0.05 ms in place of 10, and the drives can be given many writes at a time, in the order of their addresses, joined where they lie side by side.

Three things should be kept apart.

Latency. As long as there is room, a write takes the time of the memory.

Throughput. The drives still have to do the work. Random small writes stay small writes: under RAID 5 four accesses each. Once the cache is full, a write gets in when another one has got out, so the rate is that of the drives. But these have thousands of writes to sort: an elevator that goes through them by address has short seeks. With 16 writes outstanding that is worth a factor of nearly three on a large area, and the less the more are outstanding, since the disks then have much to sort themselves. On a small area it is worth less, as seeks are short anyway. What is written in sequence is another matter: it leaves as full stripes.

How long until it is full? The cache holds lines of a strip each, and a small write takes a whole line: 512 MiB are 8,192 lines of 64 KiB, of which four fifths may be dirty. Of bytes written that is very little: 6,554 writes of 8 KiB are 51 MiB.

What it risks. Writes that were answered and are not on a drive are lost in a power cut, unless a battery (or flash with a capacitor) keeps the memory. So without a good battery a careful controller falls back to write-through, and one that is told to write back all the same (forced) gambles up to 410 MiB.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="The cache has {mib} MiB, strips have {kib} KiB, and four fifths of the lines may be dirty. How many random writes of 8 KiB can wait in it?",
            draw={"mib": (256, 512), "kib": (64, 128)},
            unit="",
            tolerance=0.02,
            hand=lambda d: d.mib * MIB * HIGH_MARK / (d.kib * 1024),
            runs=(
                (
                    'controller.set."cache.size"={mib} MiB',
                    "volume.strip={kib} KiB",
                    "load.outstanding=64",
                ),
            ),
            read=lambda d, p: dirty(p) * MIB / (d.kib * 1024),
            agrees=0.02,
            way="Each takes a whole line: {mib} MiB · 0.8 / {kib} KiB = {hand}. When the simulated cache was full, {simulated} lines of it were dirty.",
            hint="How much room does a write take in this cache?",
            mistakes=(
                Mistake(
                    lambda d: d.mib * MIB * HIGH_MARK / 8192,
                    "That would be so if a write took as much room as it has bytes. It takes a line.",
                ),
            ),
        ),
        Question(
            ask="A load of {rate} random writes a second comes to an empty cache (512 MiB, lines of 64 KiB, four fifths may be dirty). The disks take {out} of them a second. After how many seconds is the cache full?",
            draw={"rate": (2000, 3000, 5000)},
            unit="s",
            also=lambda d: {"out": iops(simulate(SYSTEM, "load.outstanding=64"))},
            hand=lambda d: ROOM / (d.rate - iops(simulate(SYSTEM, "load.outstanding=64"))),
            simulated=lambda d: seconds_to_fill(d.rate),
            agrees=0.18,
            way="6,554 lines, and they fill by {rate} - {out} a second: {hand} s. A burst may be that long. Simulated: {simulated} s. It is sooner, since the disks take out less while there is little to choose from: a full cache has many lines to sort.",
            hint="What comes in less what goes out is what fills it.",
            mistakes=(
                Mistake(
                    lambda d: ROOM / d.rate,
                    "While it fills, the disks take writes out of it.",
                ),
            ),
        ),
        Question(
            ask="One write at a time takes {through} ms with write-through. Predict how long with write-back, while there is room.",
            draw={"kib": (8,)},
            unit="ms",
            predict=True,
            also=lambda d: {
                "through": latency(simulate(SYSTEM, SHORT, "volume.write=through"), "write")
            },
            runs=((SHORT,),),
            read=lambda d, p: latency(p, "write"),
            way="Simulated: {simulated} ms: the host's CPU, the controller's, its link and its memory. No disk is waited for.",
            hint="What is waited for?",
        ),
        Question(
            ask="The battery is taken out (controller.battery = absent) and the volume is set to write = {mode}. What is the mean latency of one write at a time?",
            draw={"mode": ("back", "back-bad-battery")},
            unit="ms",
            runs=((SHORT, "controller.battery=absent", "volume.write={mode}"),),
            read=lambda d, p: latency(p, "write"),
            way='Simulated: {simulated} ms. With "back" the controller falls back to write-through; with "back-bad-battery" it does not, and what it has answered is gone in a power cut.',
            hint="Which mode is in effect then? Run it.",
            mistakes=(
                Mistake(
                    lambda d: (
                        latency(simulate(SYSTEM, SHORT), "write")
                        if d.mode == "back"
                        else latency(simulate(SYSTEM, SHORT, "volume.write=through"), "write")
                    ),
                    "That is what the other of the two modes gives without a battery.",
                ),
            ),
        ),
        Question(
            ask="Forced write-back without a battery, the cache is full: how many MiB does a power cut lose at most ({mib} MiB of cache)?",
            draw={"mib": (256, 512)},
            unit="MiB",
            hand=lambda d: HIGH_MARK * d.mib,
            runs=(
                (
                    'controller.set."cache.size"={mib} MiB',
                    "controller.battery=absent",
                    "volume.write=back-bad-battery",
                    "load.outstanding=64",
                ),
            ),
            read=lambda d, p: lost(p),
            agrees=0.02,
            way="All dirty lines: 0.8 · {mib} MiB = {hand} MiB of strips. Simulated: {simulated} MiB at most. The bytes that the host wrote into them are less, an eighth of each line here; no one can tell which files they were of.",
            hint="How much of the cache may be dirty?",
        ),
        Question(
            ask="Keep {q} writes outstanding until the cache is full. How many times as many writes a second as with write-through does it do then?",
            draw={"q": (16, 64, 256)},
            tolerance=0.1,
            runs=(
                ("load.outstanding={q}",),
                ("load.outstanding={q}", "volume.write=through", SHORT),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            way="Simulated: {simulated} times. A full cache is no faster than what leaves it. It has 6,554 writes to sort in place of {q}, so its seeks are shorter; that is all it gains, and the less the more is outstanding anyway.",
            hint="Run both, with enough I/Os that the cache fills.",
            mistakes=(
                Mistake(
                    lambda d: (
                        latency(simulate(SYSTEM, SHORT, "volume.write=through"), "write")
                        / latency(simulate(SYSTEM, SHORT), "write")
                    ),
                    "That is by how much the latency is shorter as long as there is room.",
                ),
            ),
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "outstanding writes",
                (1, 2, 4, 8, 16, 32, 64),
                ("load.outstanding={value}", "measure.max_ios=40000"),
            ),
            Knob("write", ("through", "back"), ("volume.write={value}",)),
            Knob("level", ("raid5", "raid10"), ("volume.level={value}",)),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("mean latency", "ms", lambda p: latency(p, "write")),
            Shown("throughput", "MB/s", mbps),
        ),
    ),
    sources=(
        "Fujitsu, Performance Report Modular RAID for PRIMERGY, 2008 (settings of controller and disk caches, measured)",
        "A. Varma and Q. Jacobson, Destage algorithms for disk arrays with non-volatile caches, ISCA 1995",
    ),
    simplifications=(
        "The battery keeps the memory for as long as it takes; real ones last some days.",
        "A line that holds any dirty byte counts as a strip.",
    ),
    disagreements=(
        "Marks of the cache (when it begins to write, how much may be dirty) are printed for hardly any controller; 20 and 80 % are assumed.",
        "Short benchmarks end before the cache is full, and print its speed as that of the array.",
    ),
)

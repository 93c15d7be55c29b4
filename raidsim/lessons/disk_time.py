"""Lesson: where a disk's time goes."""

from raidsim.teaching.figures import iops, latency, mbps
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate
from raidsim.units import KIB

SYSTEM = """\
# One disk, one read at a time.
title = "Where a disk's time goes"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "seagate-st373455ss"    # 73 GB, 15,000 rpm

[volume.set]
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "100 %"
random = "100 %"
size = "8 KiB"
outstanding = 1

[measure]
precision = "2 %"
min_ios = 6_000
max_ios = 6_000
"""

SEEK = 3.5
TURN = 4.0
CHOOSE = 0.25
"""Time of the disk's firmware before each access, ms: queue.choose_time of its card."""
OVERHEAD = 0.12
"""Time of controller, link and host, ms."""
TRACK = 466_000
"""Bytes of a track, between the outer and the inner ones."""
SWITCH = 0.5
"""Time to the next track, ms."""
OUTER = 588_800
"""Bytes of the outermost track."""
RATE = TRACK / (TURN + SWITCH)
"""Bytes in a ms, track after track."""


def transfer(size: int) -> float:
    """Mean time in which so many bytes pass under the head, ms."""
    return size / RATE


def service(size: int) -> float:
    """Mean time of a random read, ms: seek, half a turn, transfer, firmware, overhead."""
    return SEEK + TURN / 2 + transfer(size) + CHOOSE + OVERHEAD


LESSON = Lesson(
    name="disk-time",
    title="Where a disk's time goes",
    about="seek, rotation, transfer, and which of them a faster disk shortens",
    text=f"""\
A random read of a hard disk has three parts.

    seek        the arm moves over the cylinders: 3.5 ms on average for this disk
    rotation    the first byte comes round: half a turn on average, 60 / 15,000 rpm / 2 = 2 ms
    transfer    the bytes pass under the head: a track of 466 kB in a turn of 4 ms, and
                0.5 ms to the next track: 104 MB/s (10^6)

The disk's firmware takes {CHOOSE} ms before each access, to choose it; controller, link and host take some {OVERHEAD} ms more. For 8 KiB that makes {SEEK} + {TURN / 2:g} + {transfer(8 * KIB):.2f} + {CHOOSE} + {OVERHEAD} = {service(8 * KIB):.2f} ms, so {1000 / service(8 * KIB):.0f} reads in a second: one part in {service(8 * KIB) / transfer(8 * KIB):.0f} of the time is spent on the data itself. The transfer counts only when requests are long.

The average seek of a data sheet is the mean over random pairs of places, which is a third of the full stroke. Data that lies close together has shorter ones, though not in proportion: an arm accelerates and brakes, and has to settle in the end, however short the way. Outer tracks are longer than inner ones and pass under the head in the same turn, so the first bytes of a disk are read fastest.

A read that goes on where the last one ended needs neither seek nor half a turn. That is why the same disk is more than ninety times as fast in sequence as at random, and why all of storage tries to make long requests of short ones.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="How long does a disk of {rpm} rpm wait on average until the first byte of a random request comes round?",
            draw={"rpm": (5400, 7200, 10000, 15000)},
            unit="ms",
            hand=lambda d: 30000 / d.rpm,
            simulated=lambda d: (
                latency(simulate(SYSTEM, f'volume.set."spindle.speed"={d.rpm} rpm'))
                - latency(simulate(SYSTEM, 'volume.set."spindle.speed"=60000 rpm'))
                + 0.5
            ),
            agrees=0.08,
            way="A turn takes 60 s / {rpm}, and on average half of one has to be waited for: {hand} ms. In the simulation the same reads take {simulated} ms longer than they would without any rotation (reckoned from a disk of 60,000 rpm, which waits 0.5 ms).",
            hint="How long does one turn take? At any moment the byte may be anywhere on it.",
            mistakes=(
                Mistake(
                    lambda d: 60000 / d.rpm,
                    "That is a whole turn. With luck the byte is just there, without it a turn away: half a turn on average.",
                ),
            ),
        ),
        Question(
            ask="How long does a random read of {kib} KiB take?",
            draw={"kib": (4, 16, 64, 256, 1024)},
            unit="ms",
            tolerance=0.06,
            agrees=0.015,
            hand=lambda d: service(d.kib * KIB),
            runs=(("load.size={kib} KiB",),),
            read=lambda d, p: latency(p),
            also=lambda d: {"transfer": transfer(d.kib * KIB)},
            way="{kib} KiB / 104 MB/s = {transfer} ms, and 3.5 + 2 + 0.25 + 0.12 ms: together {hand} ms. Simulated: {simulated} ms.",
            hint="Add seek, half a turn, transfer, 0.25 ms of the firmware and 0.12 ms of all others.",
            mistakes=(
                Mistake(
                    lambda d: transfer(d.kib * KIB),
                    "That is the transfer alone. Before it the arm has to get there.",
                ),
            ),
        ),
        Question(
            ask="Random reads of {kib} KiB, one at a time. What throughput does the disk reach, in MB/s of 2^20 bytes?",
            draw={"kib": (8, 64, 256, 1024)},
            unit="MB/s",
            tolerance=0.06,
            agrees=0.015,
            hand=lambda d: d.kib / 1024 / service(d.kib * KIB) * 1000,
            runs=(("load.size={kib} KiB",),),
            read=lambda d, p: mbps(p),
            also=lambda d: {"time": service(d.kib * KIB)},
            way="One read takes {time} ms and brings {kib} KiB: {hand} MB/s. Simulated: {simulated} MB/s. In sequence the disk does over 100: the longer a request, the less of it is waiting.",
            hint="How long does one read take, and how many bytes does it bring?",
        ),
        Question(
            ask="All reads of 8 KiB fall into the first {gb} GB of the 73 GB. Predict how many reads a second that makes, where the whole disk does {whole}.",
            draw={"gb": (1, 4, 7, 15)},
            unit="IO/s",
            predict=True,
            runs=(("load.area.size={gb} GB",),),
            read=lambda d, p: iops(p),
            also=lambda d: {"whole": iops(simulate(SYSTEM))},
            way="Simulated: {simulated} IO/s. The seeks become short, but the arm still settles, and half a turn is still 2 ms: no less than some 2.7 ms can come of it. Using the outer part of a disk alone is called short stroking.",
            hint="Which of the three parts becomes shorter?",
        ),
        Question(
            ask="Run the disk in sequence (load.random = 0 %) with reads of {kib} KiB and one outstanding. How many MB/s (2^20) are read?",
            draw={"kib": (16, 64, 128)},
            unit="MB/s",
            runs=(("load.random=0 %", "load.size={kib} KiB"),),
            read=lambda d, p: mbps(p),
            also=lambda d: {
                "transfer": d.kib * KIB / OUTER * TURN,
                "slow": d.kib / 1024 / (TURN + d.kib * KIB / OUTER * TURN) * 1000,
            },
            way="Simulated: {simulated} MB/s. This disk does not read ahead, so the next read comes a moment too late: its first byte has just passed, and a whole turn goes by before the {transfer} ms in which it is read: {kib} KiB in 4 ms and these is {slow} MB/s. Reading ahead is what makes sequential reads fast.",
            hint="Run it with these two keys changed, and read the column MB/s.",
            mistakes=(
                Mistake(
                    lambda d: OUTER / TURN * 1000 / 2**20,
                    "That is the rate under the head. Between one read and the next the platter does not stop.",
                ),
            ),
        ),
        Question(
            ask='Let the disk read ahead (volume.set."read_ahead.depth" = 1024 KiB, volume.set."read_ahead.segments" = 8), and read {kib} KiB in sequence, one at a time. How many MB/s (2^20)?',
            draw={"kib": (64, 128, 256)},
            unit="MB/s",
            runs=(
                (
                    "load.random=0 %",
                    "load.size={kib} KiB",
                    'volume.set."read_ahead.depth"=1024 KiB',
                    'volume.set."read_ahead.segments"=8',
                ),
            ),
            read=lambda d, p: mbps(p),
            way="Simulated: {simulated} MB/s, whatever the size: the bytes are in the buffer, or on their way there, before they are asked for. It is the rate of the outer tracks, where the run begins; they are longer than the average one.",
            hint="Run it. How does the answer depend on the size?",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "size of a read",
                (4, 8, 16, 32, 64, 128, 256, 512, 1024),
                ("load.size={value} KiB",),
                "KiB",
            ),
            Knob(
                "speed",
                (5400, 7200, 10000, 15000),
                ('volume.set."spindle.speed"={value} rpm',),
                "rpm",
            ),
        ),
        shown=(
            Shown(
                "mean latency",
                "ms",
                latency,
                lambda kib, rpm: (
                    SEEK
                    + 30000 / rpm
                    + kib * KIB / TRACK * (60000 / rpm + SWITCH)
                    + CHOOSE
                    + OVERHEAD
                ),
            ),
            Shown("throughput", "MB/s", mbps),
        ),
    ),
    sources=(
        "C. Ruemmler and J. Wilkes, An introduction to disk drive modeling, IEEE Computer 27(3), 1994",
        "R. H. and A. C. Arpaci-Dusseau, Operating Systems: Three Easy Pieces, chapter 37",
    ),
    simplifications=(
        "One track length stands for all; the simulated disk has 16 zones, from 589 to 343 kB.",
        "The firmware takes 0.25 ms for every read, controller, link and host 0.12 ms; real ones differ by kind of request.",
    ),
    disagreements=(
        "Data sheets give average seeks that are measured in cylinders. Bytes are denser outside, so random bytes are a little closer together: the simulated mean is up to 1 % below the formula.",
        "Makers' sustained rates are those of whole tracks, with the head switches or without; few of them say which.",
    ),
)

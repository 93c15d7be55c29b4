"""Lesson: how large a strip should be."""

from raidsim.teaching.figures import device_ios, iops, latency, mbps
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown

SYSTEM = """\
# RAID 0 of four disks; requests begin at any multiple of 4 KiB.
title = "The size of a strip"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
level = "raid0"
drives = 4
drive = "seagate-st373455ss"
strip = "64 KiB"

[volume.set]
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "100 %"
random = "100 %"
size = "16 KiB"
align = "4 KiB"
outstanding = 8

[measure]
precision = "2 %"
min_ios = 6_000
max_ios = 6_000
"""


def straddling(size: float, strip: float, align: float = 4) -> float:
    """Share of requests of at most a strip that lie in two of them: (size - align) / strip."""
    return (size - align) / strip


LESSON = Lesson(
    name="strip-size",
    title="The size of a strip",
    about="one request on many disks, or many requests on one each",
    text="""\
A strip is what lies together on one drive before the next one goes on. Small strips cut a request into parts on several drives, large ones leave it on one. Which is better?

How often is a request cut? One of r bytes that begins at a multiple of a, in strips of s bytes (r at most s), begins in one of s / a places of its strip, and reaches into the next strip from (r - a) / a of them:

    share that is cut = (r - a) / s          commands to drives per request = 1 + (r - a) / s

So 16 KiB at multiples of 4 KiB in strips of 64 KiB make 1 + 12/64 = 1.19 commands. A request that is aligned to its own size, with strips that are a multiple of it, is never cut.

What does a cut cost? Two drives seek instead of one. With few outstanding requests the drives have nothing better to do, and the request only has to wait for the slower of the two. With many outstanding requests, drives are what there is too little of: a request that keeps n drives busy takes n times the work, but for the transfer.

What does it gain? A long request is transferred by several drives at once. That is worth something as soon as the transfer is longer than what is added to seek and rotation by waiting for the slowest.

The rule of thumb: much under way, large strips; one long request at a time, small ones. Chen and Patterson's: strips of a quarter of positioning time times transfer rate times one less than the number outstanding, and a sector more.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="Requests of {size} KiB begin at multiples of 4 KiB; strips have {strip} KiB. Which share of the requests lies in two strips?",
            draw={"size": (8, 16, 32), "strip": (32, 64, 128)},
            unit="%",
            hand=lambda d: 100 * straddling(d.size, d.strip),
            runs=(("load.size={size} KiB", "volume.strip={strip} KiB"),),
            read=lambda d, p: 100 * (device_ios(p) - 1),
            agrees=0.2,
            way="(r - a) / s = ({size} - 4) / {strip} = {hand} %. In the simulated run {simulated} % of the requests took a second command.",
            hint="In how many of the {strip} / 4 places of a strip does a request that begins there reach into the next?",
            mistakes=(
                Mistake(
                    lambda d: 100 * d.size / d.strip,
                    "A request that ends exactly where its strip ends is not cut: one of the places does not count.",
                ),
            ),
        ),
        Question(
            ask="How many commands to drives does each request of {size} KiB make on average, if strips have {strip} KiB and requests begin at multiples of 4 KiB?",
            draw={"size": (16, 32, 64), "strip": (8, 16)},
            tolerance=0.03,
            hand=lambda d: (
                1 + straddling(d.size, d.strip)
                if d.size <= d.strip
                else min(4, 1 + straddling(d.size, d.strip))
            ),
            runs=(("load.size={size} KiB", "volume.strip={strip} KiB"),),
            read=lambda d, p: device_ios(p),
            agrees=0.05,
            way="The formula counts strips beyond the first one, whatever the size: 1 + ({size} - 4) / {strip}. There are only four drives, and strips that follow each other on a drive become one command, so there are never more than four: {hand}. Simulated: {simulated}.",
            hint="How many strips does a request touch, and how many drives are there?",
        ),
        Question(
            ask="Predict: one random read of 256 KiB at a time. How many times as long does it take with strips of {strip} KiB on four disks as with strips of 1024 KiB, where it nearly always lies on one?",
            draw={"strip": (8, 32, 64)},
            predict=True,
            runs=(
                ("load.size=256 KiB", "load.outstanding=1", "volume.strip={strip} KiB"),
                ("load.size=256 KiB", "load.outstanding=1", "volume.strip=1024 KiB"),
            ),
            read=lambda d, a, b: latency(a) / latency(b),
            also=lambda d: {"transfer": 256 * 1024 / 466_000 * 4.5},
            way="Simulated: {simulated} times. A quarter of the transfer of {transfer} ms is left, while four disks have to come round where one had to. 256 KiB are about where the two balance each other.",
            hint="Transfer becomes shorter, waiting for the slowest disk longer.",
        ),
        Question(
            ask="Random reads of 64 KiB with {q} outstanding: with which strips does the array do most of them in a second?",
            draw={"q": (16, 32, 64)},
            options=("8 KiB", "32 KiB", "128 KiB", "1024 KiB"),
            runs=tuple(
                (f"volume.strip={kib} KiB", "load.size=64 KiB", "load.outstanding={q}")
                for kib in (8, 32, 128, 1024)
            ),
            read=lambda d, *points: float(max(range(4), key=lambda n: iops(points[n]))),
            way="Simulated: the largest. With {q} outstanding all disks have enough to do; each further disk that a request takes is a seek that another request does not get.",
            hint="Do disks wait for requests here, or requests for disks?",
            mistakes=(
                Mistake(
                    lambda d: 0.0,
                    "All four disks work on each request then, and each of them seeks for a part of it.",
                ),
            ),
        ),
        Question(
            ask="How many times as many random reads of 64 KiB does the array do in a second with strips of 256 KiB as with strips of {strip} KiB, at 32 outstanding?",
            draw={"strip": (8, 16, 32)},
            runs=(
                ("volume.strip=256 KiB", "load.size=64 KiB", "load.outstanding=32"),
                ("volume.strip={strip} KiB", "load.size=64 KiB", "load.outstanding=32"),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            way="Simulated: {simulated} times. Strips of {strip} KiB send a request to up to four disks, and each has to seek.",
            hint="Run both, and divide.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "strip",
                (4, 8, 16, 32, 64, 128, 256, 1024),
                ("volume.strip={value} KiB",),
                "KiB",
            ),
            Knob("outstanding I/Os", (1, 4, 16, 64), ("load.outstanding={value}",)),
            Knob("size", (16, 64, 256), ("load.size={value} KiB",), "KiB"),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("mean latency", "ms", latency),
            Shown(
                "commands per request",
                "",
                device_ios,
                lambda strip, q, size: min(4.0, 1 + straddling(size, strip)),
            ),
            Shown("throughput", "MB/s", mbps),
        ),
    ),
    sources=(
        "P. M. Chen and D. A. Patterson, Maximizing performance in a striped disk array, ISCA 1990",
        "P. M. Chen and others, RAID: high-performance, reliable secondary storage, ACM Computing Surveys 26(2), 1994",
    ),
    simplifications=(
        "All requests have one size, and are spread evenly.",
        "No parity: with it, short strips make full stripes more likely (see the lesson on them).",
    ),
    disagreements=(
        "Advice of makers goes from 16 KiB to 1 MiB for the same load. Most of it is about parity, or about the cache of their controller, not about striping.",
    ),
)

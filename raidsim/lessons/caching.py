"""Lesson: read-ahead and caches."""

import math

from scipy.optimize import brentq

from raidsim.result import Point
from raidsim.teaching.figures import iops, latency, mbps
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# A small cache of flash in front of a disk: 2,000 blocks of 64 KiB, of which it holds some.
title = "A cache in front of a disk"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
name = "disk"
drive = "seagate-st373455ss"

[volume.set]
"queue.discipline" = "fifo"
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[volume]]
name = "flash"
drive = "intel-s4600-960gb"
state = "fresh"

[[volume]]                      # a disk of the same kind without a cache
name = "alone"
drive = "seagate-st373455ss"

[volume.set]
"queue.discipline" = "fifo"
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[hybrid]]
name = "data"
back = "disk"
front = "flash"
front_size = "12.5 MiB"         # 200 blocks
size = "125 MiB"                # 2,000 blocks
warm = {}                       # full when the run begins
block = "64 KiB"
write = "through"
evict = "lru"                   # least recently used goes

[[load]]
volume = "data"
read = "100 %"
random = "100 %"
size = "64 KiB"
outstanding = 1

[measure]
precision = "2 %"
min_ios = 10_000
max_ios = 10_000
"""
BLOCKS = 2000
SHORT = ("measure.min_ios=4000", "measure.max_ios=4000")
LOOP = "load.random=0 %"
PAST = ("load.volume=alone", "load.area.size=125 MiB")
"""The disk without a cache."""


def hits(point: Point) -> float:
    """Reads that the front answered, in percent."""
    found = point.hybrids[0]
    return 100 * found.hits / found.reads


def front(blocks: int) -> str:
    """Let the cache hold so many blocks."""
    return f"hybrid.front_size={blocks * 64} KiB"


def che(blocks: int, exponent: float, items: int = BLOCKS) -> float:
    """Hit rate of LRU in percent under independent Zipf references, by Che's approximation.

    A block is in the cache if it was asked for within the time T in which `blocks` different ones
    are: sum over all of 1 - exp(-p T) = blocks.
    """
    weights = [1 / rank**exponent for rank in range(1, items + 1)]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    time = brentq(lambda t: sum(1 - math.exp(-p * t) for p in shares) - blocks, 1, 1e9)
    return float(100 * sum(p * (1 - math.exp(-p * time)) for p in shares))


def of_hit() -> float:
    """Mean time of a hit, ms: everything fits."""
    return latency(simulate(SYSTEM, front(BLOCKS)))


def of_miss() -> float:
    """Mean time of a miss, ms: nothing is ever kept."""
    return latency(simulate(SYSTEM, *PAST))


LESSON = Lesson(
    name="caching",
    title="Read-ahead and caches",
    about="what a hit rate is worth, who has one, and which policy keeps what",
    text="""\
A cache answers some reads at once. If a share h of them hits, at t_hit each, and the others take t_miss, then

    mean = h · t_hit + (1 - h) · t_miss

While misses are slow that is nearly (1 - h) · t_miss: going from 90 to 95 % of hits halves it. It is the misses that count.

How many hits does a cache have? That depends on the load more than on the cache.

    uniform          all blocks are asked for alike: h = size of the cache / size of the data,
                     whatever the policy
    skewed (Zipf)    the r-th block is asked for in proportion to 1 / r^s: a tenth of the
                     blocks may have half of the hits
    loop             blocks in order, and again: LRU has none, unless all of the loop fits

The last one is worth a thought. LRU throws out what was not used for longest, and in a loop that is just what comes next. A loop that is one block too long for the cache hits nothing.

Policies differ by what they give up. LRU keeps what was used lately. FIFO does not even look at use. ARC, SIEVE and S3-FIFO give blocks that were used once less room than those used again, so that a scan, which reads everything once, does not empty the cache.

Read-ahead is a cache for what has not been asked for yet. It helps whoever goes on where he was, and costs those who do not.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="Reads are uniform over {data} blocks, and the cache holds {blocks} of them (LRU). What is its hit rate?",
            draw={"data": (2000,), "blocks": (200, 400, 1000)},
            unit="%",
            hand=lambda d: 100 * d.blocks / d.data,
            simulated=lambda d: hits(simulate(SYSTEM, front(d.blocks))),
            agrees=0.08,
            way="Each block is as likely as any other, so it is there with the chance {blocks} / {data} = {hand} %. Simulated: {simulated} %.",
            hint="How likely is the next block to be among those in the cache?",
        ),
        Question(
            ask="A hit takes {hit} ms, a miss {miss} ms. What is the mean latency at a hit rate of {rate} %?",
            draw={"rate": (50, 80, 90, 95, 99)},
            unit="ms",
            also=lambda d: {"hit": of_hit(), "miss": of_miss()},
            hand=lambda d: d.rate / 100 * of_hit() + (1 - d.rate / 100) * of_miss(),
            simulated=lambda d: latency(simulate(SYSTEM, front(BLOCKS * d.rate // 100))),
            agrees=0.04,
            way="{rate} % · {hit} + the rest · {miss} = {hand} ms. Simulated, with a cache of {rate} % of the blocks, which are read alike: {simulated} ms.",
            hint="Weigh both by how often they happen.",
            mistakes=(
                Mistake(
                    lambda d: (of_hit() + of_miss()) / 2 if d.rate != 50 else -1.0,
                    "That is the mean of the two times, as if they were equally frequent.",
                ),
                Mistake(
                    lambda d: (
                        (1 - d.rate / 100) * of_hit() + d.rate / 100 * of_miss()
                        if d.rate != 50
                        else -1.0
                    ),
                    "The shares are the wrong way round: {rate} % are hits.",
                ),
            ),
        ),
        Question(
            ask="The load reads 2,000 blocks in order, again and again. What is the hit rate of an LRU cache of {blocks} blocks?",
            draw={"blocks": (1000, 1800, 1990)},
            unit="%",
            tolerance=0.0,
            hand=lambda d: 0.0,
            simulated=lambda d: hits(simulate(SYSTEM, LOOP, front(d.blocks))),
            agrees=0.0,
            way="When a block comes round again, 1,999 others were used since, so it is among those that were thrown out: {hand} %. Simulated: {simulated} %.",
            hint="Which block is thrown out to make room, and when is it asked for next?",
            mistakes=(
                Mistake(
                    lambda d: d.blocks / 20,
                    "That would be so if the references came at random. In a loop, what is thrown out is what comes next.",
                ),
            ),
        ),
        Question(
            ask="Skewed reads: load.zipf = {s} over the 2,000 blocks. Predict the hit rate of the cache of {blocks} blocks (uniform reads: {uniform} %).",
            draw={"s": (0.8, 1.0), "blocks": (100, 200, 400)},
            unit="%",
            predict=True,
            also=lambda d: {
                "uniform": d.blocks / 20,
                "times": che(d.blocks, d.s) / (d.blocks / 20),
            },
            hand=lambda d: che(d.blocks, d.s),
            simulated=lambda d: hits(simulate(SYSTEM, f"load.zipf={d.s}", front(d.blocks))),
            agrees=0.06,
            way="By Che's approximation {hand} %, simulated {simulated} %. A cache of {uniform} % of the data answers {times} times as many reads as it would if all blocks were asked for alike.",
            hint="Which share of the reads goes to the most popular blocks?",
        ),
        Question(
            ask="Run the skewed load (load.zipf = 1.0) with evict = {policy}. How many per cent of the reads hit?",
            draw={"policy": ("fifo", "arc", "sieve", "s3-fifo")},
            unit="%",
            runs=(("load.zipf=1.0", "hybrid.evict={policy}"),),
            read=lambda d, p: hits(p),
            also=lambda d: {"lru": hits(simulate(SYSTEM, "load.zipf=1.0"))},
            way="Simulated: {simulated} %, where LRU has {lru} %. FIFO does not look at use; the others protect what was used again.",
            hint="Run it, and look at the hybrid's line.",
        ),
        Question(
            ask="The loop again, a cache of 1,800 blocks, with evict = s3-fifo. How many per cent of the reads hit?",
            draw={"blocks": (1800,)},
            unit="%",
            tolerance=0.1,
            runs=((LOOP, "hybrid.front_size=115200 KiB", "hybrid.evict=s3-fifo"),),
            read=lambda d, p: hits(p),
            way="Simulated: {simulated} %. A policy that keeps a part of the loop, and lets the rest pass by, has the hits of that part. LRU had none.",
            hint="Run it.",
            mistakes=(Mistake(lambda d: 0.0, "That is LRU."),),
        ),
        Question(
            ask="The disk without a cache, in sequence (load.volume = alone, load.random = 0 %), {kib} KiB at a time: let the disk read ahead (1024 KiB in 8 segments). How many times the MB/s does it read?",
            draw={"kib": (64, 128)},
            tolerance=0.1,
            runs=(
                (
                    LOOP,
                    "load.volume=alone",
                    "load.size={kib} KiB",
                    'volume[2].set."read_ahead.depth"=1024 KiB',
                    'volume[2].set."read_ahead.segments"=8',
                ),
                (LOOP, "load.volume=alone", "load.size={kib} KiB"),
            ),
            read=lambda d, a, b: mbps(a) / mbps(b),
            way="Simulated: {simulated} times. Without it the next block has just passed when it is asked for, and a whole turn goes by. With it the next block is in the disk's buffer before it is asked for.",
            hint="Run both, and divide the MB/s.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "size of the cache",
                (3.125, 6.25, 12.5, 25, 50, 100),
                ("hybrid.front_size={value} MiB", *SHORT),
                "MiB",
            ),
            Knob("policy", ("lru", "fifo", "arc", "s3-fifo"), ("hybrid.evict={value}",)),
            Knob("exponent of Zipf", (0.5, 0.8, 1.0, 1.2), ("load.zipf={value}",)),
        ),
        shown=(
            Shown(
                "hit rate",
                "%",
                hits,
                lambda mib, policy, s: che(round(mib * 16), s) if policy == "lru" else None,
            ),
            Shown("mean latency", "ms", latency),
            Shown("rate", "IO/s", iops),
        ),
    ),
    sources=(
        "H. Che, Y. Tung and Z. Wang, Hierarchical web caching systems: modeling, design and experimental results, IEEE JSAC 20 (2002)",
        "N. Megiddo and D. S. Modha, ARC: a self-tuning, low overhead replacement cache, FAST 2003",
        "J. Yang and others, FIFO queues are all you need for cache eviction, SOSP 2023 (S3-FIFO)",
    ),
    simplifications=(
        "Reads only, whole blocks, one at a time, each independent of the one before but in the loop.",
        "The cache is warm when the run begins; a real one of hundreds of GB takes hours.",
    ),
    disagreements=(
        "Che's approximation is within a few per cent for independent references. Real references come in bursts, and caches do better than it says.",
        "Hit rates of papers are those of their traces. Which policy is best differs from one to the next.",
    ),
)

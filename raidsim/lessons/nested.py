"""Lesson: nested levels, 10, 50 and 60."""

from itertools import combinations

import numpy as np

from raidsim.layout.arrange import WORDS, arrange
from raidsim.layout.health import survives
from raidsim.lessons.small_write import cost as flat_cost
from raidsim.teaching.figures import device_ios, iops
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown

SYSTEM = """\
# RAID 50 of twelve disks: two spans of six, striped.
title = "Nested levels"

[host]
model = "linux-xeon-e5-pair"

[host.set]
"raid.stripe_cache" = 0         # each write is planned by itself

[[volume]]
level = "raid50"
drives = 12
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
outstanding = 32

[measure]
precision = "2 %"
min_ios = 4_000
max_ios = 4_000
"""
DRIVES = 12
STRIP = 65536
PARITY = {"raid50": 1, "raid60": 2}
FLAT = {"raid50": "raid5", "raid60": "raid6"}


def layout(level: str, spans: int) -> np.void:
    """The layout of twelve drives of 100 strips."""
    return arrange(WORDS[level], DRIVES, STRIP, 100 * STRIP, spans=spans)


def survived(level: str, spans: int, failures: int) -> float:
    """Share of all ways to lose so many drives that the layout survives, in percent."""
    laid = layout(level, spans)
    ways = list(combinations(range(DRIVES), failures))
    found = 0
    for lost in ways:
        good = np.full(DRIVES, 100 * STRIP, np.int64)
        good[list(lost)] = 0
        found += survives(laid, good)
    return 100 * found / len(ways)


def other_span(spans: int) -> float:
    """Chance in percent that the second of two failures is in another span than the first."""
    return 100 * (DRIVES - DRIVES // spans) / (DRIVES - 1)


LESSON = Lesson(
    name="nested",
    title="Nested levels: 10, 50 and 60",
    about="arrays of arrays: what spans change, and what they leave as it is",
    text="""\
A nested level stripes over equal arrays, the spans. RAID 10 stripes over mirrors, RAID 50 over RAID 5, RAID 60 over RAID 6. Of N drives in S spans:

                capacity       any that may fail    at most, with luck    small write
    RAID 10     N / 2          1                    N / 2                 2
    RAID 50     N - S          1                    S                     as RAID 5 of N / S
    RAID 60     N - 2 S        2                    2 S                   as RAID 6 of N / S

What do spans gain? Not small writes: four accesses are four accesses, whatever the span, unless it is very small. What they gain is this:

Luck. A second failure costs the data of a RAID 50 only if it falls into the span of the first one. Of the N - 1 drives left N / S - 1 are in it, so the array survives with the chance

    (N - N / S) / (N - 1)

Shorter work. A degraded span reads N / S - 1 drives for lost data, and a rebuild reads these and no others; the other spans notice nothing. A full stripe is shorter, and more often written.

What they cost: a drive of capacity for each span (two for RAID 60).

RAID 10 is the case of spans of two. And twelve drives as RAID 5 and as RAID 50 of one span are the same thing.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="Of how many drives does a {level} of twelve drives in {spans} spans hold the data?",
            draw={"level": ("raid50", "raid60"), "spans": (2, 3)},
            tolerance=0.0,
            hand=lambda d: DRIVES - PARITY[d.level] * d.spans,
            simulated=lambda d: int(layout(d.level, d.spans)["size"]) / (100 * STRIP),
            agrees=0.02,
            also=lambda d: {"parity": PARITY[d.level]},
            way="Each span gives {parity} for parity: 12 - {spans} · {parity} = {hand}. The layout itself holds {simulated} drives' worth.",
            hint="How many strips of parity has each span?",
            mistakes=(
                Mistake(
                    lambda d: DRIVES - PARITY[d.level], "Each of the spans has parity of its own."
                ),
            ),
        ),
        Question(
            ask="A RAID 50 of twelve drives in {spans} spans has lost a drive, and another one fails at random before the rebuild. With which chance does it survive?",
            draw={"spans": (2, 3, 4)},
            unit="%",
            tolerance=0.02,
            hand=lambda d: other_span(d.spans),
            simulated=lambda d: survived("raid50", d.spans, 2),
            agrees=0.001,
            also=lambda d: {"rest": DRIVES - DRIVES // d.spans},
            way="Of 11 drives that are left {rest} are in other spans: {hand} %. Of all pairs of drives the layout survives {simulated} %.",
            hint="In which span must the second failure not be?",
            mistakes=(
                Mistake(
                    lambda d: 100 * (d.spans - 1) / d.spans,
                    "The failed drive is not there any more: of 11, not of 12.",
                ),
                Mistake(
                    lambda d: 0.0,
                    "Any one failure is survived for certain, and a second one with luck.",
                ),
            ),
        ),
        Question(
            ask="A RAID 10 of twelve drives, in pairs, loses {failures} at random. With which chance is no data lost?",
            draw={"failures": (2, 3)},
            unit="%",
            tolerance=0.02,
            hand=lambda d: 100 * 10 / 11 * (8 / 10 if d.failures == 3 else 1),
            simulated=lambda d: survived("raid10", 6, d.failures),
            agrees=0.001,
            also=lambda d: {"third": ", the third of neither (8 of 10)" if d.failures == 3 else ""},
            way="The second must not be the partner of the first (10 of 11 are not){third}: {hand} %. Of all ways {simulated} % are survived.",
            hint="How many of the drives that are left may fail, after each?",
            mistakes=(Mistake(lambda d: 0.0, "Only partners of failed drives must not fail."),),
        ),
        Question(
            ask="How many accesses does a small write cost on a {level} of twelve drives in {spans} spans?",
            draw={"level": ("raid50", "raid60"), "spans": (2, 3)},
            tolerance=0.0,
            hand=lambda d: flat_cost(FLAT[d.level], DRIVES // d.spans),
            runs=(("volume.level={level}", "volume.spans={spans}"),),
            read=lambda d, p: device_ios(p),
            agrees=0.005,
            also=lambda d: {
                "of": DRIVES // d.spans,
                "flat": FLAT[d.level],
            },
            way="It stays in one span, and is the small write of a {flat} of {of} drives: {hand}. Counted: {simulated}.",
            hint="In how many spans is it?",
            mistakes=(
                Mistake(
                    lambda d: d.spans * flat_cost(FLAT[d.level], DRIVES // d.spans),
                    "It touches one of the spans only.",
                ),
            ),
        ),
        Question(
            ask="Predict: random writes with {q} outstanding on twelve disks. How many times as many does RAID 50 of {spans} spans do in a second as RAID 5?",
            draw={"q": (16, 32), "spans": (2,)},
            predict=True,
            hand=lambda d: 1.0,
            runs=(
                ("volume.level=raid50", "volume.spans={spans}", "load.outstanding={q}"),
                ("volume.level=raid5", "load.outstanding={q}"),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            agrees=0.03,
            way="Four accesses each in either case, spread over the same disks: {hand}. Simulated: {simulated}.",
            hint="What does a small write cost at each?",
        ),
        Question(
            ask="A disk has failed. Run reads with 16 outstanding on RAID 50 of {spans} spans and on RAID 5, both of twelve disks with volume.failed = [0]. How many times as fast is RAID 50?",
            draw={"spans": (2, 3, 4)},
            runs=(
                (
                    "volume.spans={spans}",
                    "load.read=100 %",
                    "load.outstanding=16",
                    "volume.failed=[0]",
                ),
                (
                    "volume.level=raid5",
                    "load.read=100 %",
                    "load.outstanding=16",
                    "volume.failed=[0]",
                ),
            ),
            read=lambda d, a, b: iops(a) / iops(b),
            also=lambda d: {"few": DRIVES // d.spans - 1},
            way="Simulated: {simulated} times. A read of lost data takes {few} accesses in place of 11. But they all fall on the {few} survivors of one span, which others wait for.",
            hint="Run both, and divide.",
        ),
        Question(
            ask="Run writes of one full stripe of a span, in sequence, with 8 outstanding, on RAID 50 of {spans} spans. How many accesses does each write cost?",
            draw={"spans": (2, 3, 4)},
            tolerance=0.02,
            also=lambda d: {"kib": 64 * (DRIVES // d.spans - 1), "of": DRIVES // d.spans},
            runs=(
                (
                    "volume.spans={spans}",
                    "load.random=0 %",
                    "load.size={kib} KiB",
                    "load.outstanding=8",
                ),
            ),
            read=lambda d, p: device_ios(p),
            way="Simulated: {simulated}: {kib} KiB are a stripe of one span, and its {of} drives are written without a read.",
            hint="A stripe of a span of {of} drives holds {kib} KiB. Run it.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("share of reads", (0, 25, 50, 75, 100), ("load.read={value} %",), "%"),
            Knob("spans", (1, 2, 3, 4), ("volume.spans={value}",)),
            Knob("failed disks", ("[]", "[0]"), ("volume.failed={value}",)),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("commands per request", "", device_ios),
        ),
    ),
    sources=(
        "SNIA, Common RAID Disk Data Format specification 2.0 (secondary levels)",
        "P. M. Chen and others, RAID: high-performance, reliable secondary storage, ACM Computing Surveys 26(2), 1994",
    ),
    simplifications=(
        "Failures at random: in reality drives of one shelf or one batch fail together, and spans are laid across shelves for that.",
        "Each span is striped over stripe by stripe.",
        "Spans of four: reading the two other data strips is as much as old data and parity, and is preferred. Then no write goes to a place that was read a moment ago, and none waits a turn for it: RAID 50 of three spans is a sixth faster here than RAID 5.",
    ),
    disagreements=(
        "Makers count up to 'N / 2 drives may fail' for RAID 10. One may fail for certain.",
        "Some controllers stripe over the spans of a RAID 50 strip by strip, not stripe by stripe.",
    ),
)

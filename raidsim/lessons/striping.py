"""Lesson: what striping gives, and to whom."""

from raidsim.teaching.figures import iops, latency, mbps
from raidsim.teaching.lesson import Explore, Given, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# RAID 0 of disks that take requests in their order.
title = "What striping gives"

[host]
model = "linux-xeon-e5-pair"

[[volume]]
level = "raid0"
drives = 4
drive = "seagate-st373455ss"
strip = "64 KiB"

[volume.set]
"queue.discipline" = "fifo"
"command.queue_depth" = 256

[[load]]
read = "100 %"
random = "100 %"
size = "8 KiB"
outstanding = 16

[measure]
precision = "2 %"
min_ios = 8_000
max_ios = 8_000
"""
ALONE = ("volume.drives=1", "load.outstanding=1")


def share(drives: int, q: int) -> float:
    """Share of the drives that are busy, with q requests at random places: q / (q + N - 1)."""
    return q / (q + drives - 1)


def single(size: str = "8 KiB") -> float:
    """IO/s of one drive with enough to do."""
    return iops(simulate(SYSTEM, "volume.drives=1", "load.outstanding=16", f"load.size={size}"))


def rate(d: Given) -> float:
    """IO/s by the formula."""
    return float(d.drives * single() * share(d.drives, d.q))


LESSON = Lesson(
    name="striping",
    title="What striping gives, and to whom",
    about="why four disks are not four times as fast for everybody",
    text="""\
RAID 0 deals a volume out over N drives: the first strip to the first drive, the next to the second, and round again. It keeps nothing twice, so it has all of the capacity, and none of the data if one drive fails. What does it give?

For many small random requests: up to N times the rate, if there are enough of them. A small request lies in one strip, so on one drive. Of q outstanding requests at random places several fall on the same drive and wait there, while other drives are idle. If requests and service times vary enough, all ways to spread q requests over N drives are equally likely, and a drive is busy for the share

    q / (q + N - 1)

of the time. Four drives with four requests are busy for 4/7 of the time, with 16 for 16/19.

For one small request at a time: nothing. One drive works, the others wait.

For one long request at a time: it is cut into strips, and all drives work on their parts at once. The transfer becomes N times shorter, but each drive has to seek first, and the request is over when the last one is. So seek and rotation become longer rather than shorter.

For one long sequential stream: N times the throughput, if enough is outstanding, or read ahead, to keep all drives busy.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="One disk does {one} random reads a second with one outstanding. How many does a RAID 0 of {drives} such disks do with one outstanding?",
            draw={"drives": (2, 4, 6, 8)},
            unit="IO/s",
            also=lambda d: {"one": iops(simulate(SYSTEM, *ALONE))},
            hand=lambda d: iops(simulate(SYSTEM, *ALONE)),
            runs=(("volume.drives={drives}", "load.outstanding=1"),),
            read=lambda d, p: iops(p),
            way="One read is on one disk, and the next is issued when it is over: {hand} IO/s. Simulated: {simulated}.",
            hint="How many of the disks work at a time?",
            mistakes=(
                Mistake(
                    lambda d: d.drives * iops(simulate(SYSTEM, *ALONE)),
                    "All {drives} disks would have to work at a time. How many reads are under way?",
                ),
            ),
        ),
        Question(
            ask="Random reads, {q} outstanding, on {drives} disks. For which share of the time is a disk busy on average, by the formula?",
            draw={"drives": (4, 8), "q": (2, 4, 8)},
            unit="%",
            tolerance=0.03,
            hand=lambda d: 100 * share(d.drives, d.q),
            runs=(("volume.drives={drives}", "load.outstanding={q}"),),
            read=lambda d, p: 100 * iops(p) / (d.drives * single()),
            agrees=0.15,
            way="q / (q + N - 1) = {q} / ({q} + {drives} - 1) = {hand} %. The simulated rate is {simulated} % of what {drives} busy disks do. Disks vary less than the formula takes them to, so their queues are a little more even.",
            hint="The formula is q / (q + N - 1).",
            mistakes=(
                Mistake(
                    lambda d: 100.0 * min(1.0, d.q / d.drives),
                    "That would be so if each request found a disk that is free. They fall at random.",
                ),
            ),
        ),
        Question(
            ask="A busy disk does {one} random reads of 8 KiB a second. How many does a RAID 0 of {drives} disks do with {q} outstanding?",
            draw={"drives": (4, 8), "q": (4, 8, 16)},
            unit="IO/s",
            tolerance=0.1,
            also=lambda d: {"one": single(), "share": 100 * share(d.drives, d.q)},
            hand=rate,
            agrees=0.15,
            runs=(("volume.drives={drives}", "load.outstanding={q}"),),
            read=lambda d, p: iops(p),
            way="{drives} disks, busy for {share} % of the time: {drives} · {one} · {share} % = {hand} IO/s. Simulated: {simulated}.",
            hint="How busy are the disks, by the formula of this lesson?",
            mistakes=(
                Mistake(
                    lambda d: d.drives * single(),
                    "That is what the disks do if none of them is ever idle. With {q} requests at random places some are.",
                ),
            ),
        ),
        Question(
            ask="Predict: one random read of 1 MiB at a time takes {one} ms on one disk. How long does it take on {drives} disks (strips of 64 KiB)?",
            draw={"drives": (2, 4, 8)},
            unit="ms",
            predict=True,
            runs=(("volume.drives={drives}", "load.size=1 MiB", "load.outstanding=1"),),
            read=lambda d, p: latency(p),
            also=lambda d: {
                "one": latency(simulate(SYSTEM, *ALONE, "load.size=1 MiB")),
                "part": 1024 // d.drives,
            },
            way="Simulated: {simulated} ms. Each disk transfers {part} KiB only, but it has to seek and turn first, and the read is over when the slowest of {drives} has turned far enough.",
            hint="Which of seek, rotation and transfer become shorter?",
        ),
        Question(
            ask="Run reads of 64 KiB in sequence (load.random = 0 %) with {q} outstanding, on one disk and on {drives}. How many times the throughput have {drives} disks?",
            draw={"drives": (2, 4, 8), "q": (16, 32)},
            tolerance=0.08,
            runs=(
                ("volume.drives=1", "load.size=64 KiB", "load.random=0 %", "load.outstanding={q}"),
                (
                    "volume.drives={drives}",
                    "load.size=64 KiB",
                    "load.random=0 %",
                    "load.outstanding={q}",
                ),
            ),
            read=lambda d, a, b: mbps(b) / mbps(a),
            way="Simulated: {simulated} times. A stream goes over all disks in turn, and none of them has to seek.",
            hint="Run both, and divide the MB/s.",
        ),
        Question(
            ask="Twice the disks: random reads, 16 outstanding. By how many per cent does the rate grow from {few} disks to {many}?",
            draw={"few": (2, 4, 8)},
            also=lambda d: {"many": 2 * d.few},
            unit="%",
            tolerance=0.1,
            runs=(("volume.drives={few}",), ("volume.drives={many}",)),
            read=lambda d, a, b: 100 * (iops(b) / iops(a) - 1),
            way="Simulated: {simulated} %. The more disks there are for 16 requests, the more of them are idle at a time: the gain of the next ones shrinks.",
            hint="Run both. Is it 100 %?",
            mistakes=(
                Mistake(
                    lambda d: 100.0,
                    "Twice the disks are twice the rate only if there is twice the work for them.",
                ),
            ),
        ),
    ),
    explore=Explore(
        knobs=(
            Knob("outstanding I/Os", (1, 2, 4, 8, 16, 32, 64), ("load.outstanding={value}",)),
            Knob("disks", (1, 2, 4, 8), ("volume.drives={value}",)),
            Knob("size", ("8 KiB", "64 KiB", "1 MiB"), ("load.size={value}",)),
        ),
        shown=(
            Shown("rate", "IO/s", iops),
            Shown("mean latency", "ms", latency),
            Shown("throughput", "MB/s", mbps),
        ),
    ),
    sources=(
        "D. A. Patterson, G. Gibson and R. H. Katz, A case for redundant arrays of inexpensive disks (RAID), SIGMOD 1988",
        "M. Y. Kim, Synchronized disk interleaving, IEEE Transactions on Computers C-35 (1986)",
        "E. D. Lazowska and others, Quantitative System Performance, 1984 (balanced closed networks)",
    ),
    simplifications=(
        "Requests are spread evenly. Real data has hot places, and a stripe spreads them only if they are wider than a strip.",
        "The disks serve in order. With sorting, long queues are served faster, so concentration costs less.",
    ),
    disagreements=(
        "The formula holds for exponential service, where the simulated disks vary less: they are up to 13 % busier at about as many requests as disks.",
    ),
)

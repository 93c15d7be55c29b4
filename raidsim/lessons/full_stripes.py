"""Lesson: full stripes, and how to get them."""

from raidsim.teaching.figures import device_ios, iops, mbps
from raidsim.teaching.lesson import Explore, Knob, Lesson, Mistake, Question, Shown
from raidsim.teaching.runs import simulate

SYSTEM = """\
# Software RAID 5 of nine disks: a stripe has eight strips of data.
title = "Full stripes"

[host]
model = "linux-xeon-e5-pair"

[host.set]
"raid.stripe_cache" = 0         # each write is planned by itself

[[volume]]
level = "raid5"
drives = 9
drive = "seagate-st373455ss"
strip = "64 KiB"
disk_cache = "off"

[volume.set]
"read_ahead.depth" = "0 KiB"
"read_ahead.segments" = 0

[[load]]
read = "0 %"
random = "100 %"
size = "512 KiB"
outstanding = 8

[measure]
precision = "2 %"
min_ios = 3_000
max_ios = 3_000
"""
STRIP = 64


def reads(written: int, data: int, parity: int) -> int:
    """Strips that are read before so many of a stripe are written."""
    return min(written + parity, data - written)


def commands(written: int, data: int, parity: int) -> int:
    """Commands of a write of whole strips in one stripe."""
    return reads(written, data, parity) + written + parity


def moved(offset: int) -> tuple[str, ...]:
    """Let the data begin so many bytes into the volume."""
    return (f"load.area.offset={offset} B", "load.align=512 B", "load.random=0 %")


LESSON = Lesson(
    name="full-stripes",
    title="Full stripes",
    about="when parity costs hardly anything, and how a partition table spoils that",
    text="""\
A write of a whole stripe needs nothing that was there before: parity is computed of the new data alone. With k data strips and m parity strips that is k + m writes and no read, 1 + m/k accesses for each strip, where a small write under RAID 5 costs four.

In between, w of k strips are written. Two ways lead to the new parity, and the one that reads less is taken:

    read-modify-write    reads w + m strips (old data and parity)
    reconstruct-write    reads k - w strips (what is not written)

then w + m are written. With k = 8 and m = 1: of one strip 2 reads, of two 3, of four 4 (the rest), of seven 1, of eight none.

How does one get full stripes? By requests that are as long as the data of a stripe and begin where a stripe begins. The old partition table of PCs let data begin at sector 63, 31.5 KiB into the drive: then every request of the length of a stripe touches two stripes, and writes neither wholly. Today's tools begin at 1 MiB, which fits strips of powers of two, if the number of data drives is a power of two as well.

Or by gathering: a controller with a write-back cache, or Linux md with its stripe cache, waits a little for the rest of a stripe. Streams fill stripes so; random writes do not.""",
    system=SYSTEM,
    questions=(
        Question(
            ask="RAID 5 of nine disks (eight data strips of 64 KiB to a stripe): how many accesses does a write of {kib} KiB cost that begins with a strip, in one stripe?",
            draw={"kib": (64, 128, 256, 512)},
            tolerance=0.0,
            hand=lambda d: commands(d.kib // STRIP, 8, 1),
            runs=(("load.size={kib} KiB",),),
            read=lambda d, p: device_ios(p),
            agrees=0.005,
            also=lambda d: {
                "w": d.kib // STRIP,
                "modify": d.kib // STRIP + 1,
                "rest": 8 - d.kib // STRIP,
            },
            way="It writes {w} strips. Read-modify-write would read {modify}, reconstruct-write {rest}; the fewer, and {w} + 1 writes: {hand}. Counted: {simulated}.",
            hint="How many strips does it write, and which of the two ways reads fewer?",
            mistakes=(
                Mistake(
                    lambda d: 4.0 * d.kib / STRIP if d.kib > STRIP else -1,
                    "Four accesses for each strip would be so if each was a write of its own. Parity is written once for all of them.",
                ),
            ),
        ),
        Question(
            ask="RAID 6 of {drives} disks writes full stripes. How many bytes go to the drives for each byte of the host?",
            draw={"drives": (6, 8, 10)},
            tolerance=0.01,
            hand=lambda d: d.drives / (d.drives - 2),
            runs=(
                (
                    "volume.level=raid6",
                    "volume.drives={drives}",
                    "load.size={stripe} KiB",
                    "load.random=0 %",
                ),
            ),
            read=lambda d, p: device_ios(p) / (d.drives - 2),
            agrees=0.01,
            also=lambda d: {"stripe": 64 * (d.drives - 2), "data": d.drives - 2},
            way="{drives} strips are written where {data} hold data: {hand}. Simulated: {simulated}.",
            hint="How many of the {drives} strips of a stripe are data?",
            mistakes=(
                Mistake(lambda d: 6.0, "Six is the small write. A full stripe reads nothing."),
            ),
        ),
        Question(
            ask="The host always writes {kib} KiB, aligned to that, and strips have 64 KiB. How many disks should a RAID 5 have, so that each write is one full stripe?",
            draw={"kib": (128, 256, 512)},
            tolerance=0.0,
            hand=lambda d: d.kib // STRIP + 1,
            simulated=lambda d: next(
                drives
                for drives in range(3, 12)
                if abs(
                    device_ios(
                        simulate(SYSTEM, f"volume.drives={drives}", f"load.size={d.kib} KiB")
                    )
                    - drives
                )
                < 0.01
            ),
            way="{kib} / 64 data strips and one of parity: {hand}. In the simulation {simulated} disks are the fewest at which a write costs as many accesses as there are disks, so reads nothing.",
            hint="How many strips is a request, and what comes to them?",
            mistakes=(Mistake(lambda d: d.kib // STRIP, "And where does the parity go?"),),
        ),
        Question(
            ask="Predict: writes of 512 KiB in sequence, eight outstanding, reach {good} MB/s where stripes begin. How many if the data begins at sector 63 ({bytes} bytes into the volume)?",
            draw={"bytes": (32256,)},
            unit="MB/s",
            predict=True,
            runs=(moved(32256),),
            read=lambda d, p: mbps(p),
            also=lambda d: {"good": mbps(simulate(SYSTEM, *moved(0)))},
            way="Simulated: {simulated} MB/s. Each request ends one stripe and begins another, so both are read before they are written; and two requests that share a stripe wait for each other.",
            hint="How many stripes does each request touch now, and does it write one of them wholly?",
        ),
        Question(
            ask="How many accesses does a write of 512 KiB cost on the nine disks if the data begins {bytes} bytes into the volume?",
            draw={"bytes": (32256, 65536, 131072)},
            tolerance=0.02,
            runs=(("load.area.offset={bytes} B", "load.align=512 B", "load.random=0 %"),),
            read=lambda d, p: device_ios(p),
            way="Simulated: {simulated} in place of 9. Bytes of two stripes are written, and each of these needs its parity and something read.",
            hint="Run it. It was 9 for a full stripe.",
            mistakes=(
                Mistake(
                    lambda d: 9.0, "That is the full stripe. Does the request still begin with one?"
                ),
            ),
        ),
        Question(
            ask='The other way: software RAID with a stripe cache (host.set."raid.stripe_cache" = 256, as Linux md has it). Writes of {kib} KiB in sequence, 32 outstanding: how many times the throughput is that of the same without?',
            draw={"kib": (64, 128)},
            tolerance=0.1,
            runs=(
                ("load.size={kib} KiB", "load.random=0 %", "load.outstanding=32"),
                (
                    "load.size={kib} KiB",
                    "load.random=0 %",
                    "load.outstanding=32",
                    'host.set."raid.stripe_cache"=256',
                ),
            ),
            read=lambda d, a, b: mbps(b) / mbps(a),
            way="Simulated: {simulated} times. Writes that follow each other are gathered, and most stripes are written without a read.",
            hint="Run both, and divide the MB/s.",
        ),
    ),
    explore=Explore(
        knobs=(
            Knob(
                "size of a write",
                (8, 64, 128, 192, 256, 320, 384, 448, 512),
                ("load.size={value} KiB", "load.align=4 KiB"),
                "KiB",
            ),
            Knob("level", ("raid5", "raid6"), ("volume.level={value}",)),
            Knob("begin of the data", (0, 32256), ("load.area.offset={value} B",), "B"),
        ),
        shown=(
            Shown("throughput", "MB/s", mbps),
            Shown("commands per write", "", device_ios),
            Shown("rate", "IO/s", iops),
        ),
    ),
    sources=(
        "P. M. Chen and others, RAID: high-performance, reliable secondary storage, ACM Computing Surveys 26(2), 1994",
        "Linux kernel, drivers/md/raid5.c: handle_stripe_dirtying compares what both ways would read",
    ),
    simplifications=(
        "Each write is planned by itself but for the last question.",
        "Disk caches are off, so that a write is over when it is on the platter.",
    ),
    disagreements=(
        "Linux md plans rows of 4 KiB, not strips, so a write that touches two strips may read less than here.",
    ),
)

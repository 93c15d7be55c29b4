"""A real Linux kernel assembles the files of simulated drives, checks them, and writes to them.

The drives are filled over NBD, so that what is compared is what a client wrote. One boot looks at
all arrays. In each the kernel compares data with parity and copies ("check"), writes, and stops;
then raidsim opens what the kernel left.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from clients import linux
from clients.real_clients import Server, attached, run

from raidsim.attach import image_work, images
from raidsim.attach.machine import Machine
from raidsim.scenario import Scenario

KIB = 2**10
PIECE = 64 * KIB
SEED = 20260707
FRESH = 300 * KIB  # bytes that the kernel writes: several stripes
FRESH_AT = 36 * KIB

HEAD = """
schema = 1
title = "arrays that a kernel assembles"
[host]
model = "fujitsu-rx300-s4"
[[load]]
volume = "raid5"
read = "100 %"
size = "8 KiB"
outstanding = 1
"""
VOLUME = """
[[volume]]
name = "{name}"
level = "{level}"
drives = {drives}
drive = "seagate-st373455ss"
set = {{ "capacity.user" = "10 MB" }}
disk_cache = "off"
{more}
"""


@dataclass
class Case:
    """An array: what the scenario says of it, and the drive that fails while it is written."""

    name: str
    level: str
    drives: int
    more: str = ""
    fails: int | None = None
    size: int = 0
    content: bytes = field(default=b"", repr=False)
    before: int = 0  # where the kernel puts what it reads, in pieces
    after: int = 0

    @property
    def is_checked(self) -> bool:
        """Whether the kernel has something to compare."""
        return self.level not in ("jbod", "raid0") and self.fails is None

    @property
    def changed(self) -> bytes:
        """What is there after the kernel wrote."""
        return self.content[:FRESH_AT] + fresh() + self.content[FRESH_AT + FRESH :]


BITMAP = 'intent = "bitmap"\nbitmap_chunk = "1 MiB"'
CASES = {
    "1.2": [
        Case("jbod", "jbod", 3),
        Case("raid0", "raid0", 3),
        Case("raid1", "raid1", 2),
        Case("raid1-bitmap", "raid1", 3, BITMAP),
        Case("raid4", "raid4", 4),
        Case("raid5", "raid5", 4),
        Case("raid5-bitmap", "raid5", 4, BITMAP),
        Case("raid5-degraded", "raid5", 4, fails=2),
        Case("raid5-right", "raid5", 5, 'rotation = "right-asymmetric"\nstrip = "16 KiB"'),
        Case("raid6", "raid6", 5),
        Case("raid6-bitmap-degraded", "raid6", 6, BITMAP, fails=0),
        Case("raid6-continue", "raid6", 6, 'rotation = "n-continue"'),
        Case("raid6-q-last", "raid6", 5, 'rotation = "left-symmetric-6"'),
        Case("raid10", "raid10", 4),
        Case("raid10-far", "raid10", 4, 'spread = "far"'),
        Case("raid10-offset", "raid10", 5, 'spread = "offset"\n' + BITMAP),
        Case("raid10-degraded", "raid10", 4, fails=1),
        Case("raid1e", "raid1e", 3),
    ],
    "0.90": [
        Case("raid0", "raid0", 3),
        Case("raid1", "raid1", 2, BITMAP),
        Case("raid5", "raid5", 4),
        Case("raid6", "raid6", 5, BITMAP),
        Case("raid6-degraded", "raid6", 5, fails=3),
        Case("raid10", "raid10", 4),
    ],
}


def fresh() -> bytes:
    return random.Random(f"{SEED} fresh").randbytes(FRESH)


def scenario_of(cases: list[Case]) -> str:
    return HEAD + "".join(
        VOLUME.format(name=one.name, level=one.level, drives=one.drives, more=one.more)
        for one in cases
    )


def fill(server: Server, one: Case, folder: Path) -> None:
    """Write all of a volume, a part of it once more after its drive has failed."""
    one.size = int(run("nbdinfo", "--size", server.uri(one.name)))
    chance = random.Random(f"{SEED} {one.name}")
    one.content = chance.randbytes(one.size)
    source = folder / "source"
    source.write_bytes(one.content)
    run("nbdcopy", "--flush", str(source), server.uri(one.name))
    if one.fails is not None:
        server.ask(kind="drive-failure", volume=one.name, drive=one.fails)
        text = "write -P 0x5a 1000k 700k"
        run("qemu-io", "-f", "raw", "-c", text, "-c", "flush", server.uri(one.name))
        one.content = one.content[: 1000 * KIB] + b"\x5a" * 700 * KIB + one.content[1700 * KIB :]


def read_at(path: Path, piece: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(piece * PIECE)
        return file.read(length)


WORK = """
assemble() {  # name, options and devices
  name=$1; shift
  mdadm --assemble /dev/md/$name --run --config=/dev/null "$@" || {
    told $name does not assemble; return 1; }
  number=$(basename $(readlink -f /dev/md/$name))
}
look() {  # name, where its bytes go before and after, whether redundancy is compared, devices
  name=$1; before=$2; after=$3; checked=$4; shift 4
  assemble $name --readonly "$@" || return
  dd if=/dev/md/$name of=$out bs=64k seek=$before conv=notrunc
  mdadm --stop /dev/md/$name
  assemble $name "$@" || return
  told $name degraded $(cat /sys/block/$number/md/degraded)
  told $name bitmap $(cat /sys/block/$number/md/bitmap/location)
  if [ $checked = 1 ]; then
    echo check > /sys/block/$number/md/sync_action
    until [ $(cat /sys/block/$number/md/sync_action) = idle ]; do sleep 0.1; done
    cd /sys/block/$number/md
    told $name checked $(cat last_sync_action mismatch_cnt)
    cd /
  fi
  dd if=/fresh of=/dev/md/$name bs=4k seek=9 conv=notrunc,fsync || told $name cannot be written
  echo 3 > /proc/sys/vm/drop_caches
  dd if=/dev/md/$name of=$out bs=64k seek=$after conv=notrunc
  mdadm --stop /dev/md/$name || told $name does not stop
}
"""


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What the kernel told of each array, by metadata and name."""
    above = tmp_path_factory.mktemp("kernel")
    out = above / "read"
    drives = [out]
    work, end = WORK + "out=$(disk 0 0)\n", 0
    for metadata, cases in CASES.items():
        folder = above / metadata
        folder.mkdir()
        options = ("--members", str(folder / "members"), "--metadata", metadata)
        with attached(folder, scenario_of(cases), 1000.0, *options) as server:
            for one in cases:
                fill(server, one, folder)
        for one in cases:
            names = [folder / "members" / one.name / f"drive-{n}" for n in range(one.drives)]
            first = len(drives)
            drives += names
            disks = " ".join(f"$(disk {n // 8} {n % 8})" for n in range(first, len(drives)))
            one.before, one.after = end, end + -(-one.size // PIECE)
            end = one.after + -(-one.size // PIECE)
            places = f"{one.before} {one.after} {int(one.is_checked)}"
            work += f"look {metadata}:{one.name} {places} {disks}\n"
    with out.open("wb") as file:
        file.truncate(end * PIECE)
    told: dict[str, dict[str, str]] = {"": {"above": str(above)}}
    for line in linux.boot(above, drives, work, {"fresh": fresh()}):
        print(line)
        name, what, *words = line.split()
        told.setdefault(name, {})[what] = " ".join(words)
    return told


EVERY = [(metadata, one) for metadata, cases in CASES.items() for one in cases]
NAMES = [f"{metadata}-{one.name}" for metadata, one in EVERY]


@pytest.mark.parametrize(("metadata", "one"), EVERY, ids=NAMES)
def test_a_kernel_assembles_the_drives_and_raidsim_reads_what_it_wrote(
    looked_at: dict[str, dict[str, str]], metadata: str, one: Case
) -> None:
    told = looked_at[f"{metadata}:{one.name}"]
    above = Path(looked_at[""]["above"])
    assert read_at(above / "read", one.before, one.size) == one.content
    if one.level not in ("jbod", "raid0"):
        assert told["degraded"] == ("0" if one.fails is None else "1")
    if one.is_checked:
        assert told["checked"] == "check 0"
    if "bitmap" in one.more:
        assert told["bitmap"] == "+8"
    assert read_at(above / "read", one.after, one.size) == one.changed
    array = images.find(above / metadata / "members" / one.name)
    assert array.is_clean
    assert array.missing == ([] if one.fails is None else [one.fails])
    content = images.open_array(array)
    assert content.read(0, one.size) == one.changed
    content.close()
    if one.is_checked:
        assert image_work.scrub(array, repair=False)[1]


@pytest.mark.parametrize("metadata", CASES)
def test_raidsim_goes_on_with_the_drives_that_a_kernel_has_used(
    looked_at: dict[str, dict[str, str]], metadata: str
) -> None:
    folder = Path(looked_at[""]["above"]) / metadata / "members"
    machine = Machine(Scenario.from_text(scenario_of(CASES[metadata])), 1.0, members=folder)
    try:
        for one in CASES[metadata]:
            assert machine.devices[one.name].content.read(0, one.size) == one.changed
    finally:
        machine.close()
    array = images.find(folder / "raid5")
    assert array.is_clean
    assert array.missing == []

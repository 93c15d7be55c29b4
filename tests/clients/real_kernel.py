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

from raidsim.attach import image_work, images, nested
from raidsim.attach.attached import AttachedSystem
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
    def spans(self) -> int:
        """Arrays that it is made of; 1 if it is none of arrays."""
        if not self.level.endswith("50") and not self.level.endswith("60"):
            return 1
        return 3 if "spans = 3" in self.more else 2

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
        Case("raid50", "raid50", 6),
        Case("raid50-degraded", "raid50", 9, "spans = 3\n" + BITMAP, fails=4),
        Case("raid60", "raid60", 8),
        Case("raid60-q-last", "raid60", 10, 'rotation = "right-asymmetric-6"'),
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


def path_of(folder: Path, one: Case, drive: int) -> Path:
    span = drive // (one.drives // one.spans)
    return (folder if one.spans == 1 else folder / f"span-{span}") / f"drive-{drive}"


def read_at(path: Path, piece: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(piece * PIECE)
        return file.read(length)


WORK = """
assemble() {  # name, options and devices
  local name=$1; shift
  mdadm --assemble /dev/md/$name --run --config=/dev/null "$@" || {
    told $name does not assemble; return 1; }
  number=$(basename $(readlink -f /dev/md/$name))
}
check() {  # name
  cd /sys/block/$number/md
  echo check > sync_action
  until [ $(cat sync_action) = idle ]; do sleep 0.1; done
  told $1 checked $(cat last_sync_action mismatch_cnt)
  cd /
}
inner() {  # name, drives, spans, options: assembles each span; $spans are their devices
  local name=$1 drives=$2 count=$3; shift 3
  all=$(echo "$devices"); spans=""
  n=0
  while [ $n -lt $count ]; do
    each=$(echo $all | cut -d " " -f $((n * drives + 1))-$((n * drives + drives)))
    assemble $name-$n "$@" $each || return 1
    [ "$1" = --readonly ] || told $name-$n degraded $(cat /sys/block/$number/md/degraded)
    spans="$spans /dev/md/$name-$n"; n=$((n + 1))
  done
}
look() {  # name, where its bytes go before and after, whether to compare copies, spans, devices
  name=$1; before=$2; after=$3; checked=$4; count=$5; shift 5
  for option in --readonly ""; do
    devices="$*"; spans=""
    if [ $count -gt 1 ]; then
      inner $name $(($# / count)) $count $option || return
      devices=$spans
      [ "$option" ] || [ $checked = 0 ] || for one in $spans; do
        number=$(basename $(readlink -f $one)); check $(basename $one)
      done
    fi
    assemble $name $option $devices || return
    if [ "$option" ]; then
      dd if=/dev/md/$name of=$out bs=64k seek=$before conv=notrunc
    else
      told $name degraded $(cat /sys/block/$number/md/degraded)
      told $name bitmap $(cat /sys/block/$number/md/bitmap/location)
      [ $count -gt 1 ] || [ $checked = 0 ] || check $name
      dd if=/fresh of=/dev/md/$name bs=4k seek=9 conv=notrunc,fsync || told $name cannot be written
      echo 3 > /proc/sys/vm/drop_caches
      dd if=/dev/md/$name of=$out bs=64k seek=$after conv=notrunc
    fi
    mdadm --stop /dev/md/$name $spans || told $name does not stop
  done
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
            names = [path_of(folder / "members" / one.name, one, n) for n in range(one.drives)]
            first = len(drives)
            drives += names
            disks = " ".join(f"$(disk {n // 8} {n % 8})" for n in range(first, len(drives)))
            one.before, one.after = end, end + -(-one.size // PIECE)
            end = one.after + -(-one.size // PIECE)
            places = f"{one.before} {one.after} {int(one.is_checked)} {one.spans}"
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
    above = Path(looked_at[""]["above"])
    folder = above / metadata / "members" / one.name
    assert read_at(above / "read", one.before, one.size) == one.content
    for span in range(one.spans):
        name = f"{metadata}:{one.name}" if one.spans == 1 else f"{metadata}:{one.name}-{span}"
        is_short = one.fails is not None and one.fails // (one.drives // one.spans) == span
        if one.level not in ("jbod", "raid0"):
            assert looked_at[name]["degraded"] == str(int(is_short))
        if one.is_checked:
            assert looked_at[name]["checked"] == "check 0"
        array = images.find(folder if one.spans == 1 else folder / f"span-{span}")
        assert array.is_clean
        assert array.missing == ([one.fails - span * one.drives // one.spans] if is_short else [])
    if "bitmap" in one.more and one.spans == 1:
        assert looked_at[name]["bitmap"] == "+8"
    assert read_at(above / "read", one.after, one.size) == one.changed
    copy = above / f"copy of {metadata} {one.name}"
    image_work.copy(nested.find_any(folder), str(copy), 0, None)
    assert copy.read_bytes() == one.changed
    copy.unlink()
    if one.is_checked:
        assert image_work.scrub(nested.find_any(folder), repair=False)[1]


@pytest.mark.parametrize("metadata", CASES)
def test_raidsim_goes_on_with_the_drives_that_a_kernel_has_used(
    looked_at: dict[str, dict[str, str]], metadata: str
) -> None:
    folder = Path(looked_at[""]["above"]) / metadata / "members"
    attached = AttachedSystem(Scenario.from_text(scenario_of(CASES[metadata])), 1.0, members=folder)
    try:
        for one in CASES[metadata]:
            assert attached.devices[one.name].content.read(0, one.size) == one.changed
    finally:
        attached.close()
    array = images.find(folder / "raid5")
    assert array.is_clean
    assert array.missing == []

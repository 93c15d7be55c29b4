"""RAID 50 and 60 as files: a RAID 0 over arrays, each with superblocks of its own."""

from __future__ import annotations

import random

import pytest
from attached_disks import FAST, disks
from command_line import output_of

from raidsim.attach import nested
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.consistency import inconsistent, stripes_in_use
from raidsim.attach.images import find, open_array
from raidsim.attach.rebuilding import now_good
from raidsim.attach.superblock import CLEAN, FAULTY
from raidsim.errors import InputError
from raidsim.scenario import Scenario

KIB, MIB = 2**10, 2**20
SEED = 50
CASES = [("raid50", 6, ""), ("raid50", 9, "spans = 3"), ("raid60", 8, ""),
         ("raid60", 10, 'rotation = "n-continue"'), ("raid50", 8, 'rotation = "zero-restart"'),
         ("raid60", 8, 'rotation = "left-asymmetric-6"')]  # fmt: skip


def scenario(level, drives, more=""):
    return Scenario.from_text(
        disks(level, drives).replace(f"drives = {drives}", f"drives = {drives}\n{more}")
    )


def read(folder, address, length):
    striped = nested.Striped(nested.find_any(folder))
    content = striped.read(address, length)
    striped.close()
    return content


@pytest.mark.parametrize(("level", "drives", "more"), CASES)
def test_what_was_written_lies_where_a_raid_0_over_the_inner_arrays_has_it(
    tmp_path, level, drives, more
):
    """The simulation's places, and arithmetic over inner arrays read by their superblocks."""
    print("seed", SEED)
    chance = random.Random(SEED)
    attached = AttachedSystem(scenario(level, drives, more), FAST, members=tmp_path)
    content = attached.devices["data"].content
    flat = bytearray(4 * MIB)
    for _ in range(40):
        address, length = chance.randrange(4 * MIB - 200_000), chance.randrange(1, 200_000)
        data = chance.randbytes(length)
        content.write(address, data)
        flat[address : address + length] = data
    size = int(content.layout["size"])
    content.write(size - 5000, b"end" * 1000)
    attached.close()
    folder = tmp_path / "data"
    found = nested.find_any(folder)
    assert found.size == size
    assert read(folder, 0, 4 * MIB) == flat
    assert read(folder, size - 5000, 3000) == b"end" * 1000
    for array in found.arrays:
        assert array.is_clean
        inner = open_array(array)
        n = int(inner.layout["span_drives"])
        assert n == drives // len(found.arrays)
        assert inconsistent(inner, stripes_in_use(inner)) == []
        inner.close()

    again = AttachedSystem(scenario(level, drives, more), FAST, members=tmp_path)
    assert again.devices["data"].content.read(0, 4 * MIB) == flat
    again.close()


def test_any_drive_of_each_span_may_be_missing(tmp_path):
    attached = AttachedSystem(scenario("raid50", 6), FAST, members=tmp_path)
    data = random.Random(SEED).randbytes(MIB)
    attached.devices["data"].content.write(100 * KIB, data)
    attached.close()
    folder = tmp_path / "data"
    for first in range(3):
        for second in range(3, 6):
            gone = [folder / f"span-0/drive-{first}", folder / f"span-1/drive-{second}"]
            for path in gone:
                path.rename(tmp_path / path.name)
            assert read(folder, 100 * KIB, MIB) == data
            for path in gone:
                (tmp_path / path.name).rename(path)


def test_a_drive_that_was_replaced_holds_its_part_of_the_outer_superblock_again(tmp_path):
    """So the array can be put together when another drive of the span is lost after that."""
    attached = AttachedSystem(scenario("raid50", 6), FAST, members=tmp_path)
    device = attached.devices["data"]
    content = device.content
    content.write(0, b"before" * 50_000)
    good = list(content.good)
    now_good(content, [0 if n == 4 else one for n, one in enumerate(good)])
    content.write(0, b"during" * 50_000)
    blocks = find(tmp_path / "data/span-1").block
    assert blocks.roles == [0, FAULTY, 2]
    assert blocks.resync == 0
    assert find(tmp_path / "data/span-0").block.roles == [0, 1, 2]
    content.drives[4].clear(0, content.whole)
    now_good(content, [content.strip if n == 4 else one for n, one in enumerate(good)])
    there = [
        image for image in find(tmp_path / "data/span-1").images if image.path.name == "drive-4"
    ]
    before = find(tmp_path / "data/span-1").block.size * 512 - content.whole
    assert there[0].block.rebuilt == (before + content.strip) // 512
    now_good(content, good)
    attached.close()
    assert find(tmp_path / "data/span-1").block.resync == CLEAN
    for number in (3, 5):
        path = tmp_path / f"data/span-1/drive-{number}"
        path.rename(tmp_path / "away")
        assert read(tmp_path / "data", 0, 300_000) == b"during" * 50_000
        (tmp_path / "away").rename(path)


def test_a_missing_file_is_a_failed_drive_of_the_simulation(tmp_path):
    attached = AttachedSystem(scenario("raid60", 8), FAST, members=tmp_path)
    data = random.Random(SEED).randbytes(MIB)
    attached.devices["data"].content.write(0, data)
    attached.close()
    (tmp_path / "data/span-1/drive-5").unlink()
    attached = AttachedSystem(scenario("raid60", 8), FAST, members=tmp_path)
    assert list(attached.devices["data"].volume.failed) == [5]
    assert attached.devices["data"].content.read(0, MIB) == data
    attached.close()


def test_a_bitmap_has_the_rows_behind_those_of_the_outer_superblock(tmp_path):
    more = 'intent = "bitmap"\nbitmap_chunk = "64 KiB"'
    attached = AttachedSystem(scenario("raid50", 6, more), FAST, members=tmp_path)
    content = attached.devices["data"].content
    strip = content.strip
    first = find(tmp_path / "data/span-0").block.size * 512 - content.whole
    content.write(0, b"1" * 512)
    content.write(2 * strip, b"2" * 3 * strip)  # the first row of span 1, and row 1 of span 0
    keepers = content.keeper._keepers
    assert keepers[0].bitmap.marked == {first // (64 * KIB), first // (64 * KIB) + 1}
    assert keepers[1].bitmap.marked == {first // (64 * KIB)}
    attached.close()
    assert keepers[0].bitmap.marked == set()


def test_rows_that_a_cut_has_torn_are_told_by_their_span_alone(tmp_path):
    attached = AttachedSystem(scenario("raid50", 6), FAST, members=tmp_path)
    device = attached.devices["data"]
    device.content.write(0, b"1" * 512 * KIB)
    device.content.write(128 * KIB, b"2" * 64 * KIB, torn=True)
    device.stored._torn = {(1, 0)}
    attached.close()
    assert find(tmp_path / "data/span-0").is_clean
    assert not find(tmp_path / "data/span-1").is_clean
    attached = AttachedSystem(scenario("raid50", 6), FAST, members=tmp_path)
    assert inconsistent(attached.devices["data"].content, [(1, 0)]) == []
    attached.close()


def test_what_is_no_such_array_is_refused_with_what_is_wrong(tmp_path):
    with pytest.raises(InputError, match=r"--metadata.*array of arrays"):
        AttachedSystem(scenario("raid50", 6), FAST, members=tmp_path / "old", metadata="0.90")
    AttachedSystem(scenario("raid50", 12, "spans = 4"), FAST, members=tmp_path / "four").close()
    with pytest.raises(InputError, match="arrays of the outer array: 4, where 2 is expected"):
        AttachedSystem(scenario("raid50", 6), FAST, members=tmp_path / "four")
    with pytest.raises(InputError, match="drives: 3, and data-0 has 4"):
        AttachedSystem(scenario("raid50", 16, "spans = 4"), FAST, members=tmp_path / "four")
    data = tmp_path / "four/data"
    (data / "span-3").rename(tmp_path / "away")
    with pytest.raises(InputError, match="has 3 arrays, where the outer one has 4"):
        nested.find_any(data)
    with pytest.raises(InputError, match="span-3"):
        AttachedSystem(scenario("raid50", 12, "spans = 4"), FAST, members=tmp_path / "four")
    (tmp_path / "away").rename(data / "span-3")
    (data / "drive-0").touch()
    with pytest.raises(InputError, match="files and folders"):
        nested.find_any(data)
    AttachedSystem(Scenario.from_text(disks("raid5", 4)), FAST, members=tmp_path / "inner").close()
    (tmp_path / "inner/data").rename(tmp_path / "inner/one")
    with pytest.raises(InputError, match="no member of an outer array"):
        nested.find_any(tmp_path / "inner")


def test_folders_of_arrays_are_examined_read_and_put_right(tmp_path, capfd):
    attached = AttachedSystem(scenario("raid60", 8), FAST, members=tmp_path)
    data = random.Random(SEED).randbytes(MIB)
    attached.devices["data"].content.write(0, data)
    attached.close()
    name = str(tmp_path / "data")
    words = output_of(capfd, "array", "examine", name)
    assert "raidsim:data: RAID 0 of 2 arrays" in words
    assert "raidsim:data-1: RAID 6 of 4 drives" in words
    out = tmp_path / "out"
    output_of(capfd, "array", "read", name, "--length", "1 MiB", "--out", str(out))
    assert out.read_bytes() == data
    assert output_of(capfd, "array", "scrub", name).count("all of them agree") == 2

    path = tmp_path / "data/span-1/drive-6"
    block = find(path.parent).block
    with path.open("r+b") as file:
        file.seek((block.data_offset + block.size) * 512 - attached.devices["data"].content.whole)
        file.write(b"rot")
    words = output_of(capfd, "array", "scrub", name, expected=1)
    assert "span-0: " in words
    assert "span-1: 1 of " in words
    assert "agree now" in output_of(capfd, "array", "scrub", name, "--repair")
    path.rename(tmp_path / "old")
    command = ("array", "reconstruct", name, "--drive", "2", "--out", str(path))
    assert "the array that lacks the drive" in output_of(capfd, *command, expected=2)
    command = ("array", "reconstruct", str(path.parent), "--drive", "2", "--out", str(path))
    output_of(capfd, *command)
    with path.open("rb") as file, (tmp_path / "old").open("rb") as old:
        for one in (file, old):
            one.seek(block.data_offset * 512)
        assert file.read(2 * MIB) == old.read(2 * MIB)

"""Members as files: superblocks, what a folder keeps, and arrays put together from images."""

from __future__ import annotations

import struct

import pytest
from attached_disks import FAST, disks
from command_line import output_of

from raidsim.attach import images
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.consistency import inconsistent
from raidsim.attach.folder import folder_of
from raidsim.attach.superblock import CLEAN, FAULTY, SPARE, Bitmap, NoSuperblock, Superblock, parse
from raidsim.attach.superblock_0 import MOST_DRIVES, Superblock0, parse_0
from raidsim.errors import InputError
from raidsim.scenario import Scenario

KIB = 2**10


def block(**changes):
    given = {
        "array": bytes(range(16)), "member": bytes(range(16, 32)), "name": "host:0", "level": 5,
        "layout": 2, "size": 4096, "chunk": 128, "drives": 3, "number": 1, "roles": [0, 1, 2],
        "data_offset": 2048, "data_size": 4096, "events": 7,
    }  # fmt: skip
    return Superblock(**(given | changes))


def test_a_superblock_stands_where_the_kernels_header_has_its_fields():
    """Places of struct mdp_superblock_1; the sum is added up by hand, word by word."""
    data = block().pack()
    assert data[:8] == bytes.fromhex("fc4e2ba9 01000000")
    fields = {"level": (72, "<i", 5), "layout": (76, "<I", 2), "size": (80, "<Q", 4096),
              "chunk": (88, "<I", 128), "drives": (92, "<I", 3), "data": (128, "<Q", 2048),
              "place": (144, "<Q", 8), "number": (160, "<I", 1), "events": (200, "<Q", 7),
              "resync": (208, "<Q", 2**64 - 1), "roles": (220, "<I", 3)}  # fmt: skip
    for at, form, value in fields.values():
        assert struct.unpack_from(form, data, at) == (value,)
    assert struct.unpack_from("<3H", data, 256) == (0, 1, 2)
    words = (*struct.unpack("<65I", data[:260]), 2)  # the last role has half a word
    total = sum(words) - words[54]
    assert words[54] == (total % 2**32 + total // 2**32) % 2**32


def test_a_superblock_is_read_as_it_was_written_and_a_damaged_one_is_refused():
    for one in (block(), block(bitmap=8, rebuilt=512, resync=0, level=-1, roles=[0, FAULTY, 2])):
        found = parse(one.pack())
        found.features = one.features
        assert found == one
    for at in (0, 4, 80, 216, 258):
        data = bytearray(block().pack())
        data[at] ^= 1
        with pytest.raises(NoSuperblock):
            parse(bytes(data))


def test_a_superblock_of_metadata_0_90_stands_where_the_kernels_header_has_its_words():
    """Words of struct mdp_superblock_s; the sum is added up by hand, word by word."""
    given = vars(block(resync=0, events=2**33 + 7, roles=[0, 1, FAULTY]))
    one = Superblock0(**given)
    words = struct.unpack("<1024I", one.pack())
    assert words[:4] == (0xA92B4EFC, 0, 90, 0)
    assert (words[5], words[13]) == (0x00010203, 0x04050607)  # as mdadm prints the UUID
    assert words[7:11] == (5, 2048, 2, 3)  # level, KiB of each drive, drives now and when whole
    assert words[33:38] == (0, 2, 2, 1, 0)  # not clean, active, working, failed, spare
    assert words[39:41] == (7, 2)
    assert (words[64], words[65]) == (2, 65536)
    assert words[128:133] == (0, 0, 0, 0, 6)
    assert words[192:197] == (2, 0, 0, 2, 9)
    assert words[992:997] == (1, 0, 0, 1, 6)
    total = sum(words) - words[38]
    assert words[38] == (total % 2**32 + total // 2**32) % 2**32


def test_the_bitmap_of_metadata_0_90_has_the_words_of_the_uuid_as_the_computer_writes_them():
    """A kernel compares it with the words of the superblock, and refuses the array otherwise."""
    one = Superblock0(**vars(block()))
    words = struct.unpack("<1024I", one.pack())
    assert one.bitmap_uuid == struct.pack("<4I", words[5], *words[13:16])
    assert block().bitmap_uuid == block().array


def test_a_superblock_of_metadata_0_90_is_read_as_it_was_written_and_a_damaged_one_is_refused():
    roles = [0, FAULTY, 2] + [SPARE] * (MOST_DRIVES - 3)
    member = bytes(range(12)) + (1).to_bytes(4, "little")
    values = vars(block(name="", data_offset=0, place=4096, roles=roles, member=member))
    for changes in ({}, {"resync": 640, "bitmap": 8, "level": -1}):
        one = Superblock0(**(values | changes))
        assert parse_0(one.pack(), 4096) == one
    for at in (0, 4, 8, 28, 130, 156, 520):
        data = bytearray(one.pack())
        data[at] ^= 1
        with pytest.raises(NoSuperblock):
            parse_0(bytes(data), 4096)


def test_a_bitmap_has_a_bit_for_each_chunk():
    bitmap = Bitmap(bytes(16), 3, 2**20, 2**20 // 512 * 19 + 1, {0, 9, 19})
    assert bitmap.bits == 20
    data = bitmap.pack()
    assert data[:8] == b"bitm" + b"\4\0\0\0"
    assert data[256:260] == bytes([1, 2, 8, 0])
    assert len(data) % 512 == 0


CASES = [("raid0", 3), ("raid1", 2), ("raid10", 4), ("raid1e", 3), ("raid5", 4), ("raid6", 5)]


@pytest.mark.parametrize("metadata", ["1.2", "0.90"])
@pytest.mark.parametrize(("level", "drives"), CASES)
def test_what_was_written_is_in_the_folder_and_in_any_survivors_of_it(
    tmp_path, level, drives, metadata
):
    """The array is put together from the files alone, by what their superblocks say."""
    scenario = Scenario.from_text(disks(level, drives))
    content = bytes(range(256)) * 1200
    attached = AttachedSystem(scenario, FAST, members=tmp_path, metadata=metadata)
    attached.devices["data"].content.write(60 * KIB, content)
    attached.close()
    folder = tmp_path / "data"
    assert len(list(folder.iterdir())) == drives

    array = images.find(folder)
    assert array.is_clean
    assert metadata == array.block.METADATA
    assert array.missing == []
    members = images.open_array(array)
    assert members.read(60 * KIB, len(content)) == content
    members.close()

    again = AttachedSystem(scenario, FAST, members=tmp_path)
    assert again.devices["data"].content.read(60 * KIB, len(content)) == content
    assert not images.find(folder).is_clean  # while it is in use
    again.close()

    if level != "raid0":
        (folder / "drive-1").unlink()
        array = images.find(folder)
        assert array.missing == [1]
        members = images.open_array(array)
        assert members.read(60 * KIB, len(content)) == content
        members.close()


def test_a_member_that_was_failed_is_out_of_date_afterwards(tmp_path):
    scenario = Scenario.from_text(disks("raid5", 4))
    attached = AttachedSystem(scenario, FAST, members=tmp_path)
    device = attached.devices["data"]
    device.content.write(0, b"1" * 256 * KIB)
    device.volume.fail(2)
    device.stored.look()
    device.content.write(0, b"2" * 256 * KIB)
    attached.close()
    array = images.find(tmp_path / "data")
    assert array.missing == [2]
    assert "out of date" in array.images[2].state
    assert array.block.roles == [0, 1, FAULTY, 3]
    again = AttachedSystem(
        scenario, FAST, members=tmp_path
    )  # and it has failed in the simulation, too
    assert again.devices["data"].volume.failed == [2]
    assert again.devices["data"].content.read(0, 256 * KIB) == b"2" * 256 * KIB
    again.close()


def test_members_that_were_not_closed_are_made_consistent_when_they_are_opened(tmp_path):
    scenario = Scenario.from_text(disks("raid5", 4))
    attached = AttachedSystem(scenario, FAST, members=tmp_path)
    content = attached.devices["data"].content
    content.write(0, b"1" * 256 * KIB)
    content.write(0, b"2" * 64 * KIB, torn=True)  # and the server is killed
    for drive in content.drives:
        drive.close()
    array = images.find(tmp_path / "data")
    assert array.block.resync == 0
    again = AttachedSystem(scenario, FAST, members=tmp_path)
    assert inconsistent(again.devices["data"].content, [(0, 0), (0, 1)]) == []
    again.close()
    assert images.find(tmp_path / "data").block.resync == CLEAN


@pytest.mark.parametrize("gone", [0, 2])
def test_a_folder_with_a_bitmap_is_opened_again_without_any_of_its_drives(tmp_path, gone):
    text = disks("raid5", 4).replace("drives = 4", 'drives = 4\nintent = "bitmap"')
    attached = AttachedSystem(Scenario.from_text(text), FAST, members=tmp_path)
    chunk = attached.devices["data"].content.keeper.bitmap.chunk
    attached.devices["data"].content.write(0, CONTENT)
    attached.close()
    (tmp_path / f"data/drive-{gone}").unlink()
    again = AttachedSystem(Scenario.from_text(text), FAST, members=tmp_path)
    assert again.devices["data"].content.keeper.bitmap.chunk == chunk
    assert again.devices["data"].content.read(0, len(CONTENT)) == CONTENT
    again.close()
    for number in set(range(4)) - {gone}:
        with (tmp_path / f"data/drive-{number}").open("r+b") as file:
            file.seek(16 * 512 + 52)
            file.write(bytes(4))
    with pytest.raises(InputError, match="chunks of 0 bytes"):
        AttachedSystem(Scenario.from_text(text), FAST, members=tmp_path)


def test_members_to_which_a_kernel_gave_other_numbers_keep_their_places(tmp_path):
    """A drive that is taken in for a failed one is number 4 of the list of roles, and drive 1."""
    attached = AttachedSystem(Scenario.from_text(disks("raid5", 4)), FAST, members=tmp_path)
    attached.devices["data"].content.write(0, CONTENT)
    attached.close()
    for number in range(4):
        path = tmp_path / f"data/drive-{number}"
        with path.open("r+b") as file:
            file.seek(8 * 512)
            found = parse(file.read(4096))
            found.roles = [0, FAULTY, 2, 3, 1]
            found.number = 4 if number == 1 else number
            file.seek(8 * 512)
            file.write(found.pack())
    for _ in range(2):
        again = AttachedSystem(Scenario.from_text(disks("raid5", 4)), FAST, members=tmp_path)
        assert again.devices["data"].content.good.count(0) == 0
        assert again.devices["data"].content.read(0, len(CONTENT)) == CONTENT
        again.close()


def test_files_that_do_not_go_together_are_refused_with_what_is_wrong(tmp_path):
    for level in ("raid5", "raid6"):
        attached = AttachedSystem(
            Scenario.from_text(disks(level, 4)), FAST, members=tmp_path / level
        )
        attached.close()
    with pytest.raises(InputError, match="level: 5, and data has 6"):
        AttachedSystem(Scenario.from_text(disks("raid6", 4)), FAST, members=tmp_path / "raid5")
    (tmp_path / "raid6/data/drive-0").rename(tmp_path / "raid5/data/other")
    with pytest.raises(InputError, match="members of 2 arrays"):
        images.find(tmp_path / "raid5/data")
    (tmp_path / "none").mkdir()
    (tmp_path / "none/text").write_text("x" * 10**5)
    with pytest.raises(InputError, match="no superblock"):
        images.find(tmp_path / "none")


@pytest.mark.parametrize("sizes", [{"size": 2**40}, {"size": 0, "data_size": 2**60}])
def test_a_member_whose_superblock_says_more_than_the_file_holds_is_refused(sizes):
    data = bytearray(8192 * 512)
    packed = block(**sizes).pack()
    data[8 * 512 : 8 * 512 + len(packed)] = packed
    with pytest.raises(NoSuperblock, match="shorter than its superblock says"):
        images.superblock_in(len(data), lambda at, length: bytes(data[at : at + length]))


def test_no_name_of_a_volume_leads_out_of_the_folder(tmp_path):
    for name in ("..", ".", "a/b", "../x", "/etc", "a\0b"):
        found = folder_of(tmp_path, name)
        assert found.parent == tmp_path
        assert found.name not in ("", ".", "..")
        assert "\0" not in found.name


# ---- raidsim array


@pytest.fixture
def folder(tmp_path):
    """Members of a RAID 5 with 1.5 MiB of data from byte 100,000 on."""
    attached = AttachedSystem(Scenario.from_text(disks("raid5", 4)), FAST, members=tmp_path)
    attached.devices["data"].content.write(100_000, CONTENT)
    attached.close()
    return tmp_path / "data"


CONTENT = bytes(range(251)) * 6000


def test_images_are_examined_read_and_put_right(folder, capfd, tmp_path):
    name = str(folder)
    assert "RAID 5 of 4 drives" in output_of(capfd, "array", "examine", name)
    assert "all of them agree" in output_of(capfd, "array", "scrub", name)

    place = ("--offset", "100000 B", "--length", f"{len(CONTENT)} B")
    out = tmp_path / "out"
    output_of(capfd, "array", "read", name, *place, "--out", str(out))
    assert out.read_bytes() == CONTENT
    assert "new file" in output_of(capfd, "array", "read", name, "--out", str(out), expected=2)

    with (folder / "drive-0").open("r+b") as file:
        file.seek(2048 * 512 + 70_000)
        file.write(b"rot")
    assert "1 of 9 rows do not agree: 1" in output_of(capfd, "array", "scrub", name, expected=1)
    assert "agree now" in output_of(capfd, "array", "scrub", name, "--repair")
    assert "all of them agree" in output_of(capfd, "array", "scrub", name)


def test_a_member_that_is_missing_is_computed_into_a_new_file(folder, capfd, tmp_path):
    name = str(folder)
    held = (folder / "drive-2").open("rb")
    (folder / "drive-2").rename(tmp_path / "old")
    assert "without drive 2" in output_of(capfd, "array", "examine", name)
    assert "reconstruct it first" in output_of(capfd, "array", "scrub", name, expected=2)
    place = ("--offset", "100000 B", "--length", f"{len(CONTENT)} B")
    output_of(capfd, "array", "read", name, *place, "--out", str(tmp_path / "out"))
    assert (tmp_path / "out").read_bytes() == CONTENT
    output_of(capfd, "array", "reconstruct", name, "--drive", "2", "--out", str(folder / "new"))
    with held, (folder / "new").open("rb") as new:
        for file in held, new:
            file.seek(2048 * 512)
        assert new.read(2**20) == held.read(2**20)
    assert "all members are there" in output_of(capfd, "array", "examine", name)
    assert "not missing" in output_of(
        capfd, "array", "reconstruct", name, "--drive", "2", "--out", "x", expected=2
    )
    (folder / "new").unlink()
    (folder / "drive-0").unlink()
    assert "too many" in output_of(capfd, "array", "read", name, "--out", "-", expected=2)

"""What breaks while clients use a volume: drives, power, and the file system of the host."""

from __future__ import annotations

import asyncio
import errno
import json
import random
import resource

import pytest
from attached_disks import FAST, FUA, KIB, Attached, disks, run


@pytest.mark.parametrize(("level", "drives"), [("raid5", 4), ("raid6", 5), ("raid10", 4)])
def test_no_byte_is_wrong_through_failures_and_a_rebuild(tmp_path, level, drives):
    """The bytes come from parity and copies: what was lost of a drive is computed."""

    async def test():
        async with Attached(disks(level, drives), tmp_path) as attached:
            client = await attached.client()
            chance = random.Random(level)
            flat = bytearray(2**20)

            async def use():
                for _ in range(15):
                    length = 4 * KIB * chance.randint(1, 30)
                    offset = 4 * KIB * chance.randrange((2**20 - length) // (4 * KIB))
                    content = chance.randbytes(length)
                    assert (await client.write(offset, content)).error == 0
                    flat[offset : offset + length] = content
                assert (await client.read(0, 2**20)).data == flat

            await use()
            attached.happens(kind="drive-failure", drive=1)
            await use()
            assert attached.system.devices["data"].content.good[1] == 0
            attached.happens(kind="replacement", drive=1)
            operation = attached.system.devices["data"].volume.operations[-1]
            while not operation.is_over:
                await use()
            assert operation.state == "done"
            attached.happens(kind="drive-failure", drive=0)
            await use()
            await client.close()

    run(test)


def test_an_array_that_has_lost_too_much_answers_with_errors(tmp_path):
    async def test():
        async with Attached(disks("raid5", 4), tmp_path) as attached:
            client = await attached.client()
            await client.write(0, b"x" * 2**20)
            attached.happens(kind="drive-failure", drive=0)
            attached.happens(kind="drive-failure", drive=1)
            errors = [(await client.read(n * 64 * KIB, 64 * KIB)).error for n in range(16)]
            assert 5 in errors
            told = json.dumps({"show": "status"}).encode()
            assert attached.steering.answer(told)["status"]["volumes"]["data"]["health"] == "failed"
            await client.close()

    run(test)


@pytest.mark.parametrize("cache", ["off", "on"])
def test_a_power_cut_costs_what_was_not_flushed_where_disk_caches_are_on(tmp_path, cache):
    """What was flushed is there; of the rest each sector is old or new, new if caches are off."""

    async def test():
        async with Attached(disks("raid10", 4, cache), tmp_path) as attached:
            client = await attached.client()
            places = [n * 10 * 2**20 for n in range(64)]
            for place in places[:32]:
                await client.write(place, b"1" * 4 * KIB)
            await client.flush()
            attached.run_at(0.02)  # so that nothing of the next is written by the disks meanwhile
            await asyncio.gather(*(client.write(place, b"2" * 4 * KIB) for place in places))
            under_way = [client.write(2**33 + place, b"3" * 4 * KIB) for place in places]
            await asyncio.sleep(0)
            attached.happens(kind="power-cut", outage="1 s", boot="1 s")
            found = await asyncio.gather(*under_way, return_exceptions=True)
            assert any(isinstance(one, ConnectionError) for one in found)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await attached.client()  # the host is off
            attached.run_at(FAST)
            while attached.system.env.power != "on":
                await asyncio.sleep(0.05)
            client = await attached.client()
            lost = 0
            for number, place in enumerate(places):
                data = (await client.read(place, 4 * KIB)).data
                old = b"1" if number < 32 else b"\0"
                for at in range(0, 4 * KIB, 512):
                    assert data[at : at + 512] in (old * 512, b"2" * 512)
                lost += data != b"2" * 4 * KIB
            assert (lost > 0) == (cache == "on")
            await client.close()

    run(test)


def test_a_forced_write_stays_when_a_later_one_to_its_place_is_lost(tmp_path):
    """FUA is a promise: after the cut each sector is as it was forced or as written later."""

    async def test():
        async with Attached(disks("raid10", 4, "on"), tmp_path) as attached:
            client = await attached.client()
            places = [n * 10 * 2**20 for n in range(32)]
            for place in places:
                await client.write(place, b"1" * 4 * KIB, FUA)
            attached.run_at(0.02)  # so that the disks write nothing of the next meanwhile
            await asyncio.gather(*(client.write(place, b"2" * 4 * KIB) for place in places))
            attached.happens(kind="power-cut", outage="1 s", boot="1 s")
            client.writer.close()
            attached.run_at(FAST)
            while attached.system.env.power != "on":
                await asyncio.sleep(0.05)
            client = await attached.client()
            found = [(await client.read(place, 4 * KIB)).data for place in places]
            for data in found:
                for at in range(0, 4 * KIB, 512):
                    assert data[at : at + 512] in (b"1" * 512, b"2" * 512)
            assert b"1" * 4 * KIB in found  # some of the later writes were lost
            await client.close()

    run(test)


def test_a_file_system_of_the_host_that_takes_no_more_is_an_io_error(tmp_path):
    """The kernel itself refuses: a limit on the length of files, which stands for a full disk."""

    async def test():
        async with Attached(disks(), tmp_path) as attached:
            client = await attached.client()
            assert (await client.write(0, b"1" * 64 * KIB)).error == 0
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, before[1]))
            try:
                assert (await client.write(2**30, b"2" * 256 * KIB)).error in (5, 28)
                assert (await client.write(0, b"3" * 64 * KIB)).error == 0
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
            attached.happens(kind="drive-failure", drive=0)  # parity tells the same
            assert (await client.read(0, 64 * KIB)).data == b"3" * 64 * KIB
            assert (await client.read(2**30, 256 * KIB)).data == bytes(256 * KIB)
            assert (await client.write(2**30, b"4" * 256 * KIB)).error == 0
            await client.close()

    run(test)


def test_a_drive_for_whose_rebuild_the_host_has_no_room_fails_again(tmp_path, monkeypatch, caplog):
    attached = Attached(disks(), tmp_path)
    attached.system.start()  # else its clock would be that of this computer
    device = attached.system.devices["data"]
    device.content.write(0, b"1" * 2**20)
    attached.happens(kind="drive-failure", drive=1)
    attached.happens(kind="replacement", drive=1)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(device.content.drives[1], "write", full)
    while device.volume.failed != [1]:
        attached.system.env.advance(attached.system.env.next_time)
        device.stored.look()
    assert "drive 1 of data fails: the host has no room" in caplog.text
    attached.system.env.advance(attached.system.env.now + 1.0)
    assert device.volume.health == "degraded"
    assert device.content.read(0, 2**20) == b"1" * 2**20
    attached.system.close()

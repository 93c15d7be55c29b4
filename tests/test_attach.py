"""Volumes that clients use: bytes, times, and what an operator asks for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import struct
import time

import pytest
from attached_disks import (
    FLASH,
    FLUSH,
    FUA,
    KIB,
    NO_HOLE,
    READ,
    REQ_ONE,
    STATUS,
    TRIM,
    ZEROES,
    Attached,
    disks,
    run,
)

from raidsim.attach.attached import AttachedSystem
from raidsim.errors import InputError
from raidsim.scenario import Scenario

# ---- bytes


def test_exports_tell_sizes_sectors_and_what_each_takes(tmp_path):
    async def test():
        async with Attached(FLASH, tmp_path) as attached:
            fast = await attached.client("fast")
            assert fast.size == 800_000_000_000 // 512 * 512
            assert fast.block_sizes == (512, 4096, 32 * 2**20)
            locked = await attached.client("locked", structured=False)
            assert locked.flags & 2
            assert not fast.flags & 2
            assert (await locked.write(0, bytes(512))).error == 1
            assert (await locked.read(0, 512)).data == bytes(512)
            for client in (fast, locked):
                await client.close()

    run(test)


def test_what_is_written_is_read_by_whoever_asks(tmp_path):
    async def test():
        async with Attached(disks("raid6", 5), tmp_path) as attached:
            one, other = await attached.client(), await attached.client(structured=False)
            content = random.Random(1).randbytes(500 * KIB)
            assert (await one.write(64 * KIB, content, FUA)).error == 0
            assert (await other.read(64 * KIB, len(content))).data == content
            assert (await other.read(0, 65 * KIB)).data == bytes(64 * KIB) + content[:KIB]
            assert (await one.flush()).error == 0
            many = [one.read(64 * KIB + 4 * KIB * n, 4 * KIB) for n in range(100)]
            assert b"".join([(await reply).data for reply in many]) == content[: 400 * KIB]
            await one.close()
            await other.close()

    run(test)


def test_zeros_are_zero_and_status_tells_where_something_was_written(tmp_path):
    async def test():
        async with Attached(FLASH, tmp_path) as attached:
            client = await attached.client("fast")
            await client.write(2**20, b"\xff" * 256 * KIB)
            assert (await client.ask(ZEROES, 2**20, 128 * KIB, flags=NO_HOLE)).error == 0
            there = b"\0" * 128 * KIB + b"\xff" * 128 * KIB
            assert (await client.read(2**20, 256 * KIB)).data == there
            assert (await client.ask(TRIM, 0, 2**30)).error == 0
            extents = (await client.ask(STATUS, 0, 2**30)).extents
            assert sum(length for length, _ in extents) == 2**30
            assert extents[0][1] == 3  # a hole, and zero
            assert 0 in {state for _, state in extents}
            assert len((await client.ask(STATUS, 0, 2**30, flags=REQ_ONE)).extents) == 1
            await client.close()

    run(test)


@pytest.mark.parametrize(
    ("command", "offset", "length", "flags", "error"),
    [
        (READ, 1, 512, 0, 22),
        (READ, 0, 0, 0, 22),
        (READ, 2**62, 512, 0, 22),
        (READ, 0, 33 * 2**20, 0, 22),
        (READ, 0, 512, 0x80, 22),
        (FLUSH, 512, 512, 0, 22),
        (TRIM, 2**50, 512, 0, 28),
        (77, 0, 512, 0, 22),
    ],
)
def test_a_wrong_request_gets_its_error_and_the_next_one_is_served(
    tmp_path, command, offset, length, flags, error
):
    async def test():
        async with Attached(FLASH, tmp_path) as attached:
            client = await attached.client("fast")
            assert (await client.ask(command, offset, length, flags=flags)).error == error
            assert (await client.write(client.size, bytes(512))).error == 28
            assert (await client.read(0, 512)).error == 0
            await client.close()

    run(test)


def test_who_has_no_structured_replies_gets_none_for_the_status_of_blocks(tmp_path):
    """It may not be asked for then: the error is a simple one, and the next answer is in step."""

    async def test():
        async with Attached(FLASH, tmp_path) as attached:
            reader, writer = await asyncio.open_unix_connection(str(attached.path))
            writer.write(b"\0\0\0\3" + b"IHAVEOPT" + struct.pack(">II", 1, 4) + b"fast")
            await reader.readexactly(18 + 10)
            for command, cookie in ((STATUS, 5), (READ, 6)):
                writer.write(struct.pack(">IHHQQI", 0x25609513, 0, command, cookie, 0, 512))
            simple = struct.pack(">IIQ", 0x67446698, 22, 5)
            found = await reader.readexactly(16 + 16 + 512)
            assert simple in (found[:16], found[-16:])
            assert struct.pack(">IIQ", 0x67446698, 0, 6) in found
            writer.close()

    run(test)


# ---- time


def test_answers_come_when_the_simulation_says(tmp_path):
    """Reads one after the other take what the volume measures of them, ten times slower."""

    async def test():
        async with Attached(disks(), tmp_path, speed=0.1) as attached:
            client = await attached.client()
            begun = time.monotonic()
            for number in range(8):
                await client.read(number * 10**10 // 512 * 512, 4096)
            waited = time.monotonic() - begun
            volume = attached.system.devices["data"].volume
            simulated = 8 * volume.latency("read").mean / 1000
            assert 8 * 0.001 < simulated < 8 * 0.02  # disks: an arm moves, a platter turns
            assert simulated / 0.1 <= waited < 1.5 * simulated / 0.1 + 0.2
            await client.close()

    run(test)


def test_a_simulation_that_cannot_follow_puts_its_clock_back_and_says_so(tmp_path, caplog):
    attached = AttachedSystem(Scenario.from_text(disks()), 1.0)
    attached.start()
    attached.clock.slip(-5.0)  # as if five seconds had passed in which nothing was simulated
    attached.advance()
    behind = attached.clock.slipped + 5.0
    if behind < 1e-9:  # it was fast enough to follow even that
        assert attached.env.now == pytest.approx(5.0, abs=0.5)
    else:
        assert "behind" in caplog.text
    assert attached.clock.wait_for(attached.env.now) == pytest.approx(0.0, abs=0.3)
    attached.close()


# ---- what an operator asks for


def test_what_cannot_happen_is_refused_with_a_reason(tmp_path):
    attached = Attached(disks(), tmp_path)
    for line, part in [
        (b"{", "not JSON"),
        (b"[1]", "not an event"),
        (b'{"kind": "flood"}', "not a kind of event"),
        (b'{"kind": "drive-failure"}', "write drive = 0"),
        (b'{"kind": "drive-failure", "drive": 9}', "drive"),
        (b'{"kind": "replacement", "drive": 0}', "has not failed"),
        (b'{"kind": "drive-failure", "drive": 0, "at": "1 s"}', "at once"),
        (b'{"show": "secrets"}', "status"),
        (b"[" * 20_000, "not JSON"),
    ]:
        told = attached.steering.answer(line)
        assert not told["ok"]
        assert part in " ".join(told["problems"]), told
        assert "()" not in str(told), told
    attached.system.close()


def test_what_cannot_happen_now_is_said_of_what_was_asked_for(tmp_path):
    attached = Attached(disks(), tmp_path)
    told = attached.steering.answer(b'{"kind": "replacement", "drive": 0}')
    cause = "replacement: drive 0 has not failed; let drive-failure happen to it before"
    assert told["problems"] == [cause]
    attached.system.close()


def test_operators_talk_line_by_line_at_a_socket(tmp_path):
    async def test():
        async with Attached(disks(), tmp_path) as attached:
            await attached.steering.listen_at(tmp_path / "control")
            reader, writer = await asyncio.open_unix_connection(str(tmp_path / "control"))
            writer.write(b'{"kind": "drive-failure", "drive": 2}\n{"show": "status"}\n')
            assert json.loads(await reader.readline())["did"] == "drive 2 of data fails"
            status = json.loads(await reader.readline())["status"]
            assert status["volumes"]["data"]["failed"] == [2]
            writer.write(b"x" * 10**6)  # longer than any wish
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            await attached.steering.stop()

    run(test)


# ---- the command


def test_a_socket_in_use_and_a_file_in_the_way_are_refused(tmp_path):
    async def test():
        async with Attached(disks(), tmp_path) as attached:
            with pytest.raises(InputError, match="listens"):
                await attached.server.listen_at(attached.path)
        (tmp_path / "file").write_text("mine")
        with pytest.raises(InputError, match="is not a socket"):
            await attached.server.listen_at(tmp_path / "file")
        assert (tmp_path / "file").read_text() == "mine"

    run(test)

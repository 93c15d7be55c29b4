"""Volumes that clients use: bytes, times, what breaks, and clients who mean no good."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import random
import resource
import struct
import time

import pytest
from nbd_client import Client

from raidsim.attach import connection, server
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.server import Server
from raidsim.attach.steering import Steering
from raidsim.errors import InputError
from raidsim.scenario import Scenario

KIB = 2**10
FAST = 1000.0  # simulated seconds in a second: the tests wait for nothing
READ, WRITE, FLUSH, TRIM, ZEROES, STATUS = 0, 1, 3, 4, 6, 7
FUA, NO_HOLE, REQ_ONE = 1, 2, 8

DISKS = """
schema = 1
title = "disks"
[host]
model = "fujitsu-rx300-s4"
[[volume]]
name = "data"
level = "{level}"
drives = {drives}
drive = "seagate-st373455ss"
disk_cache = "{cache}"
rebuild_sample = "0.01 %"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1
volume = "data"
"""

FLASH = """
schema = 1
title = "flash"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "fast"
drive = "intel-p3700-800gb"
state = "fresh"
[[volume]]
name = "locked"
drive = "intel-p3700-800gb"
state = "fresh"
access = "read-only"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
volume = "fast"
"""


def disks(level="raid5", drives=4, cache="off"):
    return DISKS.format(level=level, drives=drives, cache=cache)


class Attached:
    """A server of a scenario, with its sockets in a folder."""

    def __init__(self, text, folder, speed=FAST):
        self.scenario = Scenario.from_text(text)
        self.system = AttachedSystem(self.scenario, speed)
        self.server = Server(self.system)
        self.steering = Steering(self.scenario, self.system)
        self.path = folder / "nbd"

    async def __aenter__(self):
        await self.server.listen_at(self.path)
        self.server.start()
        return self

    async def __aexit__(self, *_):
        await self.server.stop()

    async def client(self, name="", **options):
        return await Client.connect(self.path, name=name, **options)

    def run_at(self, speed):
        """Go on at another speed."""
        self.system.clock.speed = speed
        self.system.clock.start(self.system.env.now)

    def happens(self, **event):
        told = self.steering.answer(json.dumps(event).encode())
        assert told["ok"], told


def run(test, *arguments, limit=30):
    """Run a test that waits for clients, for so many seconds at most."""
    asyncio.run(asyncio.wait_for(test(*arguments), limit))


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


# ---- what breaks


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
        device.look()
    assert "drive 1 of data fails: the host has no room" in caplog.text
    attached.system.env.advance(attached.system.env.now + 1.0)
    assert device.volume.health == "degraded"
    assert device.content.read(0, 2**20) == b"1" * 2**20
    attached.system.close()


# ---- what an operator asks for


def test_what_cannot_happen_is_refused_with_a_reason(tmp_path):
    attached = Attached(disks(), tmp_path)
    for line, part in [
        (b"{", "no JSON"),
        (b"[1]", "no event"),
        (b'{"kind": "flood"}', "no kind of event"),
        (b'{"kind": "drive-failure"}', "write drive = 0"),
        (b'{"kind": "drive-failure", "drive": 9}', "drive"),
        (b'{"kind": "replacement", "drive": 0}', "has not failed"),
        (b'{"kind": "drive-failure", "drive": 0, "at": "1 s"}', "at once"),
        (b'{"show": "secrets"}', "status"),
        (b"[" * 20_000, "no JSON"),
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


# ---- clients who mean no good


def test_clients_that_are_slow_or_mad_are_cut_off_and_the_others_served(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.2)

    async def cut_off(attached, *parts):
        reader, writer = await asyncio.open_unix_connection(str(attached.path))
        for part in parts:
            writer.write(part)
        with contextlib.suppress(ConnectionError):
            while await reader.read(2**16):
                pass
        writer.close()

    async def test():
        chosen = b"\0\0\0\3" + b"IHAVEOPT" + struct.pack(">II", 1, 4) + b"data"
        head = struct.pack(">IHHQQI", 0x25609513, 0, 1, 1, 0, 2**31)
        async with Attached(disks(), tmp_path) as attached:
            good = await attached.client()
            for parts in [
                (b"",),  # says nothing
                (b"\0\0\0\3IHAVE",),  # stops in the middle
                (b"GET / HTTP/1.1\r\n\r\n" * 100,),
                (chosen, b"\xff" * 28),  # a wrong magic
                (chosen, head),  # a write of 2 GiB
                (chosen, head[:24] + struct.pack(">I", 4096) + b"x" * 100),  # never the rest
            ]:
                await cut_off(attached, *parts)
                assert (await good.read(0, 512)).error == 0
            assert attached.server._bytes == 0
            await good.close()

    run(test)


def test_there_are_only_so_many_clients_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "MOST_CLIENTS", 3)

    async def test():
        async with Attached(disks(), tmp_path) as attached:
            clients = [await attached.client() for _ in range(3)]
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await attached.client()
            await clients.pop().close()
            await asyncio.sleep(0.05)
            clients.append(await attached.client())
            for client in clients:
                assert (await client.read(0, 512)).error == 0
                await client.close()

    run(test)


def test_a_client_that_fetches_nothing_takes_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.5)

    async def test():
        async with Attached(FLASH, tmp_path) as attached:
            client = await attached.client("fast")
            client.listening.cancel()
            client.writer.transport.set_write_buffer_limits(high=2**30)
            for _ in range(200):
                client.ask(READ, 0, 2**20)
            most = 0
            while attached.server._open:
                await asyncio.sleep(0.005)
                for one in attached.server._open:
                    unsent = one._transport.get_write_buffer_size()
                    most = max(most, unsent + attached.server._bytes)
            assert 2**23 < most < 2**27  # 200 MiB were asked for
            client.writer.transport.abort()
            assert attached.server._bytes == 0

    run(test)


SEED = 7


def test_random_bytes_after_a_handshake_harm_nobody(tmp_path, monkeypatch):
    """A fuzzer of the transmission phase: headers with some of their bits wrong."""
    monkeypatch.setattr(connection, "PATIENCE", 0.3)
    print("seed", SEED)
    chance = random.Random(SEED)
    chosen = b"\0\0\0\3" + b"IHAVEOPT" + struct.pack(">II", 1, 4) + b"fast"

    async def test():
        async with Attached(FLASH, tmp_path) as attached:
            for _ in range(60):
                _, writer = await asyncio.open_unix_connection(str(attached.path))
                writer.write(chosen)
                for _ in range(chance.randrange(1, 8)):
                    head = bytearray(
                        struct.pack(
                            ">IHHQQI",
                            0x25609513,
                            chance.choice([0, 1, 2, 4, 8, 0xFFFF]),
                            chance.randrange(9),
                            chance.getrandbits(64),
                            chance.choice([0, 512, 2**39, 2**63, chance.getrandbits(64)]),
                            chance.choice([0, 512, 4096, 2**25, 2**32 - 1, chance.getrandbits(32)]),
                        )
                    )
                    if chance.random() < 0.2:
                        head[chance.randrange(28)] ^= 1 << chance.randrange(8)
                    writer.write(bytes(head) + chance.randbytes(chance.choice([0, 0, 512, 4096])))
                writer.close()
            good = await attached.client("fast")
            assert (await good.read(0, 4096)).error == 0
            await good.close()
            while attached.system.in_flight:
                await asyncio.sleep(0.01)
            assert attached.server._bytes == 0

    run(test)


# ---- the command


def test_a_socket_in_use_and_a_file_in_the_way_are_refused(tmp_path):
    async def test():
        async with Attached(disks(), tmp_path) as attached:
            with pytest.raises(InputError, match="listens"):
                await attached.server.listen_at(attached.path)
        (tmp_path / "file").write_text("mine")
        with pytest.raises(InputError, match="no socket"):
            await attached.server.listen_at(tmp_path / "file")
        assert (tmp_path / "file").read_text() == "mine"

    run(test)

"""Clients who mean no good: each is cut off, and the others are served."""

from __future__ import annotations

import asyncio
import contextlib
import random
import struct

import pytest
from attached_disks import FLASH, READ, Attached, disks, run

from raidsim.attach import connection, server


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

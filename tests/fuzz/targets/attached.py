"""Clients of an attached system: one that is honest, and others that send anything.

While an honest client writes and reads, others send requests with wrong bits, in pieces, and go
away in the middle; drives fail, and operators ask for events that there are not. Members of Linux
md with damaged superblocks are opened, too. What must hold: nothing is raised; the honest client
gets an answer to each request, with the bytes that it wrote, or an error where the array has
failed; at the end no request is under way, and no byte is counted.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import struct
import tempfile
from pathlib import Path
from typing import Any

from raidsim.attach import images
from raidsim.attach import protocol as nbd
from raidsim.attach.image_work import words_of
from raidsim.attach.server import Server
from raidsim.attach.steering import Steering
from raidsim.attach.stepped import SteppedSystem
from raidsim.attach.superblock import Superblock, check_sum
from raidsim.attach.superblock_0 import Superblock0
from raidsim.errors import InputError
from raidsim.scenario import Scenario
from tests.fuzz import Fault

TEXT = """
title = "attached"
[host]
model = "fujitsu-rx300-s4"
[[volume]]
name = "other"
drive = "intel-p3700-800gb"
state = "fresh"
[[volume]]
name = "data"
level = "{level}"
drives = 4
drive = "seagate-st373455ss"
disk_cache = "off"
rebuild_sample = "0.01 %"
[[load]]
volume = "data"
read = "100 %"
size = "8 KiB"
outstanding = 1
"""
AREA = 2**20  # bytes that the honest client uses
TURNS = 20_000  # of the loop, after which an answer has not come
EVENTS = (
    "drive-failure",
    "replacement",
    "rebuild",
    "latent-errors",
    "slow-drive",
    "flood",
    "check",
)


class Wire(asyncio.Transport):
    """The server's end of a connection that is no socket."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.sent = bytearray()
        self.is_over = False
        self.other: Any = server._connection()
        self.other.connection_made(self)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keep what the server sends."""
        self.sent += data

    def abort(self) -> None:
        """End it, from either side."""
        if not self.is_over:
            self.is_over = True
            asyncio.get_running_loop().call_soon(self.other.connection_lost, None)

    def close(self) -> None:
        """End it."""
        self.abort()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Everything is fetched at once."""

    def pause_reading(self) -> None:
        """The server wants no more for now; what comes all the same is no harm."""

    def resume_reading(self) -> None:
        """It does."""

    def send(self, data: bytes) -> None:
        """Let the server have bytes."""
        if not self.is_over and hasattr(self.other, "data_received"):
            self.other.data_received(data)


def attempt(choice: random.Random) -> None:
    """Serve, or open members."""
    logging.getLogger("raidsim.attach").addHandler(logging.NullHandler())
    if choice.random() < 0.3:
        open_members(choice)
    else:
        asyncio.run(serve(choice))


async def serve(choice: random.Random) -> None:
    """An honest client, and what goes on around it."""
    faults: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: faults.append(repr(context.get("exception") or context))
    )
    level = choice.choice(("raid5", "raid6", "raid10", "raid0"))
    scenario = Scenario.from_text(TEXT.format(level=level))
    attached = SteppedSystem(scenario)
    server, steering = Server(attached), Steering(scenario, attached)
    server.start()
    honest = Wire(server)
    honest.send(chosen(b"data"))
    honest.sent.clear()
    others: list[Wire] = []
    flat = bytearray(AREA)
    unsure = bytearray(AREA)
    for _ in range(choice.randrange(5, 40)):
        way = choice.random()
        if way < 0.5:
            await use(choice, attached, honest, flat, unsure)
        elif way < 0.9:
            disturb(choice, server, others)
        else:
            answer = steering.answer(wish(choice))
            json.dumps(answer)
        await asyncio.sleep(0)
    for one in others:
        one.abort()
    for _ in range(TURNS):
        if not attached.in_flight:
            break
        await asyncio.sleep(0)
    honest.abort()
    await asyncio.sleep(0)
    left = (attached.in_flight, server._bytes, len(server._open))
    await server.stop()
    if faults:
        raise Fault(f"in a callback: {faults[0]}")
    if any(left):
        raise Fault(f"requests, bytes, connections that are left: {left}")


async def use(
    choice: random.Random, attached: SteppedSystem, wire: Wire, flat: bytearray, unsure: bytearray
) -> None:
    """One request of the honest client, and its answer."""
    length = 512 * choice.randint(1, 128)
    at = 512 * choice.randrange((AREA - length) // 512 + 1)
    command = choice.choice((nbd.READ, nbd.WRITE, nbd.WRITE_ZEROES))
    content = choice.randbytes(length) if command == nbd.WRITE else bytes(length)
    cookie = choice.getrandbits(64)
    payload = content if command == nbd.WRITE else b""
    wire.send(nbd.packed(nbd.Request(0, command, cookie, at, length)) + payload)
    for _ in range(TURNS):
        if len(wire.sent) >= 16:
            break
        await asyncio.sleep(0)
    else:
        raise Fault("no answer has come")
    magic, error, found = struct.unpack(">IIQ", wire.sent[:16])
    data = bytes(wire.sent[16:])
    wire.sent.clear()
    if (magic, found) != (nbd.SIMPLE_MAGIC, cookie):
        raise Fault("the answer is to something else")
    if error:
        if attached.devices["data"].volume.health not in ("failed", "degraded"):
            raise Fault(f"error {error} of an array that is well")
        if command != nbd.READ:
            unsure[at : at + length] = b"\1" * length
    elif command != nbd.READ:
        flat[at : at + length] = content
        unsure[at : at + length] = bytes(length)
    elif len(data) != length:
        raise Fault(f"{len(data)} bytes in place of {length}")
    elif any(
        got != had and not either
        for got, had, either in zip(data, flat[at:], unsure[at:], strict=False)
    ):
        raise Fault("wrong bytes")


def disturb(choice: random.Random, server: Server, others: list[Wire]) -> None:
    """Let somebody come, send anything, or go."""
    if not others or choice.random() < 0.3:
        others.append(Wire(server))
        if choice.random() < 0.8:
            others[-1].send(chosen(b"other"))
    one = choice.choice(others)
    if choice.random() < 0.2:
        one.abort()
        others.remove(one)
        return
    data = b"".join(request(choice) for _ in range(choice.randrange(1, 5)))
    if choice.random() < 0.2:
        data = bytearray(data)
        data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
    while data:
        piece = choice.choice((1, 7, 28, 512, len(data)))
        one.send(bytes(data[:piece]))
        data = data[piece:]


def chosen(name: bytes) -> bytes:
    """A handshake that chooses an export in the old way."""
    return b"\0\0\0\3" + b"IHAVEOPT" + struct.pack(">II", 1, len(name)) + name


def request(choice: random.Random) -> bytes:
    """A request, or an option, of whatever kind and size."""
    if choice.random() < 0.2:
        number, length = choice.choice((1, 2, 3, 5, 6, 7, 8, 9, 10, 77)), choice.randrange(40)
        size = choice.choice((length, length, 2**31))
        return b"IHAVEOPT" + struct.pack(">II", number, size) + choice.randbytes(length)
    length = choice.choice((0, 1, 512, 4096, 2**20, 2**25, 2**32 - 1, choice.getrandbits(32)))
    head = struct.pack(
        ">IHHQQI",
        nbd.REQUEST_MAGIC,
        choice.choice((0, 0, 0, 1, 2, 4, 8, 0xFFFF)),
        choice.randrange(9),
        choice.getrandbits(64),
        choice.choice((0, 0, 512, 2**39, 2**63, choice.getrandbits(64))),
        length,
    )
    return head + choice.randbytes(min(choice.choice((0, length)), 2**16))


def wish(choice: random.Random) -> bytes:
    """What an operator asks for, or nothing that there is."""
    asked: dict[str, Any] = {"kind": choice.choice(EVENTS), "volume": "data"}
    for key in ("drive", "count", "delay", "at", "drive"):
        if choice.random() < 0.5:
            asked[key] = choice.choice((0, 1, 2, 3, -1, 2**70, "1 ms", None, [], {}))
    if choice.random() < 0.2:
        asked = {"show": "status"}
    data = bytearray(json.dumps(asked).encode())
    if choice.random() < 0.1:
        data[choice.randrange(len(data))] = choice.randrange(256)
    return bytes(data)


def open_members(choice: random.Random) -> None:
    """Open files whose superblocks say anything, with check sums that are right."""
    old = choice.random() < 0.5
    values: dict[str, Any] = {
        "array": bytes(16), "member": bytes(16), "name": "x", "number": 0, "roles": [0, 1, 2],
        "level": choice.choice((-1, 0, 1, 5, 10)), "layout": choice.choice((0, 2, 258)),
        "size": 256, "chunk": 128, "drives": 3, "events": 7, "place": 256 if old else 8,
        "data_offset": 0 if old else 2048, "data_size": 256,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        for number in range(choice.randint(1, 3)):
            values["number"] = number
            block = (Superblock0 if old else Superblock)(**values)
            data = damaged(choice, block.pack(), old=old)
            with (Path(name) / str(number)).open("wb") as file:
                file.truncate(max(block.end, 2304) * 512 if not old else block.end * 512)
                file.seek(block.place * 512)
                file.write(data)
        try:
            array = images.find(Path(name))
            words_of(array)
            members = images.open_array(array)
        except InputError:
            return
        members.close()


def damaged(choice: random.Random, block: bytes, *, old: bool) -> bytes:
    """A superblock with some of its words changed, and its sum made right again."""
    data = bytearray(block)
    for _ in range(choice.choice((0, 1, 1, 2, 4))):
        word = choice.randrange(2, 70)
        number = choice.choice((0, 1, 2, 511, 2**31, 2**32 - 1, choice.getrandbits(32)))
        struct.pack_into("<I", data, 4 * word, number)
    if old:
        words = struct.unpack("<1024I", data)
        total = sum(words) - words[38]
        struct.pack_into("<I", data, 4 * 38, (total % 2**32 + total // 2**32) % 2**32)
    else:
        roles = min(int.from_bytes(data[220:224], "little"), 1920)
        struct.pack_into("<I", data, 216, check_sum(data, roles))
    return bytes(data)

"""A small client of the NBD protocol, written after its description, and not after the server."""

from __future__ import annotations

import asyncio
import struct
from typing import NamedTuple

OPTION = 0x49484156454F5054


class Reply(NamedTuple):
    """An error, 0 for none; what was read; lengths and states of extents."""

    error: int
    data: bytes = b""
    extents: tuple[tuple[int, int], ...] = ()


class Client:
    """One connection to a server; its requests may be under way side by side."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.size = self.flags = 0
        self.block_sizes = (0, 0, 0)
        self.structured = False
        self.cookie = 0
        self.waiting: dict[int, tuple[int, asyncio.Future]] = {}
        self.listening = None

    @classmethod
    async def connect(cls, path, *, structured=True, name=None):
        """Shake hands; with a name the transmission phase begins."""
        client = cls(*await asyncio.open_unix_connection(str(path)))
        try:
            return await client.shake_hands(structured, name)
        except Exception:
            client.writer.close()
            raise

    async def shake_hands(self, structured, name):
        client = self
        magic, option, flags = struct.unpack(">QQH", await client.reader.readexactly(18))
        assert magic == 0x4E42444D41474943
        assert option == OPTION
        assert flags & 1
        client.writer.write(struct.pack(">I", 3))
        if structured:
            assert [kind for kind, _ in await client.option(8)] == [1]
            client.structured = True
        if name is not None:
            await client.go(name)
        return client

    async def option(self, number, data=b""):
        """Replies to an option: kinds and data, up to the last one."""
        self.writer.write(struct.pack(">QII", OPTION, number, len(data)) + data)
        replies = []
        while True:
            head = await self.reader.readexactly(20)
            magic, echo, kind, length = struct.unpack(">QIII", head)
            assert magic == 0x3E889045565A9
            assert echo == number
            replies.append((kind, await self.reader.readexactly(length)))
            if kind == 1 or kind & 2**31:
                return replies

    async def go(self, name):
        text = name.encode()
        if self.structured:
            context = b"base:allocation"
            data = struct.pack(">I", len(text)) + text + struct.pack(">II", 1, len(context))
            assert [kind for kind, _ in await self.option(10, data + context)] == [4, 1]
        data = struct.pack(">I", len(text)) + text + struct.pack(">HH", 1, 3)
        *told, (last, _) = await self.option(7, data)
        assert last == 1
        for _, one in told:
            kind = int.from_bytes(one[:2], "big")
            if kind == 0:
                self.size, self.flags = struct.unpack(">QH", one[2:])
            elif kind == 3:
                self.block_sizes = struct.unpack(">III", one[2:])
        self.listening = asyncio.get_running_loop().create_task(self.listen())

    async def listen(self):
        """Give each reply to whoever waits for it."""
        try:
            while True:
                cookie, reply = await self.reply()
                self.waiting.pop(cookie)[1].set_result(reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            for _, future in self.waiting.values():
                future.set_exception(ConnectionError("the server has closed the connection"))
            self.waiting.clear()

    async def reply(self):
        magic = int.from_bytes(await self.reader.readexactly(4), "big")
        if magic == 0x67446698:
            error, cookie = struct.unpack(">IQ", await self.reader.readexactly(12))
            length = self.waiting[cookie][0] if not error else 0
            assert not (self.structured and length)
            return cookie, Reply(error, await self.reader.readexactly(length))
        assert magic == 0x668E33EF
        head = await self.reader.readexactly(16)
        flags, kind, cookie, length = struct.unpack(">HHQI", head)
        assert flags == 1  # all of a reply is in one chunk
        data = await self.reader.readexactly(length)
        if kind == 1:
            return cookie, Reply(0, data[8:])
        if kind == 5:
            assert data[:4] == struct.pack(">I", 1)
            pairs = struct.iter_unpack(">II", data[4:])
            return cookie, Reply(0, extents=tuple(pairs))
        assert kind == 2**15 + 1
        return cookie, Reply(int.from_bytes(data[:4], "big"))

    def ask(self, command, offset=0, length=0, data=b"", flags=0):
        """A future of the reply to a request."""
        self.cookie += 1
        future = asyncio.get_running_loop().create_future()
        self.waiting[self.cookie] = (length if command == 0 else 0, future)
        head = struct.pack(">IHHQQI", 0x25609513, flags, command, self.cookie, offset, length)
        self.writer.write(head + data)
        return future

    def read(self, offset, length):
        return self.ask(0, offset, length)

    def write(self, offset, data, flags=0):
        return self.ask(1, offset, len(data), data, flags)

    def flush(self):
        return self.ask(3)

    async def close(self):
        self.writer.write(struct.pack(">IHHQQI", 0x25609513, 0, 2, 0, 0, 0))
        await self.end()

    async def end(self):
        self.writer.close()
        if self.listening is not None:
            await self.listening

"""Messages between the page and its workers: JSON, with its length before it."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")


def packed(message: dict[str, Any]) -> bytes:
    """A message as bytes."""
    body = json.dumps(message).encode()
    return _LENGTH.pack(len(body)) + body


def read(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message of a stream; None at its end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    body = stream.read(size)
    return None if len(body) < size else _message(body)


async def arrived(stream: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message of a stream, once it is there; None at its end."""
    try:
        head = await stream.readexactly(_LENGTH.size)
        return _message(await stream.readexactly(_LENGTH.unpack(head)[0]))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _message(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body)
    return found

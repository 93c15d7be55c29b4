"""The transmission phase of the NBD protocol: requests and replies as bytes.

Nothing here reads or writes anything but the bytes that it is given. Numbers are those of the
protocol's description (NetworkBlockDevice/nbd, doc/proto.md, sections "Transmission phase" and
"Values"); all integers are big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

# Commands.
READ: Final = 0
WRITE: Final = 1
DISCONNECT: Final = 2
FLUSH: Final = 3
TRIM: Final = 4
WRITE_ZEROES: Final = 6
BLOCK_STATUS: Final = 7

# Flags of a command.
FUA: Final = 1 << 0
NO_HOLE: Final = 1 << 1
DF: Final = 1 << 2
REQ_ONE: Final = 1 << 3
ALLOWED_FLAGS: Final = {
    READ: DF,  # and FUA, which means nothing here, but is no error
    WRITE: 0,
    FLUSH: 0,
    TRIM: 0,
    WRITE_ZEROES: NO_HOLE,
    BLOCK_STATUS: REQ_ONE,
}
"""Flags that a command may have beside FUA, which all may have."""

# Errors, by the numbers that the protocol gives them on every system.
EPERM: Final = 1
EIO: Final = 5
ENOMEM: Final = 12
EINVAL: Final = 22
ENOSPC: Final = 28
ESHUTDOWN: Final = 108

# Extents of the context "base:allocation".
HOLE: Final = 1 << 0
ZERO: Final = 1 << 1

REQUEST_MAGIC: Final = 0x25609513
SIMPLE_MAGIC: Final = 0x67446698
CHUNK_MAGIC: Final = 0x668E33EF

# Types of chunks of a structured reply.
CHUNK_NONE: Final = 0
CHUNK_DATA: Final = 1
CHUNK_BLOCK_STATUS: Final = 5
CHUNK_ERROR: Final = (1 << 15) + 1
CHUNK_DONE: Final = 1 << 0

CONTEXT: Final = "base:allocation"
CONTEXT_ID: Final = 1

REQUEST: Final = struct.Struct(">IHHQQI")
_SIMPLE: Final = struct.Struct(">IIQ")
_CHUNK: Final = struct.Struct(">IHHQI")
_DATA: Final = struct.Struct(">IHHQIQ")
_ERROR: Final = struct.Struct(">IH")
_EXTENT: Final = struct.Struct(">II")

LONGEST_MESSAGE: Final = 4096  # bytes of the text of an error


class ProtocolError(Exception):
    """A message of a client that is not NBD: the connection ends."""


class Request(NamedTuple):
    """One request of a client.

    Attributes
    ----------
    flags
        Of the command: FUA, NO_HOLE, DF, REQ_ONE.
    command
        READ, WRITE and so on.
    cookie
        The client's number of it, which every reply has.
    offset, length
        Bytes.
    """

    flags: int
    command: int
    cookie: int
    offset: int
    length: int


class Extent(NamedTuple):
    """A length of bytes of one kind: ``state`` is HOLE and ZERO, or 0 for data."""

    length: int
    state: int


def request(data: bytes | bytearray | memoryview, at: int) -> Request:
    """The request whose header begins at byte ``at``.

    Raises
    ------
    ProtocolError
        If no request begins there.
    """
    magic, flags, command, cookie, offset, length = REQUEST.unpack_from(data, at)
    if magic != REQUEST_MAGIC:
        raise ProtocolError(f"a request begins with {magic:#010x} in place of {REQUEST_MAGIC:#x}")
    return Request(flags, command, cookie, offset, length)


def packed(one: Request) -> bytes:
    """The header of a request, as a client sends it."""
    return REQUEST.pack(REQUEST_MAGIC, one.flags, one.command, one.cookie, one.offset, one.length)


def simple(cookie: int, error: int = 0, data: bytes = b"") -> bytes:
    """A simple reply; ``data`` is that of a read."""
    return _SIMPLE.pack(SIMPLE_MAGIC, error, cookie) + data


def done(cookie: int) -> bytes:
    """A structured reply that says only that it is done."""
    return _CHUNK.pack(CHUNK_MAGIC, CHUNK_DONE, CHUNK_NONE, cookie, 0)


def data_chunk(cookie: int, offset: int, data: bytes) -> bytes:
    """The structured reply to a read: one chunk with all of its data."""
    header = _DATA.pack(CHUNK_MAGIC, CHUNK_DONE, CHUNK_DATA, cookie, 8 + len(data), offset)
    return header + data


def error_chunk(cookie: int, error: int, message: str) -> bytes:
    """A structured reply that a request has failed, with why in words."""
    text = message.encode()[:LONGEST_MESSAGE]
    length = _ERROR.size + len(text)
    header = _CHUNK.pack(CHUNK_MAGIC, CHUNK_DONE, CHUNK_ERROR, cookie, length)
    return header + _ERROR.pack(error, len(text)) + text


def status_chunk(cookie: int, extents: Sequence[Extent]) -> bytes:
    """The structured reply to a question for the status of blocks."""
    length = 4 + _EXTENT.size * len(extents)
    header = _CHUNK.pack(CHUNK_MAGIC, CHUNK_DONE, CHUNK_BLOCK_STATUS, cookie, length)
    listed = b"".join(_EXTENT.pack(*extent) for extent in extents)
    return header + CONTEXT_ID.to_bytes(4, "big") + listed

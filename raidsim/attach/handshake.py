"""The handshake of the NBD protocol, fixed newstyle, as bytes in and bytes out.

A client says what it can do, then asks option by option: which exports there are, how large one
is, whether replies may be structured, and at last for one of them (doc/proto.md of the protocol,
section "Fixed newstyle negotiation"). :class:`Handshake` answers, and does no input or output.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from raidsim.attach.protocol import CONTEXT, CONTEXT_ID, ProtocolError

INIT_MAGIC: Final = 0x4E42444D41474943  # "NBDMAGIC"
OPTION_MAGIC: Final = 0x49484156454F5054  # "IHAVEOPT"
REPLY_MAGIC: Final = 0x3E889045565A9

FIXED_NEWSTYLE: Final = 1 << 0
NO_ZEROES: Final = 1 << 1

# Options.
EXPORT_NAME: Final = 1
ABORT: Final = 2
LIST: Final = 3
STARTTLS: Final = 5
INFO: Final = 6
GO: Final = 7
STRUCTURED_REPLY: Final = 8
LIST_META_CONTEXT: Final = 9
SET_META_CONTEXT: Final = 10

# Replies to options.
ACK: Final = 1
SERVER: Final = 2
INFORMATION: Final = 3
META_CONTEXT: Final = 4
UNSUPPORTED: Final = 2**31 + 1
POLICY: Final = 2**31 + 2
INVALID: Final = 2**31 + 3
UNKNOWN: Final = 2**31 + 6

# Kinds of information.
INFO_EXPORT: Final = 0
INFO_NAME: Final = 1
INFO_DESCRIPTION: Final = 2
INFO_BLOCK_SIZE: Final = 3

# Flags of an export.
HAS_FLAGS: Final = 1 << 0
READ_ONLY: Final = 1 << 1
SEND_FLUSH: Final = 1 << 2
SEND_FUA: Final = 1 << 3
ROTATIONAL: Final = 1 << 4
SEND_TRIM: Final = 1 << 5
SEND_WRITE_ZEROES: Final = 1 << 6
SEND_DF: Final = 1 << 7
CAN_MULTI_CONN: Final = 1 << 8

GREETING: Final = struct.pack(">QQH", INIT_MAGIC, OPTION_MAGIC, FIXED_NEWSTYLE | NO_ZEROES)
_OPTION: Final = struct.Struct(">QII")
_REPLY: Final = struct.Struct(">QIII")

LONGEST_NAME: Final = 4096  # bytes, by the protocol
LONGEST_OPTION: Final = 2 * LONGEST_NAME  # bytes of what comes with an option
MOST_OPTIONS: Final = 256  # of one handshake


@dataclass(frozen=True)
class Export:
    """The description of a volume for clients.

    Attributes
    ----------
    name, description
        Texts of at most 4,096 bytes.
    size
        Bytes.
    flags
        HAS_FLAGS and those of the commands that it takes.
    least, preferred, most
        Bytes of one request: whole multiples of the least, best of the preferred, and at most
        so many where data goes with it.
    """

    name: str
    description: str
    size: int
    flags: int
    least: int
    preferred: int
    most: int


@dataclass
class Handshake:
    """The server's side of one handshake.

    Attributes
    ----------
    exports
        Volumes by name; the empty name stands for the first of them.
    export
        What the client has chosen, once it has: then the transmission phase begins.
    structured
        Whether replies are to be structured.
    status
        Whether the client may ask for the status of blocks.
    is_over
        Whether the client has said that it goes.
    """

    exports: Mapping[str, Export]
    export: Export | None = None
    structured: bool = False
    is_over: bool = False
    _selected: str | None = None  # the export for which a context was selected
    _greeted: bool = False
    _zeroes: bool = True
    _options: int = 0
    _answers: dict[int, Callable[[bytes], bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._answers = {
            ABORT: self._abort,
            LIST: self._list,
            STARTTLS: lambda _: _reply(STARTTLS, POLICY, b"there is no TLS here"),
            INFO: lambda data: self._info(INFO, data),
            GO: lambda data: self._info(GO, data),
            STRUCTURED_REPLY: self._be_structured,
            LIST_META_CONTEXT: lambda data: self._contexts(LIST_META_CONTEXT, data),
            SET_META_CONTEXT: lambda data: self._contexts(SET_META_CONTEXT, data),
        }

    @property
    def status(self) -> bool:
        """Whether the client may ask for the status of blocks of what it has chosen."""
        return self.export is not None and self._selected == self.export.name

    def feed(self, received: bytearray) -> bytes:
        """Take complete messages from the beginning of ``received``; return the bytes to send.

        When :attr:`export` is there, the rest belongs to the transmission phase.

        Raises
        ------
        ProtocolError
            If it is no NBD.
        """
        answer = b""
        if not self._greeted:
            if len(received) < 4:
                return answer
            self._greet(int.from_bytes(received[:4], "big"))
            del received[:4]
        while self.export is None and not self.is_over and len(received) >= _OPTION.size:
            magic, option, length = _OPTION.unpack_from(received)
            if magic != OPTION_MAGIC:
                raise ProtocolError(f"an option begins with {magic:#018x}")
            if length > LONGEST_OPTION:
                raise ProtocolError(f"{length} bytes come with option {option}")
            if len(received) < _OPTION.size + length:
                break
            data = bytes(received[_OPTION.size : _OPTION.size + length])
            del received[: _OPTION.size + length]
            self._options += 1
            if self._options > MOST_OPTIONS:
                raise ProtocolError(f"over {MOST_OPTIONS} options")
            answer += self._answer(option, data)
        return answer

    def _greet(self, flags: int) -> None:
        if flags & ~(FIXED_NEWSTYLE | NO_ZEROES) or not flags & FIXED_NEWSTYLE:
            raise ProtocolError(f"the client's flags are {flags:#x}")
        self._zeroes = not flags & NO_ZEROES
        self._greeted = True

    def _answer(self, option: int, data: bytes) -> bytes:
        if option == EXPORT_NAME:
            return self._export_name(data)
        answer = self._answers.get(option)
        if answer is None:
            return _reply(option, UNSUPPORTED)
        try:
            return answer(data)
        except (struct.error, UnicodeDecodeError, ValueError):
            return _reply(option, INVALID, b"the option does not read as the protocol has it")

    # -- option by option ------------------------------------------------------------------

    def _export_name(self, data: bytes) -> bytes:
        """The old way to choose an export, to which there is no answer that says no."""
        found = self._find(data.decode(errors="replace"))
        if found is None:
            raise ProtocolError("the client asks for an export that there is not")
        self.export = found
        return struct.pack(">QH", found.size, self._flags_of(found)) + bytes(124 * self._zeroes)

    def _abort(self, _: bytes) -> bytes:
        self.is_over = True
        return _reply(ABORT, ACK)

    def _list(self, data: bytes) -> bytes:
        if data:
            return _reply(LIST, INVALID, b"nothing comes with this option")
        named = (_text(one.name) + one.description.encode() for one in self.exports.values())
        return b"".join(_reply(LIST, SERVER, one) for one in named) + _reply(LIST, ACK)

    def _info(self, option: int, data: bytes) -> bytes:
        name, at = _read_text(data, 0)
        (count,) = struct.unpack_from(">H", data, at)
        kinds = set(struct.unpack_from(f">{count}H", data, at + 2))
        if at + 2 + 2 * count != len(data):
            return _reply(option, INVALID, b"the option is longer than it says")
        found = self._find(name)
        if found is None:
            return _reply(option, UNKNOWN, b"there is no such export")
        told = [struct.pack(">HQH", INFO_EXPORT, found.size, self._flags_of(found))]
        if INFO_NAME in kinds:
            told.append(struct.pack(">H", INFO_NAME) + found.name.encode())
        if INFO_DESCRIPTION in kinds:
            told.append(struct.pack(">H", INFO_DESCRIPTION) + found.description.encode())
        sizes = (found.least, found.preferred, found.most)
        told.append(struct.pack(">HIII", INFO_BLOCK_SIZE, *sizes))
        if option == GO:
            self.export = found
        return b"".join(_reply(option, INFORMATION, one) for one in told) + _reply(option, ACK)

    def _flags_of(self, export: Export) -> int:
        """Return the flags of an export for a client: only structured replies have fragments."""
        return export.flags if self.structured else export.flags & ~SEND_DF

    def _be_structured(self, data: bytes) -> bytes:
        if data:
            return _reply(STRUCTURED_REPLY, INVALID, b"nothing comes with this option")
        self.structured = True
        return _reply(STRUCTURED_REPLY, ACK)

    def _contexts(self, option: int, data: bytes) -> bytes:
        if not self.structured:
            return _reply(option, INVALID, b"ask for structured replies first")
        name, at = _read_text(data, 0)
        (count,) = struct.unpack_from(">I", data, at)
        at += 4
        queries = []
        for _ in range(min(count, len(data))):  # each takes four bytes at least
            query, at = _read_text(data, at)
            queries.append(query)
        if at != len(data) or len(queries) != count:
            return _reply(option, INVALID, b"the option is longer or shorter than it says")
        if option == SET_META_CONTEXT:
            self._selected = None
        found = self._find(name)
        if found is None:
            return _reply(option, UNKNOWN, b"there is no such export")
        wanted = {CONTEXT, "base:"} if option == LIST_META_CONTEXT else {CONTEXT}
        chosen = any(query in wanted for query in queries)
        if option == LIST_META_CONTEXT and not queries:
            chosen = True
        if option == SET_META_CONTEXT and chosen:
            self._selected = found.name
        number = CONTEXT_ID if option == SET_META_CONTEXT else 0
        told = _reply(option, META_CONTEXT, number.to_bytes(4, "big") + CONTEXT.encode())
        return (told if chosen else b"") + _reply(option, ACK)

    def _find(self, name: str) -> Export | None:
        if name == "":
            return next(iter(self.exports.values()), None)
        return self.exports.get(name)


def _reply(option: int, kind: int, data: bytes = b"") -> bytes:
    return _REPLY.pack(REPLY_MAGIC, option, kind, len(data)) + data


def _text(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    """A text with its length before it, and where it ends."""
    (length,) = struct.unpack_from(">I", data, at)
    end = at + 4 + length
    if length > LONGEST_NAME or end > len(data):
        raise ValueError(length)
    return data[at + 4 : end].decode(), end

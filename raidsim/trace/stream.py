"""The bytes of a trace, unpacked on the way, in pieces of bounded size.

Only the current piece of a file is in memory. So a small file that unpacks to terabytes takes time,
but no memory. A line that is longer than any line of a trace is skipped as a whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import IO, Any

from raidsim.errors import quote, refuse, why
from raidsim.named_file import read_bytes
from raidsim.trace.counts import Counts

PIECE = 1 << 20
LONGEST_LINE = 1 << 20
HEAD = 1 << 16
PACKED_PIECE = 1 << 16
ZSTD_PIECE = 1 << 10  # 4 bytes may unpack to 128 KiB
GZIP_WINDOW = 31  # of zlib: the largest window, with the header of gzip
BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
PACKED = (
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
)


@dataclass(frozen=True)
class Source:
    """A file that a trace is read from, once or several times.

    Attributes
    ----------
    path : the file, as messages name it.
    packing : "", "gzip" or "zstd".
    """

    path: str
    packing: str

    @classmethod
    def of(cls, name: str | PathLike[str]) -> Source:
        """The file of that name.

        Raises
        ------
        InputError
            It is not there, no regular file, cannot be read, is empty, or is packed in a way that
            is not unpacked here.
        """
        shown = str(name)
        given: Any = name
        if not isinstance(given, str | PathLike):
            refuse(
                "Trace.read()", f"{quote(given)} is not a path of a file", "give a text or a Path"
            )
        start = read_bytes(name, 8, if_irregular="write the trace to a file first")
        if not start:
            refuse(shown, "is empty")
        for magic, packing in PACKED:
            if start.startswith(magic):
                remedy = "unpack it, or pack it with gzip or zstd"
                refuse(shown, f"is packed with {packing}, which is not unpacked here", remedy)
        if start.startswith(GZIP):
            return cls(shown, "gzip")
        if start.startswith(ZSTD):
            _zstd(shown)
            return cls(shown, "zstd")
        return cls(shown, "")

    def pieces(self, counts: Counts) -> Iterator[bytes]:
        """Yield the content of the file, unpacked, in pieces of at most 1 MiB.

        Where the packed data is damaged or ends too early, the pieces end, and `counts` says where.

        Raises
        ------
        InputError
            The file cannot be read.
        """
        try:
            with Path(self.path).open("rb") as opened:
                file = _Counted(opened, counts)
                if self.packing == "gzip":
                    yield from _gzip(file, counts)
                elif self.packing == "zstd":
                    yield from _unzstd(file, counts, _zstd(self.path))
                else:
                    while piece := file.read(PIECE):
                        yield piece
        except OSError as error:
            refuse(self.path, f"cannot be read: {why(error)}")

    def head(self) -> bytes:
        """The first 64 KiB of what is in it, or all if there is less."""
        found = b""
        pieces = self.pieces(Counts())
        for piece in pieces:
            found += piece
            if len(found) >= HEAD:
                break
        pieces.close()  # type: ignore[attr-defined]
        return found[:HEAD].removeprefix(BOM)

    def lines(self, counts: Counts) -> Iterator[bytes]:
        """Pieces of whole lines, each of which ends in a line feed; ``counts.lines`` goes along.

        A line of more than 1 MiB is passed over, and counted as one that was not understood. The
        number of the first line of a piece is ``counts.lines`` before the piece was asked for,
        plus 1; who takes a piece adds its lines.
        """
        left = b""
        skipping = False
        for number, piece in enumerate(self.pieces(counts)):
            if not number:
                piece = piece.removeprefix(BOM)  # noqa: PLW2901 - a mark that is no text
            cut = piece.rfind(b"\n")
            if skipping:
                first = piece.find(b"\n")
                if first < 0:
                    continue
                counts.lines += 1
                counts.refuse(counts.lines, "is longer than 1 MiB")
                skipping = False
                piece = piece[first + 1 :]  # noqa: PLW2901 - the rest of it is as any other
                cut = piece.rfind(b"\n")
            if cut < 0:
                left += piece
            else:
                yield left + piece[: cut + 1]
                left = piece[cut + 1 :]
            if len(left) > LONGEST_LINE:
                skipping, left = True, b""
        if skipping:
            counts.lines += 1
            counts.refuse(counts.lines, "is longer than 1 MiB")
        elif left and counts.cut_short:
            counts.lines += 1
            counts.refuse(counts.lines, "is incomplete: the file ends within it")
        elif left:
            counts.note(
                "The last line does not end in a line feed: if the file was cut there, the last"
                " number in it is not whole"
            )
            yield left + b"\n"


class _Counted:
    """A file that counts what is read of it."""

    def __init__(self, file: IO[bytes], counts: Counts) -> None:
        self._file, self._counts = file, counts

    def read(self, size: int) -> bytes:
        """The next bytes, at most so many."""
        data = self._file.read(size)
        self._counts.bytes += len(data)
        return data


def _gzip(file: _Counted, counts: Counts) -> Iterator[bytes]:
    """Yield the unpacked content of one or several gzip streams, one behind the other."""
    given = 0
    unpacker = zlib.decompressobj(GZIP_WINDOW)
    while data := file.read(PACKED_PIECE):
        while data:
            saved = unpacker.copy()
            try:
                piece = unpacker.decompress(data, PIECE)
            except zlib.error as error:
                piece = _before_damage(saved, data)
                given += len(piece)
                words = str(error).rpartition(": ")[2]
                counts.cut_short = f"its gzip data is damaged behind {given:,} bytes ({words})"
                yield piece
                return
            given += len(piece)
            if piece:
                yield piece
            data = unpacker.unconsumed_tail
            if unpacker.eof:
                # Another stream may follow, or zeros that fill up a block.
                data = unpacker.unused_data.lstrip(b"\0")
                unpacker = zlib.decompressobj(GZIP_WINDOW)
                while not data and (more := file.read(PACKED_PIECE)):
                    data = more.lstrip(b"\0")
                if not data:
                    return
    while piece := unpacker.decompress(unpacker.unconsumed_tail, PIECE):
        given += len(piece)
        yield piece
    if not unpacker.eof:
        counts.cut_short = f"its gzip data ends in the middle, behind {given:,} bytes"


def _before_damage(unpacker: Any, data: bytes) -> bytes:
    """Yield byte by byte what can be unpacked of damaged data."""
    found = []
    for place in range(len(data)):
        try:
            found.append(unpacker.decompress(data[place : place + 1]))
        except zlib.error:
            break
    return b"".join(found)[:PIECE]


def _zstd(path: str) -> Any:
    """The module that unpacks zstd."""
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return import_module(name)
        except ImportError:
            continue
    remedy = 'install what unpacks it with: pip install "raidsim[zstd]", or unpack it with zstd -d'
    return refuse(path, "is packed with zstd, for which a module is missing", remedy)


def _unzstd(file: _Counted, counts: Counts, module: Any) -> Iterator[bytes]:
    """Yield the unpacked content of one or several zstd frames."""
    # Python's own module has decompressors of streams, the other one makes them.
    own = hasattr(module, "ZstdFile")

    def new() -> Any:
        made = module.ZstdDecompressor()
        return made if own else made.decompressobj()

    given, unpacker = 0, None
    try:
        while data := file.read(ZSTD_PIECE):
            while data:
                unpacker = unpacker or new()
                piece = unpacker.decompress(data)
                given += len(piece)
                if piece:
                    yield piece
                data = b""
                if unpacker.eof:
                    data, unpacker = unpacker.unused_data, None
    except getattr(module, "ZstdError", ValueError) as error:
        counts.cut_short = f"its zstd data is damaged behind {given:,} bytes ({error})"
        return
    if unpacker is not None:
        counts.cut_short = f"its zstd data ends in the middle, behind {given:,} bytes"

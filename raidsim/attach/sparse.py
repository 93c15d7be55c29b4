"""The bytes of one drive in a sparse file: unwritten parts take no room and are zero."""

from __future__ import annotations

import ctypes
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_KEEP_SIZE: Final = 1
_PUNCH_HOLE: Final = 2
_PIECE: Final = 2**20  # bytes that are overwritten at a time where holes cannot be punched


class Sparse:
    """A stretch of the bytes of a file.

    Parameters
    ----------
    descriptor
        The open file, which is closed with this.
    size
        Bytes.
    first
        Where they begin in the file.
    lasting
        Whether the file is there when this is closed.
    """

    def __init__(self, descriptor: int, size: int, first: int = 0, *, lasting: bool = True) -> None:
        self.size = size
        self._lasting = lasting
        self._file = descriptor
        self._first = first

    @classmethod
    def nameless(cls, size: int) -> Sparse:
        """A new file that has no name, and is gone with its last user."""
        descriptor, name = tempfile.mkstemp(prefix="raidsim-drive-")
        Path(name).unlink()
        os.ftruncate(descriptor, size)
        return cls(descriptor, size, lasting=False)

    def part(self, first: int, size: int) -> Sparse:
        """A part of the bytes, from byte ``first`` on, that is closed by itself."""
        return Sparse(os.dup(self._file), size, self._first + first, lasting=self._lasting)

    def read(self, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset`` on.

        Raises
        ------
        OSError
            If the host cannot read them.
        """
        data = os.pread(self._file, length, self._first + offset)
        while len(data) < length:
            more = os.pread(self._file, length - len(data), self._first + offset + len(data))
            if not more:
                raise OSError(errno.EIO, "the file of a drive is shorter than the drive")
            data += more
        return data

    def write(self, offset: int, data: bytes | memoryview) -> None:
        """Put bytes there.

        Raises
        ------
        OSError
            If the host cannot write them, as when its disk is full.
        """
        written = os.pwrite(self._file, data, self._first + offset)
        while written < len(data):
            rest = memoryview(data)[written:]
            written += os.pwrite(self._file, rest, self._first + offset + written)

    def clear(self, begin: int, end: int) -> None:
        """Let these bytes be as in a drive that is new."""
        if begin >= end:
            return
        answer = _FALLOCATE(
            self._file,
            _PUNCH_HOLE | _KEEP_SIZE,
            ctypes.c_int64(self._first + begin),
            ctypes.c_int64(end - begin),
        )
        if answer != 0:  # the file system has no holes
            for low, high in list(self.extents(begin, end)):
                for at in range(low, high, _PIECE):
                    self.write(at, bytes(min(_PIECE, high - at)))

    def extents(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where something was written, in order: first bytes and ends within [begin, end)."""
        at = begin
        while at < end:
            try:
                low = os.lseek(self._file, self._first + at, os.SEEK_DATA) - self._first
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole up to the end
                    return
                raise
            if low >= end:
                return
            high = os.lseek(self._file, self._first + low, os.SEEK_HOLE) - self._first
            yield low, min(high, end)
            at = high

    def flush(self) -> None:
        """Let the host put what was written onto its own disk, if it is to last."""
        if self._lasting:
            os.fsync(self._file)

    def close(self) -> None:
        """Give the file back."""
        os.close(self._file)


def _fallocate() -> ctypes._NamedFuncPointer:
    return ctypes.CDLL(None, use_errno=True).fallocate


_FALLOCATE: Final = _fallocate()

"""The bytes of a volume: what all volumes have, and one whose drives are not told apart."""

from __future__ import annotations

from typing import Protocol

from raidsim.attach.sparse import Sparse
from raidsim.attach.written import Written


class DataLost(Exception):
    """The request needs bytes that no drive holds any more."""


class Content(Protocol):
    """The bytes of a volume."""

    written: Written

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the volume."""

    def write(self, address: int, data: bytes, *, torn: bool = False) -> None:
        """Put bytes there; ``torn``: redundancy stays as it was."""

    def flush(self) -> None:
        """Let the host put all of it onto its own disk."""

    def close(self) -> None:
        """Give the files back."""


class Flat:
    """The bytes of a volume that is one drive, or of which no drive is looked at alone."""

    def __init__(self, drive: Sparse) -> None:
        self.drive = drive
        self.written = Written(drive.size)

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the volume."""
        if not self.written.any_in(address, length):
            return bytes(length)
        return self.drive.read(address, length)

    def write(self, address: int, data: bytes, *, torn: bool = False) -> None:  # noqa: ARG002
        """Put bytes there."""
        self.written.mark(address, len(data))
        self.drive.write(address, data)

    def flush(self) -> None:
        """Let the host put all of it onto its own disk."""
        self.drive.flush()

    def close(self) -> None:
        """Give the file back."""
        self.drive.close()

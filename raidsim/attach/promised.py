"""Writes that were answered and that a power cut may still cost, with what was there before them.

The drives' files hold every write that was answered. What a cut takes back is told by the
simulation (:mod:`raidsim.intervene.promises`): ranges of the volume, and of flash drives so many
bytes of which only the number is known; those are taken to be the latest ones. A place goes back
to what it held when it was last known to be safe.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

BLOCK: Final = 4096  # bytes: places are told apart by it where it is asked what was written twice

Ranges = Sequence[tuple[int, int]]
"""First bytes and lengths."""


class Entry(NamedTuple):
    """What was at an address before a write."""

    address: int
    before: bytes


class Promised:
    """The writes of a volume that a cut may cost, oldest first.

    Attributes
    ----------
    size
        Bytes of memory that their old contents take.
    """

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._blocks: set[int] = set()
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def note(self, address: int, before: bytes) -> None:
        """A write was answered that replaces these bytes."""
        self._entries.append(Entry(address, before))
        self._blocks.update(_blocks(address, len(before)))
        self.size += len(before)

    def holds(self, address: int, length: int) -> bool:
        """Whether something near these bytes was written, and has not been settled since."""
        return not self._blocks.isdisjoint(_blocks(address, length))

    def settle(self, lost: Ranges, unplaced: int) -> None:
        """Forget what is safe: all but what a cut would cost now."""
        latest = self._latest(unplaced)
        kept = [
            entry
            for number, entry in enumerate(self._entries)
            if number >= latest or any(True for _ in _common(entry, lost))
        ]
        self._entries = deque(kept)
        self._blocks = {one for entry in kept for one in _blocks(entry.address, len(entry.before))}
        self.size = sum(len(entry.before) for entry in kept)

    def take_back(self, lost: Ranges, unplaced: int, write: Callable[[int, bytes], None]) -> None:
        """Let a cut cost what it costs: write what was there before, the oldest last."""
        latest = self._latest(unplaced)
        for number in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[number]
            if number >= latest:
                write(entry.address, entry.before)
                continue
            for begin, end in _common(entry, lost):
                write(begin, entry.before[begin - entry.address : end - entry.address])
        self._entries.clear()
        self._blocks.clear()
        self.size = 0

    def _latest(self, unplaced: int) -> int:
        """Number of the first of the latest entries that together make so many bytes."""
        number = len(self._entries)
        while unplaced > 0 and number > 0:
            number -= 1
            unplaced -= len(self._entries[number].before)
        return number


def _blocks(address: int, length: int) -> range:
    """Numbers of the blocks that bytes lie in."""
    return range(address // BLOCK, (address + length - 1) // BLOCK + 1)


def _common(entry: Entry, ranges: Ranges) -> Iterator[tuple[int, int]]:
    """First bytes and ends of what an entry and ranges have in common."""
    end = entry.address + len(entry.before)
    for begin, length in ranges:
        low, high = max(begin, entry.address), min(begin + length, end)
        if low < high:
            yield low, high

"""Acknowledged writes that a fault may still lose, together with the data that they replaced.

The drives' files hold every acknowledged write. The simulation says which of them a fault loses
(:mod:`raidsim.intervene.promises`, :mod:`raidsim.intervene.pinned`): ranges of the volume. For
flash drives in a power cut only a number of bytes is known; the latest writes that have left the
controller are taken. A lost place gets back the data that was last known to be safe.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

BLOCK: Final = 4096  # bytes: unit of places in the search for data that was written twice
SECTOR: Final = 512  # bytes: what is noted begins and ends with one

Ranges = Sequence[tuple[int, int]]
"""First bytes and lengths, none of which overlap."""


class Entry(NamedTuple):
    """The earlier content of an address, before a write."""

    address: int
    before: bytes

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.address + len(self.before)

    def part(self, begin: int, end: int) -> Entry:
        """Return the earlier content of these bytes."""
        if begin == self.address and end == self.end:
            return self
        return Entry(begin, self.before[begin - self.address : end - self.address])


class Promised:
    """The writes of a volume that a fault may cost, oldest first.

    Parameters
    ----------
    block
        Bytes of the parts of the volume by which the simulation knows what is safe.

    Attributes
    ----------
    size
        Bytes of memory that their old contents take.
    """

    def __init__(self, block: int = BLOCK) -> None:
        self._block = max(block, BLOCK)
        self._entries: deque[Entry] = deque()
        self._blocks: set[int] = set()
        self._sectors: set[int] = set()
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def note(self, address: int, before: bytes) -> None:
        """A write was answered that replaces these bytes."""
        self._entries.append(Entry(address, before))
        self._blocks.update(self._blocks_of(address, len(before)))
        self._sectors.update(_sectors_of(address, len(before)))
        self.size += len(before)

    def forget(self, address: int, length: int) -> None:
        """These bytes are safe, whatever was written there before."""
        if not self.holds(address, length):
            return
        end = address + length
        left: list[Entry] = []
        for entry in self._entries:
            first, last = min(entry.end, address), max(entry.address, end)
            left += [entry.part(entry.address, first)] if entry.address < first else []
            left += [entry.part(last, entry.end)] if last < entry.end else []
        self._hold(left)

    def covers(self, address: int, length: int) -> bool:
        """Return whether all of these bytes are noted, back to the oldest content."""
        return self._sectors.issuperset(_sectors_of(address, length))

    def holds(self, address: int, length: int) -> bool:
        """Return whether something near these bytes was written, and has not been settled since."""
        return not self._blocks.isdisjoint(self._blocks_of(address, length))

    def settle(self, lost: Ranges, unplaced: int = 0, kept: Ranges = ()) -> None:
        """Forget safe data: all data that a fault at this moment would not lose.

        Parameters
        ----------
        lost
            The ranges that a fault would lose.
        unplaced
            A number of further bytes whose places are unknown.
        kept
            Ranges where these bytes cannot be.
        """
        latest = self._latest(unplaced, kept)
        found = _Found(lost)
        kept_entries: list[Entry] = []
        for number, entry in enumerate(self._entries):
            if number in latest:
                kept_entries.append(entry)
            else:
                kept_entries += [entry.part(*both) for both in found.common(entry)]
        self._hold(kept_entries)

    def take_back(
        self,
        lost: Ranges,
        unplaced: int,
        write: Callable[[int, bytes], None],
        kept: Ranges = (),
    ) -> None:
        """Apply the loss of a fault: write the old data back, the oldest last.

        Data that is not lost stays. Parameters are those of :meth:`settle`.
        """
        latest = self._latest(unplaced, kept)
        found = _Found(lost)
        left: list[Entry] = []
        for number in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[number]
            if number in latest:
                write(*entry)
                continue
            at = entry.address
            for begin, end in found.common(entry):
                write(*entry.part(begin, end))
                if at < begin:
                    left.append(entry.part(at, begin))
                at = end
            if at < entry.end:
                left.append(entry.part(at, entry.end))
        self._hold(left[::-1])

    def change(self, changed: Callable[[int, bytes], bytes]) -> None:
        """Let other bytes be what was there before."""
        self._hold([Entry(one.address, changed(*one)) for one in self._entries])

    def _hold(self, entries: list[Entry]) -> None:
        self._entries = deque(entries)
        self._blocks = {
            one for entry in entries for one in self._blocks_of(entry.address, len(entry.before))
        }
        self._sectors = {
            one for entry in entries for one in _sectors_of(entry.address, len(entry.before))
        }
        self.size = sum(len(entry.before) for entry in entries)

    def _latest(self, unplaced: int, kept: Ranges) -> set[int]:
        """Numbers of the latest entries that together make so many bytes, but for what is kept."""
        latest = set()
        number, spared = len(self._entries), _Found(kept)
        while unplaced > 0 and number > 0:
            number -= 1
            entry = self._entries[number]
            if not any(True for _ in spared.common(entry)):
                latest.add(number)
                unplaced -= len(entry.before)
        return latest

    def _blocks_of(self, address: int, length: int) -> range:
        """Numbers of the blocks that bytes lie in."""
        return range(address // self._block, (address + length - 1) // self._block + 1)


def _sectors_of(address: int, length: int) -> range:
    """Numbers of the sectors that bytes lie in."""
    return range(address // SECTOR, -(-(address + length) // SECTOR))


class _Found:
    """Ranges among which those are looked for that an entry has a part of."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = sorted(ranges)
        self._ends = [begin + length for begin, length in self._ranges]

    def common(self, entry: Entry) -> Iterator[tuple[int, int]]:
        """First bytes and ends of what an entry and the ranges have in common, in order."""
        for number in range(bisect_right(self._ends, entry.address), len(self._ranges)):
            begin = self._ranges[number][0]
            if begin >= entry.end:
                return
            yield max(begin, entry.address), min(self._ends[number], entry.end)

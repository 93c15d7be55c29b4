"""The bytes of a volume through faults: what the drives hold, and what each fault leaves of it.

A fault may undo acknowledged writes. A power cut loses what is not on the medium yet, and a failed
controller loses what was only in its memory. So the data that a write replaces is kept as long as
the write may be lost (:mod:`raidsim.attach.promised`), and is put back if it is lost.
"""

from __future__ import annotations

import contextlib
import logging
import random
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Final

from raidsim.assembly.volume_rows import drives_of, reliable
from raidsim.attach.consistency import make_consistent
from raidsim.attach.content import Content, DataLost, Flat
from raidsim.attach.initialising import Initialising
from raidsim.attach.members import Members
from raidsim.attach.promised import Promised
from raidsim.attach.rebuilding import now_good
from raidsim.attach.sparse import Sparse
from raidsim.control import Hybrid, Volume
from raidsim.intervene import pinned, promises
from raidsim.kernel import tables as t
from raidsim.result.cuts import VolumeCut

LOG = logging.getLogger("raidsim.attach")

MOST_PROMISED: Final = 64 * 2**20  # bytes of old contents after which it is asked what is safe
OFTEN: Final = 256  # and after how many writes
NO_ROOM: Final = "the host has no room for what is rebuilt onto it"


class Stored:
    """The data on the drives of a volume.

    Parameters
    ----------
    volume
        The volume, or hybrid, in its environment.
    content
        Its bytes.
    seed
        Of what chance decides in a power cut: which sectors of a write under way are written.
    """

    def __init__(self, volume: Volume, content: Content, seed: int) -> None:
        self.volume = volume
        self.content = content
        self._chance = random.Random(f"{seed} {volume.name}")
        self._cache = pinned.cache_of(volume.system, volume.row)
        grain = promises.grain(volume.system, volume.row)
        self._promised = Promised(grain)  # what a power cut may cost, if the battery is bad then
        self._cached = Promised(grain)  # what is lost with the memory of the controller
        self._noted = 0  # writes since it was last asked what is safe
        self._often, self._most = OFTEN, MOST_PROMISED
        self._owed: list[tuple[int, bytes]] = []  # to be put onto drives that are out of reach
        self._torn: set[tuple[int, int]] = set()  # stripes that a cut has left inconsistent
        self._torn_since = 0.0
        self._risky = _may_lose(volume)
        self._known = (b"", b"")  # how far drives were good at the last look, and which failed
        self._initialising = Initialising(volume, content) if isinstance(content, Members) else None

    # -- what clients read and write -----------------------------------------------------------

    def read(self, offset: int, length: int) -> bytes:
        """Return the present content.

        Raises
        ------
        DataLost, OSError
            No drive has it any more, or the host cannot read its files.
        """
        self._follow_initialisations()
        return self.content.read(offset, length)

    def write(self, offset: int, payload: bytes, *, forced: bool) -> None:
        """Put bytes there that a write has brought; ``forced`` is one that was to be on the medium.

        Raises
        ------
        DataLost, OSError
            Too few drives are there, or the host cannot write its files.
        """
        self._follow_initialisations()
        if self._risky or self.volume.spec.write != "through":
            self._risky = True  # for good: what was dirty takes its time to come to the drives
            if forced and self._cache == t.NONE:  # it is on the medium
                self._promised.forget(offset, len(payload))
            else:
                self._note(offset, len(payload))
        self.content.write(offset, payload)
        if self._noted >= self._often or self._promised.size > self._most:
            self.settle()

    def _note(self, offset: int, length: int) -> None:
        """Note what is there before a write, if a fault may bring that back."""
        if self._cache == t.NONE:
            self._promised.note(offset, self.content.read(offset, length))
        elif not (self._promised.covers(offset, length) and self._cached.covers(offset, length)):
            before = self.content.read(offset, length)
            self._promised.note(offset, before)
            self._cached.note(offset, before)
        else:
            return  # a place that is written over and over
        self._noted += 1

    # -- what happens to the drives ------------------------------------------------------------

    def fail_what_is_missing(self) -> None:
        """Let drives fail in the simulation whose bytes are not there at the beginning."""
        if isinstance(self.content, Members):
            there = reliable(self.volume.system, self.volume.row)[1]
            for number, good in enumerate(self.content.good):
                if good == 0 and there[number] > 0:
                    self.volume.fail(number)

    def look(self) -> None:
        """Take note of drives that failed, came back or were rebuilt since the last look."""
        content = self.content
        if not isinstance(content, Members):
            return
        self._follow_initialisations()
        system, row = self.volume.system, self.volume.row
        world = system.world
        array = world.arrays[world.volumes[row]["array"]]
        first, drives = int(array["first_member"]), int(array["drives"])
        good = world.good[first : first + drives].tobytes()
        failed = world.drives["failed"][world.members["drive"][first : first + drives]].tobytes()
        if (good, failed) != self._known:
            self._known = (good, failed)
            for number in now_good(content, [int(n) for n in reliable(system, row)[1]]):
                LOG.error("drive %d of %s fails: %s", number, self.volume.name, NO_ROOM)
                if number not in self.volume.failed:
                    self.volume.fail(number)
            owed, self._owed = self._owed, []
            for address, data in owed:
                self._restore(address, data)

    def _follow_initialisations(self) -> None:
        """Zero what initialisations have come through since the last time."""
        if self._initialising is None:
            return
        try:
            rows = self._initialising.follow()
        except OSError as error:
            LOG.error("the host cannot zero the drives of %s: %s", self.volume.name, error)
            return
        if not rows:
            return
        for promised in (self._promised, self._cached):
            promised.change(partial(self._zeroed, rows))
        self._owed = [(address, self._zeroed(rows, address, data)) for address, data in self._owed]
        self._torn -= {
            stripe for stripe in self._torn if any(first <= stripe[1] < end for first, end in rows)
        }

    def _zeroed(self, rows: list[tuple[int, int]], address: int, data: bytes) -> bytes:
        """Bytes of the volume, with zeros for those that lie in these rows."""
        assert isinstance(self.content, Members)
        return b"".join(
            bytes(len(part)) if any(first <= row < end for first, end in rows) else part
            for _, part, (_, row) in self.content.by_stripe(address, data)
        )

    def look_after_checks(self) -> None:
        """Make consistent what a resync or check has gone through since a cut."""
        if not self._torn or not isinstance(self.content, Members):
            return
        for one in self.volume.operations:
            checks = one.kind in ("resync", "consistency check")
            if checks and one.started >= self._torn_since and one.state == "done":
                with contextlib.suppress(OSError):  # a full disk: it is tried again
                    make_consistent(self.content, self._torn)
                    self._torn.clear()
                return

    def settle_before(self, offset: int, length: int) -> None:
        """Look what is safe before a place is written again.

        Later nobody could tell whether a fault costs what was there before, or only the new bytes.
        What the drives do not have yet is not safe: there is nothing to be looked for.
        """
        system, row = self.volume.system, self.volume.row
        if self._promised.holds(offset, length) and not promises.is_dirty(
            system, row, offset, offset + length
        ):
            self.settle()

    def settle(self) -> None:
        """Forget the old contents of what no fault can cost any more.

        The memory of a controller may be lost though its battery is good, and the battery may be
        bad by the time of a power cut.
        """
        self._noted = 0
        if not (len(self._promised) or len(self._cached)):
            return
        volume = self.volume
        cut = promises.volume_cut(
            volume.system, volume.name, volume.row, keeps=volume.keeps_cache, noted=volume.intent
        )
        dirty = promises.dirty_ranges(volume.system, volume.row)
        lost = promises.union([*((at, at + length) for at, length in cut.lost), *dirty])
        kept = _lengths(dirty) if volume.keeps_cache else []
        self._promised.settle(_lengths(lost), cut.unplaced_bytes, kept)
        self._cached.settle(_lengths(dirty))
        # What is left is looked through again when there is as much anew: never for each write.
        self._often = max(OFTEN, len(self._promised))
        self._most = max(MOST_PROMISED, 2 * self._promised.size)

    def memory_is_lost(self, lost: Sequence[tuple[int, int]]) -> None:
        """Let the drives hold what is left when a controller has lost these bytes.

        Stripes under update are finished by whoever serves the volume next: parity and copies
        agree. Drives that are out of reach get the old contents when they are back.

        Parameters
        ----------
        lost
            Byte ranges: the first one, and how many.
        """
        self.look()  # what is back now
        self._cached.take_back(lost, 0, self._restore)
        self.settle()

    def _restore(self, address: int, data: bytes, torn: Collection[tuple[int, int]] = ()) -> None:
        """Let the drives hold what was there before."""
        self._owed += self._after_cut(address, data, torn)

    def power_is_cut(self, cut: VolumeCut, writes: Sequence[tuple[int, bytes]]) -> None:
        """Let the drives hold what is left after a cut.

        What was answered and is lost is as it was before. Of a write under way each sector is
        there or not, as chance has it. In stripes that the cut leaves inconsistent parity and
        copies stay as they were. What a controller keeps is still to be lost.

        Parameters
        ----------
        cut
            What it costs the volume.
        writes
            Under way: where, and what.
        """
        self._follow_initialisations()
        torn = set(cut.inconsistent)
        dirty = _lengths(promises.dirty_ranges(self.volume.system, self.volume.row))
        self._promised.take_back(
            cut.lost, cut.unplaced_bytes, partial(self._restore, torn=torn), kept=dirty
        )
        sector = self.volume.sector
        for offset, payload in writes:
            for at in range(0, len(payload), sector):
                if self._chance.random() < 0.5:
                    self._after_cut(offset + at, payload[at : at + sector], torn)
        self._torn |= torn
        self._torn_since = self.volume.env.now
        self.settle()

    def _after_cut(
        self, address: int, data: bytes, torn: Collection[tuple[int, int]]
    ) -> list[tuple[int, bytes]]:
        """Put bytes where a fault leaves them, stripe by stripe with or without their parity.

        Returns
        -------
        list
            Addresses and bytes for which there are not enough drives now.
        """
        content = self.content
        parts: Iterable[tuple[int, bytes, tuple[int, int]]] = [(address, data, (0, 0))]
        if isinstance(content, Members):
            parts = content.by_stripe(address, data)
        refused = []
        for at, part, stripe in parts:
            try:
                content.write(at, part, torn=stripe in torn)
            except DataLost:
                refused.append((at, part))
            except OSError as error:
                LOG.error("the host cannot write what a fault leaves of %d bytes at %d: %s",
                          len(part), at, error)  # fmt: skip
        return refused

    def close(self) -> None:
        """Put all that the drives hold onto the host's disk, and give the files back."""
        self.content.flush()
        if isinstance(self.content, Members) and self.content.keeper is not None:
            self.content.keeper.end(self._torn)
        self.content.close()


def _lengths(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """First bytes and lengths, of first bytes and ends."""
    return [(begin, end - begin) for begin, end in ranges]


def _may_lose(volume: Volume) -> bool:
    """Return whether a power cut may cost something that was answered."""
    if isinstance(volume, Hybrid) or volume.spec.write != "through":
        return True
    drives = volume.system.world.drives[drives_of(volume.system, volume.row)]
    return bool((drives["protected"] == 0).any())


def content_of(volume: Volume) -> Content:
    """New, empty drives for a volume, in files without a name."""
    world = volume.system.world
    place = world.volumes[volume.row]
    if isinstance(volume, Hybrid) or place["kind"] != t.VOLUME_ARRAY:
        return Flat(Sparse.nameless(volume.capacity))
    layout, good = reliable(volume.system, volume.row)
    whole = int(layout["strip"]) * int(layout["rows"])
    drives = [Sparse.nameless(whole) for _ in drives_of(volume.system, volume.row)]
    members = Members(layout, drives)
    members.good = [int(n) for n in good]
    return members

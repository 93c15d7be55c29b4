"""One volume as clients use it: a request becomes an I/O of the simulation, and then bytes.

A request is checked, put into the simulation, and answered when its I/O ends there. What it reads
or writes is read or written at that moment: so nothing that was not answered is on the drives, and
an I/O that fails in the simulation changes nothing.
"""

from __future__ import annotations

import contextlib
import logging
import random
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import simpy

from raidsim.assembly.volume_rows import drives_of, reliable
from raidsim.attach import protocol as nbd
from raidsim.attach.handshake import (
    CAN_MULTI_CONN,
    HAS_FLAGS,
    READ_ONLY,
    ROTATIONAL,
    SEND_DF,
    SEND_FLUSH,
    SEND_FUA,
    SEND_TRIM,
    SEND_WRITE_ZEROES,
    Export,
)
from raidsim.attach.initialising import Initialising
from raidsim.attach.members import Content, DataLost, Flat, Members
from raidsim.attach.promised import Promised
from raidsim.attach.sparse import Sparse
from raidsim.control import Hybrid, Volume
from raidsim.errors import InputError
from raidsim.intervene import pinned, promises
from raidsim.kernel import tables as t
from raidsim.result_cuts import VolumeCut
from raidsim.scenario.arrays import stops_trims
from raidsim.system.system import SaturationError

LOG = logging.getLogger("raidsim.attach")

MOST_PAYLOAD: Final = 32 * 2**20  # bytes of a read or a write, as most servers have it
PREFERRED: Final = 4096  # bytes
STEP: Final = 32 * 2**20  # bytes of one I/O of a longer TRIM or write of zeros
MOST_EXTENTS: Final = 4096  # of one answer to a question for the status of blocks
MOST_PROMISED: Final = 64 * 2**20  # bytes of old contents after which it is asked what is safe
OFTEN: Final = 256  # and after how many writes
NO_ROOM: Final = "the host has no room for what is rebuilt onto it"


class Answer(NamedTuple):
    """How a request ended.

    Attributes
    ----------
    error
        0, or one of the protocol's errors.
    message
        Why, in words.
    data
        What was read.
    extents
        The status of blocks, if that was asked for.
    due
        Simulated time at which it ended, s; None if it took no time.
    """

    error: int = 0
    message: str = ""
    data: bytes = b""
    extents: tuple[nbd.Extent, ...] = ()
    due: float | None = None


OnAnswer = Callable[[Answer], None]


class Device:
    """A volume that clients use.

    Parameters
    ----------
    volume
        The volume, or hybrid, in its environment.
    content
        Its bytes.
    seed
        Of what chance decides in a power cut: which sectors of a write under way are written.

    Attributes
    ----------
    in_flight
        Requests in the simulation.
    """

    def __init__(self, volume: Volume, content: Content, seed: int) -> None:
        self.volume = volume
        self.content = content
        self.in_flight = 0
        self._env = volume.env
        self._sector = volume.sector
        self._size = volume.capacity
        self._can_flush = not isinstance(volume, Hybrid)
        self._writable = volume.access == "read-write"
        self._takes_trims = _takes_trims(volume)
        self._chance = random.Random(f"{seed} {volume.name}")
        self._writes: dict[int, tuple[int, bytes]] = {}  # under way: where, and what
        self._numbers = 0
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

    @property
    def export(self) -> Export:
        """What clients are told of it."""
        volume = self.volume
        flags = HAS_FLAGS | CAN_MULTI_CONN | SEND_DF
        if self._can_flush:
            flags |= SEND_FLUSH | SEND_FUA
        flags |= SEND_TRIM | SEND_WRITE_ZEROES if self._writable else READ_ONLY
        if volume.card.has("spindle.speed"):
            flags |= ROTATIONAL
        return Export(
            volume.name,
            repr(volume).strip("<>"),
            self._size,
            flags,
            self._sector,
            max(PREFERRED, self._sector),
            MOST_PAYLOAD,
        )

    # -- requests ------------------------------------------------------------------------------

    def ask(self, request: nbd.Request, payload: bytes, answer: OnAnswer) -> None:
        """Carry out a request from now on; ``answer`` is called once it has ended.

        Whatever the client asks for, this raises nothing.
        """
        refusal = self._refusal(request)
        if refusal is not None:
            answer(refusal)
            return
        try:
            self._carry_out(request, payload, answer)
        except SaturationError as error:
            answer(Answer(nbd.ENOMEM, str(error)))
        except InputError as error:
            answer(Answer(nbd.EINVAL, str(error)))

    def _refusal(self, one: nbd.Request) -> Answer | None:
        """Why a request cannot be carried out, if it cannot."""
        allowed = nbd.ALLOWED_FLAGS.get(one.command)
        if allowed is None:
            return Answer(nbd.EINVAL, f"there is no command {one.command}")
        if one.flags & ~(allowed | nbd.FUA):
            return Answer(nbd.EINVAL, f"the flags {one.flags:#x} do not go with this command")
        if one.command == nbd.FLUSH:
            if not self._can_flush:
                return Answer(nbd.EINVAL, "flushes of a hybrid are not simulated")
            if one.offset or one.length:
                return Answer(nbd.EINVAL, "a flush has no offset and no length")
            return None
        changes = one.command in (nbd.WRITE, nbd.TRIM, nbd.WRITE_ZEROES)
        if changes and not self._writable:
            return Answer(nbd.EPERM, f"{self.volume.name} is {self.volume.access}")
        if not changes and self.volume.access == "blocked":
            return Answer(nbd.EPERM, f"{self.volume.name} is blocked")
        if one.length == 0:
            return Answer(nbd.EINVAL, "the length is 0")
        if one.command in (nbd.READ, nbd.WRITE) and one.length > MOST_PAYLOAD:
            return Answer(nbd.EINVAL, f"over {MOST_PAYLOAD} bytes at a time")
        if one.offset + one.length > self._size:
            error = nbd.ENOSPC if changes else nbd.EINVAL
            return Answer(error, f"ends beyond the volume, which has {self._size} bytes")
        if (one.offset % self._sector or one.length % self._sector) and (
            one.command != nbd.BLOCK_STATUS
        ):
            return Answer(nbd.EINVAL, f"offset and length are multiples of {self._sector} bytes")
        if one.flags & nbd.FUA and changes and not self._can_flush:
            return Answer(nbd.EINVAL, "writes to the medium of a hybrid are not simulated")
        return None

    def _carry_out(self, one: nbd.Request, payload: bytes, answer: OnAnswer) -> None:
        if one.command == nbd.BLOCK_STATUS:
            answer(self._status(one))
            return
        if self._env.power != "on":
            answer(Answer(nbd.ESHUTDOWN, "the power is off"))
            return
        if one.command == nbd.READ:
            event = self.volume.read(one.offset, one.length)
            end = partial(self._has_read, one, answer)
        elif one.command == nbd.WRITE:
            fua = bool(one.flags & nbd.FUA)
            self._settle_before(one.offset, one.length)
            event = self.volume.write(one.offset, one.length, fua=fua)
            number = self._begin_write(one.offset, payload)
            end = partial(self._has_written, number, fua, answer)
        elif one.command == nbd.FLUSH:
            event = self.volume.flush()
            end = partial(self._has_flushed, answer)
        else:
            self._step(one, one.offset, answer)
            return
        self._wait(event, end)

    def _wait(self, event: simpy.Event, end: Callable[[Any], None]) -> None:
        self.in_flight += 1
        event.callbacks.append(partial(self._ended, end))

    def _ended(self, end: Callable[[Any], None], event: simpy.Event) -> None:
        self.in_flight -= 1
        end(event.value)

    def _begin_write(self, offset: int, payload: bytes) -> int:
        self._numbers += 1
        self._writes[self._numbers] = (offset, payload)
        return self._numbers

    def _has_read(self, one: nbd.Request, answer: OnAnswer, done: Any) -> None:
        if not done.ok:
            answer(_failed(done))
            return
        self._follow_initialisations()
        try:
            data = self.content.read(one.offset, one.length)
        except (DataLost, OSError) as error:
            answer(_error_of(error, done.completed))
            return
        answer(Answer(data=data, due=done.completed))

    def _has_written(self, number: int, fua: bool, answer: OnAnswer, done: Any) -> None:
        offset, payload = self._writes.pop(number, (0, b""))
        answer(self._put(offset, payload, fua, done))

    def _put(self, offset: int, payload: bytes, fua: bool, done: Any) -> Answer:
        """Let the drives hold what was written, if it was."""
        if not done.ok:
            return _failed(done)
        self._follow_initialisations()
        try:
            if self._risky or self.volume.spec.write != "through":
                self._risky = True  # for good: what was dirty takes its time to come to the drives
                if fua and self._cache == t.NONE:  # it is on the medium
                    self._promised.forget(offset, len(payload))
                else:
                    self._note(offset, len(payload))
            self.content.write(offset, payload)
        except (DataLost, OSError) as error:
            return _error_of(error, done.completed)
        if self._noted >= self._often or self._promised.size > self._most:
            self._settle()
        return Answer(due=done.completed)

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

    def _has_flushed(self, answer: OnAnswer, done: Any) -> None:
        if not done.ok:
            answer(_failed(done))
            return
        self._settle()
        answer(Answer(due=done.completed))

    # -- TRIM and zeros ------------------------------------------------------------------------

    def _step(self, one: nbd.Request, at: int, answer: OnAnswer) -> None:
        """Begin with the next part of a TRIM or a write of zeros, or end."""
        end = one.offset + one.length
        length = min(STEP, end - at)
        if self._env.power != "on":
            answer(Answer(nbd.ESHUTDOWN, "the power is off"))
            return
        if one.command == nbd.TRIM:
            if not self._takes_trims:  # nothing that a drive does or takes time for
                answer(Answer(due=self._env.now))
                return
            event = self.volume.send_trim(at, length)
            number = 0
        else:
            self._settle_before(at, length)
            event = self.volume.write(at, length, fua=bool(one.flags & nbd.FUA))
            number = self._begin_write(at, bytes(length))
        self._wait(event, partial(self._has_stepped, one, at + length, number, answer))

    def _has_stepped(
        self, one: nbd.Request, at: int, number: int, answer: OnAnswer, done: Any
    ) -> None:
        if number:
            offset, payload = self._writes.pop(number, (0, b""))
            if done.ok and not self.content.written.any_in(offset, len(payload)):
                found = Answer(due=done.completed)  # it is zero
            else:
                found = self._put(offset, payload, bool(one.flags & nbd.FUA), done)
        else:
            found = Answer(due=done.completed) if done.ok else _failed(done)
        if found.error or at >= one.offset + one.length:
            answer(found)
            return
        try:
            self._step(one, at, answer)
        except (SaturationError, InputError) as error:
            answer(Answer(nbd.ENOMEM, str(error)))

    def _status(self, one: nbd.Request) -> Answer:
        most = 1 if one.flags & nbd.REQ_ONE else MOST_EXTENTS
        found = self.content.written.extents(one.offset, one.length, most)
        extents = (
            nbd.Extent(length, 0 if there else nbd.HOLE | nbd.ZERO) for length, there in found
        )
        return Answer(extents=tuple(extents))

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
            for number in content.now_good([int(n) for n in reliable(system, row)[1]]):
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
                    self.content.make_consistent(self._torn)
                    self._torn.clear()
                return

    def _settle_before(self, offset: int, length: int) -> None:
        """Look what is safe before a place is written again.

        Later nobody could tell whether a fault costs what was there before, or only the new bytes.
        What the drives do not have yet is not safe: there is nothing to be looked for.
        """
        system, row = self.volume.system, self.volume.row
        if self._promised.holds(offset, length) and not promises.is_dirty(
            system, row, offset, offset + length
        ):
            self._settle()

    def _settle(self) -> None:
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
        self._settle()

    def _restore(self, address: int, data: bytes, torn: Collection[tuple[int, int]] = ()) -> None:
        """Let the drives hold what was there before."""
        self._owed += self._after_cut(address, data, torn)

    def power_is_cut(self, cut: VolumeCut) -> None:
        """Let the drives hold what is left after a cut.

        What was answered and is lost is as it was before. Of a write under way each sector is
        there or not, as chance has it. In stripes that the cut leaves inconsistent parity and
        copies stay as they were. What a controller keeps is still to be lost.
        """
        self._follow_initialisations()
        torn = set(cut.inconsistent)
        dirty = _lengths(promises.dirty_ranges(self.volume.system, self.volume.row))
        self._promised.take_back(
            cut.lost, cut.unplaced_bytes, partial(self._restore, torn=torn), kept=dirty
        )
        for offset, payload in self._writes.values():
            for at in range(0, len(payload), self._sector):
                if self._chance.random() < 0.5:
                    part = payload[at : at + self._sector]
                    self._after_cut(offset + at, part, torn)
        self._writes.clear()
        self._torn |= torn
        self._torn_since = self._env.now
        self._settle()

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
    """Whether a power cut may cost something that was answered."""
    if isinstance(volume, Hybrid) or volume.spec.write != "through":
        return True
    drives = volume.system.world.drives[drives_of(volume.system, volume.row)]
    return bool((drives["protected"] == 0).any())


def _takes_trims(volume: Volume) -> bool:
    if isinstance(volume, Hybrid):
        return False
    controller = None if volume.controller is None else volume.controller.name
    return stops_trims({"controller": controller}, volume.card, volume.spec.layout) is None


def _failed(done: Any) -> Answer:
    return Answer(nbd.EIO, f"the I/O has ended as {done.status}", due=done.completed)


def _error_of(error: Exception, due: float) -> Answer:
    """What a client is told when the bytes cannot be had."""
    full = isinstance(error, OSError) and error.errno in (nbd.ENOSPC, 122)  # 122: over a quota
    return Answer(nbd.ENOSPC if full else nbd.EIO, str(error), due=due)


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

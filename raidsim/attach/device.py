"""One volume as clients use it: a request becomes an I/O of the simulation, and then bytes.

A request is checked, put into the simulation, and answered when its I/O ends there. Its bytes are
read or written at that moment. So data of unanswered writes is not on the drives, and an I/O that
fails in the simulation changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import simpy

from raidsim.attach import protocol as nbd
from raidsim.attach.content import DataLost
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
from raidsim.attach.stored import Stored
from raidsim.control import Hybrid, Volume
from raidsim.errors import InputError
from raidsim.result.cuts import VolumeCut
from raidsim.scenario.arrays import stops_trims
from raidsim.system.tables import SaturationError

MOST_PAYLOAD: Final = 32 * 2**20  # bytes of a read or a write, as most servers have it
PREFERRED: Final = 4096  # bytes
STEP: Final = 32 * 2**20  # bytes of one I/O of a longer TRIM or write of zeros
MOST_EXTENTS: Final = 4096  # of one answer to a question for the status of blocks


class Answer(NamedTuple):
    """The answer to a request.

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
    stored
        The volume, its bytes, and what faults leave of them.

    Attributes
    ----------
    in_flight
        Requests in the simulation.
    """

    def __init__(self, stored: Stored) -> None:
        self.stored = stored
        self.volume = volume = stored.volume
        self.content = stored.content
        self.in_flight = 0
        self._env = volume.env
        self._sector = volume.sector
        self._size = volume.capacity
        self._can_flush = not isinstance(volume, Hybrid)
        self._writable = volume.access == "read-write"
        self._takes_trims = _takes_trims(volume)
        self._writes: dict[int, tuple[int, bytes]] = {}  # under way: where, and what
        self._numbers = 0

    @property
    def export(self) -> Export:
        """The description of the volume for clients."""
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
        """Return the answer with the reason why a request cannot be carried out; None if it can."""
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
            self.stored.settle_before(one.offset, one.length)
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
        try:
            data = self.stored.read(one.offset, one.length)
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
        try:
            self.stored.write(offset, payload, forced=fua)
        except (DataLost, OSError) as error:
            return _error_of(error, done.completed)
        return Answer(due=done.completed)

    def _has_flushed(self, answer: OnAnswer, done: Any) -> None:
        if not done.ok:
            answer(_failed(done))
            return
        self.stored.settle()
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
            self.stored.settle_before(at, length)
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

    # -- what happens to it --------------------------------------------------------------------

    def power_is_cut(self, cut: VolumeCut) -> None:
        """Let the drives hold what is left after a cut, of writes under way as chance has it."""
        self.stored.power_is_cut(cut, list(self._writes.values()))
        self._writes.clear()

    def close(self) -> None:
        """Put all that the drives hold onto the host's disk, and give the files back."""
        self.stored.close()


def _takes_trims(volume: Volume) -> bool:
    if isinstance(volume, Hybrid):
        return False
    controller = None if volume.controller is None else volume.controller.name
    return stops_trims({"controller": controller}, volume.card, volume.spec.layout) is None


def _failed(done: Any) -> Answer:
    return Answer(nbd.EIO, f"the I/O has ended as {done.status}", due=done.completed)


def _error_of(error: Exception, due: float) -> Answer:
    """Return the error that a client gets if the bytes cannot be had."""
    full = isinstance(error, OSError) and error.errno in (nbd.ENOSPC, 122)  # 122: over a quota
    return Answer(nbd.ENOSPC if full else nbd.EIO, str(error), due=due)

"""One client: its bytes become requests, and answers become bytes for it.

The resources of a client are limited: the requests and bytes under way, the answers that it has not
read, the time for its handshake and for a complete message. A client that exceeds a limit has to
wait, or is disconnected with a line in the log.
"""

from __future__ import annotations

import asyncio
import logging
import math
from functools import partial
from typing import Final, Protocol

from raidsim.attach import protocol as nbd
from raidsim.attach.attached import BETWEEN_LOGS, AttachedSystem
from raidsim.attach.device import MOST_PAYLOAD, Answer, Device
from raidsim.attach.handshake import GREETING, Export, Handshake

LOG = logging.getLogger("raidsim.attach")

MOST_REQUESTS: Final = 1024  # of one client that are under way
MOST_BYTES: Final = 64 * 2**20  # of data under way, of one client
MOST_UNSENT: Final = 8 * 2**20  # bytes of answers that a client has not fetched, before it waits
PATIENCE: Final = 30.0  # s for a handshake, for the rest of a message, for fetching an answer
AGAIN: Final = 0.02  # s after which a client for which there was no room is looked at again
LATE: Final = 0.01  # s after its time at which an answer is worth a line in the log


class Host(Protocol):
    """The part of the server that a connection needs."""

    attached: AttachedSystem
    exports: dict[str, Export]

    def poke(self) -> None:
        """Something was put into the simulation."""

    def send_replies(self) -> None:
        """Let all connections send what they have."""

    def is_full(self, more: int) -> bool:
        """Return whether the data under way of all clients leaves no room for so many bytes."""

    def count(self, more: int) -> None:
        """Note that ``more`` bytes more are under way; fewer, if negative."""

    def has_replies(self, connection: Connection) -> None:
        """A connection has something to send once the simulation has come to now."""

    def gone(self, connection: Connection) -> None:
        """A connection is over."""


class Connection(asyncio.Protocol):
    """The server's side of one connection.

    Attributes
    ----------
    number
        What the log calls it.
    latest
        Most by which an answer was late, in real s.
    """

    def __init__(self, host: Host, number: int) -> None:
        self.host = host
        self.number = number
        self.latest = 0.0
        self._received = bytearray()
        self._handshake = Handshake(host.exports)
        self._device: Device | None = None
        self._requests = 0
        self._replies: list[bytes] = []
        self._bytes = 0
        self._reserved = 0  # bytes of a write of which not all is there yet
        self._wants_room = False
        self._ending = False
        self._is_paused = False
        self._unsent = False
        self._is_over = False
        self._told = 0.0
        self._due = math.inf  # when the first of the replies that are not sent yet was due
        self._transport: asyncio.Transport
        self._alarm: asyncio.TimerHandle | None = None

    # -- what asyncio calls --------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=MOST_UNSENT)
        transport.write(GREETING)
        self._expect("its handshake took too long")

    def data_received(self, data: bytes) -> None:
        """Something came."""
        self._received += data
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone, or was cut off."""
        self._is_over = True
        self._relax()
        self._received.clear()
        self._reserve(0)
        if exc is not None:
            LOG.info("client %d: %s", self.number, exc)
        self.host.gone(self)

    def pause_writing(self) -> None:
        """The client does not fetch its answers."""
        self._unsent = True
        self._pause()
        self._expect("it does not fetch its answers")

    def resume_writing(self) -> None:
        """The client fetches its answers again."""
        self._unsent = False
        self._relax()
        self._go_on()

    # -- requests ------------------------------------------------------------------------------

    def _go_on(self) -> None:
        if self._is_over or self._unsent:
            return
        try:
            if self._device is None:
                self._shake_hands()
            if self._device is not None:
                self._take_requests(self._device)
        except nbd.ProtocolError as error:
            self.cut_off(str(error))
            self.host.poke()  # what it asked for before goes on

    def _shake_hands(self) -> None:
        answer = self._handshake.feed(self._received)
        if answer:
            self._transport.write(answer)
        if self._handshake.is_over:
            self._transport.close()
        chosen = self._handshake.export
        if chosen is not None:
            self._relax()
            self._device = self.host.attached.devices[chosen.name]
            LOG.info("client %d: uses %s", self.number, chosen.name)

    def _take_requests(self, device: Device) -> None:
        """Put all requests that are complete into the simulation, at the time that it is."""
        self.host.attached.advance()
        received, at, taken = self._received, 0, False
        while len(received) - at >= nbd.REQUEST.size and not self._ending:
            if self._is_full():
                break
            one = nbd.request(received, at)
            begin = at + nbd.REQUEST.size
            length = one.length if one.command == nbd.WRITE else 0
            if length > MOST_PAYLOAD:
                raise nbd.ProtocolError(f"a write of {length} bytes")
            if len(received) < begin + length:
                self._reserve(length)
                break
            self._reserve(0)
            payload = bytes(received[begin : begin + length])
            at = begin + length
            if one.command == nbd.DISCONNECT:
                self._ending = True
                break
            self._begin(device, one, payload)
            taken = True
        del received[:at]
        if taken:
            self.host.poke()
        else:
            self.host.send_replies()
        self._after_taking()

    def _after_taking(self) -> None:
        """Wait for the rest of a message, for room, or for the end."""
        if self._is_over:
            return
        if self._ending:
            self._relax()
            if not self._requests and not self._replies:
                self._transport.close()
        elif self._is_full():
            self._relax()
            self._pause()
        elif self._received and self._wants_room:
            self._expect("there was no room for what it writes")
        else:
            if self._received:
                self._expect("the rest of a message did not come")
            else:
                self._relax()
            self._resume()

    def _is_full(self) -> bool:
        if self._requests >= MOST_REQUESTS or self._bytes >= MOST_BYTES:
            return True
        return self._requests > 0 and self.host.is_full(MOST_PAYLOAD)

    def _reserve(self, size: int) -> None:
        """Count the data of a write that has begun to come; wait if there is no room for it."""
        self._wants_room = bool(size and not self._reserved and self.host.is_full(size))
        if self._wants_room:
            self._pause()
            asyncio.get_running_loop().call_later(AGAIN, self._go_on)
        elif size != self._reserved:
            self.host.count(size - self._reserved)
            self._reserved = size

    def _begin(self, device: Device, one: nbd.Request, payload: bytes) -> None:
        size = one.length if one.command in (nbd.READ, nbd.WRITE) else 0
        self._requests += 1
        self._bytes += size
        self.host.count(size)
        device.ask(one, payload, partial(self._answer, one, size))

    def _answer(self, one: nbd.Request, size: int, answer: Answer) -> None:
        """Send an answer, and go on with what has waited for it."""
        was_full = self._is_paused
        self._requests -= 1
        self._bytes -= size
        self.host.count(-size)
        if self._is_over:
            return
        if not self._replies:
            self.host.has_replies(self)
        self._replies.append(self._reply(one, answer))
        if answer.due is not None:
            self._due = min(self._due, answer.due)
        if was_full and not self._unsent and not self._is_full():
            asyncio.get_running_loop().call_soon(self._go_on)

    def send_replies(self) -> None:
        """Send what was answered since the last time, all at once: each send costs a lot."""
        replies, self._replies = self._replies, []
        if self._is_over:
            return
        if self._due < math.inf:
            self._look_at_lateness(self._due)
            self._due = math.inf
        self._transport.write(b"".join(replies))
        if self._ending and not self._requests:
            self._transport.close()

    def _reply(self, one: nbd.Request, answer: Answer) -> bytes:
        if one.command == nbd.BLOCK_STATUS and not answer.error and not self._handshake.status:
            text = "ask for the context base:allocation in the handshake"
            answer = Answer(nbd.EINVAL, text)
        if answer.error:
            if self._handshake.structured:
                return nbd.error_chunk(one.cookie, answer.error, answer.message)
            return nbd.simple(one.cookie, answer.error)
        if one.command == nbd.BLOCK_STATUS:
            return nbd.status_chunk(one.cookie, answer.extents)
        if self._handshake.structured and one.command == nbd.READ:
            return nbd.data_chunk(one.cookie, one.offset, answer.data)
        return nbd.simple(one.cookie, data=answer.data)

    def _look_at_lateness(self, due: float) -> None:
        """Say it in the log, not too often, if answers come later than they should."""
        late = -self.host.attached.clock.wait_for(due)
        self.latest = max(self.latest, late)
        if late > LATE:
            now = asyncio.get_running_loop().time()
            if now - self._told > BETWEEN_LOGS:
                self._told = now
                LOG.warning("client %d: an answer is %.1f ms late", self.number, 1e3 * late)

    # -- time limits, and the end ---------------------------------------------------------------

    def _expect(self, otherwise: str) -> None:
        """Cut the client off if this does not come in time."""
        if self._alarm is None:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(PATIENCE, self.cut_off, otherwise)

    def _relax(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _pause(self) -> None:
        if not self._is_paused and not self._is_over:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused and not self._is_over:
            self._is_paused = False
            self._transport.resume_reading()

    def cut_off(self, why: str) -> None:
        """End the connection at once."""
        if not self._is_over:
            LOG.warning("client %d is cut off: %s", self.number, why)
            self._is_over = True
            self._relax()
            self._transport.abort()

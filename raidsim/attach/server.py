"""Listening for clients, and the timer that keeps the simulation at the present real time."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from pathlib import Path
from typing import Final

from raidsim.attach.attached import AttachedSystem
from raidsim.attach.connection import Connection
from raidsim.attach.handshake import Export
from raidsim.errors import InputError, Problem

LOG = logging.getLogger("raidsim.attach")

MOST_CLIENTS: Final = 256  # at a time
MOST_BYTES: Final = 256 * 2**20  # of data under way, of all clients
NEAR: Final = 0.0015  # s before a time at which waiting becomes looking again and again
LONGEST_WAIT: Final = 1.0  # s between two looks at the clock


class Server:
    """An attached system, whose volumes clients on this computer use.

    Parameters
    ----------
    attached
        What is simulated.

    Attributes
    ----------
    exports
        What clients are told of, by name.
    clients
        Connections so far.
    """

    def __init__(self, attached: AttachedSystem) -> None:
        self.attached = attached
        self.exports: dict[str, Export] = {
            name: device.export for name, device in attached.devices.items()
        }
        self.clients = 0
        self._open: set[Connection] = set()
        self._replying: list[Connection] = []
        self._bytes = 0
        self._listening: list[asyncio.Server] = []
        self._paths: list[Path] = []
        self._next: asyncio.Handle | None = None
        self._ended = False
        attached.on_power_cut = self._power_is_cut

    # -- listening -----------------------------------------------------------------------------

    def start(self) -> None:
        """Let the clock run."""
        self.attached.start()
        self._beat()

    async def listen_at(self, path: Path) -> None:
        """Take clients at a Unix socket.

        Raises
        ------
        InputError
            If there can be no socket at this path.
        """
        clear_socket(path, "--socket")
        try:
            loop = asyncio.get_running_loop()
            self._listening.append(await loop.create_unix_server(self._connection, str(path)))
        except OSError as error:
            raise no_socket("--socket", path, error) from None
        path.chmod(0o600)
        self._paths.append(path)

    async def listen_on(self, port: int) -> int:
        """Take clients of this computer at a port of TCP, 0 for any that is free; which it is.

        Raises
        ------
        InputError
            If the port is in use.
        """
        loop = asyncio.get_running_loop()
        try:
            server = await loop.create_server(self._connection, "127.0.0.1", port)
        except OSError as error:
            raise no_socket("--port", port, error) from None
        self._listening.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Take no more clients, cut off those that are there, and close the drives."""
        self._ended = True
        if self._next is not None:
            self._next.cancel()
        for server in self._listening:
            server.close()
        for connection in list(self._open):
            connection.cut_off("the server ends")
        for server in self._listening:
            await server.wait_closed()
        for path in self._paths:
            path.unlink(missing_ok=True)
        self.attached.close()

    def _connection(self) -> asyncio.BaseProtocol:
        self.clients += 1
        if len(self._open) >= MOST_CLIENTS:
            return _Refused(self.clients, f"there are {MOST_CLIENTS} clients already")
        if self.attached.env.power != "on":
            return _Refused(self.clients, "the power is off")
        connection = Connection(self, self.clients)
        self._open.add(connection)
        return connection

    # -- for connections -----------------------------------------------------------------------

    def poke(self) -> None:
        """Something was put into the simulation: look when the next thing is due."""
        self.send_replies()
        if self._next is not None:
            self._next.cancel()
        self._plan()

    def has_replies(self, connection: Connection) -> None:
        """A connection has something to send once the simulation has come to now."""
        self._replying.append(connection)

    def send_replies(self) -> None:
        """Let all connections send what they have."""
        replying, self._replying = self._replying, []
        for connection in replying:
            connection.send_replies()

    def is_full(self, more: int) -> bool:
        """Return whether the data under way of all clients leaves no room for so many bytes."""
        return self._bytes + more > MOST_BYTES

    def count(self, more: int) -> None:
        """Note that ``more`` bytes more are under way; fewer, if negative."""
        self._bytes += more

    def gone(self, connection: Connection) -> None:
        """A connection is over."""
        self._open.discard(connection)
        LOG.info(
            "client %d has gone; its latest answer was %.2f ms late",
            connection.number,
            1e3 * connection.latest,
        )

    def _power_is_cut(self) -> None:
        for connection in list(self._open):
            connection.cut_off("the power is cut")

    # -- time ----------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Let happen what is due."""
        self._next = None
        if not self._ended:
            self.attached.advance()
            self.send_replies()
            self._plan()

    def _plan(self) -> None:
        """Come back when the next thing is due.

        A timer of asyncio is a millisecond coarse. Where clients wait, the last of it is spent
        with looking at the clock again and again.
        """
        loop = asyncio.get_running_loop()
        wait = self.attached.wait
        if not self.attached.in_flight:
            wait = max(wait, NEAR)  # no client waits for the next event
        if wait <= NEAR and self.attached.in_flight:
            self._next = loop.call_soon(self._beat)
        else:
            rest = LONGEST_WAIT if wait == math.inf else min(wait - NEAR / 2, LONGEST_WAIT)
            self._next = loop.call_later(rest, self._beat)


class _Refused(asyncio.Protocol):
    """A client that is cut off at once."""

    def __init__(self, number: int, why: str) -> None:
        self._number, self._why = number, why

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """End it."""
        LOG.warning("client %d is cut off: %s", self._number, self._why)
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def clear_socket(path: Path, option: str) -> None:
    """Take away a socket that nobody listens at any more.

    Raises
    ------
    InputError
        If somebody does, or if something else is there.
    """
    if not path.exists():
        return
    if not path.is_socket():
        cause = f'"{path}" exists, and is not a socket'
        raise InputError([Problem(None, None, option, cause, "give another path")])
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            path.unlink(missing_ok=True)
            return
    cause = f'another program already listens at "{path}"'
    raise InputError([Problem(None, None, option, cause, "give another path, or end that server")])


def no_socket(option: str, where: object, error: OSError) -> InputError:
    """Return the message for a system that gives no socket."""
    cause = f'no server can listen at "{where}": {error.strerror or error}'
    return InputError([Problem(None, None, option, cause, "give another one")])

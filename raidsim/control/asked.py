"""I/Os that a model asks a volume for one by one."""

from __future__ import annotations

from typing import Any

import simpy

from raidsim.assembly.load import need_room
from raidsim.control import request
from raidsim.control.arguments import Arguments
from raidsim.control.clock import duration, to_ns
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import MANUAL
from raidsim.scenario import Requests
from raidsim.system.system import System


class Asked:
    """A volume that is asked for single I/Os."""

    env: Environment
    system: System
    host: Host
    name: str
    row: int
    capacity: int
    access: str
    above: list[Any]
    streams: list[int]
    _allowed: tuple[int, ...]
    _sector: int
    _longest: int
    _manual: dict[bool, int]  # streams of these I/Os, by whether their writes are forced
    _flushes = True

    @property
    def sector(self) -> int:
        """Bytes of a sector: what is read and written is a multiple of it."""
        return self._sector

    def read(
        self, offset: int, length: int, *, priority: int = 0, timeout: float | None = None
    ) -> simpy.Event:
        """Read ``length`` bytes at byte address ``offset``, from now on.

        Parameters
        ----------
        offset, length
            Bytes; multiples of the sector, inside the volume. At most 64 MiB.
        priority
            0 (first) to 3 (last), where a station orders by priority.
        timeout
            Patience in s; after it the I/O counts as timed out, whatever the drive does.

        Returns
        -------
        simpy.Event
            It always succeeds, with a :class:`~raidsim.control.Completion`: see its status.

        Raises
        ------
        InputError
            If the address range is not whole sectors inside the volume, or if its access
            policy does not allow it.
        """
        return self._start(t.READ, offset, length, priority, timeout)

    def write(
        self,
        offset: int,
        length: int,
        *,
        fua: bool = False,
        priority: int = 0,
        timeout: float | None = None,
    ) -> simpy.Event:
        """Write ``length`` bytes at byte address ``offset``, from now on; as :meth:`read`.

        The event happens when the data is acknowledged: with ``fua`` (force unit access) once it
        is on the medium.
        """
        if fua:
            offset, length, priority, timeout = self._check(
                t.WRITE, offset, length, priority, timeout
            )
            return self._issue(t.WRITE, offset, length, priority, timeout, fua=True)
        return self._start(t.WRITE, offset, length, priority, timeout)

    def flush(self, *, priority: int = 0, timeout: float | None = None) -> simpy.Event:
        """Ask for a flush, as ``fsync`` does: all writes that were answered are safe at its end.

        Drives without power-loss protection empty their write caches first; ones with it, and a
        controller's cache that is written back, answer at once. The event is as that of
        :meth:`read`.

        Raises
        ------
        InputError
            If the volume is blocked or a part of a hybrid, or an argument is wrong.
        """
        check = Arguments(f"{self.name}.flush()")
        self._check_access(check, t.READ)
        if not self._flushes:
            check.wrong("self", "flushes of a hybrid are not simulated", "leave them out")
        priority, timeout = request.patience(check, priority, timeout)
        check.raise_if_wrong()
        self.make_room(self._sector)
        return self._issue(t.FLUSH, 0, 0, priority, timeout)

    def send_trim(self, offset: int, length: int) -> simpy.Event:
        """Send a TRIM to the drives; as :meth:`trim`, but as an I/O that takes its time.

        Raises
        ------
        InputError
            As of :meth:`write`, of which it has the arguments.
        """
        offset, length, priority, timeout = self._check(t.WRITE, offset, length, 0, None)
        return self._issue(t.TRIM, offset, length, priority, timeout)

    # -- how it is done ---------------------------------------------------------------------

    def _stream(self, *, fua: bool = False) -> int:
        """The stream of the I/Os that a model asks for one by one, made at the first of them."""
        if fua not in self._manual:
            self._manual[fua] = self.system.add_stream(
                f"{self.name}: FUA" if fua else self.name,
                [Requests(self._sector)],
                mode=MANUAL,
                start=self.system.now,
                volume=self.row,
                process=self.host.add_process(self.name),
                fua=int(fua),
            )
            self.streams = [*self.streams, self._manual[fua]]
        return self._manual[fua]

    def make_room(self, length: int) -> None:
        """Tell the kernel how many jobs one event of an I/O of ``length`` bytes may make.

        Raises
        ------
        InputError
            The length is no number of bytes of the volume.
        """
        if type(length) is not int or length > self._longest:
            check = Arguments(f"{self.name}.make_room()")
            length = check.whole("length", length, 0, self.capacity)
            check.raise_if_wrong()
        if length > self._longest:
            self._longest = length
            need_room(self.system, self.row, length)

    def _start(
        self, op: int, offset: int, length: int, priority: int, timeout: float | None
    ) -> simpy.Event:
        if not (
            op in self._allowed
            and not self.above
            and type(offset) is int
            and type(length) is int
            and type(priority) is int
            and priority == 0
            and timeout is None
            and 0 <= offset <= self.capacity - length
            and 0 < length <= request.MOST_LENGTH
            and offset % self._sector == 0
            and length % self._sector == 0
        ):
            offset, length, priority, timeout = self._check(op, offset, length, priority, timeout)
        return self._issue(op, offset, length, priority, timeout)

    def _issue(
        self,
        op: int,
        offset: int,
        length: int,
        priority: int,
        timeout: float | None,
        *,
        fua: bool = False,
    ) -> simpy.Event:
        if length > self._longest:
            self.make_room(length)
        stream = self._manual.get(fua)
        if stream is None:
            stream = self._stream(fua=fua)
        env = self.env
        event = simpy.Event(env)
        patience = t.NEVER if timeout is None else duration(timeout)
        asked = (stream, op, offset, length, priority, env.ticket(event), patience)
        if env.power == "on":
            env.system.deliver(to_ns(env.now), *asked)
        else:
            env.when_on(lambda: env.system.deliver(to_ns(env.now), *asked))
        return event

    def _check(
        self, op: int, offset: Any, length: Any, priority: Any, timeout: Any
    ) -> tuple[int, int, int, float | None]:
        """The arguments of an I/O as plain numbers, or all that is wrong with them."""
        check = Arguments(f"{self.name}.{'read' if op == t.READ else 'write'}()")
        self._check_access(check, op)
        offset, length = request.place(check, offset, length, self.capacity, self._sector)
        priority, timeout = request.patience(check, priority, timeout)
        check.raise_if_wrong()
        return offset, length, priority, timeout

    def _check_access(self, check: Arguments, op: int) -> None:
        """Note it if the volume's access policy does not allow a kind of I/O."""
        if self.above:
            cause = f"{self.name} is a part of {self.above[0].name}"
            check.wrong("self", cause, f"ask {self.above[0].name}, which knows where the data is")
        elif op not in self._allowed:
            cause = f"{self.name} is {self.access} (its access policy)"
            check.wrong("access", cause, 'make the Volume with access = "read-write"')

"""A volume as a resource of a SimPy model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import simpy

from raidsim.build.scenario import add_volume
from raidsim.control.clock import to_ns
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.load import Load, RunningLoad
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.scenario import from_data


class Volume:
    """A volume of one drive.

    Parameters
    ----------
    drive
        Name of a drive card.
    host
        The server that the drive is in; its CPUs submit and complete the I/Os.
    name
        What reports and messages call it.
    changes
        Other values for the card, as in a scenario: {"flash.read_time": "60 us"}.

    Raises
    ------
    InputError
        If there is no such card, or a value does not fit it.
    """

    def __init__(
        self,
        env: Environment,
        drive: str,
        host: Host,
        *,
        name: str | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        if host.env is not env:
            raise ValueError("the host belongs to another environment")
        self.env = env
        self.host = host
        self.name = name or f"volume{env.system.count('volumes') + 1}"
        self.model = drive
        self.changes = dict(changes or {})
        data = {
            "host": {"model": host.card.name},
            "volume": [{"name": self.name, "drive": drive, "set": self.changes}],
            "load": [{"read": "100 %", "size": "4 KiB", "outstanding": 1}],
        }
        self.spec = from_data(data, "Volume").volumes[0]
        self.capacity = self.spec.capacity  # bytes that can be addressed
        self._sector = self.spec.card.integer("capacity.sector")
        self._longest = 0
        env.sync()
        self.row = add_volume(env.system, self.spec)
        self._drive = int(env.system.world.volumes[self.row]["drive"])
        self._stream = env.system.add_stream(
            f"{self.name}/awaited",
            [(512, 1.0)],
            mode=t.MANUAL,
            volume=self.row,
            process=host.add_process(f"{self.name}/awaited"),
        )

    def read(
        self, offset: int, length: int, *, priority: int = 0, timeout: float | None = None
    ) -> simpy.Event:
        """Read ``length`` bytes at byte address ``offset``.

        Parameters
        ----------
        priority
            0 (first) to 3 (last), where a station orders by priority.
        timeout
            Patience in s; after it the I/O counts as timed out.

        Returns
        -------
        simpy.Event
            It always succeeds, with a :class:`~raidsim.control.Completion`.

        Raises
        ------
        InputError
            If the address range is not whole sectors inside the volume.
        """
        return self._start(t.READ, offset, length, priority, timeout)

    def write(
        self, offset: int, length: int, *, priority: int = 0, timeout: float | None = None
    ) -> simpy.Event:
        """Write ``length`` bytes at byte address ``offset``; as :meth:`read`."""
        return self._start(t.WRITE, offset, length, priority, timeout)

    def start(self, load: Load) -> RunningLoad:
        """Start a load now; the event it returns happens when the load has ended."""
        return RunningLoad(self, load.spec(self))

    def fail(self) -> None:
        """Let the drive answer every command from now on with an error."""
        self.env.system.world.drives[self._drive]["failed"] = 1

    def repair(self) -> None:
        """Let a failed drive work again, with its data as it was."""
        self.env.system.world.drives[self._drive]["failed"] = 0

    def set_speed(self, kind: str, speed: float) -> None:
        """Run the drive's stations of a kind at ``speed`` times their built speed from now on.

        Parameters
        ----------
        kind
            "front end", "data path", "link", "flash channel" or "flash die".
        speed
            1 as built; 0.5 takes twice as long.

        Raises
        ------
        InputError
            If the drive has no such station, or the speed isn't a positive number.
        """
        if not 0 < speed < float("inf"):
            problem = Problem("Volume", None, "speed", f"{speed} is no speed", "above 0")
            raise InputError([problem])
        self.env.sync()
        system = self.env.system
        prefix = f"{self.name}: "
        chosen = [
            index
            for index, station in enumerate(system.names)
            if station.kind == kind and station.name.startswith(prefix)
        ]
        if not chosen:
            kinds = sorted({s.kind for s in system.names if s.name.startswith(prefix)})
            cause, remedy = f"has no {kind!r}", f"one of {', '.join(kinds)}"
            raise InputError([Problem(self.name, None, "kind", cause, remedy)])
        for index in chosen:
            system.set_speed(index, speed)

    def _start(
        self, op: int, offset: int, length: int, priority: int, timeout: float | None
    ) -> simpy.Event:
        self._check(offset, length, priority, timeout)
        if length > self._longest:
            self._longest = length
            self.env.system.need_margin(length // self.spec.card.integer("flash.page") + 64)
        env = self.env
        event = simpy.Event(env)
        patience = t.NEVER if timeout is None else to_ns(timeout)
        env.system.deliver(
            to_ns(env.now), self._stream, op, offset, length, priority, env.ticket(event), patience
        )
        return event

    def _check(self, offset: int, length: int, priority: int, timeout: float | None) -> None:
        sector = self._sector
        if (
            0 < length <= MOST_LENGTH
            and offset >= 0
            and offset % sector == 0
            and length % sector == 0
            and offset + length <= self.capacity
            and 0 <= priority <= 3
            and (timeout is None or 0 < timeout < float("inf"))
        ):
            return
        problems = []

        def need(holds: bool, key: str, cause: str, remedy: str) -> None:
            if not holds:
                problems.append(Problem(self.name, None, key, cause, remedy))

        whole = f"a multiple of {sector} bytes"
        need(0 < length <= MOST_LENGTH, "length", f"{length} bytes", f"1 to {MOST_LENGTH} bytes")
        need(offset >= 0 and offset % sector == 0, "offset", f"byte {offset}", whole)
        need(length % sector == 0, "length", f"{length} bytes", whole)
        need(
            offset + length <= self.capacity,
            "offset",
            f"ends at byte {offset + length}, beyond the volume",
            f"at most {self.capacity}",
        )
        need(0 <= priority <= 3, "priority", f"{priority}", "0 to 3")
        need(timeout is None or 0 < timeout < float("inf"), "timeout", f"{timeout} s", "above 0 s")
        raise InputError(problems)


MOST_LENGTH = 64 * 2**20

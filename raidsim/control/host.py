"""A host in a SimPy model: the CPU time that I/Os cost, and a clock rate that may change."""

from __future__ import annotations

from raidsim import cards, units
from raidsim.build.host import add_process
from raidsim.control.environment import Environment
from raidsim.errors import InputError, Problem


class Host:
    """A server whose processes issue I/Os.

    Parameters
    ----------
    model
        Name of a host card.
    clock
        Clock rate of its CPUs, e.g. "2.3 GHz"; None for that of the card.

    Raises
    ------
    InputError
        If there is no such card, or it isn't a host's.
    """

    def __init__(self, env: Environment, model: str, clock: str | None = None) -> None:
        self.env = env
        self.card = cards.load(model)
        if self.card.kind != "host":
            raise InputError([Problem(None, None, "host", f"{model} is no host", None)])
        self._clock = self.card.number("cpu.clock")
        self._stations: list[int] = []
        if clock is not None:
            self.set_clock(clock)

    @property
    def clock(self) -> float:
        """Clock rate now, Hz."""
        return self._clock

    def set_clock(self, clock: str) -> None:
        """Run the CPUs at another clock rate from now on, work under way included."""
        self._clock = units.parse(clock, "frequency")
        self.env.sync()
        for station in self._stations:
            self.env.system.set_speed(station, self._clock / self.card.number("cpu.clock"))

    def add_process(self, name: str) -> int:
        """Add a process with its submission and completion stations; its row."""
        self.env.sync()
        row = add_process(self.env.system, name, self.card, self._clock)
        process = self.env.system.world.processes[row]
        self._stations += [int(process["submit"]), int(process["complete"])]
        return row

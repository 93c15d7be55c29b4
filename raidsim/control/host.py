"""A host in a SimPy model: the CPU time that I/Os cost, and a clock rate that may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidsim.build.host import add_process
from raidsim.cards import Card
from raidsim.cards.toml_file import TomlFile
from raidsim.control.arguments import Arguments, plain
from raidsim.control.environment import Environment
from raidsim.scenario import HostSpec
from raidsim.scenario.hardware import attach_card
from raidsim.scenario.reading import Reading, read_part


class Host:
    """A server whose processes issue I/Os.

    Each volume has one process for the I/Os that a model awaits; each worker of a load is
    one more.

    Parameters
    ----------
    env
        The environment.
    model
        Name of a host card (``raidsim models`` lists them), or the path of one.
    clock
        Clock rate of its CPUs, e.g. "2.3 GHz"; None for that of the card.
    changes
        Other values for the card, as in a scenario: {"submit.io_time": "4 us"}.

    Attributes
    ----------
    card
        The card with those values, in SI base units.

    Raises
    ------
    InputError
        If there is no such card, it isn't a host's, or a value does not fit it.
    """

    def __init__(
        self,
        env: Environment,
        model: str,
        clock: str | None = None,
        *,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        check = Arguments("Host()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        table = check.table("changes", changes)
        check.raise_if_wrong()
        self.env = env
        self.model = model
        self.changes = table
        self.card, self._clock = self._read({} if clock is None else {"clock": clock})
        self._stations: list[int] = []

    def __repr__(self) -> str:
        return f"<Host {self.model} at {self._clock / 1e9:g} GHz>"

    @property
    def clock(self) -> float:
        """Clock rate now, Hz."""
        return self._clock

    def set_clock(self, clock: str) -> None:
        """Run the CPUs at another clock rate from now on, work under way included.

        Parameters
        ----------
        clock
            From "0.1 GHz" to "10 GHz". CPU times are inversely proportional to it.
        """
        self._clock = self._read({"clock": clock})[1]
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

    def _read(self, given: Mapping[str, Any]) -> tuple[Card, float]:
        """The card and the clock rate in Hz, read as a scenario's [host] is."""
        table = plain({"model": self.model, "set": self.changes, **given})
        reading = Reading(TomlFile("Host()", data={"host": table}))
        values = read_part(reading, HostSpec, table, ("host",))
        attach_card(reading, values, "model", ("host",), ("host",), None)
        reading.raise_if_wrong()
        card: Card = values["card"]
        return card, values["clock"] or card.number("cpu.clock")

"""A host in a SimPy model: the CPU time that I/Os cost, and a clock rate that may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidsim.assembly.host import HostRows
from raidsim.control.arguments import Arguments
from raidsim.control.environment import Environment
from raidsim.scenario import HostSpec, single
from raidsim.scenario.plain import plain


class Host:
    """A server whose processes issue I/Os.

    Each volume has one process for the I/Os that a model awaits; each worker of a load is
    one more. All of them share the cores that complete I/Os.

    Parameters
    ----------
    env
        The environment.
    model
        Name of a host card (``raidsim models`` lists them), or the path of one.
    clock
        Clock rate of its CPUs, e.g. "2.3 GHz"; None for that of the card.
    power_plan
        "performance", or "default": CPUs run slower and sleep while there is little to do.
    cpu_load
        Whether another process keeps the CPUs awake under the default power plan.
    affinity
        "favourable": processes run on the CPU that serves interrupts; or "unfavourable".
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
        power_plan: str = "performance",
        cpu_load: bool = False,
        affinity: str = "favourable",
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        check = Arguments("Host()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        table = check.table("changes", changes)
        check.raise_if_wrong()
        given = {"power_plan": power_plan, "cpu_load": cpu_load, "affinity": affinity}
        given |= {} if clock is None else {"clock": clock}
        self._make(env, single.host_of(plain({"model": model, "set": table, **given})))

    @classmethod
    def of_spec(cls, env: Environment, spec: HostSpec) -> Host:
        """The host that a scenario says."""
        host = cls.__new__(cls)
        host._make(env, spec)
        return host

    def _make(self, env: Environment, spec: HostSpec) -> None:
        """Add what was checked to the environment."""
        self.env = env
        self.model = spec.model
        self.card = spec.card
        env.sync()
        self._rows = HostRows(env.system, spec)

    def __repr__(self) -> str:
        return f"<Host {self.model} at {self.clock / 1e9:g} GHz>"

    @property
    def spec(self) -> HostSpec:
        """The host, as a scenario would describe it."""
        return self._rows.spec

    @property
    def clock(self) -> float:
        """Clock rate now, Hz; under the default power plan the highest that its CPUs run at."""
        return self._rows.spec.clock or self.card.number("cpu.clock")

    def set_clock(self, clock: str) -> None:
        """Run the CPUs at another clock rate from now on, work under way included.

        Parameters
        ----------
        clock
            From "0.1 GHz" to "10 GHz". CPU times are inversely proportional to it.
        """
        rate = single.clock_of(plain({"model": self.model, "clock": clock}))
        self.env.sync()
        self._rows.set_clock(self._rows.spec.model_copy(update={"clock": rate}))

    def add_process(self, name: str) -> int:
        """Add a process with its submission station; its row."""
        self.env.sync()
        return self._rows.add_process(name)

    def carry(self, volume: int) -> None:
        """Let the host's PCIe and memory limit what the links of a volume's drives carry."""
        self._rows.carry(volume)

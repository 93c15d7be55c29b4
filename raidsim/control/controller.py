"""Controllers in a SimPy model: the part that several volumes share."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import simpy

from raidsim.assembly.cache import write_mode
from raidsim.assembly.controller import add_controller
from raidsim.cards import Card
from raidsim.control.arguments import Arguments
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.ownership import Ownership, sizes
from raidsim.control.paths import Paths
from raidsim.control.speeds import set_speed
from raidsim.intervene import window
from raidsim.intervene.cache_lines import Range
from raidsim.intervene.pinned import discard, import_lines, pinned
from raidsim.kernel import tables as t
from raidsim.layout.tables import MIRRORED
from raidsim.observe import station_use
from raidsim.observe.caching import asked, mode, use_of
from raidsim.result import ControllerUse, StationUse, WriteMode
from raidsim.scenario import ControllerSpec, HybridSpec, VolumeSpec, single
from raidsim.scenario.plain import plain

LONGEST_OUTAGE = 1e7  # s


class Part:
    """A controller or a link: some stations with a name, that belong to one environment.

    Attributes
    ----------
    name
        What reports and messages call it.
    """

    env: Environment
    name: str
    _stations: range

    @property
    def stations(self) -> list[StationUse]:
        """Use of its stations that worked in the window, by all volumes."""
        self.env.sync()
        window.settle_areas(self.env.system)
        return station_use.uses(self.env.system, self._stations)


class Controller(Part):
    """A RAID controller or host bus adapter, as a scenario's ``[[controller]]`` describes it.

    It is in the server whose volumes it carries. All volumes that are given it share its cores,
    its parity engine, its cache and its link to the host.

    Parameters
    ----------
    env
        The environment.
    model
        Name of a controller card (``raidsim models`` lists them), or the path of one.
    name
        What reports and messages call it; None for "controller1" and so on.
    battery
        State of what keeps its cache in a power cut: "good", "low", "learning" or "absent"; None
        for good if the card has one.
    changes
        Other values for the card, as in a scenario: {"command.time": "8 us"}.

    Attributes
    ----------
    card
        The card with those values, in SI base units.
    ownership
        The volumes that are on it, and whose hardware serves them.
    lost
        Writes that were acknowledged and that the latest :meth:`fail`, :meth:`fail_over` or
        :meth:`discard_cache` has cost: byte ranges (offset, length) by volume.

    Raises
    ------
    InputError
        If there is no such card, it isn't a controller's, or a value does not fit it.
    """

    def __init__(
        self,
        env: Environment,
        model: str,
        *,
        name: str | None = None,
        battery: str | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        check = Arguments("Controller()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        table = check.table("changes", changes)
        check.raise_if_wrong()
        self.name = env.check_name(check, "controller", name)
        check.raise_if_wrong()
        written = {"name": self.name, "model": model, "battery": battery, "set": table}
        given = {key: plain(value) for key, value in written.items() if value is not None}
        self._make(env, single.controller_of(given))

    @classmethod
    def of_spec(cls, env: Environment, spec: ControllerSpec) -> Controller:
        """The controller that a scenario says."""
        controller = cls.__new__(cls)
        controller._make(env, spec)
        return controller

    def _make(self, env: Environment, spec: ControllerSpec) -> None:
        """Add what was checked to the environment."""
        assert spec.battery is not None
        self.env = env
        self._spec = spec
        self.name = spec.name
        self.model = spec.model
        self.card: Card = spec.card
        self._host: Host | None = None
        self.lost: dict[str, list[Range]] = {}
        env.sync()
        first = env.system.count("stations")
        self._rows = add_controller(env.system, self.name, self.card)
        self._stations = range(first, env.system.count("stations"))
        self._cycle: simpy.Process | None = None  # of its battery, the last one
        self.ownership = Ownership(env, self._rows, self.card, spec.battery)
        env.unique(self.name)

    def __repr__(self) -> str:
        return f"<Controller {self.name}: {self.model}>"

    @property
    def spec(self) -> ControllerSpec:
        """The present state, as a scenario would describe it."""
        return self._spec.model_copy(update={"battery": self.battery})

    @property
    def battery(self) -> str:
        """State of its battery, as a scenario words it."""
        return self.ownership.battery

    def set_speed(self, kind: str, speed: float) -> None:
        """Run its stations of a kind at ``speed`` times their built speed from now on.

        Parameters
        ----------
        kind
            "controller core", "parity engine" or "host link".
        speed
            1 as built; 0.5 takes twice as long, work under way included.

        Raises
        ------
        InputError
            If it has no such station, or the speed isn't from 0.001 to 1000.
        """
        check = Arguments(f"{self.name}.set_speed()")
        set_speed(self.env, check, self._stations, kind, speed)

    def set_battery(self, battery: str) -> None:
        """Let its battery be in another state from now on: drained, in a learn cycle, good again.

        Volumes with write = "back" fall to write-through while it is not good; what is dirty then
        goes to the drives.

        Parameters
        ----------
        battery
            "good", "low", "learning" or "absent".

        Raises
        ------
        InputError
            If it has none, or there is no such state.
        """
        table = {"name": self.name, "model": self.model, "battery": plain(battery)}
        self.ownership.battery = single.battery_of(table, self.card)
        for owned in self.ownership.served:
            owned.set_write_modes()

    def learn(self, duration: float | str) -> simpy.Process:
        """Let its battery be discharged and charged once, to learn how much it holds.

        It is "learning" meanwhile, and then "good", unless somebody has set it otherwise.

        Parameters
        ----------
        duration
            How long that takes: a text with a unit, "4 h", or s.

        Returns
        -------
        simpy.Process
            An event at the end of the cycle.

        Raises
        ------
        InputError
            If it has no battery, that is no time, or it learns already.
        """
        return self._battery_for("learn", "learning", duration)

    def drain(self, duration: float | str) -> simpy.Process:
        """Let its battery be empty, and "low" until it is charged; as :meth:`learn`."""
        return self._battery_for("drain", "low", duration)

    def _battery_for(self, call: str, state: str, duration: float | str) -> simpy.Process:
        check = Arguments(f"{self.name}.{call}()")
        seconds = check.seconds("duration", duration, 0.0, LONGEST_OUTAGE)
        if self._cycle is not None and self._cycle.is_alive and self.battery == state:
            check.wrong("duration", f"its battery is {state} already", "wait until that is over")
        check.raise_if_wrong()
        self.set_battery(state)

        def cycle() -> Generator[simpy.Event, Any, None]:
            yield self.env.timeout(seconds)
            if self.battery == state:
                self.set_battery("good")

        self._cycle = self.env.process(cycle())
        return self._cycle

    # -- when it stops ------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """Its present state.

        "working", "failed" (no controller serves its volumes) or "failed over" (its partner does).
        """
        if self.ownership.works:
            return "working"
        return "failed" if self.ownership.server is self.ownership else "failed over"

    def fail(self) -> dict[str, int]:
        """Stop it at once: until :meth:`repair`, no controller serves its volumes.

        I/Os end at their time limit ("timed out"), and are counted as such; those without a limit
        wait. With a good battery its cache keeps the dirty data; otherwise this data is lost. If
        the controller serves volumes of a failed partner, those volumes stop too.

        Returns
        -------
        dict
            Bytes by volume that were acknowledged, and are lost.

        Raises
        ------
        InputError
            If it does not work.
        """
        check = Arguments(f"{self.name}.fail()")
        self._must_work(check)
        self.ownership.stop()
        kept = self.battery == "good"
        found = [owned.forget(keep_dirty=kept) for owned in self.ownership.served]
        self.lost = {name: ranges for lost in found for name, ranges in lost.items()}
        return sizes(self.lost)

    def repair(self) -> None:
        """Let it work again after :meth:`fail`; hosts send what is unanswered once more.

        Raises
        ------
        InputError
            If it works, or a partner has taken over.
        """
        check = Arguments(f"{self.name}.repair()")
        if self.state != "failed":
            cause = f"{self.name} is {self.state}"
            remedy = "fail_back() ends a fail-over" if self.state == "failed over" else None
            check.wrong("controller", cause, remedy)
        check.raise_if_wrong()
        self.ownership.go_on()

    def fail_over(
        self, partner: Controller, outage: float | str = "20 s", mirrored: bool = True
    ) -> FailOver:
        """Stop it at once; its partner serves its volumes after an outage.

        The partner's cores, parity engine, memory and links then work for both. Hosts send
        unanswered requests again. Drives and links below are assumed to be connected to both.

        Parameters
        ----------
        partner
            A controller of the same server, with or without its own volumes.
        outage
            The time without service: until hosts have found the other path.
        mirrored
            Whether the partner has a copy of all dirty data; otherwise this data is lost.

        Returns
        -------
        FailOver
            An event when the partner serves; which data was kept and which was lost.

        Raises
        ------
        InputError
            If one of the two does not work, or the partner lacks something that the volumes need.
        """
        check = Arguments(f"{self.name}.fail_over()")
        seconds = check.seconds("outage", outage, 0.0, LONGEST_OUTAGE)
        check.instance("mirrored", mirrored, bool, "give True or False")
        self._must_work(check)
        check.instance("partner", partner, Controller, "give a raidsim.Controller")
        check.raise_if_wrong()
        self._check_partner(check, partner)
        if self._host is not None:
            partner.put_into(self._host)
        taken = FailOver(self, partner, seconds, mirrored)
        self.lost = taken.lost
        return taken

    def fail_back(self) -> None:
        """Let it work again after a fail-over, and serve its volumes itself from now on.

        Raises
        ------
        InputError
            If nobody has taken over.
        """
        check = Arguments(f"{self.name}.fail_back()")
        if self.state != "failed over":
            cause = f"{self.name} is {self.state}"
            remedy = "repair() ends a failure" if self.state == "failed" else None
            check.wrong("controller", cause, remedy)
        check.raise_if_wrong()
        self.ownership.go_on()
        self.ownership.pass_to(self.ownership)

    def _must_work(self, check: Arguments) -> None:
        if not self.ownership.works:
            check.wrong("controller", f"{self.name} has {self.state}", "repair it first")
        check.raise_if_wrong()

    def _check_partner(self, check: Arguments, partner: Controller) -> None:
        """Note what keeps a controller from standing in."""
        if partner is self:
            check.wrong("partner", "is the controller itself", "give another")
        elif partner.env is not self.env:
            check.wrong("partner", "belongs to another environment", "give one of this one")
        elif not partner.ownership.works:
            check.wrong("partner", f"{partner.name} has {partner.state}", "repair it first")
        elif len(self.ownership.served) > 1:
            names = "volumes of another controller"
            check.wrong("controller", f"it serves {names}", "let that one fail_back() first")
        elif self._host is not None and partner.belongs_elsewhere(self._host):
            check.wrong("partner", f"{partner.name} is in another host", "give one of this one")
        if self.card.has("cache.size") and not partner.card.has("cache.size"):
            cause = f"{partner.name} has no cache, and volumes of {self.name} use one"
            check.wrong("partner", cause, "give one with a cache")
        for spec, _ in self.ownership.volumes:
            if isinstance(spec, HybridSpec):
                continue
            if spec.level != "single" and not partner.card.flag(f"levels.{spec.level}"):
                cause = f"{partner.name} has no {spec.level}, the level of {spec.name}"
                check.wrong("partner", cause, "give one that has")
            layout = spec.layout
            copies = 1 if layout is None or layout["family"] != MIRRORED else int(layout["copies"])
            if copies > partner.card.integer("levels.copies"):
                cause = f"{partner.name} keeps fewer than the {copies} copies of {spec.name}"
                check.wrong("partner", cause, "give one that keeps as many")
        check.raise_if_wrong()

    # -- what waits for an array that is lost ---------------------------------------------------

    @property
    def pinned(self) -> dict[str, int]:
        """Bytes by volume that wait in its cache for an array that is lost.

        They are acknowledged, take room from all other volumes on it, and stay until
        :meth:`import_cache` or :meth:`discard_cache`.
        """
        if self.ownership.cache == t.NONE:
            return {}
        return self.ownership.named(
            pinned(self.env.system, self.ownership.cache, self.ownership.rows)
        )

    def import_cache(self) -> dict[str, int]:
        """Write what is pinned to the arrays that are back; these are online, and write back.

        Returns
        -------
        dict
            Bytes by volume that go to the drives now.

        Raises
        ------
        InputError
            If nothing is pinned, or none of these arrays is back.
        """
        check = Arguments(f"{self.name}.import_cache()")
        waiting = self._waiting(check)
        found = self.pinned
        back = {name: row for name, row in waiting.items() if self.ownership.bring_back(row)}
        if not back:
            cause = f"{', '.join(waiting)}: too many drives are still out of reach or failed"
            check.wrong("volume", cause, "bring them back first, or discard_cache()")
        check.raise_if_wrong()
        for row in back.values():
            import_lines(self.env.system, row)
        self.ownership.set_write_modes()
        return {name: found[name] for name in back}

    def discard_cache(self) -> dict[str, int]:
        """Drop what is pinned: it is lost. Others have its room; arrays that are back are online.

        Returns
        -------
        dict
            Bytes by volume that were acknowledged, and are lost.

        Raises
        ------
        InputError
            If nothing is pinned.
        """
        check = Arguments(f"{self.name}.discard_cache()")
        waiting = self._waiting(check)
        lost = discard(self.env.system, self.ownership.cache, list(waiting.values()))
        for row in waiting.values():
            self.ownership.bring_back(row)
        self.ownership.set_write_modes()
        self.lost = self.ownership.named(lost)
        return sizes(self.lost)

    def _waiting(self, check: Arguments) -> dict[str, int]:
        """Rows of the volumes of which something is pinned, by name."""
        self.env.sync()
        names = self.pinned
        if not names:
            check.wrong("cache", "nothing is pinned in it")
        check.raise_if_wrong()
        return {spec.name: row for spec, row in self.ownership.volumes if spec.name in names}

    # -- figures --------------------------------------------------------------------------------

    @property
    def use(self) -> ControllerUse:
        """The use of its cache in the window, and the cost of a power cut now."""
        self.env.sync()
        system = self.env.system
        writes = {
            spec.name: WriteMode(asked(write_mode(spec)), mode(system, row))
            for spec, row in self.ownership.volumes
        }
        return use_of(system, self.spec, self.ownership.cache, writes, self.ownership.rows)

    # -- for volumes ------------------------------------------------------------------------

    def carry(self, spec: VolumeSpec | HybridSpec, row: int, paths: Paths | None = None) -> None:
        """Remember a volume that is on it."""
        self.ownership.carry(spec, row, paths)

    def belongs_elsewhere(self, host: Host) -> bool:
        """Return whether it is in another server than this one."""
        return self._host is not None and self._host is not host

    def put_into(self, host: Host) -> None:
        """Remember which server it is in."""
        self._host = host


class FailOver(simpy.Event):
    """A fail-over: ``yield`` it to wait until the partner serves. Its value is itself.

    Attributes
    ----------
    controller, partner
        The stopped controller, and the one that serves instead.
    started
        When, s.
    seconds
        The time without service, s; 0 while that lasts.
    state
        "under way", "done", or "called off": the controller was repaired before the outage was
        over, or its partner has failed as well.
    kept
        Bytes of writes by volume that the drives did not have, and that the partner has.
    lost
        Writes that were acknowledged and are lost: byte ranges (offset, length) by volume.
    """

    def __init__(
        self, controller: Controller, partner: Controller, outage: float, mirrored: bool
    ) -> None:
        super().__init__(controller.env)
        self.controller = controller
        self.partner = partner
        self.started = float(controller.env.now)
        self.seconds = 0.0
        self.state = "under way"
        own = controller.ownership
        own.stop()
        self.lost = own.forget(keep_dirty=mirrored)
        self.kept = own.dirty() if mirrored else {}
        controller.env.process(self._wait(outage))

    def __repr__(self) -> str:
        return f"<FailOver {self.controller.name} to {self.partner.name}, {self.state}>"

    @property
    def lost_bytes(self) -> dict[str, int]:
        """Bytes in all of :attr:`lost`, by volume."""
        return sizes(self.lost)

    def _wait(self, outage: float) -> Generator[simpy.Event, Any, None]:
        own, other = self.controller.ownership, self.partner.ownership
        yield self.env.timeout(outage)
        self.seconds = self.env.now - self.started
        self.state = "called off"
        if not own.works and own.server is own and other.works:
            own.pass_to(other)
            self.state = "done"
        self.succeed(self)

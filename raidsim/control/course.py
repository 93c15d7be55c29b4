"""The events of a scenario as SimPy processes.

Each kind of event has a function that lets it happen. What lasts for a while is undone by
what the function gives back: something to call when the time is over, or a SimPy event that
says that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
import simpy

from raidsim import units
from raidsim.build.system import stream_key
from raidsim.control.model import Model
from raidsim.control.operation import Operation
from raidsim.errors import InputError, Problem
from raidsim.scenario import EventSpec
from raidsim.scenario import events as kinds

Process = Generator[simpy.Event, Any, None]
Undo = Callable[[], Any]
Act = Callable[[Model, Any], Undo | simpy.Event | None]
ACTS: dict[type[EventSpec], Act] = {}
"""What each kind of event does."""


def _lets(kind: type[EventSpec]) -> Callable[[Act], Act]:
    def register(act: Act) -> Act:
        ACTS[kind] = act
        return act

    return register


class Course:
    """The events of a scenario on their way; attributes are set when it begins.

    Parameters
    ----------
    model
        What they happen to.
    before, after
        Told before and after each thing that happens; ``after`` gets its kind and its words.

    Attributes
    ----------
    origin
        When the clock of the events began, s.
    """

    def __init__(
        self, model: Model, before: Callable[[], None], after: Callable[[str, str], None]
    ) -> None:
        self.model = model
        self.env = model.env
        self.before = before
        self.after = after
        self.origin = 0.0
        self.lasting: list[simpy.Event] = []
        self.known: list[Operation] = []  # operations that somebody waits for

    def begin(self) -> simpy.Process:
        """Let the clock of the events run from now on; the process ends with the course."""
        self.origin = self.env.now
        return self.env.process(self._run())

    def _run(self) -> Process:
        scenario = self.model.scenario
        duration = scenario.measure.duration
        end = scenario.measure.max_time if duration is None else duration
        over = self.env.timeout(end)
        happening = self.env.process(self._happen(scenario.events))
        if duration is not None:
            yield over
            return
        yield happening | over
        while not over.processed and (under_way := self._under_way()):
            yield self.env.all_of(under_way) | over
            self.look()
        if not over.processed:
            first = min(event.at for event in scenario.events)
            yield self.env.timeout(first) | over

    def _under_way(self) -> list[simpy.Event]:
        return [one for one in (*self.lasting, *self.known) if not one.processed]

    def _happen(self, events: Sequence[EventSpec]) -> Process:
        """Let every event happen at its time, those of one time in the order of the file."""
        duration = self.model.scenario.measure.duration
        times = [
            (time, number) for number, one in enumerate(events) for time in one.times(duration)
        ]
        for time, number in sorted(times):
            wait = self.origin + time - self.env.now
            if wait > 0:
                yield self.env.timeout(wait)
            self._act(events[number], number, time)

    def _act(self, event: EventSpec, number: int, time: float) -> None:
        self.before()
        try:
            found = ACTS[type(event)](self.model, event)
        except InputError as error:
            path, when = self.model.scenario.path, units.text(time, "time")
            raise InputError(
                Problem(path, None, f"event[{number}]", f"at {when}: {one.cause}", one.remedy)
                for one in error.problems
            ) from None
        self.after(event.KIND, event.words)
        self.look(told=event.OPERATION)
        if isinstance(found, simpy.Event) or (found is not None and event.span > 0):
            self.lasting.append(self.env.process(self._end(event, found)))

    def _end(self, event: EventSpec, found: Undo | simpy.Event) -> Process:
        """Wait until what an event began is over, and undo it."""
        if isinstance(found, simpy.Event):
            yield found
            self.before()
        else:
            yield self.env.timeout(event.span)
            self.before()
            found()
        self.after(f"{event.KIND}-end", event.words_of_end)
        self.look()

    def look(self, told: bool = False) -> None:
        """Look for operations that have begun: by themselves, unless an event was told of them."""
        for operation in self.model.operations():
            if any(operation is one for one in self.known):
                continue
            self.known.append(operation)
            if not told:
                self.after("operation", f"{words_of(operation)} begins")
            if operation.callbacks is not None:
                operation.callbacks.append(self._ends)

    def _ends(self, operation: simpy.Event) -> None:
        assert isinstance(operation, Operation)
        self.before()
        self.after("operation-end", f"{words_of(operation)}: {operation.state}")
        self.look()


def words_of(operation: Operation) -> str:
    """An operation in words: "rebuild of drive 2 of data"."""
    drive = "" if operation.drive is None else f"drive {operation.drive} of "
    return f"{operation.kind} of {drive}{operation.volume.name}"


# ---- what each kind of event does


@_lets(kinds.DriveFailure)
def _drive_fails(model: Model, event: kinds.DriveFailure) -> None:
    model.volumes[event.volume].fail(event.drive)


@_lets(kinds.SlowDrive)
def _drive_slows(model: Model, event: kinds.SlowDrive) -> Undo:
    volume = model.volumes[event.volume]
    volume.set_delay(event.delay, event.drive)
    return lambda: volume.set_delay(0.0, event.drive)


@_lets(kinds.LatentErrors)
def _sectors_go(model: Model, event: kinds.LatentErrors) -> None:
    volume = model.volumes[event.volume]
    offsets = list(event.offsets or ())
    if event.count is not None:
        size, sector = (volume.card.integer(f"capacity.{of}") for of in ("user", "sector"))
        name = ("latent errors", event.volume, event.drive, event.at)
        chance = np.random.default_rng(int(stream_key(model.scenario.seed, *name)))
        places = chance.choice(size // sector, min(event.count, size // sector), replace=False)
        offsets = sorted(int(place) * sector for place in places)
    volume.add_defects(event.drive, offsets)


@_lets(kinds.Replacement)
def _drive_is_replaced(model: Model, event: kinds.Replacement) -> None:
    model.volumes[event.volume].replace(event.drive, **_pace(event))


@_lets(kinds.Rebuild)
def _rebuild_begins(model: Model, event: kinds.Rebuild) -> None:
    model.volumes[event.volume].rebuild(event.drive, **_pace(event))


@_lets(kinds.CopyBack)
def _copy_back_begins(model: Model, event: kinds.CopyBack) -> None:
    model.volumes[event.volume].copy_back(event.drive, **_pace(event))


@_lets(kinds.ConsistencyCheck)
def _check_begins(model: Model, event: kinds.ConsistencyCheck) -> None:
    model.volumes[event.volume].check(**_pace(event))


@_lets(kinds.Initialisation)
def _initialisation_begins(model: Model, event: kinds.Initialisation) -> None:
    model.volumes[event.volume].initialise(full=event.method == "full", **_pace(event))


@_lets(kinds.Patrol)
def _patrol_begins(model: Model, event: kinds.Patrol) -> None:
    model.volumes[event.volume].patrol(**_pace(event))


@_lets(kinds.Battery)
def _battery_changes(model: Model, event: kinds.Battery) -> Undo:
    controller = model.controllers[event.controller]
    before = controller.battery
    controller.set_battery(event.state)
    return lambda: controller.set_battery(before)


@_lets(kinds.LearnCycle)
def _battery_learns(model: Model, event: kinds.LearnCycle) -> Undo:
    controller = model.controllers[event.controller]
    controller.set_battery("learning")
    return lambda: controller.set_battery("good")


@_lets(kinds.FanFailure)
def _fan_fails(model: Model, event: kinds.FanFailure) -> Undo:
    return _other_air(model, event.volume, None, event.airflow)


@_lets(kinds.Air)
def _air_changes(model: Model, event: kinds.Air) -> None:
    _other_air(model, event.volume, event.ambient, event.airflow)


def _other_air(
    model: Model, volume: str | None, ambient: float | None, airflow: float | None
) -> Undo:
    """Let the drives of a volume, or all, stand in other air; how to bring back the old one."""
    chosen = list(model.volumes.values()) if volume is None else [model.volumes[volume]]
    before = [(one, one.air) for one in chosen]
    if volume is None:
        model.env.set_air(_in_words(ambient, "temperature"), _in_words(airflow, "share"))
    else:
        chosen[0].set_air(_in_words(ambient, "temperature"), _in_words(airflow, "share"))

    def back() -> None:
        for one, air in before:
            ambient = units.text(air.ambient, "temperature")
            one.set_air(ambient, units.text(air.airflow, "share"))

    return back


def _in_words(value: float | None, dimension: str) -> str | None:
    return None if value is None else units.text(value, dimension)


@_lets(kinds.LoadStart)
def _load_starts(model: Model, event: kinds.LoadStart) -> None:
    model.start(event.load)


@_lets(kinds.LoadStop)
def _load_stops(model: Model, event: kinds.LoadStop) -> None:
    model.stop(event.load)


def _pace(event: Any) -> dict[str, str]:
    """Rate and sample of an operation as its volume takes them, if the event gives them."""
    given = {"rate": event.rate, "sample": event.sample}
    return {key: units.text(value, "share") for key, value in given.items() if value is not None}

"""The events of a scenario as SimPy processes.

Each kind of event has a function that carries it out. For an event that lasts for a while, the
function returns when it ends, and what must be done then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import simpy

from raidsim import units
from raidsim.control.controller import Controller
from raidsim.control.model import Model
from raidsim.control.operation import Operation
from raidsim.control.ownership import sizes
from raidsim.control.refusals import in_events
from raidsim.errors import InputError
from raidsim.intervene.cache_lines import Range
from raidsim.result import Loss
from raidsim.result.cuts import PowerCut
from raidsim.scenario import EventSpec
from raidsim.scenario import events as kinds
from raidsim.system.system import stream_key

Process = Generator[simpy.Event, Any, None]


@dataclass(frozen=True)
class Later:
    """A later effect of an event: after a time (s) or another event, what to do, in words."""

    after: float | simpy.Event
    do: Callable[[], Any] | None
    words: str


Act = Callable[["Course", Any], Sequence[Later] | None]
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
    duration
        How long it is followed, s; None for as long as it goes on, and where nothing happens.
    losses, power_cuts
        What was acknowledged, and is lost; what power cuts did.
    changes
        When conditions changed, by an event or by an end of a load, s.
    on_loss
        Told of the memory of a controller that is gone, or was dropped, with data that the drives
        do not have: byte ranges (offset, length) by volume.
    """

    def __init__(
        self, model: Model, before: Callable[[], None], after: Callable[[str, str], None]
    ) -> None:
        self.model = model
        self.env = model.env
        self.before = before
        self.after = after
        self.origin = 0.0
        self.duration = model.scenario.measure.duration if model.scenario.events else None
        self.lasting: list[simpy.Event] = []
        self.losses: list[Loss] = []
        self.on_loss: Callable[[Mapping[str, Sequence[Range]]], None] = lambda _: None
        self.power_cuts: list[PowerCut] = []
        self.changes: list[float] = []
        self.ending = [load.name for load in model.scenario.loads if load.has_end]
        self.damaged = 0  # how often sectors went, so that each time it is others
        self._told = ""  # what has come of the present event, in words
        self.known: list[Operation] = []  # operations that somebody waits for

    @property
    def now(self) -> float:
        """Time of the events' clock, s, in whole ns."""
        return round(self.env.now - self.origin, 9)

    def begin(self) -> simpy.Process:
        """Let the clock of the events run from now on; the process ends with the course.

        Machines are switched on when it begins.
        """
        self.origin = self.env.now
        self.model.boot.start()
        ending = [run for name in self.ending for run in self.model.loads[name]]
        for over in (*ending, self.env.all_of(self.model.boot.under_way)):
            self.env.process(self._until(over))
        return self.env.process(self._run())

    def _until(self, over: simpy.Event) -> Process:
        """Wait until a load has ended, or all machines are ready: what goes on is less then."""
        yield over
        self.mark()

    def mark(self) -> None:
        """Conditions change now for what goes on in the background."""
        self.changes.append(self.now)
        for operation in self.model.operations():
            operation.mark()

    def _run(self) -> Process:
        scenario = self.model.scenario
        end = scenario.measure.max_time if self.duration is None else self.duration
        over = self.env.timeout(end)
        happening = self.env.process(self._happen(scenario.events))
        if self.duration is not None:
            yield over
            return
        yield happening | over
        while not over.processed and (under_way := self._under_way()):
            yield self.env.all_of(under_way) | over
            self.look()
        if not over.processed and not scenario.machines:  # as long as before the events
            first = min(event.at for event in scenario.events)
            yield self.env.timeout(first) | over

    def _under_way(self) -> list[simpy.Event]:
        ending = [run for name in self.ending for run in self.model.loads[name]]
        every = (*self.lasting, *self.known, *ending, *self.model.boot.under_way)
        return [one for one in every if not one.processed]

    def _happen(self, events: Sequence[EventSpec]) -> Process:
        """Let every event happen at its time, those of one time in the order of the file."""
        times = [
            (time, number) for number, one in enumerate(events) for time in one.times(self.duration)
        ]
        for time, number in sorted(times):
            wait = self.origin + time - self.env.now
            if wait > 0:
                yield self.env.timeout(wait)
            self._act(events[number], number)

    def _act(self, event: EventSpec, number: int | None) -> None:
        self.before()
        self.mark()
        self._told = ""
        found: Sequence[Later] = ()
        with self._saying_which(event.KIND, number):
            found = ACTS[type(event)](self, event) or ()
        self.after(event.KIND, event.words + self._told)
        self.look(told=event.OPERATION)
        for later in found:
            self.lasting.append(self.env.process(self._end(event.KIND, number, later)))

    @contextmanager
    def _saying_which(self, kind: str, number: int | None) -> Iterator[None]:
        """Let what a part refuses be said with the event that asked for it.

        ``number`` is that of the event in the scenario; None for one that is not from there.
        """
        file, key, when = self.model.scenario.path, f"event[{number}]", self.now
        try:
            yield
        except InputError as error:
            place = (None, kind, None) if number is None else (file, key, when)
            raise InputError(in_events(one, *place) for one in error.problems) from None

    def _end(self, kind: str, number: int | None, later: Later) -> Process:
        """Wait until what an event began is over, and do what is to be done then."""
        wait = later.after
        yield wait if isinstance(wait, simpy.Event) else self.env.timeout(wait)
        self.before()
        self.mark()
        self._told = ""
        if later.do is not None:
            with self._saying_which(kind, number):
                later.do()
        self.after(f"{kind}-end", later.words + self._told)
        self.look()

    def let_happen(self, event: EventSpec) -> None:
        """Let one more event happen now, which the scenario does not have.

        Raises
        ------
        InputError
            If it cannot happen.
        """
        self._act(event, None)

    def lose(self, kind: str, lost: Mapping[str, int]) -> None:
        """Note bytes by volume that were acknowledged, and are lost."""
        found = [Loss(self.now, kind, name, size) for name, size in lost.items() if size > 0]
        self.losses += found
        if found:
            size = sum(one.bytes for one in found)
            self.add_words(f"{_bytes(size)} that were acknowledged are lost")

    def add_words(self, words: str) -> None:
        """Say what more has come of the present event."""
        self._told += f": {words}"

    def lose_memory(self, kind: str, controller: Controller) -> None:
        """Note what the memory of a controller had, and the drives have not."""
        self.lose(kind, sizes(controller.lost))
        if controller.lost:
            self.on_loss(controller.lost)

    def look(self, told: bool = False) -> None:
        """Look for operations that have begun: by themselves, unless an event was told of them."""
        for operation in self.model.operations():
            if any(operation is one for one in self.known):
                continue
            self.known.append(operation)
            if not told:
                self.after("operation", f"{operation.title} begins")
            if operation.callbacks is not None:
                operation.callbacks.append(self._ends)

    def _ends(self, operation: simpy.Event) -> None:
        assert isinstance(operation, Operation)
        self.before()
        for other in self.model.operations():
            other.mark(operation.last_times)
        why = f", since {operation.why}" if operation.why else ""
        self.after("operation-end", f"{operation.title}: {operation.state}{why}")
        self.look()


# ---- what each kind of event does


@_lets(kinds.DriveFailure)
def _drive_fails(course: Course, event: kinds.DriveFailure) -> None:
    course.model.volumes[event.volume].fail(event.drive)


@_lets(kinds.SlowDrive)
def _drive_slows(course: Course, event: kinds.SlowDrive) -> Sequence[Later]:
    volume = course.model.volumes[event.volume]
    volume.set_delay(event.delay, event.drive)
    return _for(event, event.lasting, lambda: volume.set_delay(0.0, event.drive))


@_lets(kinds.LatentErrors)
def _sectors_go(course: Course, event: kinds.LatentErrors) -> None:
    volume = course.model.volumes[event.volume]
    offsets = list(event.offsets or ())
    if event.count is not None:
        size, sector = (volume.card.integer(f"capacity.{of}") for of in ("user", "sector"))
        course.damaged += 1
        name = ("latent errors", event.volume, event.drive, course.damaged)
        chance = np.random.default_rng(int(stream_key(course.model.scenario.seed, *name)))
        places = chance.choice(size // sector, min(event.count, size // sector), replace=False)
        offsets = sorted(int(place) * sector for place in places)
    volume.add_defects(event.drive, offsets)


@_lets(kinds.Replacement)
def _drive_is_replaced(course: Course, event: kinds.Replacement) -> None:
    begun = course.model.volumes[event.volume].replace(event.drive, **_pace(event))
    if begun is None:
        course.add_words("the new drive is a hot spare")
    elif begun.drive != event.drive:
        course.add_words(f"the new drive takes the place of drive {begun.drive}")


@_lets(kinds.Rebuild)
def _rebuild_begins(course: Course, event: kinds.Rebuild) -> None:
    course.model.volumes[event.volume].rebuild(event.drive, **_pace(event))


@_lets(kinds.CopyBack)
def _copy_back_begins(course: Course, event: kinds.CopyBack) -> None:
    course.model.volumes[event.volume].copy_back(event.drive, **_pace(event))


@_lets(kinds.ConsistencyCheck)
def _check_begins(course: Course, event: kinds.ConsistencyCheck) -> None:
    course.model.volumes[event.volume].check(**_pace(event))


@_lets(kinds.Initialisation)
def _initialisation_begins(course: Course, event: kinds.Initialisation) -> None:
    volume = course.model.volumes[event.volume]
    volume.initialise(full=event.method == "full", **_pace(event))


@_lets(kinds.Patrol)
def _patrol_begins(course: Course, event: kinds.Patrol) -> None:
    course.model.volumes[event.volume].patrol(**_pace(event))


@_lets(kinds.Battery)
def _battery_changes(course: Course, event: kinds.Battery) -> Sequence[Later]:
    controller = course.model.controllers[event.controller]
    before = controller.battery
    controller.set_battery(event.state)
    return _for(event, event.lasting, lambda: controller.set_battery(before))


@_lets(kinds.Policy)
def _policy_is_set(course: Course, event: kinds.Policy) -> None:
    rate = _in_words(event.rate, "share")
    course.model.volumes[event.volume].set_policy(**event.modes, rate=rate)


@_lets(kinds.LearnCycle)
def _battery_learns(course: Course, event: kinds.LearnCycle) -> Sequence[Later]:
    controller = course.model.controllers[event.controller]
    return [Later(controller.learn(event.lasting), None, event.words_of_end)]


@_lets(kinds.FanFailure)
def _fan_fails(course: Course, event: kinds.FanFailure) -> Sequence[Later]:
    back = _other_air(course.model, event.volume, None, event.airflow)
    return _for(event, event.lasting, back)


@_lets(kinds.Air)
def _air_changes(course: Course, event: kinds.Air) -> None:
    _other_air(course.model, event.volume, event.ambient, event.airflow)


def _other_air(
    model: Model, volume: str | None, ambient: float | None, airflow: float | None
) -> Callable[[], None]:
    """Put the drives of a volume, or all, into other air; how to restore the airflow.

    It is restored for drives whose airflow nothing else has changed meanwhile.
    """
    env = model.env
    chosen = list(model.volumes.values()) if volume is None else [model.volumes[volume]]
    before = [(one, one.air.airflow) for one in chosen]
    everywhere = env.air.airflow
    change = env.set_air if volume is None else chosen[0].set_air
    change(_in_words(ambient, "temperature"), _in_words(airflow, "share"))
    now = chosen[0].air.airflow

    def back() -> None:
        if volume is None and env.air.airflow == now:  # what later changes begin with
            env.air = replace(env.air, airflow=everywhere)
        for one, was in before:
            if one.air.airflow == now:
                one.set_air(None, _in_words(was, "share"))

    return back


@_lets(kinds.ControllerFailure)
def _controller_fails(course: Course, event: kinds.ControllerFailure) -> Sequence[Later]:
    controller = course.model.controllers[event.controller]
    if event.partner is None:
        controller.fail()
        course.lose_memory(event.KIND, controller)
        return [Later(event.outage, controller.repair, event.words_of_end)]
    partner = course.model.controllers[event.partner]
    taken = controller.fail_over(partner, outage=event.outage, mirrored=event.mirrored)
    course.lose_memory(event.KIND, controller)
    back = f"{event.controller} serves its volumes again"
    over = [Later(event.lasting, controller.fail_back, back)] if event.lasting else []
    return [Later(taken, None, event.words_of_end), *over]


@_lets(kinds.LinkLoss)
def _link_is_lost(course: Course, event: kinds.LinkLoss) -> Sequence[Later]:
    link = course.model.links[event.link]
    link.lose()
    return _for(event, event.lasting, link.restore)


@_lets(kinds.ImportCache)
def _cache_is_imported(course: Course, event: kinds.ImportCache) -> None:
    controller = course.model.controllers[event.controller]
    controller.import_cache()


@_lets(kinds.DiscardCache)
def _cache_is_discarded(course: Course, event: kinds.DiscardCache) -> None:
    controller = course.model.controllers[event.controller]
    controller.discard_cache()
    course.lose_memory(event.KIND, controller)


@_lets(kinds.PowerCut)
def _power_is_cut(course: Course, event: kinds.PowerCut) -> Sequence[Later]:
    env = course.env
    course.model.boot.stop()
    cut = env.cut_power()
    course.power_cuts.append(replace(cut, time_s=course.now))
    course.lose(event.KIND, {one.volume: one.lost_bytes for one in cut.volumes})

    def comes_back() -> Process:
        yield env.timeout(event.outage)
        yield env.restore_power(event.boot)
        course.model.boot.start()

    return [Later(env.process(comes_back()), None, event.words_of_end)]


@_lets(kinds.LoadStart)
def _load_starts(course: Course, event: kinds.LoadStart) -> None:
    course.model.start(event.load)


@_lets(kinds.LoadStop)
def _load_stops(course: Course, event: kinds.LoadStop) -> None:
    course.model.stop(event.load)


def _for(event: EventSpec, lasting: float | None, undo: Callable[[], Any]) -> Sequence[Later]:
    """Return the undoing of a change after its time, if it has one."""
    return [] if lasting is None else [Later(lasting, undo, event.words_of_end)]


def _bytes(size: int) -> str:
    return f"{units.plain(size / 2**20, 3)} MiB" if size >= 2**20 else f"{size / 2**10:.4g} KiB"


def _in_words(value: float | None, dimension: str) -> str | None:
    return None if value is None else units.text(value, dimension)


def _pace(event: Any) -> dict[str, str]:
    """Rate and sample of an operation as its volume takes them, if the event gives them."""
    given = {"rate": event.rate, "sample": event.sample}
    return {key: units.text(value, "share") for key, value in given.items() if value is not None}

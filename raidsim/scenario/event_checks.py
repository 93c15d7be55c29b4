"""Reading the ``[[event]]`` tables of a scenario, and the conditions between them.

Events are first read one by one, each by the class of its kind. Then they are checked in the order
in which they happen: a drive is only replaced after it has failed, a load only stops while it runs,
and nothing happens after the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from raidsim import units
from raidsim.cards.card import Card
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import nearest_name, quote, quoted, suggest
from raidsim.layout.health import failures_tolerated
from raidsim.scenario import events as kinds
from raidsim.scenario.array_checks import check_cache
from raidsim.scenario.arrays import HOST
from raidsim.scenario.event import EventSpec
from raidsim.scenario.finding import Finding
from raidsim.scenario.found import Found, FoundController, FoundVolume, names_of
from raidsim.scenario.models import CACHE_CHOICES
from raidsim.scenario.reading import Reading, Values, read_part

F = TypeVar("F", bound=Found)

REFERENCES = ("volume", "controller", "link", "load")
"""Keys that name what an event happens to."""

OPTIONAL = (kinds.FanFailure, kinds.Air)
"""Kinds that are about all drives where they name no volume."""
MOST_TIMES = 1000


@dataclass(frozen=True)
class Parts:
    """The parts that events may happen to, as far as they could be read."""

    controllers: Sequence[FoundController]
    links: Sequence[Found]
    volumes: Sequence[FoundVolume]
    loads: Sequence[Found]
    machines: Sequence[Found]

    def of(self, key: str) -> Sequence[Found]:
        """The parts that a key of an event may name."""
        return {
            "controller": self.controllers,
            "link": self.links,
            "volume": self.volumes,
            "load": self.loads,
        }[key]


def read_events(
    reading: Reading, tables: Sequence[tuple[Any, KeyPath]], parts: Parts, measure: Values
) -> list[EventSpec]:
    """The events of a scenario, in the order of the file; what is wrong is noted in `reading`."""
    found: list[tuple[EventSpec, KeyPath]] = []
    for table, path in tables:
        event = _read(reading, table, path, parts)
        if event is not None:
            found.append((event, path))
    if not reading.alone:
        _note(reading, _check_times(found, measure, machines=bool(parts.machines)))
    if not reading.alone and len(found) == len(tables) and not reading.problems:
        _note(reading, _Story(parts, found, measure).problems())
    if tables:
        for index, load in enumerate(parts.loads):
            if load.values.get("within") is not None:
                cause = "needs a steady state to search in, and this scenario has events"
                reading.problem(("load", index, "within"), cause, "leave out one of the two")
    return [event for event, _ in found]


def _note(reading: Reading, problems: Iterator[tuple[KeyPath, str, str, str | None]]) -> None:
    for path, key, cause, remedy in problems:
        reading.problem((*path, key), cause, remedy)


def _read(reading: Reading, table: Any, path: KeyPath, parts: Parts) -> EventSpec | None:
    """One event; None if anything in it is wrong."""
    before = len(reading.problems)
    kind = _kind(reading, table, path)
    if kind is None:
        return None
    given = read_part(reading, kind, table, path)
    values = _filled_in(kind, given, parts)
    reading.note(path, _check_event(kind, values, parts))
    if len(reading.problems) > before or len(values) < len(kind.model_fields):
        return None
    return kind.model_construct(**values)


def _kind(reading: Reading, table: Any, path: KeyPath) -> type[EventSpec] | None:
    """The class that an event names."""
    if not isinstance(table, dict):
        read_part(reading, EventSpec, table, path)
        return None
    word = table.get("kind")
    if isinstance(word, str) and word in kinds.KINDS:
        return kinds.KINDS[word]
    remedy = f"give one of {quoted(kinds.KINDS)}"
    if "kind" in table:
        nearest = suggest(word, kinds.KINDS) if isinstance(word, str) else None
        cause = f"{quote(word)} is not a kind of event"
        reading.problem((*path, "kind"), cause, nearest or remedy)
    elif not reading.is_broken((*path, "kind")):
        reading.problem((*path, "kind"), "is missing", remedy)
    return None


def _filled_in(kind: type[EventSpec], values: Values, parts: Parts) -> Values:
    """The values of an event, with the only part that there is where it names none."""
    missing = [key for key in REFERENCES if key in values and values[key] is None]
    only = {
        key: parts.of(key)[0].name
        for key in missing
        if kind not in OPTIONAL and len(parts.of(key)) == 1
    }
    return {**values, **only}


def _check_event(kind: type[EventSpec], values: Values, parts: Parts) -> Iterator[Finding]:
    """Yield what is wrong with one event on its own."""
    for key in REFERENCES:
        if key in values:
            yield from _check_reference(kind, values, key, [part.name for part in parts.of(key)])
    volume = _named(parts.volumes, values.get("volume"))
    if "drive" in values and volume is not None:
        drives = volume.values.get("drives", 1)
        if values["drive"] >= drives:
            only = "drive 0" if drives == 1 else f"drives 0 to {drives - 1}"
            yield "drive", f"{volume.name} has no drive {values['drive']}", f"it has {only}"
    if kind is kinds.LatentErrors:
        yield from _check_offsets(values, volume)
    yield from _check_changes(kind, values, volume, parts)
    controller = _named(parts.controllers, values.get("controller"))
    if controller is not None and controller.card is not None:
        yield from _check_controller(kind, controller.card)
    if kind is kinds.ControllerFailure and values.get("partner") is not None:
        yield from _check_partner(values, parts)
    if volume is not None:
        yield from _check_redundancy(kind, volume)


def _check_partner(values: Values, parts: Parts) -> Iterator[Finding]:
    """The partner of a controller is another one, which serves for a while at least."""
    known = [name for name in names_of(parts.controllers) if name != values.get("controller")]
    if values["partner"] not in known:
        cause = f"{quote(values['partner'])} is not another controller of this scenario"
        remedy = nearest_name(values["partner"], known) if known else "leave it out"
        yield "partner", cause, remedy
    back, outage = values.get("lasting"), values.get("outage")
    if back is not None and outage is not None and back <= outage:
        cause = (
            f"is over before {quote(values['partner'])} serves the volumes, after {_time(outage)}"
        )
        yield "for", cause, "give a longer time, or a shorter outage"


def _check_reference(
    kind: type[EventSpec], values: Values, key: str, names: Sequence[str | None]
) -> Iterator[Finding]:
    """A part that is named must be one of the scenario; the only one need not be named."""
    known = [name for name in names if name is not None]
    name = values[key]
    if name is None and kind in OPTIONAL:
        return
    if name is None and not names:
        yield "kind", f"there is no [[{key}]] that it could happen to", "leave the event out"
    elif name is None:
        yield key, f"is missing, and there are {len(names)}", f"give one of {quoted(known)}"
    elif name not in known:
        cause = f"{quote(name)} is not a {key} of this scenario"
        yield key, cause, nearest_name(name, known) if known else None


def _named(parts: Sequence[F], name: str | None) -> F | None:
    """The first part of a name."""
    return next((part for part in parts if name is not None and part.name == name), None)


def _check_offsets(values: Values, volume: FoundVolume | None) -> Iterator[Finding]:
    if "offsets" not in values or "count" not in values:
        return
    offsets = values["offsets"]
    if offsets is None and values["count"] is None:
        yield "count", "is missing, and offsets too", "write count = 10, or offsets = [...]"
    elif offsets is not None and values["count"] is not None:
        yield "count", "cannot be used with offsets", "keep one of the two"
    elif offsets is not None and not offsets:
        yield "offsets", "is an empty list", "give at least one offset"
    if offsets and volume is not None and volume.card is not None:
        size, sector = (volume.card.integer(f"capacity.{of}") for of in ("user", "sector"))
        for offset in offsets:
            if offset >= size:
                remedy = f"it has {units.text(size, 'size')}"
                yield "offsets", f"{units.text(offset, 'size')} is beyond the drive", remedy
            elif offset % sector:
                remedy = f"give a multiple of its sector of {sector} bytes"
                yield "offsets", f"{units.text(offset, 'size')} is inside a sector", remedy


def _check_changes(
    kind: type[EventSpec], values: Values, volume: FoundVolume | None, parts: Parts
) -> Iterator[Finding]:
    """Check that an event which sets values names them, and that they can be set."""
    if kind is kinds.Air and values.get("ambient", 0) is None and values.get("airflow", 0) is None:
        yield "ambient", "is missing, and airflow too", "say what changes"
    if kind is kinds.Policy:
        yield from _check_policy(values, volume, parts)


def _check_policy(values: Values, volume: FoundVolume | None, parts: Parts) -> Iterator[Finding]:
    """Something is set, and the controller of the volume has it."""
    keys = (*CACHE_CHOICES, "rate")
    if all(key in values and values[key] is None for key in keys):
        yield "write", f"is missing, and {', '.join(keys[1:])} too", "say what is set"
    if volume is None or "controller" not in volume.values:
        return
    above = _named(parts.controllers, volume.values["controller"])
    if above is not None and above.card is None:
        return
    modes = {key: values[key] for key in CACHE_CHOICES if values.get(key) is not None}
    yield from check_cache(modes, None if above is None else above.card)


def _check_controller(kind: type[EventSpec], card: Card) -> Iterator[Finding]:
    if kind in (kinds.Battery, kinds.LearnCycle) and card.word("cache.protection") == "none":
        yield "controller", f"{card.name} has no battery", "leave the event out"
    if kind in (kinds.ImportCache, kinds.DiscardCache) and not card.has("cache.size"):
        yield "controller", f"{card.name} has no cache", "leave the event out"


NEED_REDUNDANCY = (kinds.Replacement, kinds.Rebuild, kinds.CopyBack, kinds.ConsistencyCheck)
NEED_ARRAY = (*NEED_REDUNDANCY, kinds.Initialisation, kinds.Patrol)


def _check_redundancy(kind: type[EventSpec], volume: FoundVolume) -> Iterator[Finding]:
    """Rebuilds and checks need redundancy; what goes through an array row by row needs one."""
    if not volume.is_laid_out:
        return
    layout = volume.layout
    level = volume.values.get("level")
    if kind in NEED_REDUNDANCY and (layout is None or failures_tolerated(layout) == 0):
        cause = f"{volume.name} ({level}) has no redundancy"
        yield "kind", cause, "leave the event out, or choose a level with redundancy"
    elif kind in NEED_ARRAY and layout is None:
        cause = f"{volume.name} is a single drive on the host, and no array"
        yield (
            "kind",
            cause,
            'leave the event out, or put it on a controller, or write level = "jbod"',
        )


def _check_times(
    found: Sequence[tuple[EventSpec, KeyPath]], measure: Values, *, machines: bool
) -> Iterator[tuple[KeyPath, str, str, str | None]]:
    """Nothing happens after the end, and what is repeated has an end."""
    duration: float | None = measure.get("duration")
    longest: float | None = measure.get("max_time")
    end, what = (duration, "duration") if duration is not None else (longest, "max_time")
    for event, path in found:
        if event.every is not None and duration is None:
            yield path, "every", "has no end", 'write duration = "1 h" in [measure], for example'
        elif event.every is not None and (duration or 0) - event.at > MOST_TIMES * event.every:
            cause = f"makes more than {MOST_TIMES} events"
            yield path, "every", cause, "repeat it less often, or measure for a shorter time"
        if end is not None and event.at >= end:
            cause = f"{_time(event.at)} is not before the end, at {_time(end)} (measure.{what})"
            yield path, "at", cause, f"let it happen earlier, or raise measure.{what}"
    lasts = machines or any(_goes_on(event) for event, _ in found)
    if duration is None and found and not lasts:
        cause = "is missing: all events happen at the start, and none of them lasts"
        yield ("measure",), "duration", cause, 'write duration = "60 s" in [measure], for example'


def _goes_on(event: EventSpec) -> bool:
    """Return whether there is something to measure before or after an event."""
    return (
        event.at > 0 or event.span > 0 or event.OPERATION or isinstance(event, kinds.DriveFailure)
    )


class _Story:
    """The events one after the other, and what state they find things in."""

    def __init__(
        self, parts: Parts, found: Sequence[tuple[EventSpec, KeyPath]], measure: Values
    ) -> None:
        duration = measure.get("duration")
        every = [(time, path, event) for event, path in found for time in event.times(duration)]
        self.events = sorted(every, key=lambda one: one[0])
        volumes = {part.values["name"]: part.values for part in parts.volumes}
        self.cards = [part.card for part in parts.volumes if part.card is not None]
        self.failed = {name: set(volume["failed"]) for name, volume in volumes.items()}
        self.had = {name: int(volume["spares"]) for name, volume in volumes.items()}
        self.spares = dict(self.had)
        self.on_host = {name for name, volume in volumes.items() if volume["controller"] == HOST}
        self.stood_in: set[tuple[str, int]] = set()  # drives whose place a spare has taken
        self.freed: set[str] = set()  # volumes that may have a spare again which was taken
        self.behind = {name: list(volume.get("behind") or ()) for name, volume in volumes.items()}
        self.above = {part.name: part.values.get("to") for part in parts.links}
        self.lost: set[str] = set()  # links that are, or were
        self.links_go = any(isinstance(event, kinds.LinkLoss) for _, _, event in self.events)
        started = {event.load for _, _, event in self.events
                   if isinstance(event, kinds.LoadStart)}  # fmt: skip
        self.running = {name: name not in started for name in names_of(parts.loads)}
        self.dark = -1.0  # until when power is away
        self.lasting: list[tuple[tuple[Any, ...], float]] = []  # what lasts, and until when

    def problems(self) -> Iterator[tuple[KeyPath, str, str, str | None]]:
        """Yield what is wrong with each event, in the order of time; a repeated problem once."""
        said: set[tuple[KeyPath, str]] = set()
        for time, path, event in self.events:
            for key, cause, remedy in self._next(time, event):
                if (path, key) not in said:
                    said.add((path, key))
                    yield path, key, f"at {_time(time)}: {cause}", remedy

    def _next(self, time: float, event: EventSpec) -> Iterator[Finding]:
        if time < self.dark:
            yield "at", f"the power is off until {_time(self.dark)}", "let it happen later"
        yield from self._overlap(time, event)
        match event:
            case kinds.DriveFailure():
                yield from self._fail(event.volume, event.drive)
            case kinds.Replacement() | kinds.Rebuild() | kinds.CopyBack():
                yield from self._restore(event, event.volume, event.drive)
            case kinds.LinkLoss():
                self.lost.add(event.link)
            case kinds.PowerCut():
                self.dark = round(time + event.away(self.cards), 9)
            case kinds.LoadStart():
                if self.running[event.load]:
                    yield "load", f"{event.load} runs already", "let it be stopped first"
                self.running[event.load] = True
            case kinds.LoadStop():
                if not self.running[event.load]:
                    yield "load", f"{event.load} does not run", "let it be started first"
                self.running[event.load] = False

    def _overlap(self, time: float, event: EventSpec) -> Iterator[Finding]:
        """Check that an event with a duration ends before the same event happens again."""
        what, span = _lasts(event)
        for other, until in self.lasting:
            if time <= until and _meet(what, other):
                end = "for good" if until == math.inf else f"until {_time(until)}"
                cause = f"an earlier event on the same part lasts {end}"
                yield (
                    "at",
                    cause,
                    "let this one happen later, or the earlier one last for a shorter time",
                )
                return
        if span is not None:
            self.lasting.append((what, round(time + span, 9)))

    def _fail(self, volume: str, drive: int) -> Iterator[Finding]:
        failed = self.failed[volume]
        if drive in failed and not self._may_be_spared(volume):
            yield (
                "drive",
                f"drive {drive} of {volume} has failed already",
                "let it be replaced first",
            )
        elif self.spares[volume] > 0:
            self.spares[volume] -= 1  # which now is this drive of the array
            self.stood_in.add((volume, drive))
        else:
            failed.add(drive)
            if not self._may_be_spared(volume):
                self.stood_in.discard((volume, drive))  # it was the spare that has failed

    def _restore(self, event: EventSpec, volume: str, drive: int) -> Iterator[Finding]:
        spared = self.had[volume] > 0
        if isinstance(event, kinds.CopyBack) and volume in self.on_host:
            cause = f"{volume} is software RAID, which has no copy-back from a hot spare"
            yield "kind", cause, 'write kind = "replacement": the new drive is a hot spare then'
        elif isinstance(event, kinds.CopyBack) and not spared:
            cause = f"{volume} has no hot spare whose data could be copied back"
            yield "kind", cause, "give the volume spares, or leave the event out"
        elif drive not in self.failed[volume] and not self._may_lack(volume, drive):
            yield "drive", f"drive {drive} of {volume} has not failed", "let it fail first"
        if (volume, drive) not in self.stood_in or drive in self.failed[volume]:
            self.failed[volume].discard(drive)
        elif volume not in self.on_host:
            self.freed.add(volume)
        elif isinstance(event, kinds.Replacement):
            self._add_spare(volume, drive)

    def _add_spare(self, volume: str, drive: int) -> None:
        """Software RAID has a new drive, and a spare stands in for good where the old one was."""
        self.stood_in.discard((volume, drive))
        if missing := self.failed[volume]:
            self.stood_in.add((volume, min(missing)))
            missing.discard(min(missing))
        else:
            self.spares[volume] += 1

    def _may_be_spared(self, volume: str) -> bool:
        """Return whether a spare may have come free, and stand in for a drive that had failed."""
        return volume in self.freed or (self.had[volume] > 0 and self.links_go)

    def _may_lack(self, volume: str, drive: int) -> bool:
        """Return whether a drive that no event has failed may still be replaced."""
        spared = self.had[volume] > 0
        if (volume, drive) in self.stood_in or (spared and self.links_go):
            return True
        return not self.lost.isdisjoint(self._links_of(volume, drive))

    def _links_of(self, volume: str, drive: int) -> Iterator[str]:
        """The links on the way up from a drive; drives are behind the lowest ones in turn."""
        lowest = self.behind[volume]
        link: str | None = lowest[drive % len(lowest)] if lowest else None
        passed: set[str] = set()
        while link is not None and link in self.above and link not in passed:
            passed.add(link)
            yield link
            link = self.above[link]


def _lasts(event: EventSpec) -> tuple[tuple[Any, ...], float | None]:
    """To what part an event happens that lasts, and how long, s; None for what nothing ends."""
    match event:
        case kinds.SlowDrive():
            return ("slow", event.volume, event.drive), event.lasting
        case kinds.FanFailure():
            return ("fan", event.volume), event.lasting
        case kinds.Battery() | kinds.LearnCycle():
            return ("battery", event.controller), event.lasting
        case kinds.LinkLoss():
            return ("link", event.link), event.lasting or math.inf
        case kinds.ControllerFailure():
            back = event.outage if event.partner is None else event.lasting or math.inf
            return ("controller", event.controller), back
    return (), None


def _meet(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether two things happen to the same part; None stands for all parts."""
    return (
        bool(one)
        and one[0] == other[0]
        and all(a == b or a is None or b is None for a, b in zip(one[1:], other[1:], strict=True))
    )


def _time(seconds: float) -> str:
    return units.time_for_people(seconds)

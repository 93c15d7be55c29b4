"""The events of a scenario in words, and their expected effects, before a run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from raidsim import units
from raidsim.assembly.drives import kind_of
from raidsim.layout.health import has_more_than_its_data
from raidsim.scenario import EventSpec, Scenario, VolumeSpec
from raidsim.scenario import events as kinds
from raidsim.units import capacity_for_people

SURE = 0.5
"""Share of a drive's time from end to end that no rebuild is shorter than, wherever it samples."""


def lines(scenario: Scenario) -> Iterator[str]:
    """A sentence for each event, in the order in which they happen."""
    reader = _Consequences(scenario)
    for event in sorted(scenario.events, key=lambda one: one.at):
        parts = [f"at {_time(event.at)}: {event.words}"]
        if event.every is not None:
            parts[0] = f"at {_time(event.at)} and every {_time(event.every)} after: {event.words}"
        parts += reader.of(event)
        span = event.span
        if isinstance(event, kinds.PowerCut):
            span = event.away([volume.card for volume in scenario.volumes])
        if span > 0 and event.words_of_end:
            parts.append(f"{_time(span)} later {event.words_of_end}")
        yield "; ".join(parts)


def refusals(scenario: Scenario) -> Iterator[tuple[EventSpec, str, bool]]:
    """Events that a run refuses, each with what for; and whether that is sure, or may be."""
    reader = _Consequences(scenario)
    for event in sorted(scenario.events, key=lambda one: one.at):
        if (found := reader.refusal(event)) is not None:
            yield event, *found
        list(reader.of(event))


class _Consequences:
    """The consequences of events, one after the other."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.failed = {one.name: set(one.failed) for one in scenario.volumes}
        self.spares = {one.name: one.spares for one in scenario.volumes}
        self.write = {one.name: one.write for one in scenario.volumes}
        self.batteries = {one.name: one.battery or "absent" for one in scenario.controllers}
        self.until: dict[str, tuple[float, str]] = {}  # when a battery is as before, and how
        self.stand_ins = dict.fromkeys(self.spares, 0)  # spares that may be under rebuild
        self.stood_in: set[tuple[str, int]] = set()  # drives whose place a spare has taken
        self.returning = dict.fromkeys(self.spares, 0)  # spares that are free after a copy-back
        self.filling: dict[tuple[str, int], float] = {}  # drives that are, and until when at least

    def of(self, event: EventSpec) -> Iterator[str]:
        """Yield the consequence of the next event."""
        match event:
            case kinds.DriveFailure():
                yield self._failure(self.scenario.volume(event.volume), event)
            case kinds.Replacement() | kinds.Rebuild() | kinds.CopyBack():
                yield self._restoring(self.scenario.volume(event.volume), event)
            case kinds.LatentErrors():
                if self.scenario.volume(event.volume).failures_tolerated:
                    yield "reads and patrols restore them, unless another drive is lost too"
                else:
                    yield "nothing holds their data any more"
            case kinds.Battery() | kinds.LearnCycle() | kinds.Policy():
                yield from self._of_cache(event)
            case kinds.FanFailure() | kinds.Air():
                chosen = [one for one in self.scenario.volumes
                          if event.volume in (None, one.name)]  # fmt: skip
                if not any(one.card.has("heat.case_capacity") for one in chosen):
                    yield "it has no effect: no card says how its drives warm"
            case kinds.PowerCut():
                for volume in self.scenario.volumes:
                    yield from self._power_cut(volume, event.at)
            case kinds.ControllerFailure() if event.partner is not None and not event.mirrored:
                yield "dirty data in its cache is lost"
            case _:
                pass

    def refusal(self, event: EventSpec) -> tuple[str, bool] | None:
        """Return a reason why a run may refuse the next event, and whether it must; or None.

        A drive is whole again once its rebuild is over, and when that is only the run knows.
        """
        match event:
            case kinds.ConsistencyCheck():
                if self.failed[event.volume]:
                    return f"a drive of {event.volume} is missing", True
                until = {drive: time for (name, drive), time in self.filling.items()
                         if name == event.volume}  # fmt: skip
            case kinds.CopyBack() | kinds.Replacement() | kinds.Rebuild():
                one = event.volume, event.drive
                is_replaced = isinstance(event, kinds.Replacement) and one in self.stood_in
                if is_replaced and self._is_software(event.volume):
                    return None  # the new drive is a spare
                until = {event.drive: self.filling[one]} if one in self.filling else {}
            case _:
                return None
        if not until:
            return None
        drive = max(until, key=lambda one: until[one])
        return f"drive {drive} of {event.volume} is still being rebuilt", event.at < until[drive]

    def _restoring(
        self, volume: VolumeSpec, event: kinds.Replacement | kinds.Rebuild | kinds.CopyBack
    ) -> str:
        size = capacity_for_people(volume.card.integer("capacity.user"))
        one = volume.name, event.drive
        if one not in self.stood_in or isinstance(event, kinds.Rebuild):
            self._fill(volume, event.drive, event.at)
            self.failed[volume.name].discard(event.drive)
            return f"{size} are restored"
        self.stood_in.discard(one)
        if self._is_software(volume.name):
            return self._adding(volume, event.at)
        words = f"{size} are copied back from the hot spare, which is free then"
        if not self.failed[volume.name]:
            self.returning[volume.name] += 1
            return words
        return f"{words}, and takes the place of drive {self._let_spare_return(volume, event.at)}"

    def _adding(self, volume: VolumeSpec, time: float) -> str:
        """Return the effect of a new drive of software RAID whose place a spare has taken.

        There is no copy-back: it is a spare.
        """
        if not self.failed[volume.name]:
            self.spares[volume.name] += 1
            return "the new drive is a hot spare"
        drive = self._let_spare_return(volume, time)
        self._fill(volume, drive, time)
        size = capacity_for_people(volume.card.integer("capacity.user"))
        return f"the new drive takes the place of drive {drive}, and {size} are restored"

    def _let_spare_return(self, volume: VolumeSpec, time: float) -> int:
        """Return the drive that a spare replaces when it becomes free; the time is not known."""
        drive = min(self.failed[volume.name])
        self.failed[volume.name].discard(drive)
        self.stood_in.add((volume.name, drive))
        self.stand_ins[volume.name] += 1
        self.filling[volume.name, drive] = time  # it may be later that this begins
        return drive

    def _is_software(self, volume: str) -> bool:
        return self.scenario.controller(self.scenario.volume(volume)) is None

    def _fill(self, volume: VolumeSpec, drive: int, time: float) -> None:
        """A rebuild of a drive begins: its slowest part is to pass all of the sample at least."""
        layout, card = volume.layout, volume.card
        size = 0 if layout is None else int(layout["rows"]) * int(layout["strip"])
        least = size / max(kind_of(card).mean_rates(card))
        if volume.rebuild_limit is not None:
            least = max(least, size / volume.rebuild_limit)
        self.filling[volume.name, drive] = time + SURE * least * volume.rebuild_sample

    def _failure(self, volume: VolumeSpec, event: kinds.DriveFailure) -> str:
        one = volume.name, event.drive
        self.filling.pop(one, None)
        if self.spares[volume.name] > 0:
            self._fill(volume, event.drive, event.at)
            self.spares[volume.name] -= 1
            self.stand_ins[volume.name] += 1
            self.stood_in.add(one)
            return "a hot spare takes its place and is rebuilt"
        self.stood_in.discard(one)
        self.failed[volume.name].add(event.drive)
        tolerated = volume.failures_tolerated
        left = tolerated - len(self.failed[volume.name])
        if left < 0:
            return "data may be lost" if tolerated else "its data is lost"
        more = "no other drive" if left == 0 else f"any {left} more"
        under_way = ""
        if self.stand_ins[volume.name] > 0:
            under_way = ", if no hot spare is still being rebuilt: else data may be lost"
        if self.returning[volume.name] > 0:
            self.returning[volume.name] -= 1
            self._let_spare_return(volume, event.at)
            under_way += "; the hot spare takes its place once the copy-back is over"
        return f"the array is degraded, and {more} may fail{under_way}"

    def _battery_at(self, controller: str, time: float) -> str:
        """State of the battery of a controller when something happens."""
        over, before = self.until.get(controller, (math.inf, ""))
        return before if time >= over else self.batteries[controller]

    def _power_cut(self, volume: VolumeSpec, time: float) -> Iterator[str]:
        controller = self.scenario.controller(volume)
        kept = controller is not None and self._battery_at(controller.name, time) == "good"
        if self.write[volume.name] == "back-bad-battery" and not kept:
            yield f"dirty data of {volume.name} in the controller's cache is lost"
        if lost := kind_of(volume.card).lost_by_name(volume.card, volume.name):
            yield lost
        if controller is None and volume.failures_tolerated:
            through = {"none": "all of it", "bitmap": "the chunks last written to",
                       "journal": "the stripes in its journal",
                       "ppl": "the stripes in the logs of its members"}  # fmt: skip
            intent = volume.intent or "none"
            missing = self.failed[volume.name]
            assert volume.layout is not None
            if intent in ("none", "bitmap") and not has_more_than_its_data(volume.layout, missing):
                yield f"afterwards {volume.name} is not resynced: nothing is left to compare"
                return
            yield f"afterwards {volume.name} is resynced, {through[intent]}"

    def _of_cache(self, event: EventSpec) -> Iterator[str]:
        if isinstance(event, kinds.Policy):
            yield from self._policy(self.scenario.volume(event.volume), event)
        elif isinstance(event, kinds.Battery | kinds.LearnCycle):
            state = getattr(event, "state", "learning")
            self._change(event, state)
            yield from self._battery(event.controller, state)

    def _change(self, event: kinds.Battery | kinds.LearnCycle, state: str) -> None:
        """The battery of a controller is in another state from now on, or for a while."""
        before = self._battery_at(event.controller, event.at)
        self.until.pop(event.controller, None)
        if event.span > 0:
            self.until[event.controller] = event.at + event.span, before
        self.batteries[event.controller] = state

    def _policy(self, volume: VolumeSpec, event: kinds.Policy) -> Iterator[str]:
        before = self.write[volume.name]
        if event.write is None:
            return
        self.write[volume.name] = event.write
        controller = self.scenario.controller(volume)
        if event.write == "through" and before != "through":
            yield "its dirty data goes to the drives"
        elif (
            event.write == "back"
            and controller is not None
            and (self._battery_at(controller.name, event.at) != "good")
        ):
            yield "it stays in write-through until the battery is good"

    def _battery(self, controller: str, state: str) -> Iterator[str]:
        on_it = [one for one in self.scenario.volumes if one.controller == controller]
        back = [one.name for one in on_it if self.write[one.name] == "back"]
        if back and state != "good":
            fall = "falls" if len(back) == 1 else "fall"
            yield f"{', '.join(back)} {fall} to write-through, and dirty data goes to the drives"
        elif state != "good" and any(self.write[one.name] == "back-bad-battery" for one in on_it):
            yield "writes are still acknowledged from the cache: a power cut loses them"


def _time(seconds: float) -> str:
    return units.text(seconds, "time")

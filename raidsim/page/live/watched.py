"""An array that somebody watches: a running model, controlled by requests, shown as plain data."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np
import simpy

from raidsim.assembly.volume_rows import drives_of
from raidsim.control import Hybrid, Volume, present
from raidsim.control.course import Course
from raidsim.control.model import Model
from raidsim.control.warming import warm_drives
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.layout import plan
from raidsim.layout import tables as lay
from raidsim.layout.address import held
from raidsim.page.live import picture, telling
from raidsim.page.live.following import Followed, Follower, Step
from raidsim.page.live.places import CACHE, busiest_of_host, places
from raidsim.result.cuts import VolumeCut
from raidsim.scenario import Scenario
from raidsim.system.tables import SaturationError

PATIENCE: Final = 0.1
"""Seconds of this computer that one wish may take, more or less."""
SLICE: Final = 0.01
"""Seconds of this computer after which it is looked whether patience is over."""
MOST_TOLD: Final = 200
MOST_TORN: Final = 64
AHEAD: Final = 4
"""Rows that are shown before and behind where background work is."""
BOOT: Final = 5.0
"""Seconds for which the hosts boot when the plug is put in again."""
OPS: Final = {"read": t.READ, "write": t.WRITE, "any": None}
CHECKS: Final = ("resync", "consistency check")


class WatchedArray:
    """A volume of a scenario with its loads, which runs as fast as it is asked to.

    Parameters
    ----------
    scenario
        What is simulated. Its loads run from the start, and its events happen at their times.
    volume
        Name of the volume that is watched; None for the first one.

    Attributes
    ----------
    ended
        Why it cannot go on, in words; "" while it can.
    told
        What has happened, the last of it: number, time in s, and words.

    Raises
    ------
    InputError
        If there is no such volume, or it cannot be watched.
    """

    def __init__(self, scenario: Scenario, volume: str | None = None) -> None:
        self.scenario = scenario
        self.model = model = Model(scenario)
        self.env = model.env
        self.volume = _chosen(scenario, model, volume)
        self.system = self.env.system
        self.course = Course(model, self._before, self._after)
        self.ended = ""
        self.told: list[dict[str, Any]] = []
        self._number = 0
        self._slice = 1e-3  # simulated s that take about SLICE
        self._follower = Follower(self.env, self.volume)
        self._meter = present.Meter(self.env, self.volume)
        self._busy: dict[int, float] = {}
        self._rates: dict[str, Any] = {}
        self._drives_were: list[tuple[int, bool]] = []
        self._throttled: dict[int, str] = {}
        self._full = False
        self._cut: VolumeCut | None = None
        self._cut_at = 0.0
        self._cuts = 0
        if scenario.air.start == "warm":
            warm_drives(self.system, scenario)
        waits = {event.load for event in scenario.events if event.KIND == "load-start"}  # type: ignore[attr-defined]
        for load in scenario.loads:
            if load.name not in waits:
                model.start(load.name)
        self.course.origin = self.env.now
        with _Ending(self):
            self.env.advance(self.env.now)  # loads the kernel's code before anybody waits
        if scenario.events or scenario.machines:
            self.course.begin()
        self._measure()

    # -- time ----------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Simulated time since the start, s."""
        return self.course.now

    def advance(self, seconds: float) -> None:
        """Let simulated time pass: so many seconds, or fewer if this computer is too slow."""
        begun = time.monotonic()
        target = self.env.now + seconds
        with _Ending(self):
            while self.env.now < target and not self.ended:
                began = time.monotonic()
                self.env.advance(min(target, self.env.now + self._slice))
                took = time.monotonic() - began
                self._slice *= min(max(SLICE / max(took, 1e-6), 0.5), 2.0)
                if time.monotonic() - begun > PATIENCE:
                    break
        self._measure()

    # -- what is told ----------------------------------------------------------------------------

    def about(self) -> dict[str, Any]:
        """Return the properties that do not change."""
        spec = self.volume.spec
        return {
            "title": self.scenario.title,
            "volume": self.volume.name,
            "level": spec.level,
            "drives": spec.drives,
            "card": spec.card.title,
            "capacity": self.volume.capacity,
            "strip": int(spec.layout["strip"]) if spec.layout is not None else 0,
            "parity": int(spec.layout["parity"]) if spec.layout is not None else 0,
            "rotates": spec.card.has("spindle.speed"),
            "controller": None if self.volume.controller is None else self._controller_title(),
            "host": self.scenario.host.card.title,
            "loads": [load.name for load in self.scenario.loads if load.volume == self.volume.name],
            "battery": self.volume.controller is not None and self._has_battery(),
            "heats": any(one["temperature"] is not None for one in self._drives()),
            "throttles_from": present.throttles_from(self.system, self.volume),
        }

    def picture(self, where: str = "start") -> dict[str, Any]:
        """Rows of strips.

        Parameters
        ----------
        where
            "start": the first rows; "frontier": where background work is; "torn": those that a
            power cut has left inconsistent.
        """
        rows = None
        if where == "frontier" and (at := self._frontier()) is not None:
            rows = picture.around(self.volume, [at], AHEAD)
        elif where == "torn" and self._torn():
            torn = sorted({row for _, row in self._torn()})
            reach = (picture.MOST_ROWS // len(torn) - 1) // 2
            rows = picture.around(self.volume, torn, min(max(reach, 0), picture.AROUND))
        return picture.picture(self.system, self.volume, rows, self._torn())

    def frame(self, since: int = 0) -> dict[str, Any]:
        """Return the present state, and the events since the ``since``-th one that was sent.

        Times in s, sizes in bytes, temperatures in C, shares from 0 to 1.
        """
        streams = self.system.rows("streams")
        mine = streams["volume"] == self.volume.row
        return {
            "time": self.now,
            "ended": self.ended,
            "power": self.env.power,
            "drives_ready": not self.system.drives_off,
            "health": self.volume.health,
            "drives": self._drives(),
            "cache": present.cache(self.system, self.volume),
            "host": busiest_of_host(self.system, places(self.system, self.volume), self._busy),
            "in_flight": int(streams["in_flight"][mine].sum()),
            "rates": self._rates,
            "operations": present.operations(self.volume),
            "frontier": self._frontier(),
            "loads": self._loads(),
            "air": {"ambient": self.volume.air.ambient, "airflow": self.volume.air.airflow},
            "cut": self._cut_now(),
            "told": [one for one in self.told if one["number"] > since],
        }

    def follow(self, op: str = "any", offset: int | None = None, length: int = 0) -> dict[str, Any]:
        """A request from its issue to its answer, step by step; times in ns from its issue.

        Parameters
        ----------
        op
            "read", "write" or "any".
        offset, length
            A request of one's own, in whole sectors; without them the next one of the loads.

        Raises
        ------
        InputError
            If there can be no such request.
        """
        found: Followed | None = None
        if self.env.power != "on":
            return {"request": None, "why": "There is no power: no host sends requests."}
        with _Ending(self):
            if offset is None:
                found = self._follower.next(OPS[op])
            else:
                found = self._follower.ask(t.WRITE if op == "write" else t.READ, offset, length)
        self._measure()
        if found is None:
            why = self.ended or "No such request arrived, or none was answered in time."
            return {"request": None, "why": why}
        return self._told_of(found)

    def ask(self, wish: dict[str, Any]) -> str:
        """Let something happen now: an event as a scenario has it, or the plug.

        Parameters
        ----------
        wish
            As an [[event]] table, without its time; or {"kind": "power-off"} and
            {"kind": "power-on"}.

        Returns
        -------
        str
            What has come of it, in words.

        Raises
        ------
        InputError
            If it cannot happen.
        """
        kind, known = wish.get("kind"), self._number
        if kind == "power-off":
            self._pull_the_plug()
        elif kind == "power-on":
            self._put_in_the_plug()
        else:
            if kind in _ON_VOLUME and len(self.scenario.volumes) > 1:
                wish = {"volume": self.volume.name, **wish}
            event = self.scenario.one_event(wish, "wish")
            self.course.let_happen(event)
        self._measure()
        return next((one["words"] for one in self.told if one["number"] > known), "")

    # -- requests --------------------------------------------------------------------------------

    def _told_of(self, found: Followed) -> dict[str, Any]:
        spec = self.volume.spec
        strip = int(spec.layout["strip"]) if spec.layout is not None else None
        rows = {one.row for command in found.commands for one in command.strips}
        commands = {command: number for number, command in enumerate(found.commands)}
        shown = None
        if rows:
            near = picture.around(self.volume, rows)
            shown = picture.picture(self.system, self.volume, near, self._torn())
        return {
            "request": {
                "op": "write" if found.op == t.WRITE else "read",
                "offset": found.offset,
                "length": found.length,
                "issued": found.issued,
                "took": found.answered - found.issued,
                "failed": found.status != t.DONE,
                "title": telling.title_of(found, strip),
                "summary": telling.summary_of(found),
            },
            "steps": [_step(one, found, commands, self._writes_back()) for one in found.steps],
            "others": [
                {
                    "drive": one.drive,
                    "from": max(one.begins - found.issued, 0),
                    "to": one.ends - found.issued,
                    "why": one.why,
                }
                for one in found.others
            ],
            "levels": [
                {"from": max(one.time - found.issued, 0), "queues": one.queues, "dirty": one.dirty}
                for one in found.levels
            ],
            "picture": shown,
        }

    # -- what happens ----------------------------------------------------------------------------

    def _tell(self, kind: str, words: str) -> None:
        self._number += 1
        one = {"number": self._number, "time": self.now, "kind": kind, "words": words}
        self.told = [*self.told, one][-MOST_TOLD:]

    def _before(self) -> None:
        """Remember how the drives are, so that it can be told what has become of them."""
        self._drives_were = self._states()

    def _states(self) -> list[tuple[int, bool]]:
        rows = drives_of(self.system, self.volume.row)
        return [(row, bool(self.system.world.drives[row]["failed"])) for row in rows]

    def _after(self, kind: str, words: str) -> None:
        words = words[:1].upper() + words[1:] + "."
        pairs = zip(self._drives_were, self._states(), strict=False)
        changed = [number for number, (was, now) in enumerate(pairs) if was != now]
        if kind == "drive-failure" and changed:
            words = telling.of_failure(self.volume, changed[0], self._reads_without(changed[0]))
        elif kind == "replacement" and changed:
            words = (
                f"A new, empty drive is in the place of drive {changed[0]}:"
                " it is rebuilt row by row, from the first one on."
            )
        elif kind == "operation-end" and self.volume.health == "optimal":
            words += " The array is whole."
        elif kind == "power-cut":
            self._note_cut(self.course.power_cuts[-1].of(self.volume.name))
            words = "The power is cut. " + telling.of_cut(self._cut_or(), self.volume)
        elif kind in _ON_WRITES:
            words += self._about_writes()
        self._tell(kind, words)

    def _about_writes(self) -> str:
        """Return a sentence on how writes are answered now; empty without a controller's cache."""
        now = present.cache(self.system, self.volume)
        if now is None:
            return ""
        if now["mode"] == "back":
            kept = "" if now["kept"] else " A power cut would lose the dirty data."
            return f" Writes are answered from the cache.{kept}"
        return " Writes are answered when the drives have them; dirty data goes to the drives."

    def _reads_without(self, number: int) -> int | None:
        """Drives that a read of a strip takes that a lost drive held; None if it is no use."""
        place = self.system.world.volumes[self.volume.row]
        if place["kind"] != t.VOLUME_ARRAY or self.volume.spec.layout is None:
            return None
        array = self.system.world.arrays[place["array"]]
        layout = self.system.world.layouts[place["array"]]
        first = int(array["first_member"])
        good = self.system.world.good[first : first + int(array["drives"])].copy()
        good[[number, *self.volume.failed]] = 0
        for row in range(int(layout["span_drives"])):
            role, _, address = held(layout, number, row)
            if role == lay.DATA:
                sector = self.volume.sector
                table = np.zeros(plan.bound(layout, lay.READ, sector), lay.ACCESS)
                count = plan.pieces(layout, good, 0, 0, lay.READ, int(address), sector, table)
                return len(set(table[:count]["drive"].tolist())) if count > 0 else None
        return None

    def _measure(self) -> None:
        """Read the rates since they were read last, and tell what has come about by itself."""
        if self.system.now > self._meter.at:
            self._busy, self._rates = self._meter.take()
        for drive in self._drives():
            before = self._throttled.get(drive["number"], "")
            if drive["throttled"] != before:
                self._tell("heat", telling.of_warmth(drive, before))
            self._throttled[drive["number"]] = drive["throttled"]
        now = present.cache(self.system, self.volume)
        if now is not None:
            full = now["waits"] or (self._full and 2 * now["dirty"] > now["low"] + now["high"])
            if full and not self._full:
                self._tell(
                    "cache", "The cache may hold no more dirty data: writes wait for drives."
                )
            self._full = full
        if self._cut is not None and any(
            one.kind in CHECKS and one.started >= self._cut_at and one.state == "done"
            for one in self.volume.operations
        ):
            self._cut = None

    # -- power -----------------------------------------------------------------------------------

    def _pull_the_plug(self) -> None:
        self._before()
        self.model.boot.stop()
        cut = self.env.cut_power().of(self.volume.name)
        self._cuts += 1
        self._note_cut(cut)
        self._tell("power-off", "The power is off. " + telling.of_cut(cut, self.volume))

    def _put_in_the_plug(self) -> None:
        back = self.env.restore_power(BOOT)
        words = "The power is on. Drives spin up"
        if self._cut is not None and self._cut.kept_bytes:
            words += ", then the controller writes to them the data that its cache has kept"
        self._tell("power-on", words + "; the host boots.")
        if back.callbacks is not None:
            back.callbacks.append(self._is_back)

    def _is_back(self, _event: simpy.Event) -> None:
        self.model.boot.start()
        self._tell("power-back", "Drives and host are ready: the loads go on.")
        self.course.look()

    def _note_cut(self, cut: VolumeCut) -> None:
        self._cut, self._cut_at = cut, self.env.now

    def _cut_or(self) -> VolumeCut:
        assert self._cut is not None
        return self._cut

    def _torn(self) -> set[tuple[int, int]]:
        return set() if self._cut is None else set(self._cut.inconsistent)

    def _cut_now(self) -> dict[str, Any] | None:
        """Return the effects of the last power cut, until a resync or check has removed them."""
        if self._cut is None:
            return None
        cut = self._cut
        return {
            "lost": cut.lost_bytes,
            "kept": cut.kept_bytes,
            "in_flight": cut.in_flight,
            "torn": len(cut.inconsistent),
            "rows": sorted({row for _, row in cut.inconsistent})[:MOST_TORN],
            "resync": cut.resync,
            "hole": sum(one.length for one in cut.write_hole),
        }

    # -- parts -----------------------------------------------------------------------------------

    def _drives(self) -> list[dict[str, Any]]:
        return present.drives(self.system, self.volume, self._busy)

    def _frontier(self) -> int | None:
        """Row that background work has come to; None if there is none."""
        layout = self.volume.spec.layout
        under_way = [one for one in self.volume.operations if not one.is_over]
        if layout is None or not under_way:
            return None
        rows, last = int(layout["rows"]), under_way[-1]
        share = last.progress
        if last.kind == "rebuild" and last.drive is not None:
            share = self._drives()[last.drive]["good"]
        return min(int(share * rows), rows - 1)

    def _loads(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "runs": any(not one.triggered for one in runs)}
            for name, runs in self.model.loads.items()
        ]

    def _writes_back(self) -> bool:
        now = present.cache(self.system, self.volume)
        return now is not None and now["mode"] == "back"

    def _has_battery(self) -> bool:
        assert self.volume.controller is not None
        card = self.volume.controller.card
        return card.has("cache.size") and self.volume.controller.battery != "absent"

    def _controller_title(self) -> str:
        assert self.volume.controller is not None
        return self.volume.controller.card.title


_ON_VOLUME: Final = (
    "drive-failure", "slow-drive", "latent-errors", "replacement", "rebuild", "copy-back",
    "consistency-check", "initialisation", "patrol", "policy",
)  # fmt: skip
"""Events that happen to a volume, which is the watched one unless the wish says another."""
_ON_WRITES: Final = ("battery", "learn-cycle", "battery-end", "learn-cycle-end", "policy")
"""Events after which writes may be answered otherwise."""


class _Ending:
    """Lets what a simulation cannot go on with end it, with a word."""

    def __init__(self, watched: WatchedArray) -> None:
        self._watched = watched

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, SaturationError):
            self._watched.ended = f"{error}."
            return True
        return False


def _chosen(scenario: Scenario, model: Model, name: str | None) -> Volume:
    names = list(model.volumes)
    wanted = names[0] if name is None else name
    if wanted in model.hybrids or isinstance(model.every.get(wanted), Hybrid):
        raise InputError([Problem(None, None, "volume", "a hybrid cannot be watched")])
    for hybrid in scenario.hybrids:
        if wanted in (hybrid.front, hybrid.back):
            cause = f"{wanted} is a part of {hybrid.name}, and a hybrid cannot be watched"
            remedy = "take a scenario of arrays without a front"
            raise InputError([Problem(None, None, "volume", cause, remedy)])
    if wanted not in model.volumes:
        cause = f'there is no volume "{wanted}"'
        raise InputError([Problem(None, None, "volume", cause, f"give one of {', '.join(names)}")])
    return model.volumes[wanted]


def _step(
    step: Step, found: Followed, commands: dict[Any, int], writes_back: bool
) -> dict[str, Any]:
    command = step.command
    in_cache = command is None and writes_back and found.op == t.WRITE
    return {
        "place": step.place.kind,
        "drive": step.place.drive,
        "from": step.begins - found.issued,
        "to": step.ends - found.issued,
        "waits": step.waits,
        "waits_at": CACHE if in_cache else step.place.kind,
        "waits_for": telling.waits_for(step, in_cache=in_cache),
        "command": None if command is None else commands[command],
        "op": None if command is None else ("read" if command.op == t.READ else "write"),
        "rows": [] if command is None else [one.row for one in command.strips],
        "moves": step.moves,
        "rotates": step.rotates,
        "times": step.times,
        "behind": step.begins >= found.answered,
        "words": telling.words_of(step, found.op),
    }

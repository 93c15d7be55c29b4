"""Which runs of many claims are the same, and what they share before the run.

Claims name their runs in words: a scenario, overrides, an intensity. Words that mean the same
system under the same load are simulated once, and all intensities of a system one after the other.
So the earlier writes to its drives are only simulated once (`raidsim.assembly.ftl`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from raidsim.errors import InputError
from raidsim.result import Result
from raidsim.scenario import Scenario, load
from raidsim.validate.jobs import Job

NAMES = ("title", "description")
ONLY_OF_ARRAYS = (
    "strip", "copies", "rotation", "parity_writes", "mirror_reads", "spread", "spares",
    "rebuild_limit", "rebuild_sample",
)  # fmt: skip
"""Keys of a volume that say nothing of a single drive on the host itself."""

LONG, SEARCHED, MEASURED = 2, 1, 0
"""How long a run takes, roughly: minutes of a course of time, several points, or one at a time."""


@dataclass
class MergedJob:
    """One system under one load, at the intensities that any claim asks for."""

    job: Job
    members: dict[Job, None]
    cost: int = 1
    past: str = ""

    @classmethod
    def of(cls, job: Job) -> MergedJob:
        """Return a job as what is simulated for it alone."""
        return cls(job, {job: None})

    @property
    def points(self) -> int:
        """The number of simulations; a search counts as one."""
        return len(self.job.numbers) if self.has_intensities else 1

    @property
    def has_intensities(self) -> bool:
        """Whether its members may be at different intensities."""
        return isinstance(self.job.outstanding, tuple) and self.job.latency is None

    def split(self, result: Result) -> dict[Job, Result]:
        """Return the result of each job: all points of its own intensity."""
        if not self.has_intensities:
            return dict.fromkeys(self.members, result)
        loads = len(result.points) // len(self.job.numbers)
        at = {
            number: result.points[i * loads : (i + 1) * loads]
            for i, number in enumerate(self.job.numbers)
        }
        return {job: replace(result, points=at[job.numbers[0]]) for job in self.members}


class Systems:
    """The scenarios behind jobs, each read once for all its intensities."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, tuple[str, ...]], Scenario] = {}
        self._meanings: dict[tuple[str, tuple[str, ...], bool], str] = {}

    def of(self, scenario: str, overrides: tuple[str, ...] = ()) -> Scenario:
        """Return a scenario by its name, with these overrides."""
        words = (scenario, overrides)
        if words not in self._read:
            self._read[words] = load(scenario, overrides=overrides)
        return self._read[words]

    def meaning_of(self, job: Job) -> str:
        """Return a text that is equal for jobs about equal systems and loads."""
        at_any = job.outstanding is not None
        words = (job.scenario, job.overrides, at_any)
        if words not in self._meanings:
            self._meanings[words] = meaning(self.of(job.scenario, job.overrides), at_any)
        return self._meanings[words]

    def merged(self, jobs: Iterable[Job]) -> list[MergedJob]:
        """Return the runs to simulate for these jobs, the longest first.

        Those whose drives were used alike before come one after the other, so that mostly one
        process does them, which finds out once what that use has left. A job whose scenario is
        wrong is a run of its own: running it says what is wrong.
        """
        found: dict[Any, MergedJob] = {}
        for job in jobs:
            same, cost = self.look_at(job)
            one = found.setdefault(same, MergedJob(job, {}, cost, self._past_of(job)))
            one.members[job] = None
        for one in found.values():
            if one.job.latency is None and one.job.outstanding is not None:
                numbers = {n for job in one.members for n in job.numbers}
                one.job = replace(one.job, outstanding=tuple(sorted(numbers)))
        most: dict[tuple[int, str], int] = {}
        for one in found.values():
            alike = (one.cost, one.past)
            most[alike] = max(most.get(alike, 0), one.points)
        places = {alike: place for place, alike in enumerate(most)}

        def order(one: MergedJob) -> tuple[int, ...]:
            alike = (one.cost, one.past)
            return -one.cost, -most[alike], places[alike], -one.points

        return sorted(found.values(), key=order)

    def _past_of(self, job: Job) -> str:
        """Return a text that is equal for jobs whose drives were used alike before, at a glance."""
        try:
            scenario = self.of(job.scenario, job.overrides)
        except InputError:
            return ""
        drives = [(one.card.path, one.state, one.filled) for one in scenario.volumes]
        writing = [one for one in scenario.loads if one.read_share < 1 and one.random_share > 0]
        writers = [(one.sizes, one.size, one.align, one.area, one.workers) for one in writing]
        return repr((drives, writers))

    def look_at(self, job: Job) -> tuple[Any, int]:
        """Return a key, equal for equal systems and loads, and the cost of a job."""
        try:
            scenario = self.of(job.scenario, job.overrides)
        except InputError:
            return job, LONG
        intensity = job.outstanding if job.latency else job.outstanding is None
        has_end = bool(scenario.machines or scenario.events)
        has_end |= any(one.has_end for one in scenario.loads)
        cost = LONG if has_end else SEARCHED if job.latency else MEASURED
        return (self.meaning_of(job), intensity, job.latency), cost


def meaning(scenario: Scenario, any_intensity: bool = False) -> str:
    """Return a text that is equal for scenarios that differ only in names and words.

    With ``any_intensity`` the outstanding I/Os of its loads do not count either. Cards count by
    their files: the same path means another card in the folder of another scenario. Behind a
    controller a single drive has strips too, which are the lines of its cache.
    """
    data: dict[str, Any] = scenario.resolved()
    for name in NAMES:
        del data[name]
    data["host"]["model"] = scenario.host.card.path
    for one, controller in zip(data["controller"], scenario.controllers, strict=True):
        one["model"] = controller.card.path
    for one, volume in zip(data["volume"], scenario.volumes, strict=True):
        one["drive"] = volume.card.path
    if all(one["controller"] == "host" for one in (*data["volume"], *data.get("hybrid", ()))):
        del data["controller"], data["link"]
    for volume in data["volume"]:
        if (volume["level"], volume["controller"]) == ("single", "host"):
            for key in ONLY_OF_ARRAYS:
                volume.pop(key, None)
    if any_intensity:
        for one in data["load"]:
            one.pop("outstanding", None)
    return json.dumps(data, sort_keys=True, default=str)


def results_of(runs: Iterable[MergedJob], rows: Iterable[Result]) -> dict[Job, Result]:
    """Return the result of every job from those of the runs, in their order."""
    return {
        job: result
        for one, row in zip(runs, rows, strict=True)
        for job, result in one.split(row).items()
    }

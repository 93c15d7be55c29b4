"""Coarse runs: short runs of the designs that could be on the front, until no other design could.

Arithmetic and bounds give the best possible figures of a design. So a design need not be run if
another one was run that is, in every aim, at least as good as these. The order of the runs changes
their number, and not the result. Designs that are best by a weighted mean of the aims are run
first, with several weights in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from raidsim.planning.arithmetic import Arithmetic
from raidsim.planning.choice import SPARES
from raidsim.planning.cost import active_power
from raidsim.planning.design import data_of
from raidsim.planning.front import Aims, dominated, front
from raidsim.planning.runs import Measured, Runner

IOS = 2000
"""I/Os of a coarse run."""

BATCH = 60
"""Runs between two looks at what is left."""

DOUBT = 1.25
"""A latency so many times its limit in a coarse run may still keep it in an exact one."""

WEIGHTS = (
    (1.0, 0.1, 0.02, 0.02, 0.002),
    (0.3, 1.0, 0.02, 0.02, 0.002),
    (0.3, 0.1, 1.0, 0.05, 0.002),
    (0.3, 0.1, 0.05, 1.0, 0.002),
    (0.3, 0.1, 0.02, 0.02, 0.3),
    (1.0, 1.0, 0.3, 0.3, 0.05),
)
"""Weights of the logarithms of cost, watts, latency, headroom and loss, to choose designs by."""

OPEN, RUN, FELL, BEATEN = range(4)
"""What became of a design: not run so far, run and good, fallen, beaten by another."""

Floats = NDArray[np.float64]


@dataclass
class Field:
    """The designs that arithmetic and bounds leave, and what became of each.

    Attributes
    ----------
    arithmetic : of all designs.
    runner : what runs them.
    aims : when an aim is met well enough.
    numbers : of the designs, in order.
    best : their aims at best: a row for each, in the order of `raidsim.planning.front.NAMES`.
    key : equal for designs that share a run.
    state : OPEN and so on; ``by``: by which of them one is beaten.
    over : of those that were run, by how many times limits are exceeded.
    """

    arithmetic: Arithmetic
    runner: Runner
    aims: Aims
    numbers: NDArray[np.int64]
    best: Floats
    key: NDArray[np.int64]
    state: NDArray[np.int8]
    by: NDArray[np.int64]
    over: Floats
    measured: dict[int, Measured] = field(default_factory=dict)
    runs: int = 0

    @classmethod
    def of(cls, arithmetic: Arithmetic, runner: Runner, aims: Aims) -> Field:
        """Make one of what arithmetic and bounds leave."""
        grid = arithmetic.space.grid
        numbers = np.flatnonzero(arithmetic.fallen().ravel() == -1)
        at = np.unravel_index(numbers, grid)
        best = np.column_stack(
            [
                np.broadcast_to(values, grid)[at]
                for values in (
                    arithmetic.cost, arithmetic.watts, arithmetic.bounds.latency,
                    arithmetic.bounds.rate, arithmetic.loss,
                )
            ]
        ).astype(float)  # fmt: skip
        size = len(numbers)
        seen = tuple(0 * i if axis == SPARES else i for axis, i in enumerate(at))
        key = np.ravel_multi_index(seen, grid) if size else np.zeros(0, np.int64)
        return cls(
            arithmetic, runner, aims, numbers, best, key, np.full(size, OPEN, np.int8),
            np.full(size, -1, np.int64), np.zeros(size),
        )  # fmt: skip

    def search(self, most: int) -> None:
        """Run designs until none is open, or so many runs were made in all."""
        steps = self.aims.steps(self.best)
        self._beat(steps)
        while self.runs < most:
            chosen = self._chosen(min(BATCH, most - self.runs))
            if not chosen:
                return
            self._run(chosen)
            self._beat(steps)

    def reopen(self, fallen: set[int]) -> None:
        """Take out designs that fell later, and open again what was beaten by them."""
        for place in fallen:
            self.state[place] = FELL
        self._open_again(fallen)

    def correct(self, place: int, measured: Measured, over: float) -> None:
        """Use a longer run instead of the coarse one of a design, which was too good.

        Designs that it had beaten are undecided again.
        """
        self.measured[place] = measured
        self.over[place] = over
        self._open_again({place})

    def _open_again(self, by: set[int]) -> None:
        again = np.isin(self.by, list(by)) & (self.state == BEATEN)
        self.state[again] = OPEN
        self.by[again] = -1

    @property
    def passed(self) -> list[int]:
        """Places of the designs that passed a coarse run, or may."""
        return [int(place) for place in np.flatnonzero(self.state == RUN)]

    def aims_of(self, place: int, measured: Measured, headroom: float) -> Floats:
        """Aims of a design that was run."""
        found: Floats = self.best[place].copy()
        found[1] = self.watts(place, measured)
        worst = measured.worst("mean")
        found[2] = 0.0 if worst is None else worst[0]
        found[3] = min(headroom, found[3]) if np.isfinite(found[3]) else headroom
        return found

    def watts(self, place: int, measured: Measured) -> float:
        """Mean power of what is bought at first under the load, W."""
        design = self.arithmetic.space.design(int(self.numbers[place]))
        drives = measured.watts
        if drives is None:
            drives = design.arrays * design.shape.drives * active_power(design.drive)
        idle = design.drive.number("power.idle") * design.spares * design.arrays
        others = active_power(design.host)
        if design.place.card is not None:
            others += active_power(design.place.card)
        return drives + idle + others

    # ---- which are run

    def _chosen(self, most: int) -> list[int]:
        """Open designs that are run next: no two of the same run."""
        left = np.flatnonzero(self.state == OPEN)
        if len(left) == 0:
            return []
        logs = np.log(
            np.maximum(
                np.column_stack(
                    [
                        self.best[left, 0],
                        self.best[left, 1],
                        np.maximum(self.best[left, 2], self.aims.latency),
                        1 / np.minimum(self.best[left, 3], self.aims.headroom),
                        np.maximum(self.best[left, 4], self.aims.loss),
                    ]
                ),
                1e-300,
            )
        )
        each = -(-most // len(WEIGHTS))
        taken: dict[int, int] = {}
        for weights in WEIGHTS:
            order = np.argsort(logs @ np.array(weights), kind="stable")
            found = 0
            for row in order[: 20 * most]:
                key = int(self.key[left[row]])
                if key not in taken:
                    taken[key] = int(left[row])
                    found += 1
                    if found == each:
                        break
        return sorted(list(taken.values())[:most])  # in the order of drives, whose past is kept

    def _run(self, chosen: list[int]) -> None:
        space, need = self.arithmetic.space, self.arithmetic.need
        measure = {"min_ios": IOS, "max_ios": IOS, "precision": "50 %"}
        designs = [space.design(int(self.numbers[place])) for place in chosen]
        # Flash that was filled in sequence has no garbage to collect yet: it is at its best.
        asked = [
            data_of(one, need, spares=False, every={"state": "filled"}, measure=measure)
            for one in designs
        ]
        limits = need.limits("healthy")
        before = self.runner.count
        came = self.runner.drained(asked, limits, DOUBT)
        found = {
            int(self.key[place]): measured for place, measured in zip(chosen, came, strict=True)
        }
        self.runs += max(len(chosen), self.runner.count - before)
        for place in np.flatnonzero((self.state == OPEN) & np.isin(self.key, list(found))):
            measured = found[int(self.key[place])]
            over = measured.over(limits)
            self.measured[int(place)] = measured
            self.over[place] = over
            self.state[place] = RUN if over <= DOUBT and measured.latency else FELL

    def _beat(self, steps: NDArray[np.int32]) -> None:
        """Take out open designs that are at best no better than one that has passed."""
        good = [place for place in self.passed if self.over[place] <= 1]
        if not good:
            return
        known = self.aims.steps(
            np.array(
                [self.aims_of(place, self.measured[place], self.estimate(place)) for place in good]
            )
        )
        rows = front(known)
        for row in rows:
            left = np.flatnonzero(self.state == OPEN)
            beaten = left[dominated(steps[left], known[row : row + 1])]
            self.state[beaten] = BEATEN
            self.by[beaten] = good[row]

    def estimate(self, place: int) -> float:
        """Return the estimated multiple of the load that is carried, by the busiest part."""
        busy = self.measured[place].utilisation
        return 0.95 / busy if busy > 0 else self.aims.headroom

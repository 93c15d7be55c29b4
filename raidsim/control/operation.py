"""Background work on a volume: its progress, and its end as an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import simpy

from raidsim.assembly.volume_rows import reliable
from raidsim.control.arguments import Arguments
from raidsim.control.kernel_environment import KernelEnvironment
from raidsim.intervene import operation
from raidsim.intervene.operation import Pace
from raidsim.kernel import operation_tables as s
from raidsim.kernel import tables as t
from raidsim.result import operation_title
from raidsim.system.system import System

KINDS = {
    "rebuild": s.REBUILD,
    "copy-back": s.COPY,
    "consistency check": s.CHECK,
    "resync": s.RESYNC,
    "patrol": s.READ_ALL,
    "initialisation": s.WRITE_ALL,
}
"""Background work, by the name that reports use."""


@dataclass(frozen=True)
class _Thinned:
    """Where a sample was made smaller: the share that was done, as rows too, and rows to come."""

    share: float
    done: int
    to_come: int


class Worked(Protocol):
    """A volume, as the work on it sees it."""

    name: str
    row: int
    system: System

    @property
    def env(self) -> KernelEnvironment:
        """The environment that it is in."""

    def obstacle_to(self, drive: int | None) -> str | None:
        """Return the reason why work on a drive, or on all, cannot continue now; None if it can."""


class Operation(simpy.Event):
    """Background work under way. It is an event: ``yield operation`` waits for its end.

    The end is when it is through, was stopped, or cannot go on. The event's value is the
    operation itself, and it always succeeds: see its state.

    Attributes
    ----------
    kind
        "rebuild", "copy-back", "consistency check", "resync", "patrol" or "initialisation".
    volume
        The volume that it is on.
    drive
        Number of the drive that it is about, from 0 on; None for all.
    started
        When it began, s.
    why
        Why it has failed, in words; "" if it has not.
    """

    def __init__(
        self,
        volume: Worked,
        kind: str,
        pace: Pace,
        rows: Sequence[tuple[int, int]],
        *,
        drive: int | None = None,
        copy: int = t.NONE,
        at_end: Callable[[Operation], None] | None = None,
    ) -> None:
        super().__init__(volume.env)
        self.volume = volume
        self.kind = kind
        self.drive = drive
        self.pace = pace
        self.started = volume.env.now
        self.why = ""
        self._copy = copy
        self._left = list(rows)
        self._total = sum(end - first for first, end in self._left)
        self._through = 0.0  # rows of ranges that are over, with those that a sample leaves out
        self._operations: list[int] = []
        self._at_end = at_end
        self._ended: float | None = None
        self._is_paused = False
        # Times, s, rows done until then, and how many times as long all of that stretch takes.
        self._marks: list[tuple[float, int, float]] = [(0.0, 0, 1.0)]
        self._thinned: dict[int, _Thinned] = {}  # by row of the operation
        self._looked = (0.0, 0)  # time, s, and rows done until then
        self._next()

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.volume.name}: {self.state}, {100 * self.progress:.3g} %>"

    @property
    def title(self) -> str:
        """The title: "rebuild of drive 2 of data"."""
        return operation_title(self.kind, self.drive, self.volume.name)

    # -- how far it is ------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """The state: "under way", "paused", "done", "stopped" or "failed"."""
        last = self._last
        if not self.is_over:
            return "paused" if self._is_paused else "under way"
        if last is None:
            return self._given_up or "done"
        if last.lost:
            return "failed"
        return "stopped" if last.stopped else "done"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self._ended is not None

    @property
    def progress(self) -> float:
        """Share of it that is done, 0 to 1."""
        if self.state == "done" or self._total == 0:
            return 1.0
        done = self._through
        last = self._last
        if last is not None and not self.is_over and last.rows > 0:
            done += self._share(self._operations[-1], last) * self._under_way
        return min(done / self._total, 1.0)

    def _share(self, row: int, one: operation.Progress) -> float:
        """Share of the rows of one range that are done, with those that a sample leaves out."""
        thinned = self._thinned.get(row)
        if thinned is None:
            return one.done / max(one.rows, 1)
        since = (one.done - thinned.done) / max(thinned.to_come, 1)
        return min(thinned.share + (1.0 - thinned.share) * since, 1.0)

    @property
    def simulated_seconds(self) -> float:
        """Simulated time that it has taken so far, or in all, s."""
        self.volume.env.sync()
        end = self.volume.env.now if self._ended is None else self._ended
        return end - self.started

    @property
    def seconds_in_all(self) -> float | None:
        """The time of the whole operation, s; None if nothing is done yet.

        Rows of a sample go at the same speed as all rows. So the time of every section of constant
        conditions counts as it was, with the rows that were done in it. All other rows go at the
        speed of the last section that did any. A section that ended with the sample of another
        operation is extended to the full time of that operation.
        """
        found = self._in_all
        return None if found is None else found[0]

    @property
    def last_times(self) -> float:
        """The factor from the simulated to the real time of its last stretch, once it is done."""
        found = self._in_all if self.state == "done" else None
        return 1.0 if found is None else found[1]

    @property
    def _in_all(self) -> tuple[float, float] | None:
        """The time of the whole operation, s, and how many times it is that of the last section.

        Only sections in which rows were done count.
        """
        marks = [*self._marks, (self.simulated_seconds, self._done, 1.0)]
        stretches = [((end - begin) * times, (after - before) * times)
                     for (begin, before, _), (end, after, times) in pairwise(marks)]  # fmt: skip
        working = [number for number, (_, rows) in enumerate(stretches) if rows > 0]
        if not working:
            return None
        time, rows = stretches.pop(working[-1])
        seconds, left = 0.0, float(self._total)
        for passed, done in stretches:
            share = min(left / done, 1.0) if done else 1.0
            seconds += share * passed
            left -= share * done
        return seconds + left / rows * time, left / rows

    @property
    def seconds(self) -> float:
        """The time of the part that is done, s; see :attr:`seconds_in_all`."""
        in_all = self.seconds_in_all
        return self.simulated_seconds if in_all is None else in_all * self.progress

    @property
    def size(self) -> int:
        """Bytes of each drive that it goes through."""
        return self._total * int(reliable(self.volume.system, self.volume.row)[0]["strip"])

    @property
    def share_simulated(self) -> float:
        """Share of its rows that are simulated, 0 to 1."""
        found = self._all
        rows = [int(self.volume.system.world.operations[one]["end"]) for one in self._operations]
        first = [int(self.volume.system.world.operations[one]["first"]) for one in self._operations]
        asked = sum(rows) - sum(first)
        return sum(one.rows for one in found) / asked if asked else 1.0

    @property
    def rows_done(self) -> list[tuple[int, int]]:
        """Rows of strips that it is through with: the first and the end, for each of its ranges.

        Rows that a sample leaves out count with those before them.
        """
        self.volume.env.sync()
        rows = self.volume.system.world.operations
        found = []
        for one, how in zip(self._operations, self._all, strict=True):
            ended = rows[one]["ended"] != t.NONE and not (how.lost or how.stopped)
            end = int(rows[one]["end"]) if ended else how.frontier
            found.append((int(rows[one]["first"]), end))
        return found

    @property
    def found(self) -> int:
        """Strips with sectors that could not be read."""
        return sum(one.found for one in self._all)

    @property
    def repaired(self) -> int:
        """The number of these that it has restored."""
        return sum(one.repaired for one in self._all)

    @property
    def punctured(self) -> int:
        """Rows of strips that nothing could restore."""
        return sum(one.punctured for one in self._all)

    # -- changes --------------------------------------------------------------------------------

    def mark(self, times: float = 1.0) -> None:
        """Note that conditions change now: the load, the power, what else goes on.

        ``times``: how many times as long as it was simulated all that takes which ends now.
        """
        if not self.is_over:
            self._marks.append((self.simulated_seconds, self._done, times))

    @property
    def _done(self) -> int:
        """Rows that were done so far, of those that are simulated."""
        return sum(one.done for one in self._all)

    def pause(self) -> None:
        """Begin nothing more until :meth:`resume`; what is under way is finished."""
        if not self.is_over:
            self.mark()
            self._is_paused = True
            self.volume.env.sync()
            if self._operations:
                operation.pause(self.volume.system, self._operations[-1])

    def resume(self) -> None:
        """Go on after a pause."""
        if self._is_paused and not self.is_over:
            self.mark()
            self._is_paused = False
            self.volume.env.when_on(self._go_on)

    def stop(self) -> None:
        """Give it up: it ends with what is under way."""
        self.give_up()

    def give_up(self, *, failed: bool = False, why: str = "") -> None:
        """Let it end with what is under way, as "stopped" or, if it cannot go on, as "failed".

        ``why``: what keeps it from going on; else what does now is looked for.
        """
        if not self.is_over:
            self._left.clear()
            self._is_paused = False
            self._given_up = "failed" if failed else "stopped"
            if failed:
                self.why = why or self._obstacle()
            self.volume.env.sync()
            if self._operations:
                operation.stop(self.volume.system, self._operations[-1], lost=failed)

    def fail_with_array(self) -> None:
        """The array has failed: what goes through all of it can't go on.

        A rebuild or copy-back may still have all that it needs; it fails at the first row for
        which it has not.
        """
        if not self.is_over and self.drive is None:
            self.give_up(failed=True)

    def set_rate(self, rate: str) -> None:
        """Let it work for another share of the time while hosts have work, such as "60 %".

        Raises
        ------
        InputError
            If it is no share from 1 % to 100 %.
        """
        check = Arguments(f"{self.volume.name}: {self.kind}")
        share = check.quantity("rate", rate, "share", "1 %", "100 %")
        check.raise_if_wrong()
        self.volume.env.sync()
        self.mark()
        self.pace = replace(self.pace, rate=share)
        if self._operations and not self.is_over:  # else it will begin with it
            operation.set_rate(self.volume.system, self._operations[-1], share)

    @property
    def simulated_seconds_to_come(self) -> float:
        """Simulated time that it still takes at its present pace, s; 0 if that is not known."""
        last = self._last
        if last is None or self.state != "under way":
            return 0.0
        passed, done = self._lately
        return (last.rows - last.done) * passed / done if done > 0 else 0.0

    def look(self) -> None:
        """Let the present pace be that from now on, if rows have been done since the last look."""
        if self._lately[1] > 0:
            self._looked = (self.simulated_seconds, self._done)

    @property
    def _lately(self) -> tuple[float, int]:
        """Simulated time since the last look or change of conditions, s, and rows done in it."""
        begun, before = max(self._looked, self._marks[-1][:2])
        return self.simulated_seconds - begun, self._done - before

    def fit_into(self, seconds: float) -> None:
        """Simulate as many of the rows that are left as that simulated time suffices for.

        They are spread over all that is left. Else a run that ends before the sample would tell of
        the first rows alone, which are on the fastest tracks of disks.
        """
        last = self._last
        passed, done = self._lately
        if last is None or done <= 0 or passed <= 0:
            return
        row = self._operations[-1]
        share, density = self._share(row, last), operation.density(self.volume.system, row)
        to_come = operation.thin(self.volume.system, row, seconds * done / passed)
        if to_come is not None:
            self.mark(1.0 / density)
            self._thinned[row] = _Thinned(share, last.done, to_come)

    @property
    def is_thinned(self) -> bool:
        """Whether fewer rows are simulated than its sample was to have."""
        return bool(self._thinned)

    # -- its parts ------------------------------------------------------------------------------

    _under_way = 0
    _given_up = ""

    @property
    def _all(self) -> list[operation.Progress]:
        return [self._of(row) for row in self._operations]

    @property
    def _last(self) -> operation.Progress | None:
        return self._of(self._operations[-1]) if self._operations else None

    def _of(self, row: int) -> operation.Progress:
        """The progress of one range of rows."""
        found = operation.progress(self.volume.system, row)
        thinned = self._thinned.get(row)
        return found if thinned is None else replace(found, rows=thinned.done + thinned.to_come)

    def _obstacle(self) -> str:
        """Return the reason why the operation cannot continue."""
        found = self.volume.obstacle_to(self.drive)
        if found is None and self.punctured:
            found = "a sector that it needs cannot be read, and nothing restores it"
        return found or "a drive has answered with an error"

    def _next(self) -> None:
        """Begin with the next range of rows, or end."""
        last = self._last
        if not self._left or (last is not None and (last.lost or last.stopped)):
            self._end()
        else:
            self.volume.env.when_on(self._begin)

    def _end(self) -> None:
        self._ended = self.volume.env.now
        if self.state == "failed" and not self.why:
            self.why = self._obstacle()
        if self._at_end is not None:
            self._at_end(self)
        self.succeed(self)

    def _begin(self) -> None:
        """Begin with the next range, unless it was given up while the power was off."""
        if not self._left:
            self._end()
            return
        env = self.volume.env
        rows = self._left.pop(0)
        self._under_way = rows[1] - rows[0]
        env.sync()
        part = simpy.Event(env)
        part.callbacks.append(self._part_ended)
        self._operations.append(
            operation.add_operation(
                self.volume.system,
                self.volume.row,
                KINDS[self.kind],
                self.pace,
                rows,
                member=0 if self.drive is None else self.drive,
                copy=self._copy,
                ticket=env.ticket(part),
            )
        )
        if self._is_paused:
            operation.pause(self.volume.system, self._operations[-1])

    def _go_on(self) -> None:
        """Go on after a pause, unless it was paused anew while the power was off."""
        if self._operations and not self.is_over and not self._is_paused:
            self.volume.env.sync()
            operation.resume(self.volume.system, self._operations[-1])

    def _part_ended(self, _event: Any) -> None:
        last = self._last
        assert last is not None
        self._through += self._under_way * self._share(self._operations[-1], last)
        self._next()
        if self._is_paused and not self.is_over:
            operation.pause(self.volume.system, self._operations[-1])

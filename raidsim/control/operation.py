"""Background work on a volume, under way: how far it is, and its end as an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import simpy

from raidsim.build import sweep
from raidsim.build.array import reliable
from raidsim.build.sweep import Pace
from raidsim.control.arguments import Arguments
from raidsim.kernel import sweep_tables as s
from raidsim.kernel import tables as t

if TYPE_CHECKING:
    from raidsim.control.maintenance import Maintained

KINDS = {
    "rebuild": s.REBUILD,
    "copy-back": s.COPY,
    "consistency check": s.CHECK,
    "resync": s.RESYNC,
    "patrol": s.READ_ALL,
    "initialisation": s.WRITE_ALL,
}
"""Background work, by the name that reports use."""


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
    """

    def __init__(
        self,
        volume: Maintained,
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
        self._copy = copy
        self._left = list(rows)
        self._total = sum(end - first for first, end in self._left)
        self._through = 0.0  # rows of ranges that are over, with those that a sample leaves out
        self._sweeps: list[int] = []
        self._at_end = at_end
        self._ended: float | None = None
        self._is_paused = False
        self._has_failed = False
        self._next()

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.volume.name}: {self.state}, {100 * self.progress:.3g} %>"

    # -- how far it is ------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """How it is: "under way", "paused", "done", "stopped" or "failed"."""
        last = self._last
        if not self.is_over:
            return "paused" if self._is_paused else "under way"
        if self._has_failed or (last is not None and last.lost):
            return "failed"
        return "stopped" if last is not None and last.stopped else "done"

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
            done += last.done / last.rows * self._under_way
        return min(done / self._total, 1.0)

    @property
    def simulated_seconds(self) -> float:
        """Simulated time that it has taken so far, or in all, s."""
        self.volume.env.sync()
        end = self.volume.env.now if self._ended is None else self._ended
        return end - self.started

    @property
    def seconds(self) -> float:
        """What so much of it takes, s: the simulated time over the share of rows simulated."""
        return self.simulated_seconds / self.share_simulated

    @property
    def size(self) -> int:
        """Bytes of each drive that it goes through."""
        return self._total * int(reliable(self.volume.system, self.volume.row)[0]["strip"])

    @property
    def share_simulated(self) -> float:
        """Share of its rows that are simulated, 0 to 1."""
        found = [sweep.progress(self.volume.system, one) for one in self._sweeps]
        rows = [int(self.volume.system.world.sweeps[one]["end"]) for one in self._sweeps]
        first = [int(self.volume.system.world.sweeps[one]["first"]) for one in self._sweeps]
        asked = sum(rows) - sum(first)
        return sum(one.rows for one in found) / asked if asked else 1.0

    @property
    def found(self) -> int:
        """Bad sectors that it has met, and stripes whose parity or copies did not agree."""
        return sum(one.found for one in self._all) + self._inconsistent

    @property
    def repaired(self) -> int:
        """How many of these it has put right."""
        return sum(one.repaired for one in self._all) + self._corrected

    @property
    def punctured(self) -> int:
        """Rows of strips that nothing could restore."""
        return sum(one.punctured for one in self._all)

    # -- changes --------------------------------------------------------------------------------

    def pause(self) -> None:
        """Begin nothing more until :meth:`resume`; what is under way is finished."""
        if not self.is_over:
            self._is_paused = True
            self.volume.env.sync()
            sweep.pause(self.volume.system, self._sweeps[-1])

    def resume(self) -> None:
        """Go on after a pause."""
        if self._is_paused and not self.is_over:
            self._is_paused = False
            self.volume.env.sync()
            sweep.resume(self.volume.system, self._sweeps[-1])

    def stop(self) -> None:
        """Give it up: it ends with what is under way."""
        if not self.is_over:
            self._left.clear()
            self._is_paused = False
            self.volume.env.sync()
            sweep.stop(self.volume.system, self._sweeps[-1])

    def fail_with_array(self) -> None:
        """The array has failed: what goes through all of it can't go on.

        A rebuild or copy-back may still have all that it needs; it fails at the first row for
        which it has not.
        """
        if not self.is_over and self.drive is None:
            self._has_failed = True
            self.stop()

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
        self.pace = replace(self.pace, rate=share)
        if not self.is_over:
            sweep.set_rate(self.volume.system, self._sweeps[-1], share)

    # -- its parts ------------------------------------------------------------------------------

    _inconsistent = 0
    _corrected = 0
    _under_way = 0

    @property
    def _all(self) -> list[sweep.Progress]:
        return [sweep.progress(self.volume.system, one) for one in self._sweeps]

    @property
    def _last(self) -> sweep.Progress | None:
        return sweep.progress(self.volume.system, self._sweeps[-1]) if self._sweeps else None

    def _next(self) -> None:
        """Begin with the next range of rows, or end."""
        env = self.volume.env
        last = self._last
        if not self._left or (last is not None and (last.lost or last.stopped)):
            self._ended = env.now
            if self._at_end is not None:
                self._at_end(self)
            self.succeed(self)
            return
        rows = self._left.pop(0)
        self._under_way = rows[1] - rows[0]
        env.sync()
        part = simpy.Event(env)
        part.callbacks.append(self._part_ended)
        self._sweeps.append(
            sweep.add_sweep(
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

    def _part_ended(self, _event: Any) -> None:
        last = self._last
        assert last is not None
        self._through += self._under_way * last.done / max(last.rows, 1)
        self._next()
        if self._is_paused and not self.is_over:
            sweep.pause(self.volume.system, self._sweeps[-1])

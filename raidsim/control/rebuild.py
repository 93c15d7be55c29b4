"""Rebuilds of software RAID: one pass over the rows fills all missing drives of an array.

Linux md does the same (``md_do_sync`` in drivers/md/md.c). One thread goes through the rows, reads
the surviving data of a stripe once, and writes it to every member that lacks it. If another drive
is added meanwhile (``mdadm`` freezes the array for this), or if one fails, the pass is broken off.
Another pass begins with all drives that must be filled now, at the lowest row that one of them
lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import simpy

from raidsim.assembly.volume_rows import member_of, reliable
from raidsim.control.operation import Operation, Worked
from raidsim.intervene import operation
from raidsim.intervene.operation import Pace, Progress
from raidsim.kernel import operation_tables as s
from raidsim.kernel import tables as t


class Rebuild(Operation):
    """A rebuild of one drive, which a pass does together with those of others.

    What is paused, resumed or set to another rate is the pass, and so all of them. Whatever came
    last sets the pace.

    Parameters
    ----------
    volume, pace, drive
        See :class:`Operation`.
    rows
        Rows of strips of the array.
    together
        The pass that does it.
    """

    def __init__(
        self, volume: Worked, pace: Pace, rows: int, *, drive: int, together: Pass
    ) -> None:
        self.number = drive
        self.rows = rows
        self.together = together
        self.has = 0  # rows that it has, though the pass may be before them
        self._final: list[Progress] | None = None
        super().__init__(volume, "rebuild", pace, [(0, rows)], drive=drive)

    @property
    def is_given_up(self) -> bool:
        """Whether it ends, or has ended, before it is done."""
        return bool(self._given_up)

    # -- changes --------------------------------------------------------------------------------

    def pause(self) -> None:
        """Let the pass begin nothing more until :meth:`resume`."""
        for one in self.together.fellows(self):
            Operation.pause(one)

    def resume(self) -> None:
        """Let the pass go on."""
        for one in self.together.fellows(self):
            Operation.resume(one)

    def set_rate(self, rate: str) -> None:
        """Let the pass work for another share of the time; see :class:`Operation`."""
        for one in self.together.fellows(self):
            Operation.set_rate(one, rate)

    def give_up(self, *, failed: bool = False, why: str = "") -> None:
        """Let it end: at once if the pass has other drives to fill, else with what is under way."""
        if self.is_over:
            return
        self.volume.env.sync()
        if not self.together.leave(self):
            super().give_up(failed=failed, why=why)
            return
        self._given_up = "failed" if failed else "stopped"
        if failed:
            self.why = why or self._obstacle()
        self._final = self._all
        if self._final:
            last = self._final[-1]
            self._final[-1] = replace(last, lost=failed, stopped=True)
            self._through += self._under_way * last.done / max(last.rows, 1)
        self._left.clear()
        self._is_paused = False
        self._end()

    # -- its parts ------------------------------------------------------------------------------

    @property
    def _all(self) -> list[Progress]:
        return list(super()._all) if self._final is None else self._final

    @property
    def _last(self) -> Progress | None:
        if self._final is None:
            return super()._last
        return self._final[-1] if self._final else None

    def _next(self) -> None:
        if self._left:
            self.together.join(self)
        else:
            self._end()

    def begins(self, row: int, low: int, pace: Pace, *, paused: bool) -> None:
        """A pass has begun with it, at row ``low`` of the array: the kernel's operation ``row``."""
        self.pace = pace
        self._is_paused = paused
        self._left.clear()
        self._under_way = self.rows - low
        self._total = int(self._through) + self._under_way
        self._low = low
        self._operations.append(row)

    def turns_back(self) -> None:
        """The pass was broken off: it keeps what it has, and waits for the next one.

        Of a sample it has as many rows as were simulated: all would have gone as fast.
        """
        last = self._last
        assert last is not None
        system, place = self.volume.system, self.volume.row
        layout, good = reliable(system, place)
        strip = int(layout["strip"])
        self.has = min(max(self.has, self._low + last.done), int(good[self.number]) // strip)
        system.world.good[member_of(system, place, self.number)] = self.has * strip
        self._through += last.done
        self._under_way = 0
        self._left = [(0, self.rows)]

    def ends(self, event: Any) -> None:
        """The pass is over, or goes on without it."""
        if self._operations:
            self._part_ended(event)
        else:
            self._end()


class Pass:
    """Rebuilds that are done together, one pass over the rows after the other.

    Attributes
    ----------
    rebuilds
        Those that are not over yet.
    """

    def __init__(self) -> None:
        self.rebuilds: list[Rebuild] = []
        self._row: int | None = None  # the kernel's operation that is under way
        self._taken: Sequence[Rebuild] = ()  # those that it fills the drives of
        self._is_broken_off = False

    def fellows(self, rebuild: Rebuild) -> list[Rebuild]:
        """All that are done with a rebuild, and itself."""
        return list(self.rebuilds) if rebuild in self.rebuilds else [rebuild]

    def join(self, rebuild: Rebuild) -> None:
        """Fill one drive more: the pass that is under way is broken off."""
        self.rebuilds.append(rebuild)
        if len(self.rebuilds) == 1:
            rebuild.volume.env.when_on(self._begin)
        else:
            self._break_off(rebuild)

    def leave(self, rebuild: Rebuild) -> bool:
        """Go on without a rebuild; False if there is no other one."""
        others = [one for one in self.rebuilds if one is not rebuild and not one.is_given_up]
        if rebuild not in self.rebuilds or not others:
            return False
        self.rebuilds.remove(rebuild)
        self._break_off(rebuild)
        return True

    def _break_off(self, rebuild: Rebuild) -> None:
        """Begin anew once what is under way has ended, unless it is waited for already."""
        if self._row is None or self._is_broken_off:
            return
        system = rebuild.volume.system
        rebuild.volume.env.sync()
        if system.world.operations[self._row]["ended"] != t.NONE:
            return
        self._is_broken_off = True
        for one in self._taken:
            one.mark()
        operation.stop(system, self._row)

    def _begin(self) -> None:
        """Begin a pass with all that are there now."""
        for one in [one for one in self.rebuilds if one.is_given_up]:
            self.rebuilds.remove(one)
            one.ends(None)
        if not self.rebuilds:
            return
        last = self.rebuilds[-1]
        volume, pace = last.volume, last.pace
        env = volume.env
        env.sync()
        low = min(one.has for one in self.rebuilds)
        # A sample has places in the whole array, and represents its remaining rows.
        before = 0 if pace.sample == 1.0 else low
        part = simpy.Event(env)
        part.callbacks.append(self._ended)
        self._row = operation.add_operation(
            volume.system,
            volume.row,
            s.REBUILD,
            pace,
            (low - before, last.rows),
            targets=[(one.number, one.has - before) for one in self.rebuilds],
            ticket=env.ticket(part),
        )
        self._taken = tuple(self.rebuilds)
        paused = any(one.state == "paused" for one in self.rebuilds)
        for one in self.rebuilds:
            one.begins(self._row, low, pace, paused=paused)
        if paused:
            operation.pause(volume.system, self._row)

    def _ended(self, event: Any) -> None:
        """The pass is through, was broken off, was stopped, or has lost one of its drives."""
        row, taken = self._row, self._taken
        assert row is not None
        system = taken[0].volume.system
        how = operation.progress(system, row)
        ending: Sequence[Rebuild] = taken
        if how.lost:
            lost = operation.lost_targets(system, row)
            ending = [one for one, is_lost in zip(taken, lost, strict=True) if is_lost] or taken
        elif self._is_broken_off:
            ending = ()
        ending = [one for one in self.rebuilds if one in ending or one.is_given_up]
        self.rebuilds = [one for one in self.rebuilds if one not in ending]
        self._row, self._taken, self._is_broken_off = None, (), False
        for one in self.rebuilds:
            one.mark()
            if one in taken:
                one.turns_back()
        for one in ending:
            one.ends(event)
        if self.rebuilds:
            self.rebuilds[0].volume.env.when_on(self._begin)

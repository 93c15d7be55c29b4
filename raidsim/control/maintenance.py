"""Faults of a volume and their repair: failures, defects, spares, rebuilds, copy-backs."""

from __future__ import annotations

from collections.abc import Sequence

from raidsim.assembly.volume_rows import reliable
from raidsim.control.arguments import Arguments
from raidsim.control.background import Operated
from raidsim.control.clock import to_ns
from raidsim.control.operation import Operation
from raidsim.control.rebuild import Pass, Rebuild
from raidsim.intervene import operation
from raidsim.intervene.operation import Pace
from raidsim.layout.tables import PARITY

LONGEST_DELAY = 3600.0  # s


class Maintained(Operated):
    """A volume whose drives fail, are repaired, replaced and rebuilt."""

    _sector: int

    # -- faults -------------------------------------------------------------------------------

    def fail(self, drive: int = 0) -> Operation | None:
        """Let a drive answer every command from now on with an error.

        The array goes on without it, from the first error on: what it held is read from the
        others, and what is to be written there is not. Commands that need data which no drive
        holds any more fail. If there is a hot spare it takes the drive's place, and its rebuild
        begins at once.

        Parameters
        ----------
        drive
            Which one, from 0 on.

        Returns
        -------
        Operation or None
            The rebuild of the spare, if there is one.

        Raises
        ------
        InputError
            If there is no such drive.
        """
        number = self._drives.check(Arguments(f"{self.name}.fail()"), drive)
        self.env.sync()
        self._drives.lose_power(number)
        return self._go_without(number)

    def _go_without(self, number: int) -> Operation | None:
        """Let a drive answer no more: it has failed, or nothing reaches it."""
        self.env.sync()
        self._drives.fail(number)
        if self.health == "failed":
            self._give_up()
        if self._paths.note_failure(number):
            return None
        return self._let_spare_stand_in_for(number)

    def set_delay(self, delay: float, drive: int | None = None) -> None:
        """Let drives take longer for every command from now on: they retry, they are worn.

        Parameters
        ----------
        delay
            s for each command, one after the other; 0 for a drive as it was.
        drive
            Which one, from 0 on; None for all.

        Raises
        ------
        InputError
            If there is no such drive, or the time is negative or more than an hour.
        """
        check = Arguments(f"{self.name}.set_delay()")
        seconds = check.number("delay", delay, 0.0, LONGEST_DELAY, " s")
        check.raise_if_wrong()
        rows = self._drives.rows
        chosen = rows if drive is None else [rows[self._drives.check(check, drive)]]
        self.env.sync()
        for row in chosen:
            self.system.world.drives[row]["delay"] = to_ns(seconds)

    def add_defects(self, drive: int, offsets: Sequence[int]) -> None:
        """Let sectors of a drive be unreadable from now on, until they are written anew.

        A read that meets one takes the drive's recovery time, and comes back without data. An
        array with redundancy restores the strip from the other drives and writes it, before it
        reads again; else the read fails.

        Parameters
        ----------
        drive
            Which one, from 0 on.
        offsets
            Addresses on the drive, bytes: multiples of its sector.

        Raises
        ------
        InputError
            If there is no such drive, or an address is none of its sectors.
        """
        check = Arguments(f"{self.name}.add_defects()")
        number = self._drives.check(check, drive)
        check.several("offsets", offsets, "give a list of byte addresses")
        check.raise_if_wrong()
        row = self._drives.rows[number]
        last = int(self.system.world.drives[row]["size"]) - self._sector
        places = [
            check.whole(f"offsets[{i}]", offset, 0, last, self._sector)
            for i, offset in enumerate(offsets)
        ]
        check.raise_if_wrong()
        self.env.sync()
        operation.add_defects(self.system, row, places, self._sector)

    # -- repairs ------------------------------------------------------------------------------

    def repair(self, drive: int = 0) -> None:
        """Make a failed drive work again, with its old data.

        An array with redundancy has continued without it, so that its data is out of date. There
        the drive must be replaced or rebuilt, and this call is refused.

        Parameters
        ----------
        drive
            Which one, from 0 on.

        Raises
        ------
        InputError
            If there is no such drive, or if it would need a rebuild.
        """
        check = Arguments(f"{self.name}.repair()")
        number = self._drives.check(check, drive)
        if not self._drives.is_failed(number):
            return
        self._must_be_in_reach(check, number)
        if self.failures_tolerated > 0:
            cause = f"the array continued without drive {number}, so its data is out of date"
            check.wrong("drive", cause, f"{self.name}.replace({number}), which rebuilds it")
        check.raise_if_wrong()
        self._drives.repair(number)
        self._paths.wait_for_import()
        self._is_back()

    def replace(
        self, drive: int, *, rate: str | None = None, sample: str | None = None
    ) -> Operation | None:
        """Put a new, empty drive in the place of a failed one.

        Its rebuild begins at once. Software RAID that rebuilds another drive of the array already
        fills both in one pass from now on.

        If a hot spare has taken its place and works, a controller copies all back from that, which
        is then a spare again. Under software RAID the spare stays what it has become, and the new
        drive is a spare. A spare takes the place of a drive that is missing at once.

        Parameters
        ----------
        drive
            Which one, from 0 on.
        rate, sample
            In place of the volume's rebuild_rate and rebuild_sample, such as "50 %".

        Returns
        -------
        Operation or None
            The rebuild or copy-back that begins; None if the new drive is a hot spare.

        Raises
        ------
        InputError
            If there is no such drive, it has not failed, or the volume has no redundancy.
        """
        check = Arguments(f"{self.name}.replace()")
        number = self._drives.check(check, drive)
        how = self._how(check, rate, sample)
        self._must_be_in_reach(check, number)
        if self.failures_tolerated == 0:
            cause = f"{self.spec.level} has no redundancy: nothing would be on the new drive"
            check.wrong("drive", cause, "restore the data from a backup")
        elif number not in self._drives.replaced and not self._drives.is_failed(number):
            check.wrong("drive", f"drive {number} has not failed", "fail() it first")
        check.raise_if_wrong()
        self.env.sync()
        if number in self._drives.replaced:
            if not self._drives.is_failed(number):
                if self.controller is not None:
                    return self._copy_back(check, number, how)
                self._drives.add_spare(number)
                return self._use_spares(how)
            self._drives.leave_spare(number)
        return self._renew(number, how)

    def _renew(self, number: int, how: Pace) -> Operation:
        """Rebuild a drive that has failed on a new one in its place."""
        self._give_up_work_on(number)
        self._drives.renew(self._drives.rows[number])
        self._drives.distrust(number)
        return self._rebuild(number, how)

    def rebuild(
        self, drive: int, *, rate: str | None = None, sample: str | None = None
    ) -> Operation:
        """Restore what a drive should hold from the others; one that has failed is replaced first.

        Parameters and errors are those of :meth:`replace`; it is refused for a drive that holds
        all that it should.

        Returns
        -------
        Operation
            The rebuild.
        """
        check = Arguments(f"{self.name}.rebuild()")
        number = self._drives.check(check, drive)
        how = self._how(check, rate, sample)
        if self.failures_tolerated == 0:
            cause = f"{self.spec.level} has no redundancy: there is nothing to rebuild from"
            check.wrong("drive", cause, "restore the data from a backup")
        elif self._drives.is_whole(number):
            check.wrong("drive", f"drive {number} holds all that it should", "fail() it first")
        elif self._is_rebuilding(number):
            check.wrong("drive", f"drive {number} is being rebuilt", "wait for its end")
        check.raise_if_wrong()
        failed = self._drives.is_failed(number)
        if failed:
            self._must_be_in_reach(check, number)
        self.env.sync()
        if failed and number in self._drives.replaced:
            self._drives.leave_spare(number)
        return self._renew(number, how) if failed else self._rebuild(number, how)

    def copy_back(
        self, drive: int, *, rate: str | None = None, sample: str | None = None
    ) -> Operation:
        """Copy all data from the hot spare that replaces a drive to a new drive in its place.

        The array keeps its redundancy meanwhile. Parameters and errors are those of
        :meth:`replace`. It is refused if no spare replaces the drive, and under software RAID,
        where the spare stays.
        """
        check = Arguments(f"{self.name}.copy_back()")
        number = self._drives.check(check, drive)
        how = self._how(check, rate, sample)
        if self.controller is None:
            cause = "software RAID has no copy-back: a new drive is a hot spare"
            check.wrong("drive", cause, f"{self.name}.replace({number}), which adds it")
        elif number not in self._drives.replaced:
            check.wrong("drive", f"no hot spare stands in for drive {number}", "see replace()")
        elif self._drives.is_failed(number):
            cause = f"the hot spare for drive {number} has failed"
            check.wrong("drive", cause, f"{self.name}.replace({number}), which rebuilds it")
        check.raise_if_wrong()
        self.env.sync()
        return self._copy_back(check, number, how)

    # -- how it is done ---------------------------------------------------------------------------

    def _must_be_in_reach(self, check: Arguments, number: int) -> None:
        """Note what stands between a drive, or what it is replaced with, and its work."""
        row = self._drives.replaced.get(number, self._drives.rows[number])
        if obstacle := self._paths.obstacle(row):
            check.wrong("drive", *obstacle)
            check.raise_if_wrong()

    def _is_back(self) -> None:
        """The array is back: writes go where they did before, and rebuilds begin anew."""
        if self.controller is not None:
            self.controller.ownership.set_write_modes()
        for number in range(len(self._drives.rows)):
            if self._drives.is_failed(number) or self._drives.is_whole(number):
                continue
            self._give_up_work_on(number)
            self._rebuild(number, self._pace)
        self._use_spares()

    def _use_spares(self, how: Pace | None = None) -> Operation | None:
        """Let hot spares that have come free take the places of drives that have failed.

        Gives the rebuild that begins first; None if there is none.
        """
        if self._paths.is_offline or self.health == "failed":
            return None
        begun = [self._let_spare_stand_in_for(number, how) for number in self.failed]
        return begun[0] if begun else None

    def _let_spare_stand_in_for(self, number: int, how: Pace | None = None) -> Operation | None:
        """Let a hot spare take the place of a drive, if there is one: its rebuild begins."""
        if self.failures_tolerated == 0 or not self._drives.take_spare(number):
            return None
        self._give_up_work_on(number, failed=True)  # it was about the drive that failed
        return self._rebuild(number, how or self._pace)

    def _give_up_work_on(self, number: int, *, failed: bool = False) -> None:
        """Give up what is under way on a drive: another one takes its place, or it begins anew."""
        for one in self.operations:
            if one.drive == number:
                one.give_up(failed=failed, why=f"drive {number} has failed" if failed else "")

    def _is_rebuilding(self, number: int) -> bool:
        return any(one.drive == number and not one.is_over for one in self.operations)

    def _rebuild(self, number: int, how: Pace) -> Operation:
        rows = self._rows[1]
        if self.controller is not None:
            return self._begin("rebuild", how, [(0, rows)], drive=number)
        return self._has_begun(
            Rebuild(self, how, rows, drive=number, together=self._pass_with(number))
        )

    def _pass_with(self, number: int) -> Pass:
        """The pass that fills drives of the same array: the one under way, or a new one.

        Each span of RAID 50 or 60 is an array by itself; Linux md's RAID 10 is one.
        """
        layout, _ = reliable(self.system, self.row)
        size = int(layout["span_drives"] if layout["family"] == PARITY else layout["drives"])
        rebuilds = [one for one in self.operations if isinstance(one, Rebuild)]
        for one in rebuilds:
            if not (one.is_over or one.is_given_up) and one.number // size == number // size:
                return one.together
        return Pass()

    def _copy_back(self, check: Arguments, number: int, how: Pace) -> Operation:
        if self._is_rebuilding(number):
            cause = f"the hot spare for drive {number} is still being rebuilt"
            check.wrong("drive", cause, "wait for its end")
        check.raise_if_wrong()
        target = self._drives.replaced[number]
        spare = self._drives.rows[number]
        self._drives.renew(target)

        def swap(operation: Operation) -> None:
            if operation.state == "done":
                self._drives.give_back(number, spare)
                self._use_spares()
            else:
                self._drives.end_copy(number)

        rows = [(0, self._rows[1])]
        return self._begin("copy-back", how, rows, drive=number, copy=target, at_end=swap)

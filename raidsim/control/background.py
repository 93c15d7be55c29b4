"""Background operations of a volume: checks, patrols, initialisations, resyncs; and its health."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raidsim.assembly.volume_rows import reliable
from raidsim.control.arguments import Arguments
from raidsim.control.controller import Controller
from raidsim.control.drives import Drives
from raidsim.control.environment import Environment
from raidsim.control.measured import Measured
from raidsim.control.operation import Operation
from raidsim.control.paths import Paths
from raidsim.errors import quote
from raidsim.intervene.operation import Pace
from raidsim.layout.tables import MIRRORED, PARITY
from raidsim.scenario import VolumeSpec

FAST = 10 * 2**20  # bytes at each end of a drive that a fast initialisation writes


class Operated(Measured):
    """A volume with a health, and with operations that go through all of it in the background."""

    env: Environment
    row: int
    spec: VolumeSpec
    failures_tolerated: int
    operations: list[Operation]
    controller: Controller | None
    _drives: Drives
    _paths: Paths
    _pace: Pace

    # -- operations --------------------------------------------------------------------------------

    def check(self, *, rate: str | None = None, sample: str | None = None) -> Operation:
        """Read all copies, or all data and parity, and compare them: a consistency check.

        Stripes that a power cut has left inconsistent are found and made consistent, sectors
        that can't be read are restored. Refused while a drive is missing or being rebuilt.
        """
        return self._go_through("consistency check", "check", rate, sample)

    def patrol(self, *, rate: str | None = None, sample: str | None = None) -> Operation:
        """Read every drive, all of it: sectors that can't be read are found and restored."""
        return self._go_through("patrol", "patrol", rate, sample)

    def initialise(
        self, *, full: bool = True, rate: str | None = None, sample: str | None = None
    ) -> Operation:
        """Write all drives; or, if not ``full``, only the first and last 10 MiB of each."""
        check = Arguments(f"{self.name}.initialise()")
        check.instance("full", full, bool, "give True or False")
        check.raise_if_wrong()
        if full or not self._drives.is_array:
            return self._go_through("initialisation", "initialise", rate, sample)
        strip, rows = self._rows
        ends = min(-(-FAST // strip), rows // 2)
        both = [(0, ends), (rows - ends, rows)] if ends else [(0, rows)]
        return self._go_through("initialisation", "initialise", rate, "100 %", both)

    def resync(
        self,
        rows: Sequence[tuple[int, int]] | None = None,
        *,
        rate: str | None = None,
        sample: str | None = None,
    ) -> Operation:
        """Make copies and parity consistent after a power cut.

        Of copies the first is read and written to the others; with parity all of a stripe is
        read, and parity written where it differs.

        Parameters
        ----------
        rows
            Which rows of strips: pairs of the first one and the one behind the last; None for
            all.
        """
        return self._go_through("resync", "resync", rate, sample, rows)

    # -- its state ---------------------------------------------------------------------------------

    @property
    def failed(self) -> list[int]:
        """Numbers of the drives that answer with errors, from 0 on; empty if all work."""
        return self._drives.failed

    @property
    def spares(self) -> int:
        """Hot spares that are left."""
        return len(self._drives.spares)

    @property
    def health(self) -> str:
        """The health of the volume.

        "optimal", "degraded" (some drive does not hold what it should, and all data can be
        read), "rebuilding" (the same, and it is being restored) or "failed" (some data can't be
        read).
        """
        found = self._drives.health
        under_way = any(one.kind == "rebuild" and not one.is_over for one in self.operations)
        return "rebuilding" if found == "degraded" and under_way else found

    @property
    def keeps_cache(self) -> bool:
        """Whether the cache that serves it outlasts a power cut."""
        return self.controller is not None and self.controller.ownership.keeps_cache

    def obstacle_to(self, drive: int | None) -> str | None:
        """Return the reason why background work on a drive, or on all, cannot continue now.

        None if it could.

        Raises
        ------
        InputError
            If there is no such drive.
        """
        if drive is not None:
            drive = self._drives.check(Arguments(f"{self.name}.obstacle_to()"), drive)
        if self._paths.is_offline:
            return f"{self.name} is out of reach"
        if self.health == "failed":
            every = range(len(self._drives.rows))
            lost = [number for number in every if not self._drives.is_whole(number)]
            words = f"drives {', '.join(map(str, lost[:-1]))} and {lost[-1]}"
            which, are = (words, "are") if len(lost) > 1 else (f"drive {lost[0]}", "is")
            return f"{self.spec.level} cannot go on without {which}, which {are} lost"
        if drive is not None and self._drives.is_failed(drive):
            return f"drive {drive} has failed"
        return None

    # -- how it is done ----------------------------------------------------------------------------

    def _keep(self, drives: Drives, pace: Pace) -> None:
        """Keep these drives, with background work at this pace."""
        self._drives = drives
        self._pace = pace
        self.operations = []

    @property
    def _rows(self) -> tuple[int, int]:
        """Bytes of a strip, and rows of strips."""
        layout, _ = reliable(self.system, self.row)
        return int(layout["strip"]), int(layout["rows"])

    def _how(self, check: Arguments, rate: str | None, sample: str | None) -> Pace:
        """The volume's pace, with another rate or sample."""
        how = self._pace
        if rate is not None:
            how = replace(how, rate=check.quantity("rate", rate, "share", "1 %", "100 %"))
        if sample is not None:
            share = check.quantity("sample", sample, "share", "0.001 %", "100 %")
            how = replace(how, sample=share)
        return how

    def _go_through(
        self,
        kind: str,
        call: str,
        rate: str | None,
        sample: str | None,
        rows: Sequence[tuple[int, int]] | None = None,
    ) -> Operation:
        check = Arguments(f"{self.name}.{call}()")
        how = self._how(check, rate, sample)
        if not self._drives.is_array:
            check.wrong("level", "is one drive on the host itself", "make it an array")
        check.raise_if_wrong()
        layout, _ = reliable(self.system, self.row)
        if kind in ("consistency check", "resync") and layout["family"] not in (MIRRORED, PARITY):
            cause = f"{self.spec.level} has no redundancy: there is nothing to compare"
            check.wrong("level", cause, "patrol() reads all of it")
        elif kind == "consistency check" and self.health in ("degraded", "rebuilding"):
            cause = f"{self.name} is {self.health}: lost data cannot be compared"
            check.wrong("health", cause, "rebuild it first")
        all_rows = int(layout["rows"])
        given: Any = [(0, all_rows)] if rows is None else rows
        pairs = "give pairs (first row, row behind the last), or None for all"
        check.several("rows", given, pairs)
        check.raise_if_wrong()
        chosen = []
        for i, pair in enumerate(given):
            if not (isinstance(pair, list | tuple) and len(pair) == 2):
                check.wrong(f"rows[{i}]", f"{quote(pair)} is not a pair of rows", pairs)
                continue
            first = check.whole(f"rows[{i}]", pair[0], 0, all_rows - 1)
            chosen.append((first, check.whole(f"rows[{i}]", pair[1], first + 1, all_rows)))
        check.raise_if_wrong()
        return self._begin(kind, how, chosen)

    def _begin(
        self, kind: str, how: Pace, rows: Sequence[tuple[int, int]], **more: Any
    ) -> Operation:
        return self._has_begun(Operation(self, kind, how, rows, **more))

    def _has_begun(self, begun: Operation) -> Operation:
        self.operations.append(begun)
        if self.health == "failed":
            begun.fail_with_array()
        return begun

    def _give_up(self) -> None:
        """The array has failed: what goes through it in the background has, too."""
        for one in self.operations:
            one.fail_with_array()

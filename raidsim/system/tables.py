"""The tables of one environment: their rows, and the memory that these take as they grow.

A table doubles when it is full. Some must have room before an event happens, since nothing can grow
within the kernel: jobs, the list of events, completions, and leaves of the maps of flash drives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.kernel.ftl import LEAF
from raidsim.kernel.jobs import take
from raidsim.kernel.world import TABLES, World
from raidsim.records import empty
from raidsim.system.memory import rows_for, taken_by

FIRST_JOBS = 256
SLACK = 64  # rows more than the parts ask for: what any event needs of its own
MOST_JOBS = 1 << 21
SMALL = 16 * 1024  # bytes that a table has at least, once it grows
GROWTH_OF_LEAVES = 4


class SaturationError(Exception):
    """More I/Os are under way than any real queue holds: the load exceeds the system."""


class Tables:
    """Tables of one environment, as the kernel takes them: its `world`."""

    def __init__(self) -> None:
        self._counts = {"state": 1}
        self._tables = {name: empty(table, table.memory.rows) for name, table in TABLES.items()}
        TABLES["state"].begin(self.state)
        for table in ("soon_keys", "soon_events"):
            self.append(table, t.SOON)
        self.state["margin"] = SLACK
        # The leaf of all drives that nothing was written to.
        self._tables["leaves"] = np.full(LEAF, t.NONE, TABLES["leaves"].type)
        self._more_jobs(FIRST_JOBS)
        self.world = World(**self._tables)

    def close(self) -> None:
        """Give back the memory of all tables: nothing can be asked of them any more."""
        del self.world
        self._tables = {}

    # -- rows -----------------------------------------------------------------------

    def append(self, table: str, rows: int = 1) -> int:
        """Index of the first of ``rows`` new rows of a table, as its declaration has them begin."""
        first = self.count(table)
        self.make_room(table, rows)
        TABLES[table].begin(self._tables[table][first : first + rows])
        self._counts[table] = first + rows
        return first

    def make_room(self, table: str, rows: int) -> None:
        """Let a table have memory for ``rows`` more, which need not be copied as they come."""
        have, needed = len(self._tables[table]), self.count(table) + rows
        if needed > have:
            small = SMALL // TABLES[table].row_bytes
            wished = max(2 * have, needed, small)
            self._replace(table, rows_for(self._tables, table, needed, wished), have)

    def _replace(self, table: str, rows: int, kept: int) -> None:
        """Give a table memory for so many rows; what was in the first ``kept`` is there again."""
        new, old = empty(TABLES[table], rows), self._tables[table]
        if kept:  # as bytes: numpy copies records field by field, which takes twenty times as long
            new.view(np.uint8).reshape(-1)[: kept * old[:1].nbytes] = (
                old[:kept].view(np.uint8).reshape(-1)
            )
        self._tables[table] = new
        self.world = World(**self._tables)

    @property
    def memory(self) -> int:
        """Bytes that its tables take now."""
        return taken_by(self._tables)

    def count(self, table: str) -> int:
        """Rows of a table in use."""
        return self._counts.get(table, 0)

    def rows(self, table: str) -> NDArray[Any]:
        """The rows of a table that are in use."""
        used: NDArray[Any] = self._tables[table][: self.count(table)]
        return used

    def add_row(self, table: str, **fields: Any) -> int:
        """Add one row to a table with these fields; its index."""
        index = self.append(table)
        self.set_row(table, index, **fields)
        return index

    def set_row(self, table: str, index: int, **fields: Any) -> None:
        """Set fields of a row of a table."""
        row = self._tables[table][index]
        for name, value in fields.items():
            row[name] = value

    def add_given(self, table: str, times: Iterable[int]) -> int:
        """Append times (ns) to ``given`` or ``arrivals``; index of the first."""
        values = np.asarray(list(times), np.int64)
        first = self.append(table, len(values))
        self._tables[table][first : first + len(values)] = values
        return first

    @property
    def state(self) -> Any:
        """The one row of STATE."""
        return self._tables["state"][0]

    # -- room for what happens ------------------------------------------------------

    def take_job(self, stage: int, **fields: Any) -> int:
        """A job that its owner keeps for good, with these fields; its index."""
        self.have_room()
        index = int(take(self.world, stage, t.NONE))
        self.set_row("jobs", index, **fields)
        return index

    def need_margin(self, jobs: int) -> None:
        """Make sure that one event may take ``jobs`` jobs, and schedule and tell as many.

        Raises
        ------
        InputError
            They are more than one event may take.
        """
        if jobs > MOST_JOBS:
            cause = f"an I/O would cause {jobs} commands and pages at a time, more than {MOST_JOBS}"
            remedy = "give smaller requests and strips, or fewer outstanding"
            raise InputError([Problem(None, None, None, cause, remedy)])
        state = self.state
        state["margin"] = max(int(state["margin"]), jobs + SLACK)

    def need_accesses(self, accesses: int) -> None:
        """Make sure that the plan of one task may list so many accesses."""
        if accesses > len(self._tables["accesses"]):
            self._replace("accesses", rows_for(self._tables, "accesses", accesses, accesses), 0)

    def have_room(self, jobs: int = 0) -> None:
        """Make room now for what is set off outside of a run: as much as an event, or ``jobs``."""
        if jobs:
            self.need_margin(jobs)
        state = self.state
        margin = int(state["margin"])
        while state["free_jobs"] < margin:
            self._more_jobs(max(len(self._tables["jobs"]), margin))
        for table, used in (
            ("heap", int(state["events"])),
            ("completions", int(state["told"] + state["awaited"])),
        ):
            have = len(self._tables[table])
            if used > have - margin:
                self._replace(table, 2 * have + margin, have)
        self._have_margin_of_leaves()

    def _more_jobs(self, rows: int) -> None:
        old = self._tables["jobs"]
        if len(old) + rows > MOST_JOBS:
            raise SaturationError(
                f"more than {len(old)} I/Os and pages are under way and their number grows: "
                "the load asks for more than the system can do"
            )
        self._replace("jobs", len(old) + rows, len(old))
        following = self._tables["jobs"]["next"]
        state = self.state
        fresh = np.arange(len(old), len(old) + rows)
        following[fresh[:-1]] = fresh[1:]
        following[fresh[-1]] = state["free_job"]
        state["free_job"] = fresh[0]
        state["free_jobs"] += rows

    def have_leaves(self, leaves: int, wished: int = 0) -> None:
        """Make room now for so many more leaves of the maps of flash drives, or those wished."""
        have, used = len(self._tables["leaves"]), int(self.state["leaves"])
        needed = (used + leaves) * LEAF
        if needed > have:
            wish = max((used + wished) * LEAF, needed) if wished else max(2 * have, needed)
            rows = rows_for(self._tables, "leaves", needed, wish)
            self._replace("leaves", rows, used * LEAF)

    def _have_margin_of_leaves(self) -> None:
        """Make room for what one event may need, and, as far as that is not much, for all.

        A list takes a leaf of its own for each that it shares, once.
        """
        margin = int(self.state["leaf_margin"])
        used = int(self.state["leaves"])
        if (used + margin) * LEAF > len(self._tables["leaves"]):
            shared = int(np.count_nonzero(self.rows("pages") < 0))
            enough = (GROWTH_OF_LEAVES - 1) * used
            self.have_leaves(margin, wished=margin + min(shared, enough))

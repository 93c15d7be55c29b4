"""The checked kernel: an index that is no row of its table is refused.

Compiled code takes the row of a table without a check. A row behind the end is whatever is in
memory there, and so is ``NONE`` (-1), the row in front of the first. With ``RAIDSIM_CHECKED=1`` in
the environment, every index and every slice in the kernel must be within its table. Otherwise the
run ends with an ``IndexError``; compiled code names the line.

Results are the same and the kernel is slower, so this is for tests and for the search for faults.
The checked kernel has a separate cache. This module is for the interpreted kernel;
:mod:`~raidsim.kernel.bounds` is for the compiled one.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

CHECKED: bool = os.environ.get("RAIDSIM_CHECKED", "0") not in ("", "0")


class CheckedTable(np.ndarray[Any, Any]):
    """A table that refuses what NumPy takes: negative rows, and slices beyond its end."""

    def __getitem__(self, index: Any) -> Any:
        """Row, part or field, if the table has it."""
        self._refuse_outside(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write a row, part or field, if the table has it."""
        self._refuse_outside(index)
        super().__setitem__(index, value)

    def _refuse_outside(self, index: Any) -> None:
        parts = index if isinstance(index, tuple) else (index,)
        for part, rows in zip(parts, self.shape, strict=False):
            if isinstance(part, slice):
                ends = (part.start, part.stop)
                outside = any(end is not None and not 0 <= end <= rows for end in ends)
            else:
                outside = not isinstance(part, str) and not 0 <= part < rows
            if outside:
                raise IndexError(f"{part}: no such row of a table of {rows}")


def world_of(tables: Any) -> Any:
    """Return the tables as CheckedTable: an index that is no row ends the run."""
    return type(tables)(*(table.view(CheckedTable) for table in tables))

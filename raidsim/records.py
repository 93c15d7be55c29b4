"""How a table of records is declared: once, with all its properties.

A :class:`Table` lists its fields in order. Each is declared by its role, and the role determines
what happens to it:

============== ====================================== ======================= ==================
role           what it is                             after a power cut       in a new window
============== ====================================== ======================= ==================
configuration  what was built, or set from outside    stays                   stays state
on a medium, or known from elsewhere   stays                   stays volatile       what is under
way, and what a buffer   as it was at first      stays
               of the hardware remembers
counter        what has been counted since the start  stays                   the difference is
                                                                              the window's
window         what is counted from the opening of    stays                   zero
               the window on
============== ====================================== ======================= ==================

From the declarations come the memory of the tables, the effect of a power cut and of a new window,
the tests of both, and the page docs/reference/tables.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes that a processor reads from memory at a time: a line of its cache."""


class Role(Enum):
    """The role of a field: see the table above."""

    CONFIGURATION = "configuration"
    STATE = "state"
    VOLATILE = "volatile"
    COUNTER = "counter"
    WINDOW = "window"


@dataclass(frozen=True)
class Field:
    """A field of a record.

    Attributes
    ----------
    role : what becomes of it.
    type : NumPy's letter and width, such as "i8".
    meaning : of its value, in words.
    unit : "ns", "B" and so on; "" for a number, an index or a flag.
    start : its value in a row that is new; for a volatile one also after a power cut.
    shape : of a field that is an array.
    """

    role: Role
    type: str
    meaning: str
    unit: str = ""
    start: float = 0
    shape: tuple[int, ...] = ()


configuration = partial(Field, Role.CONFIGURATION)
state = partial(Field, Role.STATE)
volatile = partial(Field, Role.VOLATILE)
counter = partial(Field, Role.COUNTER)
window = partial(Field, Role.WINDOW)


@dataclass(frozen=True)
class Memory:
    """The place of a table's rows in memory.

    Attributes
    ----------
    rows : how many there is memory for at first.
    shape : of what stands under one row number: a record, or an array of them.
    apart : whether a power cut clears only some of the rows, which are not known here.
    """

    rows: int = 1
    shape: tuple[int, ...] = ()
    apart: bool = False


class Table:
    """A table whose rows are records.

    Parameters
    ----------
    name
        Of the table in a world, in the plural.
    meaning
        Of one row, in words.
    memory
        How its rows lie in memory.
    fields
        In the order in which they lie in memory.
    """

    def __init__(
        self, name: str, meaning: str, memory: Memory = Memory(), /, **fields: Field
    ) -> None:
        self.name = name
        self.meaning = meaning
        self.memory = memory
        self.fields = fields
        self.type = np.dtype(
            [(one, field.type, field.shape) for one, field in fields.items()], align=True
        )
        self.row_bytes = self._row_bytes()
        self._of = {
            role: {one: field for one, field in fields.items() if field.role is role}
            for role in Role
        }
        self._starts = {one: field.start for one, field in fields.items() if field.start}

    def of(self, role: Role) -> dict[str, Field]:
        """The fields of a role, by name."""
        return self._of[role]

    def _row_bytes(self) -> int:
        return self.type.itemsize * math.prod(self.memory.shape)

    def begin(self, rows: Any) -> None:
        """Give new rows, which are zero so far, the values that they start with."""
        for name, value in self._starts.items():
            rows[name] = value

    def switch_off(self, rows: Any) -> None:
        """Let a power cut clear these rows."""
        for name, field in self.of(Role.VOLATILE).items():
            rows[name] = field.start

    def open_window(self, rows: Any) -> None:
        """Let what is counted in a window begin anew."""
        for name in self.of(Role.WINDOW):
            rows[name] = 0


class Column(Table):
    """A table whose rows are numbers, or arrays of them.

    Parameters
    ----------
    name, meaning, memory
        As those of a :class:`Table`.
    field
        What each row is.
    """

    def __init__(self, name: str, meaning: str, field: Field, memory: Memory = Memory()) -> None:
        super().__init__(name, meaning, replace(memory, shape=field.shape), value=field)
        self.field = field
        self.type = np.dtype(field.type)
        self.row_bytes = self._row_bytes()

    def begin(self, rows: NDArray[Any]) -> None:
        """Give new rows, which are zero so far, the value that they start with."""
        if self.field.start:
            rows[...] = self.field.start

    def switch_off(self, rows: NDArray[Any]) -> None:
        """Let a power cut clear these rows."""
        if self.field.role is Role.VOLATILE:
            rows[...] = self.field.start

    def open_window(self, rows: NDArray[Any]) -> None:
        """Let what is counted in a window begin anew."""
        if self.field.role is Role.WINDOW:
            rows[...] = 0


def empty(table: Table, rows: int) -> NDArray[Any]:
    """Memory for so many rows of a table, all zero; the first begins with a line of the cache.

    One more row is in front of them: the kernel does not check row -1 if it uses it by mistake.
    """
    front = -(-table.row_bytes // LINE) * LINE
    size = rows * table.row_bytes
    memory = np.zeros(front + size + LINE, np.uint8)
    first = front + -memory.ctypes.data % LINE
    return memory[first : first + size].view(table.type).reshape(rows, *table.memory.shape)


def copied(rows: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of neighbouring rows, as bytes: numpy copies records field by field."""
    copy = np.empty(rows.shape, rows.dtype)
    copy.view(np.uint8)[...] = rows.view(np.uint8)
    return copy

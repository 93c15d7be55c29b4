"""Machine code that is written out: events are moved eight at a time, map entries come early.

Operations on events use groups of :data:`WIDTH` rows, as many groups as hold the events in use.
Behind these all keys are NO_EVENT. Events of one key are in the order in which they were scheduled,
so a new one goes behind the existing ones. Each key becomes the larger or the smaller of two, and
each event follows its key by a comparison. So there is no branch to predict, and nothing waits
until the place of the new event is found. Processors without instructions for eight numbers use
narrower ones.

:func:`fetch` asks the processor for an entry of a page map that will be read soon.

:mod:`~raidsim.kernel.event_list` and :mod:`~raidsim.kernel.ftl` have the same functions step by
step. This is loaded with Numba, when something is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from raidsim.kernel.reference import tell_place
from raidsim.kernel.tables import NO_EVENT, SOON

WIDTH = 8  # rows of a group: a line of the processor's cache
GROUPS = (2, 5, SOON // WIDTH)  # ways to do it: on so many groups
LEAST = -(2**63)  # less than any key

NUMBER = ir.IntType(64)
VECTOR = ir.VectorType(NUMBER, WIDTH)


class Groups:
    """The first rows of a column, group by group."""

    def __init__(self, context, builder, kind, column, groups: int) -> None:
        array = context.make_array(kind)(context, builder, column)
        start = builder.bitcast(array.data, VECTOR.as_pointer())
        self._builder = builder
        self._place = kind.table
        self._groups = [cgutils.gep_inbounds(builder, start, group) for group in range(groups)]
        self.values = [self._tell(builder.load(one, align=WIDTH * 8)) for one in self._groups]

    def put(self, values: list[Any]) -> None:
        """Write all of them."""
        for value, group in zip(values, self._groups, strict=True):
            self._tell(self._builder.store(value, group, align=WIDTH * 8))

    def next(self, fill: int) -> list[Any]:
        """Return the value one row further on; ``fill`` behind the last."""
        rows = [*self.values, VECTOR([fill] * WIDTH)]
        return self._between(rows, 1)

    def previous(self, fill: int) -> list[Any]:
        """Return the value one row before; ``fill`` in front of the first."""
        rows = [VECTOR([fill] * WIDTH), *self.values]
        return self._between(rows, WIDTH - 1)

    def _between(self, rows: list[Any], first: int) -> list[Any]:
        """Rows from the ``first`` of each of these groups on."""
        which = ir.VectorType(ir.IntType(32), WIDTH)(list(range(first, first + WIDTH)))
        return [self._builder.shuffle_vector(*two, which) for two in pairwise(rows)]

    def _tell(self, access):
        tell_place(self._builder, access, self._place)
        return access


def _everywhere(builder, number):
    """A vector of one number."""
    empty = VECTOR(ir.Undefined)
    first = builder.insert_element(empty, number, ir.IntType(32)(0))
    return builder.shuffle_vector(first, empty, ir.VectorType(ir.IntType(32), WIDTH)([0] * WIDTH))


def _insert_in_first(builder, keys: Groups, events: Groups, key, event) -> None:
    """All up to the new event move up one row, so that the first is gone."""
    new_key, new_event = _everywhere(builder, key), _everywhere(builder, event)
    next_keys = keys.next(NO_EVENT)
    # What is scheduled at the same instant, and more urgent, comes before the first, too.
    keys.values[0] = builder.insert_element(keys.values[0], NUMBER(LEAST), NUMBER(0))
    new_keys, new_events = [], []
    for old, old_event, after, event_after in zip(
        keys.values, events.values, next_keys, events.next(0), strict=True
    ):
        goes_up = builder.icmp_signed("<=", after, new_key)
        stays = builder.icmp_signed(">", old, new_key)
        nearer = builder.select(goes_up, after, new_key)
        new_keys.append(builder.select(stays, old, nearer))
        nearer = builder.select(goes_up, event_after, new_event)
        new_events.append(builder.select(stays, old_event, nearer))
    keys.put(new_keys)
    events.put(new_events)


def _insert(builder, keys: Groups, events: Groups, key, event) -> None:
    """All behind the new event move down one row."""
    new_key, new_event = _everywhere(builder, key), _everywhere(builder, event)
    new_keys, new_events = [], []
    for old, old_event, before, event_before in zip(
        keys.values, events.values, keys.previous(LEAST), events.previous(0), strict=True
    ):
        stays = builder.icmp_signed("<=", old, new_key)
        goes_down = builder.icmp_signed(">", before, new_key)
        other = builder.select(goes_down, before, new_key)
        new_keys.append(builder.select(stays, old, other))
        other = builder.select(goes_down, event_before, new_event)
        new_events.append(builder.select(stays, old_event, other))
    keys.put(new_keys)
    events.put(new_events)


def _drop_first(_builder, keys: Groups, events: Groups) -> None:
    """All move up one row."""
    keys.put(keys.next(NO_EVENT))
    events.put(events.next(0))


def _on_groups(body: Callable[..., None], context, builder, signature, arguments):
    """Code that does it on as few groups as hold ``count`` events."""
    key_type, event_type, count_type, *number_types = signature.args
    columns, count, numbers = arguments[:2], arguments[2], arguments[3:]
    count = context.cast(builder, count, count_type, types.int64)
    numbers = [
        context.cast(builder, number, kind, types.int64)
        for number, kind in zip(numbers, number_types, strict=True)
    ]

    def do(groups: int) -> None:
        rows = [
            Groups(context, builder, kind, column, groups)
            for kind, column in zip((key_type, event_type), columns, strict=True)
        ]
        body(builder, *rows, *numbers)

    def choose(ways: tuple[int, ...]) -> None:
        if len(ways) == 1:
            do(ways[0])
            return
        enough = builder.icmp_signed("<=", count, NUMBER(ways[0] * WIDTH))
        with builder.if_else(enough) as (then, otherwise):
            with then:
                do(ways[0])
            with otherwise:
                choose(ways[1:])

    choose(GROUPS)
    return context.get_dummy_value()


@intrinsic
def insert_in_first(_context, keys, events, count, key, event):
    """Put an event in its place, when the first of ``count`` is done with."""
    return types.none(keys, events, count, key, event), partial(_on_groups, _insert_in_first)


@intrinsic
def insert(_context, keys, events, count, key, event):
    """Put an event in its place; ``count`` with it."""
    return types.none(keys, events, count, key, event), partial(_on_groups, _insert)


@intrinsic
def drop_first(_context, keys, events, count):
    """Take the first of ``count`` events away."""
    return types.none(keys, events, count), partial(_on_groups, _drop_first)


READ, NEAREST, DATA = 0, 3, 1  # what LLVM's prefetch is told: for what, how near, of what kind


@intrinsic
def fetch(_context, entries, entry):
    """Let an entry come into the processor's cache; nothing waits for it."""

    def generate(context, builder, signature, arguments):
        kind, number = signature.args
        array = context.make_array(kind)(context, builder, arguments[0])
        place = context.cast(builder, arguments[1], number, types.int64)
        address = builder.bitcast(builder.gep(array.data, [place]), cgutils.voidptr_t)
        word = ir.IntType(32)
        kinds = [address.type, word, word, word]
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [address.type], ir.FunctionType(ir.VoidType(), kinds)
        )
        builder.call(prefetch, [address, word(READ), word(NEAREST), word(DATA)])
        return context.get_dummy_value()

    return types.none(entries, entry), generate


cpu_target.typing_context.refresh()
TYPES = {
    name: cpu_target.typing_context.resolve_value_type(one)
    for name, one in (
        ("insert_in_first", insert_in_first),
        ("insert", insert),
        ("drop_first", drop_first),
        ("fetch", fetch),
    )
}
"""What Numba takes each of them for."""

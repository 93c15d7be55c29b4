"""Parts of reading: numbers many at a time as one by one, and what sorting in a window promises."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim.trace import order
from raidsim.trace.counts import Counts
from raidsim.trace.digits import PADDING, Characters, packed_word
from raidsim.trace.request import REQUEST, TIMED
from raidsim.trace.table import Column, Layout, Table

CELLS = st.lists(
    st.one_of(
        st.from_regex(r"[0-9]{1,22}", fullmatch=True),
        st.from_regex(r"[0-9]{0,20}\.[0-9]{0,22}", fullmatch=True),
        st.text(alphabet="0123456789abcdefx.-+: /", max_size=24),
    ),
    min_size=1,
    max_size=30,
)


def places(cells):
    """The text of some cells, and where each begins and ends."""
    text = ",".join(cells) + "\n"
    ends = np.cumsum([len(cell) + 1 for cell in cells]) - 1 + PADDING
    starts = ends - np.array([len(cell) for cell in cells])
    return Characters(text.encode()), starts, ends


@settings(max_examples=300, deadline=None)
@given(CELLS)
def test_whole_numbers_many_at_a_time_are_those_of_python(cells):
    characters, starts, ends = places(cells)
    values, good = (array.tolist() for array in characters.whole(starts, ends))
    for cell, value, fine in zip(cells, values, good, strict=True):
        expected = cell.isascii() and cell.isdigit() and len(cell) <= 19 and int(cell) < 2**63
        assert fine == expected
        if fine:
            assert value == int(cell)


@settings(max_examples=300, deadline=None)
@given(CELLS, st.sampled_from([0, 3, 6, 9]))
def test_decimal_numbers_many_at_a_time_are_exact_or_left_to_python(cells, digits):
    characters, starts, ends = places(cells)
    values, good = (array.tolist() for array in characters.fixed(starts, ends, digits))
    for cell, value, fine in zip(cells, values, good, strict=True):
        if fine:
            exact = Decimal(cell).scaleb(digits)
            assert value == int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_hexadecimal_numbers_many_at_a_time_are_those_of_python(cells):
    characters, starts, ends = places(cells)
    values, good = (array.tolist() for array in characters.hexadecimal(starts, ends))
    for cell, value, fine in zip(cells, values, good, strict=True):
        if fine:
            assert value == int(cell, 16)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="abcdeXYZ019_", min_size=1, max_size=12), min_size=1, max_size=20))
def test_words_and_names_are_told_apart(cells):
    characters, starts, ends = places(cells)
    words = characters.words(starts, ends).tolist()
    keys = characters.keys(starts, ends)
    for cell, word in zip(cells, words, strict=True):
        short = len(cell) <= 8 and not set(cell) & set("019_")
        if short:
            assert word == packed_word(cell.encode())
    same = [[a == b for b in cells] for a in cells]
    assert (keys[:, None] == keys[None, :]).tolist() == same


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="0123456789,. -+rwRWe\t\r", max_size=30), max_size=20))
def test_lines_read_together_are_the_lines_read_one_by_one(lines):
    columns = (
        Column("time", "fixed", digits=3),
        Column("op", "word", words={"r": 0, "w": 1}),
        Column("size", "whole", may_be_empty=True),
    )
    layout = Layout(columns)
    together, one_by_one = Counts(), Counts()
    text = "".join(f"{line}\n" for line in lines).encode()
    rows = Table(layout, "x").read(text, 1, together)
    table = Table(layout, "x")
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append((number, *table.row(line.strip())))
            except ValueError as error:
                one_by_one.refuse(number, str(error))
    made = list(
        zip(rows.lines.tolist(), *(rows[column.name].tolist() for column in columns), strict=True)
    )
    # Half a tick is rounded up together, and to the even one by one.
    assert [row[0] for row in made] == [row[0] for row in found]
    assert all(abs(a[1] - b[1]) <= 1 and a[2:] == b[2:] for a, b in zip(made, found, strict=True))
    assert [one.line for one in together.examples] == [one.line for one in one_by_one.examples]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_what_is_within_the_window_is_sorted_and_nothing_is_lost(data):
    times = data.draw(st.lists(st.integers(0, 60), min_size=1, max_size=120))
    rows = data.draw(st.integers(1, 20))
    made = np.zeros(len(times), TIMED)
    made["tick"], made["offset"] = times, np.arange(len(times))
    counts, window = Counts(), 8
    before, order.WINDOW = order.WINDOW, window
    try:
        blocks = [made[at : at + rows] for at in range(0, len(made), rows)]
        found = np.concatenate(list(order.in_order(iter(blocks), counts)))
    finally:
        order.WINDOW = before
    assert sorted(found["offset"].tolist()) == list(range(len(times)))
    assert (np.diff(found["tick"]) >= 0).all()
    moved = found["tick"] != np.array(times)[found["offset"]]
    assert counts.late == moved.sum()
    assert counts.unsorted == sum(
        time < max(times[:place], default=0) for place, time in enumerate(times)
    )
    # Who stands no more than the window behind its place is never late.
    for place in found["offset"][moved].tolist():
        assert sum(time > times[place] for time in times[:place]) > window


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 40))
def test_arrivals_are_spread_evenly_over_each_second(numbers, rows):
    made = np.zeros(sum(numbers), REQUEST)
    made["time"] = np.repeat(np.arange(len(numbers)), numbers)
    blocks = [made[at : at + rows] for at in range(0, len(made), rows)]
    found = np.concatenate(list(order.spread(iter(blocks), Counts())))
    expected = [second + n / number for second, number in enumerate(numbers) for n in range(number)]
    np.testing.assert_allclose(found["time"], expected)

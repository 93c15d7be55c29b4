"""What a sweep varies: how keys, values, ranges, draws and conditions are read."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim.errors import InputError
from raidsim.studies.vary import (
    Axis,
    Between,
    between,
    condition,
    number_of,
    parse_axis,
    variants,
)


def values(text: str) -> list[object]:
    return [value for (value,) in parse_axis(f"key={text}").values]


def refusal(call, *args, **keys) -> str:
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("raid5,raid6", ["raid5", "raid6"]),
        ("4..12:4", [4, 8, 12]),
        ("4..13:4", [4, 8, 12]),
        ("4..6", [4, 5, 6]),
        ("1..64*4", [1, 4, 16, 64]),
        ("4 KiB..64 KiB*2", ["4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB"]),
        ("512 KiB..1 MiB:256 KiB", ["512 KiB", "768 KiB", "1024 KiB"]),
        ("0 %..100 %:50 %", ["0 %", "50 %", "100 %"]),
        ("0.5..1.5:0.5", [0.5, 1, 1.5]),
        ("1,4..6,'a,b'", [1, 4, 5, 6, "a,b"]),
        ("[1,2],[3]", [[1, 2], [3]]),
        ("8 KiB", ["8 KiB"]),
    ],
)
def test_values_and_ranges_are_those_that_are_written(text, wanted):
    assert values(text) == wanted


def test_keys_that_go_together_take_their_values_together():
    axis = parse_axis("volume.level+volume.drives=raid6+8,raid10+12")
    assert axis.steps == [
        {"volume.level": "raid6", "volume.drives": 8},
        {"volume.level": "raid10", "volume.drives": 12},
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("volume.drives", "does not say which key takes which values"),
        ("=4", "does not say which key"),
        ("a=4..2:1", "is an empty range"),
        ("a=3..1", "is an empty range"),
        ("a=8..1*2", "is an empty range"),
        ("a=4..8:0", "does not end"),
        ("a=1..8*1", "does not end"),
        ("a=0..8*2", "does not end"),
        ("a=4 KiB..8 ms:1 KiB", "is not in KiB"),
        ("a=4..8:1 KiB", "has a unit"),
        ("a=x..y:1", "is not a number"),
        ("a=1,,2", "has an empty value"),
        ("a+b=1", "has 1 values for 2 keys"),
        ("a=0..1e300:1e-300", "more than 1,000,000 values"),
        ("a=1..2:1e9999", "is not a number"),
    ],
)
def test_what_is_no_range_is_refused_in_words(text, says):
    assert says in refusal(parse_axis, text)


def test_a_grid_has_each_value_with_each_other():
    axes = [parse_axis("a=1..3"), parse_axis("b=x,y"), parse_axis("c=8 KiB")]
    found = [tuple(one.values()) for one in variants(axes)]
    assert found == list(itertools.product((1, 2, 3), "xy", ["8 KiB"]))


def test_a_key_is_varied_once_and_a_grid_is_bounded():
    assert "is varied twice" in refusal(variants, [parse_axis("a=1"), parse_axis("a=2")])
    huge = [Axis((name,), tuple((n,) for n in range(200))) for name in "abc"]
    assert "8,000,000 variants are more than 1,000,000" in refusal(variants, huge)


@settings(max_examples=30)
@given(st.integers(2, 60), st.integers(1, 4), st.integers(0, 2**31))
def test_a_latin_hypercube_has_one_draw_in_each_slice_of_each_key(samples, keys, seed):
    drawn = [Between(f"key{n}", 0.0, 1.0) for n in range(keys)]
    found = variants([], drawn, samples=samples, seed=seed)
    for one in drawn:
        slices = sorted(math.floor(row[one.key] * samples - 1e-6) for row in found)
        assert slices == list(range(samples))


def test_draws_between_whole_numbers_are_whole_and_sizes_are_whole_sectors():
    assert between("a=1..256 log").at(0.5) == 16
    assert between("a=0 %..100 %").at(0.25) == "25 %"
    size = between("a=4 KiB..1 MiB").at(0.3)
    assert number_of(size) % 512 == 0
    assert 4096 <= number_of(size) <= 2**20


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a=3", "does not say between which values"),
        ("a=5..1", "does not rise"),
        ("a=0..8 log", "a logarithm needs values above zero"),
        ("a=x..y", "is not a number"),
    ],
)
def test_what_cannot_be_drawn_is_refused(text, says):
    assert says in refusal(between, text)


@pytest.mark.parametrize(
    ("text", "changes", "wanted"),
    [
        ("a >= 6", {"a": 8}, True),
        ("a >= 6 and b != 'raid5'", {"a": 8, "b": "raid5"}, False),
        ("not a == 1 or a in (1, 2)", {"a": 1}, True),
        ("load.size < '1 MiB'", {"load.size": "64 KiB"}, True),
        ("load.size * 2 == '128 KiB'", {"load.size": "64 KiB"}, True),
        ("4 <= volume.drives < 8", {"volume.drives": 8}, False),
        ("load[1].read > '50 %'", {"load[1].read": "60 %"}, True),
        ("volume.drives % 2 == 0", {"volume.drives": 7}, False),
    ],
)
def test_a_condition_compares_as_python_would_and_knows_units(text, changes, wanted):
    assert condition(text, list(changes))(changes) is wanted


@pytest.mark.parametrize(
    "text",
    ["", "a =", "__import__('os')", "(lambda: a)()", "a.b", "b > 1", "[x for x in a]", "f'{a}'"],
)
def test_a_condition_runs_nothing(text):
    with pytest.raises(InputError):
        condition(text, ["a"])({"a": 1})

"""Quantities: what people write is what raidsim computes with, exactly."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from raidsim import units
from raidsim.units import DIMENSIONS, QuantityError, convert, in_unit, parse, text


@pytest.mark.parametrize(
    ("written", "dimension", "meant"),
    [
        ("8 KiB", "size", 8192),
        ("8KiB", "size", 8192),
        ("8 kB", "size", 8000),
        ("0.1 GB", "capacity", 100_000_000),
        ("32 GiB", "size", 32 * 2**30),
        ("1.6 TB", "capacity", 1_600_000_000_000),
        ("82 us", "time", 82e-6),
        ("82 µs", "time", 82e-6),
        ("2 h", "time", 7200.0),
        ("67 %", "share", 0.67),
        ("3.5 GHz", "frequency", 3.5e9),
        ("1000 IO/s", "rate", 1000.0),
        ("3380 MiB/s", "bandwidth", 3380 * 2**20),
        ("2.8 us/KiB", "time_per_byte", 2.8e-6 / 1024),
        ("-5 C", "temperature", -5.0),
        ("16", "count", 16),
        (16, "count", 16),
        ("1e-17 1/bit", "per_bit", 1e-17),
    ],
)
def test_a_quantity_is_read_in_base_units(written, dimension, meant):
    assert parse(written, dimension) == meant


@pytest.mark.parametrize("written", ["8 KiB", "800 GB"])
def test_a_size_is_a_whole_number(written):
    assert type(parse(written, "size")) is int


def test_a_time_per_byte_may_be_given_as_a_bandwidth():
    assert parse("3380 MiB/s", "time_per_byte") == pytest.approx(1 / (3380 * 2**20), rel=1e-15)


@pytest.mark.parametrize(
    ("written", "dimension", "cause", "remedy"),
    [
        ("10", "time", "no unit", "10 ms"),
        (0.67, "share", "no unit", "67 %"),
        (8192, "size", "no unit", "8 KiB"),
        ("8 KB", "size", "not a unit of a size", "1024 bytes"),
        ("8 KB/s", "bandwidth", "not a unit of a bandwidth", "KiB/s"),
        ("512K", "size", "not a unit of a size", 'write "KiB" (1024 bytes) or "kB" (1000 bytes)'),
        ("512k", "size", "not a unit of a size", 'write "KiB" (1024 bytes) or "kB" (1000 bytes)'),
        ("3 m", "size", "not a unit of a size", 'write "MiB" (1048576 bytes) or "MB"'),
        ("2G", "capacity", "not a unit of a capacity", 'write "GiB" (1073741824 bytes) or "GB"'),
        (
            "1 T",
            "capacity",
            "not a unit of a capacity",
            'write "TiB" (1099511627776 bytes) or "TB"',
        ),
        (
            "100 M",
            "bandwidth",
            "not a unit of a bandwidth",
            'write "MiB/s" (1048576 bytes) or "MB/s"',
        ),
        ("3 us/K", "time_per_byte", "not a unit of a time per byte", 'write "us/KiB" (1024 bytes)'),
        ("1 Gbit/s", "bandwidth", "not a unit of a bandwidth", '1 Gbit/s is "125 MB/s"'),
        ("10 Gbps", "bandwidth", "not a unit of a bandwidth", '1 Gbit/s is "125 MB/s"'),
        ("100 Mb/s", "time_per_byte", "not a unit of a time per byte", '1 Mbit/s is "125 kB/s"'),
        ("64 kbit/s", "bandwidth", "not a unit of a bandwidth", '1 kbit/s is "125 B/s"'),
        ("800 bit/s", "bandwidth", "not a unit of a bandwidth", '8 of them are "1 B/s"'),
        ("5 usec", "time", "not a unit of a time", 'did you mean "us"?'),
        ("3 ms", "size", "a unit of time, not of size", "8 KiB"),
        ("5 %", "time", "a unit of share, not of time", "10 ms"),
        ("-1 us", "time", "negative", "zero or more"),
        ("120 %", "share", "more than 100 %", "0 % to 100 %"),
        ("nan us", "time", "not a number to compute with", "10 ms"),
        ("-inf us", "time", "not a number to compute with", "10 ms"),
        (math.nan, "number", "not a number to compute with", "finite"),
        ("fast", "time", "does not start with a number", "10 ms"),
        ("", "time", "does not start with a number", "10 ms"),
        ("1,000 IO/s", "rate", "separators", "1000 IO/s"),
        ("0.3 B", "size", "whole number of bytes", "8 KiB"),
        ("1.5", "count", "not a whole number", "16"),
        ("5 pieces", "count", "not a unit of a count", "without a unit"),
        ("1e300 s", "time", "too large", "10 ms"),
        ("8192 PiB", "size", "too large", "8 KiB"),
        ("5000 PB", "capacity", "too large", "800 GB"),
        ("0 MiB/s", "time_per_byte", "for ever", "above zero"),
        (True, "count", "not a valid count", "16"),
        ([1], "time", "a list is not a valid time", "10 ms"),
        ({}, "size", "a table is not a valid size", "8 KiB"),
        ("9" * 500 + " us", "time", "too long", "10 ms"),
        ("1e999999999 KiB", "size", "not a unit", "8 KiB"),
    ],
)
def test_what_is_no_quantity_is_refused_with_a_remedy(written, dimension, cause, remedy):
    with pytest.raises(QuantityError) as caught:
        parse(written, dimension)
    assert cause in caught.value.cause
    assert remedy in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, "0 B"), (512, "512 B"), (65_536, "65.54 kB"), (335_544_320, "335.5 MB"),
     (800e9, "800 GB"), (1.6e12, "1.6 TB"), (4e15, "4,000 TB")],
)  # fmt: skip
def test_capacities_for_people_have_the_unit_in_which_they_are_read(number, written):
    assert units.capacity_for_people(number) == written


@pytest.mark.parametrize("dimension", ["count", "share", "time"])
def test_a_number_beyond_all_measure_is_refused(dimension):
    for number in (10**5000, 1.7e308):
        with pytest.raises(QuantityError, match="too large"):
            parse(number, dimension)


@pytest.mark.parametrize(
    ("value", "dimension", "written"),
    [
        (8192, "size", "8 KiB"),
        (800 * 10**9, "capacity", "800 GB"),
        (512, "size", "512 B"),
        (0, "size", "0 B"),
        (60.0, "time", "1 min"),
        (82e-6, "time", "82 us"),
        (3.5e9, "frequency", "3.5 GHz"),
        (0.67, "share", "67 %"),
        (20_000, "count", "20000"),
    ],
)
def test_a_value_is_written_in_few_digits(value, dimension, written):
    assert text(value, dimension) == written


@given(st.integers(0, 2**62))
def test_a_size_survives_being_written(size):
    assert parse(text(size, "size"), "size") == size


@given(st.floats(0, 1e12))
@example(1e-300)
@example(5e-324)
def test_a_time_survives_being_written(seconds):
    assert parse(text(seconds, "time"), "time") == seconds


@given(st.floats(0, 1))
def test_a_share_survives_being_written(share):
    assert parse(text(share, "share"), "share") == share


@given(st.floats(1e-12, 1e6), st.sampled_from(["us/KiB", "MiB/s"]))
def test_a_value_in_some_unit_converts_back(value, unit):
    there = in_unit(value, unit, "time_per_byte")
    assert convert(there, unit, "time_per_byte") == pytest.approx(value, rel=1e-14)


ANYTHING = st.one_of(
    st.text(),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.binary(),
    st.lists(st.integers()),
    st.builds(
        "{}{}{}".format,
        st.one_of(st.floats(), st.integers(), st.sampled_from(["1e99", ".", "0x10", "+", "1_0"])),
        st.sampled_from(["", " ", "\t", "\u00a0"]),
        st.sampled_from([u for d in DIMENSIONS.values() for u in d.known] + ["KB", "µs", "s s"]),
    ),
)


@given(ANYTHING, st.sampled_from(sorted(DIMENSIONS)))
@example(1.797693134862316e306, "share")
def test_whatever_is_written_gives_a_finite_number_or_a_message(written, dimension):
    try:
        value = units.parse(written, dimension)
    except QuantityError:
        return
    assert math.isfinite(value)
    assert value >= 0 or dimension in ("temperature", "deviation")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (10_600.4, 4, "10,600"),
        (75_566.0, 4, "75,570"),
        (1_234.0, 3, "1,230"),
        (999.96, 4, "1,000"),
        (98.4449, 4, "98.44"),
        (0.02245, 3, "0.0225"),
        (-75_566.0, 4, "-75,570"),
    ],
)
def test_a_number_for_people_has_no_exponent(value, digits, text):
    assert units.plain(value, digits) == text

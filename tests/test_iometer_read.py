"""Results of Iometer are read in the units of their generation, test by test."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_texts import DATABASE, GENERATIONS, WHOLE, iometer

from raidsim.errors import InputError
from raidsim.measured.iometer import parse


def job(text: str):
    (found,) = parse(text, "results.csv").jobs
    return found


def refusal(text: str) -> str:
    with pytest.raises(InputError) as refused:
        parse(text, "x.csv")
    return str(refused.value)


# ---------------------------------------------------------------- units


@pytest.mark.parametrize("generation", GENERATIONS)
def test_throughput_of_all_generations_is_bytes_over_time(generation):
    """1000 IO/s of 8 KiB are 8,192,000 B/s, whether told as 7.8 MBps, MiBps or 8.2 MBps."""
    found = job(iometer(generation))
    assert found.bytes_per_s == pytest.approx(1000 * 8192)
    for kind in ("read", "write"):
        one = found.directions[kind]
        assert one.bytes / one.seconds == pytest.approx(one.bytes_per_s)
        assert one.seconds == 60


def test_binary_megabytes_are_read_before_decimal_ones():
    found = job(iometer("2008", **{"Read_MBps (Decimal)": 999.0}))
    assert found.directions["read"].bytes_per_s == pytest.approx(670 * 8192)


def test_little_s_law_holds_between_rates_and_response_times_in_ms():
    found = job(iometer())
    assert found.said.outstanding == 4
    outstanding = sum(
        one.iops * one.latencies["lat"].mean / 1e9
        for one in found.directions.values()
        if one.latencies
    )
    assert outstanding == pytest.approx(4, rel=0.01)


def test_a_result_says_its_program_and_version():
    assert parse(iometer("1.1.0"), "x").version == "Iometer 1.1.0"


# ---------------------------------------------------------------- access specifications


def test_an_access_specification_is_the_load():
    said = job(iometer()).said
    assert [(one.bytes, one.share, one.read, one.random) for one in said.sizes] == [
        (8192, 1, 0.67, 1)
    ]
    assert (said.read, said.random) == (pytest.approx(0.67), 1)
    assert (said.align, said.offset, said.extent) == (4096, 0, None)


def test_lines_of_a_specification_are_a_mix_with_shares_of_their_own():
    lines = ("4096,60,80,100,0,1,0,0,", "65536,40,0,0,0,1,0,0,")  # 1.1.0 ends them with a comma
    said = job(iometer(lines=lines)).said
    assert [(one.bytes, one.share, one.read, one.random) for one in said.sizes] == [
        (4096, 0.6, 0.8, 1),
        (65536, 0.4, 0, 0),
    ]
    assert said.read == pytest.approx(0.48)
    assert said.align == 1, "0 stands for the sectors of the disk"


def test_names_with_commas_and_blanks_are_names():
    name = "4 KiB; 100% Read, 0% random"
    found = job(iometer(**{"Access Specification Name": name}))
    assert found.name == name
    assert found.said.sizes


def test_sectors_of_the_test_are_512_bytes():
    said = job(iometer(Starting_Sector=2048, Maximum_Size=16777216)).said
    assert (said.offset, said.extent) == (2**20, 8 * 2**30)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("8192,100,67,100,10,8,0,0",), "pauses between bursts"),
        (("8192,50,67,100,0,1,0,0",), "add up to 50 %"),
        (("1000,100,67,100,0,1,0,0",), "not a multiple of 512"),
    ],
)
def test_a_specification_that_is_another_load_is_refused_with_the_reason(lines, words):
    refused = job(iometer(lines=lines)).said.refused
    assert any(words in one.meaning for one in refused)


def test_a_specification_that_is_not_in_the_file_leaves_the_load_open():
    text = iometer().replace("Database,0\n", "Other,0\n")
    said = job(text).said
    assert (said.sizes, said.random) == ((), None)
    assert said.mean_size == 8192
    assert said.read == pytest.approx(0.67)
    assert '"Database" is not in the file' in said.why["random"]


# ---------------------------------------------------------------- outstanding I/Os


def test_outstanding_ios_are_those_of_each_worker_on_its_target():
    found = job(iometer(targets=["E: data"] * 4, **{"# Workers": 4, "# Disks": 4}))
    assert (found.said.workers, found.said.outstanding) == (4, 4)


def test_several_targets_are_several_volumes():
    text = iometer(targets=["PHYSICALDRIVE:1", "PHYSICALDRIVE:2"], **{"# Disks": 2})
    said = job(text).said
    assert said.outstanding is None
    assert "PHYSICALDRIVE:1, PHYSICALDRIVE:2" in said.why["outstanding"]


def test_targets_without_names_are_one_volume_if_each_worker_has_one():
    one = job(iometer(targets=(), **{"# Workers": 4, "# Disks": 4})).said
    assert (one.workers, one.outstanding) == (4, 4)
    assert "all 4 workers were on this volume" in one.assumed[0]
    several = job(iometer(targets=(), **{"# Workers": 1, "# Disks": 4})).said
    assert several.outstanding is None
    assert "1 workers had 4 targets" in several.why["outstanding"]


def test_a_queue_depth_that_differed_is_not_known():
    assert job(iometer(Queue_Depth=-2)).said.outstanding is None


# ---------------------------------------------------------------- tests of a file


def test_a_file_holds_many_tests_one_behind_the_other():
    found = parse(iometer(Queue_Depth=1) + iometer(Queue_Depth=16), "x").jobs
    assert [(one.group, one.said.outstanding) for one in found] == [(0, 1), (1, 16)]


def test_bins_of_1_1_0_are_shares_within_their_ends():
    counts = {"2 to 5 mS": 30_000, "5 to 10 mS": 29_400, "0.5 to 1 S": 594, ">= 10 s": 6}
    found = job(iometer(bins=counts))
    both = found.together["lat"]
    assert both.samples == 60_000
    assert both.within[5e6] == 0.5
    assert both.within[10e6] == pytest.approx(0.99)
    assert both.within[1e9] == pytest.approx(1 - 1e-4)
    reads = iometer(bins=counts, Write_IOps=0, Read_IOps=1000, **{"Write_I/Os": 0})
    assert job(reads).directions["read"].latencies["lat"].within[5e6] == 0.5


def test_errors_of_a_test_are_said():
    assert job(iometer(Errors=12)).remarks == ("12 I/Os ended in errors",)


def test_a_file_that_a_spreadsheet_wrote_has_commas_behind_its_lines():
    text = "\r\n".join(f"{line},,," if line[0] == "'" else line for line in iometer().splitlines())
    assert job(text).said.outstanding == 4


def test_what_is_not_understood_is_listed_with_its_line():
    text = iometer() + "'Something new\n17,what is this\n"
    remarks = [str(one) for one in parse(text, "x.csv").remarks]
    lines = iometer().count("\n")
    assert remarks[0].startswith(f"x.csv:{lines + 1}: is left out")
    assert remarks[1].startswith(f"x.csv:{lines + 2}: is left out")


def test_a_row_of_sums_that_is_cut_off_is_no_result():
    text = iometer()
    cut = text[: text.index("ALL,All") + 60]
    words = refusal(cut)
    assert "is cut off: " in words
    assert "a test without a row ALL is left out" in words


@pytest.mark.parametrize("text", ["", "'Results\n", "ALL,All\n", "'Test Type,Test Description\n"])
def test_what_is_no_result_is_refused(text):
    assert "x.csv" in refusal(text)


# ---------------------------------------------------------------- hostile files


def test_a_file_that_is_cut_anywhere_is_read_as_far_as_it_goes_or_refused():
    text = iometer() + iometer("2006")
    for end in range(0, len(text), 40):
        with suppress(InputError):
            parse(text[:end], "x")


cells = st.floats() | st.integers() | st.text("0-9e+., ;'\"ALL\n", max_size=6)


@given(
    st.dictionaries(st.sampled_from(sorted(set(WHOLE) - {"Bytes Read", "Bytes Written"})), cells)
)
@settings(max_examples=80, deadline=None)
def test_any_cell_is_read_or_refused(given_cells):
    with suppress(InputError):
        parse(iometer(**given_cells), "x")


@given(
    st.lists(
        st.sampled_from(
            [
                *DATABASE,
                "1,2",
                "nan,100,0,0,0,1,0,0",
                "8192,-1,0,0,0,1,0,0",
                "1e400,1,1,1,1,1,1,1",
                "8192,100,67,100,0,1,1e300,0",
                "'",
            ]
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_any_line_of_a_specification_is_read_or_refused(lines):
    with suppress(InputError):
        parse(iometer(lines=lines), "x")

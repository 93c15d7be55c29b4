"""`raidsim explain`: what one request causes, as the kernel does it."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import status
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim import scenario
from raidsim.control import Environment, Host, Volume
from raidsim.errors import InputError
from raidsim.explain.explain import explain
from raidsim.explain.types import Command, Explanation, Page
from raidsim.report.console import ReportConsole
from raidsim.report.explain_text import print_explanation

KIB = 1024
DRIVE = "intel-p3700-800gb"
HOST = "fujitsu-rx2540-m1"
# Round numbers, so that the times can be followed by hand and no calibration moves them.
TEXT = f"""
[host]
model = "{HOST}"
set = {{ submit = {{ io_time = "4 us", page_time = "0 us", write_time = "1 us", \
wake_time = "0 us" }}, \
complete = {{ io_time = "2 us" }}, \
pcie = {{ read_time_per_byte = "0 us/KiB", write_time_per_byte = "0 us/KiB" }} }}

[[volume]]
name = "data"
drive = "{DRIVE}"

[volume.set]
command.latency = "6 us"
command.max_transfer = "128 KiB"
link.time_per_byte = "0.25 us/KiB"
front_end = {{ command_time = "2 us", write_time = "1 us", cores = 1 }}
data_path = {{ read_time_per_byte = "0.5 us/KiB", write_time_per_byte = "0.25 us/KiB", \
turnaround = "0 us" }}
buffer.size = "8 MiB"
mapping.unit = "4 KiB"

[volume.set.flash]
channels = 16
dies_per_channel = 8
dies_in_step = 1
planes = 4
page = "16 KiB"
frame = "4 KiB"
stripe = "128 KiB"
parts_in_turn = true
read_time = "80 us"
program_time = "2 ms"
channel_read_time_per_byte = "2 us/KiB"
channel_write_time_per_byte = "4 us/KiB"

[[load]]
read = "50 %"
size = "4 KiB"
outstanding = 1
"""
TWO_VOLUMES = (
    TEXT.replace("[[load]]", f'[[volume]]\nname = "log"\ndrive = "{DRIVE}"\n[[load]]')
    + 'volume = "log"\n'
)
ROUND = scenario.load_text(TEXT)


def commands(explanation: Explanation) -> list[Command]:
    (phase,) = explanation.phases
    return list(phase.commands)


def read_pages(explanation: Explanation) -> list[Page]:
    return [page for c in commands(explanation) for sense in c.senses for page in sense.pages]


def written_pages(explanation: Explanation) -> list[Page]:
    return [page for command in commands(explanation) for page in command.pages]


def assert_cover(rows: list, offset: int, length: int) -> None:
    """The rows cover these bytes in order, each byte once."""
    assert rows[0].offset == offset
    for row, following in pairwise(rows):
        assert row.offset + row.length == following.offset
    assert rows[-1].offset + rows[-1].length == offset + length


requests = given(
    st.sampled_from(["read", "write"]), st.integers(0, 2**20), st.integers(1, 2 * 1000)
)


# ---------------------------------------------------------------- what the rows say


@settings(max_examples=40)
@requests
def test_rows_cover_the_bytes_of_the_request_once(op: str, sector: int, sectors: int) -> None:
    offset, length = 512 * sector, 512 * sectors
    found = explain(ROUND, op, offset, length)
    assert_cover(commands(found), offset, length)
    assert_cover(read_pages(found) if op == "read" else written_pages(found), offset, length)


@settings(max_examples=40)
@requests
def test_a_page_of_the_request_lies_in_one_page_of_flash(
    op: str, sector: int, sectors: int
) -> None:
    found = explain(ROUND, op, 512 * sector, 512 * sectors)
    for page in read_pages(found) + written_pages(found):
        assert page.offset // found.flash.page == page.number
        assert (page.offset + page.length - 1) // found.flash.page == page.number


@settings(max_examples=40)
@given(st.integers(0, 2**20), st.integers(1, 2 * 1000))
def test_a_part_of_a_read_lies_in_one_stripe_on_one_channel(sector: int, sectors: int) -> None:
    found = explain(ROUND, "read", 512 * sector, 512 * sectors)
    stripe = found.flash.stripe
    for command in commands(found):
        for sense in command.senses:
            place = sense.offset // stripe
            assert (sense.offset + sense.length - 1) // stripe == place
            assert sense.part == place - command.offset // stripe + 1
            rounds = place // found.flash.channels  # each begins one channel further
            assert sense.channel == (place + rounds) % found.flash.channels


@settings(max_examples=40)
@given(st.integers(0, 2**20), st.integers(1, 2 * 1000))
def test_whole_ecc_frames_cross_the_channel(sector: int, sectors: int) -> None:
    found = explain(ROUND, "read", 512 * sector, 512 * sectors)
    frame = found.flash.frame
    for page in read_pages(found):
        first, last = page.offset // frame, (page.offset + page.length - 1) // frame
        assert page.frames == last - first + 1


@settings(max_examples=40)
@given(st.integers(0, 2**20), st.integers(1, 2 * 1000))
def test_written_bytes_are_programmed_or_wait_in_the_buffer(sector: int, sectors: int) -> None:
    found = explain(ROUND, "write", 512 * sector, 512 * sectors)
    programmed = len(found.programs) * found.flash.program_unit
    assert programmed + found.left == found.length
    assert 0 <= found.left < found.flash.program_unit


def test_a_64_kib_read_across_a_stripe_boundary_goes_in_two_parts() -> None:
    found = explain(ROUND, "read", "124 KiB", "64 KiB")
    (command,) = commands(found)
    first, second = command.senses
    assert (first.part, first.length, first.channel) == (1, 4 * KIB, 0)
    assert (second.part, second.length, second.channel) == (2, 60 * KIB, 1)
    assert second.begins >= max(page.done for page in first.pages), "one after the other"


def test_of_an_interleaved_drive_each_row_has_the_units_of_one_channel() -> None:
    text = TEXT.replace("parts_in_turn = true", "parts_in_turn = false\ninterleave = 4")
    found = explain(scenario.load_text(text), "read", 8 * KIB, 24 * KIB)
    (command,) = commands(found)
    assert [(sense.offset, sense.length) for sense in command.senses] == [
        (8 * KIB, 8 * KIB),
        (12 * KIB, 8 * KIB),
        (16 * KIB, 4 * KIB),
        (20 * KIB, 4 * KIB),
    ]
    assert len({sense.channel for sense in command.senses}) == 4
    assert sum(sense.frames for sense in command.senses) == 6
    assert "one of every 4 units" in printed(found)


def test_where_parts_are_not_taken_in_turn_all_dies_sense_at_once() -> None:
    text = TEXT.replace("parts_in_turn = true", "parts_in_turn = false")
    (command,) = commands(explain(scenario.load_text(text), "read", "124 KiB", "64 KiB"))
    first, second = command.senses
    assert (first.part, first.channel) == (1, 0)
    assert (second.part, second.channel) == (1, 1)
    assert first.begins == second.begins


def test_a_read_inside_a_stripe_is_one_part_on_one_die() -> None:
    (command,) = commands(explain(ROUND, "read", "128 KiB", "64 KiB"))
    (sense,) = command.senses
    assert (sense.part, sense.channel, sense.die) == (1, 1, 0)
    assert [page.number for page in sense.pages] == [8, 9, 10, 11]


def test_a_long_request_is_split_into_commands_that_go_side_by_side() -> None:
    found = commands(explain(ROUND, "read", "0 B", "300 KiB"))
    assert [command.length for command in found] == [128 * KIB, 128 * KIB, 44 * KIB]
    assert len({command.begins for command in found}) == 1


def test_program_units_go_to_the_channels_in_turn() -> None:
    found = explain(ROUND, "write", 0, "1088 KiB")
    assert [unit.channel for unit in found.programs] == [*range(16), 0]
    assert [unit.die for unit in found.programs] == [0] * 16 + [1]


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(("offset", "length"), [(0, 4096), (126976, 65536), (0, 2**20)])
def test_the_time_is_that_of_the_same_request_in_a_simulation(
    op: str, offset: int, length: int
) -> None:
    env = Environment()
    disk = Volume(env, DRIVE, Host(env, HOST))
    request = disk.read if op == "read" else disk.write
    done = env.run(until=request(offset=offset, length=length))
    loaded = scenario.load("p3700-database")
    assert explain(loaded, op, offset, length).latency == pytest.approx(done.latency, abs=1e-12)


def test_a_small_read_takes_the_sum_of_its_steps() -> None:
    found = explain(ROUND, "read", 0, "4 KiB")
    # submit + command + front end + die + channel + data path + link + entry + complete
    assert found.latency == pytest.approx((4 + 3 + 2 + 80 + 8 + 2 + 1 + 3 + 2) * 1e-6)


def test_a_small_write_is_answered_from_the_buffer() -> None:
    found = explain(ROUND, "write", 0, "4 KiB")
    # submit + command + front end + link + data path + entry + complete
    assert found.latency == pytest.approx((4 + 1 + 3 + 2 + 1 + 1 + 3 + 2) * 1e-6)
    assert found.left == 4 * KIB


# ---------------------------------------------------------------- how it is printed


GOLDEN = """\
read of 64 KiB at 124 KiB on volume data: single drive, Intel SSD DC P3700 800 GB
The volume: 800 GB, no drive may fail, 4 W idle, at most 25 W.
Alone on an idle system it takes 314.0 us.

                                                        begins,  ends,
step                            kind of station  times       us     us
──────────────────────────────────────────────────────────────────────
host submits                    host CPU             1    0.000  4.000
command to the drive            command latency      1    4.000  7.000
front end decodes               front end            1    7.000  9.000
dies read                       flash die            2    9.000  180.0
channels to the drive's memory  flash channel        5    89.00  300.0
data path to the host           data path            5    97.00  306.0
link to the host                link                 5    99.00  309.0
completion entry to the host    command latency      1    309.0  312.0
host completes                  host CPU             1    312.0  314.0

1 phase with 1 command.
       device                          begins,  ends,
phase     I/O  drive     from  length       us     us
─────────────────────────────────────────────────────
    1       1  data   124 KiB  64 KiB    4.000  312.0

The flash has 16 channels with 8 dies each.
A die reads the pages of 16 KiB of one program unit of 64 KiB at once.
A read that crosses a stripe of 128 KiB is split there; part follows part.
16 ECC frames of 4 KiB cross the channels: 64 KiB.
device                      first                                      die reads,    at the
   I/O  part  channel  die   page  pages     from  length  frames              us  host, us
───────────────────────────────────────────────────────────────────────────────────────────
     1     1        0    1      7      1  124 KiB   4 KiB       1  9.000 to 89.00     100.0
     1     2        1    0      8      4  128 KiB  60 KiB      15  100.0 to 180.0     309.0
"""


def printed(explanation: Explanation) -> str:
    text = io.StringIO()
    print_explanation(explanation, ReportConsole(text))
    return text.getvalue()


def test_the_printed_text_of_a_read_in_two_parts() -> None:
    assert printed(explain(ROUND, "read", "124 KiB", "64 KiB")) == GOLDEN


def test_the_printed_text_of_a_write_says_what_waits() -> None:
    text = printed(explain(ROUND, "write", "4 KiB", "68 KiB"))
    assert "4 pages of 16 KiB" in text
    assert "4 KiB wait in the buffer for more to come." in text


def test_a_narrow_terminal_cuts_no_figure_off() -> None:
    text = io.StringIO()
    console = ReportConsole(text)
    console.width = 60
    print_explanation(explain(ROUND, "read", "124 KiB", "64 KiB"), console)
    assert "100.0 to 180.0" in text.getvalue()
    assert "…" not in text.getvalue()
    assert console.width == 60


def test_dies_in_step_are_named() -> None:
    text = printed(
        explain(scenario.load_text(TEXT.replace("step = 1", "step = 2")), "read", 0, 512)
    )
    assert "16 channels with 4 groups of 2 dies in step each" in text


# ---------------------------------------------------------------- the command


def test_the_command_takes_quantities_numbers_and_overrides(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (
        status("explain", "p3700-database", "read", "4096", "8 KiB", "--set", "volume.name=d") == 0
    )
    assert capsys.readouterr().out.startswith("read of 8 KiB at 4 KiB on volume d:")


@pytest.mark.parametrize(
    ("offset", "length", "message"),
    [
        ("800 GB", "4 KiB", "OFFSET: lies beyond the volume of 800 GB"),
        (
            "799999995904",
            "8 KiB",
            "LENGTH: the request ends beyond the volume of 800 GB; give at most",
        ),
        ("100 B", "4 KiB", "OFFSET: 100 B is not a whole number of sectors; give a multiple"),
        ("0", "1000", "LENGTH: 1 kB is not a whole number of sectors; give a multiple"),
        ("0", "0", "LENGTH: 0 B is out of range; give 512 B to 64 MiB"),
        ("0", "1 GiB", "LENGTH: 1 GiB is out of range; give 512 B to 64 MiB"),
        ("4 KB", "4 KiB", 'OFFSET: "KB" is not a unit of a size; write "KiB" (1024 bytes)'),
        ("here", "4 KiB", 'OFFSET: "here" does not start with a number'),
        ("0", "10 ms", 'LENGTH: "ms" is a unit of time, not of size'),
    ],
)
def test_a_bad_range_is_one_message_and_status_2(
    capsys: pytest.CaptureFixture[str], offset: str, length: str, message: str
) -> None:
    assert status("explain", "p3700-database", "read", offset, length) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert len(err.splitlines()) == 1


def test_every_problem_of_a_range_is_named() -> None:
    with pytest.raises(InputError) as refused:
        explain(ROUND, "read", "1 B", "x")
    assert [problem.key for problem in refused.value.problems] == ["OFFSET", "LENGTH"]


def test_anything_but_read_and_write_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("explain", "p3700-database", "trim", "0", "4096") == 2
    assert '"trim" is not known; give one of "read", "write"' in capsys.readouterr().err


def test_of_several_volumes_one_has_to_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.toml"
    path.write_text(TWO_VOLUMES)
    assert status("explain", str(path), "read", "0", "4096") == 2
    assert '--volume: is missing, and there are 2 volumes; give one of "data", "log"' in (
        capsys.readouterr().err
    )
    assert status("explain", str(path), "read", "0", "4096", "--volume", "lg") == 2
    assert 'did you mean "log"' in capsys.readouterr().err
    assert status("explain", str(path), "read", "0", "4096", "--volume", "log") == 0
    assert "on volume log" in capsys.readouterr().out


def test_a_hybrid_beside_two_volumes_is_said_not_to_be_explained() -> None:
    text = TEXT.replace("[[load]]", """
[[volume]]
name = "back"
drive = "seagate-st8000nm000a"
[[hybrid]]
front = "data"
back = "back"
size = "1 GiB"
[[load]]""", 1)  # fmt: skip
    text = text.replace("[[load]]", '[[load]]\nvolume = "hybrid"', 1)
    with pytest.raises(InputError, match="requests of a hybrid cannot be explained"):
        explain(scenario.load_text(text), "read", 0, 4096)

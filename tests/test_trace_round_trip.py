"""What is written of a trace is what is read of it, in every format that can be written."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trace_files import read, requests, same

from raidsim import InputError
from raidsim.trace import FLUSH, READ, REQUEST, TRIM, WRITE, writable, write

EXACT = {  # s of its clock, whether it has response times, the operations that it has
    "alibaba": (1e-6, False, (READ, WRITE)),
    "blktrace": (1e-9, True, (READ, WRITE, TRIM, FLUSH)),
    "csv": (1e-9, True, (READ, WRITE, TRIM, FLUSH)),
    "disksim": (1e-9, False, (READ, WRITE)),
    "iolog": (1e-6, False, (READ, WRITE, TRIM, FLUSH)),
    "iolog-v2": (1e-4, False, (READ, WRITE, TRIM, FLUSH)),
    "k5": (1e-9, False, (READ, WRITE)),
    "mqsim": (1e-9, False, (READ, WRITE)),
    "mqsim-ms": (1e-9, False, (READ, WRITE)),
    "mqsim-us": (1e-9, False, (READ, WRITE)),
    "msr": (1e-7, True, (READ, WRITE)),
    "replayer": (1e-9, False, (READ, WRITE)),
    "spc": (1e-9, False, (READ, WRITE)),
    "ssdsim": (1e-9, False, (READ, WRITE)),
    "systor": (1e-9, True, (READ, WRITE)),
    "vscsi": (1e-6, True, (READ, WRITE)),
}
NAMES = {"msr": ("a.0", "b.1"), "blktrace": ("8,0", "259,3")}
quiet = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def traces(draw, format):
    """A trace that a format can say exactly: times of its clock, first at 0."""
    tick, has_response, ops = EXACT[format]
    per_second = round(1 / tick)
    gaps = draw(st.lists(st.integers(0, 3 * per_second), min_size=2, max_size=30))
    times = np.cumsum([0, *gaps[1:]])
    rows = []
    for number, time in enumerate(times.tolist()):
        op = draw(st.sampled_from(ops))
        volume = draw(st.integers(0, 1)) if format not in {"vscsi"} else 0
        # Numbered as they appear: the names of all formats are told apart by that.
        volume = 0 if number == 0 else 1 if number == 1 and format not in {"vscsi"} else volume
        offset = 512 * draw(st.integers(0, 2**40)) if op != FLUSH else 0
        size = 512 * draw(st.integers(1, 2**16)) if op != FLUSH else 0
        response = np.nan
        if has_response and op != FLUSH:
            response = draw(st.integers(0, 10 * per_second)) * tick
        rows.append((time * tick, op, volume, offset, size, response))
    return requests(*rows)


@pytest.mark.parametrize("format", sorted(EXACT))
@quiet
@given(data=st.data())
def test_what_is_written_is_read_again(tmp_path, format, data):
    made = data.draw(traces(format))
    if format == "blktrace":  # a C ends the request that was asked for first
        offsets = made["offset"] + 2**36 * np.arange(len(made)) * (made["op"] != FLUSH)
        made["offset"] = offsets
    path = tmp_path / f"made.{format}"
    names = NAMES.get(format, ("0", "1"))
    page = write(path, [made[:7], made[7:]], format, names)
    assert page.written == len(made)
    assert page.left_out == {}
    found, trace = read(path, format)
    assert trace.counts.not_understood == 0
    assert trace.counts.unsorted == 0
    # A double has 53 bits for a span of some seconds.
    assert same(found, made, time=1e-8 if format != "iolog-v2" else 1e-4, response=1e-8)
    assert trace.volumes == names[: len(trace.volumes)]


def test_every_format_that_can_be_written_is_tested_here():
    assert writable() == sorted(EXACT)


@pytest.mark.parametrize("format", ["alibaba", "blktrace", "csv", "iolog", "iolog-v2", "k5", "msr",
                                    "spc", "systor", "vscsi"])  # fmt: skip
def test_what_is_written_is_recognised(tmp_path, format):
    made = requests(*((n * 1e-3, n % 2, 0, 4096 * n, 512, 1e-3) for n in range(10)))
    write(tmp_path / "made", [made], format, ["8,0"])
    found, trace = read(tmp_path / "made")
    assert trace.format == format.removesuffix("-v2")
    assert len(found) == 10


def test_what_a_format_has_no_words_for_is_counted(tmp_path):
    made = requests(
        (0, READ, 0, 0, 512, 1e-3),
        (1, TRIM, 0, 0, 512),
        (2, FLUSH, 0, 0, 0),
        (3, READ, 0, 100, 512),
    )
    page = write(tmp_path / "made", [made], "disksim")
    assert page.written == 1
    assert page.left_out == {"trims": 1, "flushes": 1, "not at multiples of 512 bytes": 1}
    assert "response times" in page.remarks[0]


def test_a_trace_of_which_nothing_can_be_written_leaves_no_file(tmp_path):
    with pytest.raises(InputError, match="would have no request"):
        write(tmp_path / "made", [requests((0, TRIM, 0, 0, 512))], "msr")
    assert list(tmp_path.iterdir()) == []


def test_a_format_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a format that can be written"):
        write(tmp_path / "made", [], "etw")


def test_a_name_that_ends_in_gz_is_packed(tmp_path):
    made = requests((0, READ, 0, 0, 512), (1, WRITE, 0, 512, 512))
    for name in ("made.csv", "made.csv.gz"):
        write(tmp_path / name, [made], "csv")
    packed = (tmp_path / "made.csv.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "made.csv").read_bytes()
    assert same(read(tmp_path / "made.csv.gz")[0], made)


def test_names_of_volumes_with_commas_and_blanks_do_not_break_a_line(tmp_path):
    made = requests((0, READ, 0, 0, 512), (1, WRITE, 1, 512, 512))
    write(tmp_path / "made", [made], "csv", ["a, b\n", 'c "d"'])
    _, trace = read(tmp_path / "made")
    assert trace.volumes == ("a__b_", "c__d_")


def test_requests_that_overlap_in_a_blktrace_keep_their_own_completions(tmp_path):
    made = np.zeros(1000, REQUEST)
    made["time"] = np.arange(1000) * 1e-3
    made["offset"] = np.arange(1000) * 4096
    made["size"] = 4096
    made["response"] = np.random.default_rng(1).integers(1, 10**8, 1000) * 1e-9
    write(tmp_path / "made", [made[:300], made[300:]], "blktrace", ["8,0"])
    assert same(read(tmp_path / "made")[0], made)


@pytest.mark.skipif(shutil.which("fio") is None, reason="no fio here")
@pytest.mark.parametrize("format", ["iolog", "iolog-v2", "blktrace"])
def test_fio_plays_what_is_written(tmp_path, format):
    r = np.random.default_rng(8)
    made = np.zeros(200, REQUEST)
    made["time"] = np.sort(r.random(200)) * 0.2
    made["op"] = r.random(200) < 0.4
    made["offset"] = r.permutation(400)[:200] * 32_768
    made["size"] = r.integers(1, 9, 200) * 4096
    made["response"] = 1e-7  # one at a time: of several fio 3.33 does not count the last one
    played = tmp_path / "played"
    with played.open("wb") as file:
        file.truncate(16 << 20)
    write(tmp_path / "made", [made], format, [str(played) if "iolog" in format else "8,0"])
    redirect = [] if "iolog" in format else [f"--replay_redirect={played}"]
    ended = subprocess.run(
        ["fio", "--name=x", f"--read_iolog={tmp_path / 'made'}", "--ioengine=null",
         "--replay_no_stall=1", "--output-format=json", *redirect],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    (job,) = json.loads(ended.stdout[ended.stdout.index("{") :])["jobs"]
    for kind, op in (("read", READ), ("write", WRITE)):
        these = made[made["op"] == op]
        assert job[kind]["total_ios"] == len(these)
        assert job[kind]["io_bytes"] == these["size"].sum()

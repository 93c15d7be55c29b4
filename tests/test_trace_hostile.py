"""Traces that are cut short, damaged or made to do harm: said, counted, and never more memory."""

from __future__ import annotations

import gzip
import shutil
import struct
import subprocess
import sys
import tarfile
import zlib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trace_files import DATA, of_text, read, refusal

import raidsim
from raidsim import InputError
from raidsim.synthesis.fit import fit
from raidsim.trace.formats import BY_NAME
from raidsim.trace.info import measure

ROWS = "".join(f"{128166372003061629 + n},usr,0,Read,{512 * n},512,100\n" for n in range(2000))
quiet = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_a_packed_file_that_is_cut_short_gives_what_is_there_and_says_so(tmp_path):
    packed = gzip.compress(ROWS.encode())
    found, trace = of_text(tmp_path, packed[: len(packed) // 2])
    assert 0 < len(found) < 2000
    assert "gzip data ends in the middle" in trace.counts.cut_short
    (cut,) = trace.counts.examples  # what is left of its last line is no request
    assert (cut.line, cut.reason) == (len(found) + 1, "is incomplete: the file ends within it")
    assert trace.counts.finished


def test_a_packed_file_that_is_damaged_says_so(tmp_path):
    packed = bytearray(zlib.compress(ROWS.encode(), 0, 31))
    packed[-8] ^= 0xFF
    found, trace = of_text(tmp_path, bytes(packed))
    assert len(found) == 2000
    assert "damaged" in trace.counts.cut_short


def test_several_packed_streams_behind_one_another_are_one_file(tmp_path):
    packed = b"".join(gzip.compress(part.encode()) for part in (ROWS[:5000], ROWS[5000:]))
    found, trace = of_text(tmp_path, packed + b"\0" * 100)
    assert len(found) == 2000
    assert trace.counts.cut_short is None


def has_zstd() -> bool:
    with suppress(ImportError):
        return bool(find_spec("compression.zstd"))
    return bool(find_spec("zstandard"))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="no zstd here")
def test_zstd_is_read_or_what_to_install_is_said(tmp_path):
    plain = tmp_path / "x.csv"
    plain.write_text(ROWS * 20)
    subprocess.run(["zstd", "-q", str(plain)], check=True)
    packed = tmp_path / "x.csv.zst"
    if has_zstd():
        assert len(read(packed)[0]) == 40_000
        packed.write_bytes(packed.read_bytes()[:-9])
        _, trace = read(packed)
        assert "zstd data ends in the middle" in trace.counts.cut_short
    else:
        assert 'pip install "raidsim[zstd]"' in refusal(packed)


@pytest.mark.parametrize(
    ("start", "name"), [(b"BZh9", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"PK\3\4", "zip")]
)
def test_other_ways_to_pack_are_named(tmp_path, start, name):
    path = tmp_path / "x"
    path.write_bytes(start + b"\0" * 100)
    assert f"is packed with {name}" in refusal(path)


def test_an_archive_and_another_encoding_are_named(tmp_path):
    plain = tmp_path / "x.csv"
    plain.write_text(ROWS)
    with tarfile.open(tmp_path / "x.tgz", "w:gz") as archive:
        archive.add(plain, "x.csv")
    assert "is an archive of tar" in refusal(tmp_path / "x.tgz")
    plain.write_text(ROWS, encoding="utf-16")
    assert "is text in UTF-16" in refusal(plain)
    plain.write_text(ROWS, encoding="utf-8-sig")
    assert len(read(plain)[0]) == 2000


def test_a_line_without_end_takes_no_memory(tmp_path):
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20));"
        "from raidsim.trace import open_trace; trace = open_trace(sys.argv[1]);"
        "print(sum(map(len, trace.blocks())), trace.counts.examples[0].reason)"
    )
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(ROWS.encode())
        for _ in range(1200):
            file.write(b"9" * (1 << 20))
        file.write(b"\n" + ROWS.encode())
    assert path.stat().st_size < 20 << 20
    ended = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    assert ended.stdout == "4000 is longer than 1 MiB\n"


def test_a_line_of_one_mebibyte_is_passed_over_and_the_rest_is_read(tmp_path):
    found, trace = of_text(tmp_path, ROWS + "7" * (3 << 20) + "\n" + ROWS)
    assert len(found) == 4000
    (long_one,) = trace.counts.examples
    assert (long_one.line, long_one.reason) == (2001, "is longer than 1 MiB")
    assert trace.counts.lines == 4001


def test_the_last_line_may_lack_its_end(tmp_path):
    found, trace = of_text(tmp_path, ROWS.rstrip("\n"))
    assert len(found) == 2000
    assert trace.counts.not_understood == 0
    assert "does not end in a line feed" in trace.counts.notes[0]


def test_a_line_cut_in_the_middle_is_said(tmp_path):
    _, trace = of_text(tmp_path, ROWS[:-20])
    assert [one.line for one in trace.counts.examples] == [2000]


@pytest.mark.parametrize("ending", ["\r\n", " \n", "\n\n"])
def test_ends_of_lines_of_other_systems_and_blank_lines_are_nothing(tmp_path, ending):
    found, trace = of_text(tmp_path, ROWS.replace("\n", ending))
    assert len(found) == 2000
    assert trace.counts.not_understood == 0


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("-1", "negative"),
        ("1e400", "too large"),
        ("1e-400", "not a whole number"),
        ("1_000", "not a number"),
        ("99999999999999999999999", "too large"),
        ("9223372036854775807", "beyond 2^62"),
        ("9" * 200, "too large"),
        ("0x10", "not a number"),
        ("nan", "not a number"),
        ("NaN", "not a number"),
        ("1.5", "not a whole number"),
        ("", "is empty"),
        ("١٢", "not a number"),
    ],
)
def test_a_number_that_is_none_is_told_with_its_line(tmp_path, cell, reason):
    rows = f"128166372003061629,usr,0,Read,{cell},512,100\n"
    found, trace = of_text(tmp_path, ROWS + rows)
    assert len(found) == 2000
    (one,) = trace.counts.examples
    assert one.line == 2001
    assert reason in one.reason


def test_other_ways_to_write_a_number_mean_the_same(tmp_path):
    cells = ["1024", " 1024 ", "+1024", "1024.0", "1.024e3", '"1024"', "0001024"]
    rows = "".join(f"128166372003061629,usr,0,Read,{cell},512,100\n" for cell in cells)
    found, _ = of_text(tmp_path, rows, "msr")
    assert found["offset"].tolist() == [1024] * len(cells)


def test_a_file_with_nothing_that_is_understood_is_refused_with_the_first_lines(tmp_path):
    path = tmp_path / "x"
    path.write_text("hello\nworld\n" * 30)
    text = refusal(path, "msr")
    assert "has no request that could be read as MSR Cambridge CSV" in text
    assert 'x:1: has 1 columns, not 7: "hello"' in text
    assert len(text.splitlines()) == 11


def test_more_volumes_than_any_trace_has_are_refused(tmp_path):
    path = tmp_path / "x"
    path.write_text("".join(f"{n},W,0,512,1577808144360767\n" for n in range(100_001)))
    assert "more than 100,000 volumes" in refusal(path)


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\n\n\n", b"\xff" * 70_000, b"fio version", b"," * 99]
)
@pytest.mark.parametrize("format", [None, *BY_NAME])
def test_no_content_is_too_strange_for_a_message(tmp_path, content, format):
    path = tmp_path / "x"
    path.write_bytes(content)
    assert str(path) in refusal(path, format) or "--" in refusal(path, format)


@pytest.mark.parametrize("wrong", ["nowhere.csv", "", "a\0b", None, 5])
def test_a_file_that_is_not_there_is_told(wrong):
    assert refusal(wrong)


def test_a_folder_or_a_device_is_no_trace(tmp_path):
    assert "is a folder" in refusal(tmp_path)
    assert "is not a regular file" in refusal("/dev/zero")


def test_a_vscsi_record_that_is_cut_is_said(tmp_path):
    record = struct.pack("<IIIHHQQ", 1, 4096, 1, 0x28, 0x100, 8, 1000)
    found, trace = of_text(tmp_path, record * 3 + record[:10])
    assert len(found) == 3
    assert trace.counts.cut_short == "record 4 has 10 of 32 bytes"


def test_a_payload_of_blktrace_with_a_lying_length_is_said(tmp_path):
    data = (DATA / "nvme-259-qd1.bin").read_bytes()
    record = data[64:112]  # a Q
    lying = record[:46] + b"\xff\xff"
    found, trace = of_text(tmp_path, data + lying)
    assert len(found) == 88
    assert "is incomplete" in trace.counts.cut_short


def test_rubbish_between_records_of_blktrace_is_passed_over(tmp_path):
    data = (DATA / "nvme-259-qd1.bin").read_bytes()
    found, trace = of_text(tmp_path, data + b"rubbish" * 99 + data)
    assert len(found) == 2 * 88
    assert trace.counts.not_understood == 1
    assert "magic number, at byte 31,744" in trace.counts.examples[0].reason


SAMPLES = sorted(
    path for path in DATA.rglob("*") if path.suffix in {".csv", ".txt", ".bin", ".trace"}
)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@quiet
@given(data=st.data())
def test_whatever_is_changed_in_a_trace_ends_in_requests_or_a_message(tmp_path, path, data):
    content = bytearray(Path(path).read_bytes()[:4000])
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.integers(0, 3)):
            case 0:
                content[place] = data.draw(st.integers(0, 255))
            case 1:
                del content[place : place + data.draw(st.integers(1, 100))]
            case 2:
                content[place:place] = data.draw(st.binary(max_size=30))
            case 3:
                content[place:place] = data.draw(
                    st.sampled_from([b"-", b"9" * 30, b",", b"\n", b" ", b"e9", b".", b"\0"])
                )
        if not content:
            return
    format = data.draw(st.sampled_from([None, None, *BY_NAME]))
    changed = tmp_path / "changed"
    changed.write_bytes(bytes(content))
    with suppress(InputError):
        found, trace = read(changed, format)
        assert (np.diff(found["time"]) >= 0).all()
        assert (found["offset"] >= 0).all()
        assert ((found["size"] > 0) == (found["op"] != 3)).all()
        assert not (found["response"] < 0).any()
        assert found["volume"].max() < len(trace.volumes)
        assert trace.counts.requests == len(found)
        info = measure("x", "y", [found], lambda: trace.volumes, lambda: trace.counts, 64)
        assert info.bytes_read == sum(found["size"][found["op"] == 0].tolist())
        assert all(0 <= one.miss_ratio <= 1 for one in info.caches)


@quiet
@given(content=st.binary(max_size=2000), format=st.sampled_from([None, *BY_NAME]))
def test_any_bytes_end_in_requests_or_a_message(tmp_path, content, format):
    path = tmp_path / "any"
    path.write_bytes(content)
    with suppress(InputError):
        read(path, format)


BIG = st.integers(0, 2**61)


@quiet
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 2**55), st.integers(0, 3), BIG, BIG, st.none() | st.integers(0, 2**55)
        ),
        min_size=1,
        max_size=20,
    )
)
def test_figures_of_the_largest_numbers_are_right(tmp_path, rows):
    path = tmp_path / "big.csv"
    ops = ("read", "write", "trim", "flush")
    lines = [
        f"{time},{ops[op]},{offset},{size},{'' if response is None else response}"
        for time, op, offset, size, response in rows
    ]
    path.write_text("time [ns],op,offset [B],size [B],response [ns]\n" + "\n".join(lines))
    with suppress(InputError):
        found, trace = read(path)
        info = measure("x", "y", [found], lambda: trace.volumes, lambda: trace.counts, 64)
        kept = [row for row in rows if row[1] != 3 and row[3]]
        assert info.bytes_written == sum(row[3] for row in kept if row[1] == 1)
        assert info.end == max((row[2] + row[3] for row in kept), default=0)
        times = [row[0] for row in rows if row[3] or row[1] == 3]
        assert info.span == pytest.approx((max(times) - min(times)) / 10**9, rel=1e-15)
        with suppress(InputError):
            assert fit(info).capacity >= info.end


@pytest.mark.parametrize("place", ["6", "0", "0000019", "0000001" + "9" * 5_000])
def test_a_column_is_one_of_those_that_are_there(tmp_path, place):
    path = tmp_path / "x.csv"
    path.write_text("a,b,c,d\n1,r,0,4096\n")
    trace = raidsim.Trace.read(path, columns=f"time={place} [us], op=2, offset=3 [B], size=4 [B]")
    with pytest.raises(InputError) as caught:
        trace.info()
    assert "there is no column" in caught.value.problems[0].cause


def test_a_file_that_is_no_text_has_no_columns(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(range(256)) * 200)
    with pytest.raises(InputError) as caught:
        raidsim.Trace.read(path, columns="time=1 [us], op=9, offset=3 [B], size=4 [B]")
    (problem,) = caught.value.problems
    assert problem.cause == "is not text, so it has no columns of CSV"

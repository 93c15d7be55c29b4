"""Formats of traces: units, columns and traps, by files of others and by their definitions."""

from __future__ import annotations

import struct
import sys

import numpy as np
import pytest
from trace_files import DATA, of_text, read, refusal, requests, same

from raidsim.trace import FLUSH, READ, TRIM, WRITE

NAN = np.nan

# ---- files of others


@pytest.mark.parametrize(
    ("name", "format", "number", "volumes"),
    [
        ("alibaba-block-2020.csv", "alibaba", 6, 4),
        ("fujitsu-k5cloud-2018.csv", "k5", 6, 1),
        ("iolog-v2-derived.txt", "iolog", 60, 1),
        ("iolog-v3-single.txt", "iolog", 60, 1),
        ("iolog-v3.txt", "iolog", 147, 1),
        ("nvme-259-qd1.bin", "blktrace", 88, 1),
        ("nvme-259-qd1-randread-with-A-remap.blkparse.txt", "blkparse", 60, 1),
        ("disksim/atlas_III-3000.trace", "disksim-validation", 3000, 1),
    ],
)
def test_a_file_of_others_is_recognised_and_read_whole(name, format, number, volumes):
    found, trace = read(DATA / name)
    assert trace.format == format
    assert len(found) == number == trace.counts.requests
    assert len(trace.volumes) == volumes
    assert trace.counts.not_understood == 0
    assert trace.counts.cut_short is None
    assert (np.diff(found["time"]) >= 0).all()
    assert found["time"][0] == 0


@pytest.mark.parametrize("name", ["disksim-ascii-mqsim-tpcc-small.trace", "mqsim-zns.trace"])
def test_five_numbers_are_never_guessed(name):
    text = refusal(DATA / name)
    assert "five numbers" in text
    for format in ("disksim: times in ms", "mqsim: times in ns", "replayer: times in ms, bytes"):
        assert format in text


def test_the_unit_of_time_of_five_numbers_is_that_of_the_format_named():
    name = DATA / "disksim-ascii-mqsim-tpcc-small.trace"
    ns, _ = read(name, "mqsim")
    ms, _ = read(name, "disksim")
    us, _ = read(name, "mqsim-us")
    assert ns["time"][1] == pytest.approx(315e-6)  # 938828000 - 938513000
    assert us["time"][1] == pytest.approx(315e-3)
    assert ms["time"][1] == pytest.approx(315)
    assert (ns["op"] == WRITE).sum() == (ms["op"] == WRITE).sum() == 177
    assert ns[0]["offset"] == 264719034 * 512
    assert ns[0]["size"] == 16 * 512


def test_both_versions_of_an_iolog_hold_the_same_requests():
    old, _ = read(DATA / "iolog-v2-derived.txt")
    new, _ = read(DATA / "iolog-v3-single.txt")
    assert same(old, new)
    assert new[1]["time"] == pytest.approx(752e-6)


def test_the_binary_and_the_text_of_one_blktrace_hold_the_same_requests():
    text, of_text = read(DATA / "nvme-259-qd1-randread-with-A-remap.blkparse.txt")
    binary, of_binary = read(DATA / "nvme-259-qd1.bin")
    assert same(text, binary[: len(text)])
    assert of_text.volumes == of_binary.volumes == ("259,0",)
    assert of_text.counts.passed_over["event A (remapped)"] == 60
    assert text[0]["offset"] == 2348060440 * 512  # of the disk, not of the partition
    assert text[0]["response"] == pytest.approx(56992e-9 - 184e-9)


def test_the_events_of_the_device_are_taken_if_asked_for():
    found, _ = read(DATA / "nvme-259-qd1.bin", action="D")
    assert found[0]["response"] == pytest.approx(56992e-9 - 1676e-9)


def test_a_validation_trace_has_one_request_outstanding_at_a_time():
    found, _ = read(DATA / "disksim" / "atlas_III-3000.trace")
    assert found[1]["time"] == pytest.approx((1686 + 40961) * 1e-6)
    ends = found["time"] + found["response"]
    assert (found["time"][1:] > ends[:-1]).all()
    assert found["response"].mean() == pytest.approx(6.263e-3, abs=1e-6)


# ---- columns and units


def test_msr_times_count_100_ns_from_1601_and_lose_no_digit(tmp_path):
    found, trace = of_text(
        tmp_path,
        "128166372003061629,usr,0,Read,7014609920,24576,41286\n"
        "128166372003061630,usr,1,Write,7014609921,512,\n"
        "128166372013061629,prn,1,Read,0,4096,10000000\n",
    )
    assert trace.format == "msr"
    assert trace.volumes == ("usr.0", "usr.1", "prn.1")  # disk 1 of two hosts is two volumes
    expected = requests(
        (0, READ, 0, 7014609920, 24576, 4.1286e-3),
        (1e-7, WRITE, 1, 7014609921, 512, NAN),
        (1, READ, 2, 0, 4096, 1),
    )
    assert same(found, expected, time=0)
    assert trace.counts.unaligned == 1
    assert trace.begins.isoformat() == "2007-02-22T17:00:00.306162+00:00"


def test_spc_counts_addresses_in_blocks_and_sizes_in_bytes(tmp_path):
    found, trace = of_text(
        tmp_path,
        "0,20941264,8192,W,0.551706,Alpha/NT\n0,20939840,8192,w,0.554041\n1,3072,1024,r,1.5\n"
        "2 448003\n2,448003,512,R,2\n",
    )
    assert trace.format == "spc"
    assert trace.volumes == ("0", "1", "2")
    expected = requests(
        (0, WRITE, 0, 20941264 * 512, 8192),
        (0.002335, WRITE, 0, 20939840 * 512, 8192),
        (0.948294, READ, 1, 3072 * 512, 1024),
        (1.448294, READ, 2, 448003 * 512, 512),
    )
    assert same(found, expected)
    (broken,) = trace.counts.examples
    assert broken.line == 4
    assert "2 448003" in broken.reason
    assert "blocks of 512 bytes" in trace.counts.notes[0]


def test_in_a_tencent_trace_1_is_a_write_and_arrivals_spread_over_a_second(tmp_path):
    rows = ["1538323199,8,8,1,1063", "1538323200,16,8,0,1064"]
    rows += [f"1538323202,{n},1,0,1064" for n in range(4)]
    found, trace = of_text(tmp_path, "\n".join(rows))
    assert trace.format == "tencent"
    assert trace.volumes == ("1063", "1064")
    assert found["op"].tolist() == [WRITE, READ, READ, READ, READ, READ]
    assert found["time"].tolist() == [0, 1, 3, 3.25, 3.5, 3.75]
    assert found["offset"][1] == 16 * 512
    assert "whole seconds" in trace.counts.notes[0]


def test_five_whole_numbers_with_commas_of_another_time_are_no_tencent_trace(tmp_path):
    path = tmp_path / "x"
    path.write_text("1638323199,8,8,1,1063\n" * 3)
    assert "five numbers" in refusal(path)
    found, _ = read(path, "tencent")
    assert found["op"].tolist() == [WRITE] * 3


def test_systor_has_blank_types_and_blank_response_times(tmp_path):
    found, trace = of_text(
        tmp_path,
        "Timestamp,Response,IOType,LUN,Offset,Size\n"
        "1455592804.081900120,0.000100000,W,4,1024,512\n"
        "1455592804.081900121,,R,4,2048,512\n"
        "1455592804.081900122,0.1,,6,,\n",
    )
    assert trace.format == "systor"
    expected = requests((0, WRITE, 0, 1024, 512, 1e-4), (1e-9, READ, 0, 2048, 512, NAN))
    assert same(found, expected, time=0)
    assert trace.counts.passed_over == {"header": 1, "row without a type": 1}


def test_in_disksim_bit_0_of_the_flags_is_a_read(tmp_path):
    found, _ = of_text(tmp_path, "0.5 0 8 8 0\n  1.25 1 16 8 1\n2.000001 0 24 8 1f\n", "disksim")
    expected = requests(
        (0, WRITE, 0, 4096, 4096),
        (7.5e-4, READ, 1, 8192, 4096),
        (1.500001e-3, READ, 0, 12288, 4096),
    )
    assert same(found, expected, time=0)


def test_the_replayer_counts_bytes_and_ms(tmp_path):
    found, _ = of_text(tmp_path, "0,0,4096,512,1\n2.5,0,8192,512,0\n", "replayer")
    assert same(found, requests((0, READ, 0, 4096, 512), (2.5e-3, WRITE, 0, 8192, 512)))


def test_an_iolog_names_its_files_with_blanks_too(tmp_path):
    found, trace = of_text(
        tmp_path,
        "fio version 3 iolog\n1 /data/my file add\n2 /data/my file open\n"
        "3 /data/my file read 4096 512\n5 /data/my file sync 0 0\n6 /data/my file datasync\n"
        "9 /data/my file trim 0 8192\n10 /data/my file close\n",
    )
    assert trace.volumes == ("/data/my file",)
    expected = requests(
        (0, READ, 0, 4096, 512), (2e-6, FLUSH, 0, 0, 0), (3e-6, FLUSH, 0, 0, 0),
        (6e-6, TRIM, 0, 0, 8192),
    )  # fmt: skip
    assert same(found, expected)


def test_waits_of_an_iolog_add_up_and_short_ones_are_dropped_as_fio_does(tmp_path):
    found, trace = of_text(
        tmp_path,
        "fio version 2 iolog\nx add\nx open\nx wait 200 0\nx read 0 512\nx wait 99 0\n"
        "x write 512 512\nx wait 100 0\nx read 0 512\nx close\n",
    )
    assert found["time"].tolist() == pytest.approx([0, 0, 100e-6])
    assert trace.counts.passed_over["wait of less than 100 us, which fio leaves out too"] == 1


def test_an_iolog_of_two_jobs_says_so(tmp_path):
    _, trace = of_text(
        tmp_path, "fio version 3 iolog\n1 x add\n1 x add\n9 x read 0 512\n4 x read 0 512\n"
    )
    assert "several jobs" in trace.counts.notes[0]
    assert trace.counts.unsorted == 1


def test_an_iolog_of_an_unknown_version_is_refused(tmp_path):
    path = tmp_path / "log"
    path.write_text("fio version 9 iolog\n")
    assert "version 9; versions 2 and 3 are read" in refusal(path)


def test_an_iolog_without_waits_says_that_it_has_no_times(tmp_path):
    found, trace = of_text(tmp_path, "fio version 2 iolog\nx read 0 512\nx read 512 512\n")
    assert found["time"].tolist() == [0, 0]
    assert "arrival times of requests are not known" in trace.counts.notes[0]


ETW = """BeginHeader
DiskRead, TimeStamp, Process ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum
DiskWrite, TimeStamp, Process ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum
DiskReadInit, TimeStamp, Process Name ( PID), ThreadID, IrpPtr
EndHeader
 DiskReadInit, 100, System ( 4), 12, 0xfa8001
 DiskRead, 300, System ( 4), 12, 0xfa8001, 0x00001000, 0x00000200, 200, 0
BeginHeader
DiskWrite, TimeStamp, DiskNum, ByteOffset, IOSize
EndHeader
DiskWrite, 400, 1, 0x2000, 0x1000
"""


def test_etw_columns_are_those_of_the_last_header_and_hexadecimal(tmp_path):
    found, trace = of_text(tmp_path, ETW)
    assert trace.format == "etw"
    expected = requests((0, READ, 0, 4096, 512, 200e-6), (300e-6, WRITE, 1, 8192, 4096))
    assert same(found, expected)
    assert trace.counts.passed_over["event DiskReadInit"] == 1


# ---- blktrace


def event(cpu, number, time, action, rwbs, rest="[x]", device="8,0"):
    return f"  {device}    {cpu}  {number:7}  {time:14.9f}  123  {action:>2} {rwbs:>3} {rest}\n"


def test_a_completion_covers_what_was_merged_into_it(tmp_path):
    text = (
        event(0, 1, 0.0, "Q", "W", "100 + 8 [x]")
        + event(0, 2, 0.001, "Q", "W", "108 + 8 [x]")
        + event(0, 3, 0.001, "M", "W", "108 + 8 [x]")
        + event(0, 4, 0.002, "Q", "W", "92 + 8 [x]")
        + event(0, 5, 0.002, "F", "W", "92 + 8 [x]")
        + event(0, 6, 0.003, "D", "W", "92 + 24 [x]")
        + event(0, 7, 0.010, "C", "W", "92 + 24 [0]")
    )
    found, trace = of_text(tmp_path, text)
    assert found["response"].tolist() == pytest.approx([0.010, 0.009, 0.008])
    assert trace.counts.passed_over["event M (merged behind)"] == 1


@pytest.mark.parametrize("first", [0, 1])
def test_a_request_that_was_split_ends_with_its_last_part(tmp_path, first):
    parts = [("100 + 4 [0]", 0.002), ("104 + 4 [0]", 0.005)]
    ended = [parts[first][0], parts[1 - first][0]]
    text = (
        event(0, 1, 0.0, "Q", "R", "100 + 8 [x]")
        + event(0, 2, 0.0, "X", "R", "100 / 104 [x]")
        + event(0, 3, 0.002, "C", "R", ended[0])
        + event(0, 4, 0.005, "C", "R", ended[1])
    )
    found, _ = of_text(tmp_path, text)
    assert found["response"].tolist() == pytest.approx([0.005])


def test_a_trace_without_q_is_of_what_the_device_got_and_requeues_count_once(tmp_path):
    text = (
        event(0, 1, 0.0, "D", "R", "100 + 8 [x]")
        + event(0, 2, 0.001, "R", "R", "100 + 8 [x]")
        + event(0, 3, 0.002, "D", "R", "100 + 8 [x]")
        + event(0, 4, 0.005, "C", "R", "100 + 8 [0]")
    )
    found, trace = of_text(tmp_path, text)
    assert len(found) == 1
    assert found["response"].tolist() == pytest.approx([0.005])
    assert any("no events Q" in note for note in trace.counts.notes)


def test_letters_of_an_event_say_what_it_does(tmp_path):
    text = (
        event(0, 1, 0.0, "Q", "DS", "8 + 8 [x]")
        + event(0, 2, 1.0, "Q", "FN", "[x]")
        + event(0, 3, 2.0, "Q", "FWS", "[x]")
        + event(0, 4, 3.0, "Q", "FWFS", "16 + 8 [x]")
        + event(0, 5, 4.0, "Q", "RAM", "24 + 8 [(null)]")
        + event(0, 6, 5.0, "D", "R", "36 (12 01 00 00 24 00 00 00) [hald]")
        + event(0, 7, 6.0, "Q", "N", "[x]")
        + "CPU0 (8,0):\n Reads Queued:           1,        4KiB\nThroughput (R/W): 0KiB/s\n"
        + "Events (8,0): 7 entries\nSkips: 0 forward (0 -   0.0%)\n"
    )
    found, trace = of_text(tmp_path, text)
    assert found["op"].tolist() == [TRIM, FLUSH, FLUSH, WRITE, READ]
    assert trace.counts.not_understood == 0
    assert trace.counts.passed_over["packet command, not a read or write of a sector"] == 1


def test_events_of_several_cpus_are_put_in_the_order_of_time(tmp_path):
    text = event(1, 1, 0.005, "C", "R", "8 + 8 [0]") + event(0, 1, 0.001, "Q", "R", "8 + 8 [x]")
    found, trace = of_text(tmp_path, text)
    assert found["response"].tolist() == pytest.approx([0.004])
    assert trace.counts.unsorted == 1


def record(time, action, category, sector, size, device=8 << 20, payload=b"", order="<"):
    fields = (0x65617407, 0, time, sector, size, action | category << 16, 1, device, 0, 0)
    return struct.pack(f"{order}IIQQIIIIIHH", *fields, len(payload)) + payload


@pytest.mark.parametrize("order", "<>")
def test_blktrace_is_read_in_either_order_of_bytes(tmp_path, order):
    data = record(10, 1, 2 | 1 << 4, 64, 4096, order=order, payload=b"abc")
    data += record(30, 8, 2 | 1 << 7, 64, 4096, order=order)
    found, trace = of_text(tmp_path, data)
    assert trace.format == "blktrace"
    assert same(found, requests((0, WRITE, 0, 64 * 512, 4096, 20e-9)), response=1e-15)


def test_the_file_of_one_cpu_says_that_there_are_others(tmp_path):
    for cpu in range(3):
        (tmp_path / f"sda.blktrace.{cpu}").write_bytes(record(1, 1, 2, 64, 4096))
    _, trace = read(tmp_path / "sda.blktrace.0")
    assert "2 files of other CPUs" in trace.counts.notes[0]
    assert "blkparse -i sda -d" in trace.counts.notes[0]


# ---- vSCSI


def test_vscsi_takes_reads_and_writes_of_all_lengths_and_passes_over_the_rest(tmp_path):
    def one(number, command, block, time):
        return struct.pack("<IIIHHQQ", number, 4096, 1, command, 0x100, block, time)

    commands = [0x28, 0x2A, 0x88, 0x8A, 0x00, 0x25]
    data = b"".join(one(n, c, 8 * n, 1000 * n) for n, c in enumerate(commands))
    found, trace = of_text(tmp_path, data)
    assert trace.format == "vscsi"
    assert found["op"].tolist() == [READ, WRITE, READ, WRITE]
    assert found["time"].tolist() == pytest.approx([0, 1e-3, 2e-3, 3e-3])
    assert found["offset"].tolist() == [0, 4096, 8192, 12288]
    assert trace.counts.passed_over == {
        "command 0x00, no read or write": 1,
        "command 0x25, no read or write": 1,
    }


def test_version_2_of_vscsi_has_response_times(tmp_path):
    data = b"".join(
        struct.pack("<HHIIIQQQ", 0x2A, 0x200, n, 512, 1, n, 10 * n, 7) for n in range(3)
    )
    found, _ = of_text(tmp_path, data)
    assert found["response"].tolist() == pytest.approx([7e-6] * 3)


def test_vscsi_as_text_is_known_by_its_first_line(tmp_path):
    found, trace = of_text(
        tmp_path,
        "#Vscsi Cmd Trace. (Trace Format Version 1)\n"
        "#Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)\n"
        "2147483692,4096,1,write,24048792,2756778716647\n"
        "2147483769,4096,1,read,6322464,2756783857269\n",
    )
    assert trace.format == "vscsi-csv"
    assert same(
        found,
        requests((0, WRITE, 0, 24048792 * 512, 4096), (5.140622, READ, 0, 6322464 * 512, 4096)),
    )


# ---- CSV


def test_a_csv_whose_header_says_all_is_recognised(tmp_path):
    found, trace = of_text(
        tmp_path,
        "op;time [ms];offset [sectors];size [4 KiB];volume\nr;1.5;8;1;a\nw;2;16;2;b\nflush;3;;;a\n",
    )
    assert trace.format == "csv"
    assert trace.volumes == ("a", "b")
    expected = requests(
        (0, READ, 0, 4096, 4096), (5e-4, WRITE, 1, 8192, 8192), (1.5e-3, FLUSH, 0, 0, 0)
    )
    assert same(found, expected)


def test_columns_of_a_csv_are_named_with_their_units(tmp_path):
    text = "TS,Type,LBA,Len\n128166372003061629,1,8,8\n128166372003061639,0,16,8\n"
    columns = "time=TS [100 ns], op=Type [1=read 0=write], offset=LBA [sectors], size=4 [sectors]"
    found, _ = of_text(tmp_path, text, columns=columns)
    assert same(found, requests((0, READ, 0, 4096, 4096), (1e-6, WRITE, 0, 8192, 4096)), time=0)


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        ("time=TS [us]", "op is missing"),
        ("time=TS, op=Type, offset=LBA [B], size=Len [B]", "the unit is missing"),
        (
            "time=TS [fortnights], op=Type, offset=LBA [B], size=Len [B]",
            '"fortnights" is not known',
        ),
        ("time=Tss [us], op=Type, offset=LBA [B], size=Len [B]", 'there is no column "Tss"'),
        ("time=TS [us], op=Type [1=erase], offset=LBA [B], size=Len [B]", "1=erase"),
        ("time=TS [us], op=TS, offset=LBA [B], size=Len [B]", "a column is given twice"),
        ("nonsense", "is not one of time, op"),
    ],
)
def test_a_mistake_in_the_columns_is_explained(tmp_path, columns, wrong):
    path = tmp_path / "x.csv"
    path.write_text("TS,Type,LBA,Len\n1,r,8,8\n")
    assert wrong in refusal(path, columns=columns)


def test_a_number_for_an_operation_is_not_guessed(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("time [s],op,offset [B],size [B]\n1,0,8,8\n")
    assert 'op is "0", which is none of r' in refusal(path)


# ---- order


def test_what_is_a_little_out_of_order_is_put_in_its_place(tmp_path):
    times = [1, 3, 2, 4, 0]
    text = "".join(f"1,{t}.000000,R,{512 * t},512\n" for t in times)
    found, trace = of_text(tmp_path, text)
    assert found["offset"].tolist() == [512 * t for t in range(5)]
    assert (trace.counts.unsorted, trace.counts.late) == (2, 0)


def test_what_comes_far_too_late_gets_the_time_of_the_one_before(tmp_path):
    rows = [f"1,{100 + n}.0,R,512,512" for n in range(200_000)]
    rows.append("1,50.0,R,1024,512")
    found, trace = of_text(tmp_path, "\n".join(rows))
    assert (trace.counts.unsorted, trace.counts.late) == (1, 1)
    assert len(found) == 200_001
    assert (np.diff(found["time"]) >= 0).all()
    assert found["time"][0] == 0


def test_a_trace_is_read_from_its_start_as_often_as_asked():
    _, trace = read(DATA / "alibaba-block-2020.csv")
    first = np.concatenate(list(trace.blocks(rows=2)))
    assert max(len(block) for block in trace.blocks(rows=2)) == 2
    assert same(np.concatenate(list(trace.blocks())), first)
    assert trace.counts.requests == 6


# ---- Parquet


def test_parquet_without_its_module_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + bytes(100))
    assert 'pip install "raidsim[parquet]"' in refusal(path)


def test_columns_of_parquet_are_named_as_those_of_csv(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    table = arrow.table(
        {
            "when": arrow.array([1_000_000, 1_000_500, 1_000_250], arrow.timestamp("us")),
            "what": arrow.array(["R", "W", "W"]).dictionary_encode(),
            "lba": [8, 16, 24],
            "bytes": [4096, 512, None],
            "disk": ["a", "b", "a"],
        }
    )
    parquet.write_table(table, path)
    assert "when, what, lba, bytes, disk" in refusal(path)
    columns = "time=when [ns], op=what, offset=lba [sectors], size=bytes [B], volume=disk"
    found, trace = read(path, columns=columns)
    assert trace.format == "parquet"
    assert trace.volumes == ("a", "b")
    assert same(found, requests((0, READ, 0, 4096, 4096), (5e-4, WRITE, 1, 8192, 512)))
    assert [one.reason for one in trace.counts.examples] == ["offset or size is empty"]
    path.write_bytes(path.read_bytes()[:-30])
    assert "cannot be read as Parquet" in refusal(path, columns=columns)

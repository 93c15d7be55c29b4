"""The options of a job of fio become the load that they ask for, and nothing is left out unseen."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim import units
from raidsim.errors import InputError
from raidsim.fio import values
from raidsim.fio.job_options import options_of
from raidsim.fio.option_words import ALIASES, ASYNCHRONOUS, HARMLESS, MEANINGS, REFUSED, SYNCHRONOUS
from raidsim.fio.playing import Played, play
from raidsim.fio.values import Unreadable
from raidsim.measured.job import Direction, MeasuredJob
from raidsim.scenario import from_data

CAPACITY = 800 * 10**9
NOTHING = Direction(0, 0, 0.0, 0.0, 0.0)
FULL = {"rw": "randread", "direct": "1", "ioengine": "libaio", "norandommap": "1", "size": "32g"}


def played(iops: float = 1000.0, capacity: int = CAPACITY, **options: str) -> Played:
    """What becomes of a job with these options, on top of those of a usual one."""
    given = {name: value for name, value in (FULL | options).items() if value is not None}
    reads = Direction(1, 1, iops, 1.0, 1.0)
    directions = {"read": reads, "write": NOTHING, "trim": NOTHING}
    return play(MeasuredJob("x", 0, 0, given, directions), capacity)


def notes(one: Played) -> dict[str, str]:
    return {note.option: note.meaning for note in one.notes}


# ---------------------------------------------------------------- units


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("512", 512), ("4k", 4096), ("4K", 4096), ("4kb", 4096), ("4kB", 4096), ("4ki", 4096),
        ("4KiB", 4000), ("4kib", 4000), ("1m", 2**20), ("1MiB", 10**6), ("32g", 32 * 2**30),
        ("2t", 2**41), ("0x1000", 4096), ("1.5k", 1536), ("100b", 100),
    ],
)  # fmt: skip
def test_a_size_means_what_it_means_to_fio(text, number):
    """A ``k`` is 1024 and a ``KiB`` is 1000: tried with fio 3.33."""
    assert values.size(text) == number


def test_kb_base_turns_sizes_round():
    assert values.size("4k", 1000) == 4000
    assert values.size("4KiB", 1000) == 4096
    assert played(bs="4k", kb_base="1000").table["size"] == "4 kB"


@pytest.mark.parametrize(
    ("options", "said"), [({}, 1), ({"kb_base": "1000"}, 0), ({"bs": "4k"}, 0)]
)
def test_that_fio_takes_kib_for_1000_bytes_is_said(options, said):
    found = played(**({"rw": "randread", "direct": "1", "bs": "4KiB"} | options))
    notes = [note for note in found.notes if "1000 bytes" in note.meaning]
    assert [note.option for note in notes] == ["bs"] * said


@pytest.mark.parametrize(("base", "k"), [("1024", 1024), ("1000", 1000)])
def test_integers_have_suffixes_too(base, k):
    """fio's HOWTO: an option of type int takes a suffix, as a size does."""
    one = played(iops=2.0 * k, rate_iops="2k", kb_base=base)
    assert units.parse(one.table["rate"], "rate") == 2 * k
    assert played(iodepth="1k", kb_base=base).table["outstanding"] == k
    assert values.count("2k", 1, 10**6, k) == 2 * k
    one = played(iops=2.0 * k, rate="8k", bs="4", kb_base=base)
    assert units.parse(one.table["rate"], "rate") == 2 * k
    with pytest.raises(Unreadable, match="percent"):
        values.count("5%")


@pytest.mark.parametrize(
    ("text", "bare", "found"),
    [("10", 1.0, 10), ("50", 1e-6, 50e-6), ("2m", 1.0, 120), ("5ms", 1.0, 5e-3), ("7us", 1, 7e-6)],
)
def test_a_time_means_what_it_means_to_fio(text, bare, found):
    assert values.seconds(text, bare) == pytest.approx(found)


@pytest.mark.parametrize("text", ["", "k", "-4k", "4q", "4 x", "1e3", "nan", "9" * 400, "4k4"])
def test_what_is_no_size_is_not_guessed(text):
    with pytest.raises(Unreadable):
        values.size(text)


# ---------------------------------------------------------------- what is played


READ = {"rate_process", "kb_base"}
"""Options that change nothing, or mean something, as the others of the job are."""

LOADS: list[dict[str, Any]] = [
    {"read": "100 %", "random": "0 %", "size": "1 MiB", "outstanding": 4},
    {"read": "0 %", "size": "4 KiB", "outstanding": 64,
     "area": {"offset": "1 GiB", "size": "2 GiB"}},
    {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "outstanding": 8, "workers": 3},
    {"read": "30 %", "random": "0 %", "size": "16 KiB", "outstanding": 1},
    {"read": "100 %", "random": "25 %", "size": "4 KiB", "outstanding": 2},
    {"read": "100 %", "size": "4 KiB", "outstanding": 2, "zipf": 1.1},
    {"read": "100 %", "size": "4 KiB", "outstanding": 2,
     "hot": {"area": "10 %", "accesses": "90 %"}},
    {"read": "50 %", "size": "4 KiB", "outstanding": 2, "think": "50 us"},
    {"read": "100 %", "size": "4 KiB", "workers": 4, "partitions": True, "outstanding": 2,
     "area": {"size": "1 GiB"}},
    {"read": "100 %", "sizes": [{"size": "4 KiB", "share": "60 %"},
                                {"size": "64 KiB", "share": "40 %"}], "outstanding": 2},
    {"read": "60 %", "size": "4 KiB", "rate": "100 IO/s"},
    {"read": "60 %", "size": "4 KiB", "rate": "100 IO/s", "rate_distribution": "constant"},
    {"read": "40 %", "size": "4 KiB", "outstanding": 2,
     "zones": [{"area": "5 %", "accesses": "50 %"}, {"area": "15 %", "accesses": "30 %"},
               {"area": "80 %", "accesses": "20 %"}]},
    {"sizes": [{"size": "4 KiB", "share": "48 %", "read": "100 %"},
               {"size": "8 KiB", "share": "32 %", "read": "100 %"},
               {"size": "64 KiB", "share": "20 %", "read": "0 %"}], "outstanding": 2},
    {"read": "0 %", "size": "4 KiB", "outstanding": 2, "once": True, "flush_every": 8},
]  # fmt: skip


def scenario_of(load: dict[str, Any]) -> Any:
    return from_data(
        {
            "host": {"model": "fujitsu-rx2540-m1"},
            "volume": [{"name": "data", "drive": "intel-p3700-800gb"}],
            "load": [{"name": "x", "volume": "data"} | load],
        }
    )


@pytest.mark.parametrize("load", LOADS, ids=str)
def test_a_load_told_in_fios_options_is_played_as_the_same_load(load):
    (spec,) = scenario_of(load).loads
    rate = None if spec.rate is None else spec.rate[0]
    options, remarks = options_of(spec, 0 if rate else spec.outstanding[0], rate, CAPACITY)
    if rate:
        options["iodepth"] = "1"
    found = played(1e9, **({"norandommap": None, "size": None} | options))
    assert (remarks, found.refused) == ([], [])
    (again,) = scenario_of(found.table).loads
    same = {"read", "random", "size", "sizes", "workers", "partitions", "outstanding", "rate",
            "hot", "zipf", "zones", "once", "think", "rate_distribution",
            "flush_every"}  # fmt: skip
    for key in same:
        assert getattr(again, key) == getattr(spec, key), key
    assert again.extent(CAPACITY) == spec.extent(CAPACITY)


def test_reads_and_writes_may_have_sizes_of_their_own():
    table = played(rw="randrw", rwmixread="70", bs="4k,64k").table
    assert "read" not in table
    assert table["sizes"] == [
        {"size": "4 KiB", "share": "70 %", "read": "100 %"},
        {"size": "64 KiB", "share": "30 %", "read": "0 %"},
    ]
    table = played(rw="randrw", bssplit="4k/60:8k,64k").table
    assert [one["share"] for one in table["sizes"]] == ["30 %", "20 %", "50 %"]


@pytest.mark.parametrize(
    ("split", "shares"),
    [("4k/33.3:8k/33.3:16k/33.3", [33, 33, 34]), ("4k/33.9:8k/33.9:16k/32.2", [33, 35, 32]),
     ("4k/0.5:8k/50.5:16k/49", [1, 50, 49]), ("4k/12.5:8k/12.5:16k/75", [12, 12, 76]),
     ("4k/10:8k/20", [10, 90]), ("4k/60:8k/60", [60, 40]), ("4k/50:8k:16k", [50, 25, 25]),
     ("4k/0:8k/60", [40, 60]), ("4k/10:8k/10:16k/5", [10, 85, 5]), ("4k:8k:16k", [33, 33, 34]),
     ("4k/33%:8k/67%", [33, 67])],
)  # fmt: skip
def test_shares_of_sizes_are_those_that_fio_measures(split, shares):
    """What fio 3.33 was seen to do: whole percents, and the largest share has the rest."""
    one = played(bssplit=split)
    assert one.refused == []
    assert [size["share"] for size in one.table["sizes"]] == [f"{share} %" for share in shares]
    whole = split in ("4k/50:8k:16k", "4k:8k:16k", "4k/33%:8k/67%")
    assert ("fio takes its shares for" in notes(one).get("bssplit", "")) != whole


def test_other_shares_are_whole_percents_as_well():
    assert played(rw="randrw", rwmixread="33.9").table["read"] == "33 %"
    assert played(percentage_random="33.9").table["random"] == "33 %"
    table = played(random_distribution="zoned:60.2/10.9:40.7/90").table
    assert table["hot"] == {"area": "10 %", "accesses": "60 %"}


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        ({"norandommap": None}, "once", True),
        ({"fsync": "16", "rw": "write"}, "flush_every", 16),
        ({"sync": "dsync", "rw": "write"}, "fua", True),
        ({"fdatasync": "4", "rw": "randrw"}, "flush_every", 4),
        ({"rate_iops": "1000"}, "rate_distribution", "constant"),
    ],
)
def test_what_changes_the_ios_is_played(options, key, value):
    one = played(**options)
    assert one.table[key] == value
    assert key == "rate_distribution" or one.notes == []


def test_fios_own_defaults_are_read_4_kib_in_sequence_one_at_a_time():
    one = play(
        MeasuredJob("x", 0, 0, {"name": "x"}, {"read": NOTHING, "write": NOTHING, "trim": NOTHING}),
        CAPACITY,
    )
    assert one.table == {"read": "100 %", "random": "0 %", "size": "4 KiB", "outstanding": 1,
                         "area": {"offset": "0 B"}}  # fmt: skip
    assert one.is_synchronous
    assert one.is_buffered


@pytest.mark.parametrize("engine", sorted(SYNCHRONOUS))
def test_synchronous_engines_have_one_io_at_a_time(engine):
    one = played(ioengine=engine, iodepth="32", numjobs="4", filename="f")
    assert (one.outstanding, one.table["workers"]) == (1, 4)
    assert "one I/O at a time" in notes(one)["iodepth"]


@pytest.mark.parametrize("engine", sorted(ASYNCHRONOUS))
def test_other_engines_have_as_many_as_they_are_asked_for(engine):
    one = played(ioengine=engine, iodepth="32")
    assert (one.outstanding, one.notes) == (32, [])


@pytest.mark.parametrize(
    ("options", "name", "words"),
    [
        ({"direct": "0"}, "direct", "page cache"),
        ({"direct": None}, "direct", "page cache"),
        ({"direct": "1", "buffered": "1"}, "direct", "page cache"),
        ({"norandommap": None, "percentage_random": "50"}, "norandommap", "each block once"),
        ({"norandommap": None, "bssplit": "4k/50:8k"}, "norandommap", "each block once"),
        ({"ioengine": "something"}, "ioengine", "does not know it"),
        ({"fsync": "1", "rw": "randwrite", "rate_iops": "1000"}, "fsync", "together with a rate"),
        ({"random_distribution": "pareto:0.2"}, "random_distribution", "evenly"),
        ({"random_distribution": "zoned:50/5:30/15:10/80"}, "random_distribution", "evenly"),
        ({"random_distribution": "zoned:50/5:30:10/80"}, "random_distribution", "evenly"),
        ({"random_distribution": "zipf:x"}, "random_distribution", "not understood"),
        ({"rw": "randread:4"}, "rw", "after the colon"),
        ({"thinktime": "10", "thinktime_blocks": "4"}, "thinktime", "after several"),
        ({"numjobs": "2"}, "filename", "its own part"),
        ({"filename": "/dev/nvme0n1:/dev/nvme1n1"}, "filename", "2 files or devices"),
        ({"size": None}, "size", "the whole volume"),
        ({"rate_iops": "5000"}, "rate_iops", "not reached"),
        ({"startdelay": "5"}, "startdelay", "all of them run"),
        ({"iomem": "mmaphuge"}, "iomem", "host.set.page.size"),
        ({"hugepage-size": "2m"}, "hugepage-size", "host.set.page.size"),
        ({"no_such_option": "1"}, "no_such_option", "does not know it"),
    ],
)
def test_what_is_not_played_is_listed_with_what_that_means(options, name, words):
    one = played(**options)
    assert one.refused == []
    assert words in notes(one)[name]


def test_memory_in_small_pages_is_nothing_to_be_said_of():
    one = played(iomem="mmap")
    assert (notes(one), one.without_effect) == ({}, ["iomem"])


def test_a_colon_that_is_escaped_is_a_part_of_the_name():
    """A drive of Windows: one file, of which nothing is to be said."""
    assert notes(played(filename="C\\:\\test.dat")) == {}


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"rw": "trimwrite"}, "rw"),
        ({"ioengine": "null"}, "ioengine"),
        ({"ioengine": "mmap"}, "ioengine"),
        ({"bs": "4KQ"}, "bs"),
        ({"bsrange": "4k-64k"}, "bsrange"),
        ({"bssplit": "4k/60:8k/60:64k"}, "bssplit"),
        ({"bssplit": "4k/60:KQ/40"}, "bssplit"),
        ({"rwmixread": "70%", "rw": "rw"}, "rwmixread"),
        ({"percentage_random": "30%"}, "percentage_random"),
        ({"offset": "10.5%"}, "offset"),
        ({"offset": "790g"}, "size"),
        ({"offset": "790g", "size": None}, "offset"),
        ({"size": "900g"}, "size"),
        ({"numjobs": "0"}, "numjobs"),
        ({"iodepth": "x"}, "iodepth"),
        ({"read_iolog": "trace"}, "read_iolog"),
        ({"rwmixread": "150", "rw": "rw"}, "rwmixread"),
    ],
)
def test_what_would_be_another_load_is_refused(options, name):
    one = played(**options)
    assert [note.option for note in one.refused] == [name]


def test_sizes_of_reads_and_writes_may_differ_where_there_is_one_kind_only():
    assert played(bs="4k,64k").table["size"] == "4 KiB"
    assert played(bs="4k,64k", rw="randwrite").table["size"] == "64 KiB"


def test_the_later_one_of_two_mixes_counts():
    assert played(rw="randrw", rwmixread="70", rwmixwrite="40").table["read"] == "60 %"
    assert played(rw="randrw").table["read"] == "50 %"


def test_a_rate_that_was_reached_is_an_open_load():
    one = played(iops=980.0, rate_iops="500", numjobs="2", filename="f")
    assert one.is_at_rate
    assert one.table["rate"] == "500 IO/s"
    assert "outstanding" not in one.table


def test_rates_of_reads_and_writes_make_the_mix():
    """fio 3.33: rate_iops=140,60 gives 140 reads and 60 writes, rate_iops=200 gives 200 of each."""
    one = played(iops=200.0, rw="randrw", rate_iops="140,60")
    assert (one.table["read"], one.table["rate"]) == ("70 %", "200 IO/s")
    both = played(iops=400.0, rw="randrw", rate_iops="200")
    assert (both.table["read"], both.table["rate"]) == ("50 %", "400 IO/s")


def test_aliases_are_the_options_that_they_stand_for():
    one = played(blocksize="16k", readwrite="write", rw=None)
    assert (one.table["size"], one.table["read"]) == ("16 KiB", "0 %")


def test_every_option_is_in_one_table_only():
    tables = (set(HARMLESS), set(MEANINGS), set(REFUSED), set(ALIASES))
    for number, one in enumerate(tables):
        for other in tables[number + 1 :]:
            assert one & other == set()


NAMES = (
    "rw", "bs", "size", "offset", "iodepth", "numjobs", "rate", "bssplit", "rate_iops", "thinktime",
    "rwmixread", "percentage_random", "random_distribution", "blockalign", "offset_increment",
    "ioengine", *MEANINGS, *sorted(HARMLESS),
)  # fmt: skip
VALUES = (
    "", "1", "0", "4k", "50", "50%", "rw", "randrw", "x", "4k/50:8k/50", "4k,8k", "zipf:1.2",
    "zoned:90/10:10/90", "1000", "-1", "1:2", ",", "4k/x", "1e9",
)  # fmt: skip


@given(
    st.dictionaries(
        st.sampled_from(NAMES), st.sampled_from(VALUES) | st.text(max_size=6), max_size=6
    )
)
@settings(max_examples=100, deadline=None)
def test_any_options_are_played_or_refused_and_each_is_heard_of(options):
    one = play(
        MeasuredJob("x", 0, 0, {"name": "x"} | options,
                    {"read": Direction(1, 1, 10.0, 1.0, 1.0), "write": NOTHING, "trim": NOTHING}),
        CAPACITY,
    )  # fmt: skip
    noted = {note.option for note in (*one.notes, *one.refused)} | set(one.without_effect)
    assert {name for name in options if name in MEANINGS or name in HARMLESS} <= noted | READ
    if not one.refused:
        with suppress(InputError):  # a rate may be too low, a size no whole sectors
            assert scenario_of(one.table).loads

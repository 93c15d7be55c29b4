"""Figures of traces, against plain counting, closed forms and caches that are simulated."""

from __future__ import annotations

import json
import math
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_figures import BLOCK, info_of, of_blocks
from trace_files import DATA, requests

import raidsim
from raidsim import InputError
from raidsim.trace import READ, TRIM, WRITE, demerit, write
from raidsim.trace.reuse import Follower


def misses_of_lru(numbers, blocks):
    """Share of misses of an LRU cache, by a dictionary that remembers its order."""
    cache: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for number in numbers:
        if number in cache:
            cache.move_to_end(number)
            continue
        misses += 1
        cache[number] = None
        if len(cache) > blocks:
            cache.popitem(last=False)
    return misses / len(numbers)


# ---- the miss-ratio curve


@settings(max_examples=100, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 30), min_size=1, max_size=200),
    blocks=st.integers(1, 40),
    rows=st.integers(1, 50),
)
def test_of_few_blocks_the_curve_is_that_of_an_lru_cache(numbers, blocks, rows):
    info = info_of(of_blocks(numbers), rows=rows)
    assert info.footprint_exact
    assert info.footprint == len(set(numbers)) * BLOCK
    expected = misses_of_lru(numbers, blocks)
    assert info.miss_ratio(blocks * BLOCK) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("number", [1, 4, 7])
def test_a_request_of_several_blocks_is_as_many_accesses(number):
    r = np.random.default_rng(number)
    first = r.integers(0, 100, 3000)
    made = of_blocks(first)
    made["size"] = number * BLOCK
    numbers = (first[:, None] + np.arange(number)).ravel().tolist()
    info = info_of(made)
    for blocks in (1, 10, 50, 99):
        assert info.miss_ratio(blocks * BLOCK) == pytest.approx(misses_of_lru(numbers, blocks))


def test_what_begins_within_a_block_is_an_access_to_it():
    made = of_blocks([0, 0])
    made["offset"] = [4095, 4096]
    made["size"] = [2, 1]
    assert info_of(made).footprint == 2 * BLOCK
    assert info_of(made).miss_ratio(BLOCK) == pytest.approx(2 / 3)


def test_the_same_address_of_two_volumes_is_two_blocks():
    made = of_blocks([5, 5, 5, 5])
    made["volume"] = [0, 1, 0, 1]
    assert info_of(made).footprint == 2 * BLOCK


def test_reads_and_writes_count_alike_and_trims_do_not():
    made = of_blocks([1, 1, 2])
    made["op"] = [READ, WRITE, TRIM]
    info = info_of(made)
    assert info.footprint == BLOCK
    assert info.miss_ratio(BLOCK) == 0.5


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_uniform_accesses_hit_as_often_as_the_cache_is_large(share):
    # Beyond the first access to each of N blocks, LRU of C blocks hits with C / N.
    number, accesses = 40_000, 1_000_000
    numbers = np.random.default_rng(1).integers(0, number, accesses)
    first = len(np.unique(numbers)) / accesses
    for followed in (None, 8192):
        info = info_of(of_blocks(numbers), rows=65_536, most_followed=followed)
        assert info.footprint_exact == (followed is None)
        expected = first + (1 - share) * (1 - first)
        found = info.miss_ratio(int(share * number) * BLOCK)
        assert found == pytest.approx(expected, abs=0.03 if followed else 0.02)
        assert info.footprint == pytest.approx(number * BLOCK, rel=0.05)


def test_a_sample_of_the_blocks_gives_the_curve_of_all():
    r = np.random.default_rng(2)
    numbers = (r.zipf(1.3, 400_000) * 7919) % 60_000
    exact = info_of(of_blocks(numbers), rows=65_536)
    sampled = info_of(of_blocks(numbers), rows=65_536, most_followed=4096)
    assert exact.footprint_exact
    assert not sampled.footprint_exact
    sizes = [one.size for one in sampled.caches if one.size >= 256 * BLOCK]
    errors = [abs(exact.miss_ratio(size) - sampled.miss_ratio(size)) for size in sizes]
    assert len(sizes) > 10
    assert np.mean(errors) < 0.02
    assert any("SHARDS" in remark for remark in sampled.remarks)


def test_a_cyclic_scan_misses_always_in_a_cache_one_block_too_small():
    numbers = list(range(100)) * 50
    info = info_of(of_blocks(numbers))
    assert info.miss_ratio(99 * BLOCK) == 1
    assert info.miss_ratio(100 * BLOCK) == pytest.approx(1 / 50)


def test_memory_does_not_grow_with_the_blocks():
    follower = Follower(1024)
    zeros = np.zeros(100_000, np.int32)
    for start in range(0, 2_000_000, 100_000):
        numbers = np.arange(start, start + 100_000)
        follower.add(zeros, numbers * BLOCK, np.full(100_000, BLOCK))
    found = follower.result()
    assert len(found.hottest) <= 1024
    assert found.blocks == pytest.approx(2_000_000, rel=0.15)
    assert found.miss_ratio(10**6) == 1


def test_hot_blocks_have_their_share_of_the_accesses():
    numbers = [0] * 90 + list(range(1, 11))
    info = info_of(of_blocks(numbers))
    assert info.reuse.hot_share(1 / 11) == pytest.approx(0.9)
    assert info.hot[0.5] == pytest.approx((90 + 4.5) / 100)


# ---- rates


def test_arrivals_by_chance_have_variance_one_and_even_ones_none():
    r = np.random.default_rng(3)
    made = of_blocks(np.zeros(200_000, int))
    made["time"] = np.cumsum(r.exponential(1e-3, len(made)))
    made["time"] -= made["time"][0]
    by_chance = info_of(made, rows=65_536)
    assert by_chance.rate == pytest.approx(1000, rel=0.01)
    assert by_chance.gap_variation == pytest.approx(1, abs=0.02)
    dispersion = {peak.window: peak.dispersion for peak in by_chance.peaks}
    assert dispersion[0.01] == pytest.approx(1, abs=0.05)
    assert dispersion[0.1] == pytest.approx(1, abs=0.1)
    even = info_of(of_blocks(np.zeros(20_000, int)))
    assert even.gap_variation == pytest.approx(0, abs=1e-9)
    assert even.peaks[1].rate == pytest.approx(1000, rel=0.02)


@settings(max_examples=50, deadline=None)
@given(gaps=st.lists(st.integers(0, 30), min_size=2, max_size=300), rows=st.integers(1, 100))
def test_peaks_and_dispersion_are_those_of_plain_counting(gaps, rows):
    made = of_blocks([0] * len(gaps))
    made["time"] = np.cumsum([0, *gaps[1:]]) / 128
    info = info_of(made, rows=rows)
    for peak in info.peaks:
        windows = (made["time"] / peak.window).astype(int)
        counts = np.bincount(windows)
        assert peak.rate == pytest.approx(counts.max() / peak.window)
        assert peak.at == pytest.approx(counts.argmax() * peak.window)
        whole = counts[:-1]
        if len(whole) < 10:
            assert peak.dispersion is None
        else:
            assert peak.dispersion == pytest.approx(whole.var() / whole.mean(), abs=1e-9)
    assert sum(info.course.counts) == len(made)


def test_the_course_of_a_long_trace_has_a_bounded_number_of_stretches():
    made = of_blocks([0] * 1000)
    made["time"] = np.arange(1000) * 3600.0
    info = info_of(made)
    assert len(info.course.counts) <= 512
    assert sum(info.course.counts) == 1000


# ---- sizes, sequences, volumes


def plainly_sequential(made, recent):
    """Which requests begin where one of the last ones of their volume ended."""
    ends: dict[int, list[int]] = {}
    found = []
    for row in made:
        last = ends.setdefault(int(row["volume"]), [])
        found.append(int(row["offset"]) in last[-recent:])
        last.append(int(row["offset"] + row["size"]))
    return sum(found) / len(found)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_sequential_requests_are_found_across_blocks_and_volumes(data):
    number = data.draw(st.integers(1, 200))
    numbers = data.draw(st.lists(st.integers(0, 12), min_size=number, max_size=number))
    made = of_blocks(numbers)
    made["volume"] = data.draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
    info = info_of(made, rows=data.draw(st.integers(1, 40)))
    assert info.sequential_share == pytest.approx(plainly_sequential(made, 32))
    assert info.consecutive_share == pytest.approx(plainly_sequential(made, 1))


def test_sizes_have_their_own_shares_of_reads():
    made = of_blocks([0, 1, 2, 9])
    made["size"] = [4096, 4096, 8192, 8192]
    made["op"] = [READ, WRITE, READ, READ]
    first, second = info_of(made).sizes
    assert (first.size, first.requests, first.read_share) == (4096, 2, 0.5)
    assert (second.size, second.requests, second.read_share) == (8192, 2, 1)
    assert (first.sequential_share, second.sequential_share) == (0.5, 0.5)


def test_very_many_sizes_are_rounded_up_and_that_is_said():
    made = of_blocks([0] * 5000)
    made["size"] = 512 * np.arange(1, 5001)
    info = info_of(made)
    assert info.sizes_rounded
    assert len(info.sizes) < 1000
    assert sum(one.requests for one in info.sizes) == 5000
    assert any("rounded" in remark for remark in info.remarks)


def test_each_volume_has_its_own_figures():
    made = requests(
        (0, READ, 0, 0, 512),
        (1, WRITE, 1, 4096, 1024),
        (2, READ, 1, 0, 512),
        (3, TRIM, 1, 0, 2**30),
    )
    second, first = info_of(made, names=("a", "b")).volumes
    assert (first.name, first.requests, first.read_share, first.end) == ("a", 1, 1.0, 512)
    assert (second.name, second.requests, second.read_share) == ("b", 3, 0.5)
    assert (second.bytes_read, second.bytes_written, second.end) == (512, 1024, 2**30)


# ---- latency and what is outstanding


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_outstanding_requests_are_those_of_plain_counting(data):
    number = data.draw(st.integers(1, 150))
    made = of_blocks([0] * number)
    made["time"] = np.cumsum(data.draw(st.lists(st.integers(0, 5), min_size=number,
                                                max_size=number)))  # fmt: skip
    made["time"] -= made["time"][0]
    made["response"] = (
        np.array(data.draw(st.lists(st.integers(1, 20), min_size=number, max_size=number))) + 0.5
    )
    info = info_of(made, rows=data.draw(st.integers(1, 40)))
    ends = made["time"] + made["response"]
    under_way = [int((ends[:place] > made["time"][place]).sum()) for place in range(number)]
    assert info.outstanding_found == pytest.approx(np.mean(under_way))
    assert info.outstanding_most == max(under_way) + 1


def test_percentiles_of_latency_are_within_the_width_of_a_bin():
    made = of_blocks([0] * 50_000)
    made["response"] = np.random.default_rng(5).lognormal(-7, 1, len(made))
    found = info_of(made).latency["read"]
    assert found.mean == pytest.approx(made["response"].mean())
    assert found.most == made["response"].max()
    for share in (0.5, 0.95, 0.99):
        expected = np.quantile(made["response"], share)
        assert found.percentiles[share] == pytest.approx(expected, rel=0.012)


# ---- the demerit figure


def test_the_demerit_of_equal_samples_is_zero_and_of_a_shift_the_shift():
    times = np.random.default_rng(6).random(1000)
    assert demerit(times, times[::-1]) == 0
    assert demerit([1.0], [3.0]) == 2
    assert demerit(times, times + 0.1) == pytest.approx(0.1 / times.mean())


def test_the_demerit_of_samples_of_different_sizes_is_exact():
    # Quantiles of (0, 2) and (1, 1, 4): 0-1/3: 0 and 1; 1/3-1/2: 0 and 1; 1/2-2/3: 2 and 1;
    # 2/3-1: 2 and 4. Mean square 1/3 + 1/6 + 1/6 + 4/3 = 2, and the measured mean is 1.
    assert demerit([2, 0], [4, 1, 1]) == pytest.approx(math.sqrt(2))
    assert demerit([1, 3], [1, 1, 3, 3]) == 0


@pytest.mark.parametrize(
    ("measured", "simulated", "wrong"),
    [([], [1], "measured: has no times"), ([1], [], "simulated: has no times"),
     ([0], [1], "has a mean of 0"), ([1], [math.nan], "not finite")],
)  # fmt: skip
def test_a_demerit_needs_times(measured, simulated, wrong):
    with pytest.raises(InputError, match=wrong):
        demerit(measured, simulated)


# ---- raidsim.Trace


def test_a_trace_has_requests_figures_and_a_picture():
    trace = raidsim.Trace.read(DATA / "disksim" / "atlas_III-3000.trace")
    assert len(trace.requests) == 3000
    info = trace.info()
    assert info.requests == 3000
    assert info.outstanding_most == 1
    assert info.latency["read"].mean == pytest.approx(9.026e-3, abs=1e-6)
    assert info.read_share == pytest.approx(1952 / 3000)
    assert trace.plot()._repr_png_().startswith(b"\x89PNG")
    assert "DiskSim validation trace" in repr(trace)
    assert json.loads(json.dumps(info.to_dict()))["schema"] == "raidsim.trace-info/1"


def test_a_function_is_told_how_far_reading_is(tmp_path):
    write(tmp_path / "made.csv.gz", [of_blocks(range(200_000))], "csv")
    seen: list[float] = []
    raidsim.Trace.read(tmp_path / "made.csv.gz").info(seen.append)
    assert seen == sorted(seen)
    assert 0 < seen[0] < seen[-1] == 1


def test_the_requests_of_one_volume_begin_at_zero():
    path = DATA / "alibaba-block-2020.csv"
    trace = raidsim.Trace.read(path, volume="725")
    assert trace.requests["time"].tolist() == pytest.approx([0, 78e-6])
    assert [one.name for one in trace.info().volumes] == ["725"]
    with pytest.raises(InputError, match='no request to a volume "9"'):
        raidsim.Trace.read(path, volume="9").info()


def test_a_trace_too_large_for_memory_is_refused_before_it_is_full(monkeypatch):
    monkeypatch.setattr("raidsim.trace.trace._memory", lambda: 41 * 1000)
    trace = raidsim.Trace.read(DATA / "disksim" / "atlas_III-3000.trace")
    with pytest.raises(InputError, match="go through it with blocks"):
        _ = trace.requests
    assert trace.info().requests == 3000


def test_a_trace_of_one_request_has_figures(tmp_path):
    write(tmp_path / "one", [requests((0, READ, 0, 0, 512))], "csv")
    info = raidsim.Trace.read(tmp_path / "one").info()
    assert info.rate is None
    assert info.span == 0
    assert info.footprint == BLOCK

"""The load that is fitted to a trace is the one that the trace was made by."""

from __future__ import annotations

import io

import numpy as np
import pytest
from trace_figures import BLOCK, info_of, of_blocks
from trace_files import DATA, requests

import raidsim
from raidsim import InputError, Scenario
from raidsim.report.console import ReportConsole
from raidsim.report.trace_fit import print_fit
from raidsim.stats.shares import rounded_shares
from raidsim.synthesis.distance import run_both
from raidsim.synthesis.fit import fit
from raidsim.synthesis.popularity import hot, uniform, zipf, zones
from raidsim.trace import READ, TRIM, WRITE

FILLS = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "front"
drive = "intel-s3700-800gb"
[[volume]]
name = "back"
drive = "nl-sas-2tb"
[[hybrid]]
front = "front"
back = "back"
size = "16 MiB"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
"""
QUICK = {"measure": {"min_ios": 2_000, "max_ios": 20_000, "precision": "10 %"}}


def poisson(made, rate, seed=1):
    """The same requests at arrivals by chance."""
    made["time"] = np.cumsum(np.random.default_rng(seed).exponential(1 / rate, len(made)))
    made["time"] -= made["time"][0]
    return made


def blocks_of(popularity, number, seed=2):
    """Accesses drawn from a popularity."""
    r = np.random.default_rng(seed)
    kinds = r.choice(len(popularity.share), number, p=popularity.share)
    starts = np.concatenate(([0], np.cumsum(popularity.blocks)))
    return (starts[kinds] + r.random(number) * popularity.blocks[kinds]).astype(int)


def test_rate_reads_and_sizes_are_those_of_the_trace():
    r = np.random.default_rng(4)
    made = of_blocks(2 * r.integers(0, 50_000, 20_000))
    made["op"] = np.where(r.random(len(made)) < 0.67, READ, WRITE)
    made["size"] = np.where(r.random(len(made)) < 0.75, BLOCK, 2 * BLOCK)
    found = fit(info_of(poisson(made, 500), rows=65_536))
    table = found.table
    assert [one["size"] for one in table["sizes"]] == ["4 KiB", "8 KiB"]
    assert float(table["sizes"][0]["share"].split()[0]) == pytest.approx(75, abs=1)
    assert float(table["sizes"][0]["read"].split()[0]) == pytest.approx(67, abs=1.5)
    assert float(table["rate"].split()[0]) == pytest.approx(500, rel=0.02)
    assert table["rate_distribution"] == "exponential"
    assert table["align"] == "4 KiB"
    for figure in found.figures:
        assert figure.load == pytest.approx(figure.trace, rel=0.01, abs=0.01)


@pytest.mark.parametrize("blocks", [1, 2, 16])
def test_requests_that_begin_at_multiples_of_their_size_do_so_in_the_load(blocks):
    numbers = np.random.default_rng(4).integers(0, 5_000, 5_000)
    made = of_blocks(blocks * numbers)
    made["size"] = blocks * BLOCK
    made["offset"][::40] += 512  # few do not
    assert fit(info_of(made)).table["align"] == f"{4 * blocks} KiB"


def test_requests_are_aligned_as_far_as_the_places_where_they_begin_are():
    made = of_blocks(np.random.default_rng(4).integers(0, 5_000, 5_000))
    made["size"] = 16 * BLOCK
    assert fit(info_of(made)).table["align"] == "4 KiB"
    made["offset"] *= 16
    made["size"] = 15 * BLOCK  # of 60 KiB, none crosses the end of 64 KiB
    assert fit(info_of(made)).table["align"] == "64 KiB"
    made["size"] = 512  # one could lie anywhere
    assert fit(info_of(made)).table["align"] == "512 B"


def test_sizes_have_one_alignment_and_those_that_had_another_one_are_told():
    numbers = np.random.default_rng(4).integers(0, 5_000, 5_000)
    made = of_blocks(2 * numbers)
    made["size"] = 2 * BLOCK
    made["offset"][::2] *= 8
    made["size"][::2] *= 8
    found = fit(info_of(made))
    assert found.table["align"] == "8 KiB"
    assert "Requests of 64 KiB begin at multiples of 64 KiB in the trace" in " ".join(found.remarks)


def test_a_zipf_law_over_places_of_64_kib_is_found_again():
    numbers = np.random.default_rng(9).permutation(20_000)[blocks_of(zipf(20_000, 1.0), 50_000)]
    made = of_blocks(16 * numbers)
    made["size"] = 16 * BLOCK
    assert fit(info_of(made, rows=65_536)).table["zipf"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("made_by", "key"),
    [
        (uniform(20_000), None),
        (hot(20_000, 0.05, 0.8), "hot"),
        (zipf(20_000, 1.0), "zipf"),
        (zones(20_000, np.array([8.0, 1, 1, 1, 4, 4, 1, 1, 1, 1]), 10), "zones"),
    ],
    ids=["uniform", "hot", "zipf", "zones"],
)
def test_the_places_are_those_that_the_trace_was_made_by(made_by, key):
    numbers = blocks_of(made_by, 200_000)
    if key != "zones":  # only zones lie in order
        numbers = np.random.default_rng(9).permutation(20_000)[numbers]
    found = fit(info_of(of_blocks(numbers), rows=65_536))
    assert found.caches < 0.03
    places = {"hot", "zipf", "zones"} & set(found.table)
    if key in {None, "zipf"}:
        assert places == ({key} if key else set())
    if key == "zipf":
        assert found.table["zipf"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("blocks", [1000, 20_000])
def test_misses_in_closed_form_are_those_of_a_simulated_cache(blocks):
    for made_by in (uniform(blocks), hot(blocks, 0.1, 0.9), zipf(blocks, 0.8)):
        numbers = blocks_of(made_by, 100_000)
        info = info_of(of_blocks(numbers), rows=65_536)
        sizes = np.array([blocks // 50, blocks // 10, blocks // 2])
        expected = [info.miss_ratio(int(size) * BLOCK) for size in sizes]
        np.testing.assert_allclose(made_by.miss_ratios(100_000, sizes), expected, atol=0.01)


def test_a_sequential_stream_is_one():
    made = of_blocks(np.arange(10_000))
    found = fit(info_of(made))
    assert found.table["random"] == "0.01 %"
    assert found.table["size"] == "4 KiB"
    assert found.table["rate_distribution"] == "constant"


def test_shares_add_up_to_all():
    r = np.random.default_rng(7)
    for number in (1, 2, 3, 12, 500):
        shares = rounded_shares(r.random(number) + 1e-3, least=1)
        assert sum(round(10_000 * one) for one in shares) == 10_000
        assert min(shares) > 0


@pytest.mark.parametrize("path", ["alibaba-block-2020.csv", "fujitsu-k5cloud-2018.csv",
                                  "iolog-v3.txt", "nvme-259-qd1.bin",
                                  "disksim/atlas_III-3000.trace"])  # fmt: skip
def test_what_is_fitted_is_a_load_of_a_scenario(path):
    found = fit(raidsim.Trace.read(DATA / path).info())
    scenario = Scenario.read("raid5-disks").with_({"volume.drives": 24, "load": [found.table]})
    assert len(scenario.loads) == 1
    assert found.capacity < 2**50


def test_a_fitted_load_can_be_run_and_compared():
    found = fit(raidsim.Trace.read(DATA / "iolog-v3-single.txt").info())
    scenario = Scenario.read("p3700-database").with_(QUICK)
    slower = found.table | {"rate": "500 IO/s"}
    results = run_both(scenario, found.table, slower)
    assert results[0].name == "throughput"
    assert results[0].replayed == pytest.approx(500, rel=0.05)
    assert results[0].ratio > 2
    assert {one.name for one in results} >= {"read latency, mean", "write latency, mean"}


def test_trace_and_load_are_compared_over_the_same_stretch(tmp_path):
    """A front fills while both are measured: what is read from it depends on how long it had."""
    r = np.random.default_rng(6)
    times, places = np.cumsum(r.exponential(1e6 / 60, 4_000)), r.integers(0, 4_000, 4_000) * 4096
    rows = zip(times, places, strict=True)
    lines = [f"{time:.0f},r,{place},4096" for time, place in rows]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["time [us],op,offset [B],size [B]", *lines]))
    hybrid = Scenario.from_text(FILLS)
    found = fit(raidsim.Trace.read(path).info()).table
    for one in run_both(hybrid, found, {"trace": {"file": str(path)}}):
        assert one.ratio == pytest.approx(1, rel=0.2), one


def test_mb_are_of_2_to_the_20_bytes_as_in_what_is_simulated():
    """1000 reads of 4 KiB in a second are 3.906 of them, and 4.096 of 10^6 bytes."""
    made = of_blocks(np.random.default_rng(4).integers(0, 5_000, 5_000))
    written = io.StringIO()
    found = fit(info_of(made))
    (throughput,) = (one for one in found.figures if one.unit == "MB/s")
    assert (throughput.trace, throughput.load) == pytest.approx((3.906, 3.906), rel=1e-3)
    print_fit(found, ReportConsole(written))
    assert "MB/s of 2^20 bytes" in written.getvalue()


def test_volumes_of_a_trace_lie_behind_each_other_in_its_load(tmp_path):
    """Three times as many places as one of them has: a cache as large misses two thirds."""
    r = np.random.default_rng(12)
    times, blocks = np.cumsum(r.exponential(1e-3, 6_000)), r.integers(0, 512, 6_000)
    made = requests(*((times[n], READ, n % 3, 4096 * blocks[n], 4096) for n in range(len(times))))
    found = fit(info_of(made, names=("a", "b", "c")))
    assert found.table["area"] == {"size": "6 MiB"}
    assert found.caches < 0.02


def test_what_a_load_cannot_say_is_said():
    made = requests(*((n // 10 * 1.0, READ, n % 2, 100, 512) for n in range(500)),
                    (51, TRIM, 0, 0, 512))  # fmt: skip
    said = " ".join(fit(info_of(made, names=("a", "b"))).remarks)
    assert "2 volumes" in said
    assert "no trims: 1 are left out" in said
    assert "comes in bursts" in said


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        (requests((0, READ, 0, 0, 512), (0, READ, 0, 0, 512)), "no time between"),
        (requests((0, TRIM, 0, 0, 512), (1, TRIM, 0, 0, 512)), "no reads and no writes"),
    ],
)
def test_a_trace_without_a_rate_or_without_data_has_no_load(made, wrong):
    with pytest.raises(InputError, match=wrong):
        fit(info_of(made))

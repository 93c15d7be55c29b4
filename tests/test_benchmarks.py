"""`make bench` gives a table and JSON with the documented keys. How fast it is, no test says."""

from __future__ import annotations

import json
import math

import pytest

from benchmarks import coverage
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.measuring import ROOT, fresh, middle, spend
from raidsim.kernel.replacement import names

SPEED = {"per_second", "per_cpu_second"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """The quick figures of what needs no fresh process."""
    path = tmp_path_factory.mktemp("bench") / "out" / "bench.json"
    only = [
        word
        for name in (
            "drives",
            "disks",
            "arrays",
            "caches",
            "rebuilds",
            "ageing",
            "network",
            "awaited",
            "traces",
        )
        for word in ("--only", name)
    ]
    main([*only, "--quick", "--json", str(path)])
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    return json.loads(path.read_text())


def test_the_file_says_what_was_measured_with_which_versions(bench):
    assert list(bench) == [
        "schema",
        "raidsim",
        "kernel",
        "versions",
        "computer",
        "quick",
        "repeats",
        "figures",
        "ratios",
    ]
    assert bench["schema"] == "raidsim.bench/1"
    assert bench["quick"] is True
    assert set(bench["versions"]) == {"python", "numba", "llvmlite", "numpy", "simpy"}


def test_each_load_is_measured_at_each_number_of_outstanding_ios(bench):
    drives = bench["figures"]["drives"]
    assert [(f["load"], f["outstanding"]) for f in drives] == [
        (load, outstanding) for load in ("Database", "File server") for outstanding in (1, 32, 512)
    ]
    assert all(f[key] > 0 for f in drives for key in SPEED | {"events_per_io", "ios"})


def test_every_replacement_policy_is_measured_against_lru(bench):
    caches = bench["figures"]["caches"]
    assert [one["policy"] for one in caches] == list(names())
    assert all(one["cpu_ns_per_io"] > 0 and 0 < one["hit_rate"] < 1 for one in caches)
    assert {f"access_{name}_to_lru" for name in names()[1:]} <= set(bench["ratios"])


def test_drives_are_worn_in_at_several_ratios_of_spare_area(bench):
    ageing = bench["figures"]["ageing"]
    amplifications = [f["write_amplification"] for f in ageing]
    assert amplifications == sorted(amplifications, reverse=True)
    assert all(f[key] > 0 for f in ageing for key in SPEED)


def test_a_disk_is_measured_with_a_queue_of_up_to_256(bench):
    disks = bench["figures"]["disks"]
    assert [f["outstanding"] for f in disks] == [1, 32, 256]
    assert all(f[key] > 0 for f in disks for key in SPEED | {"events_per_io", "ios"})
    assert bench["ratios"]["disk_32_to_256_outstanding"] > 0


def test_arrays_are_measured_per_host_io_and_per_device_io(bench):
    arrays = bench["figures"]["arrays"]
    for found in (*arrays["special"], *arrays["growth"]):
        assert all(found[key] > 0 for key in SPEED | {"events_per_io", "ios"})
        # A nanosecond is 1e-9 s: what a command costs, over all that a host I/O causes.
        per_io = found["cpu_ns_per_device_io"] * found["device_ios_per_io"]
        assert per_io * found["per_cpu_second"] == pytest.approx(1e9)
    raid5, raid60, raid0 = (found["device_ios_per_io"] for found in arrays["special"])
    # Two thirds are reads of one drive, a third are writes: read twice, write twice.
    assert raid5 == pytest.approx(2 / 3 + 4 / 3, rel=0.1)
    assert raid60 > raid5  # two parities
    assert raid0 == pytest.approx(1, rel=0.01)


def test_what_a_device_io_costs_is_followed_from_8_to_240_drives(bench):
    growth = bench["figures"]["arrays"]["growth"]
    assert [found["drives"] for found in growth] == [8, 24, 96, 240]
    # Mirrored: a read is one command, a write two.
    for found in growth:
        assert found["device_ios_per_io"] == pytest.approx(0.67 + 2 * 0.33, rel=0.1)


def test_kernel_and_plain_simpy_simulate_the_same_network(bench):
    network = bench["figures"]["network"]
    kernel, plain = network["kernel"], network["plain_simpy"]
    assert set(kernel) == set(plain)
    assert set(kernel) >= SPEED
    # 16 jobs in both: Little's law, N = X R, up to the jobs under way at both ends.
    for found in (kernel, plain):
        jobs = found["simulated_throughput"] * found["simulated_response"]
        assert jobs == pytest.approx(network["jobs"], rel=0.05)
    # The slowest of four stations sets the pace; 600 rounds of the plain one vary by some 4 %.
    assert plain["simulated_throughput"] == pytest.approx(kernel["simulated_throughput"], rel=0.2)
    assert bench["ratios"]["kernel_to_plain_simpy"] == network["ratio"]


def test_awaited_ios_are_measured_with_one_process_and_with_many(bench):
    awaited = bench["figures"]["awaited"]
    assert [f["processes"] for f in awaited] == [1, 32]
    assert all(f[key] > 0 for f in awaited for key in SPEED)


def test_a_trace_is_read_and_measured(bench):
    traces = bench["figures"]["traces"]
    assert traces["lines"] == 5_000
    assert all(traces[key]["per_cpu_second"] > 0 for key in ("read", "info", "csv_reader"))


def test_ratios_are_numbers(bench):
    assert set(bench["ratios"]) == {
        "disk_32_to_256_outstanding",
        "device_io_of_24_to_8_drives",
        "device_io_of_96_to_8_drives",
        "device_io_of_240_to_8_drives",
        *(f"access_{name}_to_lru" for name in names()[1:]),
        "ageing_random_to_sequential_page",
        "sequential_event_of_array_to_disk",
        "sequential_event_last_to_first_stretch",
        "rebuild_event_to_disk",
        "database_1_to_32_outstanding",
        "kernel_to_plain_simpy",
        "awaited_1_to_32_processes",
        "database_32_to_plain_simpy",
        "trace_lines_to_csv_reader",
    }
    assert all(math.isfinite(ratio) and ratio > 0 for ratio in bench["ratios"].values())


def test_a_fresh_process_tells_cost_and_memory():
    places, figures = fresh("-m", "benchmarks.length", "1000")
    assert list(places) == ["done", "end"]
    assert places["done"].wall <= places["end"].wall
    assert set(figures) == {"ns_per_io", "cpu_ns_per_io", "peak_memory"}
    assert figures["peak_memory"] > 2**20


def test_the_median_is_not_moved_by_one_bad_repeat():
    spent = spend(lambda: None)
    assert middle([spent, spent, spend(lambda: sum(range(100_000)))]) == spent


def test_every_benchmark_can_be_asked_for_alone(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "no such thing"])
    message = capsys.readouterr().err
    assert all(name in message for name in BENCHMARKS)
    assert (ROOT / "benchmarks").is_dir()


def test_a_part_of_a_rebuild_says_what_all_of_it_would_take(bench):
    found = bench["figures"]["rebuilds"]["rebuild"]
    assert found["cpu_of_all"] == pytest.approx(found["cpu"] / found["share"])
    assert found["cpu_ns_per_event"] * found["events"] == pytest.approx(1e9 * found["cpu"])
    assert bench["ratios"]["sequential_event_of_array_to_disk"] > 0


def test_the_memory_of_drives_is_that_of_a_fresh_process():
    _, found = fresh("-m", "benchmarks.memory", "2", "500")
    assert found["peak_memory"] > found["map"] > 2**20


def test_rows_of_the_coverage_of_intervals_are_written_one_by_one(tmp_path, monkeypatch, capsys):
    """A system that ends in an error takes no row of those before it, nor those not asked for."""

    def covered(system, precision, seeds, long_runs):
        if precision == "1 %":
            raise ValueError("intervals are too narrow")
        return coverage.Coverage(system, precision, 19, 1, seeds, 0, 0.04)

    page = tmp_path / "measuring.md"
    page.write_text(coverage.PAGE.read_text("utf-8"), "utf-8")
    before = page.read_text("utf-8").splitlines()
    monkeypatch.setattr(coverage, "PAGE", page)
    monkeypatch.setattr(coverage, "cover", covered)
    monkeypatch.setattr("sys.argv", ["coverage", "--seeds", "20", "--only", "bursts", "--write"])
    with pytest.raises(ValueError, match="too narrow"):
        coverage.main()
    row = "| bursts | 5 % | 20 | 95.0% | 5.0% | 4.00% | 0 |"
    assert row in capsys.readouterr().out
    after = page.read_text("utf-8").splitlines()
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [row]

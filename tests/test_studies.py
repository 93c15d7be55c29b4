"""Studies: variants are run once, whoever runs them, and nothing that was finished is lost."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import CHECKED, INTERPRETED
from lost_once import lost_once
from watching import scenario as scenario_of

import raidsim
from raidsim import InputError, Scenario, cli
from raidsim.planning.planner import plan
from raidsim.report import sweep_plot
from raidsim.report.console import ReportConsole
from raidsim.report.sweep_table import sweep_table
from raidsim.studies.store import Store
from raidsim.studies.study import Variant, content_key, run_variants
from raidsim.studies.sweep import sweep
from raidsim.workers import engine
from raidsim.workers.engine import execute

pytestmark = pytest.mark.skipif(INTERPRETED or CHECKED, reason="runs many simulations")

QUICK = {"min_ios": 400, "max_ios": 2_000, "precision": "20 %"}
SEED = int.from_bytes(os.urandom(4), "little")


@pytest.fixture(scope="module")
def disk() -> Scenario:
    made = scenario_of(
        {"outstanding": 4, "area": {"size": "8 GiB"}},
        model="fujitsu-hdd-sas2-15k-146gb",
        measure=QUICK,
    )
    raidsim.run(made)  # the kernel is there from now on
    return made


def shown(found) -> str:
    written = io.StringIO()
    ReportConsole(written).print(sweep_table(found))
    return written.getvalue()


def results(found) -> list[str | None]:
    return [None if one.result is None else one.result.to_json() for one in found.outcomes]


SIXTY = {"load.outstanding": "1..30", "load.read": ["100 %", "70 %"]}


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({"load.read": []}, r"sweep\(\): load.read: has an empty list of values; give one value"),
        ({("load.read", "load.size"): []}, r"load.read\+load.size: has an empty list of values"),
        ({"load.read": 5}, "load.read: has no list of values"),
    ],
)
def test_a_key_without_values_cannot_be_varied(disk, vary, words):
    with pytest.raises(InputError, match=words):
        sweep(disk, vary)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--precision", "5"], '--precision: "5" has no unit'),
        (["--sample", "load.read=0 %..100 %"], "--samples: no number of draws is given"),
    ],
)
def test_messages_name_the_option_that_was_given(options, words, capsys):
    with pytest.raises(SystemExit):
        cli.main(["sweep", "p3700-database", "--vary", "load.outstanding=1,2", *options])
    assert capsys.readouterr().err.startswith(words)


def test_rows_are_the_same_bytes_for_any_number_of_workers(disk):
    one = sweep(disk, SIXTY, workers=1)
    assert results(one) == results(sweep(disk, SIXTY, workers=2))
    assert [row["variant"] for row in one.rows] == list(range(60))


def test_what_a_sweep_says_of_a_variant_is_what_a_run_says(disk):
    found = sweep(disk, {"load.outstanding": [1, 16]})
    assert "MB/s of 2^20 bytes" in shown(found)
    for row, outstanding in zip(found.rows, (1, 16), strict=True):
        point = raidsim.run(disk.with_("load.outstanding", outstanding)).points[0]
        assert row["iops"] == point.iops.mean
        assert row["read_ms"] == point.latency_ms["read"].mean
        assert row["status"] == "done"


def test_what_was_run_before_is_not_run_again(disk, tmp_path):
    path = tmp_path / "store.sqlite"
    first = sweep(disk, {"load.outstanding": [1, 2, 3]}, store=path)
    again = sweep(disk, {"load.outstanding": [2, 3, 4]}, store=path)
    assert [one.again for one in first.outcomes] == [False, False, False]
    assert [one.again for one in again.outcomes] == [True, True, False]
    assert results(first)[1:] == results(again)[:2]
    assert again.rows[0] == first.rows[1] | {"variant": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"load.outstanding": 5},
        {"measure.precision": "19 %"},
        {"volume.set.spindle.speed": "14900 rpm"},
        {"volume.drive": "fujitsu-hdd-sas12-15k-450gb"},
    ],
    ids=str,
)
def test_whatever_a_result_depends_on_is_in_its_key(disk, change):
    assert content_key(disk) == content_key(disk.with_({"load.outstanding": 4}))
    assert content_key(disk) != content_key(disk.with_(change))


def test_a_variant_that_cannot_be_run_is_a_row_with_its_reason(disk, tmp_path):
    found = sweep(disk, {"volume.level": ["single", "raid77"]}, store=tmp_path / "s")
    assert [row["status"] for row in found.rows] == ["done", "refused"]
    assert '"raid77" is not known' in found.rows[1]["reason"]
    assert found.rows[1]["iops"] is None
    assert found.result(1) is None


def test_a_load_that_is_too_much_says_what_is_carried(disk):
    open_load = disk.with_({"load.outstanding": None, "load.rate": "100 IO/s"})
    found = sweep(open_load, {"load.rate": ["50 IO/s", "50000 IO/s"]})
    assert [row["status"] for row in found.rows] == ["done", "saturated"]
    row = found.rows[1]
    assert row["saturated"]
    assert 100 < row["carried"] < 2000
    assert "carries" in row["reason"]


def test_a_key_that_does_not_exist_ends_a_sweep_before_it_begins(disk):
    with pytest.raises(InputError, match="unknown key"):
        sweep(disk, {"load.outstandin": [1, 2]})


def test_seeds_are_replications(disk):
    found = sweep(disk, {"load.outstanding": [4]}, seeds=3)
    assert [row["seed"] for row in found.rows] == [1, 2, 3]
    assert len({row["iops"] for row in found.rows}) == 3


def test_a_precision_asks_for_as_few_ios_as_it_takes(disk):
    loose = scenario_of({"outstanding": 4}, model="fujitsu-hdd-sas2-15k-146gb")
    row = sweep(loose, {"load.outstanding": [4]}, precision="5 %").rows[0]
    assert 2_000 <= row["measured"] < 20_000
    assert (row["iops_high"] - row["iops_low"]) / 2 <= 0.05 * row["iops"]


# ---- files


def test_csv_json_parquet_and_pandas_hold_the_same_table(disk, tmp_path):
    found = sweep(disk, {"load.outstanding": [1, 4], "volume.level": ["single", "raid77"]})
    for form in ("csv", "json", "parquet"):
        getattr(found, f"to_{form}")(tmp_path / f"t.{form}")
    rows = found.rows
    written = json.loads((tmp_path / "t.json").read_text())
    assert written["rows"] == rows
    assert written["keys"] == ["load.outstanding", "volume.level"]
    frame = found.to_frame()
    parquet = pd.read_parquet(tmp_path / "t.parquet")
    cells = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert list(frame.columns) == list(parquet.columns) == list(cells[0]) == found.columns
    assert frame["iops"].dropna().tolist() == parquet["iops"].dropna().tolist()
    assert [float(c["iops"]) if c["iops"] else None for c in cells] == [r["iops"] for r in rows]


def test_a_person_can_ask_the_file_with_sql(disk, tmp_path):
    sweep(disk, {"load.outstanding": [1, 4]}, store=tmp_path / "s.sqlite")
    base = sqlite3.connect(tmp_path / "s.sqlite")
    asked = 'SELECT "load.outstanding", iops, status FROM study_1 ORDER BY variant'
    found = base.execute(asked).fetchall()
    assert [(one[0], one[2]) for one in found] == [(1, "done"), (4, "done")]
    assert found[0][1] < found[1][1]
    base.close()


def test_what_is_no_store_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other"
    path.write_bytes(b"some notes of mine" * 100)
    with pytest.raises(InputError, match="cannot be used as a store"):
        Store(path)
    assert path.read_bytes() == b"some notes of mine" * 100
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="no store of this version"):
        Store(tmp_path / "other.sqlite")


def test_a_picture_names_its_axes_with_units(disk):
    found = sweep(disk, {"load.outstanding": [1, 4, 16], "load.read": ["100 %", "50 %"]})
    axes = found.plot().axes[0]
    assert axes.get_xlabel() == "load.outstanding"
    assert axes.get_ylabel() == "throughput, IO/s"
    assert len(axes.get_lines()) == 2
    with pytest.raises(InputError, match="neither a key that was varied nor a figure"):
        found.plot(y="speed")
    assert sweep_plot.render(found, ".svg", None, "read_ms", None).startswith(b"<?xml")


# ---- whatever ends it

SLOW = """
import signal
import sys
import raidsim
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever began it may have ignored that
from raidsim.studies.sweep import sweep
scenario = raidsim.Scenario.read(sys.argv[1])
seeds = list(range(1, 1 + int(sys.argv[3])))
sweep(scenario, {"load.outstanding": "1..60", "seed": seeds}, store=sys.argv[2], workers=2)
"""


def begun(disk, tmp_path, seeds: int = 2) -> tuple[subprocess.Popen[bytes], Path]:
    """A study of 60 variants for each seed, in a process of its own, and its store."""
    result = tmp_path / "r.json"
    raidsim.run(disk).to_json(result)
    path = tmp_path / "s.sqlite"
    command = [sys.executable, "-c", SLOW, str(result), str(path), str(seeds)]
    return subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE), path


def finished(path: Path) -> int:
    try:
        with sqlite3.connect(path) as base:
            return int(base.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def wait_for(what, seconds: float = 120) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


def test_a_study_that_is_killed_at_any_moment_goes_on_where_it_stood(disk, tmp_path):
    print("seed", SEED)
    wanted = random.Random(SEED).randint(1, 60)
    process, path = begun(disk, tmp_path)
    assert wait_for(lambda: finished(path) >= wanted or process.poll() is not None)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    base = sqlite3.connect(path)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept = finished(path)
    points = base.execute("SELECT count(DISTINCT key) FROM points").fetchone()[0]
    base.close()
    assert points == kept >= wanted  # each result with its figures, or not at all
    found = sweep(disk, {"load.outstanding": "1..60", "seed": [1, 2]}, store=path)
    assert sum(one.again for one in found.outcomes) == kept
    assert finished(path) == 120
    sample = random.Random(SEED).sample(range(120), 3)
    for number in sample:
        changes = found.outcomes[number].variant.changes
        assert found.result(number).to_json() == raidsim.run(disk.with_(changes)).to_json()


def gone(look: list[str]) -> bool:
    return subprocess.run(look, check=False, capture_output=True).returncode == 1


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(disk, tmp_path):
    process, path = begun(disk, tmp_path, seeds=100)
    assert wait_for(lambda: finished(path) > 0 or process.poll() is not None)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert b"leaked" not in said
    assert 0 < finished(path) < 6000
    alone = ["pgrep", "-g", str(process.pid), "-f", "LokyProcess"]
    assert wait_for(lambda: gone(alone), 20)


def test_ctrl_c_while_work_is_handed_out_comes_once_it_is(monkeypatch):
    """Within, it could leave a lock of the executor taken, and its end never came."""
    handed_out = []

    class Interrupted(ThreadPoolExecutor):
        def submit(self, *given):
            signal.raise_signal(signal.SIGINT)
            handed_out.append(super().submit(*given))
            return handed_out[-1]

    monkeypatch.setattr(engine, "ThreadPoolExecutor", Interrupted)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            execute([1, 2, 3], str, workers=2)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert len(handed_out) == 1


def test_two_commands_may_use_one_store_at_a_time(disk, tmp_path):
    process, path = begun(disk, tmp_path)
    found = sweep(disk, {"load.outstanding": "1..60", "seed": [1]}, store=path)
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert finished(path) == 120
    assert all(one.status == "done" for one in found.outcomes)


def test_work_of_a_process_that_is_lost_is_done_by_another(tmp_path):
    mark = str(tmp_path / "mark")
    found = execute([(number, mark) for number in range(60)], lost_once, workers=2, processes=True)
    assert found == [number**2 for number in range(60)]
    assert Path(mark).exists()


def test_what_is_alike_is_done_by_one_process():
    """It has what they have in common already: runs on drives with one past find it once."""
    variants = [number // 6 for number in range(60)]
    found = execute(
        variants, lambda _: os.getpid(), workers=2, alike=lambda one: one, processes=True
    )
    for kind in set(variants):
        assert len({one for of, one in zip(variants, found, strict=True) if of == kind}) == 1


class Gone(Executor):
    """Processes one of which has ended before anything was handed out."""

    def submit(self, *_: Any, **__: Any) -> Any:
        raise BrokenProcessPool


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_process_that_is_lost_while_work_is_handed_out_is_replaced(times):
    left = [Gone() for _ in range(times - 1)]
    pool = engine._Pool(
        Gone(),
        2,
        chunked=True,
        again=lambda: left.pop() if left else engine._Alone(),
        lost=(BrokenProcessPool,),
    )
    made = engine._made(pool, [1, 2, 3], [(0,), (1,), (2,)], lambda number: number**2)
    if times < engine.TRIES:
        assert sorted(made) == [(0, 1), (1, 4), (2, 9)]
    else:
        with pytest.raises(InputError, match="workers were ended 3 times"):
            list(made)


# ---- plans

KILLED = """
import sys
from raidsim.planning.planner import plan
plan(sys.argv[1], unknowns=10, workers=1, store=sys.argv[2])
"""


@pytest.fixture(scope="module")
def need(tmp_path_factory) -> Path:
    """A need that two designs may meet."""
    path = tmp_path_factory.mktemp("plan") / "need.toml"
    path.write_text(
        """
[need]
capacity = "3 TB"
failures = 1
[[load]]
read = "70 %"
size = "8 KiB"
rate = "1000 IO/s"
[choice]
drives = "micron-5100-eco-1920gb"
levels = ["raid6", "raid10"]
counts = 4
copies = 2
controllers = "host"
hosts = "intel-xeon-8380-pair"
arrays = 1
spares = 0
"""
    )
    return path


@pytest.fixture(scope="module")
def at_one_go(need) -> str:
    """The plan for it, made at one go."""
    return plan(need, unknowns=10, workers=2).to_json()


def kept(path: Path) -> int:
    try:
        with sqlite3.connect(path) as base:
            return int(base.execute("SELECT count(*) FROM plan_runs").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_a_plan_that_is_killed_at_any_moment_goes_on_where_it_stood(need, at_one_go, tmp_path):
    print("seed", SEED)
    wanted = random.Random(SEED).randint(1, 12)
    path = tmp_path / "plan.sqlite"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(need), str(path)])
    assert wait_for(lambda: kept(path) >= wanted or process.poll() is not None)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = kept(path)
    again = plan(need, unknowns=10, workers=1, store=path)
    assert again.to_json() == at_one_go
    assert 0 < before < kept(path)


# ---- a cluster


@pytest.fixture(scope="module")
def cluster():
    """A scheduler of Dask and two workers: the address, and the processes of the workers."""
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def started(*words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{words[0]}", *words[1:]], **quiet
        )

    processes = [
        started("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    ]
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    workers = [started("dask_worker", address, *options) for _ in range(2)]
    yield address, workers
    for process in (*workers, *processes):
        process.kill()
        process.wait()


def with_two_workers(address: str) -> bool:
    from distributed import Client

    try:
        with Client(address, timeout="1s", set_as_default=False) as client:
            return len(client.nthreads()) == 2
    except OSError:
        return False


@pytest.mark.filterwarnings("default")
def test_a_plan_is_the_same_on_a_cluster(need, at_one_go, cluster):
    address, _ = cluster
    assert wait_for(lambda: with_two_workers(address))
    assert plan(need, unknowns=10, cluster=address).to_json() == at_one_go


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(disk, cluster):
    address, workers = cluster
    assert wait_for(lambda: with_two_workers(address))
    seen = []

    def lose_one(at) -> None:
        if not seen:
            workers[0].kill()
        seen.append(at.done)

    variants = [Variant(disk, {"load.outstanding": n}) for n in range(1, 61)]
    found = run_variants(variants, cluster=address, on_progress=lose_one)
    assert workers[0].wait() == -signal.SIGKILL
    assert seen == list(range(1, 61))
    alone = run_variants(variants, workers=1)
    assert [one.result for one in found] == [one.result for one in alone]


@pytest.mark.filterwarnings("default")
def test_an_address_where_nothing_answers_is_said(disk):
    with pytest.raises(InputError, match="no scheduler of a Dask cluster answers"):
        sweep(disk, {"load.outstanding": [1]}, cluster="tcp://127.0.0.1:9")


# ---- the points of a run


def test_points_of_a_run_are_the_same_bytes_on_one_core_and_on_several(disk, monkeypatch):
    points = disk.with_("load.outstanding", [1, 2, 4, 8, 16, 32])
    monkeypatch.setattr("raidsim.workers.engine.processors", lambda: 1)
    alone = raidsim.run(points).to_json()
    monkeypatch.setattr("raidsim.workers.engine.processors", lambda: 4)
    assert raidsim.run(points).to_json() == alone


def test_what_runs_for_others_has_no_workers_of_its_own(disk, monkeypatch):
    """Or a computer with 64 cores would have 4,096 runs at a time."""
    monkeypatch.setattr("raidsim.workers.engine.processors", lambda: 3)
    busy, most = [], []

    def inner(number: int) -> int:
        busy.append(number)
        most.append(len(busy))
        time.sleep(0.002)
        busy.remove(number)
        return number

    def outer(number: int) -> int:
        return sum(execute(range(10 * number, 10 * number + 10), inner))

    assert sum(execute(range(9), outer)) == sum(range(90))
    assert max(most) <= 3

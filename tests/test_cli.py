"""The command line keeps its contract: statuses, outputs, messages, and a quick --help."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import status
from synthetic import result

import raidsim
from raidsim import cli
from raidsim.result import Result

ROOT = Path(__file__).parents[1]
SCENARIO = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
[[load]]
name = "database"
read = "67 %"
size = "8 KiB"
outstanding = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
"""
HEAVY = ("numba", "scipy", "matplotlib", "pydantic", "numpy", "simpy", "networkx", "jinja2")


def command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run raidsim as a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "raidsim", *arguments],
        env=environment,
        text=True,
        check=False,
        timeout=120,
        **({"capture_output": True} | options),
    )


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "my.toml"
    path.write_text(SCENARIO)
    return str(path)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Instead of simulating, give the same result at once; the scenarios that were to be run."""
    asked: list[Any] = []

    def run(scenario: Any, *, progress: Any = None) -> Result:
        asked.append(scenario)
        return result()

    monkeypatch.setitem(sys.modules, "raidsim.running", SimpleNamespace(run=run))
    return asked


# ---------------------------------------------------------------- import and help


def test_help_loads_nothing_of_weight() -> None:
    code = (
        "import sys, raidsim.cli\n"
        "try: raidsim.cli.main(['--help'])\n"
        f"except SystemExit: print([m for m in {HEAVY} if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


def test_a_check_of_a_drive_loads_no_compiler() -> None:
    code = (
        "import sys, raidsim.cli\n"
        "try: raidsim.cli.main(['check', 'p3700-database'])\n"
        "except SystemExit: print([m for m in ('numba', 'llvmlite') if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "memory   a run takes 6 MiB" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "[]"


def test_a_run_loads_no_statistics_that_it_has_no_use_for() -> None:
    """They take as long to load as everything else together."""
    few = ["--set", "load.outstanding=1", "--set", "measure.min_ios=2000"]
    words = ["run", "p3700-database", *few]
    code = (
        "import sys, raidsim.cli\n"
        f"try: raidsim.cli.main({words})\n"
        "except SystemExit: print([m for m in ('scipy.stats',) if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


def test_import_raidsim_is_lazy() -> None:
    code = f"import sys, raidsim; dir(raidsim); print([m for m in {HEAVY} if m in sys.modules])"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "[]"


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = raidsim.nonsense


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == raidsim.__version__


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--version") == 0
    assert capsys.readouterr().out == f"raidsim {raidsim.__version__}\n"


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for registered in cli.app.registered_commands:
        assert registered.name is not None
        assert status(registered.name, "--help") == 0
        assert f"Usage: raidsim {registered.name}" in capsys.readouterr().out


# ---------------------------------------------------------------- run


@pytest.mark.usefixtures("simulated")
def test_run_prints_the_table(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("run", scenario) == 0
    out, err = capsys.readouterr()
    assert "standing" in out
    assert "183,202" in out
    assert "\x1b" not in out + err


@pytest.mark.usefixtures("simulated")
def test_run_says_that_sas_drives_need_an_hba(
    scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("run", scenario) == 0
    assert "SAS" not in capsys.readouterr().err
    assert status("run", scenario, "--set", "volume.drive=seagate-st373455ss") == 0
    out, err = capsys.readouterr()
    assert "standing" in out
    assert "volume data: 1 SAS drive on the host itself, which has no ports for SAS" in err
    assert "add a [[controller]]" in err


@pytest.mark.usefixtures("simulated")
@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("perc-stream --set volume.behind=", "controller controller: 10 drives"),
        ("perc-stream", None),  # behind an expander
        ("tolly-n5-random", None),  # eight disks each, and a flash drive in a slot
    ],
)
def test_run_says_that_a_controller_has_too_few_ports(
    command: str, told: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("run", *command.split()) == 0
    err = capsys.readouterr().err
    assert "ports" not in err if told is None else err.startswith(told)


def test_run_takes_overrides_and_seed(scenario: str, simulated: list[Any]) -> None:
    assert status("run", scenario, "--set", "load.outstanding=3", "--seed", "7") == 0
    assert simulated[0].seed == 7
    assert simulated[0].loads[0].outstanding == (3,)


@pytest.mark.usefixtures("simulated")
def test_run_writes_every_output(scenario: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    names = {"--json": "r.json", "--csv": "r.csv", "--html": "r.html", "--plot": "r.svg"}
    options = [part for option, name in names.items() for part in (option, str(out / name))]
    assert status("run", scenario, *options) == 0
    assert {path.name for path in out.iterdir()} == set(names.values())
    assert all(path.stat().st_size > 500 for path in out.iterdir())


@pytest.mark.usefixtures("simulated")
def test_json_to_standard_output_is_alone_there(
    scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("run", scenario, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "raidsim.result/2"


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--json", "none/r.json", "there is no folder"),
        ("--csv", ".", "is a folder"),
        ("--plot", "r.gif", "write a name that ends in .png or .svg"),
        ("--html", "r.txt", "write a name that ends in .html"),
        ("--json", "my.toml", "the input of this command"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_run(
    scenario: str,
    simulated: list[Any],
    capsys: pytest.CaptureFixture[str],
    option: str,
    name: str,
    message: str,
) -> None:
    path = Path(scenario).parent / name
    assert status("run", scenario, option, str(path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1
    assert simulated == []


@pytest.mark.usefixtures("simulated")
def test_figures_are_printed_even_if_the_disk_is_full(
    scenario: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    target = Path(scenario).parent / "r.json"

    def check_only(*_: object, **__: object) -> None:
        monkeypatch.setattr("os.fsync", full)

    monkeypatch.setattr("raidsim.report.output.check", check_only)
    assert status("run", scenario, "--json", str(target)) == 2
    out, err = capsys.readouterr()
    assert "183,202" in out
    assert "no space left on device" in err
    assert [path.name for path in target.parent.iterdir()] == ["my.toml"]


def test_an_interrupt_ends_with_130_and_writes_nothing(
    scenario: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(*_: object, **__: object) -> Result:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "raidsim.running", SimpleNamespace(run=run))
    assert status("run", scenario, "--json", str(tmp_path / "r.json")) == 130
    assert [path.name for path in tmp_path.iterdir()] == ["my.toml"]


def test_an_interrupt_that_a_library_turns_into_something_else_is_one_still(
    scenario: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object, **__: object) -> Result:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:  # as in a callback of the compiler
            raise RuntimeError("no compiled object yet") from None
        return result()

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    monkeypatch.setitem(sys.modules, "raidsim.running", SimpleNamespace(run=run))
    assert status("run", scenario) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_sigterm_keeps_what_is_finished_and_ends_the_workers_quietly(tmp_path: Path) -> None:
    store = tmp_path / "sweep.sqlite"
    many = ",".join(f"{2000 + n}" for n in range(400))
    words = [sys.executable, "-m", "raidsim", "sweep", "p3700-latency-read"]
    begun = subprocess.Popen(
        [*words, "--vary", f"seed={many}", "--store", str(store), "--workers", "2"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 240
        while not store.exists() or not _rows(store):
            assert begun.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
        begun.terminate()
        _, told = begun.communicate(timeout=60)
    finally:
        begun.kill()
    assert begun.returncode == 143
    assert "resource_tracker" not in told
    assert "Traceback" not in told
    assert _rows(store) >= 1


def _rows(store: Path) -> int:
    """Finished runs in a store, of which there may be no table yet."""
    with closing(sqlite3.connect(store)) as there:
        try:
            (count,) = there.execute("select count(*) from results").fetchone()
        except sqlite3.OperationalError:
            count = 0
    return int(count)


def test_a_bug_says_that_it_is_one(
    scenario: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object, **__: object) -> Result:
        raise ZeroDivisionError("queue")

    monkeypatch.setitem(sys.modules, "raidsim.running", SimpleNamespace(run=run))
    assert status("run", scenario) == 70
    assert "This is a bug in raidsim" in capsys.readouterr().err


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "p3700-databse"], 'did you mean "p3700-database"'),
        (["check", "none.toml"], "no such file"),
        (["models", "intel-p3700-80gb"], 'did you mean "intel-p3700-800gb"'),
        (["run"], "SCENARIO: is missing; raidsim run -h says what it takes"),
        (["compare"], "SYSTEM: is missing; raidsim compare -h"),
        (["models", "a", "b"], "b: is more than the command takes; raidsim models -h"),
        (["nonsense"], "nonsense: is not a command; raidsim -h has all"),
        (["cheq"], "cheq: is not a command; did you mean check?"),
        (["card", "nonsense"], "nonsense: is not a command; raidsim card -h has all"),
        (["--nonsense"], "--nonsense: is not an option here; raidsim -h says"),
        (["run", "p3700-database", "--zz"], "--zz: is not an option here; raidsim run -h"),
        (["run", "p3700-database", "--jso"], "--jso: is not an option here; did you mean "),
        (["run", "p3700-database", "--json"], "--json: needs a value; write --json FILE, or -"),
        (["compare", "a", "--html"], "--html: needs a value; write --html FILE"),
        (["run", "p3700-database", "--fio"], "--fio: needs a value\n"),  # FOLDER or FILE
        (["check", "rebuild-raid5", "--brief=3"], "--brief: takes no value"),
        (["run", "p3700-database", "--seed", "x"], "--seed"),
        (["validate", "no-such-document"], "no document or claim"),
        (["validate", "--role", "guess"], "--role"),
    ],
)
def test_wrong_input_is_status_2_and_one_clear_message(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert status(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_every_problem_of_a_scenario_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(SCENARIO.replace("67 %", "167 %").replace("8 KiB", "8 KB"))
    assert status("check", str(path)) == 2
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 2
    assert all(line.startswith(f"{path}:") for line in err)


# ---------------------------------------------------------------- validate, models, check


@pytest.mark.parametrize(("holds", "expected"), [(True, 0), (False, 1)])
def test_validate_says_by_its_status_whether_all_claims_hold(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    holds: bool,
    expected: int,
) -> None:
    class Report:
        all_hold = holds

        def to_dict(self) -> dict[str, Any]:
            return {"schema": "raidsim.validation/1"}

    asked: list[Any] = []

    def validate(
        selection: list[str], role: str | None, on_progress: Any, **_others: Any
    ) -> Report:
        asked.append((selection, role))
        return Report()

    monkeypatch.setattr("raidsim.validate.validate", validate)
    monkeypatch.setattr(
        "raidsim.report.validation_page.render", lambda *_, **__: "<p>±</p>".encode()
    )
    monkeypatch.setattr("raidsim.report.validation_table.everything", lambda _: "the claims")
    files = (str(tmp_path / "v.json"), str(tmp_path / "v.html"))
    arguments = ("p3700", "--role", "prediction", "--json", files[0], "--html", files[1])
    assert status("validate", *arguments) == expected
    assert asked == [(["p3700"], "prediction")]
    assert "the claims" in capsys.readouterr().out
    assert json.loads(Path(files[0]).read_text()) == {"schema": "raidsim.validation/1"}
    assert Path(files[1]).read_text(encoding="utf-8") == "<p>±</p>"


def test_models_lists_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("models") == 0
    out = capsys.readouterr().out
    assert re.search(r"intel-p3700-800gb +ssd +800 GB .* Intel SSD", out)
    assert re.search(r"wd-wd1600aajs +hdd +160 GB .* Western Digital", out)


def test_models_shows_a_card_with_units_sources_and_notes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert status("models", "intel-p3700-800gb") == 0
    out = capsys.readouterr().out
    assert re.search(r"capacity\.user +800 +GB +document +capacity that the host can", out)
    assert re.search(r"buffer\.protected +yes +datasheet", out)


def test_check_prints_contents_and_findings(
    scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("check", scenario) == 0
    out = capsys.readouterr().out
    assert "8 cores" in out
    assert "values are assumed" in out


def test_check_takes_other_values_like_run(
    scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("check", scenario, "--set", "load.workers=17") == 0
    assert "17 workers" in capsys.readouterr().out
    assert status("check", scenario, "--set", "load.workers=0") == 2
    assert "load.workers: 0 is too small" in capsys.readouterr().err


def test_what_is_found_in_a_scenario_needs_no_compiled_code() -> None:
    code = (
        "import sys, raidsim\n"
        "from raidsim.report.findings import findings\n"
        "assert findings(raidsim.Scenario.read('jbod-hba'))\n"
        "print([m for m in ('numba', 'scipy', 'simpy') if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- as a process


def test_python_m_raidsim_is_the_command() -> None:
    ended = command("--version")
    assert (ended.returncode, ended.stdout) == (0, f"raidsim {raidsim.__version__}\n")


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="no pipes that break")
def test_a_reader_that_goes_away_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = command("models", stdout=writer, stderr=subprocess.PIPE, capture_output=False)
    os.close(writer)
    assert ended.stderr == ""
    assert ended.returncode == -signal.SIGPIPE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_full_is_said_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        ended = command("models", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == ["standard output: No space left on device"]


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell closes them")
@pytest.mark.parametrize("arguments", ["models --help", "check p3700-latency-read --json -"])
def test_a_closed_standard_output_is_no_bug(arguments: str) -> None:
    line = f'exec "{sys.executable}" -m raidsim {arguments} >&-'
    ended = subprocess.run(
        ["/bin/sh", "-c", line],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_terminal_without_unicode_gets_what_it_can_show() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(
        [sys.executable, "-m", "raidsim", "models"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0
    assert b"intel-p3700-800gb" in ended.stdout

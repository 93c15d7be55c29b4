"""What is asked of a command is done, or refused in the words in which it was asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import output_of
from conftest import compiled_only
from scenario_texts import ONE_LOAD

from raidsim import cli

DATA = Path(__file__).parent / "data"
TRACE = "time,op,offset,size\n1,R,0,4096\n2,W,4096,8192\n"
COLUMNS = "time=time [s], op=op, offset=offset [B], size=size [B]"
MEASURE = "\n[measure]\nmax_ios = 2000\nmin_ios = 1000"
SCENARIO = ONE_LOAD.replace("[[load]]", '[[load]]\nname = "database"').replace(
    "outstanding = 1", "outstanding = [1, 4]" + MEASURE
)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that does nothing, for its input is wrong."""
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert not said.out
    return said.err


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own with a scenario and a trace, as the one that one is in."""
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "trace.csv").write_text(TRACE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", ""],
        ["judge", "scenario.toml", ""],
        ["calibrate", "scenario.toml", "--fio", ""],
        ["trace", "info", ""],
        ["trace", "info", "trace.csv", "--columns", COLUMNS, "--json", ""],
        ["trace", "info", "trace.csv", "--columns", COLUMNS, "--html", ""],
        ["trace", "info", "trace.csv", "--columns", COLUMNS, "--plot", ""],
        ["trace", "fit", "trace.csv", "--columns", COLUMNS, "--output", ""],
        ["plan", ""],
        ["plan", "database-40tb", "--prices", ""],
        ["array", "examine", ""],
        ["sweep", "scenario.toml", "--vary", "load.size=4 KiB,8 KiB", "--store", ""],
        ["compare", "scenario.toml", "--with", "load.size=8 KiB", "--store", ""],
        ["attach", "scenario.toml", "--socket", ""],
        ["attach", "scenario.toml", "--control", ""],
        ["attach", "scenario.toml", "--members", ""],
        ["validate", "--claims", ""],
    ],
    ids=" ".join,
)
def test_an_empty_name_is_neither_the_folder_that_one_is_in_nor_passed_over(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A variable of a shell that is not set gives one."""
    assert "is not a valid name of a" in refused(capsys, *arguments)


def test_a_figure_that_does_not_vary_costs_no_file(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runs may have taken hours: their table is there, and what cannot be explained is said."""
    same = ["--vary", "volume.strip=64 KiB,128 KiB", "--vary", "load.outstanding=1,2"]
    with pytest.raises(SystemExit) as ended:
        cli.main(
            ["sweep", "scenario.toml", *same, "--effects", "--y", "drives", "--csv", "out.csv",
             "--store", "kept.sqlite"]
        )  # fmt: skip
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert (here / "out.csv").read_text().count("\n") == 5
    assert "drives is " in said.err
    assert "in all of the 4 rows" in said.err
    assert "4 variants" in said.out


@pytest.mark.parametrize(
    "options",
    [
        ["--outstanding", "4"],
        ["--at-rate"],
        ["--random", "80 %"],
        ["--device", "sda"],
        ["--group", "2"],
        ["--capacity", "800 GB"],
    ],
    ids=" ".join,
)
def test_what_an_inventory_has_no_use_for_is_not_passed_over(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The load is a guess, then, whatever was asked for."""
    inventory = str(DATA / "importing/md/03-degraded-recovering-on-spare/detail-md2.txt")
    said = refused(capsys, "import", inventory, *options)
    assert said.startswith(f"{options[0]}: has no effect where no file")


def test_statistics_are_played_at_their_rate_or_at_a_depth(
    capsys: pytest.CaptureFixture[str],
) -> None:
    statistics = str(next((DATA / "importing").glob("**/*iostat*")))
    options = ["--random", "100 %", "--outstanding", "4", "--at-rate"]
    assert "--at-rate: has no effect beside --outstanding" in refused(
        capsys, "import", statistics, *options
    )


@pytest.mark.parametrize("name", ["vdbench/totals.html", "traces/iolog-v3.txt"])
def test_who_imports_a_measurement_or_a_trace_is_told_what_reads_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "import", str(DATA / name))
    assert "are for raidsim judge, traces for raidsim trace" in said


def test_a_fit_to_results_is_not_taken_for_one_to_claims(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its card is written whatever --dry-run says, and that of claims wherever --output says."""
    of_results = refused(
        capsys, "calibrate", "scenario.toml", "--fio", "x.json", "-o", "y.toml", "--dry-run"
    )
    assert of_results == "--dry-run: has no effect beside --fio; leave it out\n"
    of_claims = refused(capsys, "calibrate", "intel-p3700-800gb", "-o", "y.toml")
    assert of_claims.startswith("--output: has no effect without --fio")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "a", "b", "--seeds", "0"], "--seeds: 0 is too small; give 1 or more"),
        (["serve", "--port", "99999"], "--port: 99999 is too large; give 65535 or less"),
        (["lesson", "--seed", "x"], '--seed: "x" is not a whole number'),
        (
            ["check", "scenario.toml", "--fail-on", "foo"],
            '--fail-on: "foo" is not known; give one of "critical", "warning", "info"',
        ),
        (
            ["explain", "scenario.toml", "x", "0", "1"],
            'read|write: "x" is not known; give one of "read", "write"',
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_value_that_an_option_cannot_have_is_refused_in_a_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The library has three, in words of its own."""
    assert refused(capsys, *arguments) == f"{words}\n"


@pytest.mark.parametrize("command", [["run"], ["accept", "-o", "folder"], ["compare"]], ids=str)
def test_messages_name_the_option_that_was_given(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = command
    if name == "compare":
        said = refused(capsys, name, "scenario.toml")
        assert said == "SYSTEM: fewer than two; name two or more\n"
        twice = refused(capsys, name, "scenario.toml", "scenario.toml", "--seed", "-1")
        assert twice.count("\n") == 1
        options = ["--with", "load.outstanding=2"]
    assert refused(capsys, name, "scenario.toml", *options, "--seed", "-1").startswith(
        "--seed: -1 is too small"
    )
    assert refused(capsys, name, "scenario.toml", *options, "--unknowns", "4").startswith(
        "--unknowns: 4 is too few draws"
    )


@pytest.mark.parametrize("number", ["0", "-1", "-64"])
@pytest.mark.parametrize("command", [["run"], ["check"], ["accept", "-o", "folder"]], ids=str)
def test_no_draws_at_all_are_no_number_of_draws(
    command: list[str], number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run told of nine in ten of 0 draws, and -1 were 64."""
    name, *options = command
    for form in (["--unknowns", number], [f"--unknowns={number}"]):
        said = refused(capsys, name, "scenario.toml", *options, *form)
        assert (
            said == f"--unknowns: {number} is too few draws; give 10 to 10,000, or nothing for 64\n"
        )
        assert said.replace(number, "5", 1) == refused(
            capsys, name, "scenario.toml", *options, "--unknowns", "5"
        )


def test_a_word_behind_unknowns_that_nothing_takes_is_meant_as_their_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, "run", "raid5-disks", "--unknowns", "abc")
    assert said == (
        '--unknowns: "abc" is not a number of draws; give 10 to 10,000, or nothing for 64\n'
    )
    assert "too many draws" in refused(capsys, "run", "raid5-disks", "--unknowns", "10001")


def test_the_draws_of_published_figures_have_bounds_of_their_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, "validate", "--unknowns", "0")
    assert said == "--unknowns: 0 is too few draws; give 10 to 1,000, or nothing for 24\n"
    assert said.replace("0", "5", 1) == refused(capsys, "validate", "--unknowns", "5")


@pytest.mark.parametrize("number", ["²", "9" * 5000, "", "x"], ids=["²", "9 ...", "none", "x"])
def test_what_is_no_number_of_draws_is_refused(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--unknowns" in refused(capsys, "run", "scenario.toml", f"--unknowns={number}")


def test_a_percentile_out_of_range_is_told_of_its_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    both = ["compare", "scenario.toml", "--with", "load.outstanding=2", "--within", "2 ms"]
    said = refused(capsys, *both, "--percentile", "100 %")
    assert said.startswith("--percentile: 100 % is out of range; give 50 % to 99.99 %")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (["0", "0"], "LENGTH: 0 B is out of range; give 512 B to 64 MiB"),
        (["--", "-512", "512"], 'OFFSET: "-512 B" is negative'),
    ],
)
def test_what_is_wrong_with_a_place_is_said_in_a_sentence(
    place: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "explain", "scenario.toml", "read", *place).startswith(words)


def test_a_trace_beyond_the_volume_is_told_of_the_scenario_and_not_of_a_call_of_python(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "far.csv").write_text("time,op,offset,size\n1,R,0,4096\n2,R,900000000000,4096\n")
    with pytest.raises(SystemExit) as ended:
        cli.main(["trace", "fit", "far.csv", "--columns", COLUMNS, "--on", "scenario.toml"])
    assert ended.value.code == 2
    assert "scenario.toml: load.trace: ends at" in capsys.readouterr().err


def test_a_result_never_takes_the_place_of_the_scenario(
    capsys: pytest.CaptureFixture[str],
) -> None:
    fit = ["trace", "fit", "trace.csv", "--columns", COLUMNS]
    said = refused(capsys, *fit, "--on", "scenario.toml", "-o", "scenario.toml")
    assert "this file is the input of this command" in said


def test_a_design_that_does_not_exist_is_refused_before_anything_is_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan takes minutes, and all of it was lost for a mistyped word."""
    monkeypatch.setattr("raidsim.planning.planner.plan", None)
    said = refused(
        capsys, "plan", "database-40tb", "--why", "99999999", "--why", "levl=raid6", "--why", ""
    )
    assert said.splitlines() == [
        "--why: there is no design 99999999; 0 to 272639",
        '--why: "levl=raid6" is not a property of a design; did you mean "level"?',
        '--why: "" is not a property of a design; write a number, or "level=raid6, drives=8"',
    ]


@pytest.mark.parametrize("option", ["--x", "--y", "--by"])
def test_a_column_that_a_sweep_will_not_have_is_refused_before_it_is_run(
    option: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raidsim.studies.sweep.run_variants", None)
    vary = ["sweep", "scenario.toml", "--vary", "load.outstanding=1,2"]
    said = refused(capsys, *vary, "--plot", "x.svg", option, "iop")
    assert said.startswith(f'{option}: "iop" is neither a key that was varied nor a figure')


@compiled_only
def test_of_an_earlier_acceptance_no_job_is_left(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The steps run every job file of the folder, and each one writes for minutes."""
    accept = ["accept", "scenario.toml", "-o", "folder", "--unknowns", "10"]
    (here / "folder").mkdir()
    (here / "folder/3-of-mine.fio").touch()
    for outstanding in ("[1, 4]", "8"):
        with pytest.raises(SystemExit) as ended:
            cli.main([*accept, "--set", f"load.outstanding={outstanding}"])
        assert ended.value.code == 0
    jobs = sorted(path.name for path in (here / "folder").glob("[0-9]*.fio"))
    assert jobs == ["01-database-8.fio", "3-of-mine.fio"]
    assert "01-database-1.fio, 02-database-4.fio" in capsys.readouterr().out


def test_of_a_sweep_that_is_not_drawn_no_axis_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    vary = ["sweep", "scenario.toml", "--vary", "load.outstanding=1,2"]
    said = refused(capsys, *vary, "--x", "iops", "--by", "load.size", "--samples", "3")
    assert said.splitlines() == [
        "--x: has no effect without --plot; leave it out",
        "--by: has no effect without --plot; leave it out",
        "--samples: has no effect without --sample; leave it out",
    ]
    assert refused(capsys, "sweep", "scenario.toml").startswith("--vary: nothing is varied")


@pytest.mark.parametrize(
    "command",
    [
        ["sweep", "scenario.toml", "--vary", "load.outstanding=1,2"],
        ["compare", "scenario.toml", "--with", "load.outstanding=2"],
        ["plan", "database-40tb"],
    ],
    ids=lambda words: words[0],
)
def test_a_table_never_takes_the_place_of_the_results_that_are_kept(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, *command, "--store", "kept.json", "--json", "kept.json")
    assert "choose another name" in said


@pytest.mark.parametrize("command", ["check", "run", "plan", "models", "card fit", "explain"])
def test_a_link_that_leads_nowhere_is_told_from_a_missing_file(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    (tmp_path / "broken.toml").symlink_to("nowhere.toml")
    monkeypatch.chdir(tmp_path)
    rest = ["read", "0", "4096"] if command == "explain" else []
    for name, told in (
        ("./one", "cannot be read: too many levels of symbolic links"),
        ("broken.toml", "is a link to a file that does not exist"),
        ("none.toml", "no such file"),
    ):
        assert f"{name}: {told}" in output_of(capsys, *command.split(), name, *rest, expected=2)

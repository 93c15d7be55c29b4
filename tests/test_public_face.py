"""What `import raidsim` gives: these names, with these arguments, and nothing else."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import SCENARIO, result
from watching import scenario as scenario_of

import raidsim
from raidsim import InputError, Result, Scenario

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")

# A name or an argument that goes away, or changes its place or its default, breaks programs:
# then the minor version goes up, and CHANGELOG.md says what to write instead.
SIGNATURES = {
    "Scenario.read": "(name)",
    "Scenario.from_text": "(text)",
    "Scenario.resolved": "(self)",
    "Scenario.with_": "(self, changes, value=<nothing>, /)",
    "plan": "(need, *, prices=None, runs=1000, unknowns=12, workers=None, cluster=None,"
    " store=None, on_progress=None)",
    "run": "(scenario, *, progress=None, unknowns=False)",
    "compare": "(*systems, names=None, seeds=5, within=None, percentile=None, unknowns=False,"
    " states=True, risk=True, prices=None, precision=None, store=None, workers=None, cluster=None,"
    " progress=None)",
    "Result.read": "(path)",
    "Result.to_json": "(self, path=None)",
    "Result.to_dict": "(self)",
    "Result.to_frame": "(self)",
    "Result.plot": "(self)",
    "sweep": "(scenario, vary=None, *, sample=None, samples=0, where=None, seeds=1, precision=None,"
    " store=None, workers=None, cluster=None, progress=None)",
    "Sweep.result": "(self, variant)",
    "Sweep.effects": "(self, figure='iops')",
    "Sweep.to_csv": "(self, path)",
    "Sweep.to_json": "(self, path=None)",
    "Sweep.to_parquet": "(self, path)",
    "Sweep.to_frame": "(self)",
    "Sweep.plot": "(self, x=None, y='iops', by=None)",
    "Trace.read": "(path, format=None, *, columns=None, action=None, sector=None, volume=None)",
    "Trace.blocks": "(self, rows=65536)",
    "Trace.info": "(self, progress=None)",
    "Trace.plot": "(self)",
    "Load": "(*, read=None, trim='0 %', random='100 %', size=None, sizes=None, outstanding=None,"
    " rate=None, arrivals=None, trace=None, name='load', align=None, area=None, workers=1,"
    " partitions=False, burst=None, think='0 us', think_distribution='constant', hot=None,"
    " zipf=None, zones=None, once=False, rate_distribution='exponential', flush_every=0, fua=False,"
    " priority=0, timeout='none', limit=None)",
    "Environment": "(initial_time=0.0, *, seed=1)",
    "Volume.read": "(self, offset, length, *, priority=0, timeout=None)",
    "Volume.write": "(self, offset, length, *, fua=False, priority=0, timeout=None)",
    "Volume.start": "(self, load)",
}
NAMES = [
    "Comparison", "Completion", "Controller", "EndlessLoadError", "Environment", "Host", "Hybrid",
    "InputError", "Interrupted", "Link", "Load", "Operation", "Result", "RunningLoad",
    "SaturationError", "Scenario", "SchemaWarning", "Sweep", "Trace", "Volume", "__version__",
    "compare", "plan", "run", "sweep",
]  # fmt: skip


DATABASE = {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "area": {"size": "32 GiB"}}
QUICK = {"min_ios": 2_000, "max_ios": 20_000, "precision": "5 %"}


def refusal(call, *args, **keys) -> str:
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return str(refused.value)


def quick() -> Scenario:
    return scenario_of(DATABASE | {"outstanding": 4}, measure=QUICK)


# ---- names


def test_dir_shows_what_is_public_and_nothing_else():
    import raidsim.running

    assert dir(raidsim) == sorted(NAMES) == raidsim.__all__


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_says_what_it_is_and_stands_on_the_page(name):
    found = getattr(raidsim, name)
    assert isinstance(found, str) or found.__doc__
    assert f"`{name}" in PAGE


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_arguments_of_what_is_public_stay_as_they_are(name):
    found = raidsim
    for step in name.split("."):
        found = getattr(found, step)
    signature = inspect.signature(found)
    bare = [
        p.replace(
            annotation=p.empty, default="<nothing>" if type(p.default) is object else p.default
        )
        for p in signature.parameters.values()
    ]
    text = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    assert text.replace("'<nothing>'", "<nothing>") == SIGNATURES[name]


def test_run_is_a_function_whatever_was_imported_before():
    code = (
        "import raidsim.cli, raidsim.running, raidsim.validate, raidsim;"
        "print(callable(raidsim.run), [m for m in ('raidsim.run',) if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ended.stdout.strip() == "True []"


# ---- scenarios


@pytest.mark.parametrize(
    "name",
    ["p3700-database", "scenarios/p3700-database.toml", ROOT / "scenarios" / "p3700-database.toml"],
)
def test_a_scenario_is_read_by_its_name_or_path(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    read = Scenario.read(name)
    assert read.title == "Intel P3700 800 GB: Database"
    assert read.points == 10


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("p3700-databse", 'did you mean "p3700-database"?'),
        ("none.toml", "no such file"),
        (5, "Scenario.read(): name: 5 is neither a name nor a path; give a text"),
        (None, "Scenario.read(): name: None is neither a name nor a path"),
    ],
)
def test_a_scenario_that_is_not_there_is_refused(name, wrong):
    assert wrong in refusal(Scenario.read, name)


def test_a_scenario_is_read_from_text():
    text = (ROOT / "scenarios" / "p3700-database.toml").read_text("utf-8")
    assert Scenario.from_text(text).resolved() == Scenario.read("p3700-database").resolved()
    assert "scenario:1: " in refusal(Scenario.from_text, "host = 1")
    assert "Scenario.from_text(): text: 5 is not a text" in refusal(Scenario.from_text, 5)


def test_with_makes_another_scenario_and_leaves_the_first_as_it_is():
    first = Scenario.read("raid5-disks")
    other = first.with_("volume.level", "raid6")
    assert (first.volumes[0].level, other.volumes[0].level) == ("raid5", "raid6")
    assert other.volumes[0].capacity < first.volumes[0].capacity
    assert other.with_("volume.level", "raid5") == first


@pytest.mark.parametrize("name", ["seed", "level", "no_such_key"])
def test_a_scenario_that_is_assigned_to_says_how_another_one_is_made(name):
    scenario = Scenario.read("raid5-disks")
    for table in (scenario, scenario.volumes[0]):
        with pytest.raises(AttributeError, match=rf"so {name} cannot be set.*scenario\.with_\("):
            setattr(table, name, 3)
    assert scenario == Scenario.read("raid5-disks")


def test_a_scenario_is_the_key_of_what_is_kept_for_it():
    scenario = Scenario.read("raid5-disks")
    kept = {scenario.with_("volume.drives", count): count for count in (4, 6, 8)}
    assert kept[Scenario.read("raid5-disks").with_("volume.drives", 6)] == 6
    assert kept[pickle.loads(pickle.dumps(scenario.with_("volume.drives", 4)))] == 4
    assert kept[copy.deepcopy(scenario.with_("volume.drives", 8))] == 8
    assert scenario.with_("volume.drives", 5) not in kept


def test_with_takes_several_keys_at_once():
    first = Scenario.read("raid5-disks")
    several = first.with_({"volume.level": "raid6", "volume.drives": 6})
    assert several == first.with_("volume.drives", 6).with_("volume.level", "raid6")


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [
        ("load.outstanding", [1, 2], "[1, 2]"),
        ("load.size", "16 KiB", "16 KiB"),
        ("load.align", None, ""),
        ("volume.set.spindle.speed", "10000 rpm", "10000 rpm"),
        ("controller.battery", "low", "low"),
        ("load[*].read", "50 %", "50 %"),
        ("load.area", {"size": "1 GiB"}, '{ size = "1 GiB" }'),
        ("seed", 7, "7"),
    ],
)
def test_with_does_what_set_does_on_the_command_line(key, value, written):
    from raidsim.scenario import load

    named = "raid5-disks"
    assert Scenario.read(named).with_(key, value) == load(named, overrides=[f"{key}={written}"])


def test_a_default_follows_what_with_changes():
    wider = Scenario.read("array-database").with_({"load.align": None, "load.size": "16 KiB"})
    assert wider.loads[0].align == 16 * 2**10
    assert wider.with_("load.size", "32 KiB").loads[0].align == 32 * 2**10


@pytest.mark.parametrize(
    ("key", "value", "wrong"),
    [
        ("volume.levl", "raid6", 'with_(): volume.levl: unknown key; did you mean "level"?'),
        ("volume.level", "raid7", 'with_(): volume.level: "raid7" is not known here'),
        ("load.size", 4096, "with_(): load.size: 4096 has no unit"),
        ("load.size", object(), "with_(): load.size"),
        ("", 1, 'is not a key; write with_("load.outstanding", 32)'),
        (5, 1, "with_(): 5: is not a key"),
        ("volume.drives", 2, "volume.drives"),
    ],
)
def test_a_mistake_in_with_is_explained_as_on_the_command_line(key, value, wrong):
    read = Scenario.read("raid5-disks").with_
    assert wrong in refusal(read, {key: value})


@pytest.mark.parametrize("arguments", [("volume.level",), ({"volume.level": "raid6"}, 1), ()])
def test_with_takes_a_key_and_a_value_or_a_mapping(arguments):
    with pytest.raises(TypeError):
        Scenario.read("raid5-disks").with_(*arguments)


KEYS = ["load.size", "load[*].read", "volume.failed", "volume.set.x", "load", "seed", "a.b.c", "."]
plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
values = st.recursive(
    plain | st.binary(max_size=2) | st.just(object()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=3))
def test_whatever_with_is_given_ends_in_a_scenario_or_a_message(changes):
    with contextlib.suppress(InputError):
        assert isinstance(Scenario.read("p3700-database").with_(changes), Scenario)


def test_a_value_that_never_ends_is_refused():
    deep = []
    for _ in range(1000):
        deep = [deep]
    assert "load.area" in refusal(Scenario.read("p3700-database").with_, "load.area", deep)


def test_a_scenario_shows_what_it_holds_in_a_few_lines():
    shown = repr(Scenario.read("raid5-disks"))
    assert len(shown.splitlines()) < 10
    assert "volume data: raid5 of 8 x seagate-st373455ss" in shown
    assert str(Scenario.read("raid5-disks")) == shown


# ---- runs


def test_run_simulates_a_scenario():
    found = raidsim.run(quick())
    assert isinstance(found, Result)
    assert found.points[0].iops.mean > 1000


def test_a_function_is_told_how_far_a_run_is():
    seen = []
    raidsim.run(quick(), progress=seen.append)
    assert seen
    assert all(0 <= at.fraction <= 1 and at.points == 1 and at.label for at in seen)


@pytest.mark.parametrize("progress", [None, False])
def test_without_progress_nothing_is_shown(progress, monkeypatch):
    monkeypatch.setattr("raidsim.report.progress.Bar.__enter__", lambda _: pytest.fail("a bar"))
    raidsim.run(quick(), progress=progress)


def test_with_progress_there_is_the_bar_of_the_command_line(monkeypatch):
    seen = []
    monkeypatch.setattr("raidsim.report.progress.Bar.on_point", lambda _, at: seen.append(at))
    raidsim.run(quick(), progress=True)
    assert seen


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["p3700-database"], 'run(): scenario: "p3700-database" is not a Scenario'),
        ([None], "run(): scenario: None is not a Scenario; give raidsim.Scenario.read(...)"),
    ],
)
def test_only_a_scenario_can_be_run(arguments, wrong):
    assert wrong in refusal(raidsim.run, *arguments)


def test_progress_is_a_flag_or_a_function():
    assert "run(): progress: 5 is neither" in refusal(raidsim.run, quick(), progress=5)


# ---- results


def test_the_repr_of_a_result_is_a_few_lines():
    shown = repr(result())
    assert len(shown.splitlines()) < 10
    assert len(shown) < 1000
    assert "database, 1 outstanding: 9,500 IO/s" in shown
    assert "... and 5 more points>" in shown


def test_the_repr_of_a_point_is_a_line():
    assert repr(result().points[0]).startswith("<Point database, 1 outstanding: 9,500 IO/s, ")
    assert len(repr(result().points[0])) < 200


def test_a_notebook_shows_a_result_as_a_small_table():
    shown = result()._repr_html_()
    assert len(shown) < 5000
    assert shown.count("<tr>") == 1 + len(result().points)
    assert "<td>9,500</td>" in shown


def test_names_of_a_scenario_are_no_html():
    made = result(scenario=SCENARIO | {"title": "<script>"})
    assert "<script>" not in made._repr_html_()


def test_to_json_is_what_the_command_line_writes(tmp_path):
    from raidsim.report import json_file

    made, path = result(), tmp_path / "r.json"
    assert made.to_json(path) is None
    assert path.read_text("utf-8") == made.to_json()
    assert path.read_bytes() == json_file.render(made.to_dict())
    assert json.loads(made.to_json())["schema"] == "raidsim.result/2"


def test_to_json_refuses_a_path_that_cannot_be_written(tmp_path):
    assert "there is no folder" in refusal(result().to_json, tmp_path / "none" / "r.json")
    assert "is a folder" in refusal(result().to_json, tmp_path)


def test_to_frame_has_a_row_for_each_point_and_the_columns_of_csv():
    from raidsim.report import csv_file

    pandas = pytest.importorskip("pandas")
    made = result()
    frame = made.to_frame()
    header = csv_file.render(made).decode().splitlines()[0].split(",")
    assert list(frame.columns) == [one for one in header if one not in csv_file.PHASE_COLUMNS]
    assert list(frame["throughput [IO/s]"]) == [point.iops.mean for point in made.points]
    assert frame["converged"].dtype == bool
    assert frame["offered [IO/s]"].isna().all()
    assert frame["offered [IO/s]"].dtype == float
    assert isinstance(frame, pandas.DataFrame)


def test_without_pandas_to_frame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "raidsim\[pandas\]"'):
        result().to_frame()


def test_plot_gives_a_figure_that_notebooks_show_and_leaves_pyplot_alone():
    code = (
        "import sys; from synthetic import result; from matplotlib.figure import Figure;"
        "figure = result().plot(); assert isinstance(figure, Figure);"
        "assert figure._repr_png_().startswith(b'\\x89PNG');"
        "assert figure._repr_png_() == figure._repr_png_();"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "tests", capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False"


def test_the_figure_is_what_the_command_line_draws():
    from raidsim.report import plot

    with plot.drawing():
        assert plot.save_svg(result().plot(), "raidsim") == plot.render(result(), ".svg")


@pytest.mark.parametrize("workers", ["x", 0, -3, 1.5, True])
def test_a_number_of_workers_is_a_whole_one(workers):
    words = refusal(raidsim.sweep, quick(), {"load.outstanding": [1, 2]}, workers=workers)
    assert "not a whole number from 1 on" in words


@pytest.mark.parametrize("given", [{"within": "2 ms"}, {"precision": "1 %"}])
def test_what_results_cannot_answer_is_not_asked_of_them(given):
    words = refusal(raidsim.compare, result(), result(), **given)
    assert "results are not run again" in words


def test_a_result_is_written_to_a_path_and_nothing_else():
    assert "5 is not a path" in refusal(result().to_json, 5)

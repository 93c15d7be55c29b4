"""What studies in Python refuse at once, in words: nothing of it comes from inside."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import raidsim
from raidsim import InputError, Scenario, Trace

DISK = Scenario.read("p3700-database")
SWEPT = {"load.outstanding": [1, 2]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scenario": None}, "scenario: None is not a Scenario"),
        ({"scenario": "p3700-database"}, 'scenario: "p3700-database" is not a Scenario'),
        ({"vary": 3}, "vary: 3 is not a table"),
        ({"vary": None}, "vary: nothing is varied"),
        ({"sample": "1..4"}, 'sample: "1..4" is not a table'),
        ({"sample": {"load.outstanding": 4}, "samples": 2}, "sample: load.outstanding: 4 is no"),
        ({"sample": {"load.outstanding": "1..4"}}, "samples: no number of draws is given"),
        ({"samples": -1}, "samples: -1 is out of range"),
        ({"samples": 3}, "samples: has no effect without sample"),
        ({"where": 3}, "where: 3 is not a text"),
        ({"seeds": None}, "seeds: None is not a whole number"),
        ({"seeds": 1.5}, "seeds: 1.5 is not a whole number"),
        ({"store": 3}, "store: 3 is not a path of a file"),
        ({"store": ""}, "store: is not a valid name of a file"),
        ({"cluster": 3}, "cluster: 3 is not a text"),
        ({"progress": "yes"}, 'progress: "yes" is neither true nor false'),
    ],
)
def test_a_sweep_says_which_argument_is_wrong(arguments: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"scenario": DISK, "vary": SWEPT} | arguments
    with pytest.raises(InputError) as refused:
        raidsim.sweep(given.pop("scenario"), given.pop("vary"), **given)
    assert str(refused.value).startswith(f"sweep(): {words}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"percentile": 0.99}, "percentile: has no effect without within"),
        ({"percentile": math.nan, "within": "2 ms"}, "percentile: nan is not a number"),
        ({"percentile": 99, "within": "2 ms"}, "percentile: 99 is out of range"),
        ({"percentile": 0.2, "within": "2 ms"}, "percentile: 20 % is out of range"),
        ({"names": "ab"}, 'names: "ab" is not a list'),
        ({"seeds": 0}, "seeds: 0 is out of range"),
        ({"within": 2}, "within: 2 has no unit"),
        ({"within": "0 ms"}, "within: 0 ms is not a latency"),
        ({"states": "no"}, 'states: "no" is neither true nor false'),
        ({"risk": None}, "risk: None is neither true nor false"),
        ({"prices": "prices.toml"}, 'prices: "prices.toml" holds no prices'),
        ({"store": 3}, "store: 3 is not a path of a file"),
        ({"cluster": 3}, "cluster: 3 is not a text"),
    ],
)
def test_a_comparison_says_which_argument_is_wrong(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        raidsim.compare(DISK, DISK, **arguments)
    assert str(refused.value).startswith(f"compare(): {words}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"prices": 3}, "prices: 3 is not a path of a file"),
        ({"runs": 0}, "runs: 0 is out of range"),
        ({"runs": "many"}, 'runs: "many" is not a whole number'),
        ({"unknowns": "many"}, 'unknowns: "many" is not a whole number'),
        ({"store": 3}, "store: 3 is not a path of a file"),
        ({"cluster": 3}, "cluster: 3 is not a text"),
    ],
)
def test_a_plan_says_which_argument_is_wrong(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        raidsim.plan("database-40tb", **arguments)
    assert str(refused.value).startswith(f"plan(): {words}")


@pytest.mark.parametrize("path", [None, 3, math.nan, b"trace.csv", [Path("trace.csv")]])
def test_a_trace_is_read_from_a_path(path: Any) -> None:
    with pytest.raises(InputError, match=r"Trace.read\(\): .* is not a path of a file"):
        Trace.read(path)


def test_a_scenario_says_how_it_is_made() -> None:
    with pytest.raises(TypeError, match=r"give Scenario.read\(name\) or .from_text\(text\)"):
        Scenario()


@pytest.mark.parametrize("path", [None, 3, math.nan, b"table.csv", []])
def test_no_file_is_called_after_what_is_no_path(
    path: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that is written to None does not make a file of that name."""
    monkeypatch.chdir(tmp_path)
    swept = raidsim.Sweep("a sweep", (), ())
    for write in (swept.to_csv, swept.to_json, swept.to_parquet):
        if path is None and write == swept.to_json:
            continue
        with pytest.raises(InputError, match="is not a path of a file"):
            write(path)
    assert not list(tmp_path.iterdir())


def test_the_json_of_a_table_is_a_text_where_no_path_is_given(tmp_path: Path) -> None:
    swept = raidsim.Sweep("a sweep", (), ())
    swept.to_json(tmp_path / "sweep.json")
    assert swept.to_json() == (tmp_path / "sweep.json").read_text("utf-8")


@pytest.mark.parametrize("variant", [-1, 1, None, "0", math.nan])
def test_a_variant_has_a_number_of_the_table(variant: Any) -> None:
    with pytest.raises(InputError, match=r"result\(\): variant: "):
        raidsim.Sweep("a sweep", (), ()).result(variant)


@pytest.mark.parametrize("rows", [0, -1, 1.5, None, "many"])
def test_a_trace_comes_in_pieces_of_a_request_or_more(rows: Any) -> None:
    trace = Trace.read(next((Path(__file__).parent / "data/traces").rglob("*blkparse*")))
    with pytest.raises(InputError, match=r"blocks\(\): rows: .* is not a number of requests"):
        trace.blocks(rows)


def test_in_python_messages_name_arguments_and_no_options() -> None:
    for where, told in (
        ("", 'where: "" is not a condition'),
        ("load.size >= 3", "where: "),
        ("load.outstanding > 9", 'where: "load.outstanding > 9" leaves no variant'),
    ):
        with pytest.raises(InputError) as found:
            raidsim.sweep(DISK, SWEPT, where=where)
        assert str(found.value).startswith(told)
    with pytest.raises(InputError, match=r"^vary: load\.nix: unknown key"):
        raidsim.sweep(DISK, {"load.nix": [1]})

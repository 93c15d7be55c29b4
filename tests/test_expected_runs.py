"""A large study says how many runs it makes before it makes them, and soon how long they take."""

import pytest

from raidsim import Scenario, cli
from raidsim.studies import sweep as sweeps
from raidsim.studies.expected import FIRST, Expected, Forecast
from raidsim.studies.sweep import Asked
from raidsim.studies.vary import parse_axis


class Halted(Exception):
    """Ends a study where its first run would begin."""


def halt(*_: object, **__: object) -> None:
    raise Halted


def told(workers: int | None, runs: int, seconds: float, cluster: str | None = None) -> list[str]:
    said: list[Expected] = []
    forecast = Forecast(workers, cluster, said.append)
    forecast.begin(runs, 0)
    for _ in range(runs if runs < 50 else 50):
        forecast.add(seconds)
    return [str(one) for one in said]


def test_the_number_of_runs_is_said_before_the_first_one(monkeypatch):
    monkeypatch.setattr(sweeps, "run_variants", halt)
    said: list[Expected] = []
    axis = parse_axis("load.outstanding=1..1000000")
    with pytest.raises(Halted):
        Asked(Scenario.read("p3700-database"), [axis]).run(None, on_expected=said.append)
    assert [one.runs for one in said] == [1_000_000]
    assert "1,000,000 runs" in str(said[0])
    assert "Ctrl-C" in str(said[0])


def test_a_small_sweep_says_nothing(monkeypatch):
    monkeypatch.setattr(sweeps, "run_variants", halt)
    said: list[Expected] = []
    with pytest.raises(Halted):
        Asked(Scenario.read("p3700-database"), [parse_axis("load.outstanding=1,2")]).run(
            None, on_expected=said.append
        )
    assert said == []


def test_the_command_says_it_on_standard_error(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sweeps, "run_variants", halt)
    arguments = ["sweep", "p3700-database", "--vary", "load.outstanding=1..500"]
    with pytest.raises(Halted):
        cli.app([*arguments, "--store", str(tmp_path / "kept.sqlite")], standalone_mode=False)
    assert "500 runs" in capsys.readouterr().err


def test_the_time_is_that_of_the_first_runs_shared_by_the_workers():
    # 1,000,000 runs of 2.4 s on 2 workers: 1,200,000 s, which are 13.9 days.
    assert told(2, 1_000_000, 2.4) == [
        "1,000,000 runs take about 14 days, judging by the first ones"
    ]
    # 7200 s / 4 workers = 30 min
    assert told(4, 7200, 1.0) == ["7,200 runs take about 30 min, judging by the first ones"]


def test_a_few_long_runs_are_said_too():
    assert told(2, 20, 60.0) == ["20 runs take about 10 min, judging by the first ones"]
    # 110 s are written out, and not as 1.1e+02 s.
    assert told(2, 220, 1.0) == ["220 runs take about 110 s, judging by the first ones"]


def test_nothing_is_said_of_what_takes_seconds_or_runs_on_a_cluster():
    assert told(2, 50, 1.0) == []
    assert told(None, 1_000_000, 5.0, cluster="tcp://host:8786") == []


def test_it_is_said_once_and_early():
    said: list[Expected] = []
    forecast = Forecast(2, None, said.append)
    forecast.begin(1000, 0)
    for number in range(1000):
        forecast.add(1.0)
        assert len(said) == (number + 1 >= 2 * FIRST)


def test_the_compilation_of_the_kernel_by_the_first_run_is_not_taken_for_the_time_of_all():
    said: list[Expected] = []
    forecast = Forecast(2, None, said.append)
    forecast.begin(100, 0)
    for seconds in (240.0, 1.0, 1.0, 1.0, 1.0, 1.0):
        forecast.add(seconds)
    assert said == []


def test_results_that_are_known_are_not_counted():
    said: list[Expected] = []
    Forecast(2, None, said.append).begin(900, 100)
    assert str(said[0]).startswith("900 runs (100 more are known from before)")


def test_few_runs_that_are_left_of_a_large_study_are_said_too():
    """Before it was looked up what is known, all of them were said to be run."""
    said: list[Expected] = []
    for runs, known in ((50, 950), (0, 1000), (3, 7)):
        Forecast(2, None, said.append).begin(runs, known)
    assert len(said) == 2
    assert str(said[0]).startswith("50 runs (950 more are known from before)")
    assert str(said[1]) == "nothing is left to run: all 1,000 results are known from before"

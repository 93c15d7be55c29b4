"""Measurements of one's own against what the cards of a scenario leave open."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from raidsim import cards, cli
from raidsim import scenario as scenarios
from raidsim.calibrate.learned import Learned, Told
from raidsim.calibrate.own_results import _cards, _groups, _Search, _Unknowns, _warnings
from raidsim.cards.plausible import plausible
from raidsim.cards.posterior import posterior
from raidsim.judge import judge, read_results
from raidsim.report.console import ReportConsole
from raidsim.report.learned import print_written
from raidsim.scenario import Scenario

DATA = Path(__file__).parent / "data" / "fio"

TRUTH = {"queue.window": 30, "seek.read_average": 8.8e-3}
"""What the disk really has that was measured: its card says 12, and 8.2 ms."""

CARD = """
name = "disk"
kind = "hdd"
title = "A disk of which little is known"
base = "nl-sas-2tb"

[queue]
window = { value = 12, unit = "1", source = "assumed", range = [4, 64], because = "not printed" }
choose_time = { value = 0, unit = "ms", source = "datasheet" }
"""

SCENARIO = """
schema = 1
title = "One disk"

[host]
model = "fujitsu-rx2540-m1"

[[volume]]
level = "single"
drives = 1
drive = "./disk.toml"

[[load]]
name = "reads"
read = "100 %"
random = "100 %"
size = "4 KiB"
outstanding = [1, 64]

[measure]
precision = "1 %"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results as fio writes them, of a disk that is not quite the one of the card, and a card."""
    folder = tmp_path_factory.mktemp("fio")
    (folder / "disk.toml").write_text(CARD)
    (folder / "one.toml").write_text(SCENARIO)
    truth = [f"queue.window={TRUTH['queue.window']}", "seek.read_average=8.8 ms"]
    setting = [part for one in truth for part in ("--set", f"volume.set.{one}")]
    done(["run", str(folder / "one.toml"), *setting, "--fio", str(folder / "results")])
    results = sorted((folder / "results").glob("*.json"))
    given = [part for one in results for part in ("--fio", str(one))]
    written = ["-o", str(folder / "mine.toml"), "--json", str(folder / "learned.json")]
    done(["calibrate", str(folder / "one.toml"), *given, *written])
    return folder


def done(arguments):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 0


@pytest.fixture(scope="module")
def learned(folder):
    return json.loads((folder / "learned.json").read_text())


def test_what_differs_is_found_again_within_what_it_is_known_to(learned):
    found = {one["name"]: one for one in learned["values"]}
    for name, value in TRUTH.items():
        one = found[name]
        assert one["learned"]
        low, high = one["after_range"]
        assert low / 1.01 <= value <= high * 1.01
        assert abs(math.log(one["after"] / value)) < abs(math.log(one["before"] / value))
    low, high = found["queue.window"]["after_range"]
    assert high / low < 2  # it was 4 to 64


def test_the_speeds_are_nearer_to_what_was_measured(learned):
    assert [one["after"] for one in learned["figures"]] == pytest.approx([1.0, 1.0], abs=0.03)
    assert max(abs(one["before"] - 1) for one in learned["figures"]) > 0.1


def test_random_reads_of_a_disk_tell_nothing_of_power_failures_and_the_host(learned):
    names = {one["name"] for one in learned["values"]}
    assert not {name for name in names if name.startswith(("power", "reliability"))}
    # Its microseconds stand beside milliseconds.
    assert {one["card"] for one in learned["values"] if one["learned"]} == {"disk"}


def test_the_card_that_is_written_knows_what_was_learned_and_inherits_the_rest(folder):
    card, written = (cards.load(str(folder / name)) for name in ("disk.toml", "mine.toml"))
    assert written.base == "disk"
    assert written.number("seek.read_average") == pytest.approx(8.8e-3, rel=0.03)
    before, after = posterior(card), posterior(written)
    for name in TRUTH:
        narrow, wide = after.interval(name), before.interval(name)
        assert math.log(narrow[1] / narrow[0]) < 0.7 * math.log(wide[1] / wide[0])
        assert plausible(written)[name].because == plausible(card)[name].because
    assert written.number("power.idle") == card.number("power.idle")


def test_results_without_a_job_that_can_be_played_are_refused(tmp_path, capsys):
    (tmp_path / "no.json").write_text('{"fio version": "fio-3.30", "jobs": []}')
    with pytest.raises(SystemExit) as end:
        cli.main(["calibrate", "nl-sas-2tb", "--fio", str(tmp_path / "no.json")])
    assert end.value.code == 2
    assert "no.json" in capsys.readouterr().err


def test_a_job_that_ended_with_an_error_is_left_out_for_that_reason(tmp_path, capsys):
    """It did measure something, up to the error: a disk that was full, for example."""
    document = json.loads((DATA / "json-plus.json").read_text())
    for job in document["jobs"]:
        job["error"] = 28
    (tmp_path / "failed.json").write_text(json.dumps(document))
    with pytest.raises(SystemExit) as end:
        cli.main(["calibrate", "p3700-database", "--fio", str(tmp_path / "failed.json")])
    assert end.value.code == 2
    assert "fio ended the job with an error" in capsys.readouterr().err


def test_a_measurement_of_a_second_and_one_that_cannot_be_right_are_doubted():
    """A rate twice as large, with the same latencies, has more I/Os under way than the job."""
    scenario = scenarios.load("p3700-database")
    (measured,) = read_results([str(DATA / "json-plus.json")])
    job = measured.jobs[0]
    faster = {
        name: replace(one, iops=2 * one.iops, seconds=1.0) for name, one in job.directions.items()
    }
    odd = replace(measured, jobs=(replace(job, directions=faster),))
    groups, _ = _groups(scenario, [odd], None)
    said = list(_warnings(groups, [odd]))
    assert any("measured over 1 s only" in text for text in said)
    assert any("Little's law" in text for text in said)
    assert all(text.startswith(f"json-plus.json: {job.name}: ") for text in said)
    long = {name: replace(one, seconds=60.0) for name, one in job.directions.items()}
    good = replace(measured, jobs=(replace(job, directions=long),))
    groups, _ = _groups(scenario, [good], None)
    assert list(_warnings(groups, [good])) == []


def test_what_is_asked_for_of_a_log_of_fio_is_what_calibrate_can_be_given(tmp_path, capsys):
    """It has no option for how many I/Os were outstanding: a load of the scenario says it."""
    log = tmp_path / "lat_lat.1.log"
    log.write_text("".join(f"{n}, {150_000 + n}, 0, 4096, {4096 * n}, 0\n" for n in range(50)))
    with pytest.raises(SystemExit):
        cli.main(["calibrate", "drive-database", "--fio", str(log)])
    told = " ".join(capsys.readouterr().err.split())
    assert "put a load like it into the scenario" in told
    assert "--outstanding" not in told


def test_a_measurement_that_no_plausible_values_say_is_named(folder, tmp_path, capsys):
    """Of an SSD, given for a disk: the disk got longer tracks and shorter seeks, and no word."""
    fast = ["--set", "volume.drive=intel-p3700-800gb", "--set", "load.outstanding=16"]
    done(["run", str(folder / "one.toml"), *fast, "--fio", str(tmp_path)])
    (result,) = tmp_path.glob("*.json")
    with pytest.raises(SystemExit) as end:
        cli.main(["calibrate", str(folder / "one.toml"), "--fio", str(result)])
    assert end.value.code == 1
    assert "Was it measured on what the scenario describes?" in capsys.readouterr().out


def test_a_measurement_beyond_the_ranges_is_told_with_the_value_at_its_end(tmp_path, capsys):
    """Flash that takes 110 us for a read, of a drive whose flash is known to take 60 to 71."""
    drive = SCENARIO.replace("./disk.toml", "intel-s4600-960gb").replace("[1, 64]", "1")
    (tmp_path / "one.toml").write_text(drive)
    system, learned = str(tmp_path / "one.toml"), tmp_path / "learned.json"
    slow = ["--set", "volume.set.flash.read_time=110 us"]
    done(["run", system, *slow, "--fio", str(tmp_path)])
    (result,) = tmp_path.glob("*.json")
    capsys.readouterr()
    done(["calibrate", system, "--fio", str(result), "--json", str(learned)])
    found = json.loads(learned.read_text())
    (figure,) = found["figures"]
    assert not figure["met"]
    assert figure["measured"] < figure["simulated"] / (1 + found["margin"])
    ends = {one["name"] for one in figure["at_end"]}
    assert ends
    told = capsys.readouterr().out
    assert "no values within their plausible ranges were found" in told
    measured = float(f"{figure['measured']:.4g}")
    assert f"{measured:,.10g} IO/s measured" in told
    for name in ends:
        assert f"{name} of intel-s4600-960gb is at the upper end of its range" in told


def test_a_measurement_that_values_explain_is_met_and_told_without_a_word(learned):
    assert all(one["met"] and one["at_end"] == [] for one in learned["figures"])


@pytest.mark.parametrize(
    ("speed", "met", "agrees"),
    [
        (1.0, True, True),
        (1.1, True, True),
        (0.872, False, True),
        (1.3, False, True),
        (0.5, False, False),
        (math.nan, False, False),
    ],
)
def test_a_figure_is_met_within_what_measuring_and_models_leave_open(speed, met, agrees):
    """3 % of a measurement and 7 % of what models leave out are 13 % in nine cases of ten."""
    job = Told("a", 1.0, speed)
    assert (job.is_met, job.agrees) == (met, agrees)


def test_what_moved_is_told_of_and_all_else_is_as_it_was(learned):
    rest = [one for one in learned["values"] if not one["learned"]]
    assert [one["after"] for one in rest] == pytest.approx([one["before"] for one in rest])


def test_speeds_after_are_those_of_the_card_that_is_written(folder, learned):
    text = SCENARIO.replace("./disk.toml", str(folder / "mine.toml")) + "min_ios = 20_000\n"
    results = read_results([str(one) for one in sorted((folder / "results").glob("*.json"))])
    speeds = [job.speed for job in judge(Scenario.from_text(text), results).jobs]
    assert speeds == pytest.approx([one["after"] for one in learned["figures"]], rel=0.002)


def test_a_value_that_moved_noticeably_is_told_of_though_it_is_hardly_narrowed(folder):
    """A figure that many values may explain narrows none of them by much."""
    search = _Search(_Unknowns(_cards(scenarios.load(str(folder / "one.toml")))), [], None)
    prior = search.unknowns.prior
    x = search.unknowns.mean.copy()
    x[0] += 0.5 * math.sqrt(prior[0, 0])
    x[1] += 0.01 * math.sqrt(prior[1, 1])
    assert search._told(x, 0.95 * prior).tolist() == [True] + [False] * (len(x) - 1)


def test_what_was_learned_of_another_card_is_told_as_keys_of_a_scenario():
    """The speeds after are with the host as it was learned, which the drive's card cannot hold."""
    host, drive = (cards.load(name) for name in ("linux-xeon-e5-pair", "nl-sas-2tb"))
    time = host.number("submit.io_time")
    learned = Learned(
        host, "submit.io_time", time, (0.5 * time, 2 * time), 1.95e-6, (1.5e-6, 2.5e-6), {}, True
    )
    told = io.StringIO()
    console = ReportConsole(told)
    print_written(SimpleNamespace(values=[learned]), {"mine.toml": drive}, [drive], console)
    assert "what was learned of linux-xeon-e5-pair" in told.getvalue()
    assert '"submit.io_time" = "1.95 us"' in told.getvalue()

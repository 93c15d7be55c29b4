"""A fit to rated figures finds values that give them, within ranges, and says what it cannot."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from command_line import status
from conftest import compiled_only
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import lambertw
from toy_drive import result

from raidsim import cards, units
from raidsim.assembly.amplification import amplification, spare_for
from raidsim.calibrate import rated_runs
from raidsim.calibrate.card_fit import CardFit, fit_card
from raidsim.calibrate.first_guess import track
from raidsim.cards.stub import stub
from raidsim.errors import InputError
from raidsim.result import Result
from raidsim.scenario import load
from raidsim.validate.jobs import Job, simulate
from raidsim.validate.metrics import METRICS

HEAD = """\
name = "made-up"
kind = "ssd"
title = "A drive"
maker = "Acme"
base = "intel-p3700-800gb"

[command]
latency = { value = 6.5, unit = "us", source = "datasheet" }
"""
RATED = '[rated]\nsheet = "Data sheet"\n'
VALUES = {
    "front_end.command_time": (3.0, "us", 0.5, 10),
    "data_path.read_time_per_byte": (0.6, "us/KiB", 0.1, 2),
    "flash.read_time": (50, "us", 20, 120),
}
READS = {
    "random-read": {"unit": "IO/s", "size": "4 KiB", "outstanding": 64, "workers": 2},
    "sequential-read": {"unit": "MB/s", "size": "128 KiB", "outstanding": 32, "random": "0 %"},
    "read-latency": {"unit": "us", "size": "4 KiB", "outstanding": 1},
}


def value(name: str, number: float, unit: str, low: float, high: float) -> str:
    section, _, key = name.partition(".")
    text = f'value = {number}, unit = "{unit}", source = "assumed", range = [{low}, {high}]'
    return f'[{section}]\n{key} = {{ {text}, because = "made up" }}\n'


def entry(name: str, number: float, **keys: object) -> str:
    keys = {"name": name, "value": number, "page": "p. 1"} | keys
    lines = (f'{k} = "{v}"' if isinstance(v, str) else f"{k} = {v}" for k, v in keys.items())
    return "\n".join(["[[rated.performance]]", *lines]) + "\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "made-up.toml"
    path.write_text(text)
    return path


class Formula:
    """A drive as a formula: commands at the front end, bytes on the data path, a latency beside."""

    def __call__(self, job: Job) -> Result:
        scenario = load(job.scenario, overrides=job.all_overrides())
        card, load_of = scenario.volumes[0].card, scenario.loads[0]
        size = load_of.sizes[0].size
        command, byte = (
            card.number(name) for name in ("front_end.command_time", "data_path.read_time_per_byte")
        )
        alone = command + size * byte + card.number("flash.read_time")
        under_way = load_of.workers * load_of.outstanding[0]
        rate = min(under_way / alone, 1 / command, 1 / (size * byte))
        return result(rate, size=size, read_ms=1e3 * under_way / rate)


def fitted(path: Path, **keys: object) -> CardFit:
    return fit_card(str(path), workers=1, **keys)


def number(card: cards.Card, name: str) -> float:
    unit = VALUES[name][1]
    return units.in_unit(card.number(name), unit, card.about.by_name[name].dimension)


def card_text(figures: dict[str, float], scale: float = 1.0, more: str = "") -> str:
    values = (
        value(name, min(max(number * scale, low), high), unit, low, high)
        for name, (number, unit, low, high) in VALUES.items()
    )
    entries = (entry(name, one, **READS[name]) for name, one in figures.items())
    return HEAD + "".join(values) + RATED + more + "".join(entries)


# ---- closed forms


@pytest.mark.parametrize("spare", [0.05, 0.12, 0.28, 0.5])
def test_write_amplification_is_where_what_is_written_equals_what_is_freed(spare):
    """Of a block that is collected, e^(-alpha / A) is still valid: what is freed is 1 / A of it."""
    found = amplification(spare)
    assert 1 - math.exp(-(1 + spare) / found) == pytest.approx(1 / found, rel=1e-9)
    assert spare_for(found) == pytest.approx(spare, rel=1e-9)


@pytest.mark.parametrize("spare", [0.005, 0.03, 0.07, 0.37, 1, 3, 40, 750])
def test_write_amplification_is_what_the_lambert_function_says(spare):
    alpha = 1 + spare
    expected = alpha / (alpha + lambertw(-alpha * math.exp(-alpha)).real)
    assert amplification(spare) == pytest.approx(expected, rel=1e-10)


def test_a_track_holds_what_its_media_rate_needs():
    # The page on drives of one's own: 8 heads, 7200 rpm, 0.8 ms and 0.35 ms, 220 MB/s.
    disk = cards.load("nl-sas-2tb").changed(
        {
            "geometry.heads": 8,
            "spindle.speed": 120.0,
            "geometry.head_switch": 0.8e-3,
            "seek.read_single": 0.25e-3,
            "seek.write_single": 0.35e-3,
        }
    )
    revolution = 60 / 7200
    time = 8 * revolution + 7 * 0.8e-3 + 0.35e-3
    assert track(disk, 220e6) == pytest.approx(220e6 * time / 8)
    assert track(disk, 220e6) == pytest.approx(1996800, rel=2e-4)


# ---- fits to a formula


def test_the_values_behind_the_figures_are_found(tmp_path):
    # 3 us a command: 333,333 IO/s; 0.6 us/KiB: 1706.7 MB/s; 3 + 2.4 + 50 us: 55.4 us.
    figures = {"random-read": 333333, "sequential-read": 1706.7, "read-latency": 55.4}
    path = written(tmp_path, card_text(figures, scale=1.7))
    report = fitted(path, simulate=Formula())
    assert report.all_met
    for one in report.values:
        assert one.after == pytest.approx(VALUES[one.parameter.name][0], rel=0.02)
    card = cards.load(path)
    assert card.sources["flash.read_time"].source == "calibrated"
    assert "rated.read-latency" in card.sources["flash.read_time"].claims
    assert card.sources["flash.read_time"].range == (20, 120)
    assert card.residuals["rated.random-read"] == pytest.approx(0, abs=0.02)


def test_a_second_fit_changes_nothing(tmp_path):
    figures = {"random-read": 300000, "sequential-read": 1500, "read-latency": 80}
    path = written(tmp_path, card_text(figures))
    fitted(path, simulate=Formula())
    before = path.read_bytes()
    assert not fitted(path, simulate=Formula()).written
    assert path.read_bytes() == before


def test_the_same_card_gives_the_same_bytes(tmp_path):
    figures = {"random-read": 250000, "sequential-read": 1400, "read-latency": 90}
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        path = written(tmp_path / name, card_text(figures))
        fitted(path, simulate=Formula())
        made.append(path.read_bytes())
    assert made[0] == made[1]


@settings(max_examples=4, derandomize=True)
@given(
    reads=st.integers(10_000, 5_000_000),
    stream=st.integers(100, 20_000),
    latency=st.integers(5, 500),
)
def test_whatever_is_printed_values_stay_in_their_ranges(tmp_path_factory, reads, stream, latency):
    figures = {"random-read": reads, "sequential-read": stream, "read-latency": latency}
    path = written(tmp_path_factory.mktemp("any"), card_text(figures))
    report = fitted(path, simulate=Formula())
    card = cards.load(path)
    for name, (_, _, low, high) in VALUES.items():
        assert low <= number(card, name) <= high
    missed = {report.figures[one.missed].figure.name for one in report.conflicts}
    assert missed == {one.figure.name for one in report.figures if not one.is_met}


def test_what_no_figure_tells_stays_as_it_was(tmp_path):
    path = written(tmp_path, card_text({"random-read": 200000}))
    report = fitted(path, simulate=Formula())
    by_name = {one.parameter.name: one for one in report.values}
    assert by_name["front_end.command_time"].after == pytest.approx(5, rel=0.02)
    assert not by_name["flash.read_time"].determined
    card = cards.load(path)
    assert number(card, "flash.read_time") == 50
    assert card.sources["flash.read_time"].source == "assumed"


def test_the_time_of_a_read_moves_less_than_what_no_class_is_known_of(tmp_path):
    """64 KiB alone take 3 + 38.4 + 50 us; what 110 us ask for is mostly the data path's."""
    large = {"unit": "us", "size": "64 KiB", "outstanding": 1}
    path = written(tmp_path, card_text({}) + entry("large-read", 110, **large))
    report = fitted(path, simulate=Formula())
    assert report.all_met
    moved = {one.parameter.name: math.log(one.after / one.before) for one in report.values}
    assert 0 <= moved["flash.read_time"] < moved["data_path.read_time_per_byte"] / 2


def test_two_figures_that_cannot_both_be_met_are_named(tmp_path):
    # One worker with one outstanding does 1 / latency: 40 us are 25,000 IO/s, not 50,000.
    path = written(tmp_path, card_text({"read-latency": 80}))
    again = entry("alone", 25000, unit="IO/s", size="4 KiB", outstanding=1)
    path.write_text(path.read_text() + again)
    report = fitted(path, simulate=Formula())
    assert [one.names for one in report.contradictions if "alone" in one.names] == [
        ("alone", "read-latency")
    ]
    missed = [one for one in report.conflicts if one.other is not None]
    assert missed
    assert {missed[0].missed, missed[0].other} == {0, 1}
    # With the one as printed the other is off by half, or twice too large.
    assert min(abs(missed[0].by - 1), abs(missed[0].by + 0.5)) < 0.05


def test_a_figure_out_of_reach_names_the_value_at_its_bound(tmp_path):
    path = written(
        tmp_path, card_text({"random-read": 10_000_000})
    )  # 0.1 us, and 0.5 are the least
    report = fitted(path, simulate=Formula())
    (conflict,) = report.conflicts
    assert conflict.alone
    assert [report.values[i].parameter.name for i in conflict.values] == ["front_end.command_time"]


def test_what_is_printed_outright_becomes_the_value(tmp_path):
    more = (
        'capacity = { value = 2, unit = "TB", page = "p. 1" }\n'
        'written = { value = 3.65, unit = "PB", page = "p. 2" }\n'
        'power_idle = { value = 5, unit = "W", page = "p. 3" }\n'
        'power_read = { value = 9, unit = "W", page = "p. 3" }\n'
    )
    path = written(tmp_path, card_text({"random-read": 200000}, more=more))
    report = fitted(path, simulate=Formula())
    assert {one.name for one in report.taken} == {
        "capacity.user", "endurance.written", "power.idle",
    }  # fmt: skip
    card = cards.load(path)
    assert card["capacity.user"] == 2 * 10**12
    assert (card["endurance.written"], card["power.idle"]) == (3650 * 10**12, 5)
    assert card.sources["power.idle"].source == "datasheet"
    assert card.sources["power.idle"].note == "p. 3"
    path.write_text(
        path.read_text().replace("power_idle = { value = 5,", "power_idle = { value = 6,")
    )
    assert [one.after for one in fitted(path, simulate=Formula()).taken] == [6]
    assert cards.load(path)["power.idle"] == 6


def test_a_capacity_that_is_known_by_the_sector_is_not_rounded_to_what_is_printed(tmp_path):
    more = 'capacity = { value = 2, unit = "TB", page = "p. 1" }\n'
    text = card_text({"random-read": 200000}, more=more)
    path = written(tmp_path, text)
    fitted(path, simulate=Formula())
    exact = (
        path.read_text()
        .replace('user = { value = 2.0, unit = "TB"', 'user = { value = 2000398934016, unit = "B"')
        .replace('user = { value = 2, unit = "TB"', 'user = { value = 2000398934016, unit = "B"')
    )
    path.write_text(exact)
    assert "2000398934016" in exact
    assert not fitted(path, simulate=Formula()).taken
    assert cards.load(path)["capacity.user"] == 2000398934016


def test_dies_are_counted_so_that_they_hold_the_capacity(tmp_path):
    flash = (
        'channels = { value = 8, unit = "1", source = "assumed" }\n'
        'dies_per_channel = { value = 1, unit = "1", source = "assumed", range = [1, 64] }\n'
        'die_capacity = { value = 64, unit = "GiB", source = "assumed" }\n'
        'spare = { value = 7, unit = "%", source = "assumed" }\n'
    )
    capacity = 'capacity = { value = 4, unit = "TB", page = "p. 1" }\n'
    text = card_text({"random-read": 200000}, more=capacity)
    path = written(tmp_path, text.replace("[flash]\n", "[flash]\n" + flash))
    fitted(path, simulate=Formula())
    # 4 TB x 1.07 / (8 x 64 GiB) = 7.8.
    assert cards.load(path)["flash.dies_per_channel"] == 8
    again = fitted(path, simulate=Formula())
    assert not again.written
    assert "flash.dies_per_channel" not in {one.parameter.name for one in again.values}


OF_BASE = "as intel-p3700-800gb: write what the sheet says"


@pytest.mark.parametrize(
    ("note", "printed", "channels"),
    [(OF_BASE, 2800, 12), (OF_BASE, 1900, 8), ("a review", 2800, 8), (OF_BASE, 9000, 32)],
)
def test_channels_are_counted_so_that_they_carry_the_printed_stream(
    note, printed, channels, tmp_path
):
    """Eight channels of 330 MB/s carry 2,640; with a fifth to spare, twelve carry 2,800."""
    flash = (
        f'channels = {{ value = 8, unit = "1", source = "assumed", note = "{note}" }}\n'
        'channel_read_time_per_byte = { value = 330, unit = "MB/s", source = "assumed" }\n'
    )
    text = card_text({"sequential-read": printed})
    path = written(tmp_path, text.replace("[flash]\n", "[flash]\n" + flash))
    fitted(path, simulate=Formula())
    assert cards.load(path)["flash.channels"] == channels


def spare_of_base(note: str = "as intel-p3700-800gb") -> str:
    """A line of a new card: the spare area is that of its base, and may move."""
    return (
        'spare = { value = 28, unit = "%", source = "assumed", range = [3, 100], '
        f'because = "made up", note = "{note}" }}\n'
    )


WRITES = {"unit": "IO/s", "size": "4 KiB", "outstanding": 32, "read": "0 %"}


@pytest.mark.parametrize(
    ("capacity", "spare"),
    # 512 GiB behind 480 and 500 GB, 1.5 x 512 GiB behind 750 GB, 24 dies of 48 GiB behind 1050 GB:
    # seven tenths of what is beyond.
    [(480, 0.1017), (500, 0.06966), (750, 0.06966), (1050, 0.1247)],
)
def test_spare_area_of_which_no_figure_tells_is_that_of_the_flash_behind_the_capacity(
    capacity, spare, tmp_path
):
    more = f'capacity = {{ value = {capacity}, unit = "GB", page = "p. 1" }}\n'
    text = card_text({"random-read": 50000}, more=more)
    text += entry("random-write", 80000, **WRITES, state="burst")
    path = written(tmp_path, text.replace("[flash]\n", "[flash]\n" + spare_of_base()))
    report = fitted(path, simulate=Formula())
    assert cards.load(path)["flash.spare"] == pytest.approx(spare, rel=1e-3)
    assert ("flash.spare", "flash for the capacity") in {
        (one.name, one.figure) for one in report.taken
    }
    assert not fitted(path, simulate=Formula()).written


@pytest.mark.parametrize("known", ["written in the long run", "told by somebody"])
def test_spare_area_that_somebody_knows_stays(known, tmp_path):
    more = 'capacity = { value = 500, unit = "GB", page = "p. 1" }\n'
    text = card_text({"random-read": 50000}, more=more)
    note = "a review counted the dies" if known == "told by somebody" else "as intel-p3700-800gb"
    if known != "told by somebody":
        text += entry("random-write", 20000, **WRITES)
    path = written(tmp_path, text.replace("[flash]\n", "[flash]\n" + spare_of_base(note)))
    report = fitted(path, simulate=Formula())
    assert "flash.spare" not in {one.name for one in report.taken}
    assert cards.load(path)["flash.spare"] == 0.28


def test_a_quantile_that_no_run_says_is_kept_and_left_out(tmp_path):
    text = card_text({"random-read": 200000})
    late = entry("late", 900, unit="us", size="4 KiB", outstanding=1, quantile="99.99 %")
    report = fitted(written(tmp_path, text + late), simulate=Formula())
    assert [one.name for one in report.unfitted] == ["late"]
    assert [one.figure.name for one in report.figures] == ["random-read"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, r"made-up\.toml: rated: has no published figures: there is no \[rated\]"),
        (HEAD + RATED, "no \\[\\[rated.performance\\]\\]"),
        (HEAD + RATED + entry("a", 1, **READS["random-read"]), "no value of its own is calibrated"),
    ],
)
def test_a_card_that_cannot_be_fitted_says_why(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        fitted(written(tmp_path, text), simulate=Formula())


def test_a_load_that_the_drive_cannot_run_is_a_problem_of_the_figure(tmp_path):
    text = card_text({}) + entry("odd", 1000, unit="IO/s", size="1 KiB", outstanding=1)
    text = text.replace("[front_end]", '[capacity]\nsector = { value = 4096, unit = "B",'
                        ' source = "assumed" }\n[front_end]', 1)  # fmt: skip
    with pytest.raises(InputError) as caught:
        fitted(written(tmp_path, text), simulate=Formula())
    assert "made-up.toml: rated.odd: " in str(caught.value)
    assert "/raidsim-" not in str(caught.value)


def test_what_is_wrong_with_the_card_itself_is_told_once_and_of_the_card(tmp_path):
    """Not of each figure: a buffer of a disk that holds less than what is kept in it."""
    path, base = tmp_path / "own.toml", "nl-sas-2tb"
    text = stub("hdd", "own", cards.load(base), place=path, like_name=base)
    text = re.sub(r"(\[buffer\]\nsize = \{ value = )\d+", r"\g<1>32", text)
    for edge in ("outer", "inner"):
        rate = f"media_rate_{edge} = {{ value = "
        text = text.replace(f"# {rate}...", f"{rate}100", 1)
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        fitted(path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.key) == (str(path), "buffer.size")


def test_a_printed_figure_that_cannot_be_is_named_and_not_another_one(tmp_path):
    """An average seek that is shorter than one to the next track was told as a rate's mistake."""
    path, base = tmp_path / "own.toml", "seagate-st1200mm0088"
    text = stub("hdd", "own", cards.load(base), place=path, like_name=base)
    text = text.replace("# seek_read_average = { value = ...", "seek_read_average = { value = 0.2")
    text = text.replace("# media_rate_outer = { value = ...", "media_rate_outer = { value = 240")
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        fitted(path)
    problem = caught.value.problems[0]
    assert (problem.file, problem.key) == (str(path), "rated.seek_read_average")
    assert "does not lie between" in problem.cause


# ---- against the simulation


@compiled_only
def test_a_fit_finds_the_figures_of_a_drive_that_was_simulated(tmp_path):
    path = written(tmp_path, card_text(dict.fromkeys(READS, 1)))
    card = cards.load(path)
    figures = {}
    for one in rated_runs.entries(card)[0]:
        (claim,) = rated_runs.claims(card, [one], tmp_path, {})
        (job,) = claim.jobs()
        point = simulate(job).points[0]
        said = {
            "rate": point.iops.mean,
            "bandwidth": point.mbps,
            "latency": point.latency_ms["read"].mean,
        }
        figures[one.name] = float(f"{rated_runs.printed(one, said[one.what]):.4g}")
    path.write_text(card_text(figures, scale=1.5))
    report = fitted(path)
    assert max(abs(one.before / one.figure.written - 1) for one in report.figures) > 0.2
    assert max(abs(one.miss) for one in report.figures) < 0.02
    found = {one.parameter.name: one.after for one in report.values}
    for name in ("front_end.command_time", "data_path.read_time_per_byte"):
        assert found[name] == pytest.approx(VALUES[name][0], rel=0.05)


@compiled_only
def test_the_command_prints_figures_and_values_and_ends_with_a_status(tmp_path, capsys):
    path = written(tmp_path, card_text({"random-read": 300000}))
    before = path.read_text()
    status, out = call(capsys, path, "--dry-run")
    assert status == 0
    assert re.search(r"random-read +300,000 +IO/s .* 4 KiB random reads, 2 x 64 outstanding", out)
    assert "1 of 1 rated figures are met; nothing was written" in out
    assert "a host that is no bottleneck" in out
    assert path.read_text() == before
    path.write_text(card_text({"random-read": 9_000_000}))
    status, out = call(capsys, path, "--json", tmp_path / "fit.json")
    assert status == 1
    assert "Missed: random-read" in out
    assert "Contradiction: random-read and link.time_per_byte: 9,000,000 IO/s of 4 KiB are" in out
    told = json.loads((tmp_path / "fit.json").read_text())
    assert told["figures"][0]["met"] is False
    assert told["conflicts"][0]["figure"] == "random-read"


def test_the_page_names_every_key_of_the_json(tmp_path):
    page = (Path(__file__).resolve().parents[1] / "docs/reference/commands.md").read_text("utf-8")
    (section,) = re.findall(r"^## raidsim card fit(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    path = written(tmp_path, card_text({"random-read": 10_000_000}))
    told = fitted(path, write=False, simulate=Formula()).to_dict()
    keys = {*told, *told["figures"][0], *told["values"][0], *told["conflicts"][0]}
    assert {key for key in keys if f"`{key}`" not in section} == set()


def call(capsys, *arguments: object) -> tuple[int, str]:
    return status("card", "fit", *arguments), " ".join(capsys.readouterr().out.split())


def test_a_card_that_comes_with_raidsim_is_not_changed_by_its_name(capsys):
    before = cards.load("intel-p4510-4tb").path.read_bytes()
    assert status("card", "fit", "intel-p4510-4tb") == 2
    told = capsys.readouterr().err
    assert "comes with raidsim" in told
    assert "--dry-run" in told
    assert cards.load("intel-p4510-4tb").path.read_bytes() == before


# ---- what is measured


def rated_of(name: str, folder: Path, figure: str) -> tuple[cards.Card, Job]:
    """A card of the catalogue with one rated figure, and the run that measures it."""
    like = cards.load(name)
    path = folder / "own.toml"
    path.write_text(
        f'name = "own"\nkind = "{like.kind}"\ntitle = "O"\nbase = "{name}"\n{RATED}{figure}'
    )
    card = cards.load(path)
    (one,) = rated_runs.entries(card)[0]
    (claim,) = rated_runs.claims(card, [one], folder, {})
    (job,) = claim.jobs()
    return card, job


READS_4K = {"unit": "IO/s", "size": "4 KiB"}


@compiled_only
def test_behind_a_controller_drives_take_next_to_no_time(tmp_path):
    figure = entry("most", 10**6, outstanding=64, workers=8, **READS_4K)
    card, job = rated_of("cisco-12g-sas-hba", tmp_path, figure)
    assert len(load(job.scenario).volumes) == 16
    # One core that takes a command, and gives one to a drive.
    time = card.number("command.time") + card.number("command.device_io_time")
    rate = sum(point.iops.mean for point in simulate(job).points)
    assert rate == pytest.approx(card.integer("command.cores") / time, rel=0.02)


def test_drives_behind_a_controller_that_passes_none_through_are_an_array(tmp_path):
    figure = entry("most", 10**6, outstanding=64, drives=8, **READS_4K)
    _, job = rated_of("lsi-megaraid-1078-512", tmp_path, figure)
    (volume,) = load(job.scenario).volumes
    assert (volume.level, volume.drives) == ("raid0", 8)


@compiled_only
def test_a_process_submits_as_fast_as_its_cpu_time_allows(tmp_path):
    figure = entry("most", 10**5, outstanding=64, **READS_4K)
    host, job = rated_of("fujitsu-rx2540-m1", tmp_path, figure)
    time = host.number("submit.io_time") + host.number("submit.page_time")  # one page of 4 KiB
    assert simulate(job).points[0].iops.mean == pytest.approx(1 / time, rel=0.02)


@pytest.mark.parametrize(
    ("state", "read", "expected"),
    [
        ("sustained", "0 %", "steady"),
        ("burst", "0 %", "fresh"),
        ("fresh", "100 %", "filled"),
    ],
)
def test_the_state_of_a_figure_is_that_of_its_drive(state, read, expected, tmp_path):
    figure = entry("a", 1000, outstanding=4, state=state, read=read, **READS_4K)
    _, job = rated_of("samsung-970-evo-plus-500gb", tmp_path, figure)
    assert load(job.scenario).volumes[0].state == expected


@compiled_only
def test_rates_at_the_edges_of_a_disk_are_those_of_its_tracks(tmp_path):
    figures = "".join(
        f'media_rate_{edge} = {{ value = 100, unit = "MB/s", page = "p" }}\n'
        for edge in ("outer", "inner")
    )
    path = tmp_path / "own.toml"
    head = 'name = "own"\nkind = "hdd"\ntitle = "O"\nbase = "nl-sas-2tb"\n'
    path.write_text(head + RATED + figures)
    card = cards.load(path)
    for one in rated_runs.entries(card)[0]:
        (claim,) = rated_runs.claims(card, [one], tmp_path, {})
        rate = simulate(claim.jobs()[0]).points[0].mbps * 2**20
        edge = card.integer(f"geometry.track_{one.name.rpartition('_')[2]}")
        assert track(card, rate) == pytest.approx(edge, rel=0.03)


@compiled_only
def test_a_quantile_is_that_of_the_run(tmp_path):
    figure = entry("late", 200, unit="us", size="4 KiB", outstanding=8, quantile="99 %")
    card, job = rated_of("samsung-970-evo-plus-500gb", tmp_path, figure)
    (one,) = rated_runs.entries(card)[0]
    (claim,) = rated_runs.claims(card, [one], tmp_path, {})
    found = simulate(job)
    metric = METRICS[claim.subject.run.metric]
    assert metric.of(found.points, None) == found.points[0].latency_ms["read"].p99
    assert metric.of([*found.points, *found.points], None) is None

"""The measurement that is named for a value tells it; short runs wait until buffers are full."""

from __future__ import annotations

import math

import pytest

from raidsim import cards
from raidsim.fio.job_file import read_jobs
from raidsim.report.curves import curves
from raidsim.report.unknowns import block
from raidsim.scenario import Scenario, load_text
from raidsim.studies.experiments import experiment_for, loads_of_a_drive
from raidsim.studies.measurements import LEAST, measurement_of
from raidsim.studies.short import measured, shortened
from raidsim.studies.unknown import run
from raidsim.unknowns import spread
from raidsim.unknowns.values import unknown_values

HOST = '[host]\nmodel = "intel-xeon-8380-pair"\n'
CHANNEL = "flash.channel_read_time_per_byte"


def drive(name: str, load: str, values: str = "") -> Scenario:
    """One drive on a fast server."""
    return load_text(f'{HOST}[[volume]]\ndrive = "{name}"\n{values}\n[[load]]\n{load}\n')


def named(name: str, value: str):
    """The measurement of a value of a drive."""
    card = cards.load(name)
    (one,) = [each for each in unknown_values(card).values if each.name == value]
    scenario = drive(name, 'read = "70 %"\nsize = "8 KiB"\noutstanding = 4')
    return measurement_of(scenario, card, one)


def test_what_the_link_of_a_sata_drive_hides_is_measured_one_read_at_a_time() -> None:
    """Reads of 128 KiB, 32 outstanding, came to 3,760 a second whatever the channels do."""
    assert "iodepth=32" in experiment_for(cards.load("intel-s4600-960gb"), CHANNEL).job
    found = named("intel-s4600-960gb", CHANNEL)
    assert "random reads of 128 KiB, one at a time, on one drive" in found.text
    assert "rw=randread\nbs=128k\niodepth=1\n" in found.job


def test_a_measurement_says_between_which_rates_it_decides(tmp_path) -> None:
    found = named("intel-s4600-960gb", CHANNEL)
    between = found.text.rpartition(": ")[2].removesuffix(" IO/s by that value alone")
    least, most = (float(one.replace(",", "")) for one in between.split(" to "))
    assert most > (1 + LEAST) * least
    path = tmp_path / "job.fio"
    path.write_text(found.job)
    (job,) = read_jobs(path)
    assert (job.options["bs"], job.options["iodepth"]) == ("128k", "1")


def test_a_load_that_tells_a_value_well_stays_that_of_the_table() -> None:
    for name, value in (
        ("seagate-st1200mm0088", "queue.ageing"),
        ("samsung-pm9a3-3840gb", "flash.read_time"),
    ):
        found = named(name, value)
        assert found.job == experiment_for(cards.load(name), value).job
        assert "by that value alone" in found.text


def test_where_no_usual_load_depends_on_a_value_the_load_itself_is_to_be_measured() -> None:
    found = named("seagate-st1200mm0088", "spindle.start_time")
    assert found.text.startswith("measure this load itself")
    assert found.job == ""


@pytest.mark.parametrize("kind", ["hdd", "ssd"])
def test_every_usual_load_of_a_drive_is_one_that_can_be_simulated(kind) -> None:
    card = next(card for card in cards.catalogue() if card.kind == kind)
    scenario = drive(card.name, 'read = "70 %"\nsize = "8 KiB"\noutstanding = 4')
    for load in loads_of_a_drive(kind):
        played = scenario.with_("load", [load.table(card.integer("capacity.user"))])
        assert played.loads[0].outstanding is not None
        assert ("rw", "randrw") not in load.options or played.loads[0].read == 0.7
    assert any(load.is_of_a_used_drive for load in loads_of_a_drive(kind)) == (kind == "ssd")


def test_a_larger_buffer_makes_no_drive_faster_in_the_steady_state() -> None:
    """A short run ended before 128 MiB were full: 276,000 a second, 184,000 in the long run."""
    rates = []
    for buffer in ("32 MiB", "128 MiB"):
        scenario = drive(
            "samsung-pm9a3-3840gb",
            'read = "0 %"\nsize = "4 KiB"\noutstanding = 32',
            f'set = {{ "buffer.size" = "{buffer}" }}',
        )
        rates.append(measured(shortened(scenario, 5000)).points[0]["iops"])
    assert rates[1] == pytest.approx(rates[0], rel=0.03)


def test_a_short_run_of_disks_behind_a_large_cache_is_one_with_that_cache_full() -> None:
    """It had writes of 0.03 ms, as the cache took them, where a longer run has 208 ms.

    A short one sees a part of a pass over the disks, in which writes take 105 ms.
    """
    scenario = load_text(
        '[host]\nmodel = "linux-xeon-e5-pair"\n'
        '[[controller]]\nmodel = "dell-perc-h740p"\nbattery = "good"\n'
        '[[volume]]\nlevel = "raid10"\ndrives = 8\ndrive = "seagate-st1200mm0088"\n'
        'write = "back"\n[[load]]\nread = "70 %"\nsize = "8 KiB"\noutstanding = 256\n'
    )
    figures = measured(shortened(scenario, 5000)).points[0]
    assert 80 < figures["write latency"] < 300
    assert figures["iops"] == pytest.approx(2400, rel=0.15)


def test_most_of_an_interval_of_a_drive_that_nobody_measured_is_what_models_leave_out() -> None:
    """Shares are those of the draws, and were told as if they were of the whole width."""
    scenario = drive(
        "intel-s4600-960gb",
        'read = "70 %"\nsize = "8 KiB"\noutstanding = 1\n[measure]\nmin_ios = 2000',
        'state = "filled"',
    )
    result = run(scenario, unknowns=10)
    rate = result.unknowns.points[0].figures[0]
    assert rate.left_out > 0.9
    (curve,) = curves(result)
    told = block(curve, result)
    assert told.rows[0].main.endswith("% what the models leave out")
    words = " ".join(told.notes)
    assert "% of this is what the models leave out" in words
    assert "any results of fio of intel-s4600-960gb, given to raidsim calibrate --fio" in words


def test_the_share_of_what_models_leave_out_is_one_of_variances() -> None:
    drawn = (math.exp(-1.645 * 0.2), math.exp(1.645 * 0.2))  # a deviation of 20 %
    assert spread.share_left_out(drawn, 0.2, 0.2) == pytest.approx(0.5)
    assert spread.share_left_out(drawn, 0.0, 0.0) == 0
    assert spread.share_left_out((1.0, 1.0), 0.07, 0.07) == 1

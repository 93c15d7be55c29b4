"""Beside the sampling error of each rate stands how far the models themselves may be off."""

from __future__ import annotations

from dataclasses import replace

import pytest
from synthetic import point, result

from raidsim.report.curves import curves
from raidsim.report.table import notes
from raidsim.result import Compared, Interval, MachineUse, Result
from raidsim.result.replayed import Replayed
from raidsim.unknowns import spread

KNOWN = Compared(spread.MODEL, spread.MODEL, spread.TAIL)
STRANGE = Compared(spread.SLOWER, spread.UNCOMPARED, spread.TAIL, uncompared=["a-new-drive"])


def said(shown: Result) -> list[str]:
    (curve,) = curves(shown)
    return [note for note in notes(curve, shown) if note.startswith("±")]


def test_a_rate_of_parts_that_were_measured_together_may_be_a_ninth_lower():
    """Nine in ten of a normal distribution lie within 1.645 deviations: exp(-0.115) is 0.89."""
    (note,) = said(replace(result(), compared=KNOWN))
    assert "a measured rate may be 0.89 to 1.12 times the simulated one" in note
    assert "--unknowns" in note


def test_a_drive_that_nobody_measured_is_named_and_may_be_half_as_fast():
    (note,) = said(replace(result(), compared=STRANGE))
    assert "may be 0.52 to 1.51 times" in note
    assert "(no measurement was compared with a-new-drive)" in note


def test_of_a_load_with_a_rate_of_its_own_the_latencies_may_be_off():
    """It gets its rate; a slower system answers later, so the ends change places."""
    open_load = result(point(None, rate=100.0), point(None, rate=200.0))
    (note,) = said(replace(open_load, compared=STRANGE))
    assert "a measured mean latency may be 0.66 to 1.93 times" in note


def test_a_load_that_is_not_carried_gets_the_rate_of_the_system():
    asked = result(point(None, rate=300_000.0, saturated=True))
    (note,) = said(replace(asked, compared=STRANGE))
    assert "a measured rate may be 0.52 to 1.51 times" in note


@pytest.mark.parametrize(
    ("replay", "what"),
    [("timed", "mean latency"), ("closed", "rate"), ("gaps", "rate")],
)
def test_a_replay_has_the_rate_of_its_trace_only_if_it_does_not_wait_for_its_ios(replay, what):
    trace = Replayed("a.csv", "msr", replay, 1.0, 100, 100, {}, {}, {}, None, [])
    (note,) = said(replace(result(point(None, trace=trace)), compared=KNOWN))
    assert f"a measured {what} may be" in note


def test_nothing_is_said_of_figures_that_do_not_exist():
    """Without a load, or if every I/O fails, there is neither a rate nor a latency."""
    none = point(iops=Interval(0.0, None, None), latency_ms={"read": None, "write": None})
    assert said(replace(result(none), compared=KNOWN)) == []


def test_a_result_of_an_older_file_that_does_not_tell_says_nothing():
    assert said(replace(result(), compared=None)) == []


def test_of_machines_that_boot_the_time_until_they_are_ready_may_be_off():
    booted = MachineUse(2, [70.0, 80.0], 75.0, 80.0, [(60.0, 0.0), (80.0, 1.0)])
    boot = result(point(None, machines=booted))
    (note,) = said(replace(boot, compared=KNOWN))
    assert "a measured time until a machine is ready may be 0.89 to 1.12 times" in note

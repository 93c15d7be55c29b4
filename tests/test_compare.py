"""Systems side by side: ratios that are known, intervals that hold, and what is said of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from events import scenario as array_scenario
from scipy.stats import ttest_rel
from watching import scenario as scenario_of

import raidsim
from raidsim import InputError, Scenario, cli
from raidsim.observe import inventory
from raidsim.planning.prices import prices_of
from raidsim.report import compare_page, compare_plot
from raidsim.report.compare_words import fact, ratio, sentences, span
from raidsim.risk import rebuild
from raidsim.scenario import VolumeSpec
from raidsim.studies.comparison import Comparison, Fact
from raidsim.studies.costs import costs_of, left_out, unpriced
from raidsim.studies.differences import card_values, settings
from raidsim.studies.facts import facts_of
from raidsim.studies.paired import independent, paired

QUICK = {"min_ios": 2_000, "max_ios": 20_000, "precision": "5 %"}
PLAIN = {"precision": "5 %", "seeds": 3, "risk": False, "states": False}
READS = {"read": "100 %", "size": "4 KiB", "area": {"size": "1 GiB"}, "name": "reads"}
FAST = {"front_end.command_time": "0.2 us", "data_path.read_time_per_byte": "0.01 us/KiB"}


def one_server(submission: str) -> Scenario:
    """A process that does nothing but submit, to a drive that is faster: one server."""
    others = ("submit.device_io_time", "submit.page_time", "complete.io_time",
              "complete.device_io_time", "complete.page_time")  # fmt: skip
    host = dict.fromkeys(others, "0 us") | {"submit.io_time": submission}
    return scenario_of(READS | {"outstanding": [64, 128]}, host=host, drive=FAST, measure=QUICK)


@pytest.fixture(scope="module")
def twice() -> Comparison:
    """A server against one that takes twice as long."""
    return raidsim.compare(one_server("10 us"), one_server("20 us"), within="1 ms", **PLAIN)


# ---- statistics


def test_the_interval_of_a_difference_is_that_of_a_paired_t_test() -> None:
    one, other = [4.1, 5.0, 4.4, 6.0, 5.2], [3.9, 4.1, 4.0, 5.1, 4.9]
    found = paired(one, other)
    known = ttest_rel(one, other).confidence_interval(0.95)
    assert found is not None
    assert (found.change_low, found.change_high) == pytest.approx((known.low, known.high))
    logs = ttest_rel(np.log(one), np.log(other)).confidence_interval(0.95)
    ends = (found.ratio_low, found.ratio_high)
    assert ends == pytest.approx((math.exp(logs.low), math.exp(logs.high)))


def test_95_of_100_intervals_hold_the_true_ratio() -> None:
    seed, trials = 5, 3000
    print(f"seed {seed}")
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(trials):
        common = random.normal(0, 0.3, 5)  # what the same requests do to both
        one = 2.0 * np.exp(common + random.normal(0, 0.05, 5))
        found = paired(list(one), list(np.exp(common + random.normal(0, 0.05, 5))))
        assert found is not None
        assert found.ratio_low is not None
        assert found.ratio_high is not None
        held += found.ratio_low <= 2.0 <= found.ratio_high
    assert held / trials == pytest.approx(0.95, abs=0.015)


def test_intervals_of_independent_runs_add_up_as_squares() -> None:
    found = independent((200.0, 194.0, 206.0), (100.0, 96.0, 104.0))  # 3 % and 4 %
    assert found is not None
    assert found.ratio_high == pytest.approx(2 * math.exp(0.05))
    assert found.change_high == pytest.approx(100 + math.hypot(6, 4))


def test_one_run_has_a_ratio_and_no_interval() -> None:
    found = paired([3.0], [2.0])
    assert found is not None
    assert (found.ratio, found.ratio_low, found.is_seen) == (1.5, None, False)
    assert paired([None, 1.0], [1.0, None]) is None


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(1.231, 1.262, "1.23 to 1.26"), (0.0031, 0.0048, "0.00310 to 0.00480"),
     (1.0001, 1.0004, "1.0001 to 1.0004"), (2.0, 2.0, "2.00")],
)  # fmt: skip
def test_both_ends_of_an_interval_can_be_told_apart(low: float, high: float, text: str) -> None:
    assert span(low, high) == text


# ---- what differs in writing


def test_keys_and_values_of_cards_that_differ_are_listed() -> None:
    one = Scenario.read("raid5-disks")
    other = one.with_({"volume.level": "raid6", "volume.set.spindle.speed": "10000 rpm"})
    keys = {each.key: each.values for each in settings([one.resolved(), other.resolved()])}
    assert keys["volume.level"] == ("raid5", "raid6")
    assert keys.keys() == {"volume.level", "volume.set.spindle.speed"}
    (value,) = card_values([one, other])
    assert (value.where, value.key) == ("drives of data", "spindle.speed")
    assert value.values[1] == "10000 rpm"


def test_drives_that_have_failed_are_listed_and_no_longer_counted_as_spare_redundancy() -> None:
    mirror = {"level": "raid1", "drives": 2}
    whole, one = (array_scenario(failed=failed, **mirror) for failed in ([], [0]))
    (setting,) = settings([whole.resolved(), one.resolved()])
    assert (setting.key, setting.values) == ("volume.failed", ("none", "[0]"))
    found = facts_of([whole, one], [None, None])
    assert [fact.values for fact in found if fact.name == "drives that may fail"] == [(1.0, 0.0)]


def test_a_system_costs_what_it_is_bought_for_what_it_draws_and_what_fails() -> None:
    """Eight disks at 100, 120 W for five years at 0.25 a kWh, and 0.62 % of the disks a year."""
    scenario = Scenario.read("raid5-disks")
    disk, controller = scenario.volumes[0].card, scenario.controllers[0].card
    prices = SimpleNamespace(
        currency="EUR", drive={disk.name: 100.0}, controller={controller.name: 300.0},
        server={scenario.host.card.name: 2000.0}, kwh=0.25,
    )  # fmt: skip
    facts = {one.name: one.values[0] for one in costs_of([scenario], prices, [0.5])}
    assert facts["purchase"] == 8 * 100 + 300 + 2000
    energy = inventory.system_power(scenario).active / 1000 * 5 * 8760 * 0.25
    assert facts["energy, 5 years"] == pytest.approx(energy)
    replaced = 8 * disk.number("reliability.afr") * 5 * 100
    assert facts["drives replaced, 5 years"] == pytest.approx(replaced)
    whole = 3100 + energy + replaced
    assert facts["cost, 5 years"] == pytest.approx(whole)
    assert facts["cost, 5 years, per TB usable"] == pytest.approx(2 * whole)
    other = scenario.with_("volume.drive", "nl-sas-2tb")
    assert costs_of([other], prices, [0.5])[0].values == (None,)
    assert unpriced([scenario, other], prices) == ["nl-sas-2tb"]


def test_energy_that_prices_do_not_name_is_said_to_be_left_out() -> None:
    head = 'currency = "EUR"\ndate = 2026-01-31\nsource = "a test"\n'
    assert left_out(prices_of(head)) == ["costs leave out energy: the prices give no kwh"]
    assert left_out(prices_of(f"{head}kwh = 0\n")) == []


# ---- runs


@compiled_only
def test_a_server_that_takes_twice_as_long_carries_half(twice: Comparison) -> None:
    for outstanding in (64, 128):
        found = twice.line("iops", f"{outstanding} outstanding").against[1]
        assert found is not None
        assert found.ratio == pytest.approx(0.5, rel=0.005)
        assert found.pairs == 3
        assert found.is_seen
    (latency,) = (line for line in twice.lines
                  if (line.name, line.x) == ("read latency", 128.0))  # fmt: skip
    assert latency.against[1] is not None
    assert latency.against[1].ratio == pytest.approx(2.0, rel=0.01)


@compiled_only
def test_within_a_latency_a_search_goes_beyond_the_sweep(twice: Comparison) -> None:
    """100 I/Os wait 1 ms for a server that takes 10 us each, and 50 for one that takes 20 us."""
    line = twice.line("iops", "within")
    assert line.values[0] == pytest.approx(100_000, rel=0.02)
    assert line.values[1] == pytest.approx(50_000, rel=0.02)
    (sentence,) = sentences(twice)
    assert sentence.startswith("B carries 0.")
    assert sentence.endswith("as A within 1 ms (mean)")


@compiled_only
def test_a_system_is_as_good_as_itself() -> None:
    one = Scenario.read("p3700-database").with_("load.outstanding", [1, 8])
    found = raidsim.compare(one, one, **PLAIN)
    for line in found.lines:
        assert line.against[1] is None or line.against[1].ratio == 1.0
    assert found.keys == found.cards == ()
    assert ratio(found.lines[0].against[1]).endswith("(no difference seen)")
    said = "B carries as much as A at 8 outstanding: no difference is seen"
    assert next(sentences(found)) == said


@compiled_only
def test_the_same_requests_tell_small_differences_apart() -> None:
    """Slower flash under the same requests: pairs are less apart than independent runs.

    All runs are long enough for the precision at once, so that both of a pair are as long.
    """
    changes = {"load.outstanding": 16, "measure.min_ios": 10_000}
    one = Scenario.read("p3700-database").with_(changes)
    slower = one.with_("volume.set.flash.read_time", "70 us")
    found = raidsim.compare(one, slower, **PLAIN | {"seeds": 8})
    pairs = found.line("read latency", "16 outstanding")
    low, high = pairs.lows[0], pairs.highs[0]
    alone = independent(
        (pairs.values[1] or 0, pairs.lows[1], pairs.highs[1]), (pairs.values[0] or 0, low, high)
    )
    assert pairs.against[1] is not None
    assert alone is not None
    together = math.log((pairs.against[1].ratio_high or 0) / (pairs.against[1].ratio_low or 1))
    apart = math.log((alone.ratio_high or 0) / (alone.ratio_low or 1))
    assert together < 0.5 * apart


@compiled_only
def test_arrays_are_slower_degraded_and_less_so_once_what_loads_use_is_rebuilt() -> None:
    """Reads of RAID 5 lose a drive, and reconstruct; of RAID 10 they lose half of a pair.

    They go to the first 1.6 % of the drives, which a rebuild soon has behind it.
    """
    reads = {"load.read": "100 %", "load.outstanding": 16}
    one = Scenario.read("raid5-disks").with_(reads)
    asked = PLAIN | {"states": True, "seeds": 2}
    found = raidsim.compare(one, one.with_("volume.level", "raid10"), **asked)
    by_state = {line.at: line.values for line in found.states if line.name == "iops"}
    for system in (0, 1):
        rates = [by_state[state][system] or 0 for state in ("healthy", "degraded", "rebuilding")]
        assert rates[0] > rates[2] > 1.05 * rates[1]
    names = {line.name for line in found.states}
    assert not [name for name in names if "rebuild" in name]  # a fact has the time of a whole one
    none = raidsim.compare(one, one.with_("volume.level", "raid0"), **asked | {"seeds": 1})
    assert none.states == ()
    assert any("no drive may fail" in remark for remark in none.remarks)


@compiled_only
def test_the_rebuild_that_risk_and_state_are_about_is_simulated_once(monkeypatch) -> None:
    simulated = rebuild.simulated
    under_load = []

    def counted(scenario: Scenario, volume: VolumeSpec, **asked: Any) -> float:
        if asked.get("intensity") is not None:
            under_load.append(volume.level)
        return simulated(scenario, volume, **asked)

    monkeypatch.setattr(rebuild, "simulated", counted)
    one = Scenario.read("raid5-disks").with_("load.outstanding", [1, 8])
    asked = PLAIN | {"states": True, "risk": True, "seeds": 1}
    found = raidsim.compare(one, one.with_("volume.level", "raid10"), **asked)
    assert sorted(under_load) == ["raid10", "raid5"]
    assert {line.at for line in found.states} == {"healthy", "degraded", "rebuilding"}
    assert "rebuild, under load" in {fact.name for fact in found.facts}


@compiled_only
def test_an_order_may_be_certain_although_the_figures_are_not() -> None:
    one = Scenario.read("p3700-database").with_("load.outstanding", 4)
    found = raidsim.compare(
        one, one.with_("load.size", "64 KiB"), unknowns=10, **PLAIN | {"seeds": 1}
    )
    order = found.line("iops", "4 outstanding").orders[1]
    assert order is not None
    assert order.survives
    assert order.ahead == 0
    assert "survives what cards do not know" in next(sentences(found))


# ---- results, files, messages


@pytest.mark.parametrize(
    ("price", "words"), [(950.5, "950.5"), (10_600, "10,600"), (2e6, "2,000,000")]
)
def test_money_is_written_as_people_do(price: float, words: str) -> None:
    assert fact(Fact("price", "EUR", (price,)), 0) == words


@compiled_only
def test_results_that_were_read_are_compared_without_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for number, submission in enumerate(("10 us", "20 us")):
        files.append(str(tmp_path / f"{number}.json"))
        raidsim.run(one_server(submission)).to_json(files[-1])
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", *files, "--json", "-"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)
    (line,) = (one for one in found["lines"] if (one["name"], one["x"]) == ("iops", 128))
    assert line["against"][1]["ratio"] == pytest.approx(0.5, rel=0.01)
    assert line["against"][1]["pairs"] == 0
    assert line["against"][1]["ratio_low"] is not None


@compiled_only
def test_a_comparison_is_drawn_and_written_the_same_each_time(twice: Comparison) -> None:
    assert compare_plot.render(twice, ".svg") == compare_plot.render(twice, ".svg")
    page = compare_page.render(twice).decode()
    assert page == compare_page.render(twice).decode()
    assert "B carries" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert str(twice).startswith("A  ")
    for text in (page, str(twice)):  # the highest load within a latency has MB/s
        assert "MB/s of 2^20 bytes" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["p3700-database"], "fewer than two"),
        (["p3700-database", "none.toml", "--with", "volume.colour=red"], "no such file"),
        (["p3700-database", "none.toml", "--with", "volume.colour=red"], "volume.colour"),
        (["p3700-database", "p3700-database", "--percentile", "99 %"], "--percentile"),
        (["p3700-database", "p3700-database", "--within", "2"], '--within: "2" has no unit'),
        (["p3700-database", "p3700-database", "--precision", "5"], '--precision: "5" has no unit'),
        (["p3700-database", "p3700-database", "--unknowns", "3"], "--unknowns: 3 is too few"),
        (["p3700-database", "--with", ""], '--with "": changes nothing'),
        (
            ["p3700-database", "--with", "load.size=8 KiB", "--with", "load.read"],
            '--with "load.read": load.read: "load.read" has no value; write --with KEY=VALUE',
        ),
        (
            ["p3700-database", "--with", "load.size=8 KiB", "--set", "load.read"],
            '--set: load.read: "load.read" has no value; write --set KEY=VALUE',
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_everything_that_is_wrong(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", *arguments])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_scenarios_and_results_are_not_mixed() -> None:
    from synthetic import result

    with pytest.raises(InputError, match="some are scenarios and some are results"):
        raidsim.compare(Scenario.read("p3700-database"), result())

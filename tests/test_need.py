"""Needs and prices: what is read, and what is wrong with a file."""

from __future__ import annotations

import numpy as np
import pytest
from small_need import NEED, PRICES, changed, of, refusal

import raidsim
from raidsim.planning.choice import space_of
from raidsim.planning.need import find, names, need_of, read_need
from raidsim.planning.planner import plan
from raidsim.planning.prices import prices_of, read_prices
from raidsim.planning.words import left_out_of_costs


def test_every_problem_of_a_need_is_told_at_once_with_its_line():
    text = NEED.replace("10 TB", "10 T").replace("[[load]]", "[[load]]\nwithin = '1 ms'")
    text = text.replace("[[latency]]", "[[latency]]\npercentile = '98 %'").replace("years", "yeers")
    told = refusal(need_of, text)
    assert [one.split(": ")[0] for one in told] == ["need:4", "need:6", "need:9", "need:15"]
    assert 'did you mean "years"?' in told[1]
    assert "[[latency]] says that" in told[2]
    assert 'one of "50 %", "95 %", "99 %", "99.9 %"' in told[3]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("8", (8,)),
        ('"4..8:2"', (4, 6, 8)),
        ('[4, "8..10"]', (4, 8, 9, 10)),
        ('"8..4"', "is an empty range"),
        ('"4..8:0"', "does not end; write a step of 1 or more"),
        ("[]", "is an empty list"),
        ('"many"', 'is not a range; write a number, or "4..24"'),
        ("4.5", "is not a whole number"),
    ],
)
def test_numbers_of_drives_are_numbers_ranges_or_both(written, meant):
    text = changed(counts=written)
    if isinstance(meant, tuple):
        assert need_of(text).choice.counts == meant
    else:
        assert meant in refusal(need_of, text)[0]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[[load]]", "[[lode]]", 'did you mean "load"?'),
        ('rate = "15000 IO/s"', 'rate = ["1 IO/s", "2 IO/s"]', "a need is about one load"),
        ('drives = ["samsung-pm9a3-7680gb"', 'drives = ["dell-perc-h730"', "is a card of a contr"),
        ('drives = ["samsung-pm9a3-7680gb"', 'drives = ["samsung-pm9a3"', "did you mean"),
    ],
)
def test_a_mistake_in_a_need_is_told_with_what_would_be_right(old, new, told):
    assert any(told in one for one in refusal(lambda: space_of(need_of(NEED.replace(old, new)))))


def test_a_need_may_take_its_load_from_a_job_file_of_fio(tmp_path):
    job = "[db]\nioengine=libaio\ndirect=1\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=8\nsize=1g\n"
    (tmp_path / "job.fio").write_text(job)
    text = NEED[: NEED.index("[[load]]")] + NEED[NEED.index("[[latency]]") :]
    (load,) = need_of(f'fio = "job.fio"\n{text}', folder=tmp_path).specs
    assert (load.read_share, load.sizes[0].size, load.outstanding) == (0.7, 8192, (8,))


def test_a_need_may_take_its_load_from_a_trace(tmp_path):
    """Designs are run under it, and the scenario of each replays it as it was recorded."""
    chance = np.random.default_rng(1)
    times = np.cumsum(chance.exponential(0.2, 2500))  # ms between requests: 5,000 a second
    lines = [
        f"{time:.6f} 0 {16 * chance.integers(10**8)} 16 {int(chance.random() < 0.7)}"
        for time in times
    ]
    (tmp_path / "day.ascii").write_text("\n".join(lines) + "\n")
    text = changed(drives='"samsung-pm9a3-7680gb"', counts="6", levels='"raid6"')
    text = text[: text.index("[[load]]")] + text[text.index("[[latency]]") :]
    load = '[[load]]\ntrace = { file = "day.ascii", format = "disksim", speed = 2.0 }\n'
    need = tmp_path / "need.toml"
    need.write_text(text.replace("[[latency]]", f"{load}[[latency]]"))
    found = plan(need, unknowns=0, workers=1)
    assert len(found.front) == 1
    (best,) = found.front
    assert best.scenario.loads[0].trace.speed == 2
    (point,) = raidsim.run(best.scenario).points
    assert point.counts.completed == 2500
    assert best.healthy.latency["read"]["mean"] == point.latency_ms["read"].mean / 1000
    assert best.headroom > 1


def test_prices_in_another_currency_need_its_worth():
    text = PRICES.replace("= 900\n", '= "1000 USD"\n')
    (told,) = refusal(prices_of, text)
    assert "is in USD, and the other prices are in EUR; write how many EUR one is" in told
    assert prices_of(f"{text}[exchange]\nUSD = 0.8\n").drive["samsung-pm9a3-7680gb"] == 800


def test_prices_say_their_currency_date_and_source():
    told = refusal(prices_of, "[drive]\nx = -1\n")
    assert [one.split(": ")[1] for one in told if "is missing" in one] == [
        "currency", "date", "source",
    ]  # fmt: skip
    assert any("-1 is not a price" in one for one in told)


def test_a_card_without_a_price_is_in_no_design_and_one_for_nothing_is():
    prices = PRICES.replace("micron-5100-eco-1920gb = 300", "").replace("= 900\n", "= 0\n")
    arithmetic = of(prices=prices)
    kept = [arithmetic.space.design(int(n)) for n in np.flatnonzero(arithmetic.kept())]
    assert {one.drive.name for one in kept} == {"samsung-pm9a3-7680gb"}
    assert arithmetic.costs.unpriced == ["micron-5100-eco-1920gb"]


def test_the_needs_that_come_with_raidsim_can_be_read_and_their_prices_are_examples():
    for name in names():
        need = read_need(name)
        assert space_of(need).size > 0
        assert need.prices is not None
        assert "made up" in read_prices(need.prices).title
        assert "EXAMPLES" in find(name).read_text("utf-8")


def budgeted(budget: str) -> str:
    return NEED.replace("[need]\n", f"[need]\nbudget = {budget}\n")


@pytest.mark.parametrize("budget", ["17000", '"17000 EUR"', '"21_250 USD"', '"21250.0USD"'])
def test_a_budget_is_a_number_or_an_amount_with_its_currency(budget):
    priced = f"{PRICES}[exchange]\nUSD = 0.8\n"
    plain, limited = of(prices=priced), of(budgeted(budget), priced)
    dear = np.broadcast_to(plain.cost > 17_000, plain.space.grid) & plain.kept()
    assert limited.budget == 17_000
    assert dear.any()
    assert (limited.kept() == plain.kept() & ~dear).all()


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ('"9000 euros"', 'is not an amount of money; write a number without quotes, or'),
        ('"9,000 EUR"', "is not an amount of money"),
        ('"-9000 EUR"', "is not an amount of money"),
        ("0", "is not above 0"),
        ("nan", "is not a number to compute with"),
        ("true", "True is not a valid number"),
    ],
)  # fmt: skip
def test_a_budget_that_is_no_amount_is_refused(budget, told):
    (found,) = refusal(need_of, budgeted(budget))
    assert "need.budget: " in found
    assert told in found


def test_a_budget_in_a_currency_without_a_rate_is_refused(tmp_path):
    need, prices = need_of(budgeted('"9000 CHF"')), prices_of(PRICES)
    (told,) = refusal(plan, need, prices=prices)
    assert "need.budget: is in CHF, and the prices are in EUR" in told
    assert "CHF = ... under [exchange] of prices" in told


@pytest.mark.parametrize(
    ("rate", "told"),
    [("EUR = 2", "one of it is worth 1"), ("usd = 0.8", '"usd" is not a currency')],
)
def test_a_rate_that_no_price_could_mean_is_refused(rate, told):
    (found,) = refusal(prices_of, f"{PRICES}[exchange]\n{rate}\n")
    assert told in found


def test_a_plan_says_what_counts_as_free_because_the_prices_do_not_name_it():
    def told(*dropped: str) -> list[str]:
        kept = [one for one in PRICES.splitlines() if one.split(" ")[0] not in dropped]
        return left_out_of_costs(prices_of("\n".join(kept)))

    assert told() == []
    assert told("kwh") == ["costs leave out energy: prices gives no kwh"]
    (both,) = told("chassis", "kwh")
    assert both == "costs leave out chassis and energy: prices gives no chassis and no kwh"
    given = prices_of(PRICES.replace("kwh = 0.25", "kwh = 0"))
    assert left_out_of_costs(given) == []  # somebody has said so

"""What cards do not know: draws, intervals, shares of the variance, and what would tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from watching import scenario as scenario_of

import raidsim
from raidsim import InputError, Scenario, cards, cli, units
from raidsim.cards.plausible import plausible, whole
from raidsim.report import json_file
from raidsim.report import unknowns as words
from raidsim.report.curves import curves
from raidsim.resources import data_folder
from raidsim.result.draws import PointUnknowns
from raidsim.risk.assess import assess
from raidsim.studies import unknown
from raidsim.studies.orders import orders_of
from raidsim.studies.risks import risks_drawn
from raidsim.unknowns import compared, spread
from raidsim.unknowns import draws as drawing
from raidsim.unknowns.draws import Draws, cards_of
from raidsim.unknowns.links import most_carried
from raidsim.unknowns.shares import shares
from raidsim.unknowns.values import unknown_values

QUICK = {"min_ios": 2_000, "max_ios": 20_000, "precision": "5 %"}
READS = {"read": "100 %", "size": "4 KiB", "area": {"size": "1 GiB"}, "outstanding": 32}
DISK = "nl-sas-2tb"
SUBMISSION = "submit.io_time"


def known_but(scenario: Scenario, *unknown: str) -> Scenario:
    """The scenario with all values of its cards set but some: what a scenario says is known."""
    changes = {}
    for card in cards_of(scenario):
        place = "host" if card.kind == "host" else "volume"
        for one in unknown_values(card).values:
            dimension = card.about.by_name[one.name].dimension
            if one.name not in unknown:
                bare = units.DIMENSIONS[dimension].bare
                written = one.value if bare else units.text(one.value, dimension)
                changes[f"{place}.set.{one.name}"] = written
    return scenario.with_(changes)


CLAIMED = sorted((data_folder("validation") / "cards").glob("*.toml"))


@pytest.mark.parametrize(
    "card",
    [*cards.catalogue(), *map(cards.load, CLAIMED)],
    ids=lambda card: card.name,
)
def test_every_value_of_every_card_is_drawn_within_its_range(card: cards.Card) -> None:
    """Also one to which its sheet leaves no room: its range has no width, and it stays as it is."""
    found = Draws(seed=1, count=50)
    ranges = plausible(card)
    for number in range(1, 51):
        for name, value in found.values(card, number).items():
            least, most = min(ranges[name].low, card.number(name)), ranges[name].high
            assert least * (1 - 1e-9) <= value <= most * (1 + 1e-9), name


@pytest.mark.parametrize(
    "name", ["intel-p3700-800gb", "fujitsu-hdd-sas12-15k-450gb", "nl-sas-2tb", "dell-perc-h730"]
)
def test_95_of_100_draws_lie_where_an_answer_says_that_a_value_is_drawn(name: str) -> None:
    """Also of a value that a fit has told: what was drawn of it, not where the fit looked."""
    draws = Draws(seed=1, count=400)
    card = cards.load(name)
    rows = [draws.values(card, number) for number in range(1, 401)]
    narrowed = 0
    for one in draws.unknown_values(card).values:
        found = np.array([row[one.name] for row in rows])
        least, most = one.drawn
        inside = np.mean((found >= least * (1 - 1e-9)) & (found <= most * (1 + 1e-9)))
        assert inside >= 0.9, one.name
        assert one.low <= least <= most <= one.high, one.name
        narrowed += one.low > 0 and most / least < 0.5 * one.high / one.low
    if name == "intel-p3700-800gb":
        assert narrowed >= 3


@pytest.fixture(scope="module")
def one_server() -> Scenario:
    """A process that does nothing but submit, to a drive that is faster: one server.

    Of all values of all cards only the time that it needs for an I/O is not known.
    """
    fast = {"complete.io_time": "0.3 us", "complete.page_time": "0 us"}
    drive = {"front_end.command_time": "0.2 us", "data_path.read_time_per_byte": "0.01 us/KiB"}
    load = READS | {"outstanding": 128}  # so that it always has something to submit
    return known_but(scenario_of(load, host=fast, drive=drive, measure=QUICK), SUBMISSION)


@pytest.fixture(scope="module")
def drawn_of_one(one_server: Scenario):
    return unknown.with_unknowns(raidsim.run(one_server), one_server, 64, workers=2)


def middle_of_submission(scenario: Scenario) -> tuple[float, float]:
    """The middle nine tenths of the one value, as shares of what the card says."""
    found = unknown_values(scenario.host.card)
    (one,) = found.values
    low, high = found.joint.values(np.array([[-1.645], [1.645]]))[:, 0] / one.value
    return float(low), float(high)


# ---- draws


def test_each_stratum_of_each_value_has_one_draw() -> None:
    draws = Draws(64, seed=3)
    for key in ("one value", "another"):
        strata = np.floor(64 * norm.cdf(draws.column(key))).astype(int)
        assert sorted(strata) == list(range(64))
    apart = np.corrcoef(draws.column("one value"), draws.column("another"))[0, 1]
    assert abs(apart) < 0.4  # four standard deviations of chance


def test_draw_0_is_the_card_as_it_is_and_a_seed_gives_the_same_draws() -> None:
    card = cards.load(DISK)
    assert Draws(16, 1).card(card, 0) is card
    assert Draws(16, 1).values(card, 5) == Draws(16, 1).values(card, 5)
    assert Draws(16, 1).values(card, 5) != Draws(16, 2).values(card, 5)


def test_a_card_is_drawn_alike_whatever_stands_beside_it() -> None:
    alone = scenario_of(READS)
    with_disk = alone.with_("volume.drive", DISK)
    draws = Draws(16, 1)
    hosts = [draws.scenario(one, 7).host.card.values for one in (alone, with_disk)]
    assert hosts[0] == hosts[1] == Draws(16, 1).card(alone.host.card, 7).values


def test_cards_that_inherit_a_value_have_the_same_draw_of_it() -> None:
    base = cards.load("intel-p3700-800gb")
    heirs = [card for card in cards.catalogue() if card.base == base.name]
    heir = next(card for card in heirs if not card.residuals)  # of which no figure tells more
    draws = Draws(32, 1)
    both = {one.name for one in unknown_values(heir).values if one.card == base.name}
    assert "flash.program_time" in both
    for number in (1, 17, 32):
        one, other = draws.values(base, number), draws.values(heir, number)
        assert one["flash.program_time"] == pytest.approx(other["flash.program_time"], rel=0.02)


@pytest.mark.parametrize("name", [DISK, "iodrive2-1200gb", "lsi-megaraid-1078-512"])
def test_what_is_drawn_lies_in_its_range_and_counts_are_whole(name: str) -> None:
    card = cards.load(name)
    draws = Draws(64, 1)
    found = {one.name: one for one in unknown_values(card).values}
    assert found
    for number in range(1, 65):
        drawn = draws.card(card, number)
        for value in found.values():
            assert value.low * (1 - 1e-9) <= drawn.number(value.name) <= value.high * (1 + 1e-9)
            if value.step:
                assert drawn.number(value.name) == int(drawn.number(value.name))


def test_ranges_of_counts_are_whole() -> None:
    """Of 14 heads, 25 % less to 34 % more are 10.5 to 18.76: a disk has 11 to 18."""
    card = cards.load("cisco-hdd-10tb")
    (heads,) = (one for one in unknown_values(card).values if one.name == "geometry.heads")
    assert (heads.low, heads.high) == (11, 18)
    assert whole("time", 10.5, 18.76) == (10.5, 18.76)
    assert whole("count", 10.2, 10.8) == (10.2, 10.8)  # there is none between


def test_values_that_do_not_fit_together_are_taken_back_until_they_do() -> None:
    """Its inner track may be drawn longer than its outer one, which no disk has."""
    card = cards.load("wd-wd1600aajs")
    track = card.number("geometry.track_outer")
    near = card.changed({"geometry.track_inner": round(track * 0.97) // 512 * 512})
    draws = Draws(64, 1)
    for number in range(1, 65):
        drawn = draws.card(near, number)
        inner, outer = (drawn.number(f"geometry.track_{side}") for side in ("inner", "outer"))
        assert inner <= outer
    told = {number for _, number in draws.drawn_in}
    assert told == {number for number in range(1, 65) if (near.name, number) in draws.drawn_in}


def test_a_draw_that_no_card_can_have_leaves_the_card_as_it_is(monkeypatch) -> None:
    card = cards.load(DISK)
    tried = []
    monkeypatch.setattr(drawing, "_fits", tried.append)
    draws = Draws(16, 1)
    assert draws.card(card, 3).values == card.values
    assert len(tried) == 1 + drawing.HALVINGS  # as it was drawn, and halved so often
    assert draws.drawn_in[card.name, 3] == 0


def test_the_spread_of_the_draws_is_that_of_what_is_known() -> None:
    card = cards.load("intel-p3700-800gb")
    found = unknown_values(card)
    place = found.joint.names.index("flash.program_time")
    draws = Draws(400, 1)
    logs = np.log([draws.values(card, n)["flash.program_time"] for n in range(1, 401)])
    assert logs.std() == pytest.approx(found.joint.deviations()[place], rel=0.15)
    assert logs.mean() == pytest.approx(math.log(card.number("flash.program_time")), abs=0.02)


# ---- intervals


def test_the_rate_of_one_server_is_as_unknown_as_its_time(one_server, drawn_of_one) -> None:
    """An I/O takes the process t + r, and nine tenths of t are known; the rate is 1/(t + r).

    r is what else it does for one, and follows from the rate of the full run.
    """
    (point,) = drawn_of_one.unknowns.points
    rate = words.named(point, "iops")
    assert drawn_of_one.unknowns.values == 1
    time = one_server.host.card.number(SUBMISSION) * one_server.host.card.number("cpu.clock")
    clocks = 1e9 * float(one_server.resolved()["host"].get("clock", "0 GHz").split()[0])
    own = time / (clocks or one_server.host.card.number("cpu.clock"))
    rest = 1 / rate.value - own
    least, most = middle_of_submission(one_server)
    assert rest >= 0
    ends = 1 / (own * most + rest), 1 / (own * least + rest)
    low, high = spread.widened(rate.value, ends, *compared.left_out(one_server))
    assert rate.low == pytest.approx(low, rel=0.02)
    assert rate.high == pytest.approx(high, rel=0.02)


def drawn_of_disk(load: dict[str, object]) -> PointUnknowns:
    """What ten draws say of one disk at random reads of 4 KiB."""
    scenario = Scenario.from_text(
        '[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "nl-sas-2tb"\n'
        '[[load]]\nread = "100 %"\nsize = "4 KiB"\noutstanding = 1\n'
    ).with_({"load.outstanding": None, "measure.precision": "5 %", "measure.min_ios": 2000} | load)
    found = unknown.with_unknowns(raidsim.run(scenario), scenario, 10, workers=1).unknowns
    assert found is not None
    return found.points[0]


def test_no_phase_of_a_load_brings_more_than_the_rate_that_it_asks_for() -> None:
    slow = {"kind": "slow-drive", "at": "20 s", "drive": 0, "delay": "2 ms"}
    point = drawn_of_disk({"load.rate": "20 IO/s", "event": [slow], "measure.duration": "40 s"})
    phases = [one for one in point.figures if one.name.startswith("iops from ")]
    assert len(phases) == 2
    for phase in phases:  # arrivals are the same in all draws
        assert phase.low == pytest.approx(phase.value, rel=0.02)
        assert phase.high == pytest.approx(phase.value, rel=0.02)


def test_the_interval_of_a_rate_that_is_carried_holds_the_rate_that_is_asked_for() -> None:
    """By chance 2 % fewer I/Os arrive in a run: a system that keeps up gets all in the long run."""
    burst = {"on": "1 s", "off": "1 s"}
    for changes, asked in (({}, 20.0), ({"load.burst": burst}, 10.0), ({"load.workers": 2}, 40.0)):
        point = drawn_of_disk({"load.rate": "20 IO/s"} | changes)
        rate, speed = (words.named(point, name) for name in ("iops", "mbps"))
        assert rate.low <= asked * 1.001
        assert rate.high >= asked * 0.999
        assert rate.high < asked * 1.1
        assert speed.high / speed.value == pytest.approx(rate.high / rate.value, rel=0.01)


def test_what_a_system_carries_of_a_rate_that_is_too_high_is_as_unknown_as_its_limit() -> None:
    """A disk asked for 5,000 I/Os a second came to 5 % more than it carries at most."""
    point = drawn_of_disk({"load.rate": "5000 IO/s"})
    for name in ("iops", "mbps"):
        carried = words.named(point, name)
        assert carried.high > (1 + 1.5 * spread.MODEL) * carried.value


def test_the_highest_rate_within_a_latency_is_as_unknown_in_ios_as_in_what_is_offered() -> None:
    point = drawn_of_disk({"load.rate": ["20 IO/s", "160 IO/s"], "load.within": "20 ms"})
    offered, carried = (words.named(point, name) for name in ("rate", "iops"))
    assert carried.low / carried.value == pytest.approx(offered.low / offered.value, rel=0.02)
    assert carried.high / carried.value == pytest.approx(offered.high / offered.value, rel=0.02)


SEQUENTIAL = (
    '[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "{drive}"\n{array}'
    '[[load]]\nread = "{read}"\nrandom = "0 %"\nsize = "128 KiB"\noutstanding = 32\n'
    '[measure]\nmin_ios = 1000\nprecision = "5 %"\n'
)


@pytest.mark.parametrize(
    ("drive", "read", "array", "carried"),
    [
        # SATA of 6 Gbit/s: 8 bits of 10 are 600 MB/s, less frames. No drive of it reads 800.
        ("crucial-mx500-1tb", "100 %", "", 600),
        # PCIe 3.0 with four lanes, in the slot of this server, whatever the drive has.
        ("samsung-990-pro-2tb", "100 %", "", 3940),
        # Each byte goes to both.
        ("crucial-mx500-1tb", "0 %", 'level = "raid1"\ndrives = 2\n', 600),
        ("crucial-mx500-1tb", "100 %", 'level = "raid0"\ndrives = 2\n', 1200),
    ],
)
def test_no_interval_reaches_beyond_what_the_links_of_the_drives_carry(
    drive, read, array, carried
) -> None:
    scenario = Scenario.from_text(SEQUENTIAL.format(drive=drive, read=read, array=array))
    found = unknown.with_unknowns(raidsim.run(scenario), scenario, 10, workers=1).unknowns
    assert found is not None
    rate, speed = (words.named(found.points[0], name) for name in ("iops", "mbps"))
    assert speed.value < speed.high < carried * 1e6 / 2**20
    assert rate.high / rate.value == pytest.approx(speed.high / speed.value, rel=1e-6)
    # It was compared with no measurement: below, models may leave out as much as ever.
    assert rate.low < rate.value / (1 + spread.UNCOMPARED)
    kind = "read" if read == "100 %" else "write"
    mean = words.named(found.points[0], f"{kind} latency")
    assert mean.low * rate.high == pytest.approx(32 * 1e3, rel=0.03)  # Little's law


def test_percentiles_of_a_load_have_intervals_in_their_order_that_contain_them() -> None:
    """Of one write at a time that a cache takes, about 1 % wait for a disk: p99 is a short time in
    one run, and a long one in the next.
    """
    result = raidsim.run(
        Scenario.read("scenarios/raid5-disks.toml").with_({"load.outstanding": 1}), unknowns=16
    )
    (point,) = result.unknowns.points
    found = {one.name: one for one in point.figures}
    for kind in ("read", "write"):
        ordered = [found[f"{kind} latency {one}"] for one in ("p50", "p95", "p99")]
        assert all(one.low <= one.value <= one.high for one in ordered)
        assert [one.low for one in ordered] == sorted(one.low for one in ordered)
        assert [one.high for one in ordered] == sorted(one.high for one in ordered)


def test_a_load_has_no_share_in_the_links_of_other_volumes() -> None:
    """A stream over PCIe 4.0 had the 600 MB/s of each SATA drive beside it on top."""
    one = SEQUENTIAL.format(drive="samsung-990-pro-2tb", read="100 %", array='name = "b"\n')
    alone = Scenario.from_text(one)
    beside = Scenario.from_text(
        one.replace("[[load]]", '[[load]]\nname = "stream"\nvolume = "b"')
        + '[[volume]]\nname = "a"\nlevel = "raid5"\ndrives = 3\ndrive = "crucial-mx500-1tb"\n'
        '[[load]]\nname = "other"\nvolume = "a"\nread = "0 %"\nsize = "16 KiB"\noutstanding = 1\n'
    )
    assert most_carried(beside, "stream") == most_carried(alone)
    sata = most_carried(beside, "other")
    assert sata is not None
    assert sata < 2 * 600e6  # three drives, of which one holds parity


def test_latencies_of_each_closed_load_of_one_kind_keep_to_the_limit_of_its_links() -> None:
    """Little's law holds for each load on its own: 4 reads of 128 KiB outstanding over PCIe 3.0
    take 0.146 ms at least. Beside another load 0.097 ms were possible, or 5.4 GB/s.
    """
    scenario = Scenario.from_text(
        SEQUENTIAL.format(drive="samsung-990-pro-2tb", read="100 %", array='name = "b"\n')
        .replace("[[load]]", '[[load]]\nname = "stream"\nvolume = "b"')
        .replace("outstanding = 32", "outstanding = 4")
        + '[[volume]]\nname = "a"\ndrive = "crucial-mx500-1tb"\n'
        '[[load]]\nname = "log"\nvolume = "a"\nread = "0 %"\nsize = "16 KiB"\noutstanding = 1\n'
        "flush_every = 1\n"
    )
    found = unknown.with_unknowns(raidsim.run(scenario), scenario, 10, workers=1).unknowns
    assert found is not None
    (stream,) = (one for one in found.points if one.load == "stream")
    rate, mean = (words.named(stream, name) for name in ("iops", "read latency"))
    most = most_carried(scenario, "stream")
    assert rate.high <= most / 2**17 * 1.001
    assert mean.low >= 4 * 2**17 / most * 1e3 * 0.97


def test_a_load_whose_outstanding_ios_are_of_several_kinds_is_limited_by_no_kind_alone() -> None:
    """A flush takes its turn among them: the mean of the others may be any."""
    reads = scenario_of(READS).loads[0]
    assert unknown.only_kind(reads) == "read"
    for other in ({"read": "70 %"}, {"think": "1 ms"}, {"read": "0 %", "flush_every": 1}):
        assert unknown.only_kind(scenario_of(READS | other).loads[0]) is None


def test_a_cache_in_front_of_drives_may_carry_more_than_their_links() -> None:
    text = SEQUENTIAL.format(drive="crucial-mx500-1tb", read="100 %", array="")
    cached = '[[controller]]\nmodel = "dell-perc-h730"\n'
    assert most_carried(Scenario.from_text(text)) is not None
    assert most_carried(Scenario.from_text(text + cached)) is None


def test_links_that_carry_both_ways_at_a_time_carry_as_much_each_way() -> None:
    def of(drive: str, read: str) -> float:
        text = SEQUENTIAL.format(drive=drive, read=read, array="")
        found = most_carried(Scenario.from_text(text))
        assert found is not None
        return found

    assert of("samsung-pm1643-3840gb", "50 %") == 2 * of("samsung-pm1643-3840gb", "100 %")
    assert of("crucial-mx500-1tb", "50 %") == of("crucial-mx500-1tb", "100 %")


def test_of_one_unknown_value_all_of_the_spread_comes(drawn_of_one) -> None:
    rate = words.named(drawn_of_one.unknowns.points[0], "iops")
    (share,) = rate.shares
    assert (share.card, share.value) == ("fujitsu-rx2540-m1", SUBMISSION)
    assert share.share > 0.97
    (experiment,) = drawn_of_one.unknowns.experiments
    assert experiment.value == SUBMISSION


# ---- shares


def test_shares_of_a_product_are_those_of_the_variances_of_its_logarithms() -> None:
    """x y z with spreads of 3, 2 and 1: 9, 4 and 1 fourteenths of the variance; 57 do nothing.

    The inputs are uncorrelated to the last digit, as independent ones are in the long run.
    """
    rng = np.random.default_rng(11)
    raw = rng.standard_normal((256, 60))
    inputs = np.linalg.qr(raw - raw.mean(axis=0))[0] * 16
    figure = np.exp(inputs[:, 5] * 0.3 - inputs[:, 17] * 0.2 + inputs[:, 40] * 0.1)
    found = dict(shares(inputs, figure))
    assert set(found) == {5, 17, 40}
    assert found[5] == pytest.approx(9 / 14, abs=0.02)
    assert found[17] == pytest.approx(4 / 14, abs=0.02)
    assert found[40] == pytest.approx(1 / 14, abs=0.02)
    assert sum(found.values()) == pytest.approx(1, abs=0.03)


def test_pure_chance_is_seldom_given_a_name() -> None:
    rng = np.random.default_rng(12)
    named = sum(
        bool(shares(rng.standard_normal((64, 60)), rng.standard_normal(64))) for _ in range(40)
    )
    assert named <= 6  # 5 % each, that is 2 of 40; more than 6 once in 200 times


def test_a_value_that_never_moves_has_no_share() -> None:
    rng = np.random.default_rng(13)
    inputs = np.column_stack([np.ones(64), rng.standard_normal(64)])
    assert [column for column, _ in shares(inputs, inputs[:, 1] ** 3)] == [1]
    assert shares(inputs, np.ones(64)) == []


# ---- what is said


def test_the_same_seed_gives_the_same_bytes_whatever_the_workers(one_server, drawn_of_one) -> None:
    again = unknown.with_unknowns(raidsim.run(one_server), one_server, 64, workers=1)
    assert json_file.render(again.to_dict()) == json_file.render(drawn_of_one.to_dict())


def test_a_result_with_draws_is_read_back_as_it_was(drawn_of_one, tmp_path) -> None:
    path = tmp_path / "result.json"
    drawn_of_one.to_json(path)
    assert raidsim.Result.read(path) == drawn_of_one


def test_both_intervals_of_a_rate_are_said_in_a_line(drawn_of_one) -> None:
    (curve,) = curves(drawn_of_one)
    line = words.sentence(curve)
    assert " IO/s (±" in line
    assert " % measured; " in line
    assert line.endswith(" with what the cards do not know)")


def test_draws_that_cannot_be_run_are_counted(one_server, monkeypatch) -> None:
    usual = unknown.measured

    def some(scenario):
        if scenario.host.card.number(SUBMISSION) > one_server.host.card.number(SUBMISSION):
            raise InputError([raidsim.errors.Problem(None, None, None, "too much for it")])
        return usual(scenario)

    monkeypatch.setattr(unknown, "measured", some)
    found = unknown.with_unknowns(raidsim.run(one_server), one_server, 24).unknowns
    assert found.failed == pytest.approx(12, abs=3)  # those above the median of the value
    assert found.problems == ["too much for it"]
    assert words.named(found.points[0], "iops").draws == 24 - found.failed


def test_an_open_load_that_some_draws_do_not_carry_says_in_how_many(one_server) -> None:
    rate = raidsim.run(one_server).points[0].iops.mean
    load = {"load.outstanding": None, "load.rate": f"{1.02 * rate:.0f} IO/s"}
    offered = one_server.with_(load)
    found = unknown.draw(offered, 24)
    saturated = sum(row.saturated[0] for row in found.rows[1:])
    assert 0 < saturated < 24


def test_how_many_draws_is_asked_for_must_make_sense(one_server) -> None:
    assert (unknown.number_of_draws(True), unknown.number_of_draws(False)) == (unknown.DRAWS, 0)
    with pytest.raises(InputError, match="3 is too few draws"):
        raidsim.run(one_server, unknowns=3)


def test_two_scenarios_are_compared_draw_by_draw(one_server) -> None:
    """Requests of half the size are served at a higher rate, whatever the server: in every draw."""
    (same,) = orders_of(one_server, one_server, unknowns=16)
    assert (same.ratio, same.low, same.high, same.ahead) == (1, 1, 1, 0.5)
    (order,) = orders_of(one_server, one_server.with_("load.size", "8 KiB"), unknowns=16)
    assert order.ahead == 1
    assert order.low > 1
    with pytest.raises(InputError, match="not a figure of both"):
        orders_of(one_server, one_server, figure="iop", unknowns=16)


def test_the_mean_time_to_data_loss_of_a_stripe_is_as_unknown_as_its_failures() -> None:
    """Four drives without redundancy lose data with the first failure: 1 / (4 rate) years.

    The rate is -ln(1 - AFR) a year."""
    stripe = scenario_of(READS).with_({"volume.level": "raid0", "volume.drives": 4})
    unknown = known_but(stripe, "reliability.afr")
    risks = [assess(unknown, volume, lifetimes=1) for volume in unknown.volumes]
    (found,) = risks_drawn(unknown, risks, 64)
    time = found.named("mttdl")
    card = unknown.volumes[0].card
    assert time.value == pytest.approx(1 / (-4 * math.log1p(-card.number("reliability.afr"))))
    joint = unknown_values(card).joint
    least, most = joint.values(np.array([[-1.645], [1.645]]))[:, 0]
    assert time.low == pytest.approx(1 / (-4 * math.log1p(-most)), rel=0.06)
    assert time.high == pytest.approx(1 / (-4 * math.log1p(-least)), rel=0.06)
    (share,) = time.shares
    assert share.value == "reliability.afr"
    assert 0 < found.named("loss of any data").high <= 1
    assert found.named("rebuild") is None


# ---- the command


def test_the_command_prints_and_writes_what_the_cards_do_not_know(tmp_path, capsys) -> None:
    path = tmp_path / "one.toml"
    path.write_text(
        '[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "intel-p3700-800gb"\n'
        'state = "filled"\n[[load]]\nread = "100 %"\nsize = "4 KiB"\narea = { size = "1 GiB" }\n'
        'outstanding = 32\n[measure]\nmin_ios = 2000\nmax_ios = 2000\nprecision = "50 %"\n'
    )
    job, page, drawn = (tmp_path / name for name in ("a.fio", "a.html", "a.json"))
    files = ["--experiment", str(job), "--html", str(page), "--json", str(drawn)]
    with pytest.raises(SystemExit) as end:
        cli.main(["run", str(path), *files, "--unknowns", "16"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "nine in ten of 16 draws of" in out
    assert "with what the cards do not know)" in out
    assert "What the cards do not know" in page.read_text("utf-8")
    assert "nine in ten, with what cards do not know" in page.read_text("utf-8")
    assert raidsim.Result.read(drawn).unknowns.draws == 16
    assert job.read_text().startswith("; ")


def test_the_time_of_a_flush_has_a_column_of_its_own() -> None:
    load = {"read": "0 %", "size": "4 KiB", "area": {"size": "1 GiB"}, "outstanding": 1}
    drive = "samsung-970-evo-plus-500gb"
    asked = scenario_of(load | {"flush_every": 1}, measure=QUICK, model=drive)
    found = raidsim.run(asked, unknowns=10)
    (curve,) = curves(found)
    assert "flush mean, us" in words.block(curve, found).headers


@pytest.mark.parametrize(
    "command",
    [["run", "p3700-database"], ["check", "raid5-disks"], ["validate", "p3700.streaming"]],
)
def test_a_number_of_draws_that_makes_no_sense_is_refused_at_once(command, capsys) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([*command, "--unknowns", "3"])
    assert end.value.code == 2
    assert "3 is too few draws" in capsys.readouterr().err

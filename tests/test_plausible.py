"""Plausible ranges of what cards do not know, and what fits leave of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from raidsim import disksim
from raidsim import scenario as scenarios
from raidsim.cards import catalogue, channel_classes, load
from raidsim.cards.attributes import KINDS
from raidsim.cards.channel_classes import channel_of
from raidsim.cards.fit_ranges import FIT_RANGES
from raidsim.cards.loader import read_card
from raidsim.cards.narrow_ranges import DIE_COUNT
from raidsim.cards.plausible import ROWS, fixed, plausible, problems, unknown_names
from raidsim.cards.posterior import NORMAL_95, conditioned, posterior
from raidsim.cards.stub import stub
from raidsim.errors import InputError
from raidsim.report import check_text

CARDS = catalogue()
IDS = [card.name for card in CARDS]
OF_CLAIMS = Path(__file__).parent.parent / "validation" / "cards"


@pytest.mark.parametrize("card", CARDS, ids=IDS)
def test_every_unknown_value_of_a_shipped_card_has_a_range_around_it_and_a_reason(card):
    ranges = plausible(card)
    assert list(ranges) == unknown_names(card)
    assert problems(card) == []
    for name, one in ranges.items():
        low, high = card.about.by_name[name].bounds
        assert low <= one.low <= card.number(name) <= one.high <= high
        assert one.low < one.high
        assert len(one.because.split()) > 1


@pytest.mark.parametrize("path", sorted(OF_CLAIMS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_card_of_the_claims_is_within_what_its_class_has(path):
    assert problems(load(str(path))) == []


@pytest.mark.parametrize("card", CARDS, ids=IDS)
def test_a_number_that_nobody_printed_is_unknown_or_there_is_a_reason_why_it_is_not(card):
    ranges = plausible(card)
    for entry in card.entries():
        attribute = card.about.by_name[entry.name]
        if not attribute.is_number or entry.source.source not in ("assumed", "default"):
            continue
        known = fixed(card.kind, entry.name) or entry.value == 0
        assert entry.name in ranges or known, entry.name


def test_every_number_of_every_kind_has_a_range_of_its_class_or_a_reason_why_it_is_never_drawn():
    for kind in KINDS.values():
        rows = {row[0] for row in ROWS[kind.name]}
        numbers = {one.name for one in kind.attributes if one.is_number}
        assert rows <= numbers
        assert not {name for name in numbers - rows if not fixed(kind.name, name)}


def test_one_value_and_one_figure_leave_the_deviation_of_the_formula():
    # Precisions add: 1 / s^2 = 1 / p^2 + j^2 / e^2.
    p, j, e = 0.4, -0.8, 0.05
    (left,) = np.diag(conditioned(np.array([[p**2]]), np.array([[j]]), np.array([[e**2]])))
    assert left == pytest.approx(1 / (1 / p**2 + j**2 / e**2))


def test_a_figure_of_a_product_narrows_the_product_and_leaves_the_quotient_as_wide_as_it_was():
    prior = np.diag([0.3**2, 0.3**2])
    left = conditioned(prior, np.array([[1.0, 1.0]]), np.array([[0.02**2]]))
    product, quotient = np.array([1, 1]), np.array([1, -1])
    assert quotient @ left @ quotient == pytest.approx(quotient @ prior @ quotient)
    expected = 1 / (1 / (2 * 0.3**2) + 1 / 0.02**2)
    assert product @ left @ product == pytest.approx(expected)
    assert left[0, 0] == pytest.approx(0.3**2 / 2, rel=0.01)


def test_without_figures_the_middle_95_percent_of_draws_is_the_range_on_both_sides():
    card = next(one for one in CARDS if one.name == "nl-sas-2tb")
    known, ranges = posterior(card), plausible(card)
    seed = 20131101
    print("seed", seed)
    draws = known.values(np.random.default_rng(seed).standard_normal((20_000, len(known.names))))
    for i, name in enumerate(known.names):
        one = ranges[name]
        assert known.interval(name) == pytest.approx((one.low, one.high))
        assert draws[:, i].min() >= one.low - 0.5  # counts are rounded
        assert draws[:, i].max() <= one.high + 0.5
        if not known.whole[i]:
            assert np.median(draws[:, i]) == pytest.approx(
                card.number(name), rel=0.05, abs=0.05 * one.high
            )
    i = known.names.index("seek.read_average")
    low, high = np.percentile(draws[:, i], [2.6, 97.4])
    assert low == pytest.approx(7.4e-3, rel=0.01)
    assert high == pytest.approx(9.6e-3, rel=0.01)


def test_values_of_a_group_move_together_and_others_do_not():
    card = next(one for one in CARDS if one.name == "nl-sas-2tb")
    known = posterior(card)
    at = known.names.index
    scale = known.deviations()
    correlation = known.covariance / np.outer(scale, scale)
    assert correlation[at("seek.read_average"), at("seek.write_average")] == pytest.approx(0.8)
    assert correlation[at("seek.read_average"), at("queue.window")] == 0


def test_what_a_fit_determines_is_narrower_than_its_class_and_what_it_does_not_is_as_wide():
    card = next(one for one in CARDS if one.name == "intel-p4510-4tb")
    known, ranges = posterior(card), plausible(card)
    rate = "data_path.read_time_per_byte"  # 1 % more of it is 1 % less of the sequential reads
    low, high = known.interval(rate)
    assert math.log(high / low) / 2 / NORMAL_95 == pytest.approx(0.03, rel=0.25)
    unseen = "power.idle"
    assert known.interval(unseen) == pytest.approx((ranges[unseen].low, ranges[unseen].high))


def test_a_value_that_a_base_was_fitted_with_is_as_narrow_in_the_card_that_inherits_it():
    cards = {one.name: one for one in CARDS}
    base, other = (posterior(cards[n]) for n in ("intel-p3700-800gb", "intel-p3700-1600gb"))
    name = "flash.read_time"
    assert other.interval(name) == pytest.approx(base.interval(name), rel=0.02)
    assert other.owners[other.names.index(name)] == "intel-p3700-800gb"


HOST = """
name = "own"
kind = "host"
title = "A server"

[cpu]
clock = {{ value = 3, unit = "GHz", source = "datasheet" }}
cores = {{ value = 8, unit = "1", source = "datasheet" }}

[submit]
io_time = {{ value = {submit}, unit = "us", source = "assumed"{range} }}

[complete]
io_time = {{ value = 2, unit = "us", source = "datasheet" }}
"""


def test_a_value_outside_of_the_range_that_its_card_writes_is_refused_with_its_line():
    text = HOST.format(submit=3, range=', range = [4, 6], because = "a slow kernel"')
    with pytest.raises(InputError) as error:
        read_card(text, "own.toml")
    (problem,) = error.value.problems
    assert (problem.file, problem.line) == ("own.toml", 11)
    assert "does not contain the value 3" in problem.cause


def test_a_range_of_the_card_counts_more_than_that_of_its_class():
    text = HOST.format(submit=3, range=', range = [2, 6], because = "a slow kernel"')
    one = plausible(read_card(text, "own.toml"))["submit.io_time"]
    assert (one.low, one.high) == pytest.approx((2e-6, 6e-6))
    assert one.because == "a slow kernel"


def test_what_a_sheet_or_a_scenario_states_is_known():
    card = read_card(HOST.format(submit=3, range=""), "own.toml")
    assert "complete.io_time" not in plausible(card)
    assert "submit.io_time" in plausible(card)
    assert "submit.io_time" not in plausible(card.changed({"submit.io_time": 4e-6}))


DISK = """
name = "slow"
kind = "hdd"
title = "A disk of 7,200 rpm with a long seek"
base = "nl-sas-2tb"

[seek]
read_average = {{ value = 14, unit = "ms", source = "assumed"{range} }}
"""

SCENARIO = """
schema = 1
title = "One disk"

[host]
model = "fujitsu-rx2540-m1"

[[volume]]
level = "single"
drives = 1
drive = "./slow.toml"

[[load]]
name = "reads"
read = "100 %"
random = "100 %"
size = "4 KiB"
outstanding = [1]
"""


def test_check_refuses_a_value_outside_of_its_class_until_its_card_says_why(tmp_path):
    # Manuals of 7.2k disks print average seeks of 7.6 to 9.5 ms.
    (tmp_path / "one.toml").write_text(SCENARIO)
    card = tmp_path / "slow.toml"
    card.write_text(DISK.format(range=""))
    with pytest.raises(InputError) as error:
        check_text.refuse_without_ranges(scenarios.load(tmp_path / "one.toml"))
    (problem,) = error.value.problems
    assert (problem.file, problem.key) == (str(card), "seek.read_average")
    assert "14 ms is outside of what its class has" in problem.cause
    assert "7.4 ms to 9.6 ms" in problem.remedy
    card.write_text(DISK.format(range=', range = [12, 16], because = "a single slow actuator"'))
    check_text.refuse_without_ranges(scenarios.load(tmp_path / "one.toml"))


def test_the_time_of_a_write_in_the_front_end_leaves_room_for_the_printed_rate_of_writes():
    card = next(one for one in CARDS if one.name == "intel-p4510-4tb")
    one = plausible(card)["front_end.write_time"]
    # The rate is printed as it is met within 5 %: that of 132,050 writes is left as well.
    assert one.high + card.number("front_end.command_time") == pytest.approx(1 / 139_000 / 0.95)


TAKEN_OVER = """
schema = 2
name = "n"
kind = "ssd"
title = "A drive whose channels are as another one has them"
base = "intel-p3700-800gb"

[flash]
channel_read_time_per_byte = {{ value = 2, unit = "us/KiB", source = "assumed", {range} }}
"""
CHANNEL = "flash.channel_read_time_per_byte"


def range_of_channel(why):
    text = TAKEN_OVER.format(range=f'range = [0.4, 30], because = "{why}"')
    one = plausible(read_card(text, "n.toml"))[CHANNEL]
    return one.low * 1024 * 1e6, one.high * 1024 * 1e6


@pytest.mark.parametrize(
    "why",
    [
        FIT_RANGES["ssd"][CHANNEL].why,
        # As fits said it before ONFI had 3600 MT/s, and cards that were written then still do.
        "ONFI: 2400 MT/s down to 33 MB/s of asynchronous flash",
    ],
)
def test_a_value_of_another_drive_lies_as_far_as_two_drives_of_the_class_may_be_apart(why):
    """Channels of a class lie within 0.7 and 1.45 times; where a fit may look is no such thing."""
    low, high = range_of_channel(why)
    assert (low, high) == pytest.approx((2 * 0.7**2, 2 * 1.45**2))


@pytest.mark.parametrize("ends", ["0.27", "2"], ids=["inside", "at the end of the fit"])
def test_a_channel_where_a_fit_ended_is_no_slower_than_the_slowest_of_its_class(ends):
    """All drives have channels: the least that a fit may find is no sign that there are none."""
    why = FIT_RANGES["ssd"][CHANNEL].why
    text = TAKEN_OVER.format(range=f'range = [{ends}, 30], because = "{why}"')
    one = plausible(read_card(text, "n.toml"))[CHANNEL]
    assert one.high * 1024 * 1e6 == pytest.approx(2 * 1.45**2)


WRITES = """
schema = 2
name = "n"
kind = "ssd"
title = "A drive of 2018 of which nobody knows how fast its channels write"
maker = "Acme"
year = 2018
base = "intel-p3700-800gb"

[flash.channel_write_time_per_byte]
value = {value}
unit = "MB/s"
source = "assumed"
range = [34, 3793]
because = "{why}"
"""


def test_a_channel_writes_as_fast_as_those_of_its_year_read_and_not_as_any_of_any_year():
    """ONFI 4 of 2018 has 533 to 800 MT/s: no channel of 34 MB/s, and none of 3,600 MT/s."""
    name, found = "flash.channel_write_time_per_byte", channel_of(2018)
    one = plausible(read_card(WRITES.format(value=590, why=found.why), "n.toml"))[name]
    assert (1e-6 / one.high, 1e-6 / one.low) == pytest.approx((420, 800))
    assert "ONFI 4 and Toggle 2: 533 to 800 MT/s" in one.because
    # What a fit found to be slower than that is as far from it as two drives of a class may be.
    slow = plausible(read_card(WRITES.format(value=150, why=found.why), "n.toml"))[name]
    assert (1e-6 / slow.high, 1e-6 / slow.low) == pytest.approx((150 / 1.45**2, 150 / 0.7**2))


@pytest.mark.parametrize(
    "card", [one for one in CARDS if one.kind == "ssd"], ids=lambda one: one.name
)
def test_no_drive_has_a_channel_that_may_be_more_than_six_times_as_fast_as_at_its_slowest(card):
    """Makers' interfaces of a year differ by three steps of 1.2 to 1.5, and firmware by as much."""
    ranges = plausible(card)
    for name in channel_classes.BOTH:
        if name in ranges:
            assert ranges[name].high <= 6 * ranges[name].low, (name, ranges[name].because)


PASSED = {
    "data_path.read_time_per_byte": (1, "bandwidth"),
    "data_path.write_time_per_byte": (0, "bandwidth"),
    "front_end.read_time": (1, "rate"),
}


@pytest.mark.parametrize(
    "card", [one for one in CARDS if one.kind == "ssd"], ids=lambda one: one.name
)
def test_no_part_that_all_data_passes_may_be_slower_than_the_sheet_prints(card):
    """A drive of 7,450 MB/s has no data path of 1,000: a fit that saw no limit there knows that."""
    ranges = plausible(card)
    printed = () if card.rated is None else card.rated.performance
    for name, (read, what) in PASSED.items():
        own = card.sources[name].range is not None if card.has(name) else False
        rates = [one.value for one in printed if (one.read, one.what) == (read, what)]
        if not own or not rates or name not in ranges:
            continue
        least = 0.95 * max(rates)
        slowest = ranges[name].high
        passes = slowest if what == "bandwidth" else slowest / card.number("front_end.cores")
        assert passes <= 1.0001 * max(1 / least, card.number(name)), (name, 1 / passes)


def test_small_reads_at_random_tell_of_the_data_path_where_no_stream_is_printed():
    """380,000 of 8 KiB a second are 3,113 MB/s: a data path of 1,000 would not carry them."""
    card = load("techman-xc100-3200gb")
    slowest = 1e-6 / plausible(card)["data_path.read_time_per_byte"].high
    assert slowest == pytest.approx(0.95 * 380_000 * 8192 / 1e6)


@pytest.mark.parametrize(
    "card", [one for one in CARDS if one.kind == "ssd"], ids=lambda one: one.name
)
def test_somewhat_less_than_the_link_is_no_third_of_it(card):
    """A range keeps to its reason: a drive on a link of 3,500 MB/s had a memory of 1,000."""
    found = plausible(card).get("data_path.read_time_per_byte")
    if found is not None and "somewhat less than the link" in found.because:
        assert 1 / found.high >= 0.8 / card.number("link.time_per_byte")


@pytest.mark.parametrize("dies", [1, 10])
def test_dies_are_counted_and_not_drawn_however_few_there_are(dies):
    value = f'dies_per_channel = {{ value = {dies}, unit = "1", source = "assumed", '
    value += f'range = [1, 128], because = "{DIE_COUNT.why}" }}'
    text = TAKEN_OVER.format(range='note = "guessed"') + value
    assert "flash.dies_per_channel" not in plausible(read_card(text, "n.toml"))


def test_a_range_with_a_reason_of_its_own_is_the_card_s():
    assert range_of_channel("33 MB/s to 2400 MT/s") == pytest.approx((0.4, 30))


def test_a_measured_disk_that_is_imported_and_cards_yet_to_be_filled_in_need_no_ranges():
    parameters = Path(__file__).parent / "data" / "disksim" / "atlas_III.parv"
    atlas = read_card(disksim.card_text(disksim.read_disk([str(parameters)])), "atlas")
    assert problems(atlas) == []
    likes = {"ssd": "intel-s4600-960gb", "hdd": "nl-sas-2tb", "host": "intel-xeon-8380-pair"}
    for kind, like in likes.items():
        text = stub(kind, "n", load(like), place=Path("n.toml"), maker="Acme", year=2021)
        assert problems(read_card(text, "n.toml")) == []


@pytest.mark.parametrize("like", ["seagate-st1200mm0088", "toshiba-mg08aca16te"])
def test_a_printed_average_seek_is_known_to_some_per_cent_on_a_new_card_too(like, tmp_path):
    """Makers print the average seek of one disk; that of all disks of its class says no more."""
    base = load(like)
    text = stub("hdd", "n", base, place=tmp_path / "n.toml", maker="Acme", year=2021)
    line = next(line for line in text.splitlines() if line.startswith("read_average ="))
    printed = line.replace('source = "assumed"', 'source = "datasheet"')
    path = tmp_path / "n.toml"
    path.write_text(text.replace(line, printed), encoding="utf-8")
    found, average = plausible(load(str(path))), base.number("seek.read_average")
    assert 0.9 * average < found["seek.read_average"].low < average
    assert average < found["seek.read_average"].high < 1.1 * average
    assert found["seek.read_full"].high < 2.5 * average  # the full stroke: 1.7 to 2.4 times as long
    path.write_text(text, encoding="utf-8")
    guessed = plausible(load(str(path)))["seek.read_average"]
    assert guessed.high > 1.1 * average

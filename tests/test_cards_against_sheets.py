"""Drives are as fast as their sheets say, or their cards say by how much they are not, and why."""

from __future__ import annotations

import re

import pytest

from raidsim import cards
from raidsim.calibrate.rated_runs import PREFIX, entries
from raidsim.calibrate.rated_scenario import scenario
from raidsim.cards.arithmetic import contradictions
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.rated import TOLERANCE, RatedPerformance
from raidsim.report.findings import findings
from raidsim.resources import data_folder
from raidsim.running import run
from raidsim.scenario import load_text

DRIVES = [card for card in cards.catalogue() if card.kind in DRIVE_KINDS]
RATED = [card for card in DRIVES if card.rated is not None]
FIGURES = [(card.name, one.name) for card in RATED for one in entries(card)[0]]
CLAIMED = [
    cards.load(path) for path in sorted((data_folder("validation") / "cards").glob("*.toml"))
]
"""Cards that only claims stand on."""
QUANTILES = {None: "mean", 0.5: "p50", 0.95: "p95", 0.99: "p99", 0.999: "p999"}
REASON = re.compile(r"missed: .{20}")
"""How the note of a figure begins that the simulated drive does not reach."""


def simulated(card: cards.Card, one: RatedPerformance) -> float:
    """What a run says of a rated figure: a rate per second, bytes per second or seconds."""
    (point,) = run(load_text(scenario(card, one, {}))).points
    if one.what == "rate":
        return float(point.iops.mean)
    if one.what == "bandwidth":
        return float(point.mbps) * 2**20
    latency = point.latency_ms["read" if one.read == 1 else "write"]
    return float(getattr(latency, QUANTILES[one.quantile])) / 1000


@pytest.mark.parametrize(("name", "named"), FIGURES)
def test_a_drive_reaches_what_its_sheet_prints_as_nearly_as_its_card_says(
    name: str, named: str
) -> None:
    card = cards.load(name)
    (one,) = [each for each in entries(card)[0] if each.name == named]
    miss = simulated(card, one) / one.value - 1
    assert abs(miss) <= one.tolerance
    stated = card.residuals.get(PREFIX + named)
    assert stated is None or miss == pytest.approx(stated, abs=0.01)


@pytest.mark.parametrize(
    "card", [one for one in CLAIMED if one.residuals], ids=lambda card: card.name
)
def test_a_drive_of_a_claim_misses_its_sheet_by_as_much_as_its_card_says(card: cards.Card) -> None:
    rated = {PREFIX + one.name: one for one in entries(card)[0]}
    stated = {name: miss for name, miss in card.residuals.items() if name in rated}
    found = {name: simulated(card, one) / one.value - 1 for name, one in rated.items()}
    assert {name: found[name] for name in stated} == pytest.approx(stated, abs=0.01)


@pytest.mark.parametrize("card", RATED, ids=lambda card: card.name)
def test_what_a_card_misses_has_a_reason(card: cards.Card) -> None:
    figures = {PREFIX + one.name: one for one in card.rated.performance}
    misses = {name: miss for name, miss in card.residuals.items() if name in figures}
    beyond = {name for name, miss in misses.items() if abs(miss) > TOLERANCE}
    wide = {name for name, one in figures.items() if one.tolerance > TOLERANCE}
    explained = {name for name, one in figures.items() if REASON.match(one.note)}
    assert beyond == wide == explained


@pytest.mark.parametrize("card", RATED, ids=lambda card: card.name)
def test_figures_of_a_sheet_name_their_page_and_agree_with_each_other(card: cards.Card) -> None:
    assert all(figure.page for figure in card.rated.figures.values())
    assert all(one.page for one in card.rated.performance)
    assert contradictions(card) == []


def test_random_reads_of_large_disks_are_those_that_seagate_prints_for_another_one() -> None:
    """4 KiB at 16 outstanding: 170 IO/s of an Exos M of 30 TB, of which no card takes anything."""
    for name in ("seagate-st8000nm000a", "seagate-st18000nm004j", "toshiba-mg10aca20te"):
        text = (
            f'[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "{name}"\n'
            '[[load]]\nread = "100 %"\nsize = "4 KiB"\noutstanding = 16\n'
            '[measure]\nprecision = "2 %"\n'
        )
        (point,) = run(load_text(text)).points
        assert point.iops.mean == pytest.approx(170, rel=0.1), name


@pytest.mark.parametrize("card", DRIVES, ids=lambda card: card.name)
def test_every_drive_runs_and_says_what_of_it_is_a_guess(card: cards.Card) -> None:
    state = 'state = "filled"' if card.kind == "ssd" else ""
    text = (
        f'[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "{card.name}"\n{state}\n'
        '[[load]]\nread = "67 %"\nsize = "8 KiB"\noutstanding = 4\n'
        "[measure]\nmin_ios = 200\nmax_ios = 200\n"
    )
    short = load_text(text)
    (point,) = run(short).points
    ways = [point.latency_ms[way] for way in ("read", "write")]
    # Four at a time, by Little's law, and none quicker than its 8 KiB on the link.
    inside = sum(way.mean / 1000 * way.samples for way in ways) / sum(way.samples for way in ways)
    assert point.iops.mean * inside == pytest.approx(4, rel=0.1)
    assert min(way.mean / 1000 for way in ways) > 8192 * card.number("link.time_per_byte")
    said = [str(one) for one in findings(short) if str(one).startswith(f"model {card.name}: ")]
    guessed = {name for name, source in card.sources.items() if source.source == "assumed"}
    named = [re.findall(": assumed ([^;]*)", one) for one in said if " values are assumed" in one]
    assert {name for found in named for names in found for name in names.split(", ")} == guessed

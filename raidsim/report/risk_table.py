"""The risk of data loss as ``raidsim check`` prints it: a table, and its assumptions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.report import numbers
from raidsim.report.hardware import level_words, some
from raidsim.report.numbers import percent
from raidsim.report.ruled import ruled
from raidsim.result.facts import VolumeFacts
from raidsim.risk.assess import LIFETIMES, Risk, has_all_in_back, of_hybrid
from raidsim.scenario import HybridSpec
from raidsim.stats.proportions import Estimate
from raidsim.units import capacity_for_people

if TYPE_CHECKING:
    from raidsim.risk.under_load import UnderLoad
    from raidsim.studies.risks import RiskUnknowns

RARE = 1e-4
"""Below it a probability is written as one in so many."""

_WORDS = ((1e12, 1e9, " billion"), (1e9, 1e6, " million"))
_HUGE = 1e12


def table(risks: Sequence[Risk], facts: Sequence[VolumeFacts]) -> Table:
    """A row for each volume: capacity, rebuild, mean time to data loss, chances, expected loss."""
    found = ruled(3)
    years = f"{risks[0].mission_years:g} years"
    found.add_column("\n\nvolume", no_wrap=True)
    found.add_column("\n\nlevel", no_wrap=True)
    for header in (
        "\n\nusable",
        "\nrebuild of\na drive",
        "\nMTTDL,\nyears",
        f"loses any\ndata in\n{years}",
        "the same,\nsimulated,\n95 %",
        f"loses the\narray in\n{years}",
        "expected\nloss,\nTB",
    ):
        found.add_column(header, justify="right", no_wrap=True)
    for risk, fact in zip(risks, facts, strict=True):
        name = (Text(risk.volume), level_words(risk.level), capacity_for_people(fact.usable_bytes))
        found.add_row(*name, *_figures(risk))
        if risk.loaded is not None:
            found.add_row("  under load", "", "", *_figures(risk.loaded))
    return found


def _figures(risk: Risk) -> tuple[str | Text, ...]:
    """Return the figures for a rebuild time."""
    return (
        duration(risk.rebuild) if risk.rebuild else numbers.NOT_MEASURED,
        years_words(risk.mttdl_years),
        Text(chance(risk.any), style="bold"),
        interval(risk.simulated_any),
        chance(risk.array),
        terabytes(risk.lost_tb),
    )


def unknowns_line(found: RiskUnknowns) -> str:
    """Return in a line what cards leave open of a volume's risk, and what decides most of it."""
    parts = []
    for name, words, text in (
        ("rebuild", "rebuild of a drive", duration),
        ("mttdl", "MTTDL", lambda value: f"{years_words(value)} years"),
        ("loss of any data", "loses any data", chance),
        ("loss of the array", "loses the array", chance),
    ):
        one = found.named(name)
        if one is not None and one.low is not None and one.high is not None:
            parts.append(f"{words} {text(one.value)} ({text(one.low)} to {text(one.high)})")
    if not parts:
        return f"{found.volume}: too few draws tell anything of its risk"
    line = f"{found.volume}, nine in ten of {found.draws} draws: {'; '.join(parts)}"
    loss = found.named("loss of any data")
    if loss is not None and loss.shares:
        share = loss.shares[0]
        line += f"; {percent(share.share)} of what is open comes from {share.value} of {share.card}"
    if found.failed:
        line += f"; {found.failed} draws could not be run"
    return line


def notes(
    risks: Sequence[Risk], models: Sequence[str], loads: Callable[[int], str]
) -> Iterator[str]:
    """Yield notes on the basis of the figures, and on what they leave out.

    ``models`` are the drives' cards; ``loads`` says which loads a point of the sweep has.
    """
    rates = {
        f"{model} {units.plain(100 * risk.afr, 2)} % a year ({risk.afr_from})"
        for risk, model in zip(risks, models, strict=True)
    }
    yield f"drives fail independently, at a constant rate: {', '.join(sorted(rates))}"
    redundant = [risk for risk in risks if risk.rebuild]
    if redundant:
        yield (
            "rebuild of a drive: from a simulated sample, on idle drives; while hosts have work it"
            " takes longer"
        )
    for risk in redundant:
        if risk.under_load is not None:
            yield f"{risk.volume}: {_under_load(risk.under_load, loads)}"
    for risk in redundant:
        if risk.spares:
            spares = some(risk.spares, "hot spare")
            yield f"{risk.volume}: {spares}, the next one comes after {risk.replacement:g} h"
        else:
            yield f"{risk.volume}: no hot spare, a new drive comes after {risk.replacement:g} h"
    yield from (_begins(risk) for risk in redundant if risk.missing)
    for risk, model in zip(risks, models, strict=True):
        yield from _worn(risk, model)
    if redundant:
        yield (
            "any data: also single sectors that cannot be read (UBER) and that nothing restores,"
            " because drives are missing; the array: more drives are missing than it survives"
        )
    yield (
        f"MTTDL and chances: from a Markov chain, which replaces and rebuilds missing drives one"
        f" after the other; simulated: from {LIFETIMES:,} lifetimes, in which they are rebuilt side"
        f" by side, in fixed times"
    )
    yield (
        "not counted: enclosures, controllers, software, people, power cuts, and what drives of"
        " one batch have in common"
    )


def _begins(risk: Risk) -> str:
    """From where the figures of a volume begin that lacks drives, and why its MTTDL changes less.

    The first rebuild fails with a small chance, and the mean time is shorter by that share.
    """
    begins = f"{risk.volume}: chances and MTTDL begin with {some(risk.missing, 'drive')} missing"
    if risk.mttdl == 0:
        return f"{begins}: data is lost already"
    return (
        f"{begins}; MTTDL is the mean over all the years to come, so it is shorter only by the"
        " chance to lose data in this first rebuild"
    )


def _under_load(found: UnderLoad, loads: Callable[[int], str]) -> str:
    """Return the rebuild time beside the loads, and the rate that would keep it to a day."""
    beside = f"under load ({loads(found.point)})"
    if math.isinf(found.seconds):
        return (
            f"{beside} a rebuild at {percent(found.rate)} makes no progress: while a drive"
            " is missing, the load leaves it no time"
        )
    text = f"{beside} a rebuild at {percent(found.rate)} takes {duration(found.seconds)}"
    if found.at_full is None:
        return text
    if found.enough is None:
        return f"{text}; no rate keeps 24 h, with 100 % it takes {duration(found.at_full)}"
    return f'{text}; rebuild_rate = "{percent(found.enough)}" would keep 24 h'


def hybrid_note(hybrid: HybridSpec, risks: Sequence[Risk]) -> str:
    """Return a note on a hybrid that loses one of its volumes."""
    lost = chance(of_hybrid(hybrid, risks))
    if has_all_in_back(hybrid):
        return f"{hybrid.name}: loses data with {hybrid.back}, which holds all of it: {lost}"
    return (
        f"{hybrid.name}: loses data with {hybrid.back}, and with {hybrid.front}, which holds what"
        f" {hybrid.back} does not: {lost}"
    )


def _worn(risk: Risk, model: str) -> Iterator[str]:
    if risk.worn is None or risk.worn_life is None:
        return
    if risk.worn.mean < 1.1 * risk.simulated_any.high:
        return
    after = risk.worn_life / 8760
    yield (
        f"{risk.volume}: if {model} is written as much a day as it is rated for, all drives reach"
        f" their rating together after {after:.1f} years, and data is lost with"
        f" a chance of {chance(risk.worn.mean)}"
    )


# ---------------------------------------------------------------- figures


def chance(share: float) -> str:
    """A probability: 13.3 %, 0.041 %, 1 in 24,500, 1 in 204 million, 1 in 1.4e+14."""
    if share == 0:
        return "never"
    if share >= RARE:
        return f"{100 * share:.3g} %"
    return f"1 in {_odds(1 / share)}"


def interval(estimate: Estimate) -> str:
    """The interval of a probability: 13.0 to 14.0 %, 1 in 176 to 211 million."""
    if estimate.found == 0:
        return f"0 of {estimate.trials:,}"
    low, high = estimate.low, estimate.high
    if high >= RARE or low == 0:
        return f"{100 * low:.3g} to {100 * high:.3g} %"
    first, last = _odds(1 / high), _odds(1 / low)
    for _, _, word in _WORDS:
        if word and first.endswith(word) and last.endswith(word):
            first = first.removesuffix(word)
    return f"1 in {first} to {last}"


def _odds(number: float) -> str:
    """A large number in three digits and a word."""
    if number >= _HUGE:
        return f"{number:.2e}".replace("e+", "e")
    for above, unit, word in _WORDS:
        if number >= unit and number < above:
            return f"{number / unit:.3g}{word}"
    return f"{float(f'{number:.3g}'):,.0f}"


def years_words(years: float) -> str:
    """A mean time: 17.1, 263, 37,800, 1.02 million."""
    if years == float("inf"):
        return "never"
    return f"{years:.3g}" if years < 1000 else _odds(years)


def terabytes(number: float) -> str:
    """Expected terabytes: 0.279, 1.5e-05."""
    return f"{number:.3g}" if number else "0"


def duration(seconds: float) -> str:
    """A time as people say it: 42 s, 11 min, 4.0 h, 3.2 days, never."""
    if math.isinf(seconds):
        return "never"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"

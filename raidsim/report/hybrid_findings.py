"""What is risky in the hybrids of a scenario: one function for each."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.report.finding import Checks, Finding, Severity
from raidsim.report.hardware import drives_words
from raidsim.scenario import HybridSpec, Scenario
from raidsim.units import capacity_for_people


def holds_alone(hybrid: HybridSpec) -> bool:
    """Return whether the front has data that the back does not have."""
    return hybrid.mode == "tier" or hybrid.write == "back"


def lost_with_the_front(scenario: Scenario) -> Iterator[Finding]:
    """A front whose failure takes acknowledged writes with it."""
    for hybrid in scenario.hybrids:
        front = scenario.volume(hybrid.front)
        written = any(load.read_share < 1 for load in scenario.loads if load.volume == hybrid.name)
        if front.failures_tolerated > 0 or not holds_alone(hybrid):
            continue
        if hybrid.mode == "cache" and not written:
            continue
        share = hybrid.high if hybrid.mode == "cache" else 1.0
        most = capacity_for_people(min(share * hybrid.room, hybrid.blocks * hybrid.block))
        what = drives_words(front.level, front.drives, front.card.title)
        remedy = "mirror the front"
        if hybrid.mode == "cache":
            remedy += ', or give write = "through"'
        yield Finding(
            f"hybrid {hybrid.name}",
            f"a drive of {front.name} ({what}) that fails takes up to {most} with it which"
            f" {hybrid.back} does not have",
            remedy,
            Severity.critical,
        )


CHECKS: Checks = (lost_with_the_front,)

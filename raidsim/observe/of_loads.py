"""Remarks about the loads of a scenario that their figures do not show by themselves."""

from __future__ import annotations

from raidsim.observe import protected_cache, same_place, unwritten
from raidsim.scenario import LoadSpec, Scenario


def warnings(scenario: Scenario, load: LoadSpec) -> list[str]:
    """Sentences without an end about what answers the I/Os of a load; empty if nothing odd does."""
    parts = (same_place, protected_cache, unwritten)
    return [text for part in parts for text in part.warnings(scenario, load)]


def too_few(load: LoadSpec, done: int) -> str:
    """Return the reason why a load with so many measured I/Os has not converged."""
    if load.trim == 1.0:
        return (
            "not converged: the load has nothing but trims, and IO/s and their interval count reads"
            " and writes; the trims a second are given, or set load.limit to measure a number of"
            " them"
        )
    return f"not converged: {done} I/Os are too few; raise measure.max_time or max_ios"

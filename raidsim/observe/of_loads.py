"""What to know of the loads of a scenario that their figures do not show by themselves."""

from __future__ import annotations

from raidsim.observe import protected_cache, same_place, unwritten
from raidsim.scenario import LoadSpec, Scenario


def warnings(scenario: Scenario, load: LoadSpec) -> list[str]:
    """Sentences without an end about what answers the I/Os of a load; empty if nothing odd does."""
    parts = (same_place, protected_cache, unwritten)
    return [text for part in parts for text in part.warnings(scenario, load)]

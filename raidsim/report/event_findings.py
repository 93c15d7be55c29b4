"""Events of a scenario that a run would refuse: one function for each reason."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim import units
from raidsim.report import event_words
from raidsim.report.finding import Checks, Finding, Severity
from raidsim.scenario import Scenario


def events_that_may_be_refused(scenario: Scenario) -> Iterator[Finding]:
    """Background work that cannot begin while a rebuild goes on, and may come before its end."""
    for event, why, is_sure in event_words.refusals(scenario):
        yield Finding(
            f"event {event.KIND} at {units.text(event.at, 'time')}",
            f"a run refuses it: {why} then" if is_sure else f"a run refuses it if {why} then",
            "let it happen later, or give a smaller rebuild_sample" if is_sure else None,
            Severity.warning if is_sure else Severity.info,
        )


CHECKS: Checks = (events_that_may_be_refused,)

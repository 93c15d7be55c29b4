"""Problems and risks of a scenario that do not prevent a run.

``raidsim check`` shows what the checks find: one small function for each, in a module for each part
of a scenario. They only read the scenario and its cards, and report nothing that needs a
simulation. A new check is one function, and its name in CHECKS of its module.
"""

from __future__ import annotations

from raidsim.report import (
    array_findings,
    card_findings,
    drive_findings,
    event_findings,
    hybrid_findings,
    link_findings,
    load_findings,
)
from raidsim.report.finding import Checks, Finding
from raidsim.scenario import Scenario

CHECKS: Checks = (
    *drive_findings.CHECKS,
    *load_findings.CHECKS,
    *event_findings.CHECKS,
    *array_findings.CHECKS,
    *link_findings.CHECKS,
    *hybrid_findings.CHECKS,
    *card_findings.CHECKS,
)


def findings(scenario: Scenario) -> list[Finding]:
    """Everything that the checks find, the most severe first, else in their order."""
    found = (finding for check in CHECKS for finding in check(scenario))
    return sorted(found, key=lambda finding: finding.severity.rank)

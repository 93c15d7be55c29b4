"""What raidsim check says of a scenario."""

from __future__ import annotations

from raidsim.report.findings import findings
from raidsim.scenario import Scenario

DATABASE = {"read": "67 %", "size": "8 KiB", "outstanding": 8}
READS = {"read": "100 %", "size": "8 KiB", "outstanding": 8}
STREAM = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 8}
SAFE = {"disk_cache": "off"}
TB12 = {"capacity.user": "12 TB", "reliability.uber": "1e-15 1/bit"}


def found(checked: Scenario) -> list[str]:
    """Findings, without the standing ones on values that nobody measured."""
    return [str(finding) for finding in findings(checked) if " values are " not in str(finding)]


def the(words: str, checked: Scenario) -> str:
    """The one finding that holds some words."""
    (text,) = (text for text in found(checked) if words in text)
    return text


def says(words: str, checked: Scenario) -> bool:
    return any(words in text for text in found(checked))

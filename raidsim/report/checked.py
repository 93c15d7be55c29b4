"""Everything that `raidsim check` finds out about a scenario, as one object and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from raidsim.observe import inventory
from raidsim.observe.inventory import PartPower
from raidsim.observe.waterfall import FILE_SYSTEM, Waterfall, waterfalls
from raidsim.plain_json import finite
from raidsim.report.finding import Finding, Severity
from raidsim.report.findings import findings
from raidsim.report.numbers import percent
from raidsim.report.risk_table import duration
from raidsim.risk.assess import Risk
from raidsim.risk.under_load import DAY
from raidsim.scenario import Scenario
from raidsim.version import __version__

if TYPE_CHECKING:  # Both simulate, which takes a while to import.
    from raidsim.studies.risks import RiskUnknowns
    from raidsim.studies.room import Room

SCHEMA = "raidsim.check/1"


@dataclass(frozen=True)
class Checked:
    """The findings about a scenario before it is run.

    Attributes
    ----------
    findings : problems and risks, the most severe first.
    waterfalls : the use of the bytes of the drives of each volume.
    power : of each part.
    risks : of each volume; empty if a run would be refused.
    room : the memory of a run.
    unknowns : the effect of unknown values on the risks; empty if not requested.
    """

    scenario: Scenario
    findings: tuple[Finding, ...]
    waterfalls: tuple[Waterfall, ...]
    power: tuple[PartPower, ...]
    risks: tuple[Risk, ...]
    room: Room | None = None
    unknowns: tuple[RiskUnknowns, ...] = ()

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        risks: Sequence[Risk],
        room: Room | None = None,
        file_system: float = FILE_SYSTEM,
        unknowns: Sequence[RiskUnknowns] = (),
    ) -> Checked:
        """Put together what is known of a scenario.

        Parameters
        ----------
        file_system
            Share of each volume that a file system takes for itself, 0 to 1.
        """
        refused = [
            Finding("host", f"a run would be refused: {why}", None, Severity.critical)
            for why in (room.refused if room else ())
        ]
        return cls(
            scenario,
            tuple(sorted([*refused, *findings(scenario), *_slow_rebuilds(risks)], key=_rank)),
            tuple(waterfalls(scenario, file_system)),
            tuple(inventory.power_parts(scenario)),
            tuple(risks),
            room,
            tuple(unknowns),
        )

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(one.severity is severity for one in self.findings)

    def has(self, severity: Severity) -> bool:
        """Return whether any finding is of a severity, or of a higher one."""
        return any(one.severity.rank <= severity.rank for one in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object; a time without end is null."""
        scenario = self.scenario
        found = {
            "schema": SCHEMA,
            "raidsim": __version__,
            "title": scenario.title,
            "counts": {severity.value: self.count(severity) for severity in Severity},
            "findings": [
                {"severity": one.severity.value, "where": one.where, "what": one.what,
                 "remedy": one.remedy, "named": list(one.named)}
                for one in self.findings
            ],
            "volumes": [asdict(one) for one in inventory.volumes(scenario)],
            "capacity": [
                {"volume": one.volume, "steps": [asdict(step) for step in one.steps]}
                for one in self.waterfalls
            ],
            "power_w": asdict(inventory.system_power(scenario)),
            "power_parts": [asdict(one) for one in self.power],
            "links": [asdict(one) for one in inventory.links(scenario)],
            "memory": None if self.room is None else asdict(self.room),
            "risks": [_risk(one) for one in self.risks],
            "unknowns": [asdict(one) for one in self.unknowns],
            "scenario": scenario.resolved(),
        }  # fmt: skip
        plain: dict[str, Any] = finite(found)
        return plain


def _rank(finding: Finding) -> int:
    return finding.severity.rank


def _slow_rebuilds(risks: Sequence[Risk]) -> Iterator[Finding]:
    """Rebuilds that take more than a day while the loads of the scenario run."""
    for risk in risks:
        found = risk.under_load
        if found is None or found.seconds <= DAY:
            continue
        takes = "does not come on" if math.isinf(found.seconds) else duration(found.seconds)
        verb = "" if math.isinf(found.seconds) else "takes "
        remedy = "no rebuild_rate keeps 24 h"
        if found.enough is not None:
            remedy = f'rebuild_rate = "{percent(found.enough)}" would keep 24 h'
        what = f"under load the rebuild of a drive {verb}{takes} at {percent(found.rate)}"
        yield Finding(f"volume {risk.volume}", what, remedy)


def _risk(risk: Risk) -> dict[str, Any]:
    """A risk with its times in years and seconds, and the same under load."""
    found = asdict(risk)
    found["mttdl_years"] = risk.mttdl_years
    found["mission_years"] = risk.mission_years
    if risk.loaded is not None:
        found["loaded"]["mttdl_years"] = risk.loaded.mttdl_years
    return found

"""What a finding is, and the arithmetic that several checks of a scenario share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from raidsim.cards import Card
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec


class Severity(StrEnum):
    """The importance of a finding, as DMTF Redfish and logs of RAID controllers have it."""

    critical = "critical"
    """One thing that goes wrong costs data, or what is described cannot be built or carried."""

    warning = "warning"
    """The system is slower, wears faster, or is simulated less well than its author may think."""

    info = "info"
    """What the figures rest on, and what costs nothing."""

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return list(Severity).index(self)


@dataclass(frozen=True)
class Finding:
    """Something to know before relying on a scenario: its place, the problem, and the remedy.

    Attributes
    ----------
    remedy : what to do, if anything.
    severity : how much it matters.
    named : names that it is about, which are listed after it in the full list.
    listed : their form there; "" for one behind the other.
    of_values : whether it is about the sources of a card's values; every card has such findings.
    """

    where: str
    what: str
    remedy: str | None = None
    severity: Severity = Severity.warning
    named: tuple[str, ...] = ()
    listed: str = ""
    of_values: bool = False

    def __str__(self) -> str:
        return self._text(self.listed or ", ".join(self.named))

    @property
    def brief(self) -> str:
        """The finding without the list of names."""
        return self._text("")

    def _text(self, names: str) -> str:
        parts = [f"{self.where}: {self.what}" + (f": {names}" if names else "")]
        return "; ".join([*parts, self.remedy] if self.remedy else parts)


Checks = tuple[Callable[[Scenario], Iterator[Finding]], ...]
"""Checks of one part of a scenario; each yields what it finds."""


def offered(load: LoadSpec) -> float:
    """Highest rate of an open load's sweep, all workers together, in IO/s while it issues."""
    return max(load.rate or (0.0,)) * load.workers


def duty_cycle(load: LoadSpec) -> float:
    """Share of the time in which a load issues."""
    return load.burst.on / (load.burst.on + load.burst.off) if load.burst else 1.0


def loads_of(scenario: Scenario, volume: VolumeSpec) -> list[LoadSpec]:
    """The loads that run on a volume."""
    return [load for load in scenario.loads if volume_of(scenario, load) is volume]


def volume_of(scenario: Scenario, load: LoadSpec) -> VolumeSpec | None:
    """The volume that a load runs on; None for a hybrid."""
    if scenario.hybrid(load.volume) is not None:
        return None
    return scenario.volume(load.volume or scenario.volumes[0].name)


def is_written(scenario: Scenario, volume: VolumeSpec) -> bool:
    """Return whether any load writes to a volume, or to a hybrid that it is a part of."""
    above = [one.name for one in scenario.hybrids if volume.name in (one.front, one.back)]
    loads = [load for load in scenario.loads if load.volume in above]
    return any(load.read_share < 1 for load in (*loads_of(scenario, volume), *loads))


def cards_of(scenario: Scenario) -> list[Card]:
    """Every card once."""
    cards = [scenario.host.card]
    cards += [controller.card for controller in scenario.controllers]
    cards += [volume.card for volume in scenario.volumes]
    return list({card.name: card for card in cards}.values())


def named_drives(volume: VolumeSpec) -> str:
    """The drives of a volume, as messages name them: some-drive, 8 x some-drive."""
    name = volume.card.name
    return name if volume.drives == 1 else f"{volume.drives} x {name}"

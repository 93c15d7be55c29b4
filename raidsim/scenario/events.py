"""Possible events of a scenario: one class for each kind of ``[[event]]``.

A class has the keys of its kind, describes the event in words, and says whether it begins something
that lasts. `raidsim.control.course` has its effect on a running system, and
`raidsim.scenario.event_checks` the conditions between events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator

from raidsim import units
from raidsim.cards import Card
from raidsim.scenario.event import EventSpec
from raidsim.scenario.fields import Choice, Count, Flag, Quantity, as_list, key
from raidsim.scenario.models import CACHE_CHOICES
from raidsim.scenario.part import Name

Span = Annotated[float | None, Quantity("time", above="0 s", high="8760 h")]
Rate = Annotated[float | None, Quantity("share", low="1 %")]
Sample = Annotated[float | None, Quantity("share", low="0.001 %")]
DriveNumber = Annotated[int, Count(0, 1023)]
Offset = Annotated[int, Quantity("size", sectors=True)]

SPIN_UP = "spindle.start_time"
AIRFLOW = "airflow from then on, relative to that for which the server is approved"
ONLY_VOLUME = "the only volume"
ONLY_CONTROLLER = "the only controller"


class _OnVolume(EventSpec):
    """Something that happens to a volume."""

    volume: Name = key("volume that it happens to", None, ONLY_VOLUME)


class _OnDrive(_OnVolume):
    """Something that happens to one drive of a volume."""

    drive: DriveNumber = key("number of the drive, counted from 0")

    @property
    def which(self) -> str:
        """The drive in words."""
        return f"drive {self.drive} of {self.volume}"


class _OnLoad(EventSpec):
    """Something that happens to a load."""

    load: Name = key("load that it is about", None, "the only load")


class _OnController(EventSpec):
    """Something that happens to a controller."""

    controller: Name = key("controller that it happens to", None, ONLY_CONTROLLER)


def _for(meaning: str) -> Span:
    """The key ``for``, which is a word of Python."""
    found: Span = key(meaning, None, "for good", alias="for")
    return found


def _rate() -> Rate:
    found: Rate = key(
        "share of the time that it works while the host has I/Os under way",
        None, "as the volume has it",
    )  # fmt: skip
    return found


def _sample() -> Sample:
    found: Sample = key(
        "share of the rows that are simulated, evenly spread; times are extrapolated",
        None, "as the volume has it",
    )  # fmt: skip
    return found


class DriveFailure(_OnDrive):
    """A drive answers every command with an error; a hot spare takes its place if one is left."""

    KIND: ClassVar[str] = "drive-failure"

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.which} fails"


class SlowDrive(_OnDrive):
    """A drive takes longer for every command: it retries inside, or its head is about to fail."""

    KIND: ClassVar[str] = "slow-drive"
    delay: Annotated[float, Quantity("time", above="0 s", high="1 h")] = key(
        "time that each command takes longer"
    )
    lasting: Span = _for("how long it does so")

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.which} becomes slow, {_time(self.delay)} a command more"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.which} is as fast as before"


class LatentErrors(_OnDrive):
    """Sectors of a drive cannot be read any more; nobody knows until they are read."""

    KIND: ClassVar[str] = "latent-errors"
    offsets: Annotated[tuple[Offset, ...], BeforeValidator(as_list)] | None = key(
        "byte addresses on the drive", None, "none; give offsets or count"
    )
    count: Annotated[int, Count(1, 100_000)] | None = key(
        "number of sectors, at random places of the drive", None, "none; give offsets or count"
    )

    @property
    def number(self) -> int:
        """The number of sectors."""
        return self.count or len(self.offsets or ())

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        sectors = "a sector" if self.number == 1 else f"{self.number:,} sectors"
        return f"{sectors} of {self.which} can no longer be read"


class Replacement(_OnDrive):
    """A new drive is put in for a failed one: its rebuild, or a controller's copy-back, begins."""

    KIND: ClassVar[str] = "replacement"
    OPERATION: ClassVar[bool] = True
    rate: Rate = _rate()
    sample: Sample = _sample()

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.which} is replaced"


class Rebuild(_OnDrive):
    """A drive that was missing from the start, or is out of date, is rebuilt."""

    KIND: ClassVar[str] = "rebuild"
    OPERATION: ClassVar[bool] = True
    rate: Rate = _rate()
    sample: Sample = _sample()

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"rebuild of {self.which} begins"


class CopyBack(_OnDrive):
    """A controller copies the data of a hot spare to the drive in whose place it stands."""

    KIND: ClassVar[str] = "copy-back"
    OPERATION: ClassVar[bool] = True
    rate: Rate = _rate()
    sample: Sample = _sample()

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"copy-back to {self.which} begins"


class ConsistencyCheck(_OnVolume):
    """All of every stripe is read, or all copies; what does not agree is put right."""

    KIND: ClassVar[str] = "consistency-check"
    OPERATION: ClassVar[bool] = True
    rate: Rate = _rate()
    sample: Sample = _sample()

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"consistency check of {self.volume} begins"


class Initialisation(_OnVolume):
    """A volume is written with zeros: all of it, or only its first and last rows."""

    KIND: ClassVar[str] = "initialisation"
    OPERATION: ClassVar[bool] = True
    method: Annotated[str, Choice(("full", "fast"))] = key(
        "full: zeros to all drives; fast: only to the first and the last rows", "full"
    )
    rate: Rate = _rate()
    sample: Sample = _sample()

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.method} initialisation of {self.volume} begins"


class Patrol(_OnVolume):
    """Every drive is read in the background; what cannot be read is repaired."""

    KIND: ClassVar[str] = "patrol"
    OPERATION: ClassVar[bool] = True
    rate: Rate = _rate()
    sample: Sample = _sample()

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"patrol read of {self.volume} begins"


class Battery(_OnController):
    """The battery of a controller is in another state, and write-back in effect or not."""

    KIND: ClassVar[str] = "battery"
    state: Annotated[str, Choice(("good", "low", "learning", "absent"))] = key(
        "its state from then on"
    )
    lasting: Span = _for("duration, until the earlier state is back")

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"battery of {self.controller}: {self.state}"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        return f"battery of {self.controller} as before"


class Policy(_OnVolume):
    """An administrator sets policies of a volume anew: cache modes, the pace of rebuilds."""

    KIND: ClassVar[str] = "policy"
    write: Annotated[str | None, Choice(CACHE_CHOICES["write"])] = key(
        "write mode of the cache from then on; with through, dirty data goes to the drives at once",
        None, "as before",
    )  # fmt: skip
    read_ahead: Annotated[str | None, Choice(CACHE_CHOICES["read_ahead"])] = key(
        "read mode of the cache from then on", None, "as before"
    )
    io: Annotated[str | None, Choice(CACHE_CHOICES["io"])] = key(
        "I/O mode of the cache from then on", None, "as before"
    )
    rate: Rate = key(
        "share of the time that background work takes while the host has I/Os"
        " under way; it also applies to background work under way", None, "as before",
    )  # fmt: skip

    @property
    def modes(self) -> dict[str, str]:
        """The modes of the cache that it sets."""
        found = {key: getattr(self, key) for key in CACHE_CHOICES}
        return {key: value for key, value in found.items() if value is not None}

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        parts = [f"{key} = {value}" for key, value in self.modes.items()]
        parts += [] if self.rate is None else [f"rate = {_share(self.rate)}"]
        return f"policy of {self.volume}: {', '.join(parts)}"


class LearnCycle(_OnController):
    """The battery of a controller is discharged and charged, to learn its capacity."""

    KIND: ClassVar[str] = "learn-cycle"
    lasting: Annotated[float, Quantity("time", above="0 s", high="8760 h")] = key(
        "how long it takes", alias="for"
    )

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"learn cycle of {self.controller} begins"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        return f"learn cycle of {self.controller} is over"


class FanFailure(EventSpec):
    """A fan fails: the drives of a volume, or all drives, get less air."""

    KIND: ClassVar[str] = "fan-failure"
    airflow: Annotated[float, Quantity("share")] = key(AIRFLOW)
    lasting: Span = _for("duration, until it is replaced")
    volume: Name | None = key("volume whose drives it cools", None, "all drives")

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        where = "" if self.volume is None else f" of {self.volume}"
        return f"a fan{where} fails, {_share(self.airflow)} airflow is left"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        return "the fan is replaced"


class Air(EventSpec):
    """The air at the drives changes: the room warms up, a filter is cleaned."""

    KIND: ClassVar[str] = "air"
    ambient: Annotated[float | None, Quantity("temperature", low="-40 C", high="90 C")] = key(
        "temperature of the air at the drives from then on", None, "as before"
    )
    airflow: Annotated[float | None, Quantity("share")] = key(
        AIRFLOW, None, "as before",
    )  # fmt: skip
    volume: Name | None = key("volume whose drives it is about", None, "all drives")

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        parts = [] if self.ambient is None else [units.text(self.ambient, "temperature")]
        parts += [] if self.airflow is None else [f"{_share(self.airflow)} airflow"]
        where = "" if self.volume is None else f" at {self.volume}"
        return f"air{where}: {', '.join(parts)}"


class ControllerFailure(_OnController):
    """A controller stops; after an outage its partner serves its volumes, or it is repaired."""

    KIND: ClassVar[str] = "controller-failure"
    partner: Name | None = key(
        "controller that takes over", None, "none: nobody serves its volumes"
    )
    outage: Annotated[float, Quantity("time", high="24 h")] = key(
        "time until the partner serves its volumes, or without a partner until it is repaired",
        "20 s",
    )
    lasting: Span = _for(
        "with a partner: time until the controller serves its volumes again itself"
    )
    mirrored: Annotated[bool, Flag()] = key(
        "the partner has a copy of its cache; without a copy its dirty data is lost", True
    )

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.controller} fails"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        if self.partner is None:
            return f"{self.controller} is repaired"
        return f"{self.partner} serves the volumes of {self.controller}"

    @property
    def span(self) -> float:
        """See :class:`EventSpec`."""
        return self.outage


class LinkLoss(EventSpec):
    """A cable or an expander fails, and with it all drives behind it."""

    KIND: ClassVar[str] = "link-loss"
    link: Name = key("link that is lost", None, "the only link")
    lasting: Span = _for("duration, until it is back")

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.link} is lost"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.link} is back"


class ImportCache(_OnController):
    """What a controller kept of a volume that went offline goes to its drives."""

    KIND: ClassVar[str] = "import-cache"

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.controller} imports its pinned cache"


class DiscardCache(_OnController):
    """What a controller kept of a volume that went offline is thrown away."""

    KIND: ClassVar[str] = "discard-cache"

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.controller} discards its pinned cache"


class PowerCut(EventSpec):
    """Power is cut, everywhere at once, and comes back."""

    KIND: ClassVar[str] = "power-cut"
    outage: Annotated[float, Quantity("time", high="8760 h")] = key(
        "time until power is back", "60 s"
    )
    boot: Annotated[float, Quantity("time", high="1 h")] = key(
        "time from then on until hosts have booted; disks spin up meanwhile", "60 s"
    )

    def away(self, drives: Sequence[Card]) -> float:
        """Return the seconds until hosts have booted and these drives have spun up."""
        starts = [one.number(SPIN_UP) for one in drives if SPIN_UP in one.about.by_name]
        return self.outage + max(self.boot, *starts, 0.0)

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return "power is cut"

    @property
    def words_of_end(self) -> str:
        """See :class:`EventSpec`."""
        return "power is back, and hosts issue I/Os"


class LoadStart(_OnLoad):
    """A load begins; until its first such event it does not run."""

    KIND: ClassVar[str] = "load-start"

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.load} starts"


class LoadStop(_OnLoad):
    """A load issues no more."""

    KIND: ClassVar[str] = "load-stop"

    @property
    def words(self) -> str:
        """See :class:`EventSpec`."""
        return f"{self.load} stops"


KINDS: dict[str, type[EventSpec]] = {
    kind.KIND: kind
    for kind in (
        DriveFailure, SlowDrive, LatentErrors, Replacement, Rebuild, CopyBack, ConsistencyCheck,
        Initialisation, Patrol, Battery, LearnCycle, Policy, FanFailure, Air, ControllerFailure,
        LinkLoss, ImportCache, DiscardCache, PowerCut, LoadStart, LoadStop,
    )
}  # fmt: skip
"""Every kind of event by its name."""


def _time(seconds: float) -> str:
    return units.text(seconds, "time")


def _share(share: float) -> str:
    return units.text(share, "share")

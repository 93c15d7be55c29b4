"""Facts about the parts of a scenario, independent of the load: plain data, as in results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Power:
    """Electric power as the cards say it, in W; None where a card does not give it."""

    idle: float | None
    active: float | None  # under load, at most


@dataclass(frozen=True)
class VolumeFacts:
    """The facts of a volume that do not depend on a run."""

    name: str
    level: str
    drives: int
    drive: str  # name of the card
    raw_bytes: int  # of all its drives
    usable_bytes: int
    failures_tolerated: int  # any drives, without loss of data
    failed: list[int]  # drives that had failed before the run began
    power_w: Power  # of its drives


@dataclass(frozen=True)
class LinkFacts:
    """The bandwidth from a controller or link to the part above it, each way."""

    name: str
    to: str
    speed: str  # kind and generation of its lanes
    lanes: int
    mbps: float  # payload
    drives: int  # below it
    arriving_mbps: float  # what they can deliver together for long
    oversubscription: float  # arriving over carried: above 1 it holds the drives back


@dataclass(frozen=True)
class HybridFacts:
    """The facts of a hybrid that do not depend on a run."""

    name: str
    mode: str  # "cache" or "tier"
    front: str  # names of volumes
    back: str
    front_bytes: int  # of the front that it uses
    usable_bytes: int
    block_bytes: int


@dataclass(frozen=True)
class SystemPower:
    """Power of everything whose card says it, in W."""

    idle: float
    active: float
    without: list[str]  # cards that do not say it

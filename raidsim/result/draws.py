"""The effect of unknown values of cards in a result: plain data, as in :mod:`raidsim.result`."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Share:
    """One value of a card, and how much of what the draws differ by it explains."""

    card: str  # of the scenario that has it, be it of its own or of a base
    value: str  # of its attributes
    share: float  # of the variance over the draws, 0..1
    own: float  # what the card says, in its unit
    low: float  # 95 % of what is drawn of it lie from here, in that unit
    high: float  # to here
    unit: str


@dataclass(frozen=True)
class Figure:
    """One figure of a full run, and where it is in nine of ten cases by what is not known."""

    name: str  # as in "iops", "mbps", "read latency p99", "rebuild of data"
    unit: str
    value: float  # of the full run
    low: float | None  # 5 % lie below: of the draws, with what models leave out; None with few
    high: float | None  # 5 % lie above
    draws: int  # that have it
    shares: list[Share] = field(default_factory=list)  # noticeable shares, the largest first
    left_out: float | None = None  # share of the variance that models leave out; of all, 0..1


@dataclass(frozen=True)
class PointUnknowns:
    """One point of the result, or what a search came to."""

    load: str
    outstanding: int | None
    rate: float | None
    saturated: int  # draws that could not carry an open load
    figures: list[Figure]


@dataclass(frozen=True)
class Experiment:
    """A measurement of one part that would tell the value that matters most."""

    card: str
    value: str
    text: str  # what to measure, in words
    job: str  # the same as a job file of fio; empty where fio can't tell


@dataclass(frozen=True)
class Unknowns:
    """The uncertainty of a result that comes from unknown values of cards."""

    draws: int  # beside the cards as they are
    seed: int  # of the draws
    values: int  # of cards that are unknown, and were drawn
    ios: int  # of each short run, at least; 0 where runs have an end of their own
    failed: int  # draws that could not be run
    drawn_in: int  # draws in which values did not fit together, and were taken halfway back
    points: list[PointUnknowns]
    experiments: list[Experiment] = field(default_factory=list)  # for the first point
    problems: list[str] = field(default_factory=list)  # why draws could not be run, each once

"""The results of a replayed trace: in sections of time, and compared with the trace itself.

The sections are equally long. When there are too many of them, neighbours are merged, so a trace
may have any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.replay import TraceFeed
from raidsim.kernel import tables as t
from raidsim.observe import figures
from raidsim.observe.tally import OPS, Tally, tally
from raidsim.result import Latency, Replayed, Stretch
from raidsim.scenario import LoadSpec
from raidsim.stats.histogram import BINS, demerit
from raidsim.system.system import System
from raidsim.units import MIB, NS_PER_S

FIRST_STEP = 1_000_000  # ns
MOST = 128


@dataclass
class _Part:
    """The counts between two moments, with only the bins of the histograms that are in use."""

    start: int
    end: int
    ios: NDArray[np.int64]
    bytes: int
    passed: NDArray[np.int64]
    bins: list[NDArray[np.int64]]
    counts: list[NDArray[np.int64]]

    def with_next(self, other: _Part) -> _Part:
        """Return one part that consists of this part and the next one."""
        bins, counts = [], []
        for op in OPS.values():
            both, place = np.unique(
                np.concatenate((self.bins[op], other.bins[op])), return_inverse=True
            )
            together = np.concatenate((self.counts[op], other.counts[op]))
            bins.append(both)
            counts.append(np.bincount(place, together, len(both)).astype(np.int64))
        return _Part(
            self.start,
            other.end,
            self.ios + other.ios,
            self.bytes + other.bytes,
            self.passed + other.passed,
            bins,
            counts,
        )

    def stretch(self, origin: int) -> Stretch:
        """The figures of this part."""
        seconds = (self.end - self.start) / NS_PER_S
        latencies = {}
        for kind, op in OPS.items():
            histogram = np.zeros(BINS, np.int64)
            histogram[self.bins[op]] = self.counts[op]
            latencies[kind] = figures.latency_of(int(self.ios[op]), int(self.passed[op]), histogram)
        return Stretch(
            start_s=(self.start - origin) / NS_PER_S,
            end_s=(self.end - origin) / NS_PER_S,
            iops=int(self.ios.sum()) / seconds,
            mbps=self.bytes / MIB / seconds,
            latency_ms=latencies,
        )


class Watch:
    """The I/Os of some streams, stretch by stretch, from the present time on."""

    def __init__(self, system: System, streams: Sequence[int]) -> None:
        self.system = system
        self.streams = list(streams)
        self.step = FIRST_STEP
        self.origin = self.since = system.now
        self.parts: list[_Part] = []
        self.last: Tally = tally(system, self.streams, histograms=True)

    @property
    def due(self) -> int:
        """When the present stretch ends, ns."""
        return self.origin + (len(self.parts) + 1) * self.step

    def take(self) -> None:
        """The present stretch ends when it is due."""
        self._close(self.due)
        if len(self.parts) == MOST:
            pairs = zip(self.parts[::2], self.parts[1::2], strict=True)
            self.parts = [one.with_next(other) for one, other in pairs]
            self.step *= 2

    def stretches(self) -> list[Stretch]:
        """All stretches so far; the last may be shorter."""
        if self.system.now > self.since:
            self._close(self.system.now)
        return [part.stretch(self.origin) for part in self.parts]

    def _close(self, end: int) -> None:
        now = tally(self.system, self.streams, histograms=True)
        before, after = self.last.histograms, now.histograms
        assert before is not None
        assert after is not None
        rise = after - before
        bins = [np.flatnonzero(rise[op]) for op in OPS.values()]
        self.parts.append(
            _Part(
                self.since,
                end,
                now.ios - self.last.ios,
                int((now.bytes - self.last.bytes).sum()),
                now.passed - self.last.passed,
                bins,
                [rise[op][bins[op]] for op in OPS.values()],
            )
        )
        self.last, self.since = now, end


def replayed(
    system: System, load: LoadSpec, streams: Sequence[int], stretches: list[Stretch]
) -> Replayed:
    """Return the replay of the trace of a load, as far as it has run."""
    assert load.trace is not None
    (stream,) = streams
    feed = cast(TraceFeed, system.feeds[stream])
    issued = int(system.world.streams[stream]["issued"])
    feed.count(issued)
    histograms, passed = feed.measured.histograms, feed.measured.passed
    measured: dict[str, Latency | None] = {
        kind: figures.latency_of(int(histograms[op].sum()), int(passed[op]), histograms[op])
        for kind, op in OPS.items()
    }
    samples = int(histograms.sum())
    simulated = system.world.latencies[system.accounts(streams), : t.FLUSH].sum(axis=(0, 1))
    mean = float(passed.sum()) / samples if samples else 0.0
    changes, survey = feed.changes, feed.plan.survey
    left_out = {
        "trims": 0 if feed.takes_trims else survey.trims,
        "of no bytes": survey.empty,
        "flushes of a hybrid": 0 if feed.takes_flushes else survey.flushes,
    }
    requests = survey.requests + survey.empty
    left_out["after the end of the run"] = requests - sum(left_out.values()) - issued
    changed = {"to whole sectors": changes.rounded, load.trace.beyond: changes.moved}
    return Replayed(
        file=load.trace.file,
        format=feed.format,
        replay=load.trace.replay,
        speed=load.trace.speed,
        requests=requests,
        issued=issued,
        not_replayed={reason: number for reason, number in left_out.items() if number},
        changed={how: number for how, number in changed.items() if number},
        measured_ms=measured,
        demerit=demerit(histograms.sum(axis=0), simulated, mean),
        stretches=stretches,
    )


def warnings(load: LoadSpec, found: Replayed, remarks: Sequence[str]) -> list[str]:
    """Return the differences from the trace, in words."""
    assert load.trace is not None
    said = [f"{load.trace.file}: {remark}" for remark in remarks]
    if found.not_replayed:
        parts = ", ".join(f"{number:,} {why}" for why, number in found.not_replayed.items())
        said.append(f"of {found.requests:,} requests of the trace are not replayed: {parts}")
    if number := found.changed.get("to whole sectors"):
        said.append(f"{number:,} requests of the trace were rounded out to whole sectors")
    if number := found.changed.get("wrap"):
        said.append(f"{number:,} requests lay beyond the volume, and were moved to its start")
    if number := found.changed.get("scale"):
        said.append(f"{number:,} requests lay beyond the volume: all addresses were scaled")
    return said

"""The meaning of a load that replays a trace: its requests, their area, and whether they fit.

The whole trace is read once for this, when its scenario is read. The findings are kept as long as
the file stays the same, so that a scenario may be read again at no cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from raidsim import progress, units
from raidsim.errors import InputError, Problem, quote, quoted
from raidsim.scenario.finding import Finding
from raidsim.scenario.load_spec import SizeShare
from raidsim.scenario.replay import Replay
from raidsim.trace import TraceFile, open_trace
from raidsim.trace.survey import Survey, chosen, survey

MOST_SIZES = 64
LONG = 50 * 10**6
"""Bytes of a file from which on people are told that it is read, which takes some seconds."""

APART = 2**20
"""Several volumes of a trace lie one behind the other: each begins at a multiple of it, bytes."""

SAID_BY_THE_TRACE = (
    "read", "trim", "random", "size", "sizes", "align", "area", "workers", "partitions",
    "outstanding", "rate", "rate_distribution", "arrivals", "within", "within_percentile", "burst",
    "think", "think_distribution", "hot", "zones", "zipf", "once", "flush_every",
)  # fmt: skip
"""Keys of a load that say what a trace says."""


@dataclass(frozen=True)
class Plan:
    """The part of a trace that a load replays.

    Attributes
    ----------
    survey : of the requests that are replayed.
    starts : by index of volume of the trace, where it begins in the volume of the load, bytes.
    size : the first byte behind all requests, in the volume of the load.
    remarks : what is not as it should be with the file, in words.
    """

    survey: Survey
    starts: Mapping[int, int]
    size: int
    remarks: tuple[str, ...]


def beside(replay: Replay, folder: Path | None) -> Replay:
    """A replay whose path starts at ``folder`` if it leads nowhere from the current folder."""
    try:
        elsewhere = folder is not None and not Path(replay.file).exists()
    except (OSError, ValueError):
        return replay
    return replay._replace(file=str(folder / replay.file)) if folder and elsewhere else replay


def plan(replay: Replay) -> Plan:
    """Go through the trace of a load.

    Raises
    ------
    InputError
        The file cannot be read, its format is not known for certain, or there is nothing in it
        that could be replayed.
    """
    try:
        state = Path(replay.file).stat()
    except (OSError, ValueError):
        return _plan(replay, 0, 0)  # the reader says what is wrong
    return _plan(replay, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16)
def _plan(replay: Replay, _: int, size: int) -> Plan:
    trace = opened(replay)
    if size > LONG:
        progress.tell(f"reading {Path(replay.file).name}")
    found = survey(chosen(trace, replay.volumes, *stretch_of(replay)))
    names = trace.volumes
    if replay.volumes is None and len(found.ends) > 1:
        some = quoted(names[index] for index in sorted(found.ends)[:8])
        more = ", ..." if len(found.ends) > 8 else ""
        raise _wrong(
            f"has {len(found.ends)} volumes: {some}{more}",
            "name those to replay: volumes = [...]; they lie one behind the other",
        )
    for name in replay.volumes or ():
        if name not in names:
            known = quoted(names[:8])
            raise _wrong(f"has no volume {quote(name)}", f"there are {known}" if known else None)
    if not found.requests:
        part = " in this slice" if replay.slice else ""
        raise _wrong(f"has no read, write or flush{part}", None)
    starts, end = {}, 0
    for index in sorted(found.ends):
        starts[index] = end
        end = -(-(end + found.ends[index]) // APART) * APART
    last = max(found.ends)
    size = starts[last] + found.ends[last]
    return Plan(found, starts, size, tuple(trace.counts.sentences()))


def opened(replay: Replay) -> TraceFile:
    """The trace of a load, to be read from its start."""
    return open_trace(
        replay.file,
        replay.format,
        replay.columns,
        action=cast(Any, replay.action),
        sector=replay.sector,
    )


def told(problem: Problem) -> Finding:
    """Return problems of a trace as problems of the load that replays it.

    What is an option of a command is a key in a scenario; a line of the trace is not one of the
    scenario, so its number belongs to the words, or else the name of the trace does.
    """
    name = (problem.key or "").removeprefix("--")
    where = f"{name}: " if name in Replay._fields else ""
    if problem.file is not None and problem.line is None:
        where += f"{problem.file}: "
    if problem.line is not None:
        where += f"line {problem.line:,} of the trace: "
    return "trace", where + problem.cause, problem.remedy


def stretch_of(replay: Replay) -> tuple[float, float]:
    """From when to when a trace is replayed, s since its first request."""
    return (0.0, float("inf")) if replay.slice is None else (replay.slice[0], replay.slice[1])


def meant(values: Mapping[str, Any], found: Plan, around: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request keys of a load that replays a trace, as its trace gives them."""
    replay: Replay = values["trace"]
    sector = int(around.get("sector", units.SECTOR))
    capacity = int(around.get("capacity") or found.size)
    sizes = mix(found.survey, sector)
    end = min(-(-found.size // sector) * sector, capacity)
    outstanding = {"closed": replay.outstanding, "gaps": 1}.get(replay.replay)
    return {
        "sizes": sizes,
        "align": max(found.survey.alignment, sector),
        "area": values["area"]._replace(offset=0, size=max(end, sizes[-1].size)),
        "outstanding": None if outstanding is None else (outstanding,),
    }


def mix(found: Survey, sector: int) -> tuple[SizeShare, ...]:
    """The sizes of the requests in whole sectors, with their shares of reads and random accesses.

    The most frequent ones, and the largest; each of the others counts as the next larger of these.
    """
    together: dict[int, list[int]] = {}
    for size, count in found.sizes.items():
        whole = -(-size // sector) * sector
        sums = together.setdefault(whole, [0, 0, 0])
        sums[0] += count.reads
        sums[1] += count.writes
        sums[2] += count.sequential
    frequent = sorted(together, key=lambda size: -sum(together[size][:2]))[: MOST_SIZES - 1]
    kept = sorted({*frequent, max(together)}) if together else [sector]
    merged = {size: [0, 0, 0] for size in kept}
    for size, sums in together.items():
        place = next(one for one in kept if one >= size)
        merged[place] = [a + b for a, b in zip(merged[place], sums, strict=True)]
    total = sum(sum(sums[:2]) for sums in merged.values())
    return tuple(
        SizeShare(
            size,
            (reads + writes) / total if total else 1.0,
            reads / max(reads + writes, 1),
            1.0 - follows / max(reads + writes, 1),
        )
        for size, (reads, writes, follows) in merged.items()
    )


def _wrong(cause: str, remedy: str | None) -> InputError:
    return InputError([Problem(None, None, None, cause, remedy)])

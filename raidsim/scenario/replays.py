"""What a load that replays a trace means: which requests, how far they reach, whether they fit.

The trace is gone through once for that, when its scenario is read. What was found is kept for as
long as the file stays the same, so that a scenario may be read again at no cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from raidsim import units, waits
from raidsim.errors import InputError, Problem, quote, quoted
from raidsim.scenario.models import SizeShare
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

YEAR_S = 365.25 * 86_400.0
MOST_YEARS = 100
"""Years that a replay may take: the kernel's clock ends after 146."""

Finding = tuple[str, str, str | None]


@dataclass(frozen=True)
class Plan:
    """What a load replays of a trace.

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
        waits.tell(f"reading {Path(replay.file).name}")
    found = survey(chosen(trace, replay.volumes, *stretch_of(replay)))
    names = trace.volumes
    if replay.volumes is None and len(found.ends) > 1:
        some = quoted(names[index] for index in sorted(found.ends)[:8])
        more = ", ..." if len(found.ends) > 8 else ""
        raise _wrong(
            f"has {len(found.ends)} volumes: {some}{more}",
            "say which, as in volumes = [...]; several lie one behind the other",
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
    """What is wrong with a trace, said of the load that replays it.

    What is an option of a command is a key in a scenario; a line of the trace is not one of the
    scenario, so its number belongs to the words.
    """
    name = (problem.key or "").removeprefix("--")
    where = f"{name}: " if name in Replay._fields else ""
    if problem.line is not None:
        where += f"line {problem.line:,} of the trace: "
    return "trace", where + problem.cause, problem.remedy


def stretch_of(replay: Replay) -> tuple[float, float]:
    """From when to when a trace is replayed, s since its first request."""
    return (0.0, float("inf")) if replay.slice is None else (replay.slice[0], replay.slice[1])


def meant(values: Mapping[str, Any], found: Plan, around: Mapping[str, Any]) -> dict[str, Any]:
    """What a load that replays a trace would have said of its requests itself."""
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


def check_keys(replay: Replay, table: Mapping[str, Any]) -> Iterator[Finding]:
    """What does not fit together: the keys of a trace, and those of the load beside it."""
    for key in SAID_BY_THE_TRACE:
        if table.get(key) is not None:
            yield key, "cannot stand beside trace", "the trace says it: leave it out"
    if replay.replay == "closed" and replay.outstanding is None:
        remedy = "write outstanding = 32 in it: how many requests are under way"
        yield "trace", "is a closed replay without outstanding", remedy
    if replay.replay != "closed" and replay.outstanding is not None:
        remedy = 'write replay = "closed", or leave outstanding out'
        yield "trace", f'has outstanding, and its replay is "{replay.replay}"', remedy
    if replay.replay == "closed" and replay.speed != 1.0:
        cause = "has a speed, and a closed replay has no times that it could change"
        yield "trace", cause, "leave speed out"
    if replay.slice is not None and not (
        len(replay.slice) == 2 and replay.slice[0] < replay.slice[1]
    ):
        yield "trace", "has a slice that is no stretch of time", 'write slice = ["0 s", "60 s"]'
    if replay.volumes is not None and not replay.volumes:
        yield "trace", "has an empty list of volumes", "name one at least, or leave it out"
    for name, times in Counter(replay.volumes or ()).items():
        if times > 1:
            yield "trace", f"has the volume {quote(name)} more than once", "name it once"


def check(replay: Replay, found: Plan, around: Mapping[str, Any]) -> Iterator[Finding]:
    """Whether the requests fit into a run, and into the volume, as far as that is known."""
    years = (found.survey.last - found.survey.first) / replay.speed / YEAR_S
    if replay.replay != "closed" and years > MOST_YEARS:
        cause = f"takes {units.plain(years, 2)} years from its first request to its last"
        yield "trace", cause, f"a run ends after {MOST_YEARS}: take a slice, or more speed"
    capacity = around.get("capacity")
    if capacity is None:
        return
    longest = found.survey.longest
    if longest > capacity:
        its, room = _sizes(longest, capacity)
        cause = f"has a request of {its}, and the volume has {room}"
        yield "trace", cause, "make the volume larger"
    elif found.size > capacity and replay.beyond == "refuse":
        its, room = _sizes(found.size, capacity)
        cause = f"ends at {its}, beyond the volume of {room}"
        yield "trace", cause, 'make the volume larger, or write beyond = "wrap" or "scale"'


def _wrong(cause: str, remedy: str | None) -> InputError:
    return InputError([Problem(None, None, None, cause, remedy)])


def _sizes(*numbers: int) -> list[str]:
    """Sizes to be compared: rounded, unless they then look the same."""
    rounded = [units.capacity_for_people(number) for number in numbers]
    if len(set(rounded)) == len(set(numbers)):
        return rounded
    return [units.text(number, "size") for number in numbers]

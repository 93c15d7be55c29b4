"""Conditions between the keys of a replay, its load, its trace and the volume."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from raidsim import units
from raidsim.errors import quote
from raidsim.scenario.finding import Finding
from raidsim.scenario.replay import Replay
from raidsim.scenario.replays import SAID_BY_THE_TRACE, Plan

MOST_YEARS = 100
"""Years that a replay may take: the kernel's clock ends after 146."""

MORE_THAN_PRINTED = 1.001
"""A drive of 500 GB holds 500.11 GB, and one of 12 TB 12.0001: what is printed is rounded down."""


def check_replay_keys(replay: Replay, table: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield conflicts between the keys of a trace and those of the load beside it."""
    for key in SAID_BY_THE_TRACE:
        if table.get(key) is not None:
            yield key, "cannot be used with trace, which gives it", "leave it out"
    if replay.replay == "closed" and replay.outstanding is None:
        remedy = "write outstanding = 32 in it: how many requests are under way"
        yield "trace", "is a closed replay, and outstanding is missing", remedy
    if replay.replay != "closed" and replay.outstanding is not None:
        remedy = 'write replay = "closed", or leave outstanding out'
        yield "trace", f'has outstanding, and its replay is "{replay.replay}"', remedy
    if replay.replay == "closed" and replay.speed != 1.0:
        cause = "has a speed, and a closed replay has no times to change"
        yield "trace", cause, "leave speed out"
    if replay.slice is not None and not (
        len(replay.slice) == 2 and replay.slice[0] < replay.slice[1]
    ):
        cause = "has a slice that does not end after its beginning"
        yield "trace", cause, 'write slice = ["0 s", "60 s"]'
    if replay.volumes is not None and not replay.volumes:
        yield "trace", "has an empty list of volumes", "name one at least, or leave it out"
    for name, times in Counter(replay.volumes or ()).items():
        if times > 1:
            yield "trace", f"has the volume {quote(name)} more than once", "name it once"


def check_replay(replay: Replay, found: Plan, around: Mapping[str, Any]) -> Iterator[Finding]:
    """Check that the requests fit into a run, and into the volume, as far as that is known."""
    years = (found.survey.last - found.survey.first) / replay.speed / units.CALENDAR_YEAR_S
    if replay.replay != "closed" and years > MOST_YEARS:
        cause = f"lasts {units.plain(years, 2)} years from its first request to its last"
        yield (
            "trace",
            cause,
            f"a run ends after {MOST_YEARS} years: give a slice, or a higher speed",
        )
    capacity = around.get("capacity")
    if capacity is None:
        return
    longest = found.survey.longest
    if longest > capacity:
        its, room = units.sizes_to_compare(longest, capacity)
        cause = f"has a request of {its}, and the volume has {room}"
        yield "trace", cause, "make the volume larger"
    elif found.size > capacity and replay.beyond == "refuse":
        its, room = units.sizes_to_compare(found.size, capacity)
        cause = f"ends at {its}, beyond the volume of {room}"
        remedy = "make the volume larger"
        if found.size <= MORE_THAN_PRINTED * capacity:
            remedy = (
                "drives hold a little more than is printed on them: write what each of these"
                ' holds, as in set = { "capacity.user" = "12000138625024 B" }'
            )
        yield "trace", cause, f'{remedy}, or write beyond = "wrap" or "scale"'

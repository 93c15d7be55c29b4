"""What must hold of the lines of every cache, at any time and under every policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from raidsim.kernel import tables as t
from raidsim.kernel.replacement import POLICIES
from raidsim.kernel.replacement.tables import QUEUES
from raidsim.system.system import System


def chain(rows: Any, first: int, link: str) -> list[int]:
    """Indices of a list, from its first on."""
    found = []
    index = int(first)
    while index != t.NONE:
        found.append(index)
        assert len(found) <= len(rows), "a list without an end"
        index = int(rows[index][link])
    return found


def held_lines(system: System, row: Any) -> list[int]:
    """Lines in use, as the index finds them."""
    first, lines = int(row["first_bucket"]), system.world.lines
    heads = system.world.buckets_of_lines[first : first + int(row["buckets"])]
    return [index for head in heads for index in chain(lines, head, "chain")]


def check(system: System, largest: int | None = None) -> None:
    """The lists, sums and ghosts of caches of up to so many lines agree with their lines."""
    for row in system.world.caches[: system.count("caches")]:
        if largest is not None and row["lines"] > largest:
            continue
        lines = system.world.lines
        held = held_lines(system, row)
        sums = [0] * QUEUES
        for index in held:
            sums[lines[index]["queue"]] += int(lines[index]["size"])
        assert row["held"].tolist() == sums
        assert row["used"] == sum(sums) <= row["size"]
        listed = []
        for queue in range(QUEUES):
            mine = chain(lines, row["newest"][queue], "older")
            assert mine[::-1] == chain(lines, row["oldest"][queue], "newer")
            assert all(lines[index]["queue"] == queue for index in mine)
            listed += mine
        unclean = lines["dirty"] | lines["busy"] | lines["coming"]
        assert sorted(listed) == sorted(index for index in held if unclean[index] == 0)
        assert row["clean"] == sum(int(lines[index]["size"]) for index in listed)
        assert row["hand"] == t.NONE or row["hand"] in listed
        if POLICIES[row["policy"]].ghosts:
            _check_ghosts(system, row, {int(lines[index]["key"]) for index in held})


def _check_ghosts(system: System, row: Any, held: set[int]) -> None:
    past, ghosts = system.world.histories[row["history"]], system.world.ghosts
    heads = ghosts["head"][past["first"] : past["first"] + past["rows"]]
    found = [index for head in heads for index in chain(ghosts, head, "chain")]
    listed = []
    for queue in range(QUEUES):
        mine = chain(ghosts, past["newest"][queue], "older")
        assert mine[::-1] == chain(ghosts, past["oldest"][queue], "newer")
        assert all(ghosts[index]["queue"] == queue for index in mine)
        assert past["bytes"][queue] == ghosts["size"][mine].sum()
        listed += mine
    assert sorted(listed) == sorted(found)
    assert len(found) == past["count"] <= past["most"]
    keys = ghosts["key"][found].tolist()
    assert len(set(keys)) == len(keys)
    assert not held & set(keys), "what is in the cache is no ghost"
    free = chain(ghosts, past["free"], "chain")
    assert np.isin(free, found).sum() == 0
    assert len(free) + len(found) == past["fresh"] - past["first"]
    assert 0 <= past["target"] <= row["size"]

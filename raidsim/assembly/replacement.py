"""Replacement policies of caches: the rows of the tables that a policy needs."""

from __future__ import annotations

from typing import Any

from raidsim.kernel.replacement import NUMBERS, POLICIES
from raidsim.kernel.replacement.tables import GHOSTS, HISTORIES
from raidsim.system.system import System


def fields(system: System, name: str, lines: int) -> dict[str, Any]:
    """The fields of the row of a new cache, with so many lines, that are about its policy.

    Ghosts, as many as lines, are added only if the policy has any.
    """
    number = NUMBERS[name]
    history = 0
    if POLICIES[number].ghosts:
        history = system.append("histories")
        rows = 1 << max(lines - 1, 0).bit_length()
        first = system.append("ghosts", rows)
        system.set_row("histories", history, first=first, rows=rows, most=lines)
        _empty(system, history)
    return {"policy": number, "history": history}


def forget(system: System, cache: int) -> None:
    """Let the policy of a cache remember nothing of the lines that are gone."""
    row = system.world.caches[cache]
    if POLICIES[row["policy"]].ghosts:
        _empty(system, int(row["history"]))


def _empty(system: System, history: int) -> None:
    row = system.world.histories[history]
    first, rows = int(row["first"]), int(row["rows"])
    ghosts = system.world.ghosts[first : first + rows]
    GHOSTS.switch_off(ghosts)
    HISTORIES.switch_off(row)
    row["fresh"] = first

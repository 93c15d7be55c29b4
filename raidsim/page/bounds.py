"""How much one visitor may ask for.

A page is used by many at once. A visitor who needs more can use ``raidsim run``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from raidsim.cards.toml_lines import KeyPath
from raidsim.scenario import Scenario
from raidsim.scenario.reading import LISTS

MOST_TEXT = 24 * 2**10
"""Characters of a scenario."""

MOST_LINES = 800
MOST_TABLES = 32
"""Tables of one kind, such as ``[[load]]``."""

MOST_KEYS = 100
"""Keys of one table, so that a text of nothing but wrong ones is refused at once."""

MOST_POINTS = 16
MOST_DRIVES = 64
MOST_WORKERS = 512
MOST_OUTSTANDING = 16_384
MOST_MACHINES = 256

RUN_S = 120.0
"""Seconds for which a run may use a worker, unless the command says otherwise."""

POINT_S = 20.0
"""Seconds for which a point of a turned knob may."""

COMPILE_S = 300.0
"""Seconds more, each time that a part of the kernel has to be compiled first."""

MOST_RUNS = 2
"""Runs that one visitor may have waiting or under way, beside points of turned knobs."""

MOST_TURNS = 16
"""Points of turned knobs that one visitor may have waiting or under way."""

MOST_WAITING = 400
"""What may wait in all, whoever asked for it."""

FORGOTTEN_S = 15.0
"""Seconds after which nobody is taken to wait for what nobody has asked after."""

KEPT = 400
"""Results that are kept for whoever asks for the same again."""

KEPT_BYTES = 256 * 2**20

MEMORY = 4 * 2**30
"""Bytes of memory that a worker may use."""

Wrong = tuple[KeyPath, str, str]

_HERE = "on this page; raidsim run takes more"


def too_long(text: str) -> str | None:
    """Return the message about a text that is too long to be read."""
    if len(text) > MOST_TEXT:
        return f"is longer than the {MOST_TEXT // 1024} KiB that may be given {_HERE}"
    if text.count("\n") >= MOST_LINES:
        return f"has more than the {MOST_LINES} lines that may be given {_HERE}"
    return None


def of_data(data: dict[str, Any]) -> Iterator[Wrong]:
    """Yield the parts of a text's tables that are too large for a closer look."""
    if len(data) > MOST_KEYS:
        yield (str(list(data)[MOST_KEYS]),), f"is key {MOST_KEYS + 1} of the text", "leave some out"
    for name in LISTS:
        tables = data.get(name)
        if not isinstance(tables, list):
            continue
        if len(tables) > MOST_TABLES:
            cause = f"is table {MOST_TABLES + 1} of its kind: too many {_HERE}"
            yield (name, MOST_TABLES), cause, f"give at most {MOST_TABLES}"
        for number, table in enumerate(tables[:MOST_TABLES]):
            if isinstance(table, dict) and len(table) > MOST_KEYS:
                yield (name, number), f"has more than {MOST_KEYS} keys", "leave some out"


def of_scenario(scenario: Scenario) -> Iterator[Wrong]:
    """Yield the parts of an otherwise valid scenario that are too large for the page."""
    if scenario.points > MOST_POINTS:
        swept = next(n for n, one in enumerate(scenario.loads) if len(one.intensities) > 1)
        key = "rate" if scenario.loads[swept].outstanding is None else "outstanding"
        cause = f"a sweep of {scenario.points} points is too long {_HERE}"
        yield ("load", swept, key), cause, f"give at most {MOST_POINTS}"
    drives = sum(volume.drives + volume.spares for volume in scenario.volumes)
    if drives > MOST_DRIVES:
        cause = f"{drives} drives in all are too many {_HERE}"
        yield ("volume", 0, "drives"), cause, f"give at most {MOST_DRIVES}"
    workers = sum(load.workers for load in scenario.loads)
    if workers > MOST_WORKERS:
        cause = f"{workers} workers in all are too many {_HERE}"
        yield ("load", 0, "workers"), cause, f"give at most {MOST_WORKERS}"
    under_way = sum(max(load.outstanding or (0,)) * load.workers for load in scenario.loads)
    if under_way > MOST_OUTSTANDING:
        cause = f"{under_way} outstanding I/Os in all are too many {_HERE}"
        yield ("load", 0, "outstanding"), cause, f"give at most {MOST_OUTSTANDING}"
    machines = sum(group.count for group in scenario.machines)
    if machines > MOST_MACHINES:
        cause = f"{machines} machines in all are too many {_HERE}"
        yield ("machine", 0, "count"), cause, f"give at most {MOST_MACHINES}"

"""How often a front of 200 blocks answers under each replacement policy: a table for a page."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from raidsim.cards.reference import table
from raidsim.control import Environment, Host, Hybrid, Volume
from raidsim.kernel.replacement import names

BLOCK = 4096
ROOM = 200  # blocks of the front
ITEMS = 2000  # blocks that are read again
READS = 16_000  # of which the second half counts
SEED = 1

Trace = list[int]


def zipf() -> Trace:
    """Independent reads: the block of rank r is read as often as 1 / r says."""
    rng = np.random.default_rng(SEED)
    shares = 1 / np.arange(1, ITEMS + 1)
    ranks = rng.choice(ITEMS, size=READS, p=shares / shares.sum())
    return rng.permutation(ITEMS)[ranks].tolist()


def with_scans() -> Trace:
    """The same; after each 800 reads come 400 of blocks that are read once."""
    popular, found, once = zipf(), [], ITEMS
    for first in range(0, READS, 800):
        found += popular[first : first + 800] + list(range(once, once + 400))
        once += 400
    return found[:READS]


def loop() -> Trace:
    """The same 300 blocks in order, over and over."""
    return [n % 300 for n in range(READS)]


def moving() -> Trace:
    """150 blocks at random; after each 1000 reads 50 of them are others."""
    rng = np.random.default_rng(SEED)
    return (np.arange(READS) // 1000 * 50 + rng.integers(0, 150, READS)).tolist()


TRACES: dict[str, Callable[[], Trace]] = {
    "Zipf": zipf,
    "Zipf and scans": with_scans,
    "a loop": loop,
    "a set that moves": moving,
}


def hit_rate(policy: str, trace: Trace) -> float:
    """Share of the second half of the reads, one at a time, that the front answers."""
    env = Environment(seed=SEED)
    host = Host(env, "fujitsu-rx300-s4")
    front, back = (Volume(env, "seagate-st373455ss", host, name=name) for name in ("front", "back"))
    size = f"{(max(trace) + 1) * BLOCK} B"
    room = f"{ROOM * BLOCK} B"
    hybrid = Hybrid(
        env, front, back, host, evict=policy, block=f"{BLOCK} B", size=size, front_size=room
    )

    def reader() -> Generator[Any, Any, None]:
        for number, block in enumerate(trace):
            if number == READS // 2:
                env.reset_window()
            yield hybrid.read(block * BLOCK, BLOCK)
            yield env.timeout(0.1)  # what was missed is in the front by then

    env.run(until=env.process(reader()))
    rate = hybrid.hit_rate
    assert rate is not None
    return rate


def hit_rates() -> str:
    """One row for each policy, one column for each trace."""
    traces = {name: make() for name, make in TRACES.items()}
    rows = [
        [f"`{policy}`", *(f"{hit_rate(policy, trace):.1%}" for trace in traces.values())]
        for policy in names()
    ]
    return table(["`evict`", *traces], rows)

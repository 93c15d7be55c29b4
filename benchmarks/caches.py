"""What a read through a hybrid costs under each replacement policy, against LRU.

Two thirds of the reads are hits, so that finding, using, evicting and taking blocks all count. The
policies take turns, so that what else the computer does falls on all of them.
"""

from __future__ import annotations

from typing import Any

from benchmarks.drives import filled, more
from benchmarks.measuring import Settings, Spent, Tell, middle, spend
from raidsim.control.model import build
from raidsim.kernel.replacement import names
from raidsim.scenario import from_data
from raidsim.system.system import System

NAME = "caches"
IOS = 200_000
OUTSTANDING = 4
FLASH = "intel-p3700-800gb"


def running(policy: str) -> System:
    """Reads of 4 KiB by Zipf's law, 16,384 blocks of 262,144 in the front, which is full."""
    data: dict[str, Any] = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [{"name": name, "drive": FLASH, "state": "fresh"} for name in ("front", "back")],
        "hybrid": [
            {
                "front": "front",
                "back": "back",
                "block": "4 KiB",
                "size": "1 GiB",
                "front_size": "64 MiB",
                "evict": policy,
                "warm": {},
            }
        ],
        "load": [{"read": "100 %", "size": "4 KiB", "outstanding": OUTSTANDING, "zipf": 0.99}],
    }
    return filled(build(from_data(data)), OUTSTANDING)


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure all policies, one repeat of each after the other."""
    ios = settings.size(IOS, 2_000)
    systems = {policy: running(policy) for policy in names()}
    spent: dict[str, list[Spent]] = {policy: [] for policy in systems}
    before = {policy: counts(system) for policy, system in systems.items()}
    for repeat in range(settings.repeats):
        for policy, system in systems.items():
            tell(f"{policy}, repeat {repeat + 1}")
            spent[policy].append(spend(lambda system=system: more(system, ios)))
    figures = []
    for policy, system in systems.items():
        reads, hits = (now - then for now, then in zip(counts(system), before[policy], strict=True))
        cost = middle(spent[policy])
        figures.append(
            {
                "policy": policy,
                "ios": ios,
                "hit_rate": hits / reads,
                "cpu_ns_per_io": cost.cpu / ios * 1e9,
                **cost.per(ios),
            }
        )
    lru = figures[0]["cpu_ns_per_io"]
    ratios = {f"access_{one['policy']}_to_lru": one["cpu_ns_per_io"] / lru for one in figures[1:]}
    return figures, ratios


def counts(system: System) -> tuple[int, int]:
    """Reads of the hybrid so far, and hits."""
    row = system.world.hybrids[0]
    return int(row["reads"]), int(row["hits"])


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    lru = figures[0]["cpu_ns_per_io"]
    return [
        (
            f"reads of a hybrid, {f['policy']}",
            f"{f['cpu_ns_per_io']:,.0f} ns of CPU time an I/O,"
            f" {f['cpu_ns_per_io'] / lru:.2f} times that of lru ({f['hit_rate']:.0%} hits)",
        )
        for f in figures
    ]

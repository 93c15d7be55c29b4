"""Small traces for tests, as files of MSR Cambridge, and scenarios that replay them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from raidsim.scenario import Scenario, from_data

Request = tuple[float, str, int, int]  # s, "Read" or "Write", offset and size in bytes
EPOCH = 128_166_372_003_061_629  # 100 ns since 1601


def msr(path: Path, requests: Iterable[Request], responses: Iterable[float] | None = None) -> Path:
    """A trace of one volume in the format of MSR Cambridge; response times in s."""
    rows = list(requests)
    times = [0.0] * len(rows) if responses is None else list(responses)
    lines = [
        f"{EPOCH + round(time * 1e7)},host,0,{op},{offset},{size},{round(response * 1e7)}"
        for (time, op, offset, size), response in zip(rows, times, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def at_random(seed: int, count: int, rate: float, area: int, write: float = 0.3) -> list[Request]:
    """Requests of 4 to 32 KiB at random times (Poisson) and places."""
    rng = np.random.default_rng(seed)
    times = np.round(np.cumsum(rng.exponential(1 / rate, count)), 7)
    times -= times[0]
    sizes = 4096 * rng.integers(1, 9, count)
    places = 4096 * rng.integers(0, area // 4096 - 8, count)
    ops = np.where(rng.random(count) < write, "Write", "Read")
    return [
        (float(a), str(b), int(c), int(d))
        for a, b, c, d in zip(times, ops, places, sizes, strict=True)
    ]


DISK = {"host": {"model": "fujitsu-rx300-s4"}, "volume": [{"drive": "seagate-st373455ss"}]}
FLASH = {
    "host": {"model": "fujitsu-rx2540-m1"},
    "volume": [{"drive": "intel-p3700-800gb", "state": "fresh"}],
}


def replay(hardware: Mapping[str, Any], path: Path, **keys: Any) -> Scenario:
    """A scenario whose only load replays a trace."""
    return from_data({**hardware, "load": [{"trace": {"file": str(path), **keys}}]})

"""A class on one page: a hundred visitors who each click every ten seconds, for a minute.

A click changes a key of the form and asks for a point. A third of the points are new; the others
were asked for before. It is bounded: 600 clicks, a minute, this computer only.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time

import httpx2
import pytest
from page_server import QUICK, started

VISITORS, EVERY_S, LASTING_S = 100, 10.0, 60.0
NEW = 1 / 3
KNOWN = 12  # states that all visitors share
PATIENCE_S = 60.0
PROMISED_S = 2.0  # at the median
SEED = 20261123


async def click(visitor: httpx2.AsyncClient, text: str) -> float:
    """Change a key, ask for a point and wait for it; how long that took."""
    began = time.perf_counter()
    edit = {"text": text, "path": ["load", 0, "read"], "value": "70 %"}
    answer = await visitor.post("/api/edit", json=edit)
    assert answer.status_code == 200, answer.text
    task = {"text": answer.json()["text"], "rough": True, "point": 1}
    answer = await visitor.post("/api/runs", json=task)
    while answer.status_code == 200 and answer.json()["state"] != "over":
        assert time.perf_counter() < began + PATIENCE_S
        await asyncio.sleep(0.3)
        answer = await visitor.get(f"/api/runs/{answer.json()['key']}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["shown"]["loads"][0]["rows"][0]["iops"] > 0
    return time.perf_counter() - began


async def visit(address: str, number: int, chance: random.Random) -> list[tuple[bool, float]]:
    """What one visitor does for a minute: whether each click was new, and how long it took."""
    found = []
    async with httpx2.AsyncClient(base_url=address, timeout=PATIENCE_S) as visitor:
        await asyncio.sleep(chance.uniform(0, EVERY_S))
        assert (await visitor.get("/")).status_code == 200
        for turn in range(int(LASTING_S / EVERY_S)):
            due = time.monotonic() + EVERY_S
            new = chance.random() < NEW
            seed = 1000 * (number + 1) + turn if new else chance.randrange(KNOWN)
            found.append((new, await click(visitor, f"seed = {seed}\n{QUICK}")))
            await asyncio.sleep(max(0.0, due - time.monotonic()))
    return found


async def everybody(address: str) -> list[tuple[bool, float]]:
    async with httpx2.AsyncClient(base_url=address, timeout=600) as first:
        await first.get("/")  # the workers start, and the kernel is compiled if need be
        await click(first, QUICK)
    chance = random.Random(SEED)
    visits = [visit(address, number, random.Random(chance.random())) for number in range(VISITORS)]
    return [one for found in await asyncio.gather(*visits) for one in found]


def test_a_hundred_visitors_are_answered_without_an_error_and_soon(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with started() as address:
        clicks = asyncio.run(everybody(address))
    times = sorted(seconds for _, seconds in clicks)
    new = [seconds for is_new, seconds in clicks if is_new]
    median = statistics.median(times)
    with capsys.disabled():
        print(
            f"\n{len(clicks)} clicks of {VISITORS} visitors, {len(new)} of them new (seed {SEED}):"
            f" median {median:.2f} s, of new ones {statistics.median(new):.2f} s,"
            f" 95 % within {times[int(0.95 * len(times))]:.2f} s, all within {times[-1]:.2f} s"
        )
    assert len(clicks) == VISITORS * int(LASTING_S / EVERY_S)
    assert median < PROMISED_S

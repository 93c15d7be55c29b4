"""The queue of the page: whose turn it is, what is shared, what is refused and what is dropped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from page_server import ENDLESS, QUICK, served, until_over

from raidsim.page import bounds, pool
from raidsim.page.job import Job, Kept, Outcome
from raidsim.page.pool import Pool, Refused


def queue(story: Callable[[Pool], Awaitable[None]]) -> None:
    """Let a story happen at a queue that nobody works at."""

    async def told() -> None:
        waiting = Pool(workers=0, limit_s=60.0, say=print)
        try:
            await story(waiting)
        finally:
            await waiting.end()

    asyncio.run(told())


async def ask(waiting: Pool, visitor: str, key: str, *, long: bool = False) -> Job:
    return await waiting.ask(visitor, key, {}, long=long, limit_s=1.0)


def test_visitors_take_turns_whoever_asked_for_how_much_and_when():
    async def story(waiting: Pool) -> None:
        eager = [await ask(waiting, "eager", f"e{n}") for n in range(3)]
        late = await ask(waiting, "late", "l0")
        assert [waiting.place(job) for job in [*eager, late]] == [1, 3, 4, 2]

    queue(story)


def test_equal_work_waits_once_and_stays_until_the_last_one_leaves():
    async def story(waiting: Pool) -> None:
        first, second = await ask(waiting, "a", "same"), await ask(waiting, "b", "same")
        assert first is second
        assert waiting.waiting() == 1
        assert waiting.stop("same", "a") is first
        assert first.state == "waiting"  # b waits for it
        waiting.leave("same", "a")
        waiting.leave("same", "b")
        assert first.state == "over"
        assert waiting.waiting() == 0

    queue(story)


@pytest.mark.parametrize(("long", "most"), [(True, bounds.MOST_RUNS), (False, bounds.MOST_TURNS)])
def test_one_visitor_may_wait_for_so_much_and_others_still_may(long, most):
    async def story(waiting: Pool) -> None:
        for number in range(most):
            await ask(waiting, "a", f"a{number}", long=long)
        with pytest.raises(Refused, match="stop one of them first"):
            await ask(waiting, "a", "one more", long=long)
        await ask(waiting, "b", "b", long=long)

    queue(story)


def test_the_queue_has_an_end():
    async def story(waiting: Pool) -> None:
        for number in range(bounds.MOST_WAITING):
            await ask(waiting, f"visitor {number}", str(number))
        with pytest.raises(Refused, match="try again"):
            await ask(waiting, "another", "another")

    queue(story)


def test_what_nobody_asks_after_is_dropped(monkeypatch):
    monkeypatch.setattr(bounds, "FORGOTTEN_S", 0.05)
    monkeypatch.setattr(pool, "FORGET_S", 0.01)

    async def story(waiting: Pool) -> None:
        gone = await ask(waiting, "gone", "gone")
        kept = await ask(waiting, "there", "kept")
        patience = time.monotonic() + 30
        while gone.state != "over" and time.monotonic() < patience:
            waiting.find("kept", "there")
            await asyncio.sleep(0.01)
        assert (gone.state, kept.state) == ("over", "waiting")

    queue(story)


def test_only_so_much_is_kept_and_what_was_asked_for_last_stays(monkeypatch):
    monkeypatch.setattr(bounds, "KEPT", 3)
    kept = Kept()
    for number in range(3):
        kept.put(str(number), Outcome({"json": "x"}))
    assert kept.get("0") is not None
    kept.put("3", Outcome({"json": "x"}))
    assert [kept.get(str(number)) is not None for number in range(4)] == [True, False, True, True]
    monkeypatch.setattr(bounds, "KEPT_BYTES", 10_000)
    kept.put("large", Outcome({"json": "x" * 100_000}))
    assert kept.get("large") is None  # it is larger than all that may be kept


def test_a_long_run_leaves_a_worker_free_for_points(monkeypatch):
    monkeypatch.setattr(bounds, "FORGOTTEN_S", 600.0)  # nobody asks after the two for a while
    with served(workers=2) as visitor:
        texts = [ENDLESS, ENDLESS.replace("24 h", "23 h")]
        states = [visitor.post("/api/runs", json={"text": text}).json() for text in texts]
        assert until_over(visitor, {"text": QUICK, "rough": True, "point": 0})["shown"]
        states = [visitor.get(f"/api/runs/{one['key']}").json() for one in states]
        assert [one["state"] for one in states] == ["running", "waiting"]
        assert states[1]["place"] == 1

"""Workers of the page, and the queue in front of them.

Each worker is a process (`raidsim.page.worker`): a run that takes too long is ended with its
process, and another process replaces it. Everything here is done on the event loop, which waits for
the workers and never computes.

Visitors take turns: the visitor who was served longest ago is next. Equal work is done once, and
its result is kept. Work that nobody waits for any more is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable
from typing import Any

from raidsim.page import bounds, frames
from raidsim.page.job import Job, Kept, Outcome

GRACE_S = 3.0
"""Seconds in which a run that is told to stop has to, before its process is ended."""

LOOK_S = 0.25
"""Seconds between two looks whether a run has used up its time."""

FORGET_S = 2.0
"""Seconds between two looks whether anybody still waits for what there is to do."""

STARTS = 3
"""Times that a worker may fail to start, one after the other, before it is given up."""

STOP_FIRST = "You have as many runs waiting as one visitor may: stop one of them first."
FULL = "Too many are waiting: try again in a minute."


class Refused(Exception):
    """Work that is not taken; the message says why."""


class Worker:
    """A process, and what goes to and fro."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._reading: asyncio.Future[dict[str, Any] | None] | None = None

    def say(self, message: dict[str, Any]) -> None:
        """Send it a message; if nobody reads it any more, the listener notices."""
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(frames.packed(message))

    async def hear(self, seconds: float | None) -> dict[str, Any] | None:
        """Return its next message; {} if that takes longer, None once it has ended."""
        if self.process.stdout is None:
            return None
        if self._reading is None:
            self._reading = asyncio.ensure_future(frames.arrived(self.process.stdout))
        await asyncio.wait([self._reading], timeout=seconds)
        if not self._reading.done():
            return {}
        heard, self._reading = self._reading.result(), None
        return heard

    async def end(self) -> None:
        """End it, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        if self._reading is not None:
            self._reading.cancel()
        await self.process.wait()


class Pool:
    """A queue of work, and the processes that do it.

    Parameters
    ----------
    workers
        How many processes.
    limit_s
        Seconds for which a run may use one.
    say
        Called with what whoever started the page should know.
    """

    def __init__(self, workers: int, limit_s: float, say: Callable[[str], None]) -> None:
        self.workers = workers
        self.limit_s = limit_s
        self.waits = ""  # what everybody waits for now, if they do
        self.kept = Kept()
        self._say = say
        self._jobs: dict[str, Job] = {}
        self._numbers: dict[int, Job] = {}
        self._told: dict[Job, Worker] = {}
        self._served: dict[str, float] = {}
        self._more = asyncio.Condition()
        self._warm = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._number = 0

    # -- what visitors ask for --------------------------------------------------------------

    def begin(self) -> None:
        """Start the workers, if they are not there yet: a page that nobody opens needs none."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._work(n)) for n in range(self.workers)]
            self._tasks.append(asyncio.create_task(self._forget()))

    async def end(self) -> None:
        """End all that is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def ask(
        self,
        visitor: str,
        key: str,
        task: dict[str, Any],
        *,
        long: bool,
        limit_s: float,
        turn: tuple[str, int] | None = None,
    ) -> Job:
        """Ask for work: what is known or under way already is not done again.

        What the visitor's page asked for in an earlier turn is not waited for any more.

        Raises
        ------
        Refused
            The visitor, or all together, have asked for enough.
        """
        self.begin()
        if turn is not None:
            self._turn(visitor, turn)
        known = self.kept.get(key)
        if known is not None and known.whole:
            job = Job(key, task, limit_s, long, visitor)
            job.finish(known)
            return job
        there = self._jobs.get(key)
        if there is not None and not there.stopped:
            there.ask(visitor)
            if turn is not None:
                there.turns[visitor] = turn
            return there
        mine = sum(visitor in job.seen and job.long == long for job in self._jobs.values())
        if mine >= (bounds.MOST_RUNS if long else bounds.MOST_TURNS):
            raise Refused(STOP_FIRST)
        if len(self._jobs) >= bounds.MOST_WAITING:
            raise Refused(FULL)
        job = Job(key, task, limit_s, long, visitor)
        job.ask(visitor)
        if turn is not None:
            job.turns[visitor] = turn
        self._jobs[key] = job
        async with self._more:
            self._more.notify_all()
        return job

    def _turn(self, visitor: str, turn: tuple[str, int]) -> None:
        """Leave what is of an earlier turn of the same page."""
        for job in list(self._jobs.values()):
            page, number = job.turns.get(visitor, ("", 0))
            if page == turn[0] and number < turn[1]:
                self.leave(job.key, visitor)

    def find(self, key: str, visitor: str) -> Job | None:
        """Work that somebody waits for, and asks after."""
        job = self._jobs.get(key)
        if job is not None:
            job.ask(visitor)
        return job

    def leave(self, key: str, visitor: str) -> None:
        """Wait no longer; what nobody waits for is stopped."""
        job = self._jobs.get(key)
        if job is None:
            return
        job.seen.pop(visitor, None)
        job.turns.pop(visitor, None)
        if not job.seen:
            self._stop(job)

    def stop(self, key: str, visitor: str) -> Job | None:
        """Stop the work that a visitor waits for, if nobody else waits for it; results stay."""
        job = self._jobs.get(key)
        if job is not None and set(job.seen) <= {visitor}:
            self._stop(job)
        return job

    def place(self, job: Job) -> int:
        """Return the place of a job in the queue, from 1 on; 0 if it does not wait."""
        order = self._order()
        return order.index(job) + 1 if job in order else 0

    def waiting(self) -> int:
        """Return the number of waiting jobs."""
        return sum(job.state == "waiting" for job in self._jobs.values())

    # -- the next visitor --------------------------------------------------------------------

    def _order(self) -> list[Job]:
        """Jobs that wait, as they will be done: one of each visitor in turn."""
        turns: dict[str, int] = {}
        ranked = []
        for arrived, job in enumerate(self._jobs.values()):
            if job.state == "waiting":
                turn = turns[job.owner] = turns.get(job.owner, 0) + 1
                ranked.append((turn, self._served.get(job.owner, 0.0), arrived, job))
        return [job for *_, job in sorted(ranked, key=lambda one: one[:3])]

    def _next(self) -> Job | None:
        """The next job that may begin: long ones leave a worker free for short ones."""
        running = sum(job.state == "running" and job.long for job in self._jobs.values())
        room = running < max(1, self.workers - 1)
        return next((job for job in self._order() if room or not job.long), None)

    # -- what workers do --------------------------------------------------------------------

    async def _work(self, place: int) -> None:
        """Keep one worker busy."""
        worker = None
        try:
            while True:
                if worker is None:
                    worker = await self._start(place)
                async with self._more:
                    while (job := self._next()) is None:
                        await self._more.wait()
                    job.state = "running"
                    self._served[job.owner] = time.monotonic()
                if not await self._do(job, worker):
                    await worker.end()
                    worker = None
        finally:
            if worker is not None:
                await worker.end()

    async def _start(self, place: int) -> Worker:
        """Start a worker; the first one compiles the kernel, if that has to be, for all."""
        if place:
            await self._warm.wait()
        for _ in range(STARTS):
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "raidsim.page.worker",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
            worker = Worker(process)
            try:
                if await self._is_ready(worker):
                    return worker
            except asyncio.CancelledError:
                await worker.end()
                raise
            await worker.end()
        self._say("A worker process cannot be started; nothing is simulated.")
        self.waits = "Nothing is simulated: worker processes cannot be started."
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def _is_ready(self, worker: Worker) -> bool:
        """Return whether a worker gets so far as to work."""
        while (heard := await worker.hear(None)) is not None:
            if "compiles" in heard:
                self.waits = "The kernel is being compiled, once: this takes two or three minutes."
                self._say(self.waits)
            if "ready" in heard:
                if self.waits:
                    self.waits = ""
                    self._say("The kernel is compiled.")
                self._warm.set()
                return True
        return False

    async def _do(self, job: Job, worker: Worker) -> bool:
        """Let a worker do a job; whether it can do another one."""
        self._number += 1
        number = self._number
        job.began = time.monotonic()
        job.ends_at = job.began + job.limit_s
        self._told[job] = worker
        self._numbers[number] = job
        worker.say(job.task | {"number": number})
        found, alive = None, True
        try:
            while found is None and alive:
                heard = await worker.hear(LOOK_S)
                if heard is None:
                    alive = False
                    found = _problem("The worker ended, perhaps for lack of memory.")
                elif heard.get("number") == number and "done" in heard:
                    found = heard["done"]
                elif heard.get("number") == number:
                    job.tell(heard)
                if found is None and time.monotonic() > job.ends_at:
                    alive = self._interrupt(job)
            if found is None or "stopped" in found:
                found = _problem(_ended(job))
            elif job.stopped:
                found = found | {"cut": _cut(job)}
            self._finish(job, Outcome(found, whole=alive and not job.stopped))
        finally:
            self._told.pop(job, None)
            self._numbers.pop(number, None)
        async with self._more:
            self._more.notify_all()
        return alive

    def _interrupt(self, job: Job) -> bool:
        """Tell a run whose time is over to stop; False if it was told already, and did not."""
        if job.stopped:
            return False
        self._tell_to_stop(job)
        return True

    def _stop(self, job: Job) -> None:
        if job.state == "waiting":
            self._finish(job, Outcome(_problem("It was stopped before it began."), whole=False))
        elif not job.stopped:
            self._tell_to_stop(job)

    def _tell_to_stop(self, job: Job) -> None:
        number = next((n for n, one in self._numbers.items() if one is job), None)
        if number is not None:
            job.stopped = True
            job.ends_at = time.monotonic() + GRACE_S
            self._told[job].say({"stop": number})

    def _finish(self, job: Job, outcome: Outcome) -> None:
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]
        self.kept.put(job.key, outcome)
        job.finish(outcome)

    async def _forget(self) -> None:
        """Drop what nobody asks after any more."""
        while True:
            await asyncio.sleep(FORGET_S)
            now = time.monotonic()
            for job in list(self._jobs.values()):
                for visitor, last in list(job.seen.items()):
                    if now > last + bounds.FORGOTTEN_S:
                        self.leave(job.key, visitor)
            least = now - 3600
            self._served = {one: at for one, at in self._served.items() if at > least}


def _problem(words: str) -> dict[str, Any]:
    return {"problems": [{"line": None, "words": words}]}


def _cut(job: Job) -> str:
    if job.limit_s > time.monotonic() - job.began:
        return "It was stopped: what was measured until then is here."
    return f"{_too_long(job)} What was measured until then is here."


def _ended(job: Job) -> str:
    if job.limit_s > time.monotonic() - job.began:
        return "It was stopped before any point was finished."
    return f"{_too_long(job)} No point was finished until then."


def _too_long(job: Job) -> str:
    return f"It was stopped after {job.limit_s:.0f} s, the longest that it may take on this page."

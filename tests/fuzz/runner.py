"""Attempts of several targets side by side, in processes that may hang or die."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tests.fuzz import attempts

PROGRESS = 60.0  # s from one line that says how far it is to the next
PREPARING = 900.0  # s that a target may take before its first attempt: it compiles


@dataclass
class Tally:
    """What became of the attempts of one target."""

    target: str
    begun: int = 0
    done: int = 0
    faults: int = 0
    seconds: float = 0.0
    under_way: int = 0
    kinds: set[str] = field(default_factory=set)


@dataclass
class Found:
    """An attempt that did not hold."""

    target: str
    number: int
    kind: str
    text: str
    is_new: bool


class Worker:
    """A process that makes one attempt after the other."""

    def __init__(self, folder: str, name: str) -> None:
        self.log = Path(folder) / name
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=attempts.serve, args=(theirs, str(self.log)), daemon=True
        )
        self.process.start()
        theirs.close()
        self.tally: Tally | None = None
        self.number: int | None = None
        self.since = 0.0

    def ask(self, tally: Tally, seed: int, number: int | None) -> None:
        """Let it make an attempt, or only prepare for the target."""
        self.tally, self.number, self.since = tally, number, time.monotonic()
        self.pipe.send((tally.target, seed, number))

    def end(self) -> str:
        """End it, whatever it does, and read where it was."""
        if self.process.is_alive():
            os.kill(self.process.pid or 0, attempts.DUMP)
            time.sleep(0.2)
            self.process.kill()
        self.process.join()
        self.pipe.close()
        return self.log.read_text() if self.log.exists() else ""


class Runner:
    """Shares time among targets, and counts.

    Parameters
    ----------
    targets
        Names or paths of targets.
    seed
        With the target's name and the attempt's number it gives all random numbers.
    seconds, most
        Where it ends: time in all, attempts of each target; None for no such end.
    limit
        Wall-clock time that one attempt may take, s.
    processes
        How many attempts are made side by side.
    first
        Number of the first attempt.
    """

    def __init__(
        self,
        targets: list[str],
        seed: int,
        *,
        seconds: float | None,
        most: int | None,
        limit: float,
        processes: int,
        first: int = 0,
    ) -> None:
        self.tallies = [Tally(target, begun=first) for target in targets]
        self.seed = seed
        self.seconds = seconds
        self.last = None if most is None else first + most
        self.limit = limit
        self.processes = processes

    def run(self, tell: Callable[[Found], None], say: Callable[[str], None]) -> bool:
        """Make the attempts, tell each fault, and say how far it is; whether all held."""
        with tempfile.TemporaryDirectory() as folder:
            workers = iter(Worker(folder, f"worker{n}") for n in range(10**9))
            team: list[Worker] = []
            try:
                for _ in range(self.processes):  # one by one: the first one compiles for all
                    team.append(next(workers))
                    self._prepare(team[-1])
                until = None if self.seconds is None else time.monotonic() + self.seconds
                said = time.monotonic()
                while asked := self._give_out(team, until):
                    if time.monotonic() >= said + PROGRESS:
                        said = time.monotonic()
                        say(", ".join(f"{t.target} {t.done}" for t in self.tallies))
                    for one in self._ready(asked):
                        if self._take(one, tell):
                            team[team.index(one)] = next(workers)
            finally:
                for one in team:
                    one.end()
        return not any(tally.faults for tally in self.tallies)

    def _prepare(self, worker: Worker) -> None:
        for tally in self.tallies:
            worker.ask(tally, self.seed, None)
            if not worker.pipe.poll(PREPARING):
                raise RuntimeError(f"{tally.target}: not ready after {PREPARING:g} s")
            try:
                worker.pipe.recv()
            except EOFError:
                raise RuntimeError(f"{tally.target} cannot be prepared; see above") from None
            worker.tally = None

    def _give_out(self, team: list[Worker], until: float | None) -> list[Worker]:
        """Give every idle process an attempt of the target that has had least time."""
        is_over = until is not None and time.monotonic() >= until
        for worker in team:
            open_ones = [t for t in self.tallies if self.last is None or t.begun < self.last]
            if worker.tally is None and open_ones and not is_over:
                tally = min(open_ones, key=lambda t: (t.seconds + t.under_way * _mean(t), t.begun))
                tally.under_way += 1
                tally.begun += 1
                worker.ask(tally, self.seed, tally.begun - 1)
        return [worker for worker in team if worker.tally is not None]

    def _ready(self, asked: list[Worker]) -> Iterator[Worker]:
        """Those that have an answer, have died or take too long."""
        now = time.monotonic()
        patience = max(min(one.since + self.limit for one in asked) - now, 0.0)
        connections: list[Connection] = [one.pipe for one in asked]
        answered = wait(connections, timeout=patience)
        for one in asked:
            if one.pipe in answered or time.monotonic() >= one.since + self.limit:
                yield one

    def _take(self, worker: Worker, tell: Callable[[Found], None]) -> bool:
        """Count an attempt that has ended, one way or another; whether its process is gone."""
        tally, number = worker.tally, worker.number
        assert tally is not None
        assert number is not None
        is_gone = False
        try:
            how = worker.pipe.recv() if worker.pipe.poll() else ("hang", "")
        except EOFError:
            how = ("death", "")
        taken = time.monotonic() - worker.since
        if how is not None and how[0] in ("hang", "death"):
            is_gone = True
            where = worker.end()
            what = (
                f"not over after {self.limit:g} s"
                if how[0] == "hang"
                else f"its process has ended: exit code {worker.process.exitcode}"
            )
            how = (f"{how[0]} {what}", f"{what}\n{where}")
        tally.seconds += taken
        tally.under_way -= 1
        tally.done += 1
        worker.tally = None
        if how is not None:
            tally.faults += 1
            tell(Found(tally.target, number, how[0], how[1], how[0] not in tally.kinds))
            tally.kinds.add(how[0])
        return is_gone


def _mean(tally: Tally) -> float:
    """Time that an attempt of a target takes, s; a guess before the first."""
    return tally.seconds / tally.done if tally.done else 0.01

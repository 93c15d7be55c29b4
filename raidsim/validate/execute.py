"""Running jobs side by side, on threads or in processes.

The kernel releases the interpreter's lock while it computes, so threads do; but many short runs
wait for each other while they are built, and in processes they do not. Every job is a simulation of
its own with its own seed, so the results are the same whatever the number of workers, what
they are, and the order in which they end.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass

from raidsim.errors import InputError, Problem
from raidsim.result import Result
from raidsim.system import breath
from raidsim.validate.jobs import Job

Simulate = Callable[[Job], Result]

SWITCH = 0.0005
"""Seconds for which a thread may hold the interpreter's lock while others come out of the kernel.

They come out often and for a short time; with the usual 5 ms they would mostly wait.
"""

MANY = 40
"""Jobs from which on processes gain more than the second or two that they take to start."""


@dataclass(frozen=True)
class Progress:
    """How many runs are done; ``label`` names the one that ended last."""

    done: int
    total: int
    label: str


OnProgress = Callable[[Progress], None]


def simulate(job: Job) -> Result:
    """Run one job in the simulator."""
    from raidsim.running import run  # noqa: PLC0415  (loads the kernel)
    from raidsim.scenario import load  # noqa: PLC0415

    return run(load(job.scenario, overrides=job.all_overrides()), progress=_go_on)


def _go_on(_at: object) -> None:
    """End the run that says how far it is, if nobody waits for it any more."""
    breath.take()


def execute(
    jobs: Sequence[Job],
    simulate: Simulate = simulate,
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    in_order: bool = False,
    processes: bool = False,
) -> dict[Job, Result]:
    """Run the jobs and return their results, in the order of the jobs.

    Parameters
    ----------
    jobs
        Distinct jobs.
    simulate
        What runs one job; must be safe to call from several threads.
    workers
        How many at a time; None for one per processor that this process may use.
    on_progress
        Called in the caller's thread whenever a job has ended.
    in_order
        Begin them in their order; else the widest first.
    processes
        Run many jobs in processes, which start the program's main module anew: it must allow that.

    Raises
    ------
    InputError
        Problems of all jobs whose scenario or overrides are wrong, each once.
    """
    # The widest runs first, so that no long one is left over for the end.
    ordered = jobs if in_order else sorted(jobs, key=lambda job: -job.width)
    problems: dict[Problem, None] = {}
    results: dict[Job, Result] = {}
    pool = _pool(workers or _processors(), processes and len(jobs) >= MANY)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        running: dict[Future[Result], Job] = {pool.submit(simulate, job): job for job in ordered}
        waiting = set(running)
        while waiting:
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ended:
                job = running[future]
                try:
                    results[job] = future.result()
                except InputError as error:
                    problems |= dict.fromkeys(error.problems)
                if on_progress is not None:
                    done = len(running) - len(waiting)
                    on_progress(Progress(done, len(running), str(job)))
    except KeyboardInterrupt:
        breath.stop()
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        breath.allow()
        sys.setswitchinterval(usual)
    if problems:
        raise InputError(problems)
    return {job: results[job] for job in jobs}


def _pool(workers: int, processes: bool) -> Executor:
    if not processes or workers == 1:
        return ThreadPoolExecutor(workers)
    anew = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=anew, initializer=_leave_interrupts)


def _leave_interrupts() -> None:
    """Let Ctrl-C be for the process that waits, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""Many runs side by side, on threads or in processes: variants in, rows out.

A variant is what one run is about: anything that a function makes a row of. The kernel releases
the interpreter's lock while it computes, so threads do; but many short runs wait for each other
while they are built, and in processes they do not. Every variant is a simulation of its own with
its own seed, so the rows are the same whatever the number of workers, what they are, and the order
in which they end.
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
from typing import TypeVar

from raidsim.errors import InputError, Problem
from raidsim.system import breath

Variant = TypeVar("Variant")
Row = TypeVar("Row")

SWITCH = 0.0005
"""Seconds for which a thread may hold the interpreter's lock while others come out of the kernel.

They come out often and for a short time; with the usual 5 ms they would mostly wait.
"""

MANY = 40
"""Variants from which on processes gain more than the second or two that they take to start."""


@dataclass(frozen=True)
class Progress:
    """How many variants are done; ``label`` names the one that ended last."""

    done: int
    total: int
    label: str


OnProgress = Callable[[Progress], None]


def go_on(_at: object = None) -> None:
    """End the run that says how far it is, if nobody waits for it any more."""
    breath.take()


def execute(
    variants: Sequence[Variant],
    simulate: Callable[[Variant], Row],
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    first: Callable[[Variant], float] | None = None,
    processes: bool = False,
) -> list[Row]:
    """Make a row of each variant, and return the rows in the order of the variants.

    Parameters
    ----------
    variants
        What is simulated; as a text each is a short label.
    simulate
        What makes a row of one; must be safe to call from several threads.
    workers
        How many at a time; None for one per processor that this process may use.
    on_progress
        Called in the caller's thread whenever a variant has ended.
    first
        Variants for which this is least begin first, so that no long one is left over for the
        end; None begins them in their order.
    processes
        Run many variants in processes, which start the program's main module anew: it must allow
        that, and ``simulate`` must be a function of a module.

    Raises
    ------
    InputError
        Problems of all variants that are wrong, each once.
    KeyboardInterrupt
        At Ctrl-C; all runs have ended then.
    """
    order = list(range(len(variants)))
    if first is not None:
        order.sort(key=lambda number: first(variants[number]))
    problems: dict[Problem, None] = {}
    rows: dict[int, Row] = {}
    pool = _pool(workers or processors(), processes and len(variants) >= MANY)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        running: dict[Future[Row], int] = {
            pool.submit(simulate, variants[number]): number for number in order
        }
        waiting = set(running)
        done = 0
        while waiting:
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=lambda one: running[one]):
                number = running[future]
                try:
                    rows[number] = future.result()
                except InputError as error:
                    problems |= dict.fromkeys(error.problems)
                done += 1
                if on_progress is not None:
                    on_progress(Progress(done, len(running), str(variants[number])))
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
    return [rows[number] for number in range(len(variants))]


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pool(workers: int, processes: bool) -> Executor:
    if not processes or workers == 1:
        return ThreadPoolExecutor(workers)
    anew = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=anew, initializer=_leave_interrupts)


def _leave_interrupts() -> None:
    """Let Ctrl-C be for the process that waits, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

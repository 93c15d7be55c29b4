"""Many runs side by side: variants in, rows out, with any kind of workers.

A variant is the subject of one run: anything from which a function makes a row. Three kinds of
workers make rows, and one loop hands them out:

* threads, for a few long runs: the kernel releases the interpreter's lock while it computes;
* processes of this computer (joblib's), for many short runs: threads would wait for each other
  while runs are built;
* a Dask cluster, whose scheduler is given by its address.

Every variant is a separate simulation with its own seed, so the rows are the same for any number
and kind of workers, and any order in which they end. Processes and clusters get variants in chunks,
a few at a time, so that a hundred thousand of them do not overload a scheduler. A chunk whose
worker was lost is given to another one.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from multiprocessing.resource_tracker import ensure_running
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, TypeVar

from raidsim import progress
from raidsim.errors import InputError, Problem
from raidsim.workers import garbage_collector
from raidsim.workers.cluster import cluster_of

Variant = TypeVar("Variant")
Row = TypeVar("Row")

SWITCH = 0.0005
"""Seconds for which a thread may hold the interpreter's lock while others come out of the kernel.

They come out often and for a short time; with the usual 5 ms they would mostly wait.
"""

MANY = 40
"""Variants from which on processes gain more than the second or two that they take to start.

Once they are there, they get fewer too.
"""

MOST_OF_A_CHUNK = 4
CHUNKS_OF_A_WORKER = 16
"""Chunks are so small that each worker gets many: none is left with much when others are done."""

MOST_ALIKE = 16
"""Variants of a chunk at most, if they are alike."""

AHEAD = 3
"""Chunks that are handed out for each worker: one that it works on, and some that wait for it."""

KEPT_S = 60
"""Seconds for which processes that have nothing to do wait for more."""

KEPT_BYTES = 2 * 2**30
"""What a worker may grow by: it keeps the pasts of drives. joblib takes 300 MB for a leak, and ends
the worker, which then has to be started anew, without them."""

LOOK_S = 0.2
"""Seconds between two looks of a worker whether the process that began it is still there."""

TRIES = 3
"""Times that a chunk is given out, if workers are lost over it."""


@dataclass(frozen=True)
class Progress:
    """The number of completed variants; ``label`` names the one that ended last."""

    done: int
    total: int
    label: str


OnProgress = Callable[[Progress], None]


def execute(
    variants: Sequence[Variant],
    simulate: Callable[[Variant], Row],
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    on_row: Callable[[int, Row], None] | None = None,
    first: Callable[[Variant], float] | None = None,
    alike: Callable[[Variant], object] | None = None,
    processes: bool = False,
    cluster: str | None = None,
) -> list[Row]:
    """Make a row of each variant, and return the rows in the order of the variants.

    Parameters
    ----------
    variants
        What is simulated; as a text each is a short label.
    simulate
        What makes a row of one; must be safe to call from several threads.
    workers
        How many at a time; None for one per processor that this process may use. A cluster has
        its own number.
    on_progress
        Called in the caller's thread whenever variants have ended.
    on_row
        Called there with the number and the row of each variant that has ended.
    first
        Variants for which this is least begin first, so that no long one is left over for the
        end; None begins them in their order.
    alike
        Neighbours with an equal value go to one process in larger chunks: it keeps what they
        share, such as the past of a drive. None: no variants are alike.
    processes
        Run many variants in processes; ``simulate`` and the variants must be such as can be
        pickled.
    cluster
        Address of the scheduler of a Dask cluster, which runs them; as for processes.

    Raises
    ------
    InputError
        ``workers`` is no number of them; problems of all variants, each once; nothing answers at
        the address; or workers were lost, three times, over the same variants.
    KeyboardInterrupt
        At Ctrl-C; all runs have ended then.
    """
    if workers is not None and (type(workers) is not int or workers < 1):
        cause = f"{workers!r} is not a whole number from 1 on"
        raise InputError([Problem(None, None, "workers", cause, "leave it out: one per processor")])
    order = list(range(len(variants)))
    if first is not None:
        order.sort(key=lambda number: first(variants[number]))
    keys = order if alike is None else [alike(variants[number]) for number in order]
    rows: dict[int, Row] = {}
    problems: dict[Problem, None] = {}
    done = 0
    many = processes and (len(variants) >= MANY or _there.size() > 0)
    with (
        _pool(workers, len(variants), many, cluster) as pool,
        closing(_made(pool, variants, pool.chunks(order, keys), simulate)) as made,
    ):
        for number, row in made:
            done += 1
            if isinstance(row, InputError):
                problems |= dict.fromkeys(row.problems)
            else:
                rows[number] = row
                if on_row is not None:
                    on_row(number, row)
            if on_progress is not None:
                on_progress(Progress(done, len(variants), str(variants[number])))
    if problems:
        raise InputError(problems)
    return [rows[number] for number in range(len(variants))]


def begin(call: Callable[[], object], workers: int | None = None) -> None:
    """Let processes begin while it is still read what they are to run.

    Parameters
    ----------
    call
        What each does first, such as to load the simulator; can be pickled.
    workers
        How many :func:`execute` will be asked for.
    """
    count = workers or processors()
    if count == 1:
        return
    with _processes(count) as made:
        pool = made()
        with _undisturbed():
            for _ in range(count):
                pool.submit(call)


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# -- handing out --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pool:
    """Workers: what they are reached by, how many, and what is said of those that are gone."""

    executor: Executor
    workers: int
    chunked: bool
    again: Callable[[], Executor]
    lost: tuple[type[BaseException], ...] = ()
    ahead: int = AHEAD

    def chunks(self, order: Sequence[int], keys: Sequence[object]) -> list[tuple[int, ...]]:
        """Numbers of variants, in chunks; of one, if nothing is gained by more."""
        if not self.chunked:
            return [(number,) for number in order]
        size = len(order) // (self.workers * CHUNKS_OF_A_WORKER)
        size = max(1, min(size, MOST_OF_A_CHUNK))
        found: list[list[int]] = []
        before: object = None
        for number, key in zip(order, keys, strict=True):
            room = MOST_ALIKE if key == before else size
            if found and len(found[-1]) < room:
                found[-1].append(number)
            else:
                found.append([number])
            before = key
        return [tuple(chunk) for chunk in found]


def _made(
    pool: _Pool,
    variants: Sequence[Variant],
    chunks: Sequence[tuple[int, ...]],
    simulate: Callable[[Variant], Row],
) -> Generator[tuple[int, Row | InputError]]:
    """Rows with their numbers, as they are made."""
    waiting = list(chunks)[::-1]
    tries = dict.fromkeys(waiting, 0)
    executor = pool.executor
    running: dict[Future[list[Row | InputError]], tuple[int, ...]] = {}
    over: SimpleQueue[Future[list[Row | InputError]]] = SimpleQueue()
    try:
        while waiting or running:
            while waiting and len(running) < pool.ahead * pool.workers:
                chunk = waiting.pop()
                given = [variants[number] for number in chunk]
                try:
                    with nullcontext() if isinstance(executor, _Alone) else _undisturbed():
                        future = executor.submit(_work, simulate, given)
                        running[future] = chunk
                        future.add_done_callback(over.put)
                except pool.lost:  # what is running there ends with the same error, and is awaited
                    waiting.append(chunk)
                    break
            if not running:
                tries[waiting[-1]] += 1
                if tries[waiting[-1]] >= TRIES:
                    raise _over(str(variants[waiting[-1][0]]))
                executor = pool.again()
                continue
            lost = False
            ended = [one for one in _all_of(over) if one in running]
            for future in sorted(ended, key=lambda one: running[one]):
                chunk = running.pop(future)
                try:
                    made = future.result()
                except pool.lost:
                    lost = True
                    tries[chunk] += 1
                    if tries[chunk] >= TRIES:
                        raise _over(str(variants[chunk[0]])) from None
                    waiting.append(chunk)
                    continue
                except CancelledError:
                    raise _gone() from None
                yield from zip(chunk, made, strict=True)
            if lost:  # and with it, where processes are concerned, all that were handed out
                waiting += running.values()
                running.clear()
                executor = pool.again()
    finally:
        with _undisturbed():
            for future in running:
                future.cancel()


def _all_of(queue: SimpleQueue[Row]) -> list[Row]:
    """Wait until there is something in a queue, and take all that is."""
    found = [queue.get()]
    with suppress(Empty):
        while True:
            found.append(queue.get_nowait())
    return found


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C, and SIGTERM, wait until this is done.

    An executor that is interrupted while it takes work in may keep a lock for ever, and then its
    end is waited for in vain. Processes that begin meanwhile never get Ctrl-C, which a terminal
    sends to all: they inherit that this thread holds it back.
    """
    with _held_back(), _kept_for_later():
        yield


@contextmanager
def _held_back() -> Iterator[None]:
    """Hold Ctrl-C back from this thread, and from all that it begins meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _kept_for_later() -> Iterator[None]:
    """Let signals that reach this process at another thread wait."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    every = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    usual = {number: handler for number, handler in every.items() if callable(handler)}
    came: list[tuple[int, FrameType | None]] = []
    for number in usual:
        signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    for which, frame in came[:1]:
        usual[signal.Signals(which)](which, frame)


def _over(label: str) -> InputError:
    cause = f"workers were ended {TRIES} times while they ran {label}, perhaps for lack of memory"
    return InputError([Problem(None, None, None, cause, "use fewer, with --workers 1")])


def _gone() -> InputError:
    return InputError([Problem(None, None, "--cluster", "the scheduler has gone away", None)])


def _work(
    simulate: Callable[[Variant], Row], variants: Sequence[Variant]
) -> list[Row | InputError]:
    """Make rows of a chunk; one that is wrong has what is wrong in its place."""
    rows: list[Row | InputError] = []
    before, _here.works = getattr(_here, "works", False), True
    try:
        for variant in variants:
            try:
                rows.append(simulate(variant))
            except InputError as error:
                rows.append(error)
    finally:
        _here.works = before
    return rows


_here = threading.local()
"""Says of a thread whether it works for others already: then what it runs has no workers."""


# -- workers ------------------------------------------------------------------------------------


@contextmanager
def _pool(
    workers: int | None, variants: int, processes: bool, cluster: str | None
) -> Iterator[_Pool]:
    """Workers of the kind that is wanted, which have ended afterwards."""
    count = 1 if getattr(_here, "works", False) else workers or processors()
    count = max(1, min(count, variants))
    if cluster is not None:
        with cluster_of(cluster) as (executor, count, lost):
            yield _Pool(executor, count, chunked=True, again=lambda: executor, lost=lost)
    elif processes and count > 1:
        with _processes(count if workers else max(count, _there.size())) as made:
            yield _Pool(made(), count, chunked=True, again=made, lost=(BrokenProcessPool,))
    elif count == 1:
        yield _Pool(_Alone(), 1, chunked=False, again=_Alone, ahead=1)
    else:
        with _threads(count) as executor:
            yield _Pool(executor, count, chunked=False, again=lambda: executor)


class _Alone(Executor):
    """No workers: whoever asks runs it, at once."""

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Run it, and hold what it came to."""
        future: Future[Any] = Future()
        try:
            future.set_result(call(*given, **named))
        except Exception as error:  # noqa: BLE001 - as every executor does: it is raised where the result is
            future.set_exception(error)
        return future


@contextmanager
def _threads(count: int) -> Iterator[Executor]:
    pool = ThreadPoolExecutor(count)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        yield pool
    except BaseException:  # Ctrl-C too: the other results are no longer needed
        progress.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        progress.allow()
        sys.setswitchinterval(usual)


@contextmanager
def _processes(count: int) -> Iterator[Callable[[], Executor]]:
    """Processes of this computer; they are kept for a while, for who needs some again."""
    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415  (it takes a while)

    if hasattr(signal, "pthread_sigmask"):  # nothing is held back on Windows, which has no tracker
        ensure_running()  # it would end the holding back if it began with the first process
    pools: list[Any] = []

    def made() -> Executor:
        pools.append(
            get_reusable_executor(
                max_workers=count,
                initializer=_begin,
                initargs=(os.getpid(),),
                timeout=KEPT_S,
            )
        )
        found: Executor = pools[-1]
        return found

    try:
        yield made
    except BaseException:
        _there.left(0)
        for pool in pools[-1:]:
            # A worker that loads modules or compiles would not notice that it is to end. The
            # pool's own way to end them at once fails if work was cancelled.
            for process in tuple(pool._processes.values()):
                process.terminate()
            pool.shutdown(wait=True)
        raise
    _there.left(count)


class _Left:
    """Processes that were left waiting for more to do."""

    def __init__(self) -> None:
        self._count = 0
        self._until = 0.0

    def left(self, count: int) -> None:
        """Note that so many were left just now."""
        self._count = count
        self._until = time.monotonic() + KEPT_S / 2

    def size(self) -> int:
        """Return the number of waiting jobs; 0 if they are about to end, or have ended."""
        return self._count if time.monotonic() < self._until else 0


_there = _Left()


def _begin(parent: int) -> None:
    """Begin a worker: it leaves Ctrl-C to the process that waits for it, and ends with that."""
    from joblib.externals.loky import process_executor  # noqa: PLC0415  (as above)

    process_executor._MAX_MEMORY_LEAK_SIZE = KEPT_BYTES
    garbage_collector.run_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    """End a worker with its parent."""
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(1)

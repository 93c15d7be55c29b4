"""Long operations: the user is told about them, and they end soon when nobody waits for them.

Code that takes long reports its progress, and code that shows progress listens. An operation that
cannot be interrupted, such as a compiler, is done on a separate thread, so that at least the
waiting can be interrupted.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

LEAST_SHOWN = 0.8  # of a bar, once a point has done its least
LOOK_S = 0.1
"""Seconds between two looks whether anybody still waits."""

_Made = TypeVar("_Made")
_listeners: list[Callable[[str], None]] = []
_apart: set[threading.Thread] = set()
_stop = threading.Event()


@dataclass(frozen=True)
class PointProgress:
    """The progress of a run."""

    point_index: int
    points: int
    label: str
    fraction: float
    iops: float


OnPoint = Callable[[PointProgress], None]


class Stopped(Exception):
    """Ends work whose result nobody will see."""


def go_on() -> None:
    """Go on with what is done, or end it if nobody waits for it any more.

    Raises
    ------
    Stopped
        After :func:`stop`.
    """
    if _stop.is_set():
        raise Stopped


def stop() -> None:
    """Let all work of this process end, on whichever thread it is."""
    _stop.set()


def allow() -> None:
    """Let work go on again."""
    _stop.clear()


def apart(make: Callable[[], _Made]) -> _Made:
    """Run a function on a separate thread, and wait for it.

    Python handles signals on the main thread only, between two of its own steps, and a compiler
    takes no such step for many seconds. Here Ctrl-C ends the waiting at once, and :func:`stop` does
    so on other threads. The function itself runs to its end, and its result is then dropped.

    Raises
    ------
    Stopped
        After :func:`stop`.
    """
    made: Future[_Made] = Future()

    def work() -> None:
        try:
            made.set_result(make())
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            made.set_exception(error)
        finally:
            _apart.discard(thread)

    thread = threading.Thread(target=work, name="raidsim makes", daemon=True)
    _apart.add(thread)
    thread.start()
    while not wait([made], LOOK_S).done:
        go_on()
    return made.result()


def is_making() -> bool:
    """Return whether something is still being made for which nobody may wait any more."""
    return bool(_apart)


@atexit.register
def _wait_at_the_end() -> None:
    """Let what is being made come to its end before the program does, as it could crash otherwise.

    A program that ends by Ctrl-C does not wait: Python ends it by the signal, at once.
    """
    if getattr(sys, "last_type", None) is not KeyboardInterrupt:
        for thread in tuple(_apart):
            thread.join()


def tell(what: str) -> None:
    """Say what takes long now, to all who listen."""
    for listener in _listeners:
        listener(what)


@contextmanager
def told(listener: Callable[[str], None]) -> Iterator[None]:
    """Let somebody be told for a while."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def so_far(of_the_least: float, of_the_most: float, of_the_time: float) -> float:
    """Return the completed share of a point, 0 to 1, if nobody knows when it is precise enough.

    Most points take little more than the least; what goes on after that goes on until it is
    precise, or has used up the most I/Os or the time, so a bar moves for as long as it lasts.

    Parameters
    ----------
    of_the_least, of_the_most
        I/Os that were done, as shares of the least and of the most that a point may take.
    of_the_time
        Simulated time, as a share of what it may take.
    """
    if of_the_least < 1:
        return LEAST_SHOWN * of_the_least
    return LEAST_SHOWN + (1 - LEAST_SHOWN) * min(max(of_the_most, of_the_time), 1.0)

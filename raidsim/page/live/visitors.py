"""The arrays that visitors watch: how many there are, how long, and how much work each may be.

An array works only when its visitor asks for it, and then for a tenth of a second or so; until it
is asked again it costs memory only. What a visitor asks for in quick succession waits as long as
the last wish took, so that no visitor has more than half of a processor.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from raidsim.page.live.watched import WatchedArray
from raidsim.scenario import Scenario

MOST: Final = 48
"""Arrays at a time."""
MOST_EACH: Final = 2
"""Arrays of one visitor at a time: with one more the oldest ends."""
IDLE: Final = 300.0
"""Seconds without a wish after which an array ends."""
MOST_WISHES: Final = 400
"""Events that visitors may ask of one array."""
THREADS: Final = 2
MOST_WAITING: Final = 2
"""Wishes for one array that may wait at a time."""

Found = TypeVar("Found")


class TooMuchError(Exception):
    """More is asked for than there is room for; the message says what to do."""


class Kept:
    """An array, and whose it is."""

    def __init__(self, visitor: str, array: WatchedArray) -> None:
        self.visitor = visitor
        self.array = array
        self.used = time.monotonic()
        self.wishes = 0
        self.waiting = 0
        self.free_at = 0.0  # when it may be asked again
        self.lock = asyncio.Lock()


class Visitors:
    """Keeps the arrays of all visitors."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._making: set[str] = set()
        self._threads = ThreadPoolExecutor(THREADS, "raidsim live")

    def __len__(self) -> int:
        return len(self._kept)

    async def make(self, visitor: str, read: Callable[[], Scenario]) -> tuple[str, WatchedArray]:
        """Make an array; its name, which nobody can guess.

        Raises
        ------
        TooMuchError
            If there are too many arrays already, or the visitor's last one is being made.
        InputError
            If the scenario cannot be watched.
        """
        self.tidy()
        mine = [name for name, one in self._kept.items() if one.visitor == visitor]
        for name in mine[: max(len(mine) - MOST_EACH + 1, 0)]:
            del self._kept[name]
        if visitor in self._making:
            raise TooMuchError("The array that was asked for before is still being made.")
        if len(self._kept) + len(self._making) >= MOST:
            raise TooMuchError("Too many arrays are being watched. Try again in a few minutes.")
        self._making.add(visitor)
        try:
            array = await self._work(lambda: WatchedArray(read()))
        finally:
            self._making.discard(visitor)
        name = secrets.token_urlsafe(12)
        self._kept[name] = Kept(visitor, array)
        return name, array

    def end(self, visitor: str, name: str) -> None:
        """Let an array go."""
        if name in self._kept and self._kept[name].visitor == visitor:
            del self._kept[name]

    async def ask(
        self, visitor: str, name: str, wish: Callable[[WatchedArray], Found], *, event: bool = False
    ) -> Found:
        """Let an array do something; one wish at a time.

        Parameters
        ----------
        event
            Whether it lets something happen that leaves traces.

        Raises
        ------
        KeyError
            If the visitor has no such array (any more).
        TooMuchError
            If too many wishes wait for it, or too many have been fulfilled.
        InputError
            If it cannot happen.
        """
        self.tidy()
        kept = self._kept[name]
        if kept.visitor != visitor:
            raise KeyError(name)
        if kept.waiting >= MOST_WAITING:
            raise TooMuchError("The array is still busy with what was asked before.")
        if event:
            if kept.wishes >= MOST_WISHES:
                raise TooMuchError("A lot has happened to this array. Begin with a new one.")
            kept.wishes += 1
        kept.waiting += 1
        try:
            async with kept.lock:
                await asyncio.sleep(max(kept.free_at - time.monotonic(), 0.0))
                kept.used = begun = time.monotonic()
                found = await self._work(lambda: wish(kept.array))
                now = time.monotonic()
                kept.used, kept.free_at = now, now + min(now - begun, 1.0)
                return found
        finally:
            kept.waiting -= 1

    def tidy(self) -> None:
        """Let arrays end that nobody has asked for anything for a while."""
        now = time.monotonic()
        for name, one in list(self._kept.items()):
            if now - one.used > IDLE and not one.waiting:
                del self._kept[name]

    def close(self) -> None:
        """Let all of them end."""
        self._kept.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _work(self, do: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, do)

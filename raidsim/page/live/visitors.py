"""The arrays that visitors watch: their processes, their number, and the limits of their work.

They are in a few processes (:mod:`raidsim.page.live.worker`), so that the page itself never
computes, and that work without an end can be stopped. An array only works when its visitor asks for
it, and then for a tenth of a second or so. Until the next request it only costs memory. Requests of
a visitor in quick succession wait as long as the last one took, so that no visitor gets more than
half of a processor. Texts of visitors have a separate process. If it must be ended, only arrays
from such texts are lost.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from raidsim.page.pool import Worker

MOST: Final = 48
"""Arrays at a time."""
MOST_EACH: Final = 2
"""Arrays of one visitor at a time: with one more the oldest ends."""
IDLE: Final = 300.0
"""Seconds without a wish after which an array ends."""
MOST_WISHES: Final = 400
"""Events that visitors may ask of one array."""
MOST_WAITING: Final = 2
"""Wishes for one array that may wait at a time."""
LONGEST: Final = 20.0
"""Seconds that a process may take for a wish; then it is ended."""
COMPILING: Final = 300.0
"""Seconds that a process may take for a wish while the kernel is compiled."""
PROCESSES: Final = 2
"""For arrays that the page offers."""


class TooMuchError(Exception):
    """More is asked for than there is room for; the message says what to do."""


class GoneError(Exception):
    """There is no such array, or not any more."""


class Home(Protocol):
    """Where arrays are."""

    async def say(self, message: dict[str, Any]) -> dict[str, Any]:
        """Have a message answered; GoneError if all arrays there are gone."""

    async def close(self) -> None:
        """Let all arrays there end."""


class Process:
    """A process with arrays in it, started when the first one is made."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._lock = asyncio.Lock()

    async def say(self, message: dict[str, Any]) -> dict[str, Any]:
        """Have a message answered; the next one waits meanwhile.

        Raises
        ------
        GoneError
            If the process took too long, or has ended: then all arrays in it are gone.
        """
        async with self._lock:
            if self._worker is None:
                if message["do"] not in ("make", "warm"):
                    raise GoneError
                self._worker = await _started()
            worker, ends = self._worker, time.monotonic() + LONGEST
            worker.say(message)
            while (left := ends - time.monotonic()) > 0:
                heard = await worker.hear(left)
                if heard is None:
                    break
                if "done" in heard:
                    found: dict[str, Any] = heard["done"]
                    return found
                if "waits" in heard:
                    ends = time.monotonic() + COMPILING
            self._worker = None
            await worker.end()
            raise GoneError

    async def close(self) -> None:
        """End it."""
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await worker.end()


async def _started() -> Worker:
    return Worker(
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "raidsim.page.live.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    )  # fmt: skip


class Kept:
    """An array, whose it is, and where."""

    def __init__(self, visitor: str, home: Home) -> None:
        self.visitor = visitor
        self.home = home
        self.used = time.monotonic()
        self.wishes = 0
        self.waiting = 0
        self.free_at = 0.0  # when it may be asked again
        self.lock = asyncio.Lock()


class Visitors:
    """Keeps the arrays of all visitors.

    Parameters
    ----------
    home
        Makes a place where arrays are.
    """

    def __init__(self, home: Callable[[], Home] = Process) -> None:
        self._kept: dict[str, Kept] = {}
        self._making: set[str] = set()
        self._offered = [home() for _ in range(PROCESSES)]
        self._texts = home()
        self._turn = 0
        self._warming: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def begin(self) -> None:
        """Start the processes if they are not there yet, and let them load the kernel."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with suppress(GoneError):
            for home in self._offered:
                await home.say({"do": "warm", "array": ""})

    async def make(self, visitor: str, what: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Make an array; its name, which nobody can guess, and how it is.

        Parameters
        ----------
        what
            ``preset``, or ``text`` of a scenario.

        Raises
        ------
        TooMuchError
            If there are too many arrays already, or the visitor's last one is being made.
        GoneError
            If it could not be made in time.
        """
        await self.tidy()
        if visitor in self._making:
            raise TooMuchError("The array that was requested before is still being made.")
        mine = [name for name, one in self._kept.items() if one.visitor == visitor]
        for name in mine[: max(len(mine) - MOST_EACH + 1, 0)]:
            await self._end(name)
        if len(self._kept) + len(self._making) >= MOST:
            raise TooMuchError("Too many arrays are being watched. Try again in a few minutes.")
        home = self._texts
        if "text" not in what:
            self._turn += 1
            home = self._offered[self._turn % PROCESSES]
        name = secrets.token_urlsafe(12)
        self._making.add(visitor)
        try:
            found = await self._said(home, {"do": "make", "array": name, **what})
        finally:
            self._making.discard(visitor)
        if "problems" not in found:
            self._kept[name] = Kept(visitor, home)
        return name, found

    async def ask(self, visitor: str, name: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Let an array do something; one wish at a time.

        Raises
        ------
        GoneError
            If the visitor has no such array (any more).
        TooMuchError
            If too many wishes wait for it, or too many have been fulfilled.
        """
        await self.tidy()
        kept = self._kept.get(name)
        if kept is None or kept.visitor != visitor:
            raise GoneError
        if kept.waiting >= MOST_WAITING:
            raise TooMuchError("The array is still busy with the earlier request.")
        if asked["do"] == "happen":
            if kept.wishes >= MOST_WISHES:
                raise TooMuchError("This array has had too many events. Begin with a new one.")
            kept.wishes += 1
        kept.waiting += 1
        try:
            async with kept.lock:
                await asyncio.sleep(max(kept.free_at - time.monotonic(), 0.0))
                begun = time.monotonic()
                found = await self._said(kept.home, {**asked, "array": name})
                kept.used = time.monotonic()
                kept.free_at = kept.used + min(kept.used - begun, 1.0)
                return found
        finally:
            kept.waiting -= 1

    async def end(self, visitor: str, name: str) -> None:
        """Let an array go."""
        if name in self._kept and self._kept[name].visitor == visitor:
            await self._end(name)

    async def tidy(self) -> None:
        """Let arrays end that nobody has asked for anything for a while."""
        now = time.monotonic()
        for name, one in list(self._kept.items()):
            if now - one.used > IDLE and not one.waiting:
                await self._end(name)

    async def close(self) -> None:
        """Let all of them end."""
        self._kept.clear()
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        for home in (*self._offered, self._texts):
            await home.close()

    async def _end(self, name: str) -> None:
        kept = self._kept.pop(name, None)
        if kept is not None:
            await self._said(kept.home, {"do": "end", "array": name})

    async def _said(self, home: Home, message: dict[str, Any]) -> dict[str, Any]:
        try:
            return await home.say(message)
        except GoneError:
            self._kept = {name: one for name, one in self._kept.items() if one.home is not home}
            if message["do"] == "end":
                return {}
            raise

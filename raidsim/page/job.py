"""A piece of work that visitors wait for, and its result."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from raidsim.page import bounds

State = Literal["waiting", "running", "over"]


@dataclass(frozen=True)
class Outcome:
    """The result of a piece of work.

    Attributes
    ----------
    found : what the worker found, or "problems": what kept it from finding anything.
    whole : whether it is the answer for whoever asks for the same; not if it was cut short.
    """

    found: dict[str, Any]
    whole: bool = True

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = (value for value in self.found.values() if isinstance(value, str))
        return 4096 + sum(2 * len(text) for text in texts)


@dataclass(eq=False)
class Job:
    """A piece of work, from its request to its end.

    Attributes
    ----------
    key : equal for equal work.
    task : the order for the worker.
    limit_s : seconds for which it may use a worker.
    long : whether it may take more than a moment; some worker is kept free of such work.
    owner : the visitor who asked for it first.
    seen : when each waiting visitor last asked for it.
    turns : for each waiting visitor, the turn of a knob that it is for: the page, and the number of
        the turn.
    ends_at : when it is stopped; after that, when its worker is ended.
    """

    key: str
    task: dict[str, Any]
    limit_s: float
    long: bool
    owner: str
    seen: dict[str, float] = field(default_factory=dict)
    turns: dict[str, tuple[str, int]] = field(default_factory=dict)
    state: State = "waiting"
    fraction: float = 0.0
    label: str = ""
    iops: float = 0.0
    began: float = 0.0
    ends_at: float = 0.0
    stopped: bool = False
    outcome: Outcome | None = None
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    def ask(self, visitor: str) -> None:
        """Note that somebody waits for it."""
        self.seen[visitor] = time.monotonic()

    def tell(self, message: dict[str, Any]) -> None:
        """Take over how far it is."""
        self.fraction = message.get("fraction", self.fraction)
        self.label = message.get("label", message.get("waits", self.label))
        self.iops = message.get("iops", self.iops)
        if "compiles" in message:
            self.ends_at += bounds.COMPILE_S

    def finish(self, outcome: Outcome) -> None:
        """Say that it is over."""
        self.state, self.outcome = "over", outcome
        self._over.set()

    async def wait(self, seconds: float) -> None:
        """Wait until it is over, but no longer than so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), seconds)


class Kept:
    """The results of recent work, by its keys, as far as there is room."""

    def __init__(self) -> None:
        self._outcomes: OrderedDict[str, Outcome] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> Outcome | None:
        """Return the result, if it is still kept."""
        found = self._outcomes.get(key)
        if found is not None:
            self._outcomes.move_to_end(key)
        return found

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep it, and forget what nobody has asked for the longest."""
        self.drop(key)
        self._outcomes[key] = outcome
        self._bytes += outcome.size
        while len(self._outcomes) > bounds.KEPT or self._bytes > bounds.KEPT_BYTES:
            _, gone = self._outcomes.popitem(last=False)
            self._bytes -= gone.size

    def drop(self, key: str) -> None:
        """Forget it."""
        gone = self._outcomes.pop(key, None)
        if gone is not None:
            self._bytes -= gone.size

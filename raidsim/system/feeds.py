"""Feeds: where streams that replay a trace get their requests.

The kernel reads the requests of a stream from a ring of rows. When few are left it returns, and
the ring is filled again. So a trace may have any length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from raidsim.kernel import tables as t
from raidsim.system.tables import Tables


class Feed(Protocol):
    """Where the requests of a stream that replays a trace come from."""

    def take(self, rows: int, begun: int) -> NDArray[Any]:
        """The next ``rows`` requests, fewer only at the end, as `requests` has them.

        ``begun`` is how many of those before the stream has issued.
        """


class Feeds:
    """The feeds of one environment, by the row of their stream.

    Parameters
    ----------
    tables
        Where `streams` and `requests` are.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._feeds: dict[int, Feed] = {}

    def __len__(self) -> int:
        """Return how many streams replay a trace."""
        return len(self._feeds)

    def __getitem__(self, stream: int) -> Feed:
        """Return the feed of a stream."""
        return self._feeds[stream]

    def close(self) -> None:
        """Let go of all feeds: no stream asks for more."""
        self._feeds = {}

    def add(self, stream: int, feed: Feed, rows: int) -> None:
        """Let a stream replay what ``feed`` gives, ``rows`` of which are there at a time."""
        first = self._tables.append("requests", rows)
        self._tables.set_row("streams", stream, traced=1, first_request=first, requests=rows)
        self._feeds[stream] = feed
        self.fill()

    def fill(self) -> None:
        """Give each stream as many of its requests as there is room for."""
        world = self._tables.world
        for stream, feed in self._feeds.items():
            row = world.streams[stream]
            if row["complete"]:
                continue
            given, ring = int(row["given"]), int(row["requests"])
            room = ring - (given - int(row["issued"]))
            found = feed.take(room, int(row["issued"]))
            places = int(row["first_request"]) + (given + np.arange(len(found))) % ring
            world.requests[places] = found
            row["given"] = given + len(found)
            row["complete"] = len(found) < room
        self._tables.state["hungry"] = 0

    def skip(self, stream: int, passed: int) -> Iterator[int]:
        """Yield the requests of each part of a trace before ``passed`` ns of its stream.

        The caller counts each part as issued before it asks for the next.
        """
        row = self._tables.world.streams[stream]
        while True:
            issued, given, ring = (int(row[name]) for name in ("issued", "given", "requests"))
            places = int(row["first_request"]) + np.arange(issued, given) % ring
            rows = self._tables.world.requests[places]
            missed = int(np.searchsorted(rows["time"], passed))
            row["flushes"] += int((rows["op"][:missed] == t.FLUSH).sum())
            yield missed
            if missed < len(rows) or row["complete"]:
                return
            self.fill()

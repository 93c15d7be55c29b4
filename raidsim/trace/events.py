"""Requests from the events of blktrace: what was requested, and when it was completed.

A request is the event Q (or D, where the device's own view is wanted); its response ends with the
C that covers it. A C may cover several requests that were merged, or part of one that was split.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.trace import order
from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Scan
from raidsim.trace.request import FLUSH, Requests

QUEUED, ISSUED, COMPLETED, REQUEUED, SPLIT, OTHER = 1, 7, 8, 6, 13, 0
"""What happened, by the numbers of blktrace."""

EVENT = np.dtype(
    [
        ("tick", "i8"),  # ns
        ("what", "i1"),
        ("op", "i1"),  # as OPS, -1 if none
        ("device", "i4"),
        ("offset", "i8"),  # bytes
        ("size", "i8"),  # bytes; of a split, where its second part begins
        ("line", "i8"),
    ]
)
HOLD = 65_536
"""Requests that are held back, at most, until the first of them is completed."""

MOST_SIZE = 2**32
"""Sizes have 32 bits."""

KINDS = {
    QUEUED: "event Q (asked for)",
    ISSUED: "event D (issued to the device)",
    COMPLETED: "event C (completed)",
    REQUEUED: "event R (requeued)",
    SPLIT: "event X (split)",
}

Events = NDArray[Any]


def requests(blocks: Iterable[Events], scan: Scan) -> Iterator[Requests]:
    """Requests, with their response times, of events in the order of a file."""
    # In some places the events of one CPU follow those of another one. Matching completions needs
    # the order of time. Events that are too late for this are counted with the requests.
    ordered = order.in_order(blocks, scan.counts)
    action, events = _action(ordered, scan)
    yield from _matched(events, action, scan)


def _action(events: Iterator[Events], scan: Scan) -> tuple[int, Iterator[Events]]:
    """Which event is a request: as asked, else Q if there is one among the first events."""
    asked = scan.options.action
    if asked is not None:
        return (QUEUED if asked == "Q" else ISSUED), events
    first: list[Events] = []
    for block in events:
        first.append(block)
        if (block["what"] == QUEUED).any():
            return QUEUED, chain(first, events)
        if sum(map(len, first)) >= HOLD:
            break
    if any((block["what"] == ISSUED).any() for block in first):
        scan.counts.note(
            "There are no events Q (asked for) in it: requests are taken as the device got them (D)"
        )
        return ISSUED, chain(first, events)
    return QUEUED, chain(first, events)


def _matched(events: Iterator[Events], action: int, scan: Scan) -> Iterator[Requests]:
    """Requests with the time of their completions."""
    waiting = _Waiting(scan)
    for block in events:
        counts = np.bincount(block["what"], minlength=16)
        for what, kind in KINDS.items():
            if what != action:
                scan.counts.pass_over(kind, int(counts[what]))
        for tick, what, op, device, offset, size, line in block.tolist():
            if what == action:
                waiting.begin(tick, op, device, offset, size, line)
            elif what == COMPLETED:
                waiting.complete(tick, device, offset, size)
            elif what == SPLIT:
                waiting.split(device, offset, size)
            elif what == REQUEUED and action == ISSUED:
                waiting.requeue(device, offset)
        yield waiting.given(HOLD)
    yield waiting.given(0, everything=True)
    waiting.say()


class _Request:
    """A request that was issued; its completion may not have been read yet."""

    __slots__ = ("device", "left", "line", "offset", "op", "response", "size", "tick")

    def __init__(self, tick: int, op: int, device: int, offset: int, size: int, line: int) -> None:
        self.tick, self.op, self.device = tick, op, device
        self.offset, self.size, self.line = offset, size, line
        self.left = size
        self.response = np.nan


class _Waiting:
    """Requests under way, by device and first byte."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._held: deque[_Request] = deque()
        self._at: dict[tuple[int, int], list[_Request]] = {}
        self._again: set[tuple[int, int]] = set()
        self._unmatched = 0
        self._not_completed = 0
        self._requeued = 0

    def begin(self, tick: int, op: int, device: int, offset: int, size: int, line: int) -> None:
        key = (device, offset)
        if key in self._again:  # given to the device once more: the same request
            self._again.discard(key)
            if key in self._at:
                self._requeued += 1
                return
        request = _Request(tick, op, device, offset, size, line)
        self._held.append(request)
        if op == FLUSH or size == 0:
            request.left = 0
        else:
            self._at.setdefault(key, []).append(request)

    def complete(self, tick: int, device: int, offset: int, size: int) -> None:
        """Take note that a stretch of a device is done; all requests in it end now."""
        end, place, found = offset + size, offset, False
        while place < end:
            there = self._at.get((device, place))
            if not there:
                break
            found = True
            request = there.pop(0)
            if not there:
                del self._at[(device, place)]
            done = min(end, request.offset + request.size) - place
            request.left -= done
            place += max(done, 1)
            if request.left <= 0:
                request.response = (tick - request.tick) / 1e9
            elif place < request.offset + request.size:
                self._at.setdefault((device, place), []).append(request)
        if not found and size:
            self._unmatched += 1

    def split(self, device: int, offset: int, second: int) -> None:
        """Take note that a request goes on in two parts, so that either may end first."""
        there = self._at.get((device, offset))
        if there and offset < second < there[-1].offset + there[-1].size:
            self._at.setdefault((device, second), []).append(there[-1])

    def requeue(self, device: int, offset: int) -> None:
        if (device, offset) in self._at and len(self._again) < HOLD:
            self._again.add((device, offset))

    def given(self, hold: int, *, everything: bool = False) -> Requests:
        """Requests that are done, or have been held back for long enough, in order of arrival."""
        out: list[_Request] = []
        held = self._held
        while held and (everything or held[0].left <= 0 or len(held) > hold):
            request = held.popleft()
            if request.left > 0:
                self._forget(request)
            out.append(request)
        columns = np.array(
            [(r.tick, r.op, r.device, r.offset, r.size, r.line) for r in out], np.int64
        ).reshape(len(out), 6)
        tick, op, device, offset, size, line = columns.T
        response = np.array([request.response for request in out], float)
        return self._scan.requests(
            line, tick=tick, op=op, volume=device, offset=offset, size=size, response=response
        )

    def _forget(self, request: _Request) -> None:
        self._not_completed += 1
        key = (request.device, request.offset)
        there = [one for one in self._at.get(key, ()) if one is not request]
        if there:
            self._at[key] = there
        else:
            self._at.pop(key, None)

    def say(self) -> None:
        """Say what did not fit together."""
        note = self._scan.counts.note
        if self._not_completed:
            note(
                f"Of {self._not_completed:,} requests no completion was seen: they have no response"
                " time"
            )
        if self._unmatched:
            note(
                f"Of {self._unmatched:,} completions no request was seen: they began before the"
                " trace"
            )
        if self._requeued:
            note(f"{self._requeued:,} requests were given to the device again, and count once")


def stacked(remaps: int, scan: Scan) -> None:
    """Say that a request may be in the trace twice, once on each of two devices."""
    if remaps and len(scan.volumes) > 1:
        scan.counts.note(
            "There are remaps (A) and several devices: where one device is built on another, each"
            " of its requests is there once on either"
        )


def written(blocks: Iterable[Requests], page: Page) -> Iterator[Events]:
    """The events Q, and C where a response time is known, of requests: in the order of time."""
    left = np.empty(0, EVENT)
    for block in blocks:
        taken = page.taken(block, range(4), sectors=True)
        fits = taken["size"] < MOST_SIZE
        page.leave_out("of 4 GiB and more", int((~fits).sum()))
        taken = taken[fits]
        if not len(taken):
            continue
        asked = np.zeros(len(taken), EVENT)
        asked["tick"] = ticks(taken["time"], 10**9)
        asked["what"] = QUEUED
        asked["op"], asked["device"] = taken["op"], taken["volume"]
        asked["offset"], asked["size"] = taken["offset"], taken["size"]
        known = ~np.isnan(taken["response"]) & (taken["op"] != FLUSH)
        if (~known & ~np.isnan(taken["response"])).any():
            page.remark("Response times of flushes are not in it")
        done = asked[known]
        done["tick"] += ticks(taken["response"][known], 10**9)
        done["what"] = COMPLETED
        every = np.concatenate((left, asked, done))
        every = every[np.argsort(every["tick"], kind="stable")]
        cut = int(np.searchsorted(every["tick"], asked["tick"][-1], side="right"))
        left = every[cut:]
        yield every[:cut]
    yield left

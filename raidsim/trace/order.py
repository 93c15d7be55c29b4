"""Requests in the order of time: small disorder is sorted, and the rest is late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from raidsim.trace.counts import Counts
from raidsim.trace.request import REQUEST, Requests

WINDOW = 65_536
"""Requests that are held back, so that one that stands too late still finds its place."""

MOST_IN_A_SECOND = 1 << 22


def in_order(blocks: Iterable[Requests], counts: Counts, field: str = "tick") -> Iterator[Requests]:
    """Sort rows by time; rows of equal time stay in the order of the file.

    A row that belongs before one that was given out is late, and gets the time of the last one.
    """
    held: Requests | None = None
    latest: int | None = None  # of the file so far
    given: int | None = None
    for block in blocks:
        if not len(block):
            continue
        times = block[field]
        before = times[0] if latest is None else latest
        so_far = np.maximum.accumulate(np.concatenate(([before], times)))
        counts.unsorted += int((times < so_far[:-1]).sum())
        latest = int(so_far[-1])
        if given is not None and (late := times < given).any():
            counts.late += int(late.sum())
            block = block.copy()  # noqa: PLW2901 - the same rows, with times that can be given out
            block[field][late] = given
        held = block if held is None else np.concatenate((held, block))
        if len(held) >= 2 * WINDOW:
            held = _sorted(held, field)
            out, held = held[:-WINDOW], held[-WINDOW:]
            given = int(out[field][-1])
            yield out
    if held is not None:
        yield _sorted(held, field)


def from_first(
    blocks: Iterable[Requests], ticks: Callable[[], int], counts: Counts
) -> Iterator[Requests]:
    """Requests by the seconds since the first; `ticks` says how many a second has.

    The first time is taken off in whole numbers, so that no digit of a time is lost.
    """
    origin: int | None = None
    for block in blocks:
        if not len(block):
            continue
        if origin is None:
            origin = counts.origin = int(block["tick"][0])
        out = np.empty(len(block), REQUEST)
        out["time"] = (block["tick"] - origin) / ticks()
        for name in ("op", "volume", "offset", "size", "response"):
            out[name] = block[name]
        first, end = out["offset"], out["offset"] + out["size"]
        counts.requests += len(out)
        counts.unaligned += int((((first | end) & 511) != 0).sum())
        counts.unaligned_4k += int((((first | end) & 4095) != 0).sum())
        counts.with_response += len(out) - int(np.isnan(out["response"]).sum())
        yield out


def spread(blocks: Iterable[Requests], counts: Counts) -> Iterator[Requests]:
    """Requests of a clock of whole seconds, spread evenly over each second."""
    held: Requests | None = None
    floor = 0.0
    for block in blocks:
        together = block if held is None else np.concatenate((held, block))
        last = together["time"][-1]
        cut = int(np.searchsorted(together["time"], last))
        if len(together) - cut > MOST_IN_A_SECOND:
            counts.note(
                f"More than {MOST_IN_A_SECOND:,} requests have the same second: those behind them"
                " are put at its end"
            )
            cut = len(together)
        held = together[cut:]
        if cut:
            out = _spread_out(together[:cut])
            out["time"] = np.maximum(out["time"], floor)
            floor = float(out["time"][-1])
            yield out
    if held is not None and len(held):
        out = _spread_out(held)
        out["time"] = np.maximum(out["time"], floor)
        yield out


def _spread_out(requests: Requests) -> Requests:
    out = requests.copy()
    _, first, back, number = np.unique(
        requests["time"], return_index=True, return_inverse=True, return_counts=True
    )
    out["time"] += (np.arange(len(out)) - first[back]) / number[back]
    return out


def in_blocks(blocks: Iterable[Requests], rows: int) -> Iterator[Requests]:
    """Cut requests into blocks of at most ``rows``."""
    for block in blocks:
        for start in range(0, len(block), rows):
            yield block[start : start + rows]


def _sorted(rows: Requests, field: str) -> Requests:
    times = rows[field]
    if (times[1:] >= times[:-1]).all():
        return rows
    return rows[np.argsort(times, kind="stable")]

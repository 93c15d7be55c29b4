"""Logs of fio: a line for each I/O, in a file for each worker and each of five measures.

    ms, value, 0 read or 1 write, bytes, offset, priority

as fio 3.33 writes it with ``log_offset=1`` and without ``log_avg_msec``: latencies in ns, the
bandwidth of one I/O in bytes a ms, and for `iops` the number 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from raidsim.observe.ios import Ios

NS_PER_MS = 1_000_000


def logs_of(ios: Ios, priority: int) -> Iterator[tuple[str, bytes]]:
    """The logs of a worker's I/Os, by fio's name of what is logged."""
    submission = ios.submitted - ios.issued
    completion = ios.completed - ios.submitted
    bandwidth = ios.length * NS_PER_MS // np.maximum(completion, 1)
    order = np.argsort(ios.submitted, kind="stable")  # that is when fio notes a submission
    yield "slat", _text(ios, ios.submitted, submission, priority, order)
    yield "clat", _text(ios, ios.completed, completion, priority)
    yield "lat", _text(ios, ios.completed, ios.completed - ios.issued, priority)
    yield "bw", _text(ios, ios.completed, bandwidth, priority)
    yield "iops", _text(ios, ios.completed, np.ones_like(ios.op), priority)


def _text(
    ios: Ios,
    times: NDArray[np.int64],
    values: NDArray[np.int64],
    priority: int,
    order: NDArray[np.int64] | slice = slice(None),
) -> bytes:
    columns = (np.maximum(times, 0) // NS_PER_MS, values, ios.op, ios.length, ios.offset)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    end = f", {priority}\n"
    return "".join(
        f"{time}, {value}, {op}, {length}, {offset}{end}"
        for time, value, op, length, offset in rows
    ).encode("ascii")

"""The arguments of one I/O that a model asks a volume for.

Verbs: :func:`place` is its address, :func:`patience` its priority and its time limit.
"""

from __future__ import annotations

from typing import Any

from raidsim.control.arguments import Arguments
from raidsim.kernel import tables as t

MOST_LENGTH = 64 * 2**20  # bytes of one awaited I/O
LEAST_PRIORITY = 3
MOST_PATIENCE = 1e9  # s

ALLOWED: dict[str, tuple[int, ...]] = {
    "read-write": (t.READ, t.WRITE),
    "read-only": (t.READ,),
    "blocked": (),
}
"""What I/Os the access policies let through."""


def place(
    check: Arguments, offset: Any, length: Any, capacity: int, sector: int
) -> tuple[int, int]:
    """Offset and length, in whole sectors and within the volume, bytes."""
    offset = check.whole("offset", offset, 0, capacity - sector, sector)
    length = check.whole("length", length, sector, min(MOST_LENGTH, capacity), sector)
    if not check.problems and offset + length > capacity:
        cause = f"{length} bytes from byte {offset} on end beyond the volume"
        check.wrong("length", cause, f"it has {capacity} bytes")
    return offset, length


def patience(check: Arguments, priority: Any, timeout: Any) -> tuple[int, float | None]:
    """The priority, and after how many seconds nobody waits any more; None for never."""
    priority = check.whole("priority", priority, 0, LEAST_PRIORITY)
    if timeout is not None:
        timeout = check.number("timeout", timeout, 1e-9, MOST_PATIENCE, " s")
    return priority, timeout

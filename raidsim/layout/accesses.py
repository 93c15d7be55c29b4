"""The list of device accesses that a plan fills: adding to it, and merging neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.tables import DIRECT


def put(
    accesses: NDArray[np.void],
    count: int,
    phase: int,
    drive: int,
    op: int,
    offset: int,
    length: int,
    role: int,
    copy: int,
    address: int,
    method: int,
) -> int:
    """Write an access behind the first ``count`` and return how many there are now.

    What the table is too short for is counted and not written.
    """
    if count < accesses.shape[0]:
        access = accesses[count]
        access["phase"] = phase
        access["drive"] = drive
        access["op"] = op
        access["offset"] = offset
        access["length"] = length
        access["role"] = role
        access["copy"] = copy
        access["address"] = address
        access["method"] = method
    return count + 1


def merge(accesses: NDArray[np.void], count: int) -> int:
    """Make one access of those that continue each other on a drive in a phase; return how many.

    A merged access keeps role, copy, address and method of its first bytes, whatever follows.
    """
    before = count + 1
    # An access that has grown may now touch another one.
    while count < before:
        before = count
        count = merge_once(accesses, count)
    return count


def merge_once(accesses: NDArray[np.void], count: int) -> int:
    """Join each access to an earlier one that touches it; return how many are left."""
    kept = 0
    for i in range(count):
        new = accesses[i]
        joined = False
        j = kept - 1
        while j >= 0 and not joined and accesses[j]["phase"] == new["phase"]:
            old = accesses[j]
            if old["drive"] == new["drive"] and old["op"] == new["op"]:
                length = old["length"] + new["length"]
                if old["offset"] + old["length"] == new["offset"]:
                    old["length"] = length
                    joined = True
                elif new["offset"] + new["length"] == old["offset"]:
                    copied(accesses, i, j)
                    old["length"] = length
                    joined = True
            j -= 1
        if not joined:
            if kept < i:
                copied(accesses, i, kept)
            kept += 1
    return kept


def copied(accesses: NDArray[np.void], source: int, target: int) -> None:
    """Copy one access over another."""
    old = accesses[source]
    put(
        accesses,
        target,
        old["phase"],
        old["drive"],
        old["op"],
        old["offset"],
        old["length"],
        old["role"],
        old["copy"],
        old["address"],
        old["method"],
    )


def start_at_phase_0(accesses: NDArray[np.void], count: int) -> None:
    """Let a write that reads nothing first begin at once."""
    if count > 0 and accesses[0]["phase"] > 0:
        for i in range(count):
            accesses[i]["phase"] -= 1


def put_direct(
    accesses: NDArray[np.void],
    count: int,
    phase: int,
    drive: int,
    op: int,
    offset: int,
    length: int,
    copy: int,
    address: int,
) -> int:
    """Write an access to data as it is; see :func:`put`."""
    return put(accesses, count, phase, drive, op, offset, length, 0, copy, address, DIRECT)

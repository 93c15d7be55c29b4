"""Commands to the drives of an array, counted by their content and their purpose.

Verbs: :func:`count` a command that is sent, :func:`count_bitmap` one that writes the bitmap,
:func:`count_log` one that writes a log.
"""

from __future__ import annotations

from raidsim.kernel.array_tables import (
    BACKGROUND,
    ERRAND_DESTAGE,
    ERRAND_FETCH,
    ERRAND_OPERATION,
    ERRAND_PART,
    ERRAND_REPAIR,
    FOR_DESTAGE,
    FOR_HOST,
    FOR_READ_AHEAD,
    READ_DATA,
    READ_FOR_MODIFY,
    READ_FOR_RECONSTRUCT_WRITE,
    READ_TO_RECONSTRUCT,
    TRANSFERS,
    TRIM_DATA,
    WRITE_BITMAP,
    WRITE_DATA,
    WRITE_FULL_STRIPE,
    WRITE_LOG,
    WRITE_PARITY,
)
from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE, TRIM
from raidsim.layout.tables import (
    DATA,
    FULL_STRIPE,
    MODIFY,
    READ,
    RECONSTRUCT,
    RECONSTRUCT_WRITE,
)


@handler
def count(w, array, index, child):
    """Count command ``child`` of task ``index``, which is sent now.

    It is not counted before: a plan may be dropped, and a window of measurement may open between.
    """
    carries = w.jobs[child]["carries"]
    if carries != NONE:
        array["device_ios"][origin(w, index) * TRANSFERS + carries] += 1


@handler
def count_bitmap(array):
    """Count a command that writes the bitmap of write intents: writes of hosts wait for it."""
    array["device_ios"][FOR_HOST * TRANSFERS + WRITE_BITMAP] += 1


@handler
def count_log(array):
    """Count a command that writes an entry of a log of partial parity: stripes wait for it."""
    array["device_ios"][FOR_HOST * TRANSFERS + WRITE_LOG] += 1


@handler
def origin(w, index):
    """Return for whom a task is; one stripe of a larger write is for whom the write is."""
    job = w.jobs[index]
    errand = job["errand"]
    if errand == ERRAND_PART:
        errand = w.jobs[job["parent"]]["errand"]
    if errand == ERRAND_DESTAGE:
        return FOR_DESTAGE
    if errand == ERRAND_FETCH:
        return FOR_READ_AHEAD
    if errand == ERRAND_OPERATION or errand == ERRAND_REPAIR:
        return BACKGROUND
    return FOR_HOST


@handler
def transfer(access):
    """Return the bytes that an access carries."""
    method = access["method"]
    if access["op"] == READ:
        if method == MODIFY:
            return READ_FOR_MODIFY
        if method == RECONSTRUCT_WRITE:
            return READ_FOR_RECONSTRUCT_WRITE
        if method == RECONSTRUCT:
            return READ_TO_RECONSTRUCT
        return READ_DATA
    if access["op"] == TRIM:
        return TRIM_DATA
    if method == FULL_STRIPE:
        return WRITE_FULL_STRIPE
    return WRITE_DATA if access["role"] == DATA else WRITE_PARITY

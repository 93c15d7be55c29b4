"""Where a byte of the volume is, and what a byte of a drive is, for every level.

``good`` says how much of each drive can be relied on, in bytes from its start. It is 0 for a failed
drive, or a new one before its rebuild. During a rebuild it grows from the start. For a whole drive
it is :func:`whole_drive` or more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.mirrored import mirrored_held, mirrored_place
from raidsim.layout.nested import span_held, span_place
from raidsim.layout.parity import data_place, p_place, parity_held, q_place
from raidsim.layout.single import concatenated_held, concatenated_place
from raidsim.layout.striped import striped_held, striped_place
from raidsim.layout.tables import CONCATENATED, DATA, MIRRORED, PARITY, STRIPED, UNUSED, P


def strip_place(layout: np.void, strip: int, copy: int) -> tuple[int, int]:
    """Return drive, within its span, and row of ``copy`` of a span's logical ``strip``."""
    if layout["family"] == STRIPED:
        return striped_place(layout, strip)
    if layout["family"] == MIRRORED:
        return mirrored_place(layout, strip, copy)
    if layout["family"] == CONCATENATED:
        return concatenated_place(layout, strip)
    k: int = layout["data"]
    stripe = strip // k
    return data_place(layout, stripe, strip % k), stripe


def place(layout: np.void, address: int, copy: int) -> tuple[int, int]:
    """Return drive and offset (bytes) of ``copy`` of the byte at a volume ``address``."""
    span, inner = span_place(layout, address)
    size: int = layout["strip"]
    drive, row = strip_place(layout, inner // size, copy)
    n: int = layout["span_drives"]
    return span * n + drive, row * size + inner % size


def parity_place(layout: np.void, address: int, role: int) -> tuple[int, int]:
    """Return drive and offset of the byte of P or Q (``role``) that protects ``address``."""
    span, inner = span_place(layout, address)
    size: int = layout["strip"]
    k: int = layout["data"]
    stripe = inner // size // k
    drive = p_place(layout, stripe) if role == P else q_place(layout, stripe)
    n: int = layout["span_drives"]
    return span * n + drive, stripe * size + inner % size


def held(layout: np.void, drive: int, row: int) -> tuple[int, int, int]:
    """Return role, copy number and volume address of the strip in ``row`` of ``drive``.

    Of P and Q, the address of the first data byte of their stripe. What holds no data of
    the volume is UNUSED.
    """
    n: int = layout["span_drives"]
    span = drive // n
    drive %= n
    size: int = layout["strip"]
    role = DATA
    copy = 0
    if row >= layout["rows"]:
        return UNUSED, 0, 0
    if layout["family"] == PARITY:
        k: int = layout["data"]
        role, i = parity_held(layout, row, drive)
        strip = row * k + i
    elif layout["family"] == MIRRORED:
        strip, copy = mirrored_held(layout, drive, row)
    elif layout["family"] == STRIPED:
        strip = striped_held(layout, drive, row)
    else:
        strip = concatenated_held(layout, drive, row)
    if copy >= layout["copies"] or strip * size >= layout["span_size"]:
        return UNUSED, 0, 0
    return role, copy, span_held(layout, span, strip * size)


def whole_drive(layout: np.void) -> int:
    """Return the bytes that the array uses of each drive."""
    size: int = layout["strip"]
    rows: int = layout["rows"]
    return rows * size


def addresses_of_a_check(layout: np.void) -> float:
    """Return the addresses that Linux md counts for each byte of a drive that a check reads.

    They are those of a drive, but those of the array where RAID 10 has copies of it
    (``resync_max_sectors`` in drivers/md/raid10.c); a rebuild counts those of a drive.
    """
    if layout["family"] != MIRRORED:
        return 1.0
    return float(layout["drives"] / layout["copies"])


def is_good(layout: np.void, good: NDArray[np.int64], drive: int, row: int) -> bool:
    """Return whether the strip in ``row`` of ``drive`` can be relied on."""
    size: int = layout["strip"]
    return bool((row + 1) * size <= good[drive])

"""RAID 10, 50 and 60 of spans: a volume striped over equal arrays.

A span holds ``unit`` bytes before the next one continues: one strip over mirrors, one full stripe
of data over parity, as controllers do it. Linux md can stripe in any whole number of strips.
Without spans the same formulas hold with one span.

    inner address = (address // unit // spans) * unit + address % unit

A run of addresses in the volume is one run of inner addresses in each span, so plans take each
span's share as a whole and never update a stripe twice.
"""

from __future__ import annotations

import numpy as np


def span_place(layout: np.void, address: int) -> tuple[int, int]:
    """Return span and address in the span of a volume ``address``, in bytes."""
    spans: int = layout["spans"]
    if spans == 1:
        return 0, address
    unit: int = layout["unit"]
    number = address // unit
    return number % spans, number // spans * unit + address % unit


def span_held(layout: np.void, span: int, inner: int) -> int:
    """Return the volume address, in bytes, of address ``inner`` of ``span``."""
    spans: int = layout["spans"]
    if spans == 1:
        return inner
    unit: int = layout["unit"]
    return (inner // unit * spans + span) * unit + inner % unit


def spans_touched(layout: np.void, address: int, length: int) -> int:
    """Return over how many spans ``length`` bytes at ``address`` extend."""
    spans: int = layout["spans"]
    if spans == 1:
        return 1
    unit: int = layout["unit"]
    units = (address + length - 1) // unit - address // unit + 1
    return min(units, spans)


def span_share(layout: np.void, address: int, length: int, turn: int) -> tuple[int, int, int]:
    """Return the ``turn``-th span that a request touches and its share: span, from, to.

    ``from`` and ``to`` are addresses in the span, in bytes; ``to`` is not included.
    """
    spans: int = layout["spans"]
    if spans == 1:
        return 0, address, address + length
    unit: int = layout["unit"]
    first = address // unit
    last = (address + length - 1) // unit
    number = first + turn
    begin = number // spans * unit
    if turn == 0:
        begin += address % unit
    number += (last - number) // spans * spans  # the last unit of this span
    end = number // spans * unit + unit
    if number == last:
        end -= unit - ((address + length - 1) % unit + 1)
    return number % spans, begin, end

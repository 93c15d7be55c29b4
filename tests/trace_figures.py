"""Requests of a trace in blocks, and the figures of them."""

from __future__ import annotations

import numpy as np

from raidsim.trace import READ, REQUEST
from raidsim.trace.counts import Counts
from raidsim.trace.info import measure

BLOCK = 4096


def info_of(made, *, rows=1000, most_followed=None, names=("0",)):
    """Figures of requests that come in blocks."""
    blocks = [made[at : at + rows] for at in range(0, len(made), rows)]
    return measure("made", "csv", blocks, lambda: names, Counts, most_followed)


def of_blocks(numbers, *, op=READ):
    """Requests of one block each, a millisecond apart."""
    made = np.zeros(len(numbers), REQUEST)
    made["time"] = np.arange(len(numbers)) * 1e-3
    made["offset"] = np.asarray(numbers) * BLOCK
    made["size"] = BLOCK
    made["op"] = op
    made["response"] = np.nan
    return made

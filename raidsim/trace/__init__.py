"""Traces of block I/Os: read from files of many formats, and written.

>>> from raidsim.trace import open_trace
>>> for block in open_trace("trace.csv.gz").blocks():  # doctest: +SKIP
...     print(len(block), block["time"][-1])
"""

from raidsim.trace.counts import Counts
from raidsim.trace.demerit import demerit
from raidsim.trace.file import TraceFile, open_trace
from raidsim.trace.request import FLUSH, OPS, READ, REQUEST, TRIM, WRITE
from raidsim.trace.writing import writable, write

__all__ = [
    "FLUSH",
    "OPS",
    "READ",
    "REQUEST",
    "TRIM",
    "WRITE",
    "Counts",
    "TraceFile",
    "demerit",
    "open_trace",
    "writable",
    "write",
]

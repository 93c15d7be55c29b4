"""Figures of I/Os that can be read at any time of a run: rates, latencies, the account."""

from __future__ import annotations

from raidsim.errors import InputError, Problem, quote
from raidsim.kernel import tables as t
from raidsim.observe import figures
from raidsim.result import Counts, Latency
from raidsim.system.system import System

OPS = {"read": t.READ, "write": t.WRITE, "flush": t.FLUSH}


class Measured:
    """I/Os of some streams of a system, over its window.

    Attributes
    ----------
    system
        The kernel's tables.
    name
        What reports and messages call these I/Os.
    streams
        Rows of the kernel's streams.
    """

    system: System
    name: str
    streams: list[int]

    def latency(self, op: str) -> Latency | None:
        """Response times of the I/Os completed in the window.

        Parameters
        ----------
        op
            "read", "write" or "flush".

        Returns
        -------
        Latency or None
            Mean and percentiles in **ms**; None if there was no such I/O. A percentile is
            None where fewer than ten samples lie beyond it.

        Raises
        ------
        InputError
            `op` is no kind of I/O.
        """
        if not isinstance(op, str) or op not in OPS:
            call = f"{self.name}.latency()"
            cause = f"{quote(op)} is not a kind of I/O"
            raise InputError([Problem(call, None, "op", cause, 'give "read", "write" or "flush"')])
        times = figures.times(self.system, self.streams, OPS[op])
        return figures.latency(self.system, self.streams, OPS[op], times)

    @property
    def counts(self) -> Counts:
        """The account of all I/Os since the start, those in flight included."""
        return figures.counts(self.system, self.streams)

"""The records of the page reads of dies, see :mod:`~raidsim.kernel.sensing`."""

from __future__ import annotations

from raidsim.records import Table, configuration, state

MOST_BITS = 5  # of a cell

SENSINGS = Table(
    "sensings",
    "how the read times of a solid state drive are spread, and what its dies interrupt for a read",
    bits=configuration("i8", "kinds of pages: bits of a cell"),
    read_time=configuration("i8", "a die senses a page of each kind", "ns", shape=(MOST_BITS,)),
    retried=configuration("f8", "share of the senses after which a die has to sense again"),
    key=configuration("u8", "of the random numbers that say which"),
    drawn=state("i8", "of these, so far"),
    suspend_time=configuration("i8", "a program or an erase gives way within it", "ns"),
    resume_time=configuration("i8", "what it takes more when it goes on", "ns"),
    suspensions=configuration("i8", "of one program or erase, at most; 0: they are not suspended"),
)

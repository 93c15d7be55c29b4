"""The load that a result describes, as far as it describes it.

Results of fio hold the options of their jobs, which `raidsim.fio.playing` reads. Those of other
programs have a few columns. Values that they do not give are None here, with the reason if there is
one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

RATE_HELD = 0.95
"""A run that reached less of its rate was as fast as the system let it be."""


@dataclass(frozen=True)
class Size:
    """I/Os of one size.

    Attributes
    ----------
    bytes : of each.
    share : of all I/Os, from 0 to 1.
    read, random : shares of these I/Os, where they have shares of their own.
    """

    bytes: int
    share: float = 1.0
    read: float | None = None
    random: float | None = None


@dataclass(frozen=True)
class Remark:
    """Something that a result says of its load and that is not simulated, or not certain.

    Attributes
    ----------
    what : as the file calls it, with its value: ``threads=8``.
    meaning : what that means for the comparison.
    """

    what: str
    meaning: str


@dataclass(frozen=True)
class Said:
    """The load as a result describes it; None for values that it does not give.

    Attributes
    ----------
    read : share of reads.
    random : share of random accesses.
    sizes : the mix of sizes, or the only one.
    mean_size : mean bytes of an I/O, if the sizes themselves are not given.
    outstanding : outstanding I/Os of each worker.
    workers : that issue I/Os side by side; 1 if the result only gives outstanding I/Os.
    rate : requested IO/s, of all workers together.
    align : offsets are multiples of this, in bytes; 1 for the smallest block of the volume.
    offset, extent : the part of the volume that was accessed, in bytes.
    is_synchronous : whether a completion is all of the latency.
    may_be_cached : whether a page cache may have been in between; the result does not say.
    why : by the names of these fields, why the result does not give it; for the extent, why its
        place is not certain.
    assumed : what the result does not say for certain, and is assumed, in words.
    remarks : options that are not simulated, and the consequences.
    refused : why the load cannot be simulated at all.
    """

    read: float | None = None
    random: float | None = None
    sizes: tuple[Size, ...] = ()
    mean_size: float | None = None
    outstanding: int | None = None
    workers: int = 1
    rate: float | None = None
    align: int | None = None
    offset: int = 0
    extent: int | None = None
    is_synchronous: bool = False
    may_be_cached: bool = False
    why: Mapping[str, str] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    refused: tuple[Remark, ...] = ()

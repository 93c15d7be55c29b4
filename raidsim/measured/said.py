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
    """Something that a result says of its load and that is not played, or not certain.

    Attributes
    ----------
    what : as the file calls it, with its value: ``threads=8``.
    meaning : what that means for the comparison.
    """

    what: str
    meaning: str


@dataclass(frozen=True)
class Said:
    """What a result says of its load; None for what it does not say.

    Attributes
    ----------
    read : share of reads.
    random : share of random accesses.
    sizes : the mix of sizes, or the only one.
    mean_size : bytes of an I/O on average, where the sizes themselves are not said.
    outstanding : I/Os at a time of each worker.
    workers : that issue I/Os side by side; 1 if the result knows only of I/Os outstanding.
    rate : IO/s that were asked for, of all workers together.
    align : what offsets are multiples of, in bytes; 1 for the smallest block of the volume.
    offset, extent : the part of the volume that was accessed, in bytes.
    is_synchronous : whether a completion is all of the latency.
    may_be_cached : whether a page cache may have been in between; the result does not say.
    why : by the names of these fields why the result does not say it; of the extent, why it is
        not certain where it lies.
    assumed : what the result does not say for certain, and is taken for so, in words.
    remarks : what is not played, and what that means.
    refused : why the load cannot be played at all.
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

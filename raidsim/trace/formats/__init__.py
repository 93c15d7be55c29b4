"""Formats of traces, a module for each: `NAME`, `TITLE`, `TICKS`, `TAKES`, `recognises`, `read`.

A new format is a new module here, and a line in the list below.
"""

from __future__ import annotations

import re

from raidsim.trace.formats import (
    alibaba,
    blkparse,
    blktrace,
    disksim_validation,
    etw,
    five_numbers,
    iolog,
    iolog2,
    k5,
    msr,
    named_csv,
    parquet,
    spc,
    systor,
    tencent,
    vscsi,
    vscsi_csv,
)
from raidsim.trace.reading import Format, Head

FORMATS: tuple[Format, ...] = (
    blkparse,
    blktrace,
    iolog,
    iolog2,
    msr,
    spc,
    alibaba,
    tencent,
    k5,
    systor,
    etw,
    vscsi,
    vscsi_csv,
    disksim_validation,
    *five_numbers.ALL,
    named_csv,
    parquet,
)

BY_NAME: dict[str, Format] = {format_.NAME: format_ for format_ in FORMATS}

NOT_OF_BLOCKS = {
    "oraclegeneral": "it has no operations and no addresses, only objects of a cache",
    "lcs": "it has no addresses, only objects of a cache",
    "btrecord": "it has bunches of requests, without their own times",
}
"""Formats that somebody may look for here, by their names in small letters."""

PARQUET = parquet.MAGIC
FIVE_NUMBERS = re.compile(rb"\d+(?:\.\d+)?[\s,]+\d+[\s,]+\d+[\s,]+\d+[\s,]+\d+")


def unlike(head: Head) -> tuple[str, str]:
    """Return the message for a file that no format claims: what is wrong, and what to do."""
    known = ", ".join(sorted(BY_NAME))
    if head.all_are(FIVE_NUMBERS):
        several = "; ".join(f"{one.NAME}: {one.MEANING}" for one in five_numbers.ALL)
        return (
            "has lines of five numbers, as several formats have, and does not show which it is",
            f"give it with --format, in a scenario with format: {several}",
        )
    return (
        "is not recognised as a trace of any format",
        f"name its format with --format ({known}), or its columns with --columns;"
        " in a scenario with format or columns",
    )

"""Formats of traces, a module for each: `NAME`, `TITLE`, `TICKS`, `recognises` and `read`.

A new format is a new module here, and a line in the list below.
"""

from __future__ import annotations

import re

from raidsim.trace.formats import msr, named_csv
from raidsim.trace.reading import Format, Head

FORMATS: tuple[Format, ...] = (msr, named_csv)

BY_NAME: dict[str, Format] = {format_.NAME: format_ for format_ in FORMATS}

FIVE_NUMBERS = re.compile(rb"\d+(?:\.\d+)?[\s,]+\d+[\s,]+\d+[\s,]+\d+[\s,]+\d+")


def unlike(head: Head) -> tuple[str, str]:
    """What to say of a file that no format claims: what is wrong, and what to do."""
    known = ", ".join(sorted(BY_NAME))
    if head.all_are(FIVE_NUMBERS):
        return (
            "has lines of five numbers, as several formats have, in other units and with other"
            " meanings",
            f"say which with --format: {known}",
        )
    return "is not known to be a trace of any format", f"name its format with --format: {known}"

"""The text of a file of results, of bounded size; an error in it is reported in one line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from os import PathLike

from raidsim.errors import refuse
from raidsim.named_file import read_bytes


def read_text(name: str | PathLike[str], most: int, what: str) -> str:
    """The text of a file of at most so many bytes.

    Parameters
    ----------
    what
        What such a file is, for a message: it is refused if it is larger.

    Raises
    ------
    InputError
        There is no such file, it is too large, or no text.
    """
    data = read_bytes(name, most + 1)
    if len(data) > most:
        refuse(str(name), f"is larger than {most >> 20} MiB, which no {what} of a usual run is")
    return decoded(data)


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-8, or what a Windows shell makes of output that it writes to a file."""
    wide = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return data.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that are not empty, with their numbers, without a list of all of them."""
    for number, line in enumerate(io.StringIO(text), 1):
        if line != "\n":
            yield number, line.rstrip("\n")

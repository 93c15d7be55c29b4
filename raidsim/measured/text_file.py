"""The text of a file of results, of bounded size; an error in it is reported in one line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import NoReturn

from raidsim.errors import InputError, Problem, why


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
    data = read_start(name, most + 1)
    if len(data) > most:
        refuse(str(name), f"is larger than {most >> 20} MiB, which no {what} of a usual run is")
    return decoded(data)


def read_start(name: str | PathLike[str], most: int, instead: str = "name a file in it") -> bytes:
    """Read at most so many bytes of the beginning of a file.

    Parameters
    ----------
    instead
        The remedy if it is a folder.

    Raises
    ------
    InputError
        There is no such file, or it cannot be read.
    """
    shown = str(name)
    if not shown:
        refuse('""', "is not a valid name of a file", "name a file")
    path = Path(name)
    try:
        if path.is_dir():
            refuse(shown, "is a folder", instead)
        if path.exists() and not path.is_file():
            refuse(shown, "is not a regular file")
        with path.open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        refuse(shown, f"cannot be read: {why(error)}")


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-8, or what a Windows shell makes of output that it writes to a file."""
    wide = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return data.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that are not empty, with their numbers, without a list of all of them."""
    for number, line in enumerate(io.StringIO(text), 1):
        if line != "\n":
            yield number, line.rstrip("\n")


def refuse(
    file: str,
    cause: str,
    remedy: str | None = None,
    *,
    line: int | None = None,
    key: str | None = None,
) -> NoReturn:
    """Raise an :class:`InputError` with one problem."""  # fmt: skip
    raise InputError([Problem(file, line, key, cause, remedy)])

"""Traces written as files: for other tools, and to be read again."""

from __future__ import annotations

import contextlib
import gzip
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any, Protocol, cast

from raidsim.errors import InputError, Problem, quote, refuse, suggest
from raidsim.trace import formats
from raidsim.trace.page import Page
from raidsim.trace.request import Requests

OTHERWISE_PACKED = (".zst", ".xz", ".bz2", ".lz4", ".zip", ".7z")
"""Names of files that are packed as none is written here."""


class Writer(Protocol):
    """A format that can be written."""

    def write(self, blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
        """The file, in pieces, of requests in the order of time."""


def write(
    path: str | PathLike[str],
    blocks: Iterable[Requests],
    format: str,  # noqa: A002 - the word that users know
    volumes: Sequence[str] | Callable[[], Sequence[str]] = (),
) -> Page:
    """Write a trace; the file is whole, or not there.

    Parameters
    ----------
    path
        The file; it is packed if its name ends in .gz.
    blocks
        Arrays of `REQUEST` in the order of time, as `TraceFile.blocks` gives them.
    format
        Name of a format that can be written: one of `writable()`.
    volumes
        Names of the volumes, or what gives them when they are asked for.

    Returns
    -------
    What was written, what was left out, and what else is lost.

    Raises
    ------
    InputError
        The format is not known or cannot be written, the file cannot, or there are no requests.
    """
    names = writable()
    if format not in names:
        cause = f"{quote(format)} is not a format that can be written"
        remedy = suggest(str(format), names) or f"these can: {', '.join(names)}"
        raise InputError([Problem(None, None, "--to", cause, remedy)])
    if Path(path).suffix.lower() in OTHERWISE_PACKED:
        cause = "would not be compressed, although its name says so"
        refuse(
            str(path),
            cause,
            "write a name that ends in .gz; files with other endings are not packed",
        )
    writer = cast("Writer", formats.BY_NAME[format])
    page = Page(volumes if callable(volumes) else lambda: volumes)
    shown = str(path)
    target = Path(path)
    try:
        number, name = tempfile.mkstemp(prefix=".raidsim-", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(number, "wb") as file, _packed(file, target) as out:
                for piece in writer.write(blocks, page):
                    out.write(piece)
            if not page.written:
                cause = f"would have no request that {format} can represent"
                refuse(shown, "; ".join([cause, *page.sentences()]))
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        refuse(shown, f"cannot be written: {(error.strerror or str(error)).lower()}")
    return page


def writable() -> list[str]:
    """Names of the formats that can be written."""
    return sorted(name for name, one in formats.BY_NAME.items() if hasattr(one, "write"))


def _packed(file: IO[bytes], target: Path) -> Any:
    if target.suffix == ".gz":
        return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
    return contextlib.nullcontext(file)

"""fio's log of I/Os as version 2, to be written: reading is the same for all versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidsim.trace.formats import iolog
from raidsim.trace.page import Page
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import Requests

NAME = "iolog-v2"
TITLE = "fio iolog, version 2"
TICKS = iolog.TICKS
TAKES = ()


def recognises(head: Head) -> bool:  # noqa: ARG001
    """Never: `iolog` recognises all versions."""
    return False


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    yield from iolog.read(scan)


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces."""
    yield from iolog.written(blocks, page, 2)

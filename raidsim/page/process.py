"""Starting a process that works for the page: its input, its output, and its limits."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import BinaryIO

from raidsim.page import bounds


def answer(serve: Callable[[BinaryIO, BinaryIO], None], *, nice: int) -> None:
    """Serve at what a process was started with, and keep it free of anything else's words.

    Parameters
    ----------
    serve
        Given what is asked, and where answers go.
    nice
        By how much the process lets others go first.
    """
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(ImportError, OSError, ValueError):  # where there are such limits
        import resource  # noqa: PLC0415  (not on Windows)

        resource.setrlimit(resource.RLIMIT_DATA, (bounds.MEMORY, bounds.MEMORY))
        os.nice(nice)
    serve(sys.stdin.buffer, told)

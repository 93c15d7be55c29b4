"""Work that loses its process, in a module that a new process loads at once."""

from __future__ import annotations

import os
from pathlib import Path


def lost_once(given: tuple[int, str]) -> int:
    """Ends the process that works on the thirteenth, the first time."""
    number, mark = given
    if number == 13 and not Path(mark).exists():
        Path(mark).touch()
        os._exit(1)
    return number * number

"""Work in Python's own functions for minutes, in a module that a new process loads at once."""

from __future__ import annotations

import hashlib
from pathlib import Path


def busy_for_minutes(given: tuple[str, str]) -> None:
    """Tell by a file that it has begun, and then never look at what is asked of it."""
    Path(given[1]).touch()
    hashlib.pbkdf2_hmac("sha256", b"no tick of the kernel", b"comes", 2**31 - 1)

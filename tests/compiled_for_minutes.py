"""A run whose kernel is compiled for minutes, in a module that a new process loads at once."""

from __future__ import annotations

import hashlib
from pathlib import Path

from numba.core.registry import CPUDispatcher

from raidsim import Scenario, run


def compiled_for_minutes(given: tuple[str, str]) -> float:
    """Run a scenario with a compiler that takes minutes, and tell by a file that it has begun."""
    path, begun = given

    def compile_(self, types):
        Path(begun).touch()
        hashlib.pbkdf2_hmac("sha256", b"as in LLVM,", b"no step of Python is taken", 2**31 - 1)

    CPUDispatcher.compile = compile_
    return run(Scenario.read(path)).points[0].iops.mean

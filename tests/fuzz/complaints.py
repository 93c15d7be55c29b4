"""What a message about bad input must be: short, in one line, with the file and the key."""

from __future__ import annotations

from raidsim.errors import InputError
from tests.fuzz import Fault

LONGEST = 2000
MOST = 102
OF_ALL = ("is nested too deeply", "would take at least", "an I/O would cause")
"""What is said of a file as a whole: of no value in it, and of no line that is no TOML."""


def check(error: InputError, *files: str) -> None:
    """Raise a Fault if an error does not say where it is, and what; `files` may be named in it."""
    if not 0 < len(error.problems) <= MOST:
        raise Fault(f"{len(error.problems)} problems")
    for problem in error.problems:
        text = str(problem)
        if not text.isprintable() or not problem.cause.strip() or len(text) > LONGEST:
            raise Fault(f"a message of {len(text)} characters: {text[:200]!r}")
        if problem.file is None or not problem.file.startswith(files):
            raise Fault(f"a message that names no file: {text}")
        somewhere = problem.key is not None or problem.line is not None
        somewhere |= problem.file == "--set" or problem.cause.endswith(" more problems")
        if not somewhere and not problem.cause.startswith(OF_ALL):
            raise Fault(f"a message that names no key: {text}")

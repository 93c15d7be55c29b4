"""Refusals of a part, in words for users who cause events and do not use Python."""

from __future__ import annotations

import re
from typing import Final

from raidsim import units
from raidsim.errors import Problem

CALLS: Final = tuple(
    (re.compile(call), words)
    for call, words in (
        (r"^fail\(\) it first$", "let drive-failure happen to it before"),
        (r"^see replace\(\)$", "replacement is for a drive that has failed"),
        (r"^.*\.replace\(\d+\), which rebuilds it$", "let replacement happen, which rebuilds it"),
        (r"^.*\.replace\(\d+\), which adds it$", "let replacement happen, which adds it"),
        (r"^patrol\(\) reads", "patrol reads"),
        (r"^rebuild it first$", "let rebuild or replacement happen, and wait for the end"),
        (r"^repair it first$", "wait until its outage is over"),
        (r"^repair\(\) ends a failure$", "a failure ends with its outage"),
        (r"^(let that one )?fail_back\(\).*$", 'a fail-over ends after "for"'),
        (r"^(.*)\.restore\(\) first$", r"wait until \1 is back"),
        (r"^(restore|cut)_power\(\).*$", "wait until its outage is over"),
        (r"import_cache\(\)", "import-cache"),
        (r"discard_cache\(\)", "discard-cache"),
    )
)
"""What messages to Python say, and what is said of it to others."""


def in_events(problem: Problem, file: str | None, key: str | None, when: float | None) -> Problem:
    """A problem of a call as one of the event that has made it.

    Parameters
    ----------
    file, key
        Where the event is from, and which one it is.
    when
        When it was to happen, s; None for now.
    """
    remedy = problem.remedy
    for call, words in CALLS:
        remedy = None if remedy is None else call.sub(words, remedy)
    at = "" if when is None else f"at {units.time_for_people(when)}: "
    return Problem(file, None, key, at + problem.cause, remedy)

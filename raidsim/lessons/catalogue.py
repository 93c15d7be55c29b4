"""All lessons, in the order in which they build on each other."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.teaching.lesson import Lesson

NAMES = (
    "queues",
    "disk-time",
    "scheduling",
    "striping",
    "strip-size",
    "mirrors",
    "small-write",
    "full-stripes",
    "budget",
    "degraded",
    "rebuild",
    "write-back",
    "write-hole",
    "caching",
    "flash",
    "heat",
    "nested",
    "loss",
)


def lesson(name: str) -> Lesson:
    """Return a lesson by its name.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name not in NAMES:
        remedy = suggest(name, NAMES) or '"raidsim lesson" lists all'
        raise InputError(
            [Problem(None, None, "LESSON", f"there is no lesson {quote(name)}", remedy)]
        )
    found: Lesson = import_module(f"raidsim.lessons.{name.replace('-', '_')}").LESSON
    return found


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons in their order."""
    return tuple(lesson(name) for name in NAMES)

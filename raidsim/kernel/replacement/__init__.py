"""Replacement: which clean line of a cache gives its place to another one.

One policy is one module of this package and one row of :data:`POLICIES`; its number in compiled
code, the words of scenarios and cards and their reference pages all come from that row.

A cache has two queues of clean lines (:mod:`~raidsim.kernel.replacement.queues`). A line that has
become clean joins the newest end of its own queue, and leaves it when something of it becomes
dirty or is on its way. A policy decides with up to five verbs, of which it defines those that it
needs; :mod:`~raidsim.kernel.replacement.dispatch` calls them:

``missed(w, cache, key, size)``
    A line of ``size`` bytes is about to come in. Returns what the policy remembers of it
    (``past``): 0 for nothing, else a number of its own.
``victim(w, cache, past)``
    The clean line that gives its place to the one that comes in, or NONE if none is clean.
``evicted(w, cache, index, past)``
    That line goes now.
``admitted(w, cache, index, past)``
    A new line is there: in queue 0, with mark 0, and not clean yet.
``used(w, cache, index)``
    A line has been read or written again, clean or not.

Between two calls a policy may keep the number of a queue and a mark in each line, a hand in the
cache, and :mod:`~raidsim.kernel.replacement.ghosts` of lines that are gone.
"""

from __future__ import annotations

from typing import NamedTuple


class Policy(NamedTuple):
    """A replacement policy.

    Attributes
    ----------
    name
        In scenarios and on cards. Its module has the same name, with "_" for "-".
    meaning
        Which line goes, for the reference pages.
    ghosts
        Whether it remembers lines that are gone: as many as the cache has room for.
    """

    name: str
    meaning: str
    ghosts: bool = False


POLICIES = (
    Policy("lru", "the least recently used"),
    Policy("fifo", "the one that has been in it for longest"),
    Policy("clock", "as fifo, but one that was used since goes round once more"),
    Policy(
        "arc", "by recency or by frequency, as what was evicted too early has shown", ghosts=True
    ),
    Policy("sieve", "the first not used since a hand that goes from old to new passed it"),
    Policy("s3-fifo", "of those new in it first the ones not used twice", ghosts=True),
)
"""All of them. The place of a policy is its number in compiled code; LRU is 0."""

NUMBERS = {policy.name: number for number, policy in enumerate(POLICIES)}
"""Numbers by name."""


def names() -> tuple[str, ...]:
    """Words for a policy."""
    return tuple(NUMBERS)


def described() -> str:
    """Each with its meaning, as one text."""
    return "; ".join(f"{policy.name}: {policy.meaning}" for policy in POLICIES)

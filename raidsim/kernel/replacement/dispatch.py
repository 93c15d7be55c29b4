"""The verbs of all policies: each calls the function of the policy of its cache.

For each verb a chain of comparisons is made, one for each policy that defines the verb, in the
order of :data:`~raidsim.kernel.replacement.POLICIES`, LRU first. Compiled, a chain is a few
comparisons of one number.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from raidsim.kernel.jit import handler
from raidsim.kernel.replacement import POLICIES
from raidsim.kernel.tables import NONE

MODULES = tuple(
    import_module(f"raidsim.kernel.replacement.{policy.name.replace('-', '_')}")
    for policy in POLICIES
)


def _chain(verb: str, otherwise: Callable[..., Any], link: Callable[..., Any]) -> Any:
    """Put together a verb: ``link`` of each policy that has it, and ``otherwise`` at the end."""
    chain = otherwise
    for number, module in reversed(list(enumerate(MODULES))):
        if hasattr(module, verb):
            chain = link(number, getattr(module, verb), chain)
    return chain


def _of_one(number: int, mine: Any, others: Any) -> Any:
    """A link of a verb with one argument."""

    @handler
    def link(w, cache, what):
        if cache["policy"] == number:
            return mine(w, cache, what)
        return others(w, cache, what)

    return link


def _of_two(number: int, mine: Any, others: Any) -> Any:
    """A link of a verb with two arguments."""

    @handler
    def link(w, cache, what, more):
        if cache["policy"] == number:
            return mine(w, cache, what, more)
        return others(w, cache, what, more)

    return link


@handler
def _nothing(w, cache, what):
    """Most policies take no notice."""


@handler
def _nothing_more(w, cache, what, more):
    """Most policies take no notice."""


@handler
def _no_past(w, cache, key, size):
    """Most policies remember nothing."""
    return 0


@handler
def _no_victim(w, cache, past):
    """Nothing is evicted from a cache without a policy."""
    return NONE


missed = _chain("missed", _no_past, _of_two)
victim = _chain("victim", _no_victim, _of_one)
evicted = _chain("evicted", _nothing_more, _of_two)
admitted = _chain("admitted", _nothing_more, _of_two)
used = _chain("used", _nothing, _of_one)

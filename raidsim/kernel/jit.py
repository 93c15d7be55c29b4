"""The one place that holds Numba's options.

Three kinds of function: :func:`entry` for what Python calls (cached on disk), :func:`handler` for
the steps of the road, compiled into their callers, and :func:`routine` for what is large or seldom
needed. What was measured
on a single station: without reference counts 2.5 times faster (the tables belong to
Python, the kernel only borrows them), and inlined 9 times faster again. On the whole
kernel, handlers that are compiled as :mod:`~raidsim.kernel.inlined` says and take
the world by :mod:`~raidsim.kernel.reference` compile in a third of the time. An entry point
therefore begins with ``w = by_reference(w)``. Nothing here relaxes floating point: results are
the same bytes compiled and interpreted.
"""

from __future__ import annotations

import functools
import gc
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.registry import CPUDispatcher

from raidsim import waits
from raidsim.kernel import checked
from raidsim.kernel.code_cache import CodeCache

__all__ = ["by_reference", "entry", "handler", "part", "routine", "without"]

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
ENTRY: dict[str, Any] = {"no_cfunc_wrapper": True}
INTERPRETED: bool = bool(numba.config.DISABLE_JIT)

if INTERPRETED:

    def _itself(world):
        """Python passes everything by reference."""
        return world

    by_reference: Callable[..., Any] = checked.world_of if checked.CHECKED else _itself
else:
    from raidsim.kernel import inlined, reference

    by_reference = reference.by_reference
    if checked.CHECKED:
        from raidsim.kernel import bounds

        bounds.check()
        OPTIONS["boundscheck"] = True
    INLINED: dict[str, Any] = {
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }
    # It leans on Numba's inside: with a version that it was not tried with, the kernel
    # is compiled the usual way, which takes twice as long.
    if numba.__version__.startswith(inlined.TRIED_WITH):
        INLINED["pipeline_class"] = inlined.InlinedCompiler
        ENTRY["pipeline_class"] = inlined.EntryCompiler


class Entry:
    """A compiled function that Python calls with arguments of always the same types.

    After the first call Numba's dispatcher is passed by: finding out the types of a
    world of record arrays takes several times as long as the call itself.

    Parameters
    ----------
    function
        What is compiled.
    name
        Under which the machine code is kept; None: that of the function.
    parts
        Of the hardware, that it is compiled without: see :func:`without`.
    """

    def __init__(
        self, function: Callable[..., Any], name: str | None = None, parts: tuple[str, ...] = ()
    ) -> None:
        functools.update_wrapper(self, function)
        self._parts = frozenset(parts)
        self._dispatcher = numba.njit(**ENTRY, **OPTIONS)(function)
        self._code = self._dispatcher._cache = CodeCache(function, name)
        self._call: Callable[..., Any] = self._first
        self._ready: bool | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._call(*arguments)

    def is_on_disk(self) -> bool:
        """Whether machine code of this function has been kept."""
        return self._code.is_on_disk()

    def is_ready(self) -> bool:
        """Whether it could be called without being compiled when this was first asked."""
        if self._ready is None:
            self._ready = self.is_on_disk()
        return self._ready

    def _first(self, *arguments: Any) -> Any:
        kinds = tuple(map(_type_of, arguments))
        self._call = waits.apart(lambda: self._compiled(kinds))
        return self._call(*arguments)

    def _compiled(self, kinds: tuple[Any, ...]) -> Callable[..., Any]:
        collects = gc.isenabled()
        gc.disable()  # what a compiler makes is needed until it is done: 7 % of its time
        try:
            with _leaving_out(self._parts):
                return self._dispatcher.compile(kinds)
        finally:
            if collects:
                gc.enable()


_types: dict[type, Any] = {}


def _type_of(argument: Any) -> Any:
    """Numba's type of an argument of an entry point; all worlds are of the same."""
    if not hasattr(argument, "_fields"):
        return numba.typeof(argument)
    if type(argument) not in _types:
        _types[type(argument)] = numba.typeof(argument)
    return _types[type(argument)]


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls; keep the machine code on disk."""
    return _wrapping(function) if INTERPRETED else Entry(function)


def without(function: Callable[..., Any], name: str, *parts: str) -> Callable[..., Any]:
    """Compile an entry point for systems without some hardware, which takes less time.

    Results are the same: what is left out is code that such a system never comes to.

    Parameters
    ----------
    function
        An entry point.
    name
        Under which the machine code is kept.
    parts
        Names that :func:`part` gives.
    """
    return Entry(function.__wrapped__, name, parts) if isinstance(function, Entry) else function


def part(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a handler or routine, which returns nothing, that it is about some hardware only."""

    def belong(function: Callable[..., Any]) -> Callable[..., Any]:
        if not INTERPRETED:
            function.part = name
        return function

    return belong


class Handler(CPUDispatcher):
    """A function that is compiled into its callers only.

    It has no machine code of its own, so called from Python it runs interpreted. Numba would
    compile it anew for each constant that it is called with, and for each width of integers: here
    all integers are 64 bits wide, and it is compiled once.
    """

    part: str | None = None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What a call with arguments of these types compiles to."""
        if self.part in _left_out:
            return _nothing.get_call_template(args, kws)
        return super().get_call_template(tuple(map(_widened, args)), kws)

    def get_overload(self, sig: Any) -> Any:
        """The code of that call."""
        if self.part in _left_out:
            return _nothing.get_overload(sig)
        return super().get_overload(sig)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function as Python."""
        if checked.CHECKED and hasattr(arguments[0], "_fields"):
            arguments = (checked.world_of(arguments[0]), *arguments[1:])
        with np.errstate(over="ignore"):
            return self.py_func(*arguments)


def _widened(kind: Any) -> Any:
    """The type that a handler takes for an argument of a type."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def handler(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of the kernel into each of its callers."""
    return _without_code(function, forceinline=True)


def routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of the kernel once for all its callers in an entry point.

    For what is large, called from many places or called seldom: inlined everywhere, it would
    take long to compile and push what is hot out of the processor's instruction cache.
    """
    return _without_code(function, forceinline=False)


def _without_code(function: Callable[..., Any], forceinline: bool) -> Callable[..., Any]:
    if INTERPRETED:
        return function
    made = numba.njit(forceinline=forceinline, **INLINED, **OPTIONS)(function)
    made.__class__ = Handler
    _handlers.append(made)
    return made


# -- what is left out ----------------------------------------------------------------------------

_handlers: list[Handler] = []
_left_out: frozenset[str] = frozenset()
_lock = RLock()


@contextmanager
def _leaving_out(parts: frozenset[str]) -> Iterator[None]:
    """Compile without some parts for a while: nothing that was compiled with others is used."""
    global _left_out  # noqa: PLW0603 - Numba asks handlers, and hands nothing through to them
    with _lock:
        if parts == _left_out:
            yield
            return
        before = _left_out, [one.overloads for one in _handlers]
        _left_out = parts
        for one in _handlers:
            one.overloads = OrderedDict()
        try:
            yield
        finally:
            _left_out = before[0]
            for one, overloads in zip(_handlers, before[1], strict=True):
                one.overloads = overloads


def _comes_to_nothing(_world, *_arguments):
    raise AssertionError("the system has hardware that its entry point was compiled without")


_nothing = _comes_to_nothing if INTERPRETED else routine(_comes_to_nothing)


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    # Compiled integers wrap around silently, as the random generator needs; NumPy's
    # scalars do the same but warn.
    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run

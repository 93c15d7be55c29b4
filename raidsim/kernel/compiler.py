"""The one place with Numba's options, and the place where Numba is loaded.

Measurements on a single station: without reference counts it is 2.5 times faster (the tables belong
to Python, and Python keeps them during the call). Inlined it is again 9 times faster. For the whole
kernel, two measures reduce the compile time to a third: handlers are compiled as
:mod:`~raidsim.kernel.inlined` says, and take the world by :mod:`~raidsim.kernel.reference`. Nothing
here relaxes floating point: results are the same bytes compiled and interpreted.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any

import numba
from numba.core import types
from numba.core.registry import CPUDispatcher

from raidsim import progress
from raidsim.kernel import bounds, checked, inlined
from raidsim.kernel.code_cache import CodeCache

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
ENTRY: dict[str, Any] = {"no_cfunc_wrapper": True}
INLINED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
if checked.CHECKED:
    bounds.check()
    OPTIONS["boundscheck"] = True
# It leans on Numba's inside: with a version that it was not tried with, the kernel
# is compiled the usual way, which takes twice as long.
if numba.__version__.startswith(inlined.TRIED_WITH):
    INLINED["pipeline_class"] = inlined.InlinedCompiler
    ENTRY["pipeline_class"] = inlined.EntryCompiler


def _dispatcher(function: Callable[..., Any], **options: Any) -> Any:
    """Numba's way to compile a function."""
    # What comes here is to be compiled, whatever a file `.numba_config.yaml` says.
    numba.config.DISABLE_JIT = 0
    return numba.njit(**options, **OPTIONS)(function)


class MachineCode:
    """The machine code of an entry point.

    Numba's dispatcher is asked for it once, and then passed by: finding out the types of a
    world of record arrays takes several times as long as the call itself.

    Parameters
    ----------
    function
        What is compiled.
    name
        Under which the code is kept; None: that of the function.
    parts
        Of the hardware, that it is compiled without.
    """

    def __init__(
        self, function: Callable[..., Any], name: str | None, parts: frozenset[str]
    ) -> None:
        self._parts = parts
        self._dispatcher = _dispatcher(function, **ENTRY)
        self._kept = self._dispatcher._cache = CodeCache(function, name)

    def is_on_disk(self) -> bool:
        """Return whether it has been kept."""
        return self._kept.is_on_disk()

    def compiled(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The function for arguments of such types, from the disk or made now."""
        kinds = tuple(map(_type_of, arguments))
        found: Callable[..., Any] = progress.apart(lambda: self._made(kinds))
        return found

    def _made(self, kinds: tuple[Any, ...]) -> Callable[..., Any]:
        collects = gc.isenabled()
        gc.disable()  # what a compiler makes is needed until it is done: 7 % of its time
        try:
            with _leaving_out(self._parts):
                made: Callable[..., Any] = self._dispatcher.compile(kinds)
                return made
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


class Inlined(CPUDispatcher):
    """The way in which Numba compiles a handler or routine.

    Of itself it would compile one anew for each constant that it is called with, and for each
    width of integers: here all integers are 64 bits wide, and each is compiled once.
    """

    part: str | None = None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the compiled form of a call with arguments of these types."""
        if self.part in _left_out:
            return _nothing().get_call_template(args, kws)
        return super().get_call_template(tuple(map(_widened, args)), kws)

    def get_overload(self, sig: Any) -> Any:
        """The code of that call."""
        if self.part in _left_out:
            return _nothing().get_overload(sig)
        return super().get_overload(sig)


def _widened(kind: Any) -> Any:
    """The type that a handler takes for an argument of a type."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def type_of_inlined(
    function: Callable[..., Any], *, forceinline: bool, part: str | None
) -> types.Dispatcher:
    """Numba's type of a handler or routine, made when compiled code first names it.

    Parameters
    ----------
    function
        The function in Python.
    forceinline
        Whether each caller has a copy of its own.
    part
        The hardware that it is about; None if it is about no certain one.
    """
    made = _dispatcher(function, forceinline=forceinline, **INLINED)
    made.__class__ = Inlined
    made.part = part
    _inlined.append(made)
    return types.Dispatcher(made)


# -- what is left out ----------------------------------------------------------------------------

_inlined: list[Inlined] = []
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
        before, kept = _left_out, [one.overloads for one in _inlined]
        _left_out = parts
        for one in _inlined:
            one.overloads = OrderedDict()
        try:
            yield
        finally:
            _left_out = before
            # Functions that were first used inside this block have no code with all parts yet.
            kept += [OrderedDict() for _ in _inlined[len(kept) :]]
            for one, overloads in zip(_inlined, kept, strict=True):
                one.overloads = overloads


def _comes_to_nothing(_world, *_arguments):
    raise AssertionError("the system has hardware that its entry point was compiled without")


@cache
def _nothing() -> Any:
    """Return the code for a part of the hardware that is left out."""
    return type_of_inlined(_comes_to_nothing, forceinline=False, part=None).dispatcher

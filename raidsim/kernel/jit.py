"""Kinds of functions of the kernel: compiled for calls from Python, or into their callers.

There are three kinds: :func:`entry` for functions that Python calls (their machine code is kept on
disk), :func:`handler` for the steps of a request's path, compiled into their callers, and
:func:`routine` for large or rarely needed functions. An entry point begins with ``w =
by_reference(w)``, and passes on this ``w``.

Here they are only declared. :mod:`~raidsim.kernel.compiler` loads Numba when an entry point is
first called. A command that runs nothing, such as ``raidsim check`` of a single drive, never loads
it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from raidsim.kernel import checked

if TYPE_CHECKING:
    from raidsim.kernel.compiler import MachineCode

__all__ = ["at_once", "by_reference", "entry", "handler", "part", "routine", "without"]

INTERPRETED: bool = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether nothing is compiled, as Numba's own setting has it."""


class Entry:
    """A compiled function that Python calls with arguments of always the same types.

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
        self._name = name
        self._parts = frozenset(parts)
        self._call: Callable[..., Any] = self._first
        self._ready: bool | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._call(*arguments)

    @functools.cached_property
    def code(self) -> MachineCode:
        """Its machine code, on disk or to be made."""
        from raidsim.kernel.compiler import MachineCode  # noqa: PLC0415 - it loads Numba

        return MachineCode(self.__wrapped__, self._name, self._parts)

    def is_ready(self) -> bool:
        """Return whether it could be called without being compiled when this was first asked."""
        if self._ready is None:
            self._ready = self.code.is_on_disk()
        return self._ready

    def _first(self, *arguments: Any) -> Any:
        self._call = self.code.compiled(arguments)
        return self._call(*arguments)


class Handler:
    """A function that is compiled into its callers only.

    It has no separate machine code, so it runs interpreted when Python calls it.

    Attributes
    ----------
    forceinline
        Whether each caller has its own copy.
    part
        The hardware that it is about; None if it is about no certain one.
    """

    def __init__(self, function: Callable[..., Any], forceinline: bool) -> None:
        functools.update_wrapper(self, function)  # it stays as `__wrapped__`
        self.forceinline = forceinline
        self.part: str | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the function as Python."""
        if checked.CHECKED and hasattr(arguments[0], "_fields"):
            arguments = (checked.world_of(arguments[0]), *arguments[1:])
        with np.errstate(over="ignore"):
            return self.__wrapped__(*arguments)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """The Numba type of this name in compiled code (Numba asks for this attribute)."""
        from raidsim.kernel.compiler import type_of_inlined  # noqa: PLC0415 - it loads Numba

        return type_of_inlined(self.__wrapped__, forceinline=self.forceinline, part=self.part)


class _ByReference:
    """See :func:`raidsim.kernel.reference.by_reference`; to Python a world is a reference."""

    def __call__(self, world: Any) -> Any:
        """Hand on a world, whose rows are looked at if the kernel is the checked one."""
        return checked.world_of(world) if checked.CHECKED else world

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """The Numba type of this name in compiled code (Numba asks for this attribute)."""
        from raidsim.kernel.reference import TYPE_OF_IT  # noqa: PLC0415 - it loads Numba

        return TYPE_OF_IT


by_reference = _ByReference()


class _AtOnce:
    """A function that goes step by step, and whose machine code does all of it at once."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Go step by step, in Python."""
        return self.__wrapped__(*arguments)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """The Numba type of this name in compiled code (Numba asks for this attribute)."""
        from raidsim.kernel.vectors import TYPES  # noqa: PLC0415 - it loads Numba

        return TYPES[self.__name__]


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls; keep the machine code on disk."""
    return _wrapping(function) if INTERPRETED else Entry(function)


def without(function: Callable[..., Any], name: str, *parts: str) -> Callable[..., Any]:
    """Compile an entry point for systems without some hardware, which takes less time.

    Results are the same: such a system never reaches the code that is left out.

    Parameters
    ----------
    function
        An entry point.
    name
        The name under which the machine code is kept.
    parts
        Names that :func:`part` gives.
    """
    return Entry(function.__wrapped__, name, parts) if isinstance(function, Entry) else function


def part(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a handler or routine, which returns nothing, that it is about some hardware only."""

    def belong(function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(function, Handler):
            function.part = name
        return function

    return belong


def handler(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of the kernel into each of its callers."""
    return function if INTERPRETED else Handler(function, forceinline=True)


def routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of the kernel once for all its callers in an entry point.

    This is for functions that are large, have many callers, or are called rarely. Inlined
    everywhere, they would take long to compile, and would displace often used code from the
    processor's instruction cache.
    """
    return function if INTERPRETED else Handler(function, forceinline=False)


def at_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a handler as :mod:`raidsim.kernel.vectors` writes it; the checked kernel does not."""
    return function if INTERPRETED or checked.CHECKED else _AtOnce(function)


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    # Compiled integers wrap around silently, as the random generator needs; NumPy's
    # scalars do the same but warn.
    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run

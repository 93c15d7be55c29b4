"""The one place that holds Numba's options.

Two kinds of function: :func:`entry` for what Python calls (cached on disk), and
:func:`handler` for the rest of the kernel, compiled into its callers. What was measured
on a single station: without reference counts 2.5 times faster (the tables belong to
Python, the kernel only borrows them), and inlined 9 times faster again, since the tables
are then not copied to the stack at each call. Nothing here relaxes floating point:
results are the same bytes compiled and interpreted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
INTERPRETED: bool = bool(numba.config.DISABLE_JIT)


class Entry:
    """A compiled function that Python calls with arguments of always the same types.

    After the first call Numba's dispatcher is passed by: finding out the types of a
    world of record arrays takes 50 times as long as the call itself.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._dispatcher = numba.njit(cache=True, **OPTIONS)(function)
        self._call: Callable[..., Any] = self._first

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._call(*arguments)

    def is_on_disk(self) -> bool:
        """Whether machine code of this function, from this place, has been kept."""
        cache = self._dispatcher._cache
        name = self._dispatcher.py_func.__name__
        return any(Path(cache.cache_path).glob(f"*.{name}-*.nbc"))

    def _first(self, *arguments: Any) -> Any:
        result = self._dispatcher(*arguments)
        (compiled,) = self._dispatcher.overloads.values()
        self._call = compiled.entry_point
        return result


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls; keep the machine code on disk."""
    return _wrapping(function) if INTERPRETED else Entry(function)


def handler(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of the kernel into each of its callers."""
    return numba.njit(forceinline=True, **OPTIONS)(function)


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    # Compiled integers wrap around silently, as the random generator needs; NumPy's
    # scalars do the same but warn.
    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run

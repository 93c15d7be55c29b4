"""All functions of this package behind a decorator, each calling the decorated others.

A compiled function can only call compiled ones, but the functions here call each other plainly. So
each is made again from its code, with the others that it names replaced by decorated ones::

    compiled = decorated(numba.njit)
    count = compiled.plan(layout, good, ...)

No two functions of the package may share a name.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from raidsim.layout import (
    accesses,
    address,
    gf,
    health,
    mirrored,
    nested,
    parity,
    plan,
    plan_copies,
    plan_pages,
    plan_parity,
    rebuild,
    single,
    striped,
)

MODULES: tuple[ModuleType, ...] = (
    gf,
    single,
    striped,
    mirrored,
    parity,
    nested,
    address,
    health,
    accesses,
    plan_copies,
    plan_parity,
    plan_pages,
    plan,
    rebuild,
)


def plain_functions() -> dict[str, FunctionType]:
    """Return the functions that the modules define, by name.

    Raises
    ------
    ValueError
        Two modules have a function of one name.
    """
    found: dict[str, FunctionType] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                if name in found:
                    msg = f"{module.__name__}: another module of the package has a {name}"
                    raise ValueError(msg)
                found[name] = value
    return found


def decorated(decorate: Callable[[FunctionType], Any]) -> SimpleNamespace:
    """Return every function of the package, made by ``decorate``, under its name."""
    plain = plain_functions()
    worlds = {module.__name__: dict(vars(module)) for module in MODULES}
    made: dict[str, Any] = {}
    for name, function in plain.items():
        again = FunctionType(
            function.__code__,
            worlds[function.__module__],
            name,
            function.__defaults__,
            function.__closure__,
        )
        again.__module__ = function.__module__
        again.__qualname__ = function.__qualname__
        again.__doc__ = function.__doc__
        made[name] = decorate(again)
    for world in worlds.values():
        world.update({name: made[name] for name in world.keys() & made.keys()})
    return SimpleNamespace(**made)

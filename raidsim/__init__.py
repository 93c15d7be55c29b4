"""A simulator of storage: what a measurement of these drives under this load would have said.

``import raidsim`` is quick: the names below are loaded when they are first used.

>>> import raidsim
>>> env = raidsim.Environment()  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raidsim.build.system import SaturationError
    from raidsim.control import (
        Completion,
        Controller,
        EndlessLoadError,
        Environment,
        Host,
        Hybrid,
        Link,
        Load,
        Operation,
        Volume,
    )
    from raidsim.errors import InputError

__version__ = "0.1.0"
__all__ = [
    "Completion",
    "Controller",
    "EndlessLoadError",
    "Environment",
    "Host",
    "Hybrid",
    "InputError",
    "Link",
    "Load",
    "Operation",
    "SaturationError",
    "Volume",
    "__version__",
]

_HOME = {
    "Completion": "raidsim.control",
    "Controller": "raidsim.control",
    "EndlessLoadError": "raidsim.control",
    "Environment": "raidsim.control",
    "Host": "raidsim.control",
    "Hybrid": "raidsim.control",
    "InputError": "raidsim.errors",
    "Link": "raidsim.control",
    "Load": "raidsim.control",
    "Operation": "raidsim.control",
    "SaturationError": "raidsim.build.system",
    "Volume": "raidsim.control",
}


def __getattr__(name: str) -> Any:
    """Load an exported name from the module it lives in (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))

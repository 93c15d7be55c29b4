"""The compiled data plane: fast events on tables of records.

:mod:`~raidsim.kernel.code_cache` says where its machine code is kept, and when it is made again.
Importing the package itself loads no compiler: scenarios use its words.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raidsim.kernel.code_cache import CACHE_FOLDER, SOURCE_HASH, source_hash

__all__ = ["CACHE_FOLDER", "SOURCE_HASH", "is_compiled", "source_hash"]


@functools.cache
def is_compiled() -> bool:
    """Return whether the machine code of the event loop for all hardware is there (or not needed).

    It is what it was when this was first asked in this process.
    """
    from raidsim.kernel import engine, jit  # noqa: PLC0415 - the compiler, only when it is asked for

    return jit.INTERPRETED or bool(engine.run.is_ready())


def __getattr__(name: str) -> Any:
    """Load an exported name from where the machine code is kept (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from raidsim.kernel import code_cache  # noqa: PLC0415 - see above

    return getattr(code_cache, name)

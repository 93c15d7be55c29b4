"""The compiled data plane: fast events on tables of records.

Where its machine code is kept, and when it is made anew: :mod:`~raidsim.kernel.code_cache`.
"""

from __future__ import annotations

import numba

from raidsim.kernel import ageing as ageing
from raidsim.kernel import engine as engine
from raidsim.kernel.code_cache import CACHE_FOLDER, SOURCE_HASH, source_hash

__all__ = ["CACHE_FOLDER", "SOURCE_HASH", "is_compiled", "source_hash"]


def is_compiled() -> bool:
    """Whether the machine code of the event loop for all hardware is there (or not needed)."""
    return bool(numba.config.DISABLE_JIT) or engine.run.is_ready()

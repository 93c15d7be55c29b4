"""How Numba is made to check every index of the checked kernel.

Numba's own check (``boundscheck``) accepts negative indices: it counts them from the end before it
checks them. And it does not check slices. So here the index is checked as it is in the source, in
front of the one place where Numba translates indices.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numba
from numba.core import cgutils, types
from numba.core.lowering import BaseLower
from numba.np import arrayobj

TRIED_WITH = ("0.68.",)
WITHOUT_END = 2**63 - 1  # where a slice ends that names no end


def check() -> None:
    """Let Numba check all indices of what it compiles with ``boundscheck`` from now on.

    Raises
    ------
    RuntimeError
        If this was not tried with the version of Numba.
    """
    if not numba.__version__.startswith(TRIED_WITH):
        raise RuntimeError(
            f"the checked kernel leans on the inside of Numba {TRIED_WITH[0]}x, and this is"
            f" {numba.__version__}: try it, and add it to TRIED_WITH of {__file__};"
            " or run without RAIDSIM_CHECKED"
        )
    translated = arrayobj.basic_indexing

    def basic_indexing(context, builder, kind, array, index_types, indices, boundscheck=None):
        """Numba's, behind the check."""
        if boundscheck:
            sizes = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
            for size, index_type, index in zip(sizes, index_types, indices, strict=False):
                outside = _is_outside(context, builder, size, index_type, index)
                with cgutils.if_unlikely(builder, outside):
                    message = f"{_place()}: no such row of its table"
                    context.call_conv.return_user_exc(builder, IndexError, (message,))
        return translated(context, builder, kind, array, index_types, indices, boundscheck=False)

    arrayobj.basic_indexing = basic_indexing


def _is_outside(context, builder, size, index_type, index):
    """Code that says whether an index is none of the rows from 0 to ``size``, or a slice not."""
    if isinstance(index_type, types.Integer):
        row = context.cast(builder, index, index_type, types.intp)
        return builder.icmp_unsigned(">=", row, size)  # as unsigned, -1 is beyond every size
    if isinstance(index_type, types.SliceType):
        part = context.make_helper(builder, index_type, value=index)
        has_end = builder.icmp_signed("!=", part.stop, part.stop.type(WITHOUT_END))
        ends_outside = builder.icmp_unsigned(">", part.stop, size)
        return builder.or_(
            builder.icmp_unsigned(">", part.start, size), builder.and_(has_end, ends_outside)
        )
    raise RuntimeError(f"the checked kernel has no index of type {index_type}")


def _place() -> str:
    """File and line that Numba translates at present."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        lower = frame.f_locals.get("self")
        if isinstance(lower, BaseLower):
            return f"{Path(lower.loc.filename).name}:{lower.loc.line}"
        frame = frame.f_back
    return "kernel"

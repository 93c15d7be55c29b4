"""The functions of :mod:`raidsim.layout`, compiled for the kernel."""

from __future__ import annotations

from raidsim.kernel.jit import routine
from raidsim.layout import functions

_compiled = functions.decorated(routine)

pieces = _compiled.pieces
copied = _compiled.copied
put = _compiled.put
merge = _compiled.merge
place = _compiled.place
parity_place = _compiled.parity_place
redirect = _compiled.redirect
held = _compiled.held
rebuild = _compiled.rebuild

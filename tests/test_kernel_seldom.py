"""What is named as seldom needed in the kernel is there, and is no handler."""

from __future__ import annotations

import importlib
import sys

import pytest
from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="it is about machine code")


def test_each_part_that_is_seldom_needed_has_routines_of_its_own() -> None:
    from raidsim.kernel import inlined, jit

    importlib.import_module("raidsim.kernel.engine")
    routines = {
        f"{one.__module__}.{one.__qualname__}".removeprefix("raidsim.")
        for module in list(sys.modules.values())
        if module.__name__.startswith("raidsim.")
        for one in vars(module).values()
        if isinstance(one, jit.Handler) and not one.forceinline
    }
    for name in inlined.SELDOM:
        assert any(f"{one}.".startswith(f"{name}.") for one in routines), name


def test_symbols_of_a_module_begin_as_numba_writes_them() -> None:
    from raidsim.kernel import inlined

    assert inlined._mangled("kernel.heat") == "_ZN7raidsim6kernel4heat"

"""Layouts give the same numbers compiled, as handlers of the kernel are, as interpreted."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np
import pytest
from layouts import STRIP, array, choices, whole

from raidsim.kernel.compiler import OPTIONS
from raidsim.kernel.jit import handler
from raidsim.layout import functions
from raidsim.layout.functions import decorated, plain_functions
from raidsim.layout.tables import ACCESS

ROOM = 200
ANSWERS = 24


def every_function(ns):
    """One function that calls everything a caller may, and fills ``out`` with what it returns."""
    plan, pieces, bound = ns.plan, ns.pieces, ns.bound
    place, parity_place, held = ns.place, ns.parity_place, ns.held
    rebuild, rebuild_bound, redirect = ns.rebuild, ns.rebuild_bound, ns.redirect
    survives, failures_tolerated = ns.survives, ns.failures_tolerated
    q_exponent, two_lost = ns.q_exponent, ns.two_lost

    def run(layouts, good, request, planned, listed, restored, out):
        layout = layouts[0]
        policy, op, address, length = request[0], request[1], request[2], request[3]
        prefer, drive, row = request[4], request[5], request[6]
        out[0] = plan(layout, good, policy, prefer, op, address, length, planned)
        out[1] = pieces(layout, good, policy, prefer, op, address, length, listed)
        out[2] = bound(layout, op, length)
        out[3], out[4] = place(layout, address, layout["copies"] - 1)
        if layout["parity"] > 0:
            out[5], out[6] = parity_place(layout, address, layout["parity"])
            out[7] = q_exponent(layout, row, 0)
        out[8], out[9], out[10] = held(layout, drive, row)
        was = good[drive]
        good[drive] = min(was, row * layout["strip"])
        out[11] = rebuild(layout, good, drive, row, restored)
        good[drive] = was
        out[12] = rebuild_bound(layout)
        out[13] = survives(layout, good)
        out[14] = failures_tolerated(layout)
        out[15], out[16] = two_lost(row, row + drive + 1)
        if out[1] > 0:
            out[17] = redirect(layout, good, listed[0], layout["copies"] - 1)

    return run


def test_compiled_functions_give_what_interpreted_ones_do():
    compiled = numba.njit(**OPTIONS)(every_function(decorated(handler)))
    plain = every_function(decorated(lambda function: function))
    random = np.random.default_rng(7)
    kinds = [(n, *choice) for n in range(1, 13) for choice in choices(n)]
    beyond = 0
    for _ in range(800):
        drives, level, options = kinds[random.integers(len(kinds))]
        layouts = np.array([array(level, drives, options)])
        layout = layouts[0]
        good = whole(layout)
        for drive in random.permutation(drives)[: random.integers(4)]:
            good[drive] = int(random.integers(layout["rows"])) * STRIP
        address = int(random.integers(layout["size"]))
        length = int(random.integers(1, min(layout["size"] - address, 12 * STRIP) + 1))
        row, drive = int(random.integers(layout["rows"])), int(random.integers(drives))
        policy, op, prefer = (int(random.integers(most)) for most in (3, 2, 3))
        request = np.array([policy, op, address, length, prefer, drive, row])
        results = []
        for run in (compiled, plain):
            tables = [np.zeros(ROOM, ACCESS) for _ in range(3)]
            out = np.zeros(ANSWERS, np.int64)
            run(layouts, good.copy(), request, *tables, out)
            results.append((*tables, out))
        for here, there in zip(*results, strict=True):
            assert here.tobytes() == there.tobytes()
        assert results[0][-1][0] <= ROOM
        beyond += int(results[0][-1][0] < 0)
    assert 0 < beyond < 400


def test_a_layout_needs_no_numba():
    code = (
        "import sys, raidsim.layout.functions, raidsim.store.array; print('numba' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_decorated_functions_call_one_another_decorated():
    calls = []

    def noted(function):
        def note(*arguments):
            calls.append(function.__name__)
            return function(*arguments)

        return note

    noting = decorated(noted)
    layout = array("5", 4, {})
    noting.plan(layout, whole(layout), 0, 0, 1, 0, STRIP, np.zeros(20, ACCESS))
    assert {"plan", "pieces", "merge", "write_stripe", "p_place", "put"} <= set(calls)


def test_two_functions_of_one_name_are_refused(monkeypatch):
    monkeypatch.setattr(functions, "MODULES", (functions.gf, functions.gf))
    with pytest.raises(ValueError, match="another module of the package has a"):
        plain_functions()


def test_every_module_with_functions_for_the_kernel_is_among_them():
    folder = functions.__file__.rsplit("/", 1)[0]
    from pathlib import Path

    names = {path.stem for path in Path(folder).glob("*.py")}
    listed = {module.__name__.rsplit(".", 1)[1] for module in functions.MODULES}
    assert names - listed == {"__init__", "tables", "arrange", "functions"}

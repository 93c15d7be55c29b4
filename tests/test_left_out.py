"""An entry point that was compiled without some hardware: the same results, in less time."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from conftest import compiled_only

import raidsim.kernel
from raidsim.control.model import build
from raidsim.kernel import engine
from raidsim.kernel import tables as t
from raidsim.scenario import from_data, load
from raidsim.system import ticks

KERNEL = Path(raidsim.kernel.__file__).parent
QUICK = ["load.outstanding=8", "load.read=50 %"]


def started(scenario):
    """A system amid the first I/Os of its loads."""
    built = build(scenario)
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)
    built.system.have_room()
    return built.system


@compiled_only
def test_single_flash_drives_end_in_the_same_bytes_without_the_code_of_disks_and_arrays():
    systems = []
    for run in (engine.run, engine.run_flash):
        system = started(load("p3700-database", QUICK))
        while system.state["completed"] < 20_000:
            reason = run(system.world, t.NEVER, 20_000, ticks.count())
            if reason == t.RETURN_ROOM:
                system.have_room()
        systems.append(system)
    for one, other in zip(systems[0].world, systems[1].world, strict=True):
        assert one.tobytes() == other.tobytes()


@compiled_only
def test_a_system_with_other_hardware_is_not_run_without_it():
    disk = {"host": {"model": "fujitsu-rx2540-m1"}, "volume": [{"drive": "seagate-st373455ss"}],
            "load": [{"read": "100 %", "size": "4 KiB", "outstanding": 1}]}  # fmt: skip
    system = started(from_data(disk))
    assert system._entry() is engine.run
    with pytest.raises(AssertionError, match="compiled without"):
        engine.run_flash(system.world, t.NEVER, 10, ticks.count())


def test_what_belongs_to_a_part_returns_nothing():
    """Else leaving it out would change what its caller does."""
    found = [
        function
        for path in sorted(KERNEL.glob("*.py"))
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        and any(ast.unparse(one).startswith("part(") for one in function.decorator_list)
    ]
    assert len(found) > 20
    for function in found:
        for line in ast.walk(function):
            assert not isinstance(line, ast.Return) or line.value is None, function.name

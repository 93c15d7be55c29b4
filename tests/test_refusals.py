"""What parts refuse, for those who do not ask for it in Python."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import raidsim.control
from raidsim import units
from raidsim.control.refusals import in_events
from raidsim.errors import Problem

CONTROL = Path(raidsim.control.__file__).parent
ASKED = (
    "maintenance.py",
    "background.py",
    "controller.py",
    "paths.py",
    "power.py",
    "drives.py",
    "policy.py",
)
PLACEHOLDERS = {"link": "cable", "self.name": "data", "number": "3"}


def remedies():
    """Texts of the modules that events call which name a call of Python."""
    for name in ASKED:
        for node in ast.walk(ast.parse((CONTROL / name).read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "wrong":
                found = node.args[2:]
            elif isinstance(node, ast.Assign) and "remedy" in ast.unparse(node.targets[0]):
                found = [node.value]
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                found = node.value.elts[1:]
            else:
                continue
            for one in found:
                parts = one.body if isinstance(one, ast.IfExp) else one
                if isinstance(parts, ast.Constant) and isinstance(parts.value, str):
                    yield parts.value
                elif isinstance(parts, ast.JoinedStr):
                    yield "".join(
                        PLACEHOLDERS.get(ast.unparse(piece.value), "x")
                        if isinstance(piece, ast.FormattedValue)
                        else piece.value
                        for piece in parts.values
                    )


CALLS = sorted({text for text in remedies() if "(" in text})


def test_there_are_such_remedies():
    assert len(CALLS) > 8


@pytest.mark.parametrize("text", CALLS)
def test_no_remedy_names_a_call_to_who_has_none(text):
    found = in_events(Problem("data.x()", None, "x", "is wrong", text), None, "replacement", None)
    assert found.remedy
    assert "(" not in found.remedy


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.0, "2 s"), (7200.0, "2 h"), (20.237617308, "20.237617 s"), (0.0015, "1.5 ms")],
)
def test_times_are_short(seconds, text):
    assert units.time_for_people(seconds) == text

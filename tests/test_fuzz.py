"""The fuzzer finds what is planted, tells how to see it again, and outlives what it meets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

TARGET = """
from tests.fuzz import Fault

def attempt(random):
    if random.random() < 0.2:
        {planted}
"""

LONG = """
from tests.fuzz import Fault

def planned(random):
    return list(range(100))

def attempt(random):
    run(planned(random))

def run(parts):
    if 33 in parts and 77 in parts:
        raise Fault(f"too much\\nleft: {parts}")
"""


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", "--processes", "1", *arguments]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
    )


def planted(folder: Path, line: str) -> str:
    path = folder / "planted.py"
    path.write_text(TARGET.format(planted=line))
    return str(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("raise Fault('water flows uphill')", "water flows uphill"),
        ("[][1]", "IndexError"),
        ("while True: pass", "not over after 0.5 s"),
        ("import os; os.abort()", "its process has ended"),
    ],
    ids=["fault", "traceback", "hang", "death"],
)
def test_what_is_planted_is_found(tmp_path: Path, line: str, said: str) -> None:
    target = planted(tmp_path, line)
    done = fuzz(target, "--seed", "1", "--attempts", "6", "--limit", "0.5")
    assert done.returncode == 1
    assert said in done.stdout
    assert "planted.py" in done.stdout  # where it was


def test_a_fault_repeats_alone(tmp_path: Path) -> None:
    target = planted(tmp_path, "raise Fault(f'water flows {random.random()} uphill')")
    done = fuzz(target, "--seed", "1", "--attempts", "12")
    said = done.stdout.split("Fault: ")[1].splitlines()[0]
    number = done.stdout.split("--attempt ")[1].split()[0]
    again = fuzz(target, "--seed", "1", "--attempt", number)
    assert again.returncode == 1
    assert said in again.stdout


def test_of_a_long_attempt_only_what_it_fails_without_is_left(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text(LONG)
    done = fuzz(str(path), "--seed", "1", "--attempt", "0", "--shorten")
    assert done.returncode == 1
    assert "left: [0, 33, 77]" in done.stdout


def test_where_nothing_is_planted_nothing_is_found(tmp_path: Path) -> None:
    done = fuzz(planted(tmp_path, "pass"), "--attempts", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("seed ")
    assert done.stdout.split()[-3:-1] == ["20", "0"]


@pytest.mark.parametrize("target", ["assembly", "cards", "command_lines", "overrides", "scenarios"])
def test_targets_that_keep_what_they_read_can_be_prepared(target: str) -> None:
    """They reach into raidsim to read each card once, so they break where that is renamed."""
    done = fuzz(target, "--attempts", "1", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr

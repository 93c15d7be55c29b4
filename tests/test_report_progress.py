"""The bar says how far a command is, on standard error only."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from raidsim import progress
from raidsim.kernel import engine, entries
from raidsim.kernel.code_cache import COMPILING, CodeCache
from raidsim.report.progress import Bar
from raidsim.running import run
from raidsim.scenario import load_text


@dataclass(frozen=True)
class At:
    """Progress of a run, and of a job."""

    point_index: int = 0
    points: int = 4
    label: str = "database, 8 outstanding"
    fraction: float = 0.5
    iops: float = 56_296.0
    done: int = 3
    total: int = 12


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_bar_moves_for_as_long_as_a_point_is_not_precise():
    """It stood at 99 % from the least I/Os on, for up to 300 times as long."""
    text = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "nl-sas-2tb"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 4
[measure]
precision = "0.01 %"
min_ios = 1_000
max_ios = 1_500_000
"""
    seen = []
    run(load_text(text), progress=seen.append)
    shares = [one.fraction for one in seen]
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert len({round(one, 3) for one in shares}) > 3


def test_a_point_is_shown_with_its_load_and_rate() -> None:
    console = terminal()
    with Bar(console=console) as bar:
        bar.on_point(At(point_index=1))
    for text in ("database, 8 outstanding", "2 of 4", "56,296 IO/s"):
        assert text in written(console)


def test_runs_that_are_counted_tell_the_time_to_go() -> None:
    console = terminal()
    with Bar(console=console) as bar:
        for done in (1, 2, 3):
            bar.on_job(At(done=done, total=1200))
            time.sleep(0.05)
    assert "3 of 1,200 runs" in written(console)
    assert "to go" in written(console)


def test_runs_of_a_validation_are_counted() -> None:
    console = terminal()
    with Bar(console=console) as bar:
        bar.on_job(At())
    assert "3 of 12 runs" in written(console)


@pytest.mark.parametrize(
    ("entry", "name", "part"),
    [
        (engine.run, "run", "for all kinds of systems"),
        (engine.run, "run_flash", "for single flash drives"),
        (entries.begin, "begin", "in its small parts"),
    ],
)
def test_what_is_compiled_is_said(entry, name: str, part: str, tmp_path: Path, monkeypatch) -> None:
    """Flash drives are compiled for on their own, and "once" came twice."""
    monkeypatch.setattr(CodeCache, "_loaded", lambda *_: None)
    told: list[str] = []
    with progress.told(told.append):
        CodeCache(entry.__wrapped__, name, tmp_path).load_overload(None, None)
    assert told == [f"{COMPILING} {part} (once)"]


@pytest.mark.parametrize("force_terminal", [True, False])
def test_compiling_the_kernel_is_announced(force_terminal: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=force_terminal, width=120)
    with Bar(console=console):
        progress.tell(COMPILING)
        progress.tell(COMPILING)
    assert COMPILING in written(console)
    assert force_terminal or written(console).count(COMPILING) == 1
    progress.tell("too late")
    assert "too late" not in written(console)


def test_without_a_terminal_there_is_no_bar() -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    with Bar(console=console) as bar:
        bar.on_point(At())
    assert written(console) == ""


def test_the_bar_is_gone_after_an_interrupt() -> None:
    console = terminal()
    with pytest.raises(KeyboardInterrupt), Bar(console=console):
        raise KeyboardInterrupt
    assert written(console).endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # cursor on, line cleared

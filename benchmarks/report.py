"""The figures as a table and as JSON."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.measuring import Settings
from raidsim import __version__
from raidsim.kernel import SOURCE_HASH
from raidsim.report.json_file import render

SCHEMA = "raidsim.bench/1"
PACKAGES = ("numba", "llvmlite", "numpy", "simpy")


def document(
    settings: Settings, figures: dict[str, Any], ratios: dict[str, float]
) -> dict[str, Any]:
    """Everything that was measured, as plain data.

    Rates are per second, times in seconds (ns where the key says so), memory in bytes.
    ``figures`` has one entry per benchmark; ``ratios`` hardly depend on the computer.
    """
    return {
        "schema": SCHEMA,
        "raidsim": __version__,
        "kernel": SOURCE_HASH,
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
        "computer": {"architecture": platform.machine(), "cpus": os.cpu_count()},
        "quick": settings.quick,
        "repeats": settings.repeats,
        "figures": figures,
        "ratios": ratios,
    }


def write(path: Path, found: dict[str, Any]) -> None:
    """Write the JSON whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(render(found))
    draft.replace(path)


def table(settings: Settings, blocks: list[list[tuple[str, str]]]) -> Table:
    """One line per figure, a rule between benchmarks."""
    caption = "quick: shows that it works, not how fast" if settings.quick else None
    made = Table(title=f"raidsim {__version__}: how fast", caption=caption)
    made.add_column("what")
    made.add_column("how fast")
    for block in blocks:
        for what, how_fast in block:
            made.add_row(what, how_fast)
        made.add_section()
    return made

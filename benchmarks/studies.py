"""Studies: variants of five systems on all cores, kept in a file, against one command each."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, Settings, Tell
from raidsim import Scenario
from raidsim.studies.store import Store
from raidsim.studies.study import Variant, run_variants
from raidsim.workers.engine import processors

NAME = "studies"
VARIANTS = 1000
SYSTEMS: dict[str, dict[str, Any]] = {
    "p3700-database": {},
    "array-database": {},
    "raid5-disks": {},
    "raid60-nl": {},
    "raid5-disks as RAID 6": {"volume.level": "raid6"},
}
POINT = {"load.outstanding": 32, "measure.precision": "5 %", "measure.min_ios": 2000}
ALONE = "p3700-database"


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure a study with an empty store, once more with a full one, and a command on its own."""
    each = settings.size(VARIANTS, 10) // len(SYSTEMS)
    bases = [
        Scenario.read(name.partition(" as ")[0]).with_(changes | POINT)
        for name, changes in SYSTEMS.items()
    ]
    variants = [
        Variant(base, {"load.read": f"{30 + 60 * number / each:.2f} %"})
        for number in range(each)
        for base in bases
    ]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.sqlite") as store:
        tell(f"running {len(variants):,} variants")
        began = time.perf_counter()
        run_variants(variants, store=store)
        first = time.perf_counter() - began
        tell("the same again")
        began = time.perf_counter()
        run_variants(variants, store=store)
        again = time.perf_counter() - began
        size = (Path(folder) / "results.sqlite").stat().st_size
    tell("one command")
    began = time.perf_counter()
    words = [f"--set={key}={value}" for key, value in POINT.items()]
    subprocess.run(
        [sys.executable, "-m", "raidsim", "run", ALONE, *words],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    command = time.perf_counter() - began
    figures = {
        "variants": len(variants),
        "processors": processors(),
        "seconds": first,
        "seconds_again": again,
        "seconds_of_a_command": command,
        "bytes_of_a_result": size / len(variants),
    }
    return figures, {"command_to_variant": command / (first / len(variants))}


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    number = f"{figures['variants']:,} variants on {figures['processors']} processors"
    each = figures["seconds"] / figures["variants"]
    return [
        (f"{number}", f"{figures['seconds']:.1f} s ({1000 * each:.0f} ms each)"),
        ("the same, from the store", f"{figures['seconds_again']:.2f} s"),
        ("one of them as a command", f"{figures['seconds_of_a_command']:.2f} s"),
        ("a result in the store", f"{figures['bytes_of_a_result'] / 1000:.1f} kB"),
    ]

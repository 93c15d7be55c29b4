"""What one waits for: compiling once, importing, the first row of results, all of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measuring import Settings, Spent, Tell, fresh, mark, middle

NAME = "start"
SCENARIO = "p3700-database"
COLD_REPEATS = 3
TITLES = {
    "cold_compile": "Cold compile (every entry of the kernel)",
    "import": "Warm start: everything imported",
    "first_point": f"Warm run of {SCENARIO}: to its first point",
    "whole": f"Warm `raidsim run {SCENARIO}`: whole",
    "check": f"Warm `raidsim check {SCENARIO}`",
    "help": "`raidsim --help`",
}


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure each in fresh processes."""
    cold = []
    for repeat in range(min(settings.repeats, COLD_REPEATS)):
        tell(f"cold compile, {repeat + 1} of {min(settings.repeats, COLD_REPEATS)}")
        with tempfile.TemporaryDirectory(prefix="raidsim-bench-") as folder:
            places, _ = fresh("-m", "benchmarks.start", "compile", cache=Path(folder))
        cold.append(_between(places["imported"], places["compiled"]))
    tell("filling the cache")
    fresh("-m", "benchmarks.start", "compile")
    few = "measure.max_ios=50000" if settings.quick else "measure.max_ios=20000000"
    found: dict[str, list[Spent]] = {"import": [], "first_point": []}
    found |= {"whole": [], "check": [], "help": []}
    for repeat in range(settings.repeats):
        tell(f"warm start, {repeat + 1} of {settings.repeats}")
        places, _ = fresh("-m", "benchmarks.start", "first-point", few)
        found["import"].append(places["imported"])
        found["first_point"].append(places["first point"])
        tell(f"whole scenario, {repeat + 1} of {settings.repeats}")
        places, _ = fresh("-m", "raidsim", "run", SCENARIO, "--set", few)
        found["whole"].append(places["end"])
        for key, words in (("check", ("check", SCENARIO)), ("help", ("--help",))):
            places, _ = fresh("-m", "raidsim", *words)
            found[key].append(places["end"])
    spent = {"cold_compile": middle(cold)} | {key: middle(s) for key, s in found.items()}
    return {key: s.seconds() for key, s in spent.items()}, {
        "cold_compile_to_first_point": spent["cold_compile"].cpu / spent["first_point"].cpu
    }


def _between(first: Spent, last: Spent) -> Spent:
    return Spent(last.wall - first.wall, last.cpu - first.cpu)


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (title, f"{figures[key]['wall']:.2f} s ({figures[key]['cpu']:.2f} s of CPU)")
        for key, title in TITLES.items()
    ]


# -- in a fresh process --------------------------------------------------------------------
# Imports stand inside: what they take is part of what is measured.


def compile_all() -> None:
    """Call every entry of the kernel once."""
    from raidsim import Environment, Host, Load, Volume  # noqa: PLC0415

    env = Environment(seed=1)
    volume = Volume(env, "intel-p3700-800gb", Host(env, "fujitsu-rx2540-m1"))
    mark("imported")
    env.run(until=volume.read(0, 8192))
    volume.set_speed("flash die", 1.0)
    load = volume.start(Load(read="67 %", size="8 KiB", outstanding=2))
    env.run(until=env.now + 0.001)
    load.stop()
    env.run(until=env.now + 0.001)
    mark("compiled")


def first_point(override: str) -> None:
    """Run the scenario until its first point is done."""
    from raidsim.running import run_point  # noqa: PLC0415
    from raidsim.scenario import load  # noqa: PLC0415

    mark("imported")
    run_point(load(SCENARIO, [override]), 0)
    mark("first point")


if __name__ == "__main__":
    if sys.argv[1] == "compile":
        compile_all()
    else:
        first_point(sys.argv[2])

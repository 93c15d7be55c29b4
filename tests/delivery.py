"""A system that is delivered: what fio would have said on it, and what is judged of that."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import status

from raidsim import Scenario
from raidsim.acceptance import Expected
from raidsim.fio.files import files_of
from raidsim.fio.written import keep
from raidsim.observe.ios import Keeper
from raidsim.report import json_file
from raidsim.running import run_and_keep
from raidsim.scenario import load

QUICK = {"measure.min_ios": 3000, "measure.max_ios": 12_000, "measure.precision": "4 %"}


def database(**changes: object) -> Scenario:
    return load("p3700-database").with_(QUICK | {"load.outstanding": [1, 32]} | changes)


def delivered(scenario: Scenario, expected: Expected, folder: Path, **options: str) -> list[str]:
    """What fio would have said on a system, with the names of the jobs that were asked for."""
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    files = []
    for number, text in enumerate(files_of(scenario, result, keeper.found).contents.values()):
        document = json.loads(text)
        for job in document["jobs"]:
            job["jobname"] = next(
                one.name for one in expected.jobs
                if one.options["iodepth"] == job["job options"]["iodepth"]
            )  # fmt: skip
            job["job options"].update(options)
        files.append(folder / f"{number}.json")
        files[-1].write_text(json.dumps(document), encoding="utf-8")
    return [str(file) for file in files]


def judged(expected: Expected, results: list[str], folder: Path) -> int:
    file = folder / "expected.json"
    file.write_bytes(json_file.render(expected.to_dict()))
    return status("judge", file, *results)

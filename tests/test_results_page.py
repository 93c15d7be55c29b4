"""The reference page of results names every field and every column, and no others."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from synthetic import result

from raidsim import result as results
from raidsim.report import csv_file
from raidsim.result import cuts, draws, facts

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "results.md").read_text("utf-8")
SECTIONS = {
    "The object": results.Result,
    "What models leave out": results.Compared,
    "What the cards do not know": draws.Unknowns,
    "Intervals of a point": draws.PointUnknowns,
    "An interval of draws": draws.Figure,
    "A share": draws.Share,
    "An experiment": draws.Experiment,
    "A volume": facts.VolumeFacts,
    "A hybrid": facts.HybridFacts,
    "Power": facts.Power,
    "A link": facts.LinkFacts,
    "Power of the system": facts.SystemPower,
    "A point": results.Point,
    "What is carried": results.Carried,
    "A course": results.Course,
    "An event": results.Event,
    "An operation": results.OperationUse,
    "A phase": results.Phase,
    "A moment": results.Moment,
    "A loss": results.Loss,
    "A power cut": cuts.PowerCut,
    "A volume in a power cut": cuts.VolumeCut,
    "A hole": cuts.Hole,
    "A highest load": results.Highest,
    "An interval": results.Interval,
    "A latency": results.Latency,
    "A limit": results.Limit,
    "A stage": results.Stage,
    "Use of a station": results.StationUse,
    "Counts": results.Counts,
    "Use of a drive": results.DriveUse,
    "Use of a controller": results.ControllerUse,
    "Use of a hybrid": results.HybridUse,
    "Commands of an array": results.ArrayUse,
    "A write mode": results.WriteMode,
    "Machines that boot": results.MachineUse,
    "A temperature": results.Temperature,
    "A trace that was replayed": results.Replayed,
    "A stretch": results.Stretch,
    "A sample": results.Sample,
}


def first_cells(section: str) -> list[str]:
    """What stands as code in the first column of the table of a section."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`.*?`) \|", text, flags=re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(.*?)`", cell)]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_stands_on_the_page_in_its_order(section: str) -> None:
    assert first_cells(section) == [field.name for field in fields(SECTIONS[section])]


def test_every_object_of_a_result_has_a_section() -> None:
    modules = [f"{results.__name__}.{one.name}" for one in iter_modules(results.__path__)]
    objects = {
        o
        for module in map(import_module, modules)
        for o in vars(module).values()
        if isinstance(o, type) and is_dataclass(o) and o.__module__ == module.__name__
    }
    assert objects == set(SECTIONS.values())


def test_the_schema_on_the_page_is_the_one_that_is_written() -> None:
    assert f'"{results.SCHEMA}"' in PAGE


def test_every_column_of_csv_stands_on_the_page() -> None:
    header = csv_file.render(result()).decode().splitlines()[0].split(",")
    named = first_cells("Columns of CSV")
    kinds = {kind for point in result().points for kind in point.stages}
    of_kinds = {
        place.replace("KIND", kind) for place in named if place.startswith("KIND") for kind in kinds
    }
    assert set(header) == {name for name in named if not name.startswith("KIND")} | of_kinds

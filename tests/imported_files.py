"""Files of other tools that are imported, and the scenario that comes of them."""

from __future__ import annotations

from pathlib import Path

from raidsim.importing.importer import Imported, import_files
from raidsim.scenario.scenario import Scenario, load_text

DATA = Path(__file__).parent / "data" / "importing"
MD = "md/03-degraded-recovering-on-spare"


def imported(*names: str, **options) -> Imported:
    return import_files([str(DATA / name) for name in names], **options)


def scenario_of(*names: str, **options) -> Scenario:
    return load_text(imported(*names, **options).text)


def said(made: Imported) -> str:
    return "\n".join(map(str, made.remarks))


def text_as(tmp_path: Path, text: str, name: str = "file.txt") -> Imported:
    path = tmp_path / name
    path.write_text(text)
    return import_files([str(path)])

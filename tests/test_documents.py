"""Every example on a page works: scenarios load, code runs, and prints what the page says."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from raidsim import scenario

ROOT = Path(__file__).resolve().parents[1]


def script(path: str) -> ModuleType:
    """A script beside the pages, which is no module of a package."""
    place = importlib.util.spec_from_file_location(Path(path).stem, ROOT / "docs" / path)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


documents = script("examples.py")
tables = script("reference/parameters.py")
ALL = [example for page in documents.pages() for example in documents.examples(page)]
SCENARIOS = [e for e in ALL if e.language == "toml" and "load" in tomllib.loads(e.code)]
PROGRAMS = [e for e in ALL if e.language == "python" or e.printed is not None]


@pytest.mark.parametrize("example", SCENARIOS, ids=lambda e: e.name)
def test_a_scenario_on_a_page_loads(example: object, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(example.code, encoding="utf-8")
    assert scenario.load(str(file)).loads


@pytest.mark.slow
@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_an_example_on_a_page_prints_what_the_page_says(example: object) -> None:
    printed = documents.prints(example)
    if example.printed is not None:
        assert printed == example.printed, "if this is meant: make docs"


@pytest.mark.parametrize("page", tables.pages(), ids=lambda page: page.name)
def test_a_table_of_parameters_has_the_values_of_the_cards(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert tables.filled(text) == text, "if this is meant: make docs"

"""Every notebook runs, and shows what it says that it shows."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PICTURE = "image/png"


def script() -> ModuleType:
    """The script beside the pages, which is no module of a package."""
    place = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


documents = script()
ALL = documents.notebooks()


def without_bytes_of_pictures(outputs: list) -> list:
    return [
        one | {"data": {form: form != PICTURE and text for form, text in one["data"].items()}}
        if "data" in one
        else one
        for one in outputs
    ]


def test_there_is_a_notebook_in_the_tutorial() -> None:
    assert [path.parent.name for path in ALL] == ["tutorial"]


@pytest.mark.parametrize("notebook", ALL, ids=lambda path: path.name)
def test_a_notebook_shows_what_it_says(notebook: Path) -> None:
    pytest.importorskip("pandas")
    cells = documents.cells(notebook)
    for cell, shown in zip(cells, documents.shown(notebook), strict=True):
        kept, now = map(without_bytes_of_pictures, (cell["outputs"], shown))
        assert now == kept, "if this is meant: make docs"


@pytest.mark.parametrize("notebook", ALL, ids=lambda path: path.name)
def test_a_notebook_is_one_that_jupyter_opens(notebook: Path) -> None:
    data = json.loads(notebook.read_text("utf-8"))
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in data["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in data["cells"]:
        code = {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code


@pytest.mark.parametrize("notebook", ALL, ids=lambda path: path.name)
def test_every_link_in_a_notebook_leads_somewhere(notebook: Path) -> None:
    text = "".join(
        "".join(cell["source"])
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
    )
    links = [part.split(")")[0].split("#")[0] for part in text.split("](")[1:]]
    local = [link for link in links if "://" not in link]
    assert local
    assert [link for link in local if not (notebook.parent / link).exists()] == []

"""The documentation as a site: its pages, before they are built (tests/page/whole_site.py)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import raidsim
from raidsim.lessons import catalogue

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "docs" / "site" / "build.py"


def script() -> ModuleType:
    """The script beside the pages, which is no module of a package."""
    place = importlib.util.spec_from_file_location("site_build", SCRIPT)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


site = script()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    source = tmp_path_factory.mktemp("source")
    return {name: site.text_of(file, source) for file, name in site.site_names().items()}


def test_every_page_is_in_the_navigation(pages: dict[str, str]) -> None:
    front, decisions = site.with_navigation(pages).values()
    trees = front.split("```{toctree}", 1)[1]
    in_trees = set(re.findall(r"^(?:.*<)?([\w/-]+)>?$", trees, re.MULTILINE))
    notes = re.findall(r"^(\d{4}-[\w-]+)$", decisions.split("```{toctree}", 1)[1], re.MULTILINE)
    in_trees |= {f"decisions/{note}" for note in notes} | {"index"}
    assert {name.removesuffix(".md") for name in pages} <= in_trees
    assert {f"lessons/{name}" for name in catalogue.NAMES} <= in_trees


def test_links_between_files_become_links_between_pages(pages: dict[str, str]) -> None:
    assert "](tutorial/notebook.md)" in pages["index.md"]
    assert "](decisions/index.md)" in pages["index.md"]
    assert "](how-to/sweep.md)" in pages["changes.md"]
    assert "../../CHANGELOG.md" not in pages["reference/python.md"]
    # A folder is nothing that a page shows.
    assert "| models | cards:" in pages["about.md"]


def test_a_notebook_is_a_page_with_its_code_and_what_it_showed(pages: dict[str, str]) -> None:
    text = pages["tutorial/notebook.md"]
    assert "```python\nraid5.plot()\n```" in text
    assert re.search(r"!\[[^]]+\]\(\.\./pictures/notebook-\d+\.png\)", text)
    assert text.count('<div class="shown">') == text.count("</table>") == 2
    assert "<style" not in text


def test_every_public_name_is_described() -> None:
    described = re.findall(r"^\.\. auto\w+:: raidsim\.(\w+)$", site.api_page(), re.MULTILINE)
    assert set(described) == set(raidsim.__all__) - {"__version__"}


def test_a_page_that_asks_another_server_for_something_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<a href="https://simpy.org">SimPy</a><script src="static/x.js"></script>')
    assert site.loaded_from_elsewhere(tmp_path) == []
    for loaded in ('<script src="//cdn.org/x.js">', '<link rel="x" href="https://fonts.org/f">'):
        page.write_text(loaded)
        assert site.loaded_from_elsewhere(tmp_path) == [f"index.html: {loaded}"]

"""The repository keeps its own promises: commands, packages, data files, links, sizes."""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONGEST_FILE = 600
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def targets() -> set[str]:
    """Targets of the Makefile."""
    text = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z][a-z-]*):", text, flags=re.MULTILINE))


def code_of(page: Path) -> str:
    """Everything on a page that is set as code, inline or as a block."""
    text = page.read_text()
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join([*blocks, *re.findall(r"`([^`\n]+)`", rest)])


def test_the_readme_starts_with_the_two_commands() -> None:
    code = code_of(ROOT / "README.md")
    assert "make run" in code
    assert "make test" in code


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_make_command_on_a_page_is_a_target(page: Path) -> None:
    called = re.findall(r"^\s*make ([a-z][a-z-]*)", code_of(page), flags=re.MULTILINE)
    assert set(called) <= targets()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_raidsim_command_on_a_page_exists(page: Path) -> None:
    app = import_module("raidsim.cli").app
    known = {c.name or c.callback.__name__ for c in app.registered_commands}
    groups = [group.typer_instance for group in app.registered_groups]
    known |= {group.info.name for group in groups}
    known |= {c.name for group in groups for c in group.registered_commands if not group.info.name}
    called = re.findall(r"^\s*raidsim ([a-z][a-z-]*)", code_of(page), flags=re.MULTILINE)
    assert set(called) <= known


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_on_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    local = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_ci_runs_the_tests_a_real_browser_real_clients_and_then_the_fuzzer() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.findall(r"^(?:exec )?make ([\w-]+)", script.read_text(), re.MULTILINE) == [
        "test",
        "test-page",
        "test-clients",
        "fuzz",
    ]


@pytest.mark.parametrize("folder", ["raidsim", "tests", "benchmarks", "docs"])
def test_no_source_file_is_longer_than_one_idea(folder: str) -> None:
    lengths = {named(p): len(p.read_text().splitlines()) for p in (ROOT / folder).rglob("*.py")}
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


def test_what_tests_share_stands_in_no_test() -> None:
    shared = re.compile(r"^(from|import) test_", re.MULTILINE)
    assert [named(p) for p in (ROOT / "tests").rglob("*.py") if shared.search(p.read_text())] == []


def test_every_package_is_named_in_setup_cfg() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    packaged = set(setup["options"]["packages"].split())
    here = {
        named(init.parent).replace("/", ".") for init in (ROOT / "raidsim").rglob("__init__.py")
    }
    data = {f"raidsim.data.{kind}" for kind in ("models", "scenarios", "validation")}
    assert packaged == here | data


def test_the_version_is_the_same_everywhere() -> None:
    assert import_module("raidsim").__version__ == PROJECT["project"]["version"]
    assert f"## {PROJECT['project']['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_makefile_asks_for_the_python_that_the_project_requires() -> None:
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"Python {least} or newer" in (ROOT / "Makefile").read_text()
    assert f"({least.replace('.', ', ')})" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "models").glob("*.toml")), ids=named)
def test_every_card_loads_under_its_own_name(path: Path) -> None:
    assert import_module("raidsim.cards").load(str(path)).name == path.stem


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.toml")), ids=named)
def test_every_scenario_loads_and_says_what_it_is(path: Path) -> None:
    scenario = import_module("raidsim.scenario").load(str(path))
    assert scenario.title
    assert path.read_text().startswith("#"), "a scenario opens with a comment that explains it"

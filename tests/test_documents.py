"""Every example on a page works: scenarios load, code runs, and prints what the page says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import typer
from page_scripts import script

from raidsim import cards, scenario
from raidsim.cli import app
from raidsim.importing import formats
from raidsim.kernel import replacement

ROOT = Path(__file__).resolve().parents[1]


documents = script("examples.py")
tables = script("reference/parameters.py")
ALL = [example for page in documents.pages() for example in documents.examples(page)]
SCENARIOS = [e for e in ALL if e.language == "toml" and "load" in tomllib.loads(e.code)]
CARDS = [e for e in ALL if e.language == "toml" and "body" in tomllib.loads(e.code)]
SIBLINGS = [e for e in ALL if e.language == "toml" and "base" in tomllib.loads(e.code)]
PROGRAMS = [e for e in ALL if e.language == "python" or e.printed is not None]


@pytest.mark.parametrize("example", SCENARIOS, ids=lambda e: e.name)
def test_a_scenario_on_a_page_loads(example: object, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(example.code, encoding="utf-8")
    assert scenario.load(str(file)).loads


def card_of(example: object, folder: Path) -> cards.Card:
    file = folder / f"{tomllib.loads(example.code)['name']}.toml"
    file.write_text(example.code, encoding="utf-8")
    return cards.load(str(file))


@pytest.mark.parametrize("example", CARDS, ids=lambda e: e.name)
def test_a_whole_card_on_a_page_loads(example: object, tmp_path: Path) -> None:
    assert not card_of(example, tmp_path).base


@pytest.mark.parametrize("example", SIBLINGS, ids=lambda e: e.name)
def test_a_card_with_a_base_on_a_page_loads(example: object, tmp_path: Path) -> None:
    assert card_of(example, tmp_path).base


def commands_of(command: object, name: str = "") -> list[tuple[str, object]]:
    """All commands with their names, those of a group behind the name of the group."""
    if not hasattr(command, "commands"):
        return [(name, command)]
    return [
        found
        for word, one in command.commands.items()
        for found in commands_of(one, f"{name} {word}".strip())
    ]


@pytest.mark.parametrize(
    ("name", "command"), commands_of(typer.main.get_command(app)), ids=lambda e: str(e)[:20]
)
def test_every_option_of_a_command_stands_on_its_page(name: str, command: object) -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## raidsim {name}\b(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    options = {option for parameter in command.params for option in parameter.opts}
    named = set(re.findall(r"`(--[a-z-]+)", section))
    assert named == {option for option in options if option.startswith("--")}


def test_what_a_status_of_1_means_is_said_alike_on_the_page_and_in_the_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| 1 \| done, and (.*) \|$", text, re.MULTILINE)
    told = typer.main.get_command(app).epilog
    commands = {name for name, _ in commands_of(typer.main.get_command(app))}
    named = set(re.findall(r"\(([^()]*)\)", told))
    assert {one for words in named for one in words.split(", ")} <= commands
    on_the_page = set(re.findall(r"\((`[^()]*)\)", row))
    assert {words.replace("`", "") for words in on_the_page} == named
    for status in re.findall(r"^\| (\d+) \| [a-z]", text, re.MULTILINE):
        assert f"{status} " in told


def test_there_are_as_many_drives_as_the_first_page_says() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "A hundred and seventy drives are on cards" in text
    assert 170 <= sum(card.kind in {"ssd", "hdd"} for card in cards.catalogue()) < 180


def test_the_page_on_hybrids_names_every_policy() -> None:
    text = (ROOT / "docs" / "how-to" / "hybrid.md").read_text(encoding="utf-8")
    (line,) = (one for one in text.splitlines() if one.startswith("evict = "))
    assert sorted(re.findall(r'"([\w-]+)"', line)) == sorted(replacement.names())


def test_formats_that_options_depend_on_are_named_on_the_page_on_adding_one() -> None:
    """What `--outstanding` and `--group` take is told by these two lists."""
    text = (ROOT / "docs" / "how-to" / "import.md").read_text(encoding="utf-8")
    for name in ("FORMATS", "OF_LOADS", "OF_STATISTICS"):
        assert hasattr(formats, name)
        assert re.search(rf"\b{name}\b", text)


def test_the_layers_of_the_page_on_the_code_are_those_of_the_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (
        one["layers"]
        for one in contract["tool"]["importlinter"]["contracts"]
        if one["id"] == "layers"
    )
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page.partition("## The way")[0], re.MULTILINE)
    assert [set(re.findall(r"\w+", row)) for row in rows] == [
        set(re.findall(r"\w+", layer)) for layer in layers
    ]


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_an_example_on_a_page_prints_what_the_page_says(example: object) -> None:
    printed = documents.prints(example)
    if example.printed is not None:
        assert printed == example.printed, "if this is meant: make docs"


@pytest.mark.parametrize("page", tables.pages(), ids=lambda page: page.name)
def test_a_table_of_parameters_has_the_values_of_the_cards(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert tables.filled(text) == text, "if this is meant: make docs"


def test_the_tutorial_lets_fio_do_what_its_scenario_does() -> None:
    page = ROOT / "docs" / "tutorial" / "break-an-array.md"
    (text,) = (example.code for example in SCENARIOS if example.page == page)
    (load,) = scenario.load_text(text).loads
    (command,) = (e.code for e in ALL if e.page == page and e.code.startswith("fio"))
    options = dict(re.findall(r"--(\w+)=(\S+)", command))
    assert options["rw"] == "randwrite"
    assert (load.read, load.random) == (0, 1)
    assert f"{load.sizes[0].size // 1024}k" == options["bs"]
    assert load.outstanding == (int(options["iodepth"]),)
    assert f"{load.area.size >> 20}m" == options["size"]

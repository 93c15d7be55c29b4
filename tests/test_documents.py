"""Every example on a page works: scenarios load, Python runs, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from raidsim import scenario

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A block of code and, where one follows at once, the block of text that it prints.
BLOCK = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```$)?",
    flags=re.MULTILINE | re.DOTALL,
)


class Example(NamedTuple):
    name: str  # page and line
    code: str
    printed: str | None


def examples(language: str) -> list[Example]:
    found = []
    for page in PAGES:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            if block["language"] == language:
                line = text[: block.start()].count("\n") + 1
                name = f"{page.relative_to(ROOT).as_posix()}:{line}"
                found.append(Example(name, block["code"], block["printed"]))
    return found


def named(example: Example) -> str:
    return example.name


SCENARIOS = [e for e in examples("toml") if "load" in tomllib.loads(e.code)]


@pytest.mark.parametrize("example", SCENARIOS, ids=named)
def test_a_scenario_on_a_page_loads(example: Example, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(example.code)
    assert scenario.load(str(file)).loads


@pytest.mark.parametrize("example", examples("python"), ids=named)
def test_python_on_a_page_prints_what_the_page_says(example: Example) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example.code, example.name, "exec"), {"__name__": "__main__"})
    if example.printed is not None:
        assert out.getvalue() == example.printed

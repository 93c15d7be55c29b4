"""The examples on the pages: run them, and put down what they print: ``python docs/examples.py``.

An example is a block of Python, or of one ``raidsim`` command, with a block of text after
it: what it prints. A command that ends in a comment "a mistake" is refused, and the text is
the message; one that ends in "does not agree" ends in the status that says so. The tests run
the same examples and compare; a TOML block that holds a load must be a scenario that loads.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from raidsim import cli

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```$)?",
    flags=re.MULTILINE | re.DOTALL,
)
COLUMNS = 120
MISTAKE = "# a mistake"
DISAGREES = "# does not agree"
DOES_NOT_HOLD, INPUT_WRONG = 1, 2


class Example(NamedTuple):
    """One block of code on a page."""

    page: Path
    line: int
    language: str
    code: str
    printed: str | None  # what the page says it prints; None where it says nothing

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def examples(page: Path) -> list[Example]:
    """All blocks of code on a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Example(
            page,
            text.count("\n", 0, block.start()) + 1,
            block["language"],
            block["code"],
            block["printed"],
        )
        for block in BLOCK.finditer(text)
    ]


def prints(example: Example) -> str:
    """What a Python or a shell example really prints on standard output, or what refuses it.

    Raises
    ------
    RuntimeError
        If it fails, or a mistake does not.
    """
    out, err = io.StringIO(), io.StringIO()
    width = patch.dict(os.environ, COLUMNS=str(COLUMNS))
    with redirect_stdout(out), redirect_stderr(err), chdir(ROOT), width:
        status = _run(example)
    refused = MISTAKE in example.code
    wanted = INPUT_WRONG if refused else DOES_NOT_HOLD if DISAGREES in example.code else 0
    if status != wanted:
        raise RuntimeError(f"{example.name} ends in {status}:\n{err.getvalue()}")
    printed = (err if refused else out).getvalue()
    lines = printed.replace(f"{ROOT}/", "").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _run(example: Example) -> int | str | None:
    """Run an example in this process, which has the kernel already; its exit status."""
    try:
        if example.language == "python":
            exec(example.code, {"__name__": "__main__"})
        else:
            program, *arguments = shlex.split(example.code, comments=True)
            assert program == "raidsim", f"{example.name} runs something else than raidsim"
            cli.main(arguments)
    except SystemExit as ended:
        return ended.code
    return 0


def refresh(page: Path) -> bool:
    """Put down what the examples of a page print now; whether that changed the page."""
    old = page.read_text(encoding="utf-8")
    new = old
    for example in examples(page):
        if example.printed is not None:
            block = f"```{example.language}\n{example.code}```\n\n```text\n"
            new = new.replace(f"{block}{example.printed}```", f"{block}{prints(example)}```")
    page.write_text(new, encoding="utf-8")
    return new != old


def main() -> None:
    for page in pages():
        if refresh(page):
            print(f"{page.relative_to(ROOT)}: refreshed")


if __name__ == "__main__":
    main()

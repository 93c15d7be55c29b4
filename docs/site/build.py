"""The documentation as a site, with search: ``make site``, or ``python docs/site/build.py``.

The pages are those of ``docs``, as they are. What a site needs besides is made here and now: its
navigation, from the lists of ``docs/README.md``; the notebook as a page; the lessons; what
docstrings say; links between files as links between pages. Sphinx then fails on everything that is
wrong: a link or an anchor that leads nowhere, a page that no list names.

``--check`` looks for mistakes only: it writes no pages, and simulates no lessons.
"""

from __future__ import annotations

import base64
import html
import inspect
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import raidsim
from raidsim.lessons import catalogue
from raidsim.report.lesson_page import page as page_of_lesson
from raidsim.teaching.lesson import Lesson

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OUT = ROOT / "out" / "site"
SEED = 1
# A list of pages in docs/README.md, below the name of their kind.
KIND = re.compile(r"^\*\*(?P<kind>[^*]+)\*\*: .*\n\n(?P<list>(?:- .*\n)+)", re.MULTILINE)
LINK = re.compile(
    r"(?P<mark>!?)\[(?P<words>(?:`[^`]*`|[^][`])+)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]+)?\)"
)


def build(out: Path, builder: str, lesson_html: Callable[[Lesson], str]) -> int:
    """Build the site into a folder, and return the status of Sphinx: 0 if nothing is wrong."""
    from sphinx.cmd.build import main as sphinx  # noqa: PLC0415 - the rest is of use without it

    source = out.with_name(f"{out.name}-source")
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    own = Path(__file__).parent
    shutil.copytree(own / "static", source / "static")
    shutil.copy(own / "conf.py", source)
    pages = {name: text_of(file, source) for file, name in site_names().items()}
    pages["reference/api.md"] = api_page()
    for lesson in catalogue.lessons():
        pages[f"lessons/{lesson.name}.md"] = lesson_page(lesson)
        file = source / "static" / "lessons" / f"{lesson.name}.html"
        file.parent.mkdir(exist_ok=True)
        file.write_text(lesson_html(lesson), encoding="utf-8")
    for name, text in (pages | with_navigation(pages)).items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    return sphinx(["-W", "--keep-going", "-q", "-b", builder, str(source), str(out)])


def site_names() -> dict[Path, str]:
    """Which file of the repository becomes which page."""
    names = {ROOT / "README.md": "about.md", ROOT / "CHANGELOG.md": "changes.md"}
    for file in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]):
        name = file.relative_to(DOCS).with_suffix(".md").as_posix()
        names[file] = name.replace("README.md", "index.md")
    return names


# ---------------------------------------------------------------- links and navigation


def text_of(file: Path, source: Path) -> str:
    """The text of a page, with links to pages of the site in place of links to files."""
    names = site_names()
    text = notebook_text(file, source) if file.suffix == ".ipynb" else file.read_text("utf-8")
    here = Path(names[file]).parent

    def told(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(file.parent / found["target"]))
        if target.is_dir():
            return found["words"]
        inside = target.is_relative_to(DOCS)
        place = os.path.relpath(target, DOCS) if inside else f"files/{target.relative_to(ROOT)}"
        if target in names:
            place = names[target]
        elif target.is_file():  # a picture, or what can be looked at
            (source / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, source / place)
        place = os.path.relpath(place, here)
        return f"{found['mark']}[{found['words']}]({place}{found['anchor'] or ''})"

    return LINK.sub(told, text)


def with_navigation(pages: dict[str, str]) -> dict[str, str]:
    """The pages that carry tables of contents: the first one, and that of the decisions."""
    lessons = [
        f"- [{one.title}](lessons/{one.name}.md): {one.about}" for one in catalogue.lessons()
    ]
    section = "\n".join(["**Lessons**: be asked before you are told.", "", *lessons, "", ""])
    front = pages["index.md"].replace("**How-to", f"{section}**How-to", 1)
    trees = [tree(["About raidsim <about>"])]
    for found in KIND.finditer(front):
        linked = list(dict.fromkeys(target["target"] for target in LINK.finditer(found["list"])))
        if found["kind"] == "Reference":
            linked.insert(linked.index("reference/python.md") + 1, "reference/api.md")
        trees.append(tree(linked, found["kind"]))
    trees.append(tree(["changes"], "History"))
    decisions = pages["decisions/index.md"]
    notes = [target["target"] for target in LINK.finditer(decisions)]
    return {
        "index.md": "\n".join([front, *trees]),
        "decisions/index.md": f"{decisions}\n{tree(notes)}",
    }


def tree(pages: list[str], caption: str = "") -> str:
    """A table of contents for the margin only: the page has its own."""
    head = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return "\n".join([*head, *(page.removesuffix(".md") for page in pages), "```", ""])


# ---------------------------------------------------------------- pages that are made


def lesson_page(lesson: Lesson) -> str:
    """The page around a lesson, which is in it as ``raidsim lesson NAME --html`` writes it."""
    file = f"../_static/lessons/{lesson.name}.html"
    return "\n\n".join(
        [
            f"# {lesson.title}",
            f"What you learn here: {lesson.about}.",
            f'<p><a href="{file}">The lesson on a page of its own</a>. '
            f"In a terminal: <code>raidsim lesson {lesson.name}</code>.</p>",
            f'<iframe class="lesson" src="{file}" title="{html.escape(lesson.title)}"></iframe>\n',
        ]
    )


def api_page() -> str:
    """What the docstrings of the public names say."""
    parts = [
        "# Python, name by name",
        "The public names of raidsim, as their docstrings describe them. "
        "What they are for, and in which order: [Python](python.md).",
    ]
    for name in sorted(raidsim.__all__, key=str.casefold):
        thing = getattr(raidsim, name)
        if not callable(thing):
            continue
        lines = [f".. autofunction:: raidsim.{name}"]
        if isinstance(thing, type):
            called = ", ".join(_described_members(thing))
            lines = [f".. autoclass:: raidsim.{name}", *([f"   :members: {called}"] * bool(called))]
        parts.append("\n".join([f"## {name}", "", "```{eval-rst}", *lines, "```"]))
    return "\n\n".join(parts) + "\n"


def _described_members(thing: type) -> list[str]:
    """Methods and properties of a class that raidsim describes; fields stand in its docstring."""
    found = []
    for name in dir(thing):
        member = inspect.getattr_static(thing, name)
        code = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        described = inspect.isfunction(code) and code.__doc__ and not name.startswith("_")
        if described and code.__module__.startswith("raidsim."):
            found.append(name)
    return found


def notebook_text(notebook: Path, source: Path) -> str:
    """A notebook as Markdown: its texts, its code, and what it showed."""
    parts: list[str] = []
    for number, cell in enumerate(json.loads(notebook.read_text("utf-8"))["cells"]):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        picture = source / "pictures" / f"{notebook.stem}-{number}.png"
        parts += [_shown(output, picture, notebook) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any], picture: Path, notebook: Path) -> str:
    """One output of a cell: a picture, a table, or text."""
    data = output.get("data", {"text/plain": output.get("text", [])})
    if "image/png" in data:
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(base64.b64decode("".join(data["image/png"])))
        depth = len(notebook.relative_to(DOCS).parents) - 1
        return f"![{''.join(data['text/plain'])}]({'../' * depth}pictures/{picture.name})"
    if "text/html" in data:
        table = re.sub(
            r"<style.*?</style>|\n\s*(?=\n)", "", "".join(data["text/html"]), flags=re.DOTALL
        )
        return f'<div class="shown">\n{table}\n</div>'
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


def loaded_from_elsewhere(out: Path) -> list[str]:
    """Pages and style sheets that would ask another server for something, and what that is."""
    loads = re.compile(
        r"<(?:script|img|iframe|link)\b[^>]*[\"'](?:https?:)?//[^>]*>|(?:url\(|@import)\s*[\"']?https?:[^)]*"
    )
    return [
        f"{file.relative_to(out)}: {found}"
        for kind in ("*.html", "*.css")
        for file in sorted(out.rglob(kind))
        for found in loads.findall(file.read_text("utf-8"))
    ]


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        with tempfile.TemporaryDirectory() as folder:
            sys.exit(build(Path(folder) / "site", "dummy", lambda lesson: lesson.title))

    def simulated(lesson: Lesson) -> str:
        place = catalogue.NAMES.index(lesson.name) + 1
        print(f"lesson {place} of {len(catalogue.NAMES)}: {lesson.name}", flush=True)
        return page_of_lesson(lesson, SEED)

    status = build(OUT, "html", simulated)
    for place in loaded_from_elsewhere(OUT):
        print(f"loads something from elsewhere: {place}", file=sys.stderr)
        status = 1
    if status == 0:
        print(f"built: {(OUT / 'index.html').relative_to(ROOT)}")
    sys.exit(status)


if __name__ == "__main__":
    main()

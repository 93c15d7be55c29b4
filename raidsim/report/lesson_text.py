"""Lessons in a terminal, and as plain text."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence

from raidsim.teaching.interview import answer_of, options_of
from raidsim.teaching.lesson import Lesson
from raidsim.teaching.sheet import Asked, draw

WIDTH = 96
"""Columns of text; a screen of today shows that, and a reader follows its lines."""

NOTES = (
    ("Simpler than in reality", "simplifications"),
    ("Where print or other simulators disagree", "disagreements"),
    ("Sources", "sources"),
)
"""What stands at the end of a lesson: headings, and the fields that are listed under them."""


def list_of(lessons: Sequence[Lesson]) -> list[str]:
    """List lessons: name, what one learns, number of questions."""
    widest = max(len(lesson.name) for lesson in lessons)
    return [
        *(
            f"{lesson.name:{widest}}  {len(lesson.questions)} questions  {lesson.about}"
            for lesson in lessons
        ),
        "",
        "raidsim lesson NAME asks the questions of one; --seed N draws other numbers.",
    ]


def head(lesson: Lesson) -> list[str]:
    """Title, explanation and system."""
    return [
        lesson.title,
        "=" * len(lesson.title),
        "",
        *wrapped(lesson.text),
        "",
        f"The system (--system {file_of(lesson)} writes it to a file):",
        "",
        *(f"    {line}".rstrip() for line in lesson.system.splitlines()),
        "",
    ]


def notes(lesson: Lesson) -> list[str]:
    """Sources, simplifications, and where others say something else."""
    lines = []
    for heading, name in NOTES:
        texts = getattr(lesson, name)
        lines += [f"{heading}:", *(line for text in texts for line in _bullet(text)), ""]
    return lines


def questions(lesson: Lesson, seed: int, *, answers: bool) -> Iterator[str]:
    """Questions with the numbers of a seed, with their answers if asked for."""
    for asked in draw(lesson, seed):
        yield from question(asked)
        if answers:
            for line in answer_of(asked):
                yield from indented(line)
        yield ""


def question(asked: Asked) -> Iterator[str]:
    """One question, its options, and what to run for it."""
    first, *rest = _lines(f"{asked.number}. {asked.ask}", WIDTH)
    yield first
    yield from (f"   {line}" for line in rest)
    yield from options_of(asked)
    if asked.question.only_by_running and not asked.question.predict:
        yield from (f"   {command}" for command in commands(asked))


def commands(asked: Asked) -> list[str]:
    """Return the commands to type for the runs of a question."""
    verb = "check" if asked.question.checks else "run"
    return [command(asked.lesson, verb, changes) for changes in asked.runs]


def command(lesson: Lesson, verb: str, changes: Sequence[str]) -> str:
    """Return the command to type for a run of a lesson's system with some keys changed."""
    words = [word for change in changes for word in ("--set", change)]
    return shlex.join(["raidsim", verb, file_of(lesson), *words])


def file_of(lesson: Lesson) -> str:
    """The name that the system of a lesson has on the command lines that are shown."""
    return f"{lesson.name}.toml"


def indented(line: str) -> list[str]:
    """A line of an answer, under its question."""
    return [f"   {part}" for part in _lines(line, WIDTH - 3)]


def wrapped(text: str) -> list[str]:
    """Paragraphs in lines of the width; lines that are indented stay as they are."""
    lines: list[str] = []
    for line in text.splitlines():
        lines += [line] if line.startswith("    ") or not line else _lines(line, WIDTH)
    return lines


def _lines(text: str, width: int) -> list[str]:
    """Text in lines; names such as back-bad-battery stay in one."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def _bullet(text: str) -> list[str]:
    first, *rest = _lines(text, WIDTH - 2)
    return [f"- {first}", *(f"  {line}" for line in rest)]

"""The command ``raidsim lesson``: lessons that ask, in the terminal and for a class."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import PAGES, target_of

if TYPE_CHECKING:
    from raidsim.report.output import Target
    from raidsim.teaching.lesson import Lesson

app = typer.Typer(rich_markup_mode=None)

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="LESSON", show_default=False, help="The lesson; without it all are listed."
    ),
]


@app.command("lesson")
def lesson_command(
    name: Name = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Seed that draws the numbers of the questions.")
    ] = 1,
    answers: Annotated[
        bool, typer.Option("--answers", help="Show the answers, and how to find them.")
    ] = False,
    system: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the lesson's system, a scenario: .toml."),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(
            "--html", metavar="FILE", help="Write one page with sliders, which opens offline."
        ),
    ] = None,
    handout: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the questions: .md; the answers go to FILE-answers.md."
        ),
    ] = None,
    gift: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the questions for Moodle, as GIFT.")
    ] = None,
) -> None:
    """Show a lesson: an explanation, a system, questions with numbers, hints, and answers."""
    from raidsim.errors import InputError, Problem
    from raidsim.lessons import catalogue
    from raidsim.report import lesson_text

    targets = {
        "system": target_of("--system", system, (".toml",)),
        "html": target_of("--html", html, PAGES),
        "handout": target_of("--handout", handout, (".md",)),
        "gift": target_of("--gift", gift, (".txt", ".gift")),
    }
    asked = {kind: target for kind, target in targets.items() if target is not None}
    if name is None:
        if asked or answers:
            option = next((one.option for one in asked.values()), "--answers")
            cause, remedy = "needs the name of a lesson", "give its name"
            raise InputError([Problem(None, None, option, cause, remedy)])
        _print(lesson_text.list_of(catalogue.lessons()))
        return
    chosen = catalogue.lesson(name)
    if asked:
        _write(chosen, seed, asked)
        return
    _print(lesson_text.head(chosen))
    if sys.stdin.isatty() and sys.stdout.isatty() and not answers:
        _interview(chosen, seed)
    else:
        _print([f"Questions (seed {seed}):", ""])
        for line in lesson_text.questions(chosen, seed, answers=answers):
            typer.echo(line)
    _print(lesson_text.notes(chosen))


def _write(lesson: Lesson, seed: int, asked: dict[str, Target]) -> None:
    """Write the files that were asked for, and say which."""
    from raidsim.report import lesson_files, output
    from raidsim.report.output import Target

    contents: dict[Target, bytes] = {}
    if (target := asked.get("handout")) is not None:
        path = Path(target.path)
        apart = Target(
            "--handout", str(path.with_name(f"{path.stem}-answers{path.suffix}")), (".md",)
        )
        asked = asked | {"answers": apart}
    output.check(asked.values())
    from raidsim.report.lesson_page import page
    from raidsim.report.progress import Bar

    making = {
        "system": lambda: lesson.system,
        "html": lambda: page(lesson, seed),
        "handout": lambda: lesson_files.handout(lesson, seed),
        "answers": lambda: lesson_files.answers(lesson, seed),
        "gift": lambda: lesson_files.gift(lesson, seed),
    }
    with Bar():
        for kind, target in asked.items():
            contents[target] = making[kind]().encode()
    output.write(contents)
    for target in contents:
        typer.echo(f"written: {target.path}")


def _interview(lesson: Lesson, seed: int) -> None:
    """Ask the questions in a terminal."""
    from raidsim.report import lesson_text
    from raidsim.teaching.interview import WORDS, Interview

    _print([f"Type a number, a letter, or {WORDS}.", ""])
    talk = Interview(lesson, seed)
    while (asked := talk.asked) is not None:
        _print(list(lesson_text.question(asked)))
        while talk.asked is asked:
            try:
                typed = input(f"   {talk.prompt()}> ")
            except EOFError:
                typed = "quit"
            for line in talk.reply(typed):
                _print(lesson_text.indented(line))
        typer.echo()
    _print([talk.score(), ""])


def _print(lines: list[str]) -> None:
    for line in lines:
        typer.echo(line)

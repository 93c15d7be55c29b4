"""The page of a lesson: one HTML file that needs nothing else, with sliders and marks.

All settings of the knobs are simulated beforehand, and the script on the page draws these results.
It marks answers by the rules of :mod:`raidsim.teaching.marking`, which are data in the page. The
answers are in the file too, so readers of its source can see them.
"""

from __future__ import annotations

from typing import Any

from raidsim.report import lesson_text
from raidsim.report.pages import filled
from raidsim.teaching.grid import Grid, changes_of, compute
from raidsim.teaching.interview import TRIES, answer_of
from raidsim.teaching.lesson import Lesson
from raidsim.teaching.marking import EXACT, RULES, right_values
from raidsim.teaching.sheet import Asked, draw, letter


def page(lesson: Lesson, seed: int) -> str:
    """Fill in the page of a lesson, with the questions of a seed."""
    sheet = draw(lesson, seed)
    return filled(
        "lesson_page.html.j2",
        lesson=lesson,
        file=lesson_text.file_of(lesson),
        seed=seed,
        blocks=blocks(lesson.text),
        sheet=sheet,
        letter=letter,
        commands=[_commands(asked) for asked in sheet],
        notes=lesson_text.NOTES,
        data={
            "explore": _explore(lesson, compute(lesson)),
            "questions": [question_data(asked) for asked in sheet],
            "tries": TRIES,
            "rules": RULES,
        },
    ).decode("utf-8")


def blocks(text: str) -> list[tuple[str, str]]:
    """The parts of an explanation: ("p", a paragraph) or ("pre", lines as they are)."""
    parts: list[tuple[str, str]] = []
    for line in text.splitlines():
        kind = "pre" if line.startswith("    ") else "p"
        if kind == "pre" and parts and parts[-1][0] == "pre":
            parts[-1] = ("pre", f"{parts[-1][1]}\n{line[4:]}")
        elif line:
            parts.append((kind, line[4:] if kind == "pre" else line))
    return parts


def _commands(asked: Asked) -> list[str]:
    """Return the commands shown with a question; none for a prediction."""
    if asked.question.only_by_running and not asked.question.predict:
        return lesson_text.commands(asked)
    return []


def _explore(lesson: Lesson, grid: Grid) -> dict[str, Any]:
    """Return the data of the plot."""
    verb = "run" if lesson.explore.simulated is None else "check"
    return {
        "knobs": [
            {"name": knob.name, "unit": knob.unit, "values": list(knob.values)}
            for knob in lesson.explore.knobs
        ],
        "shown": [{"name": one.name, "unit": one.unit} for one in lesson.explore.shown],
        "figures": [[_rounded(value) for value in row] for row in grid.figures],
        "hand": [[None if v is None else _rounded(v) for v in row] for row in grid.by_hand],
        "commands": [
            lesson_text.command(lesson, verb, changes_of(lesson, setting))
            for setting in grid.settings
        ],
    }


def question_data(asked: Asked) -> dict[str, Any]:
    """Return the data by which the script marks a question."""
    return {
        "unit": asked.question.unit,
        "options": list(asked.options),
        "right": right_values(asked),
        "tolerance": max(asked.question.tolerance, EXACT),
        "predict": asked.question.predict,
        "mistakes": [{"value": value, "hint": hint} for value, hint in asked.hints_of_mistakes()],
        "hint": asked.hint,
        "answer": answer_of(asked),
    }


def _rounded(value: float) -> float:
    """A figure as the plot needs it: four digits keep the file short."""
    return float(f"{value:.4g}")

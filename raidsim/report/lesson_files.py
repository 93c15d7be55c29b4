"""Lessons for a class: a handout in Markdown with its answers apart, and Moodle's GIFT text.

Moodle imports questions as GIFT texts: a title between colons, the question, and the answers in
braces. ``=`` marks a right answer, ``~`` a wrong one, and ``#`` begins the reply to an answer.
Empty braces mean that the question is answered in words, as predictions are.
"""

from __future__ import annotations

import re

import numpy as np

from raidsim.report import lesson_text
from raidsim.teaching.interview import answer_of, options_of
from raidsim.teaching.lesson import Lesson
from raidsim.teaching.marking import right_values
from raidsim.teaching.sheet import Asked, draw

LEAST = 0.0005
"""Tolerance that GIFT is given where an answer has to be exact: that of writing it down."""


def handout(lesson: Lesson, seed: int) -> str:
    """The sheet that is handed out: explanation, system, and questions with room to answer."""
    lines = [f"# {lesson.title}", "", _about(lesson, seed), "", *_text(lesson), ""]
    lines += ["## The system", "", "```toml", lesson.system.rstrip(), "```", "", "## Questions", ""]
    for asked in draw(lesson, seed):
        lines += _question(asked)
        unit = f" ({asked.question.unit})" if asked.question.unit else ""
        lines += [f"   Answer{unit}: ______________________", ""]
    return "\n".join([*lines, *_notes(lesson)])


def answers(lesson: Lesson, seed: int) -> str:
    """The sheet that stays with the teacher: answers, ways, and hints to known mistakes."""
    lines = [f"# {lesson.title}: answers", "", _about(lesson, seed), ""]
    for asked in draw(lesson, seed):
        lines += [*_question(asked), *(f"   {line}\n" for line in answer_of(asked))]
        for value, hint in asked.hints_of_mistakes():
            if _can_be_given(asked, value):
                lines += [f"   - To who says {asked.said(value)}: {hint}"]
        lines += [f"   - Else: {asked.hint}", ""]
    return "\n".join([*lines, *_notes(lesson)])


def gift(lesson: Lesson, seed: int) -> str:
    """The questions of a lesson as GIFT."""
    lines = [f"// {lesson.title}. {_about(lesson, seed)}", f"$CATEGORY: raidsim/{lesson.name}", ""]
    for asked in draw(lesson, seed):
        unit = f" Answer in {asked.question.unit}." if asked.question.unit else ""
        runs = ""
        if asked.question.only_by_running:
            runs = " " + "; ".join(lesson_text.commands(asked))
        lines += [
            f"::{lesson.name} {asked.number}::{_escaped(asked.ask + unit + runs)}"
            f"{{{_answers(asked)}",
            f"####{_escaped(asked.way)}",
            "}",
            "",
        ]
    return "\n".join(lines)


def _answers(asked: Asked) -> str:
    """The answers of a question in braces, without these; a prediction is not marked."""
    if asked.question.predict:
        return ""
    mistakes = dict(asked.hints_of_mistakes())
    if asked.options:
        parts = []
        for place, option in enumerate(asked.options):
            right = place == asked.answer
            said = "" if right else f"#{_escaped(mistakes.get(place, asked.hint))}"
            parts.append(f"\n{'=' if right else '~'}{_escaped(option)}{said}")
        return "".join(parts)
    share = asked.question.tolerance
    wanted = [(value, max(share * abs(value), LEAST)) for value in right_values(asked)]
    lines = ["#", *(f"={_number(value)}:{_number(spread)}" for value, spread in wanted)]
    for value, hint in mistakes.items():
        if _can_be_given(asked, value):
            spread = max(0.02 * abs(value), LEAST)
            lines.append(f"=%0%{_number(value)}:{_number(spread)}#{_escaped(hint)}")
    lines.append(f"~#{_escaped(asked.hint)}")
    return "\n".join(lines)


def _can_be_given(asked: Asked, value: float) -> bool:
    """Return whether a known mistake is one with these numbers: lessons say -1 where it is none."""
    return value >= 0 and value != asked.answer


def _number(value: float) -> str:
    """Six digits without an exponent, which GIFT does not know."""
    return np.format_float_positional(float(f"{value:.6g}"), trim="-")


def _escaped(text: str) -> str:
    """Text in which nothing is taken for a sign of GIFT."""
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", " ")


def _about(lesson: Lesson, seed: int) -> str:
    return f"raidsim lesson {lesson.name}, numbers of seed {seed}."


def _text(lesson: Lesson) -> list[str]:
    return lesson.text.splitlines()


def _question(asked: Asked) -> list[str]:
    lines = [f"{asked.number}. {asked.ask}", ""]
    lines += [f"   - {option.strip()}" for option in options_of(asked)]
    if asked.options:
        lines.append("")
    if asked.question.only_by_running and not asked.question.predict:
        lines += ["   ```sh", *(f"   {one}" for one in lesson_text.commands(asked)), "   ```", ""]
    return lines


def _notes(lesson: Lesson) -> list[str]:
    lines = []
    for heading, name in lesson_text.NOTES:
        lines += [f"## {heading}", "", *(f"- {text}" for text in getattr(lesson, name)), ""]
    return lines

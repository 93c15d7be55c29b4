"""A lesson with its numbers drawn: questions as they are asked, and their answers.

The same lesson and seed give the same numbers on every machine and with every version of Python,
because a number is drawn from the hash of lesson, question, name of the number, and seed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from raidsim.teaching.lesson import Given, Lesson, Question
from raidsim.teaching.runs import check, simulate


class Figure(float):
    """A number that a template shows with three figures, unless it asks for something else."""

    def __format__(self, form: str) -> str:
        """Show it; without a form with three figures, thousands parted by commas."""
        return format(float(self), form) if form else shown(self)


def _word(value: Any) -> Any:
    if isinstance(value, float):
        return Figure(value)
    if isinstance(value, str) and re.fullmatch(r"raid\d+e?", value):
        return f"RAID {value.removeprefix('raid').upper()}"
    return value


def shown(value: float) -> str:
    """Show a number with three figures, and whole numbers below a million as they are."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if abs(value) >= 1e12 or abs(value) < 1e-3:
        return f"{value:.2e}"
    if abs(value) >= 100:
        places = len(str(int(abs(value)))) - 3
        return f"{round(value, -places):,.0f}"
    return f"{value:.3g}"


@dataclass(frozen=True)
class Asked:
    """A question with its numbers.

    Attributes
    ----------
    lesson, question : what it is of.
    given : its numbers.
    number : which question of the lesson, from 1.
    """

    lesson: Lesson
    question: Question
    given: Given
    number: int

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        """The names that templates may use."""
        also = {} if self.question.also is None else self.question.also(self.given)
        return {**self.given.values, **also}

    @cached_property
    def _words(self) -> Mapping[str, Any]:
        """The values as texts show them: numbers with three figures, raid5 as RAID 5."""
        return {key: _word(value) for key, value in self._values.items()}

    def _filled(self, template: str, **more: Any) -> str:
        return template.format_map({**self._words, **more})

    @property
    def ask(self) -> str:
        """The question."""
        return self._filled(self.question.ask)

    @property
    def hint(self) -> str:
        """The general hint."""
        return self._filled(self.question.hint)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of a choice."""
        return tuple(self._filled(option) for option in self.question.options)

    @property
    def runs(self) -> tuple[tuple[str, ...], ...]:
        """The changes of the system, run by run."""
        return tuple(
            tuple(change.format_map(self._values) for change in changes)
            for changes in self.question.runs
        )

    @cached_property
    def hand(self) -> float | None:
        """The answer by the closed form; None if there is none."""
        return None if self.question.hand is None else float(self.question.hand(self.given))

    @cached_property
    def simulated(self) -> float | None:
        """The answer by simulation, which is run now; None if there is nothing to simulate."""
        if self.question.simulated is not None:
            return float(self.question.simulated(self.given))
        if self.question.read is None:
            return None
        look = check if self.question.checks else simulate
        found = [look(self.lesson.system, *changes) for changes in self.runs]
        return float(self.question.read(self.given, *found))

    @property
    def answer(self) -> float:
        """The value to compare a typed answer with: the closed form where there is one."""
        found = self.simulated if self.hand is None else self.hand
        assert found is not None, f"{self.lesson.name}, question {self.number}: has no answer"
        return found

    @property
    def way(self) -> str:
        """The way to the answer, with what both say."""
        more = {"hand": self.hand, "simulated": self.simulated}
        return self._filled(
            self.question.way,
            **{key: Figure(value) for key, value in more.items() if value is not None},
        )

    def hints_of_mistakes(self) -> list[tuple[float, str]]:
        """Known wrong answers, and what to say to each."""
        return [
            (float(mistake.value(self.given)), self._filled(mistake.hint))
            for mistake in self.question.mistakes
        ]

    def said(self, value: float) -> str:
        """Say an answer in words: an option, or a number with its unit."""
        if self.options:
            place = int(value)
            return f"{letter(place)}) {self.options[place]}"
        return f"{shown(value)} {self.question.unit}".rstrip()


def letter(place: int) -> str:
    """Name the option at a place: a, b, c ..."""
    return "abcdefghijklmnopqrstuvwxyz"[place]


def draw(lesson: Lesson, seed: int) -> list[Asked]:
    """Draw the numbers of all questions of a lesson."""
    return [
        Asked(lesson, question, _given(lesson, question, number, seed), number)
        for number, question in enumerate(lesson.questions, 1)
    ]


def _given(lesson: Lesson, question: Question, number: int, seed: int) -> Given:
    values = {}
    for name, choices in question.draw.items():
        text = f"{lesson.name}/{number}/{name}/{seed}".encode()
        place = int.from_bytes(hashlib.sha256(text).digest()[:8], "big") % len(choices)
        values[name] = choices[place]
    return Given(values)

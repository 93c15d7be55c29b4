"""A conversation over the questions of a lesson: texts in, texts out, for any output.

The order is that of the questions. A wrong answer gets a hint, the third one the answer. A
prediction is not marked: the result is shown beside it.
"""

from __future__ import annotations

from raidsim.teaching.lesson import Lesson
from raidsim.teaching.marking import UnreadableError, mark, read_answer
from raidsim.teaching.sheet import Asked, draw, letter

TRIES = 3
WORDS = "hint, answer, skip or quit"


class Interview:
    """Asks the questions of a lesson one after the other.

    Attributes
    ----------
    asked : the present question; None at the end.
    right : questions that were answered right.
    marked : questions that were marked at all; predictions are not.
    """

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self._sheet = draw(lesson, seed)
        self._place = 0
        self._wrong = 0
        self.right = 0
        self.marked = 0

    @property
    def asked(self) -> Asked | None:
        """The present question; None at the end."""
        return self._sheet[self._place] if self._place < len(self._sheet) else None

    def question(self) -> list[str]:
        """Say the present question, its options, and how it is answered."""
        asked = self.asked
        assert asked is not None, "all questions were asked"
        return [f"{asked.number}. {asked.ask}", *options_of(asked)]

    def prompt(self) -> str:
        """Say in a word what is expected."""
        asked = self.asked
        assert asked is not None, "all questions were asked"
        what = "prediction" if asked.question.predict else "answer"
        if asked.options:
            what += f" ({'/'.join(letter(place) for place in range(len(asked.options)))})"
        elif asked.question.unit:
            what += f" in {asked.question.unit}"
        return what

    def reply(self, text: str) -> list[str]:
        """Reply to what was typed, and go on to the next question if this one is over."""
        asked = self.asked
        assert asked is not None, "all questions were asked"
        word = text.strip().casefold()
        if word in ("?", "hint", "h"):
            return [f"Hint: {asked.hint}"]
        if not word:
            return [f"Nothing was typed; type an answer, or {WORDS}."]
        if word in ("skip", "s"):
            self._next()
            return ["Skipped."]
        if word in ("answer", "a") and not (asked.options and word == "a"):
            if not asked.question.predict:
                self.marked += 1
            return self._end(asked, "")
        if word == "quit":
            self._place = len(self._sheet)
            return []
        try:
            value = read_answer(asked, text)
        except UnreadableError as error:
            return [f"{str(error)[0].upper()}{str(error)[1:]}; or {WORDS}."]
        if asked.question.predict:
            return self._end(asked, f"Your prediction: {asked.said(value)}.")
        found = mark(asked, value)
        if found.right:
            self.right += 1
            self.marked += 1
            return self._end(asked, "Right.")
        self._wrong += 1
        if self._wrong < TRIES:
            again = "Try again." if self._wrong == 1 else "Once more."
            return [f"Not {asked.said(value)}. {found.hint} {again}"]
        self.marked += 1
        return self._end(asked, f"Not {asked.said(value)}. {found.hint}".rstrip())

    def score(self) -> str:
        """Say how many were right."""
        return f"{self.right} of {self.marked} right." if self.marked else "None was answered."

    def _end(self, asked: Asked, said: str) -> list[str]:
        self._next()
        return [line for line in (said, *answer_of(asked)) if line]

    def _next(self) -> None:
        self._place += 1
        self._wrong = 0


def options_of(asked: Asked) -> list[str]:
    """The options of a choice, a line each."""
    return [f"   {letter(place)}) {option}" for place, option in enumerate(asked.options)]


def answer_of(asked: Asked) -> list[str]:
    """Say the answer, by hand and by simulation, and the way to it."""
    found = []
    if asked.hand is not None:
        found.append(f"by hand {asked.said(asked.hand)}")
    if asked.simulated is not None:
        found.append(f"simulated {asked.said(asked.simulated)}")
    same = len(found) == 2 and asked.options and asked.hand == asked.simulated
    said = f"by hand and simulated {asked.said(asked.answer)}" if same else ", ".join(found)
    return [f"Answer: {said}.", asked.way]

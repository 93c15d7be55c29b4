"""The parts of a lesson: text, a system, questions, and the knobs of its page.

Texts of a question are templates in the form of :meth:`str.format`. They may name the numbers that
the seed has chosen, what ``also`` adds to them, and, in ``way``, the answers ``hand`` and
``simulated``. A number without a format of its own is shown with three figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raidsim.result import Point

Texts = tuple[str, ...]


class Given:
    """The numbers of one question, an attribute each."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)

    def __getattr__(self, name: str) -> Any:
        """Return the number of this name."""
        try:
            return self.__dict__["values"][name]
        except KeyError:
            msg = f"the question has no number {name!r}: it has {', '.join(self.values)}"
            raise AttributeError(msg) from None


By = Callable[[Given], float]


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that is often given, and what to say to it.

    Attributes
    ----------
    value : what the answer then is, of the numbers given; of a choice the place of the option.
    hint : what was overlooked. A template, as the texts of the question.
    """

    value: By
    hint: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question.

    Attributes
    ----------
    ask : the question.
    way : the steps to the answer.
    hint : for a wrong answer that is none of the known mistakes.
    draw : for each number, the values that the seed chooses from.
    also : further numbers for the texts, computed from the drawn ones.
    unit : of the answer; "" for a count or a ratio.
    options : of a question that is answered by choosing one; the answer is its place, from 0.
    hand : the closed form; None if the answer is only found by running a system.
    runs : the changes of the lesson's system, one tuple of KEY=VALUE for each run.
    read : the answer, from the numbers given and the point of each run.
    checks : `raidsim check` is run; ``read`` then gets the risk of the first volume.
    simulated : the answer by simulation, if that is not the run of a scenario.
    tolerance : how far a typed answer may be from the right one, as a share of it.
    agrees : how far the simulation may be from the closed form, as a share of it.
    predict : a prediction is asked for before the result is shown.
    mistakes : known ones.
    """

    ask: str
    way: str
    hint: str
    draw: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    also: Callable[[Given], Mapping[str, Any]] | None = None
    unit: str = ""
    options: Texts = ()
    hand: By | None = None
    runs: tuple[Texts, ...] = ()
    read: Callable[..., float] | None = None
    checks: bool = False
    simulated: By | None = None
    tolerance: float = 0.05
    agrees: float = 0.05
    predict: bool = False
    mistakes: tuple[Mistake, ...] = ()

    @property
    def only_by_running(self) -> bool:
        """Whether nothing but the run of a changed system answers it."""
        return self.hand is None and any(self.runs)


@dataclass(frozen=True)
class Knob:
    """Something of the system that can be turned.

    Attributes
    ----------
    name : what it is called.
    values : as a scenario writes them, from one end to the other.
    changes : KEY=VALUE of the scenario, where ``{value}`` stands for one of them. May be several.
    unit : of numbers.
    """

    name: str
    values: tuple[Any, ...]
    changes: Texts
    unit: str = ""


@dataclass(frozen=True)
class Shown:
    """A figure that is drawn against the first knob.

    Attributes
    ----------
    name, unit : what it is.
    read : the figure of the point of a run.
    hand : its closed form, of the values of all knobs in their order; None, or gives None, where
        there is none.
    """

    name: str
    unit: str
    read: Callable[[Point], float]
    hand: Callable[..., float | None] | None = None


@dataclass(frozen=True)
class Explore:
    """The knobs on the page of a lesson: the first one is the axis, others are sliders.

    ``simulated`` makes the figures of the values of all knobs, in the order of ``shown``, where
    they do not come from runs of the lesson's system.
    """

    knobs: tuple[Knob, ...]
    shown: tuple[Shown, ...]
    simulated: Callable[..., Sequence[float]] | None = None


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson.

    Attributes
    ----------
    name : its name in the command.
    title : its heading.
    about : what one learns, in one line.
    text : the explanation, a screen; empty lines separate paragraphs, and indented parts (formulas,
        tables) are shown unchanged.
    system : the text of a scenario.
    questions : at least five.
    explore : the knobs of its page.
    sources : its sources: author, title, year.
    simplifications : what is simpler here than in reality.
    disagreements : where publications or other simulators say something else.
    """

    name: str
    title: str
    about: str
    text: str
    system: str
    questions: tuple[Question, ...]
    explore: Explore
    sources: Texts
    simplifications: Texts
    disagreements: Texts

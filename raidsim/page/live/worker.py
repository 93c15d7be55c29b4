"""A process that holds arrays which are watched: ``python -m raidsim.page.live.worker``.

As :mod:`raidsim.page.worker`, it reads requests from its standard input, answers them one after the
other on its standard output, and ends with its input.
"""

from __future__ import annotations

import re
from typing import Any, BinaryIO

from raidsim import progress
from raidsim.errors import InputError, Problem, TableOverflowError
from raidsim.page import frames
from raidsim.page.live.presets import PRESETS, preset
from raidsim.page.live.watched import WatchedArray
from raidsim.page.problems import problems_of
from raidsim.page.process import answer
from raidsim.page.text import read

WHEN = re.compile(r"^at [\d.,]+ \w+: ")
SLOW, FAST = 1e-3, 1.0
"""Speeds for the array of a text of one's own: it is not known beforehand what is slow for it."""


class Arrays:
    """Arrays by name, and what is asked of them."""

    def __init__(self) -> None:
        self._arrays: dict[str, WatchedArray] = {}

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Do what a message asks for; ``problems``, in words, if it cannot be done."""
        try:
            return self._answer(message)
        except InputError as error:
            if "text" in message:
                return {"problems": [_with_line(one) for one in problems_of(error)]}
            return {"problems": [_sentence(one) for one in error.problems]}
        except (TableOverflowError, MemoryError):
            self._arrays.pop(message["array"], None)
            return {"problems": ["It takes more memory than the page gives to an array."]}

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        name, do = message["array"], message["do"]
        if do == "make":
            return self._make(name, message)
        if do == "warm":
            WatchedArray(PRESETS[0].scenario())
            return {}
        if do == "end":
            self._arrays.pop(name, None)
            return {}
        array = self._arrays[name]
        found: dict[str, Any] = {}
        if do == "advance":
            array.advance(message["seconds"])
        elif do == "follow":
            found = array.follow(message["op"], message["offset"], message["length"])
        else:
            array.ask(message["wish"])
        return {
            **found,
            "frame": array.frame(message["since"]),
            "rows": array.picture(message["look"]),
        }

    def _make(self, name: str, message: dict[str, Any]) -> dict[str, Any]:
        if "text" in message:
            array = WatchedArray(read(message["text"]))
            words = {"slow": SLOW, "fast": FAST, "try": ""}
        else:
            chosen = preset(message["preset"])
            array = WatchedArray(chosen.scenario())
            words = {"slow": chosen.slow, "fast": chosen.fast, "try": chosen.try_this}
        self._arrays[name] = array
        about = array.about() | words
        return {"about": about, "frame": array.frame(), "rows": array.picture()}


def _sentence(problem: Problem) -> str:
    """A problem as a sentence, without its time, and without what writers of models would do."""
    cause = WHEN.sub("", problem.cause)
    return cause[:1].upper() + cause[1:] + "."


def _with_line(told: dict[str, Any]) -> str:
    line = "" if told["line"] is None else f"Line {told['line']}: "
    return f"{line}{told['words']}."


def serve(asked: BinaryIO, told: BinaryIO) -> None:
    """Answer until there is nobody any more."""
    arrays = Arrays()

    def tell(message: dict[str, Any]) -> None:
        told.write(frames.packed(message))
        told.flush()

    with progress.told(lambda words: tell({"waits": words})):
        while (message := frames.read(asked)) is not None:
            tell({"done": arrays.answer(message)})


if __name__ == "__main__":
    answer(serve, nice=5)

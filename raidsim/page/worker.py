"""A process that simulates for the page: ``python -m raidsim.page.worker``.

It reads requests from its standard input and answers on its standard output. When the page ends,
the input ends, and so does the process. A run that is no longer wanted ends at its next progress
report. Work that makes no progress reports is ended by the page, with the process.
"""

from __future__ import annotations

import base64
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from raidsim import progress
from raidsim.errors import InputError, TableOverflowError
from raidsim.kernel import is_compiled
from raidsim.kernel.code_cache import COMPILING
from raidsim.lessons import catalogue
from raidsim.page import frames
from raidsim.page.problems import problems_of
from raidsim.page.process import answer
from raidsim.page.shown import shown
from raidsim.page.text import read
from raidsim.progress import PointProgress
from raidsim.report import json_file, plot
from raidsim.report.lesson_page import page
from raidsim.result import Interrupted, Result
from raidsim.result.file import parse
from raidsim.running import run
from raidsim.scenario import Scenario
from raidsim.system.tables import SaturationError

TELL_S = 0.1
"""Seconds from one word of how far a run is to the next."""

COMPILES, WARMS = "disk-fio", "p3700-latency-read"
"""Short runs: one needs the kernel of all hardware, one loads what most scenarios need."""


class Worker:
    """Does one thing after the other, and tells."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._asked = asked
        self._told = told
        self._work: queue.Queue[dict[str, Any]] = queue.Queue()
        self._unwanted: set[int] = set()
        self._number = 0
        self._last = 0.0
        self._fractions: dict[int, float] = {}
        self._writing = threading.Lock()

    def serve(self) -> None:
        """Work until the page is gone."""
        threading.Thread(target=self._listen, daemon=True).start()
        with progress.told(self._wait):
            if not is_compiled():
                self._tell({"compiles": True})
                _briefly(COMPILES)
                return  # workers that start now find it compiled
            _briefly(WARMS)
            self._tell({"ready": True})
            while True:
                self._do(self._work.get())

    def _listen(self) -> None:
        while (message := frames.read(self._asked)) is not None:
            if "stop" in message:
                self._unwanted.add(message["stop"])
            else:
                self._work.put(message)
        os._exit(0)

    def _wait(self, words: str) -> None:
        """Say what takes long; that something is compiled is no fault of a run."""
        self._tell({"waits": words} | ({"compiles": True} if words.startswith(COMPILING) else {}))

    def _tell(self, message: dict[str, Any]) -> None:
        with self._writing:
            self._told.write(frames.packed(message | {"number": self._number}))
            self._told.flush()

    def _do(self, task: dict[str, Any]) -> None:
        self._number = task["number"]
        self._last, self._fractions = 0.0, {}
        work: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "run": self._run,
            "picture": _picture,
            "lesson": _lesson,
        }
        try:
            done = work[task["kind"]](task)
        except InputError as error:
            done = {"problems": problems_of(error)}
        except KeyboardInterrupt:
            done = {"stopped": True}
        except (SaturationError, TableOverflowError) as error:
            done = {"problems": [{"line": None, "words": str(error)}]}
        except MemoryError:
            words = "it takes more memory than the page gives to a run"
            done = {"problems": [{"line": None, "words": words}]}
        self._tell({"done": done})

    def _run(self, task: dict[str, Any]) -> dict[str, Any]:
        scenario = read(task["text"], task["changes"])
        try:
            result = run(scenario, progress=self._on_point)
        except Interrupted as end:
            result = end.result
        return {"json": json_file.render(result.to_dict()).decode(), "shown": shown(result)}

    def _on_point(self, at: PointProgress) -> None:
        """Say how far a run is, and end it if it is not wanted any more."""
        if self._number in self._unwanted:
            raise KeyboardInterrupt
        self._fractions[at.point_index] = min(max(at.fraction, 0.0), 1.0)
        now = time.monotonic()
        if now < self._last + TELL_S:
            return
        self._last = now
        done = sum(self._fractions.values()) / max(at.points, 1)
        self._tell({"fraction": done, "label": at.label, "iops": at.iops})


def _briefly(name: str) -> None:
    run(Scenario.read(name).with_({"measure.max_ios": 20_000, "measure.min_ios": 1000}))


def _picture(task: dict[str, Any]) -> dict[str, Any]:
    result: Result = parse(task["json"], "result")
    return {"picture": base64.b64encode(plot.render(result, task["suffix"])).decode()}


def _lesson(task: dict[str, Any]) -> dict[str, Any]:
    return {"page": page(catalogue.lesson(task["name"]), task["seed"])}


def _serve(asked: BinaryIO, told: BinaryIO) -> None:
    Worker(asked, told).serve()


if __name__ == "__main__":
    answer(_serve, nice=2)

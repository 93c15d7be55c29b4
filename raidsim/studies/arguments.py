"""Checks of what :func:`raidsim.sweep`, :func:`raidsim.compare` and :func:`raidsim.plan` share."""

from __future__ import annotations

from os import PathLike
from typing import Any

from raidsim.control.arguments import Arguments
from raidsim.errors import quote
from raidsim.scenario import Scenario
from raidsim.studies.store import Store

MOST_RUNS = 1_000_000


class StudyArguments(Arguments):
    """The arguments of a study while they are checked."""

    def scenario(self, value: Any) -> None:
        """Check the scenario to run."""
        self.instance("scenario", value, Scenario, "give raidsim.Scenario.read(...)")

    def text(self, key: str, value: Any) -> None:
        """A text, or None for nothing."""
        if value is not None and not isinstance(value, str):
            self.wrong(key, f"{quote(value)} is not a text", "give a text, or leave it out")

    def flag(self, key: str, value: Any) -> None:
        """True or False."""
        if not isinstance(value, bool):
            self.wrong(key, f"{quote(value)} is neither true nor false", "give True or False")

    def path(self, key: str, value: Any) -> None:
        """The path of a file, or None for none."""
        if value is not None and not isinstance(value, str | PathLike):
            self.wrong(key, f"{quote(value)} is not a path of a file", "give a text or a Path")
        elif value == "":
            self.wrong(key, "is not a valid name of a file", "name a file, or leave it out")

    def runs_on(self, *, store: Any, cluster: Any, progress: Any) -> None:
        """Check where runs are made and kept, and the receiver of their progress."""
        if not isinstance(store, Store):
            self.path("store", store)
        self.text("cluster", cluster)
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            cause = f"{quote(progress)} is neither true nor false, nor a function"
            self.wrong("progress", cause, "give True, or leave it out")

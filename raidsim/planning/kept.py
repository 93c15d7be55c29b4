"""Runs of plans in a store, so that an interrupted plan continues where it stopped.

They are in a separate table beside the results of studies: a plan's short runs do not search for
the sustained rate of a saturated system, so studies cannot use them as results.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from raidsim.errors import InputError, Problem
from raidsim.studies.store import PATIENCE_S, Store

_TABLE = (
    "CREATE TABLE IF NOT EXISTS plan_runs (key TEXT PRIMARY KEY, measured TEXT NOT NULL)"
    " WITHOUT ROWID"
)


class Kept:
    """The results of runs, by the content key of their scenarios.

    Parameters
    ----------
    path
        Of the store; None keeps nothing.

    Raises
    ------
    InputError
        The file cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._base: sqlite3.Connection | None = None
        if path is not None:
            Store(path).close()  # makes the file, or refuses it
            self._base = sqlite3.connect(path, timeout=PATIENCE_S)
            self._tell(_TABLE)

    def close(self) -> None:
        """Close the file."""
        if self._base is not None:
            self._base.close()

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the known results of these keys."""
        found = {}
        for key in keys if self._base is not None else ():
            rows = self._tell("SELECT measured FROM plan_runs WHERE key = ?", (key,))
            if rows:
                found[key] = json.loads(rows[0][0])
        return found

    def put(self, key: str, measured: Any) -> None:
        """Keep what a run came to: a dataclass of plain values."""
        if self._base is not None:
            text = json.dumps(asdict(measured))
            self._tell("INSERT OR REPLACE INTO plan_runs VALUES (?, ?)", (key, text))

    def _tell(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        assert self._base is not None
        try:
            with self._base:
                return self._base.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            cause = f"cannot be used as a store: {error}"
            raise InputError([Problem(str(self.path), None, None, cause, "name another")]) from None

"""Results of runs in one SQLite file: a run that was done before is not repeated.

A result is found by its content key (:func:`raidsim.studies.study.content_key`): a hash of the
scenario with every default, its cards, the seed, and the sources and packages that simulate it. So
an entry is never out of date; after a change raidsim asks for another key.

The file has a write-ahead log, so several commands may read and write it at a time, and written
data stays, whatever ends them. Tables, for queries in SQL:

``results``   one row for each run: status, reason, scenario and result as JSON (packed by zlib)
``points``    its figures, a row for each point, with the columns of `raidsim.studies.figures`
``studies``   what was asked for at a time, and with which command
``variants``  what each study varied, and the key of the result

and for each study a view ``study_N``, with the varied keys and the figures side by side.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from raidsim.errors import InputError, Problem
from raidsim.kernel.code_cache import cache_root
from raidsim.result import Result
from raidsim.result.file import parse
from raidsim.running import provenance
from raidsim.studies.figures import COLUMNS, Cell

SCHEMA = 1
PATIENCE_S = 60.0
"""How long one command waits for another that is writing."""

FORGOTTEN_S = 30 * 86400.0

Status = Literal["done", "saturated", "not within", "refused", "failed"]

_KINDS = {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "flag": "INTEGER"}
_FIGURES = ", ".join(f'"{one.name}" {_KINDS[one.kind]}' for one in COLUMNS)
_NAMES = ", ".join(f'"{one.name}"' for one in COLUMNS)
_MARKS = ", ".join("?" for _ in COLUMNS)

_TABLES = f"""
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, status TEXT NOT NULL, reason TEXT, seconds REAL NOT NULL,
    made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, provenance TEXT NOT NULL,
    scenario BLOB, result BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS points (
    key TEXT NOT NULL, point INTEGER NOT NULL, {_FIGURES}, PRIMARY KEY (key, point)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studies (
    study INTEGER PRIMARY KEY, title TEXT NOT NULL, command TEXT NOT NULL,
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE IF NOT EXISTS variants (
    study INTEGER NOT NULL, number INTEGER NOT NULL, changes TEXT NOT NULL, key TEXT,
    PRIMARY KEY (study, number)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Entry:
    """The kept result of a run.

    Attributes
    ----------
    key : its content key.
    status : "done"; "saturated" if a load asks for more than is carried; "not within" if a search
        found no load within its latency; "refused" or "failed" if there is no result.
    reason : in words, unless it is done.
    rows : the figures, a row for each point.
    packed : the result, or nothing.
    scenario : JSON of the scenario with every default, packed, or nothing.
    seconds : that the run took.
    """

    key: str
    status: Status
    reason: str | None
    rows: tuple[Mapping[str, Cell], ...]
    packed: bytes | None
    scenario: bytes | None
    seconds: float

    @property
    def result(self) -> Result | None:
        """The whole result, if there is one."""
        if self.packed is None:
            return None
        return parse(zlib.decompress(self.packed).decode(), self.key)


def default_path() -> Path:
    """The file of who names none: in the user's folder of caches, one for each version of raidsim.

    Files that no command has used for a month are removed.
    """
    folder = cache_root() / "studies"
    folder.mkdir(parents=True, exist_ok=True)
    own = folder / f"{provenance()['sources']}.sqlite"
    for other in folder.glob("*.sqlite"):
        if other != own and time.time() - other.stat().st_mtime > FORGOTTEN_S:
            other.unlink(missing_ok=True)
    return own


class Store:
    """Results by their content keys, in a file or, with no path, in memory.

    Raises
    ------
    InputError
        If the file cannot be used, or is none of raidsim's.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._open: sqlite3.Connection | None = None
        with self._told():
            self._check()
            self._base.execute("PRAGMA journal_mode = WAL")
            with self._writing():
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._base.execute(statement)
                self._base.execute(f"PRAGMA user_version = {SCHEMA}")

    @property
    def _base(self) -> sqlite3.Connection:
        """The connection; a file that was closed is opened again."""
        if self._open is None:
            name = ":memory:" if self.path is None else str(self.path)
            self._open = sqlite3.connect(name, timeout=PATIENCE_S)
            self._open.execute("PRAGMA synchronous = NORMAL")
        return self._open

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was put in it is there, and it may be read again."""
        if self._open is not None and self.path is not None:
            self._open.close()
            self._open = None

    def _check(self) -> None:
        """Refuse the file of another program, or of another version."""
        version = self._base.execute("PRAGMA user_version").fetchone()[0]
        tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version not in (0, SCHEMA) or (version == 0 and tables):
            cause = "is a database, but no store of this version of raidsim"
            raise InputError([Problem(str(self.path), None, None, cause, "name another file")])

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            cause = f"cannot be used as a store: {error}"
            raise InputError(
                [Problem(str(self.path), None, None, cause, "name another file")]
            ) from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it is kept, or nothing."""
        with self._told():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._base.rollback()
                raise
            self._base.commit()

    # -- results ----------------------------------------------------------------------------

    def is_empty(self) -> bool:
        """Return whether nothing was ever kept in it."""
        with self._told():
            return self._base.execute("SELECT 1 FROM results LIMIT 1").fetchone() is None

    def get(self, key: str) -> Entry | None:
        """Return the result of a run, if it is kept."""
        with self._told():
            found = self._base.execute(
                "SELECT status, reason, result, scenario, seconds FROM results WHERE key = ?",
                (key,),
            ).fetchone()
            if found is None:
                return None
            points = self._base.execute(
                f"SELECT {_NAMES} FROM points WHERE key = ? ORDER BY point", (key,)
            ).fetchall()
        status, reason, result, scenario, seconds = found
        rows = tuple(
            {column.name: _cell(column.kind, value)
             for column, value in zip(COLUMNS, point, strict=True)}
            for point in points
        )  # fmt: skip
        return Entry(key, status, reason, rows, result, scenario, seconds)

    def put(self, entries: Iterable[Entry], provenance: Mapping[str, str]) -> None:
        """Keep what runs came to; of two with one key the first stays."""
        written = json.dumps(provenance, sort_keys=True)
        with self._writing():
            for one in entries:
                self._base.execute(
                    "INSERT OR IGNORE INTO results"
                    " (key, status, reason, seconds, provenance, scenario, result)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (one.key, one.status, one.reason, one.seconds, written, one.scenario,
                     one.packed),
                )  # fmt: skip
                self._base.executemany(
                    f"INSERT OR IGNORE INTO points (key, point, {_NAMES}) VALUES (?, ?, {_MARKS})",
                    [
                        (one.key, number, *(row[column.name] for column in COLUMNS))
                        for number, row in enumerate(one.rows)
                    ],
                )

    # -- studies ----------------------------------------------------------------------------

    def begin(self, title: str, command: str, changes: Sequence[Mapping[str, Any]]) -> int:
        """Note a study and what it varies, with a view of it; returns its number.

        The same study, begun before, is gone on with.
        """
        texts = [json.dumps(one, default=str) for one in changes]
        with self._writing():
            for (number,) in self._base.execute(
                "SELECT study FROM studies WHERE title = ? AND command = ? ORDER BY study DESC",
                (title, command),
            ).fetchall():
                if texts == self._changes(number):
                    return int(number)
            made = self._base.execute(
                "INSERT INTO studies (title, command) VALUES (?, ?)", (title, command)
            )
            study = int(made.lastrowid or 0)
            self._base.executemany(
                "INSERT INTO variants (study, number, changes) VALUES (?, ?, ?)",
                [(study, number, text) for number, text in enumerate(texts)],
            )
            keys = list(dict.fromkeys(key for one in changes for key in one))
            self._base.execute(_view(study, keys))
        return study

    def _changes(self, study: int) -> list[str]:
        found = self._base.execute(
            "SELECT changes FROM variants WHERE study = ? ORDER BY number", (study,)
        )
        return [text for (text,) in found.fetchall()]

    def note(self, study: int, keys: Mapping[int, str]) -> None:
        """Note which result belongs to which variants of a study."""
        with self._writing():
            self._base.executemany(
                "UPDATE variants SET key = ? WHERE study = ? AND number = ?",
                [(key, study, number) for number, key in keys.items()],
            )


def _view(study: int, keys: Sequence[str]) -> str:
    """The view of a study: what was varied, and what came of it."""
    taken = {column.name for column in COLUMNS} | {"variant", "status", "reason", "key"}
    varied = ""
    for key in keys:
        name = key if key not in taken else f"{key} (varied)"
        path = "$." + json.dumps(key)
        varied += f"json_extract(v.changes, {_text(path)}) AS {_name(name)}, "
    figures = ", ".join(f'p."{column.name}"' for column in COLUMNS)
    return (
        f"CREATE VIEW IF NOT EXISTS study_{study} AS"
        f" SELECT v.number AS variant, {varied}r.status, r.reason, {figures}, v.key"
        " FROM variants v LEFT JOIN results r ON r.key = v.key"
        f" LEFT JOIN points p ON p.key = v.key WHERE v.study = {study}"
        " ORDER BY v.number, p.point"
    )


def _name(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _text(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _cell(kind: str, value: Cell) -> Cell:
    return bool(value) if kind == "flag" and value is not None else value

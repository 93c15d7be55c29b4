"""Studies: variants of scenarios, each run once, and their results.

A variant that cannot be run does not end a study: its outcome has the reason. Results that a store
has already are taken from it, and new ones are written to it as they come, so an interrupted study
continues where it stopped.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from raidsim.errors import InputError, TableOverflowError
from raidsim.kernel import is_compiled
from raidsim.plain_json import digest
from raidsim.result import Result
from raidsim.result.file import packed
from raidsim.running import cards_hash, provenance, run
from raidsim.scenario import Scenario
from raidsim.studies.expected import Forecast, OnExpected
from raidsim.studies.figures import Cell, rows_of
from raidsim.studies.store import Entry, Status, Store
from raidsim.system.tables import SaturationError
from raidsim.workers.engine import OnProgress, Progress, execute

LEVEL = 3
"""Level of zlib: it makes a sixth of a result, in less than a millisecond."""

TOGETHER = 64
"""Results that are written at a time, at most; and whatever there is after a second."""


@dataclass(frozen=True)
class Variant:
    """A scenario with other values of some keys.

    Attributes
    ----------
    scenario : what it is a variant of.
    changes : values by keys, as :meth:`raidsim.Scenario.with_` takes them.
    """

    scenario: Scenario
    changes: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return a label for a progress bar."""
        return ", ".join(f"{key} {value}" for key, value in self.changes.items()) or (
            self.scenario.title
        )

    def resolved(self) -> Scenario:
        """The scenario with the changes made.

        Raises
        ------
        InputError
            With every problem of it.
        """
        return self.scenario.with_(self.changes) if self.changes else self.scenario


@dataclass(frozen=True)
class Outcome:
    """A variant, and what came of it.

    Attributes
    ----------
    status : see `raidsim.studies.store.Entry`.
    reason : in words, unless it is done.
    rows : the figures by the names of `raidsim.studies.figures`, a row for each point.
    again : whether it was run before, and taken from the store.
    """

    variant: Variant
    status: Status
    reason: str | None
    rows: tuple[Mapping[str, Cell], ...]
    again: bool
    _entry: Entry = field(repr=False)
    _store: Store | None = field(repr=False, default=None)

    @property
    def key(self) -> str:
        """Its content key."""
        return self._entry.key

    @property
    def result(self) -> Result | None:
        """The whole result, if there is one; read from the store, if it was put there."""
        if self._store is None:
            return self._entry.result
        entry = self._store.get(self.key)
        return None if entry is None else entry.result


def run_variants(
    variants: Sequence[Variant],
    *,
    store: Store | None = None,
    study: int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
    on_expected: OnExpected | None = None,
) -> list[Outcome]:
    """Run variants that are not in the store yet, and return what each came to, in order.

    Parameters
    ----------
    store
        Where results are kept, and looked for; None for none.
    study
        Number of a study of the store that these are the variants of.
    workers, cluster, on_progress
        As for :func:`raidsim.workers.engine.execute`.
    on_expected
        Called with how many runs are left of many variants, if some results are known from
        before, and later with how long they take, if that is long.

    Raises
    ------
    InputError
        The store or the cluster cannot be used; or workers were lost, again and again.
    KeyboardInterrupt
        At Ctrl-C; what was finished is in the store.
    """
    forecast = Forecast(workers, cluster, on_expected)
    keeper = _Keeper(store, study, len(variants), on_progress, forecast)
    several = partial(execute, workers=workers, cluster=cluster, processes=True)
    wanted = list(range(len(variants)))
    if store is not None and not store.is_empty():
        looked_up = partial(_looked_up, on_progress) if on_progress is not None else None
        keys = several([variants[number] for number in wanted], _key, on_progress=looked_up)
        for number, key in enumerate(keys):
            entry = store.get(key)
            if entry is not None:
                keeper.found(number, entry)
        wanted = [number for number in wanted if number not in keeper.entries]
    forecast.begin(len(wanted), len(variants) - len(wanted))
    if wanted and not is_compiled() and cluster is None:
        # Processes that start together before the kernel is compiled would each compile it.
        number = wanted.pop(0)
        keeper.take(number, _simulate(variants[number]))
    try:
        several(
            [variants[number] for number in wanted],
            _simulate,
            on_row=lambda place, entry: keeper.take(wanted[place], entry),
        )
    finally:
        keeper.write()
    return [
        Outcome(variant, one.status, one.reason, one.rows, number in keeper.again, one, store)
        for number, variant in enumerate(variants)
        for one in (keeper.entries[number],)
    ]


class _Keeper:
    """Takes what comes in, tells of it, and puts it into the store."""

    def __init__(
        self, store: Store | None, study: int | None, total: int, on_progress: OnProgress | None,
        forecast: Forecast,
    ) -> None:  # fmt: skip
        self.store = store
        self.study = study
        self.total = total
        self.on_progress = on_progress
        self.forecast = forecast
        self.entries: dict[int, Entry] = {}
        self.again: set[int] = set()
        self.waiting: dict[int, Entry] = {}
        self.written = time.monotonic()

    def found(self, number: int, entry: Entry) -> None:
        """Take what the store has already."""
        self.entries[number] = replace(entry, packed=None, scenario=None)
        self.again.add(number)
        if self.store is not None and self.study is not None:
            self.store.note(self.study, {number: entry.key})
        self._tell(entry)

    def take(self, number: int, entry: Entry) -> None:
        """Take what a run came to."""
        self.entries[number] = self.waiting[number] = entry
        if len(self.waiting) >= TOGETHER or time.monotonic() > self.written + 1.0:
            self.write()
        self.forecast.add(entry.seconds)
        self._tell(entry)

    def write(self) -> None:
        """Put what has come in into the store."""
        waiting, self.waiting = self.waiting, {}
        self.written = time.monotonic()
        if self.store is None or not waiting:
            return
        self.store.put(waiting.values(), provenance())
        for number, one in waiting.items():  # what is in the file need not be in memory too
            self.entries[number] = replace(one, packed=None, scenario=None)
        if self.study is not None:
            self.store.note(self.study, {number: one.key for number, one in waiting.items()})

    def _tell(self, entry: Entry) -> None:
        if self.on_progress is not None:
            label = entry.status if entry.status != "done" else "runs"
            self.on_progress(Progress(len(self.entries), self.total, label))


def _looked_up(on_progress: OnProgress, at: Progress) -> None:
    """Show the progress while it is looked up which results there are already."""
    on_progress(replace(at, label="looking for known results"))


# -- what workers do ----------------------------------------------------------------------------


def content_key(scenario: Scenario) -> str:
    """A hash of everything that the result of a run depends on.

    The scenario with every default and its seed, all values of its cards, its traces (path, size
    and time of change), and the sources and packages that simulate it.
    """
    depends = {
        "scenario": scenario.resolved(),
        "cards": cards_hash(scenario),
        "traces": [_trace(load.trace.file) for load in scenario.loads if load.trace is not None],
        "provenance": provenance(),
    }
    return digest(depends)


def _trace(path: str | Path) -> list[Any]:
    told = Path(path).stat()
    return [str(path), told.st_size, told.st_mtime_ns]


def _key(variant: Variant) -> str:
    try:
        return content_key(variant.resolved())
    except InputError as error:
        return _key_of_refused(variant, error)


def _key_of_refused(variant: Variant, error: InputError) -> str:
    refused = {"changes": dict(variant.changes), "of": variant.scenario.resolved()}
    return digest(refused | {"reason": str(error), "provenance": provenance()})


def _simulate(variant: Variant) -> Entry:
    began = time.perf_counter()
    try:
        scenario = variant.resolved()
    except InputError as error:
        return _nothing("refused", _key_of_refused(variant, error), error, None, began)
    key, written = content_key(scenario), _packed_scenario(scenario)
    try:
        result = run(scenario)
    except InputError as error:
        return _nothing("refused", key, error, written, began)
    except (SaturationError, TableOverflowError) as error:
        return _nothing("failed", key, error, written, began)
    status, reason = status_of(result)
    return Entry(
        key, status, reason, tuple(rows_of(result)), zlib.compress(packed(result), LEVEL),
        written, time.perf_counter() - began,
    )  # fmt: skip


def _packed_scenario(scenario: Scenario) -> bytes:
    return zlib.compress(json.dumps(scenario.resolved(), default=str).encode(), LEVEL)


def _nothing(
    status: Status, key: str, error: Exception, scenario: bytes | None, began: float
) -> Entry:
    reason = str(error)
    if isinstance(error, InputError):
        reason = "; ".join(
            f"{problem.key}: {problem.cause}" if problem.key else problem.cause
            for problem in error.problems
        )
    return Entry(key, status, reason, (), None, scenario, time.perf_counter() - began)


def status_of(result: Result) -> tuple[Status, str | None]:
    """Return whether a result carries what was asked for, and if not, what it does carry."""
    if result.highest is not None:
        if result.highest.iops is None:
            return "not within", f"no load is within {result.highest.within_ms:g} ms"
        return "done", None
    if result.is_carried:
        return "done", None
    return "saturated", "; ".join(
        f"{point.load}: more is asked for than is carried"
        if point.carried is None
        else f"{point.load}: carries {point.carried.rate:,.0f} of {point.rate:,.0f} IO/s"
        for point in result.points
        if point.saturated
    )

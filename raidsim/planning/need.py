"""A need: a file with the requirements, the possible choices, and the prices of hardware."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import PydanticCustomError

from raidsim import units
from raidsim.cards.places import exists
from raidsim.cards.toml_file import TomlFile, parse, read_text
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, Problem, nearest_key
from raidsim.importing.importer import import_files
from raidsim.planning.keys import (
    PERCENTILES,
    ChassisKeys,
    ChoiceKeys,
    LatencyKeys,
    NeedKeys,
)
from raidsim.scenario import meaning
from raidsim.scenario.fields import Count, Line, Reader, Text
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.reading import Reading, Values, read_part

YEAR = units.HOURS_PER_YEAR * 3600.0
"""Seconds of a year."""

_TABLES = (
    "title", "description", "seed", "prices", "fio", "need", "load", "latency", "choice", "chassis",
)  # fmt: skip


@dataclass(frozen=True)
class Latency:
    """A latency that must be kept: seconds, as a mean or at a percentile, in some states."""

    within: float
    percentile: float | None
    when: tuple[str, ...]

    @property
    def figure(self) -> str:
        """Which field of a latency of a result it is about."""
        return "mean" if self.percentile is None else PERCENTILES[self.percentile]

    def __str__(self) -> str:
        limit = units.text(self.within, "time")
        if self.percentile is None:
            return f"a mean latency of {limit}"
        return f"{limit} at {100 * self.percentile:g} %"


@dataclass(frozen=True)
class Need:
    """A need.

    Attributes
    ----------
    path : the file it was read from.
    title, description, seed : as a scenario has them.
    needed, choice, chassis : its tables; quantities in base units.
    loads : tables of the loads as a scenario has them.
    specs : the same, checked.
    latencies : limits of the latency.
    prices : path of the file of prices that it names; None if it names none.
    folder : where paths of cards and traces are looked for.
    """

    path: str
    title: str
    description: str
    seed: int
    needed: NeedKeys
    choice: ChoiceKeys
    chassis: ChassisKeys
    loads: tuple[Mapping[str, Any], ...]
    specs: tuple[LoadSpec, ...]
    latencies: tuple[Latency, ...]
    prices: Path | None
    folder: Path | None

    @property
    def is_open(self) -> bool:
        """Whether all its loads come at rates, so that there is a rate to be carried."""
        return all(load.rate is not None for load in self.specs)

    @property
    def rate(self) -> float:
        """I/Os per second that its loads offer; 0 if they are not offered at rates."""
        return sum(load.workers * load.rate[0] for load in self.specs if load.rate)

    def capacity_after(self, years: float) -> float:
        """Bytes that are needed after so many years."""
        return float(self.needed.capacity * (1 + self.needed.growth) ** years)

    def load_after(self, years: float) -> float:
        """Load after so many years, as a multiple of that of today."""
        growth = self.needed.load_growth
        return float((1 + (self.needed.growth if growth is None else growth)) ** years)

    @property
    def endurance(self) -> float:
        """Years that the drives have to last; 0 if that is no limit.

        Left out it is the horizon, where the load says how much is written: loads with I/Os
        outstanding write as fast as drives let them, and would rule out the fast ones.
        """
        asked = self.needed.endurance
        if asked is not None:
            return asked / YEAR
        is_told = all(load.rate is not None or load.trace is not None for load in self.specs)
        return float(self.needed.years) if is_told else 0.0

    def limits(self, state: str) -> list[Latency]:
        """The latencies that must be kept in a state."""
        return [one for one in self.latencies if state in one.when]


EXAMPLES = Path(__file__).parent / "examples"
"""Needs that come with raidsim, and the prices that they name."""


def names() -> list[str]:
    """Names of the needs that come with raidsim."""
    return sorted(path.stem for path in EXAMPLES.glob("*.toml") if "prices" not in path.stem)


def find(name: str | Path) -> Path:
    """File of a need: a path that exists, else one of those that come with raidsim.

    Raises
    ------
    InputError : there is none, with the nearest name.
    """
    given = Path(name)
    if exists(given):
        return given
    if str(name) in names():
        return EXAMPLES / f"{name}.toml"
    remedy = nearest_key(given.stem, names())
    raise InputError([Problem(str(name), None, None, "no such file", remedy)])


def read_need(path: str | Path) -> Need:
    """Read the file of a need, or one of those that come with raidsim by its name.

    Raises
    ------
    InputError : with every problem of it.
    """
    file = find(path)
    return need_of(read_text(file, str(path)), str(path), file.parent)


def need_of(text: str, name: str = "need", folder: Path | None = None) -> Need:
    """Read the text of a need; ``name`` is what messages call it.

    Raises
    ------
    InputError : with every problem of it.
    """
    file = parse(text.replace("\r\n", "\n"), name)
    return _Reader(Reading.of(file), folder).need()


class _Reader:
    """Reads one need."""

    def __init__(self, reading: Reading, folder: Path | None) -> None:
        self.reading = reading
        self.folder = folder
        self.data = reading.data

    def need(self) -> Need:
        for name in self.data:
            if name not in _TABLES:
                remedy = nearest_key(name, _TABLES)
                self.reading.problem((name,), "unknown key", remedy)
        head = {
            "title": self._top("title", Line(), Path(self.reading.file.name).stem),
            "description": self._top("description", Text(), ""),
            "seed": self._top("seed", Count(0, 2**63 - 1), 1),
        }
        if "need" not in self.data:
            self.reading.problem(("need",), "is missing", 'write [need] and capacity = "40 TB"')
        needed = self._table("need", NeedKeys)
        chosen = self._table("choice", ChoiceKeys)
        chassis = self._table("chassis", ChassisKeys)
        latencies = list(self._latencies())
        loads = self._loads()
        specs = [self._spec(table, path) for table, path in loads]
        prices = self._beside("prices")
        self.reading.raise_if_wrong()
        return Need(
            path=self.reading.file.name,
            **head,
            needed=NeedKeys.model_construct(**needed),
            choice=ChoiceKeys.model_construct(**chosen),
            chassis=ChassisKeys.model_construct(**chassis),
            loads=tuple(table for table, _ in loads),
            specs=tuple(LoadSpec.model_construct(**values) for values in specs),
            latencies=tuple(latencies),
            prices=prices,
            folder=self.folder,
        )

    def _top(self, name: str, reader: Reader, default: Any) -> Any:
        try:
            return reader.read(self.data.get(name, default))
        except PydanticCustomError as error:
            context = error.context or {}
            self.reading.problem((name,), context["cause"], context["remedy"])
            return default

    def _table(self, name: str, model: type[Any]) -> Values:
        return read_part(self.reading, model, self.data.get(name, {}), (name,)) if (
            name != "need" or name in self.data
        ) else {}  # fmt: skip

    def _list(self, name: str) -> list[tuple[Any, KeyPath]]:
        tables = self.data.get(name, [])
        if not isinstance(tables, list):
            self.reading.problem((name,), "is not a list of tables", f"write [[{name}]]")
            return []
        return [(table, (name, number)) for number, table in enumerate(tables)]

    def _latencies(self) -> Iterator[Latency]:
        for table, path in self._list("latency"):
            values = read_part(self.reading, LatencyKeys, table, path)
            share = values.get("percentile")
            if share is not None and share not in PERCENTILES:
                known = ", ".join(f'"{100 * one:g} %"' for one in PERCENTILES)
                cause = f"{100 * share:g} % is not a percentile that results have"
                self.reading.problem((*path, "percentile"), cause, f"give one of {known}")
            elif {"within", "percentile", "when"} <= set(values):
                yield Latency(values["within"], share, tuple(values["when"]))

    def _loads(self) -> list[tuple[dict[str, Any], KeyPath]]:
        own = self._list("load")
        job = self._beside("fio")
        if own and job is not None:
            self.reading.problem(("fio",), "cannot be used with [[load]]", "keep one of the two")
        if job is not None and not own:
            return [(table, ("fio",)) for table in self._of_jobs(job)]
        if not own and not self.reading.is_broken(("load",)) and "load" not in self.data:
            self.reading.problem(("load",), "is missing", "write [[load]] and its keys, or fio")
        return own

    def _of_jobs(self, path: Path) -> list[dict[str, Any]]:
        """Tables of loads of a job file of fio."""
        try:
            made = import_files([str(path)], form="fio")
        except InputError as error:
            self.reading.problems += error.problems
            return []
        tables = parse(made.text, str(path)).data.get("load", [])
        # A job ends after its runtime, and a need goes on.
        return [{key: table[key] for key in table if key != "limit"} for table in tables]

    def _beside(self, name: str) -> Path | None:
        """A path that the file names, from its own folder on."""
        written = self.data.get(name)
        if written is None:
            return None
        text = self._top(name, Line(), "")
        return (self.folder or Path()) / text if text else None

    def _spec(self, table: Any, path: KeyPath) -> Values:
        """A load, checked as far as no volume is needed for that."""
        if path == ("fio",):
            inner = Reading(TomlFile(str(self.data["fio"]), data={"load": [table]}))
            found = _checked(inner, table, ("load", 0), self.folder)
            self.reading.problems += inner.problems
        else:
            found = _checked(self.reading, table, path, self.folder)
        for name in ("volume", "within", "within_percentile"):
            if isinstance(table, dict) and name in table:
                where = "[[latency]]" if name != "volume" else "the designs"
                self.reading.problem((*path, name), "is not a key of a need", f"{where} says that")
        for name in ("outstanding", "rate"):
            if len(found.get(name) or ()) > 1:
                cause = "is a sweep: a need is about one load"
                self.reading.problem((*path, name), cause, "give one number")
        if found.get("arrivals") is not None:
            cause = "given arrivals end, and a need is about years"
            self.reading.problem((*path, "arrivals"), cause, "give rate, outstanding or trace")
        return found


def _checked(reading: Reading, table: Any, path: KeyPath, folder: Path | None) -> Values:
    values = read_part(reading, LoadSpec, table, path)
    return meaning.load(reading, values, path, [], [], folder).values


def scaled(tables: Sequence[Mapping[str, Any]], factor: float) -> list[dict[str, Any]]:
    """Tables of loads, so many times as heavy: rates, I/Os outstanding, or speed of a trace."""
    found = []
    for table in tables:
        new = dict(table)
        if "rate" in new:
            written = new["rate"][0] if isinstance(new["rate"], list) else new["rate"]
            rate = units.parse(written, "rate") * factor
            new["rate"] = f"{max(rate, 0.001):.9g} IO/s"
        elif "outstanding" in new:
            written = new["outstanding"]
            one = written[0] if isinstance(written, list) else written
            new["outstanding"] = min(max(math.ceil(one * factor - 1e-9), 1), 65536)
        elif "trace" in new:
            new["trace"] = {**new["trace"], "speed": new["trace"].get("speed", 1.0) * factor}
        found.append(new)
    return found

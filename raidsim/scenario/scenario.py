"""A scenario as an object: the content of a file, checked, with every default filled in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np

from raidsim.cards.attributes import KINDS
from raidsim.cards.places import looks_like_path
from raidsim.cards.toml_file import TomlFile, copied, parse, read_text
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, Problem, quote
from raidsim.scenario import overrides as setting
from raidsim.scenario.event import EventSpec
from raidsim.scenario.fields import key
from raidsim.scenario.files import file_of, find, scenario_of_result
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.loader import read_tables
from raidsim.scenario.reading import OVERRIDE, Reading
from raidsim.scenario.tables import Tables
from raidsim.scenario.written import written

WITH = "with_()"
"""What messages name as the file of what :meth:`Scenario.with_` changes."""

_LONGEST_KEPT = 2**16
"""Characters of the longest text of which it is kept what stands in it."""

_NOTHING: Any = object()  # no value, not even None


@dataclass(frozen=True)
class Source:
    """The origin of a scenario, from which another with other values can be made.

    It is no part of what a scenario is: two that say the same are equal.

    Attributes
    ----------
    file : the data of the file, with what overrides changed in it.
    overridden : the paths of those changes.
    folder : where paths of cards are looked for.
    """

    file: TomlFile = field(compare=False)
    overridden: frozenset[KeyPath] = field(compare=False)
    folder: Path | None = field(compare=False)

    def read_again(self, override: str = OVERRIDE) -> Reading:
        """Begin to read the same once more; ``override`` is what messages call the changes."""
        return Reading(self.file.copied(), set(self.overridden), override)


class Scenario(Tables):
    """A scenario that can be run: everything is checked, defaults are filled in.

    Made by :meth:`read` or :meth:`from_text`, and never changed: :meth:`with_` makes another.
    The fields are the tables of the file, with plain numbers in base units: s, bytes, Hz, shares
    from 0 to 1.

    Examples
    --------
    >>> scenario = raidsim.Scenario.read("p3700-database")  # doctest: +SKIP
    >>> deeper = scenario.with_("load.outstanding", [32, 64])  # doctest: +SKIP
    """

    path: str | None = key("the file it was read from", None)

    source: Source = key("what it was made from")
    written: dict[str, Any] = key("its tables as a file has them, every default among them")

    def __init__(self) -> None:
        """Say how one is made: it has more in it than arguments could give."""
        raise TypeError("Scenario() makes none; give Scenario.read(name) or .from_text(text)")

    @classmethod
    def read(cls, name: str | PathLike[str]) -> Scenario:
        """Read a scenario, as ``raidsim run`` does.

        Parameters
        ----------
        name
            The path of a file, or the name of a scenario that comes with raidsim, such as
            "p3700-database". A path that ends in .json is that of a result: its scenario.

        Raises
        ------
        InputError
            With every problem of the file.
        """
        given: Any = name
        if not isinstance(given, str | PathLike):
            cause = f"{quote(given)} is neither a name nor a path"
            raise InputError([Problem("Scenario.read()", None, "name", cause, "give a text")])
        return load(Path(name) if isinstance(name, PathLike) else name)

    @classmethod
    def from_text(cls, text: str) -> Scenario:
        """Read the text of a scenario, as a file would hold it.

        Raises
        ------
        InputError
            With every problem of the text; messages call it "scenario".
        """
        given: Any = text
        if not isinstance(given, str):
            cause = f"{quote(given)} is not a text"
            raise InputError([Problem("Scenario.from_text()", None, "text", cause, "give a text")])
        return load_text(text)

    @overload
    def with_(self, changes: str, value: Any, /) -> Scenario: ...
    @overload
    def with_(self, changes: Mapping[str, Any], /) -> Scenario: ...
    def with_(self, changes: str | Mapping[str, Any], value: Any = _NOTHING, /) -> Scenario:
        """Make a scenario with another value of a key, or with several; this one stays as it is.

        Keys are those of ``--set``: "load.outstanding", "load[1].size" or "load.NAME.size" where
        there are several loads, "load[*].size" for all of them, "volume.set.flash.read_time" for
        a value of a card. Values are those that the file would have: quantities are texts with
        units ("8 KiB"), counts are numbers, sweeps are lists. None takes the key away.

        Parameters
        ----------
        changes
            The key of one value, or a mapping of keys to values. Of two that concern the same
            place the later one wins.
        value
            The value of that one key.

        Raises
        ------
        InputError
            With every problem of the new scenario.

        Examples
        --------
        >>> scenario.with_("volume.level", "raid6")  # doctest: +SKIP
        >>> scenario.with_({"volume.level": "raid6", "volume.drives": 6})  # doctest: +SKIP
        """
        if isinstance(changes, Mapping) != (value is _NOTHING):
            raise TypeError("with_() takes a key and its value, or a mapping of keys to values")
        reading = self.source.read_again(WITH)
        setting.put(reading, changes if isinstance(changes, Mapping) else {changes: value})
        return _checked(reading, self.source.folder)

    def with_events(self, tables: Sequence[Any], name: str = "events") -> Scenario:
        """Make a scenario in which other events happen; this one stays as it is.

        Parameters
        ----------
        tables
            Its [[event]] tables, in place of those that there are.
        name
            What messages call the place that they are from.

        Raises
        ------
        InputError
            With every problem of them.
        """
        return _checked(self._with_events(tables, name), self.source.folder)

    def one_event(self, table: Any, name: str = "event") -> EventSpec:
        """Read one event that is to happen now, in a system that runs already.

        Whether it can happen in the state that the system is in, only the system knows.

        Parameters
        ----------
        table
            As an [[event]] table has it, but for the time.
        name
            What messages call the place that it is from.

        Raises
        ------
        InputError
            With every problem of it.
        """
        if not isinstance(table, dict):
            cause = f"{quote(table)} is not an event"
            raise InputError([Problem(name, None, None, cause, 'give {"kind": "...", ...}')])
        given = sorted({"at", "every"} & set(table))
        if given:
            cause = "a requested event happens at once"
            raise InputError([Problem(name, None, key, cause, "leave it out") for key in given])
        reading = self._with_events([table | {"at": "1 ms"}], name)
        reading.alone = True
        return _checked(reading, self.source.folder).events[0]

    def _with_events(self, tables: Sequence[Any], name: str) -> Reading:
        reading = self.source.read_again(name)
        reading.data["event"] = list(tables)
        reading.overridden.add(("event",))
        return reading

    def __repr__(self) -> str:
        lines = [f'<Scenario "{self.title}"', f"  host {self.host.model}"]
        lines += [f"  controller {one.name}: {one.model}" for one in self.controllers]
        lines += [f"  link {one.name}: {one.lanes} x {one.speed}" for one in self.links]
        lines += [
            f"  volume {one.name}: {one.level} of {one.drives} x {one.drive}"
            if one.drives > 1
            else f"  volume {one.name}: {one.level} {one.drive}"
            for one in self.volumes
        ]
        lines += [f"  hybrid {o.name}: {o.front} before {o.back}" for o in self.hybrids]
        lines += [f"  load {one.name} on {one.volume}" for one in self.loads]
        lines += [f"  machines {one.name}: {one.count}" for one in self.machines]
        many = f", {len(self.events)} events" if self.events else ""
        lines += [f"  {self.points} point{'s'[: self.points > 1]}{many}, seed {self.seed}>"]
        return "\n".join(lines)

    __str__ = __repr__

    def at(self, searched: LoadSpec, value: float) -> Scenario:
        """Make a scenario with one intensity of one load in place of its sweep.

        Parameters
        ----------
        searched
            One of the scenario's ``loads``.
        value
            How many I/Os are outstanding, or the rate in IO/s.

        Raises
        ------
        InputError
            It is no load of the scenario, or the value is no intensity.
        """
        if not any(load is searched for load in self.loads):
            cause = f"{quote(searched)} is none of its loads"
            remedy = "give one of scenario.loads"
            raise InputError([Problem("Scenario.at()", None, "searched", cause, remedy)])
        counts = searched.outstanding is not None
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not 0 < value < math.inf or (counts and value != int(value)):
            cause = f"{quote(value)} is not a {'number of I/Os' if counts else 'rate'}"
            remedy = "give a whole number above 0" if counts else "give a number above 0, in IO/s"
            raise InputError([Problem("Scenario.at()", None, "value", cause, remedy)])
        key = "rate" if searched.outstanding is None else "outstanding"
        changed = searched.model_copy(update={key: (value,)})
        loads = tuple(changed if load is searched else load for load in self.loads)
        return self.model_copy(update={"loads": loads})

    def resolved(self) -> dict[str, Any]:
        """Everything, defaults too, in the form of the file: it can be loaded again."""
        data: dict[str, Any] = copied(self.written)
        return data


def changed(scenario: Scenario, overrides: Iterable[str] = (), seed: int | None = None) -> Scenario:
    """Make a scenario with overrides, texts "KEY=VALUE", and with another seed.

    Raises
    ------
    InputError : with every problem of the overrides.
    """
    reading = scenario.source.read_again()
    setting.apply(reading, overrides)
    if seed is not None:
        _set_seed(reading, seed)
    return _checked(reading, scenario.source.folder)


def load(name: str | Path, overrides: Iterable[str] = (), seed: int | None = None) -> Scenario:
    """Load a scenario by path or name, or that of a result (a path that ends in .json).

    Parameters
    ----------
    overrides : texts "KEY=VALUE", as ``--set`` gives them.
    seed : in place of the seed of the file.

    Raises
    ------
    InputError : with every problem of the file and of the overrides.
    """
    path = find(name)
    shown = str(name) if looks_like_path(str(name)) else str(path)
    if path.suffix == ".json":
        data = scenario_of_result(read_text(path, shown), shown)
        return from_data(data, shown, overrides, seed, path.parent)
    return load_text(read_text(path, shown), shown, overrides, seed, path.parent)


def load_text(
    text: str,
    name: str = "scenario",
    overrides: Iterable[str] = (),
    seed: int | None = None,
    folder: Path | None = None,
) -> Scenario:
    """Load the text of a scenario; `name` is what messages call it."""
    text = text.replace("\r\n", "\n")
    file = _parsed(text, name).copied() if len(text) <= _LONGEST_KEPT else parse(text, name)
    return _load(file, overrides, seed, folder)


@lru_cache(maxsize=64)
def _parsed(text: str, name: str) -> TomlFile:
    """Return a parsed text, read once: many runs differ in their overrides alone."""
    return parse(text, name)


def from_data(
    data: Mapping[str, Any],
    name: str = "scenario",
    overrides: Iterable[str] = (),
    seed: int | None = None,
    folder: Path | None = None,
) -> Scenario:
    """Load what :meth:`Scenario.resolved` gave, for instance from the JSON of a result.

    A key that is None (null in JSON) counts as not given, as in TOML, which has no such value.
    """
    return _load(file_of(data, name), overrides, seed, folder)


def _load(
    file: TomlFile, overrides: Iterable[str], seed: int | None, folder: Path | None
) -> Scenario:
    reading = Reading.of(file)
    _refuse_card(file)
    file.bring_up_to_date("scenario")
    setting.apply(reading, overrides)
    if seed is not None:
        _set_seed(reading, seed)
    return _checked(reading, folder)


def _refuse_card(file: TomlFile) -> None:
    """Say of a card that it is one, before all that it lacks as a scenario is told."""
    if str(file.data.get("kind")) in KINDS:
        cause = "a file with this key is a card, and no scenario"
        remedy = "a scenario names it as a drive, controller or host; raidsim models shows it"
        raise InputError([Problem(file.name, file.line(("kind",)), "kind", cause, remedy)])


def _set_seed(reading: Reading, seed: int) -> None:
    """Take the seed that the option gives in place of the file's."""
    reading.data["seed"] = seed
    reading.overridden.add(("seed",))
    reading.options["seed",] = "--seed"


def _checked(reading: Reading, folder: Path | None) -> Scenario:
    """The scenario that was read, or every problem of it."""
    tables = read_tables(reading, folder)
    return Scenario.model_construct(
        **dict(tables),
        path=reading.file.name,
        source=Source(reading.file, frozenset(reading.overridden), folder),
        written=written(reading.data, tables),
    )

"""A study as a file: the scenario, the varied keys, and the end of the study.

::

    scenario = "raid5-disks"
    where = "volume.drives >= 6 or volume.level != 'raid6'"
    precision = "5 %"

    [vary]
    volume.level = ["raid5", "raid6", "raid10"]
    volume.drives = "4..24:4"

    [[together]]
    load.size = ["4 KiB", "64 KiB"]
    load.read = ["70 %", "100 %"]

    [sample]
    load.outstanding = "1..256 log"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from raidsim.cards.places import looks_like_path
from raidsim.cards.toml_file import TomlFile, parse, read_text
from raidsim.errors import InputError, Problem, nearest_key, quote
from raidsim.scenario.scenario import load
from raidsim.studies.sweep import Asked
from raidsim.studies.vary import Axis, Between, between, parse_axis

KEYS = {
    "scenario": str, "set": dict, "seed": int, "vary": dict, "together": list, "sample": dict,
    "samples": int, "where": str, "seeds": int, "precision": str,
}  # fmt: skip
_WORDS = {str: "a text", dict: "a table", int: "a whole number", list: "a list of tables"}


def is_study(name: str) -> bool:
    """Return whether a file is that of a study, and not of a scenario: it names its scenario."""
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return False
    data = parse(read_text(path, name), name).data
    return isinstance(data.get("scenario"), str) and "volume" not in data


def read_study(name: str, command: str) -> Asked:
    """Read a study file.

    Raises
    ------
    InputError
        With every problem of the file.
    """
    path = Path(name)
    file = parse(read_text(path, name), name)
    problems = [*file.problems]
    for key, value in file.data.items():
        if key not in KEYS:
            remedy = nearest_key(key, KEYS)
            problems.append(_problem(file, key, "unknown key", remedy))
        elif type(value) is not KEYS[key]:
            cause = f"{quote(value)} is not {_WORDS[KEYS[key]]}"
            problems.append(_problem(file, key, cause, None))
    if problems:
        raise InputError(problems)
    data = file.data
    axes: list[Axis] = []
    drawn: list[Between] = []
    for key, value in _flat(data.get("vary", {})):
        axes += _collected(problems, file, "vary", lambda k=key, v=value: _axis(k, v))
    for table in data.get("together", []):
        axes += _collected(problems, file, "together", lambda t=table: _together(t))
    for key, value in _flat(data.get("sample", {})):
        drawn += _collected(
            problems, file, "sample", lambda k=key, v=value: between(f"{k}={v}", "sample")
        )
    if "scenario" not in data:
        problems.append(_problem(file, "scenario", "is missing", 'write scenario = "NAME or path"'))
    if problems:
        raise InputError(problems)
    named = data["scenario"]
    beside = path.parent / named
    near = looks_like_path(named) and beside.exists()
    base = load(beside if near else named, seed=data.get("seed"))
    changes = dict(_flat(data.get("set", {})))
    if changes:
        base = base.with_(changes)
    return Asked(
        base, axes, drawn, data.get("samples", 0), data.get("where"), data.get("seeds", 1),
        data.get("precision"), command,
    )  # fmt: skip


def _collected(problems: list[Problem], file: TomlFile, key: str, read: Any) -> list[Any]:
    """Return a part of the file; or nothing, and note its problems."""
    try:
        return [read()]
    except InputError as error:
        line = file.line((key,))
        problems += [
            Problem(file.name, line, one.key or key, one.cause, one.remedy)
            for one in error.problems
        ]
        return []


def _problem(file: TomlFile, key: str, cause: str, remedy: str | None) -> Problem:
    return Problem(file.name, file.line((key,)), key, cause, remedy)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Keys with their values: ``volume.level = ...`` is a table in a table, in TOML."""
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _axis(key: str, value: Any) -> Axis:
    if isinstance(value, list):
        if not value:
            raise InputError([Problem(None, None, key, "has no values", None)])
        return Axis((key,), tuple((one,) for one in value))
    return parse_axis(f"{key}={value}", "vary")


def _together(table: Any) -> Axis:
    given = dict(_flat(table)) if isinstance(table, dict) else {}
    lengths = {len(value) if isinstance(value, list) else 0 for value in given.values()}
    if len(lengths) != 1 or 0 in lengths:
        cause = "needs lists of values that are equally long, one for each key"
        raise InputError([Problem(None, None, "together", cause, None)])
    return Axis(tuple(given), tuple(zip(*given.values(), strict=True)))

"""Where scenarios come from: files, results, and data of a program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from raidsim import schemas
from raidsim.cards.places import exists, looks_like_path
from raidsim.cards.toml_file import NOT_SO_DEEP, TOO_DEEP, TomlFile, is_deep
from raidsim.errors import InputError, Problem, nearest_key, quote, suggest
from raidsim.resources import data_folder
from raidsim.scenario.plain import without_none


def names() -> list[str]:
    """Names of the scenarios that come with raidsim."""
    return sorted(path.stem for path in data_folder("scenarios").rglob("*.toml"))


def find(name: str | Path) -> Path:
    """File of a scenario: a path that exists, else one of those that come with raidsim.

    Raises
    ------
    InputError : there is none, with the nearest name.
    """
    given = Path(name)
    if exists(given) and (looks_like_path(str(name)) or given.is_file()):
        return given
    if (path := _shipped(str(name))) is not None:
        return path
    if str(name) and (exists(given) or looks_like_path(str(name))):
        remedy = suggest(given.stem, names())
        if exists(given):
            return given  # a folder: reading it says so
        raise InputError([Problem(str(name), None, None, "no such file", remedy)])
    remedy = nearest_key(str(name), names())
    raise InputError(
        [Problem(None, None, None, f"no scenario is called {quote(str(name))}", remedy)]
    )


def _shipped(name: str) -> Path | None:
    """File of a scenario that comes with raidsim; those that are there are looked up once."""
    folder = data_folder("scenarios")
    known = _known.get(folder, {})
    if name not in known or not exists(known[name]):
        found = sorted(folder.rglob("*.toml"), reverse=True)  # of two alike the first counts
        known = _known[folder] = {path.stem: path for path in found}
    return known.get(name)


_known: dict[Path, dict[str, Path]] = {}
"""Files of the scenarios of a folder by their names."""


def scenario_of_result(text: str, shown: str) -> Mapping[str, Any]:
    """The scenario that the JSON of a result holds.

    Raises
    ------
    InputError
        It is no JSON, or holds no scenario.
    """
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError([Problem(shown, None, None, "is not JSON", None)]) from None
    if isinstance(result, dict) and schemas.KEY in result:
        result = schemas.up_to_date("result", result, shown)
    found = result.get("scenario") if isinstance(result, dict) else None
    if not isinstance(found, dict):
        cause = "holds no scenario"
        raise InputError([Problem(shown, None, None, cause, "give a scenario, or a result of run")])
    return found


def file_of(data: Mapping[str, Any], name: str) -> TomlFile:
    """Data as if a file had held it.

    Raises
    ------
    InputError
        It is nested too deeply.
    """
    if is_deep(data):
        raise InputError([Problem(name, None, None, TOO_DEEP, NOT_SO_DEEP)])
    return TomlFile(name, data=without_none(data))

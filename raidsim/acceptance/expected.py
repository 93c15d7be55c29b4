"""What a delivered system must show, as data and as a JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from raidsim.errors import InputError, Problem, refuse
from raidsim.version import __version__

SCHEMA = "raidsim.acceptance/1"
MOST_BYTES = 50_000_000


@dataclass(frozen=True)
class ExpectedFigure:
    """A figure and the range that it must be in; latencies are totals, in ms."""

    name: str
    unit: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ExpectedJob:
    """A job of fio and its expected figures.

    Attributes
    ----------
    name : of the job in its job file, and in the result of fio; no other job has it.
    file : the job file.
    load : of the scenario.
    options : of fio, which a result must have with the same values.
    capacity : bytes of the scenario's volume, to recognise a size that is the whole volume; None if
        an earlier version wrote the file.
    complete : whether ``options`` has all of `jobs.COMPARED` that the job file asks for; earlier
        versions only kept some of them.
    """

    name: str
    file: str
    load: str
    options: dict[str, str]
    figures: list[ExpectedFigure]
    capacity: int | None = None
    complete: bool = False


@dataclass(frozen=True)
class Expected:
    """The figures that a delivered system must reach.

    Attributes
    ----------
    title : of the scenario.
    draws : of what the cards do not know, on which the ranges rest.
    factor : by which intervals of single figures were stretched, so that all hold together.
    coverage : share of the draws that are in all of the ranges.
    devices : by the variable of the environment that job files name, the volume that it stands for.
    remarks : what job files do not say as the scenario does.
    scenario : with every default.
    """

    title: str
    draws: int
    factor: float
    coverage: float
    devices: dict[str, str]
    jobs: list[ExpectedJob]
    remarks: list[str]
    scenario: dict[str, Any]
    raidsim: str = __version__
    schema: str = SCHEMA
    preparation: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object."""
        return {"schema": self.schema} | asdict(self)


def is_expected(name: str | PathLike[str]) -> bool:
    """Return whether a path is that of such a file, rather than of a scenario or a result."""
    path = Path(name)
    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return b"raidsim.acceptance/" in file.read(400)
    except OSError:
        return False


def read_expected(name: str | PathLike[str]) -> Expected:
    """Read what `raidsim accept` wrote.

    Raises
    ------
    InputError
        It cannot be read, or is no whole file of that kind.
    """
    shown = str(name)
    try:
        data = Path(name).read_bytes()
        if len(data) > MOST_BYTES:
            refuse(shown, "is too large for a file of expectations")
        loaded = json.loads(data.decode("utf-8"))
    except OSError as error:
        refuse(shown, f"cannot be read: {(error.strerror or str(error)).lower()}")
    except (UnicodeDecodeError, ValueError, RecursionError):
        refuse(shown, "is not JSON")
    if not isinstance(loaded, dict) or loaded.get("schema") != SCHEMA:
        remedy = f'write it anew with raidsim accept ("schema": "{SCHEMA}")'
        refuse(shown, "holds no expectations that this version of raidsim reads", remedy)
    return _made(loaded, shown)


def _made(data: Mapping[str, Any], name: str) -> Expected:
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        found: Expected = _adapter().validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[:20]
        raise InputError(
            [Problem(name, None, ".".join(map(str, one["loc"])), one["msg"]) for one in wrong]
        ) from None
    return found


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(Expected)

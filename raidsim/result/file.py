"""Reads a result from its JSON: every field of every object must be there, with its type."""

from __future__ import annotations

import json
from functools import cache
from os import PathLike
from typing import Any, NoReturn

from raidsim import named_file, schemas
from raidsim.errors import InputError, Problem, refuse
from raidsim.result import SCHEMA, Result

_MOST_PROBLEMS = 20
_WORDS = {
    "missing": "is missing",
    "string_type": "is not a text",
    "int_type": "is not a whole number",
    "float_type": "is not a number",
    "bool_type": "is neither true nor false",
    "dict_type": "is not an object",
    "dataclass_type": "is not an object",
    "list_type": "is not a list",
    "tuple_type": "is not a list",
}


def read(name: str | PathLike[str]) -> Result:
    """Read a result that ``raidsim run --json`` or ``Result.to_json`` wrote.

    Raises
    ------
    InputError : there is no such file, or it does not hold a whole result.
    """
    if not isinstance(name, str | PathLike):
        refuse("Result.read()", "is given no path", "give a text")
    data = named_file.read_bytes(name)
    try:
        written = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse(str(name), "is not UTF-8 text")
    return parse(written, str(name))


def packed(result: Result) -> bytes:
    """Encode a result as JSON without spaces, which :func:`parse` reads again: an equal one."""
    written: bytes = _adapter().dump_json(result)
    return written


def parse(written: str, name: str) -> Result:
    """Read the text of a result; `name` is what messages call it."""
    try:
        data = json.loads(written, parse_constant=_no_number)
    except (ValueError, RecursionError):
        refuse(name, "is not JSON")
    if not isinstance(data, dict) or schemas.KEY not in data:
        refuse(name, "holds no result", "give what raidsim run --json wrote")
    data = schemas.up_to_date("result", data, name)
    return _result(data | {schemas.KEY: SCHEMA}, name)


def _result(data: dict[str, Any], name: str) -> Result:
    from pydantic import ValidationError  # noqa: PLC0415  (results are made without it)

    try:
        result: Result = _adapter().validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        problems = [
            Problem(name, None, _key(one["loc"]), _WORDS.get(one["type"], one["msg"]))
            for one in found[:_MOST_PROBLEMS]
        ]
        raise InputError(problems) from None
    except ValueError:  # half of a character
        refuse(name, "holds text that is not UTF-8")
    return result


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415  (results are made without it)

    return TypeAdapter(Result)


def _key(location: tuple[int | str, ...]) -> str:
    """Return the path of a value as text, as in ``points[0].iops.mean``."""
    return "".join(
        f"[{step}]" if isinstance(step, int) else f"{'.' if number else ''}{step}"
        for number, step in enumerate(location)
    )


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"JSON knows no {word}")

"""A resolved scenario as TOML, so that a report can be copied into a file and run again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def render(scenario: Mapping[str, Any]) -> str:
    """Write a mapping as TOML: plain values first, then tables, then arrays of tables.

    A key whose value is None is left out, for TOML has no word for it.
    """
    return "\n".join(_table(scenario, "")).strip() + "\n"


def _table(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    later: list[tuple[str, Any]] = []
    for key, value in table.items():
        if value is None:
            continue
        if not prefix and (isinstance(value, Mapping) or _is_array_of_tables(value)):
            later.append((key, value))
        else:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in later:
        name = _key(key)
        for one in [value] if isinstance(value, Mapping) else value:
            yield ""
            yield f"[{name}]" if isinstance(value, Mapping) else f"[[{name}]]"
            yield from _table(one, name)


def _is_array_of_tables(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(isinstance(one, Mapping) for one in value)
    )


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        pairs = (f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None)
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    return repr(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    """Quote a text; JSON's escapes are TOML's, but for the one control character it leaves."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

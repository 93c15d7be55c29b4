"""Values that a program gives, in the form that a file could have given them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

DEEPEST = 20  # tables and lists in each other


class Unusable:
    """Stands for an object that no argument can be, and shows its type in messages."""

    def __init__(self, value: Any) -> None:
        self.text = f"<{type(value).__name__}>"

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def plain(value: Any, depth: int = 0) -> Any:
    """A value as TOML could have given it: text, number, bool, list or dict.

    NumPy's numbers become Python's and paths become texts. What TOML does not know becomes
    :class:`Unusable`, which every check refuses.
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping) and depth < DEEPEST:
        return {str(key): plain(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple) and depth < DEEPEST:
        return [plain(part, depth + 1) for part in value]
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        return plain(item(), depth + 1) if depth < DEEPEST else Unusable(value)
    return str(value) if isinstance(value, PurePath) else Unusable(value)


def without_none(data: Any) -> Any:
    """A copy of data from a file without the keys that are None."""
    if isinstance(data, Mapping):
        return {key: without_none(value) for key, value in data.items() if value is not None}
    if isinstance(data, list):
        return [without_none(value) for value in data]
    return copy.deepcopy(data)

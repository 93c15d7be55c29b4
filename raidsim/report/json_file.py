"""A report as JSON: the same bytes for the same input, and only finite numbers.

Keys are in the order in which the result defines them: first what was asked, then the results. All
commands write their ``--json`` here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def render(document: Mapping[str, Any]) -> bytes:
    """Encode a report as UTF-8 JSON, indented by two, with a newline at the end.

    Parameters
    ----------
    document
        Plain mappings, sequences, strings, numbers, booleans and None;
        NumPy scalars are written as the numbers they hold.

    Raises
    ------
    ValueError
        A number is infinite or not a number: JSON has none, and no report may.
    """
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False, default=_plain)
    return (text + "\n").encode("utf-8")


def _plain(value: Any) -> Any:
    """Turn a NumPy scalar or array, which json does not know, into plain numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in a report")

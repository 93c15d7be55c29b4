"""Problems of an input, as the page shows them: the line, and words that name no file."""

from __future__ import annotations

from typing import Any

from raidsim.errors import InputError, Problem


def problems_of(error: InputError) -> list[dict[str, Any]]:
    """Each problem with its line, or None, and its words."""
    return [
        {
            "line": one.line,
            "words": str(Problem(None, None, one.key, one.cause, one.remedy)),
        }
        for one in error.problems
    ]

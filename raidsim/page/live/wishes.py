"""Permitted requests of visitors to an array that they watch, checked before anything is done."""

from __future__ import annotations

import math
from typing import Any, Final

from raidsim.scenario.events import KINDS

MOST_SECONDS: Final = 86_400.0
"""Simulated seconds that may be asked for at a time."""
MOST_LENGTH: Final = 2**20
"""Bytes of a request of a visitor."""
FARTHEST: Final = 2**53
LOOKS: Final = ("start", "frontier", "torn")
FOLLOWED: Final = ("any", "read", "write")
MAY_HAPPEN: Final = frozenset(
    {"power-off", "power-on", *KINDS}
    - {"controller-failure", "link-loss", "import-cache", "discard-cache", "power-cut"}
)
"""Events that are about the volume, its drives, its battery, their air and loads; and the plug."""


class WrongError(Exception):
    """A request that is not understood; the message says what would be right."""


def checked(asked: dict[str, Any]) -> dict[str, Any]:
    """Return a request with all optional values filled in.

    Raises
    ------
    WrongError
        If it is nothing that may be asked.
    """
    do = asked.get("do")
    found = {"do": do, "since": _whole(asked.get("since", 0), FARTHEST)}
    found["look"] = asked.get("look", "start")
    if found["look"] not in LOOKS:
        raise WrongError(f"look is one of {', '.join(LOOKS)}.")
    if do == "advance":
        return found | {"seconds": _seconds(asked.get("seconds"))}
    if do == "follow":
        return found | _request(asked)
    if do == "happen":
        return found | {"wish": _wish(asked.get("wish"))}
    raise WrongError("An array may advance, follow, happen or end.")


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise WrongError("seconds is a number.")
    if not math.isfinite(value) or not 0 <= value <= MOST_SECONDS:
        raise WrongError(f"seconds is a number from 0 to {MOST_SECONDS:g}.")
    return float(value)


def _request(asked: dict[str, Any]) -> dict[str, Any]:
    op, offset = asked.get("op", "any"), asked.get("offset")
    if op not in FOLLOWED:
        raise WrongError(f"op is one of {', '.join(FOLLOWED)}.")
    if offset is None:
        return {"op": op, "offset": None, "length": 0}
    length = _whole(asked.get("length"), MOST_LENGTH)
    return {"op": op, "offset": _whole(offset, FARTHEST), "length": length}


def _wish(wish: object) -> dict[str, Any]:
    if not isinstance(wish, dict):
        raise WrongError("wish is an event, with its kind.")
    kind = wish.get("kind")
    if not isinstance(kind, str) or kind not in MAY_HAPPEN:
        raise WrongError("This cannot be requested here.")
    return wish


def _whole(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise WrongError(f"Give a whole number from 0 to {most}.")
    return value

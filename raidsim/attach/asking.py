"""The other end of a control socket: what ``raidsim tell`` does."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from typing import Any, Final

from raidsim.cards.toml_file import parse
from raidsim.errors import InputError, Problem, quote, why

PATIENCE: Final = 30.0  # s
MOST: Final = 2**20  # bytes of an answer


def wish_of(what: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return the request to a control socket that the words of a command line stand for.

    Raises
    ------
    InputError
        With every word that is no key with a value.
    """
    if what == "status" and not keys:
        return {"show": "status"}
    wish: dict[str, Any] = {"kind": what}
    problems = []
    for word in keys:
        key, equals, value = word.partition("=")
        if not key or not equals:
            cause = f"{quote(word)} is not a key with a value"
            problems.append(Problem("raidsim tell", None, None, cause, "write drive=2"))
        else:
            wish[key] = _value(value)
    if problems:
        raise InputError(problems)
    return wish


def _value(text: str) -> Any:
    """A number, list or truth of TOML; anything else is a text."""
    found = parse(f"value = {text}", "value")
    return text if found.problems or "value" not in found.data else found.data["value"]


def ask(path: str, wish: dict[str, Any]) -> dict[str, Any]:
    """The answer to a wish; ``text`` is what there is to be read of it.

    Raises
    ------
    InputError
        If nobody answers at this socket.
    """
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        try:
            line.connect(path)
            line.sendall(json.dumps(wish).encode() + b"\n")
            with line.makefile("rb") as received:
                told = json.loads(received.readline(MOST))
        except (OSError, ValueError) as error:
            cause = f'no server answers at "{path}": {why(error)}'
            remedy = "start raidsim attach --control FILE, and give that file"
            raise InputError([Problem(None, None, "SOCKET", cause, remedy)]) from None
    found: dict[str, Any] = told
    if "status" in found:
        found["text"] = json.dumps(found["status"], indent=1)
    elif found.get("ok"):
        found["text"] = f"{found['time']:.6f} s: {found['did']}"
    return found

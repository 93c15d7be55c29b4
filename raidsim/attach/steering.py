"""Requests of an operator to an attached system: events, and its present state.

One line of JSON is one request, and one line answers it. `{"kind": "drive-failure", "drive": 2}`
causes an event of a scenario now. `{"show": "status"}` gives the state of all parts. An answer has
`"ok"`, and also what was done, or the error.
"""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any, Final

from raidsim.attach.attached import AttachedSystem
from raidsim.attach.server import clear_socket, no_socket
from raidsim.errors import InputError
from raidsim.scenario import Scenario

LOG = logging.getLogger("raidsim.attach")

LONGEST: Final = 64 * 2**10  # bytes of a wish
MOST: Final = 16  # operators at a time
PATIENCE: Final = 600.0  # s for the next wish
ASKED: Final = "--control"


class Steering:
    """A socket at which events are asked for.

    Parameters
    ----------
    scenario
        What is simulated.
    attached
        Where events happen.
    """

    def __init__(self, scenario: Scenario, attached: AttachedSystem) -> None:
        self._scenario = scenario
        self._attached = attached
        self._server: asyncio.Server | None = None
        self._path: Path | None = None
        self._operators = 0

    async def listen_at(self, path: Path) -> None:
        """Take wishes at a Unix socket.

        Raises
        ------
        InputError
            If there can be no socket at this path.
        """
        clear_socket(path, ASKED)
        try:
            self._server = await asyncio.start_unix_server(self._talk, str(path), limit=LONGEST)
        except OSError as error:
            raise no_socket(ASKED, path, error) from None
        path.chmod(0o600)
        self._path = path

    async def stop(self) -> None:
        """Take no more wishes."""
        if self._server is not None:
            self._server.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._operators >= MOST:
            writer.close()
            return
        self._operators += 1
        try:
            while line := await asyncio.wait_for(reader.readline(), PATIENCE):
                writer.write(json.dumps(self.answer(line)).encode() + b"\n")
                await writer.drain()
        except (TimeoutError, ValueError, OSError) as error:  # ValueError: a line that is too long
            LOG.warning("an operator is cut off: %s", error)
        finally:
            self._operators -= 1
            writer.close()

    def answer(self, line: bytes) -> dict[str, Any]:
        """Do what a line asks for, and return the answer."""
        try:
            wish = json.loads(line)
        except (ValueError, RecursionError):
            return _no("that is not JSON")
        if isinstance(wish, dict) and "show" in wish:
            if wish != {"show": "status"}:
                return _no('only {"show": "status"} can be shown')
            self._attached.advance()
            return {"ok": True, "status": self._attached.status()}
        try:
            event = self._scenario.one_event(wish, ASKED)
            self._attached.let_happen(event)
        except InputError as error:
            return {"ok": False, "problems": [str(problem) for problem in error.problems]}
        return {"ok": True, "time": self._attached.course.now, "did": event.words}


def _no(why: str) -> dict[str, Any]:
    return {"ok": False, "problems": [why]}

"""A system that ``raidsim attach`` serves, on the page: its state, and events for it.

The page uses the system's control socket, as ``raidsim tell`` does. The person who starts the page
names this socket; visitors cannot name another one.

    GET  /api/attached                                      how everything is
    POST /api/attached   {"kind": "drive-failure", ...}     let an event happen
"""

from __future__ import annotations

from typing import Any, Final

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from raidsim.attach.asking import ask
from raidsim.errors import InputError
from raidsim.page import shell
from raidsim.page.body import json_of
from raidsim.page.settings import Settings

MOST_BYTES: Final = 8192
"""Bytes of a request for an event, at most."""

NOBODY: Final = "No system is attached to this page."


async def _page(request: Request) -> Response:
    settings: Settings = request.app.state.settings
    return shell.page("attached.html", attached=settings.attached is not None)


async def _status(request: Request) -> Response:
    return await _answer(request, {"show": "status"})


async def _happen(request: Request) -> Response:
    wish = await json_of(request, MOST_BYTES)
    if "kind" not in wish:
        raise HTTPException(400, "kind is missing: the kind of event.")
    return await _answer(request, wish)


async def _answer(request: Request, wish: dict[str, Any]) -> Response:
    """Return the answer of the attached system to a request, or what is wrong with the request."""
    settings: Settings = request.app.state.settings
    if settings.attached is None:
        return JSONResponse({"problems": [NOBODY]}, status_code=404)
    try:
        told = await to_thread.run_sync(ask, settings.attached, wish)
    except InputError:
        problem = "The system that was attached does not answer any more."
        return JSONResponse({"problems": [problem]}, status_code=503)
    return JSONResponse(told, status_code=200 if told.get("ok") else 409)


ROUTES: list[BaseRoute] = [
    Route("/attached", _page),
    Route("/api/attached", _status),
    Route("/api/attached", _happen, methods=["POST"]),
]

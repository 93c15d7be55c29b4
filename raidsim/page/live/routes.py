"""What the page asks of arrays that are watched: JSON in, JSON out, one address for all wishes.

    POST /live/arrays          {"preset": "raid5"}                    a new array
                               {"text": "..."}                        the same, from a text
    POST /live/arrays/NAME     {"do": "advance", "seconds": 0.5}      let time pass
                               {"do": "follow", "op": "write"}        the next request, step by step
                               {"do": "happen", "wish": {...}}        an event, or the plug
                               {"do": "end"}

An answer has ``frame``, how everything is now; problems come with a status of 4xx and ``problems``,
in words.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from raidsim.page import bounds, shell
from raidsim.page.body import body_of
from raidsim.page.live.presets import PRESETS
from raidsim.page.live.visitors import GoneError, TooMuchError, Visitors
from raidsim.page.live.wishes import WrongError, checked

MOST_BYTES: Final = 8192
"""Bytes of a request about an array that is there, at most."""


async def _page(request: Request) -> Response:
    _visitors(request).begin()  # so that the first array need not wait for them
    return shell.page("live.html", presets=PRESETS)


async def _make(request: Request) -> Response:
    asked = await _asked(request, 8 * bounds.MOST_TEXT)
    text = asked.get("text")
    what: dict[str, Any] = {"preset": asked.get("preset")}
    if text is not None:
        if not isinstance(text, str):
            raise WrongError("text is the text of a scenario.")
        if (cause := bounds.too_long(text)) is not None:
            raise WrongError(f"The text {cause}.")
        what = {"text": text}
    name, found = await _visitors(request).make(request.state.visitor, what)
    return _told({"array": name, **found})


async def _ask(request: Request) -> Response:
    asked = await _asked(request, MOST_BYTES)
    name = request.path_params["name"]
    if asked.get("do") == "end":
        await _visitors(request).end(request.state.visitor, name)
        return JSONResponse({})
    return _told(await _visitors(request).ask(request.state.visitor, name, checked(asked)))


def _visitors(request: Request) -> Visitors:
    found: Visitors = request.app.state.live
    return found


def _told(found: dict[str, Any]) -> Response:
    return JSONResponse(found, status_code=409 if "problems" in found else 200)


async def _asked(request: Request, most: int) -> dict[str, Any]:
    body = await body_of(request)
    if len(body) > most:
        raise WrongError("That is too long.")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise WrongError("That is not JSON.") from None
    if not isinstance(found, dict):
        raise WrongError("That is not an object of JSON.")
    return found


Answer = Callable[[Request], Any]


def _in_words(answer: Answer) -> Answer:
    """Let what goes wrong be told in words."""

    async def told(request: Request) -> Response:
        try:
            found: Response = await answer(request)
        except WrongError as error:
            return _refused(400, str(error))
        except TooMuchError as error:
            return _refused(429, str(error))
        except GoneError:
            words = (
                "This array has ended: there were no requests from the page, or it took too long."
                " Begin with a new one."
            )
            return _refused(410, words)
        return found

    return told


def _refused(status: int, words: str) -> Response:
    return JSONResponse({"problems": [words]}, status_code=status)


ROUTES: Final[list[BaseRoute]] = [
    Route("/live", _page),
    Route("/live/arrays", _in_words(_make), methods=["POST"]),
    Route("/live/arrays/{name:str}", _in_words(_ask), methods=["POST"]),
    Mount("/live/static", StaticFiles(directory=shell.FOLDER / "live" / "static")),
]


@asynccontextmanager
async def service(app: Starlette) -> AsyncIterator[None]:
    """Keep the arrays as long as the page runs."""
    app.state.live = visitors = Visitors()
    tidying = asyncio.create_task(_tidy(visitors))
    try:
        yield
    finally:
        tidying.cancel()
        await visitors.close()


async def _tidy(visitors: Visitors) -> None:
    while True:
        await asyncio.sleep(30)
        await visitors.tidy()

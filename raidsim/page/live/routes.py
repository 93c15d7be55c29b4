"""What the page asks of arrays that are watched: JSON in, JSON out, one address for all wishes.

    POST /live/arrays          {"preset": "raid5"}                    a new array
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
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from raidsim.errors import InputError
from raidsim.page import shell
from raidsim.page.live.presets import PRESETS, preset
from raidsim.page.live.visitors import TooMuchError, Visitors
from raidsim.page.live.watched import OPS, WatchedArray
from raidsim.scenario.events import KINDS

MOST_SECONDS: Final = 86_400.0
"""Simulated seconds that may be asked for at a time."""
MOST_LENGTH: Final = 2**20
"""Bytes of a request of a visitor."""
MOST_BYTES: Final = 4096
"""Of what is asked."""
LOOKS: Final = ("start", "frontier", "torn")
MAY_HAPPEN: Final = frozenset(
    {"power-off", "power-on", *KINDS}
    - {"controller-failure", "link-loss", "import-cache", "discard-cache", "power-cut"}
)
"""Events that are about the volume, its drives, its battery, their air and loads; and the plug."""


class _Wrong(Exception):
    """What was asked is not understood."""


async def _page(_request: Request) -> Response:
    return shell.page("live.html", presets=PRESETS)


async def _make(request: Request) -> Response:
    asked = await _asked(request)
    chosen = preset(asked.get("preset"))
    visitors: Visitors = request.app.state.live
    name, array = await visitors.make(request.state.visitor, chosen.scenario)
    found = await visitors.ask(request.state.visitor, name, _all)
    about = array.about() | {"slow": chosen.slow, "fast": chosen.fast, "try": chosen.try_this}
    return JSONResponse({"array": name, "about": about, **found})


def _all(array: WatchedArray) -> dict[str, Any]:
    return {"frame": array.frame(), "picture": array.picture()}


async def _ask(request: Request) -> Response:
    asked = await _asked(request)
    visitors: Visitors = request.app.state.live
    name = request.path_params["name"]
    if asked.get("do") == "end":
        visitors.end(request.state.visitor, name)
        return JSONResponse({})
    wish = _WISHES.get(str(asked.get("do")))
    if wish is None:
        raise _Wrong(f"There is no such wish; there are {', '.join(_WISHES)} and end.")
    since = _whole(asked.get("since", 0), 2**53)
    look = asked.get("look", "start")
    if look not in LOOKS:
        raise _Wrong(f"look is one of {', '.join(LOOKS)}.")
    do = wish(asked)

    def work(array: WatchedArray) -> dict[str, Any]:
        found = do(array)
        return {**found, "frame": array.frame(since), "rows": array.picture(look)}

    event = asked["do"] == "happen"
    return JSONResponse(await visitors.ask(request.state.visitor, name, work, event=event))


Wish = Callable[[WatchedArray], dict[str, Any]]


def _advance(asked: dict[str, Any]) -> Wish:
    seconds = asked.get("seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        raise _Wrong("seconds is a number.")
    if not math.isfinite(seconds) or not 0 <= seconds <= MOST_SECONDS:
        raise _Wrong("seconds is a number from 0 to 86400.")

    def do(array: WatchedArray) -> dict[str, Any]:
        array.advance(float(seconds))
        return {}

    return do


def _follow(asked: dict[str, Any]) -> Wish:
    op, offset = asked.get("op", "any"), asked.get("offset")
    if op not in OPS:
        raise _Wrong("op is read, write or any.")
    if offset is None:
        return lambda array: array.follow(op)
    where, length = _whole(offset, 2**53), _whole(asked.get("length"), MOST_LENGTH)
    return lambda array: array.follow(op, where, length)


def _happen(asked: dict[str, Any]) -> Wish:
    wish = asked.get("wish")
    if not isinstance(wish, dict):
        raise _Wrong("wish is an event, with its kind.")
    kind = wish.get("kind")
    if not isinstance(kind, str) or kind not in MAY_HAPPEN:
        raise _Wrong("That cannot be asked for here.")

    def do(array: WatchedArray) -> dict[str, Any]:
        array.ask(wish)
        return {}

    return do


_WISHES: Final[dict[str, Callable[[dict[str, Any]], Wish]]] = {
    "advance": _advance,
    "follow": _follow,
    "happen": _happen,
}


def _whole(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise _Wrong(f"A whole number from 0 to {most} is wanted.")
    return value


async def _asked(request: Request) -> dict[str, Any]:
    body = await request.body()
    if len(body) > MOST_BYTES:
        raise _Wrong("That is too long.")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise _Wrong("That is no JSON.") from None
    if not isinstance(found, dict):
        raise _Wrong("That is no object of JSON.")
    return found


Answer = Callable[[Request], Any]


def _in_words(answer: Answer) -> Answer:
    """Let what goes wrong be told in words."""

    async def told(request: Request) -> Response:
        try:
            found: Response = await answer(request)
        except InputError as error:
            return _refused(409, *(_sentence(one.cause) for one in error.problems))
        except _Wrong as error:
            return _refused(400, str(error))
        except TooMuchError as error:
            return _refused(429, str(error))
        except KeyError:
            words = "This array has ended, for nobody has asked for anything. Begin with a new one."
            return _refused(410, words)
        return found

    return told


def _sentence(cause: str) -> str:
    """A problem as a sentence; remedies are for those who write scenarios and models."""
    return cause[:1].upper() + cause[1:] + "."


def _refused(status: int, *problems: str) -> Response:
    return JSONResponse({"problems": list(problems)}, status_code=status)


ROUTES: Final[list[BaseRoute]] = [
    Route("/live", _page),
    Route("/live/arrays", _in_words(_make), methods=["POST"]),
    Route("/live/arrays/{name:str}", _in_words(_ask), methods=["POST"]),
    Mount("/live/static", StaticFiles(directory=shell.FOLDER / "live" / "static")),
]


@asynccontextmanager
async def service(app: Starlette) -> AsyncIterator[None]:
    """What keeps the arrays, as long as the page runs."""
    app.state.live = visitors = Visitors()
    tidying = asyncio.create_task(_tidy(visitors))
    try:
        yield
    finally:
        tidying.cancel()
        visitors.close()


async def _tidy(visitors: Visitors) -> None:
    while True:
        await asyncio.sleep(30)
        visitors.tidy()

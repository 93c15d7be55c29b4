"""Requests of the page's scripts: texts checked and changed, runs, and their results."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from raidsim.cards.toml_file import read_text
from raidsim.errors import InputError
from raidsim.page import bounds, point
from raidsim.page.body import json_of
from raidsim.page.form import edited, form
from raidsim.page.job import Job, Outcome
from raidsim.page.pool import Pool, Refused
from raidsim.page.problems import problems_of
from raidsim.page.settings import Settings
from raidsim.page.text import read
from raidsim.plain_json import digest
from raidsim.scenario import Scenario, files

T = TypeVar("T")

FIRST_WAIT_S = 1.5
"""Seconds that an answer waits for work that may be over at once."""

NEXT_WAIT_S = 0.7

READERS = 2
"""Texts that are read at a time: reading takes turns with all else that the page does."""

REMEMBERED = 256
"""Texts that need not be read again."""

MOST_AT_A_TIME = 8
"""Texts of one visitor that are being read, or wait for it."""

NO_POINT = "point is the number of a point of the scenario, from 0."
NO_RUN = "There is no such run, or its result was dropped to make room: run it again."

_KEY = re.compile(r"[0-9a-f]{32}")
_ALONE = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
"""What a file may do that is opened by itself: a picture has styles, and nothing else happens."""

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


# -- scenarios ----------------------------------------------------------------------------------


async def scenarios(request: Request) -> Response:
    """The scenarios that come with raidsim."""
    return JSONResponse(await _apart(request, _shipped))


async def scenario(request: Request) -> Response:
    """The text of one of them."""
    name = request.path_params["name"]
    if name not in {one["name"] for one in await _apart(request, _shipped)}:
        raise HTTPException(404, "There is no such scenario: /api/scenarios lists all.")
    return JSONResponse({"text": read_text(files.find(name), name)})


async def check(request: Request) -> Response:
    """Return what is wrong with a text, and its form."""
    body = await json_of(request)
    return JSONResponse(await _apart(request, lambda: _checked(_text(body))))


async def edit(request: Request) -> Response:
    """A text with another value of a key of its form."""
    body = await json_of(request)
    text, path, value = _text(body), body.get("path"), body.get("value")
    if not isinstance(path, list) or not isinstance(value, str) or not 0 < len(path) <= 3:
        raise HTTPException(400, "path is a list of one to three steps, and value is a text.")
    steps = tuple(step for step in path if isinstance(step, str | int))
    if bounds.too_long(text) is not None:
        return JSONResponse({"problems": [{"line": None, "words": bounds.too_long(text)}]})
    try:
        changed = await _apart(request, lambda: edited(text, steps, value))
    except InputError as error:
        return JSONResponse({"problems": problems_of(error)})
    return JSONResponse({"text": changed} | await _apart(request, lambda: _checked(changed)))


@cache
def _shipped() -> list[dict[str, str]]:
    found = []
    for name in files.names():
        data = Scenario.read(name)
        if not any(load.trace for load in data.loads):
            found.append({"name": name, "title": data.title, "description": data.description})
    return found


def _checked(text: str) -> dict[str, Any]:
    if (cause := bounds.too_long(text)) is not None:
        return {"problems": [{"line": None, "words": f"The text {cause}."}], "form": []}
    found: dict[str, Any] = {"problems": [], "form": form(text)}
    try:
        checked = _read(text)
    except InputError as error:
        return found | {"problems": problems_of(error)}
    return found | {
        "title": checked.title,
        "points": checked.points,
        "followed": point.is_followed(checked),
        "summary": str(checked),
    }


# -- runs ---------------------------------------------------------------------------------------


async def run(request: Request) -> Response:
    """Run a text: all of it, or one point of it roughly."""
    body = await json_of(request)
    text, rough, number = _text(body), body.get("rough", False), body.get("point")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise HTTPException(400, NO_POINT)
    try:
        changes, key = await _apart(request, lambda: _meant(text, rough is True, number))
    except InputError as error:
        return JSONResponse({"state": "over", "problems": problems_of(error)})
    task = {"kind": "run", "text": text, "changes": changes}
    pool = _pool(request)
    limit_s = bounds.POINT_S if rough is True else pool.limit_s
    turn = _turn(body)
    try:
        job = await pool.ask(
            request.state.visitor, key, task, long=rough is not True, limit_s=limit_s, turn=turn
        )
    except Refused as error:
        problems = [{"line": None, "words": str(error)}]
        return JSONResponse({"state": "over", "problems": problems}, status_code=429)
    await job.wait(FIRST_WAIT_S)
    return JSONResponse(_state(pool, job))


async def state(request: Request) -> Response:
    """Return the progress of a run, or its result."""
    key, pool = _key(request), _pool(request)
    job = pool.find(key, request.state.visitor)
    if job is not None:
        await job.wait(NEXT_WAIT_S)
        return JSONResponse(_state(pool, job))
    outcome = pool.kept.get(key)
    if outcome is None:
        raise HTTPException(404, NO_RUN)
    return JSONResponse(_over(key, outcome))


async def stop(request: Request) -> Response:
    """Stop a run; with ?leave, only wait for it no longer."""
    key, pool = _key(request), _pool(request)
    if "leave" in request.query_params:
        pool.leave(key, request.state.visitor)
        return JSONResponse({})
    job = pool.stop(key, request.state.visitor)
    shared = job is not None and job.state != "over" and not job.stopped
    return JSONResponse({"shared": shared})


async def download_json(request: Request) -> Response:
    """A result, as ``raidsim run --json`` writes it."""
    found = _result(request)
    return _file(found["json"].encode(), "application/json", "result.json")


async def download_picture(request: Request) -> Response:
    """The picture of a result, as ``raidsim run --plot`` draws it."""
    suffix = request.path_params["suffix"]
    if suffix not in _TYPES:
        raise HTTPException(404, "A picture is .svg or .png.")
    found = _result(request)
    key = digest({"picture": suffix, "of": found["json"]})
    task = {"kind": "picture", "json": found["json"], "suffix": suffix}
    pool = _pool(request)
    try:
        job = await pool.ask(request.state.visitor, key, task, long=False, limit_s=bounds.POINT_S)
    except Refused as error:
        raise HTTPException(429, str(error)) from None
    await until_over(job, request.state.visitor)
    drawn = None if job.outcome is None else job.outcome.found.get("picture")
    if drawn is None:
        raise HTTPException(503, "The picture could not be drawn.")
    name = f"result{suffix}" if "download" in request.query_params else None
    return _file(base64.b64decode(drawn), _TYPES[suffix], name)


async def until_over(job: Job, visitor: str) -> None:
    """Wait for work until it is over, however long that is."""
    while job.state != "over":
        job.ask(visitor)
        await job.wait(NEXT_WAIT_S)


@lru_cache(maxsize=REMEMBERED)
def _read(text: str) -> Scenario:
    """The scenario of a text: one that is checked is run next, and a class begins with the same."""
    return read(text)


@lru_cache(maxsize=REMEMBERED)
def _meant(text: str, rough: bool, number: int | None) -> tuple[dict[str, Any], str]:
    """Return the changes of a run in a text, and the key that equal runs have.

    All cards are those of the catalogue, and sources do not change while the page is served: so
    the scenario with every default is all that a result depends on.
    """
    found = _read(text)
    changes: dict[str, Any] = {}
    if rough:
        if number is not None and not 0 <= number < found.points:
            raise HTTPException(400, NO_POINT)
        followed = point.is_followed(found)
        changes = point.changes(found, None if followed else number)
        found = found.with_(changes) if changes else found
    return changes, digest(found.resolved())


def _turn(body: dict[str, Any]) -> tuple[str, int] | None:
    """For which turn of a knob it is: which page of the visitor's, and the how manieth."""
    page, number = body.get("page"), body.get("turn")
    if isinstance(page, str) and len(page) <= 40 and isinstance(number, int):
        return page, number
    return None


def _state(pool: Pool, job: Job) -> dict[str, Any]:
    if job.outcome is not None:
        return _over(job.key, job.outcome)
    found = {"key": job.key, "state": job.state, "waits": pool.waits}
    if job.state == "waiting":
        return found | {"place": pool.place(job), "waiting": pool.waiting()}
    return found | {"fraction": job.fraction, "label": job.label, "iops": job.iops}


def _over(key: str, outcome: Outcome) -> dict[str, Any]:
    told = {name: outcome.found[name] for name in ("problems", "shown", "cut")
            if name in outcome.found}  # fmt: skip
    return {"key": key, "state": "over"} | told


def _result(request: Request) -> dict[str, Any]:
    outcome = _pool(request).kept.get(_key(request))
    if outcome is None or "json" not in outcome.found:
        raise HTTPException(404, NO_RUN)
    return outcome.found


# -- requests -----------------------------------------------------------------------------------


def _text(body: dict[str, Any]) -> str:
    text = body.get("text")
    if not isinstance(text, str):
        raise HTTPException(400, "text is missing: the text of a scenario.")
    return text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")


def _key(request: Request) -> str:
    key: str = request.path_params["key"]
    if _KEY.fullmatch(key) is None:
        raise HTTPException(404, NO_RUN)
    return key


def _pool(request: Request) -> Pool:
    found: Pool = request.app.state.pool
    return found


async def _apart(request: Request, call: Callable[[], T]) -> T:
    """Make a call that takes a while on another thread; of one visitor a few at a time."""
    under_way: Counter[str] = request.app.state.under_way
    visitor = request.state.visitor
    if under_way[visitor] >= MOST_AT_A_TIME:
        raise HTTPException(429, "These are too many requests at a time.")
    under_way[visitor] += 1
    try:
        return await to_thread.run_sync(call, limiter=request.app.state.readers)
    finally:
        under_way[visitor] -= 1
        if not under_way[visitor]:
            del under_way[visitor]


def _file(content: bytes, kind: str, name: str | None) -> Response:
    headers = {"Content-Security-Policy": _ALONE}
    if name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Response(content, media_type=kind, headers=headers)


@asynccontextmanager
async def working(app: Starlette) -> AsyncIterator[None]:
    """Workers and readers, as long as the page is served."""
    settings: Settings = app.state.settings
    app.state.readers = CapacityLimiter(READERS)
    app.state.under_way = Counter()
    app.state.pool = Pool(settings.workers, settings.limit_s, settings.say)
    try:
        yield
    finally:
        await app.state.pool.end()


ROUTES: list[BaseRoute] = [
    Route("/api/scenarios", scenarios),
    Route("/api/scenarios/{name}", scenario),
    Route("/api/check", check, methods=["POST"]),
    Route("/api/edit", edit, methods=["POST"]),
    Route("/api/runs", run, methods=["POST"]),
    Route("/api/runs/{key}", state),
    Route("/api/runs/{key}", stop, methods=["DELETE"]),
    Route("/runs/{key}/result.json", download_json),
    Route("/runs/{key}/picture{suffix}", download_picture),
]

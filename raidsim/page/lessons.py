"""Lessons on the page: the list, and each as ``raidsim lesson --html`` writes it."""

from __future__ import annotations

import base64
import hashlib
import re

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from raidsim.page import shell
from raidsim.page.pool import Pool, Refused
from raidsim.plain_json import digest
from raidsim.teaching.lesson import Lesson

MOST_SEEDS = 99
LESSON_S = 300.0
"""Seconds that the settings of a lesson may take, all together."""

WAIT_S = 2.0
AGAIN_S = 2

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


async def listed(request: Request) -> Response:
    """All lessons."""
    request.app.state.pool.begin()
    return shell.page("lessons.html", lessons=await to_thread.run_sync(_lessons))


async def lesson(request: Request) -> Response:
    """One lesson with its sliders; they are computed when the first visitor asks."""
    name, seed = request.path_params["name"], request.query_params.get("seed", "1")
    titles = {one.name: one.title for one in await to_thread.run_sync(_lessons)}
    if name not in titles:
        raise HTTPException(404, "There is no such lesson.")
    if not (seed.isascii() and seed.isdigit() and len(seed) < 5 and 0 < int(seed) <= MOST_SEEDS):
        raise HTTPException(404, f"The seed of a lesson is a number from 1 to {MOST_SEEDS}.")
    pool: Pool = request.app.state.pool
    task = {"kind": "lesson", "name": name, "seed": int(seed)}
    visitor = request.state.visitor
    try:
        job = await pool.ask(visitor, digest(task), task, long=True, limit_s=LESSON_S)
    except Refused as error:
        raise HTTPException(429, str(error)) from None
    await job.wait(WAIT_S)
    if job.outcome is None:
        place = pool.place(job)
        answer = shell.page("wait.html", title=titles[name], place=place, waits=pool.waits)
        answer.headers["Refresh"] = str(AGAIN_S)
        return answer
    made = job.outcome.found.get("page")
    if made is None:
        problems = job.outcome.found.get("problems", [])
        raise HTTPException(503, " ".join(one["words"] for one in problems))
    return HTMLResponse(made, headers={"Content-Security-Policy": policy(made)})


def _lessons() -> list[Lesson]:
    from raidsim.lessons import catalogue  # noqa: PLC0415  (lessons import what simulates)

    return list(catalogue.lessons())


def policy(written: str) -> str:
    """The policy under which a page that holds its own script and style may run these only."""
    allowed: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _INLINE.findall(written):
        made = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        allowed[kind].append(f"'sha256-{made}'")
    scripts, styles = (" ".join(allowed[kind]) or "'none'" for kind in ("script", "style"))
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


ROUTES: list[BaseRoute] = [Route("/lessons", listed), Route("/lessons/{name}", lesson)]

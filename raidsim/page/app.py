"""The application: its routes, with the guard in front of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from raidsim.page import api, attached, lessons, shell
from raidsim.page.guard import Guard
from raidsim.page.live import routes as live
from raidsim.page.settings import Settings

Service = Callable[[Starlette], AbstractAsyncContextManager[None]]


async def _run_page(request: Request) -> Response:
    request.app.state.pool.begin()  # so that the first run need not wait for them
    return shell.page("run.html")


ROUTES: list[BaseRoute] = [
    Route("/", _run_page),
    *api.ROUTES,
    *attached.ROUTES,
    *lessons.ROUTES,
    Mount("/static", StaticFiles(directory=shell.FOLDER / "static"), name="static"),
    *live.ROUTES,
]
"""All that can be asked for. Settings are in ``request.app.state.settings``, and in
``request.state.visitor`` is a text that tells one browser from another."""

SERVICES: list[Service] = [api.working, live.service]
"""What runs as long as the page does, and puts what it has into ``app.state``."""


def application(settings: Settings) -> Starlette:
    """The page as an ASGI application."""
    app = Starlette(
        routes=ROUTES,
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={HTTPException: _told, 500: _broken},
        lifespan=_alive,
    )
    app.state.settings = settings
    return app


@asynccontextmanager
async def _alive(app: Starlette) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for service in SERVICES:
            await stack.enter_async_context(service(app))
        yield


async def _told(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = {404: "There is no such page.", 405: "This cannot be done there."}
    if isinstance(error, HTTPException) and error.detail not in ("", HTTPStatus(status).phrase):
        words[status] = error.detail
    found = words.get(status, "This could not be done.")
    answer = shell.failure(request.url.path, request.headers, status, found)
    answer.headers.update((error.headers or {}) if isinstance(error, HTTPException) else {})
    return answer


async def _broken(request: Request, _error: Exception) -> Response:
    words = "This is a bug in raidsim: the terminal in which it runs says more."
    return shell.failure(request.url.path, request.headers, 500, words)

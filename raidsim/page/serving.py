"""What ``raidsim serve`` does: it listens, says where, and ends quietly."""

from __future__ import annotations

import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer
import uvicorn

from raidsim.errors import InputError, Problem
from raidsim.page.app import application
from raidsim.page.settings import Settings, is_loopback
from raidsim.workers.engine import processors

PATIENCE_S = 2
"""Seconds that an answer under way may still take once the page is to end."""

KEPT_OPEN_S = 30
"""Seconds for which a connection may wait for its next request."""

MOST_CONNECTIONS = 1000


def serve(host: str, port: int, names: tuple[str, ...], workers: int | None) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Raises
    ------
    InputError
        If nothing can listen there.
    """
    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    known = tuple(name.lower() for name in names)
    settings = Settings(host, port, token, known, workers or max(2, processors()))
    config = uvicorn.Config(
        application(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE_S,
        timeout_keep_alive=KEPT_OPEN_S,
        limit_concurrency=MOST_CONNECTIONS,
        http="h11",
        ws="none",
    )
    typer.echo(f"The page is at {_address(settings)}", err=True)
    if token is not None:
        typer.echo("Whoever has this address may use it. Traffic is not encrypted.", err=True)
    typer.echo("Ctrl-C ends it.", err=True)
    with listening, _quiet():
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(place)
            made.listen(256)
        except OSError:
            made.close()
            raise
    except (OSError, UnicodeError) as error:
        cause = f"cannot listen at {host}, port {port}: {getattr(error, 'strerror', None) or error}"
        remedy = "give another --port, or 0 for any that is free"
        raise InputError([Problem(None, None, "serve", cause, remedy)]) from None
    return made


def _address(settings: Settings) -> str:
    """Where a browser finds it."""
    host = settings.host
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    token = "" if settings.token is None else f"?token={settings.token}"
    return f"http://{shown}:{settings.port}/{token}"


@contextmanager
def _quiet() -> Iterator[None]:
    """Let the server end at SIGINT and SIGTERM, which it passes on when it has ended."""

    def over(_number: int, _frame: FrameType | None) -> None:
        typer.echo("The page has ended.", err=True)

    before = {number: signal.signal(number, over) for number in (signal.SIGINT, signal.SIGTERM)}
    if hasattr(signal, "SIGPIPE"):  # a server does not end with a visitor
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.stderr.flush()

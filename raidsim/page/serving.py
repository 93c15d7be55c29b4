"""What ``raidsim serve`` does: it listens, says where, and ends quietly."""

from __future__ import annotations

import errno
import re
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType

import typer
import uvicorn

from raidsim import units
from raidsim.attach.asking import ask
from raidsim.errors import InputError, Problem, quote
from raidsim.page import bounds
from raidsim.page.app import application
from raidsim.page.settings import Settings, is_loopback
from raidsim.workers.engine import processors

PATIENCE_S = 2
"""Seconds that an answer under way may still take once the page is to end."""

_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")

KEPT_OPEN_S = 30
"""Seconds for which a connection may wait for its next request."""

MOST_CONNECTIONS = 1000


@dataclass(frozen=True)
class Wishes:
    """The options of the command, as they were typed."""

    host: str
    port: int
    names: tuple[str, ...]
    workers: int | None
    limit: str | None
    attached: str | None


def serve(wishes: Wishes) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Raises
    ------
    InputError
        If nothing can listen there, or an option is wrong.
    """
    limit_s = bounds.RUN_S if wishes.limit is None else _time(wishes.limit)
    names = tuple(map(_name, wishes.names))
    if wishes.attached is not None:
        ask(wishes.attached, {"show": "status"})  # refuses a socket that does not answer
    listening = _listen(wishes.host, wishes.port)
    settings = Settings(
        host=wishes.host,
        port=listening.getsockname()[1],
        token=None if is_loopback(wishes.host) else secrets.token_urlsafe(24),
        names=names,
        workers=wishes.workers or max(2, processors()),
        limit_s=limit_s,
        attached=wishes.attached,
        say=partial(typer.echo, err=True),
    )
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
    if settings.token is not None:
        typer.echo("Everybody who has this address may use it. Traffic is not encrypted.", err=True)
    typer.echo("Ctrl-C ends it.", err=True)
    with listening, _quiet():
        uvicorn.Server(config).run(sockets=[listening])


def _name(text: str) -> str:
    """A name as browsers ask for it; with more than that in it no visitor would ever be let in."""
    name = text.lower()
    if _HOST.fullmatch(name) is None:
        cause, remedy = (
            f"{quote(text)} is not a valid name of a host",
            "give it alone, as lab.example.org",
        )
        raise InputError([Problem(None, None, "--name", cause, remedy)])
    return name


def _time(text: str) -> float:
    try:
        found = units.parse(text, "time")
    except units.QuantityError as error:
        raise InputError([Problem(None, None, "--limit", error.cause, error.remedy)]) from None
    if not 1.0 <= found <= 3600.0:
        cause, remedy = f"{quote(text)} is out of range", "give 1 s to 1 h"
        raise InputError([Problem(None, None, "--limit", cause, remedy)])
    return found


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
        is_elsewhere = getattr(error, "errno", None) == errno.EADDRNOTAVAIL
        if is_elsewhere or isinstance(error, socket.gaierror | UnicodeError):
            remedy = "give another --host"
            if is_elsewhere:
                remedy = "give an address that this computer has as --host, or 0.0.0.0 for all"
        raise InputError([Problem(None, None, "serve", cause, remedy)]) from None
    return made


def _address(settings: Settings) -> str:
    """Return the address of the page for a browser."""
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

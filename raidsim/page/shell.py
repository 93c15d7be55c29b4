"""What all pages have in common: the template around them, and how an error looks."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response

from raidsim.version import __version__

FOLDER = Path(__file__).parent

NAVIGATION = (
    ("run", "/", "Run"),
    ("live", "/live", "Live"),
    ("attached", "/attached", "Attached"),
    ("lessons", "/lessons", "Lessons"),
)
"""Each page of the head line: what it is called in a template, where it is, and its name."""


@cache
def environment() -> Environment:
    """Templates of all parts of the page; nothing that is filled in becomes markup."""
    made = Environment(
        loader=FileSystemLoader([FOLDER / "templates", FOLDER / "live" / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"navigation": NAVIGATION, "version": __version__}
    return made


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Fill in a template that stands in ``base.html``."""
    text = environment().get_template(template).render(**values)
    return HTMLResponse(text, status_code=status)


SCRIPTS = ("/api/", "/live/arrays")
"""Where the addresses begin that only scripts and programs ask: they answer in JSON."""

IN_WORDS = ("/api/attached", "/live/arrays")
"""Addresses about a running system: their problems are texts, since they concern no line."""


def failure(path: str, headers: Headers, status: int, words: str) -> Response:
    """What went wrong: a page for somebody who reads in a browser, and JSON for a program.

    A browser that opens an address says that it takes HTML; a program such as curl does not.
    """
    if not path.startswith(SCRIPTS) and "text/html" in headers.get("accept", ""):
        return page("error.html", status, title=HTTPStatus(status).phrase, words=words)
    problem = words if path.startswith(IN_WORDS) else {"line": None, "words": words}
    return JSONResponse({"problems": [problem]}, status_code=status)

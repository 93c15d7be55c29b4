"""What all pages have in common: the template around them, and how an error looks."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

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


def failure(status: int, words: str) -> HTMLResponse:
    """A page that says what went wrong."""
    return page("error.html", status, title=HTTPStatus(status).phrase, words=words)

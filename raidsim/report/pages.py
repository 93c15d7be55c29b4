"""Templates of HTML pages, and how they are filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def filled(template: str, **values: Any) -> bytes:
    """Fill in a template: a page in UTF-8, in which no value becomes markup by itself."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values).encode("utf-8")

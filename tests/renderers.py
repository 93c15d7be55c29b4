"""Every kind of file that a result is written to, by its name."""

from __future__ import annotations

from collections.abc import Callable

from raidsim.report import csv_file, html, json_file, plot
from raidsim.result import Result

RENDERERS: dict[str, Callable[[Result], bytes]] = {
    "json": lambda shown: json_file.render(shown.to_dict()),
    "csv": csv_file.render,
    "png": lambda shown: plot.render(shown, ".png"),
    "svg": lambda shown: plot.render(shown, ".svg"),
    "html": html.render,
}

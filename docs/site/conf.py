"""Settings of Sphinx for the site: ``make site``. Nothing on it is loaded from elsewhere."""

from __future__ import annotations

import re
from typing import Any

import raidsim

project = "raidsim"
author = "raidsim"
version = release = raidsim.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
# Single backticks in docstrings are code.
default_role = "code"

# Pages are Markdown as repositories show it: what only MyST reads is text to everybody else.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target"]
# The anchors of all headings, spelt as repositories spell them, so that links to them are checked.
myst_heading_anchors = 6
# Examples with an error on purpose, and outputs, are no programs: not every lexer likes them.
suppress_warnings = ["misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_title = f"raidsim {version}"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2f6fb2", "color-brand-content": "#2f6fb2"},
    "dark_css_variables": {"color-brand-primary": "#6aa9e9", "color-brand-content": "#6aa9e9"},
}

ATTRIBUTE = re.compile(r"^(\w+(?:, \w+)*) : (.+)$")


def described(*event: Any) -> None:
    """Put the description of ``name : description`` below the name, where Sphinx looks for it."""
    lines: list[str] = event[-1]
    put: list[str] = []
    for line in lines:
        if match := ATTRIBUTE.match(line):
            put += [match[1], f"    {match[2]}"]
        else:
            put.append(line)
    lines[:] = put


def setup(app: Any) -> None:
    # Before napoleon, which reads the sections.
    app.connect("autodoc-process-docstring", described, priority=100)

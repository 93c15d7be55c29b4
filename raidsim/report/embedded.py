"""Pictures inside a page, in the colours of its style sheet.

They are drawn in placeholder colours which the style sheet then replaces, so that they follow the
reader's light or dark setting. The mouse pointer shows figures: :mod:`raidsim.report.readings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import Markup
from matplotlib.figure import Figure

from raidsim.report import readings
from raidsim.report.panels import Palette
from raidsim.report.plot import drawing, save_svg

_STAND_INS = {
    "ink": "#010101",
    "faint": "#010102",
    "muted": "#010103",
    "paper": "#010104",
    "throughput": "#010105",
    "read": "#010106",
    "write": "#010107",
}
STAGE_STAND_INS = tuple(f"#0102{number:02x}" for number in range(8))
PALETTE = Palette(**_STAND_INS, stages=STAGE_STAND_INS)
_VARIABLES = {colour: name for name, colour in _STAND_INS.items()} | {
    colour: f"stage-{number}" for number, colour in enumerate(STAGE_STAND_INS)
}


def drawn(
    draw: Callable[[Figure], None], name: str, label: str, inches: tuple[float, float]
) -> Markup:
    """Draw a figure as an element of the page, in the colours of its style sheet."""
    with drawing():
        figure = Figure(figsize=inches, layout="constrained")
        figure.patch.set_visible(False)
        draw(figure)
        text = save_svg(figure, name).decode("utf-8")
        shapes = readings.of(figure)
    text = text[text.index("<svg ") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*|<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub(r' width="[0-9.]+pt" height="[0-9.]+pt"', "", text, count=1)
    text = re.sub(r'( id="| xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b", _variable, text)
    description = Markup('<svg role="img" aria-label="{}" ').format(label)
    text = text.strip().replace("<svg ", str(description), 1)
    return Markup(text.removesuffix("</svg>") + shapes + "</svg>")


def _variable(match: re.Match[str]) -> str:
    """The style sheet's name for a stand-in colour; any other text stays."""
    name = _VARIABLES.get(match.group())
    return f"var(--{name})" if name else match.group()

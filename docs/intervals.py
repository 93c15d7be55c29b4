"""How many printed figures lie in what cards leave open: ``python docs/intervals.py JSON``.

Keeps in ``docs/intervals.json`` what ``raidsim validate --unknowns --json`` wrote of intervals; the
page on published against simulated figures (`docs/validation.py`) has a section of it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from raidsim.cards.reference import table
from raidsim.validate.words import percent

DOCS = Path(__file__).resolve().parent
KEPT = DOCS / "intervals.json"

TEXT = """\
## How many printed figures lie in the intervals

[What the cards do not know](background/unknowns.md#against-published-figures) gives each figure of
a prediction an interval: nine in ten of {draws} draws of all cards, widened by 7 % for what models
leave out and by the scatter of repeated measurements.
Nine in ten published figures should lie inside.
"Above" counts the published figures above their interval. The 7 % were estimated from these figures
([how, and the result without it](background/unknowns.md#what-the-model-leaves-out)).
"""


def distilled(full: dict[str, Any]) -> dict[str, Any]:
    """What is kept of the JSON of a validation."""
    return {
        "draws": full["draws"],
        "intervals": full["intervals"],
        "claims": {
            claim["id"]: {"simulated": claim["simulated"]} | claim["interval"]
            for claim in full["claims"]
            if claim["interval"] is not None
        },
    }


def section() -> str:
    """The section of the page."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    rows = [
        [
            f"**{row['name']}**" if row["group"] == "all" else row["name"],
            "" if row["group"] == "all" else row["group"],
            str(row["figures"]),
            f"{row['covered']} ({percent(row['share'], digits=0)})",
            str(row["above"]),
            str(row["figures"] - row["covered"] - row["above"]),
            percent(row["median_half_width"]),
        ]
        for row in kept["intervals"]
    ]
    heads = ["", "", "figures", "covered", "above", "below", "half width, median"]
    return f"{TEXT.format(draws=kept['draws'])}\n{table(heads, rows)}"


def main(path: str) -> None:
    full = json.loads(Path(path).read_text(encoding="utf-8"))
    KEPT.write_text(json.dumps(distilled(full), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

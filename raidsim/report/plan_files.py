"""A plan as files: JSON, a picture, a page, and a scenario for each design."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from raidsim.planning.outcome import Plan
from raidsim.report import json_file, toml_text


def json_of(plan: Plan) -> bytes:
    """The documented object as JSON."""
    return json_file.render(plan.to_dict())


def picture_of(plan: Plan, suffix: str) -> bytes:
    """The front as a picture; ``suffix`` is ".png" or ".svg"."""
    from raidsim.report import plan_plot  # noqa: PLC0415  (Matplotlib takes half a second to load)

    return plan_plot.render(plan, suffix)


def html_of(plan: Plan) -> bytes:
    """A page that opens offline."""
    from raidsim.report import plan_page  # noqa: PLC0415  (it draws, too)

    return plan_page.render(plan)


def scenarios(plan: Plan) -> dict[str, bytes]:
    """A file for each design of the front, by its name: that which was run, with its load."""
    found = {}
    for one in plan.front:
        if one.scenario is None:
            continue
        head = f"# Design {one.number} of the plan {plan.path}:\n# {one.label}.\n\n"
        text = toml_text.render(one.scenario.source.file.data)
        found[f"design-{one.number}.toml"] = (head + text).encode()
    return found


def of_earlier_plans(folder: Path, names: Collection[str]) -> list[str]:
    """Designs in a folder that an earlier plan left there: those that are not among the names."""
    there = [path.name for path in folder.iterdir() if re.fullmatch(r"design-\d+\.toml", path.name)]
    return sorted(set(there) - set(names))

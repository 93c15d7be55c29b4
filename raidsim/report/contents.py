"""What goes into the files that a run was asked to write."""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping

from raidsim.report.output import Target
from raidsim.result import Result


def contents_of(result: Result, targets: Mapping[str, Target | None]) -> dict[Target, bytes]:
    """Render a result for each of the files that are wanted.

    What renders is imported when it is needed: pictures and pages take long to load.
    """
    contents: dict[Target, bytes] = {}
    if target := targets["json"]:
        from raidsim.report import json_file

        contents[target] = json_file.render(result.to_dict())
    if target := targets["csv"]:
        from raidsim.report import csv_file

        contents[target] = csv_file.render(result)
    if target := targets["plot"]:
        from raidsim.report import plot as picture

        contents[target] = picture.render(result, target.suffix)
    if target := targets["html"]:
        from raidsim.report import html as page

        contents[target] = page.render(result)
    if target := targets.get("experiment"):
        from raidsim.report import unknowns

        contents[target] = unknowns.job_file(result)
    return contents

"""What `--unknowns` says of itself: how many figures that others measured its intervals held."""

from __future__ import annotations

import csv

from raidsim.resources import data_folder
from raidsim.unknowns.spread import HELD

TIMES = ("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth")


def test_the_share_of_figures_in_their_intervals_is_that_of_the_tables() -> None:
    folder = data_folder("validation").parent / "docs" / "background"
    inside = []
    for time in TIMES:
        with (folder / f"measured-{time}-blind.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if row["low"] and row["high"]:
                    low, high = float(row["low"]), float(row["high"])
                    inside.append(low <= float(row["measured"]) <= high)
    _, _, share, number = HELD
    assert len(inside) == number
    assert round(sum(inside) / number, 2) == share

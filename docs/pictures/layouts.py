"""Draw the picture of docs/background/arrays.md that shows where strips lie."""

from __future__ import annotations

from pathlib import Path

from raidsim.report.layout_drawing import drawing
from raidsim.scenario import load

PICTURES = {"layout-raid6": ("raid5-disks", "volume.level=raid6", "volume.failed=[2]")}


if __name__ == "__main__":
    for name, (scenario, *changes) in PICTURES.items():
        picture = drawing(load(scenario, overrides=changes))
        Path(__file__).with_name(f"{name}.svg").write_bytes(picture)
        print(f"written: {name}.svg")

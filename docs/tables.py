"""Tables of simulated figures on the pages: write them anew: ``python docs/tables.py``.

A page marks the place with ``<!-- simulated NAME -->`` and ``<!-- end of simulated -->``. These
tables take some minutes, so the tests leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from raidsim.cards.reference import table
from raidsim.run import run
from raidsim.scenario import load

DOCS = Path(__file__).resolve().parent
MARKED = re.compile(
    r"<!-- simulated (?P<name>[\w-]+) -->\n.*?\n(?=<!-- end of simulated -->)", flags=re.DOTALL
)

# The controller of 2008 with its disks; what its paper does not print is assumed as in
# validation/fujitsu-modular-raid-2008.toml: outstanding I/Os, and the number of disks.
DISKS_OF_2008 = "raid5-disks"
ARRAYS = {
    "RAID 0 of 4": ("raid0", 4),
    "RAID 1 of 2": ("raid1", 2),
    "RAID 5 of 4": ("raid5", 4),
    "RAID 6 of 4": ("raid6", 4),
    "RAID 10 of 4": ("raid10", 4),
}
THROUGH, BACK = "volume.write=through", "volume.write=back"
DISKS = "volume.disk_cache=on"
MODES = {
    "all off": (THROUGH,),
    "disk caches": (THROUGH, DISKS),
    "write-back": (BACK,),
    "both": (BACK, DISKS),
    "both, I/O cached": (BACK, DISKS, "volume.io=cached"),
    "both, adaptive": (BACK, DISKS, "volume.read_ahead=adaptive"),
    "both, read ahead": (BACK, DISKS, "volume.read_ahead=ahead"),
}
PROFILES = {  # share of reads, share of random accesses, size, outstanding
    "Streaming": ("100 %", "0 %", "64 KiB", 3),
    "Restore": ("0 %", "0 %", "64 KiB", 3),
    "Database": ("67 %", "100 %", "8 KiB", 8),
    "File server": ("67 %", "100 %", "64 KiB", 8),
}


def throughput(level: str, drives: int, settings: tuple[str, ...], profile: str) -> float:
    """MB/s (2^20) of a profile on an array of the disks of 2008."""
    read, random, size, outstanding = PROFILES[profile]
    changes = [f"volume.level={level}", f"volume.drives={drives}", *settings]
    changes += [f"load.read={read}", f"load.random={random}", f"load.size={size}"]
    changes += [f"load.outstanding={outstanding}", "measure.precision=2 %"]
    (point,) = run(load(DISKS_OF_2008, overrides=changes)).points
    return point.mbps


def cache_modes() -> str:
    """What each cache setting does to each profile and level."""
    rows = [
        [array, mode, *(f"{throughput(*kind, settings, name):.1f}" for name in PROFILES)]
        for array, kind in ARRAYS.items()
        for mode, settings in MODES.items()
    ]
    return table(["array", "setting", *PROFILES], rows)


TABLES: dict[str, Callable[[], str]] = {"cache-modes": cache_modes}


def filled(text: str) -> str:
    """A page with its tables as the simulation has them now."""
    return MARKED.sub(
        lambda place: f"<!-- simulated {place['name']} -->\n\n{TABLES[place['name']]()}\n", text
    )


def main() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        new = filled(old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(DOCS)}: refreshed")


if __name__ == "__main__":
    main()

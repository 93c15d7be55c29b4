"""Scenarios with a controller, links and drives for tests that simulate nothing."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from raidsim.layout.arrange import WORDS
from raidsim.scenario import Scenario, load_text

CARD = """\
name = "some-raid"
kind = "controller"
title = "Some RAID controller"
[link]
speed = { value = "pcie-3", source = "assumed", note = "none" }
lanes = { value = 8, unit = "1", source = "assumed", note = "none" }
[ports]
speed = { value = "sas-12g", source = "assumed", note = "none" }
lanes = { value = 8, unit = "1", source = "assumed", note = "none" }
[drives]
max = { value = 240, unit = "1", source = "assumed", note = "none" }
queue_depth = { value = 64, unit = "1", source = "assumed", note = "none" }
[levels]
LEVELS
[strip]
smallest = { value = 8, unit = "KiB", source = "assumed", note = "none" }
largest = { value = 1024, unit = "KiB", source = "assumed", note = "none" }
[command]
time = { value = 2, unit = "us", source = "assumed", note = "none" }
[cache]
size = { value = 1, unit = "GiB", source = "assumed", note = "none" }
protection = { value = "battery", source = "assumed", note = "none" }
[power]
active = { value = 16, unit = "W", source = "assumed", note = "none" }
"""
LEVELS = tuple(WORDS)
RANDOM_READS = {"read": "100 %", "size": "8 KiB", "outstanding": 1}


@cache
def card_folder() -> Path:
    """A folder with the card of a controller that can do everything."""
    folder = Path(tempfile.mkdtemp(prefix="raidsim-cards-"))
    levels = "\n".join(f'{name} = {{ value = true, source = "assumed", note = "none" }}'
                       for name in LEVELS)  # fmt: skip
    levels += '\ncopies = { value = 16, unit = "1", source = "assumed", note = "none" }'
    (folder / "some-raid.toml").write_text(CARD.replace("LEVELS", levels), encoding="utf-8")
    return folder


def array(
    *loads: dict[str, Any],
    controller: dict[str, Any] | None = None,
    links: tuple[dict[str, Any], ...] = (),
    others: tuple[dict[str, Any], ...] = (),
    **volume: Any,
) -> Scenario:
    """A scenario with one volume and ``others``; ``controller`` {} is one with its defaults."""
    parts = {
        "host": [{"model": "fujitsu-rx2540-m1"}],
        "controller": [] if controller is None else [{"model": "./some-raid.toml", **controller}],
        "link": list(links),
        "volume": [{"drive": "cisco-hdd-4tb", **volume}, *others],
        "load": list(loads) or [{"volume": volume.get("name", "data"), **RANDOM_READS}],
    }
    lines: list[str] = []
    for name, tables in parts.items():
        for table in tables:
            lines.append(f"[{name}]" if name == "host" else f"[[{name}]]")
            lines += [f"{key} = {_toml(value)}" for key, value in table.items()]
    return load_text("\n".join(lines), folder=card_folder())


def busy(outstanding: int, think: str = "0 s", **volume: Any) -> Scenario:
    """A RAID 5 behind a controller: one read outstanding, and in a second point so many."""
    reads = {"read": "100 %", "size": "8 KiB", "outstanding": [1, outstanding], "volume": "data"}
    reads |= {"think": think, "limit": {"ios": 1000}}  # hosts go on as long as the rebuild does
    return array(reads, controller={}, level="raid5", drives=4, name="data", **volume)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f'"{key}" = {_toml(one)}' for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)

"""What Linux md did with its members: see data/md/README.md."""

from __future__ import annotations

import functools
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np

from raidsim.layout.arrange import arrange

FILE = Path(__file__).with_name("data") / "md" / "md.json.xz"
PAGE = 4096
SPREADS = {"n": "near", "o": "offset", "f": "far"}


@functools.cache
def facts() -> dict[str, Any]:
    """All of the file."""
    found: dict[str, Any] = json.loads(lzma.decompress(FILE.read_bytes()))
    return found


def layout_of(level: str, members: int, chunk: int, name: str | None, member_bytes: int) -> np.void:
    """The layout of an array that mdadm calls so: level "raid6", layout "left-symmetric"."""
    if level == "raid10":
        assert name is not None
        spread, copies = SPREADS[name[0]], int(name[1:])
        return arrange("10", members, chunk, member_bytes, spread=spread, copies=copies)
    if level in ("raid5", "raid6"):
        rotation = (name or "left-symmetric").removeprefix("ddf-").lower()
        page = PAGE if chunk % PAGE == 0 else 0
        kind = level.removeprefix("raid")
        return arrange(kind, members, chunk, member_bytes, rotation=rotation, page=page)
    return arrange(level.removeprefix("raid"), members, chunk, member_bytes)


def pattern(size: int) -> np.ndarray:
    """Bytes of which each word of 8 is splitmix64 of its number."""
    z = (np.arange(size // 8, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).view(np.uint8)

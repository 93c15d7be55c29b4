"""The words of Linux md, as mdadm and /proc/mdstat print them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidsim.errors import Problem, quote
from raidsim.importing import words
from raidsim.importing.model import Fact, Place

LEVELS = {
    "linear": "jbod",
    **{f"raid{number}": f"raid{number}" for number in (0, 1, 4, 5, 6, 10)},
}
_ROTATIONS = {
    **{f"{side}-{how}": f"{side}-{how}" for side in ("left", "right")
       for how in ("symmetric", "asymmetric")},
    "ddf-zero-restart": "zero-restart", "ddf-n-restart": "n-restart",
    "ddf-n-continue": "n-continue", "parity-first": "parity-first", "parity-last": "parity-last",
    **{f"{name}-6": f"{name}-6" for name in (
        "left-asymmetric", "right-asymmetric", "left-symmetric", "right-symmetric", "parity-first"
    )},
}  # fmt: skip
ALGORITHMS = {
    0: "left-asymmetric", 1: "right-asymmetric", 2: "left-symmetric", 3: "right-symmetric",
    4: "parity-first", 5: "parity-last", 8: "ddf-zero-restart", 9: "ddf-n-restart",
    10: "ddf-n-continue", 16: "left-asymmetric-6", 17: "right-asymmetric-6",
    18: "left-symmetric-6", 19: "right-symmetric-6", 20: "parity-first-6",
}  # fmt: skip
_UNSAID = {
    "multipath": "multipath is not RAID: import the disk behind it",
    "faulty": "it is a device for tests",
    "container": "it only holds the metadata of other arrays: import those",
}
RESHAPED = (
    "its layout is being changed, which a scenario cannot describe",
    "import it after the reshape, or write the volume as it was or will be; "
    "with --array only other arrays are imported",
)
INACTIVE = ("is not started: no I/O is possible", "assemble it first, or leave it out with --array")
BROKEN = (
    "has failed: no I/O is possible",
    "import it as it was before, or leave it out with --array",
)


def unsaid(place: Place, label: str, level: str) -> Problem | None:
    """Return the reason why raidsim has no such level; None if it has it."""
    if level in LEVELS:
        return None
    remedy = _UNSAID.get(
        level, "raidsim has raid0, raid1, raid4, raid5, raid6, raid10 and linear (jbod)"
    )
    return place.problem(label, f"{quote(level)} is not a level of raidsim", remedy)


@dataclass(frozen=True)
class Shape:
    """The arrangement of data that a layout word gives."""

    rotation: Fact[str] | None = None
    spread: Fact[str] | None = None
    copies: Fact[int] | None = None
    problem: Problem | None = None


def shape(text: str, place: Place, label: str) -> Shape:
    """The meaning of a layout such as ``left-symmetric`` or ``far=2``."""
    plain = text.strip().lower()
    copies = re.fullmatch(r"(near|far|offset)\s*=\s*(\d{1,4})", plain)
    if copies:
        return Shape(spread=Fact(copies[1], place), copies=Fact(int(copies[2]), place))
    if plain in _ROTATIONS:
        return Shape(rotation=Fact(_ROTATIONS[plain], place))
    if plain in {"", "-unknown-", "original", "none", "n/a"}:
        return Shape()
    cause = f"the layout {quote(text.strip())} is not simulated"
    remedy = f"the nearest is rotation, one of {', '.join(sorted(_ROTATIONS.values()))}"
    return Shape(problem=place.problem(label, cause, remedy))


def intent(text: str, place: Place) -> Fact[str] | None:
    """Return the record of writes that belongs to a consistency policy."""
    plain = text.strip().lower()
    if plain in {"bitmap", "journal", "ppl"}:
        return Fact(plain, place)
    return Fact("none", place) if plain in {"resync", "none"} else None


def member_keys(device: str) -> frozenset[str]:
    """Keys of a member: itself, so that arrays are told by what they are made of."""
    return frozenset(words.device_key(device))


def array_keys(*names: str | None, uuid: str | None = None) -> frozenset[str]:
    """Keys of an array: its devices and its UUID."""
    keys = [key for name in names if name for key in words.device_key(name)]
    plain = re.sub(r"[^0-9a-f]", "", (uuid or "").lower())
    return frozenset([*keys, *([f"uuid:{plain}"] if len(plain) == 32 else [])])

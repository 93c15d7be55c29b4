"""The words of MegaRAID controllers, as storcli, perccli and MegaCli print them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from raidsim.errors import Problem, quote
from raidsim.importing import words
from raidsim.importing.model import (
    ALONE,
    CHECK,
    FAILED,
    MISSING,
    ONLINE,
    REBUILDING,
    RESYNC,
    SPARE,
    UNUSED,
    Array,
    Fact,
    Found,
    Member,
    Place,
)

_STATES = (
    (r"onln|online|conf", ONLINE),
    (r"offln|offline|ubad|unconfigured.?bad|failed|f|bad|.*predictive.*failed.*", FAILED),
    (r"msng|missing", MISSING),
    (r"ghs|dhs|hot ?spare.*|.*hotspare.*", SPARE),
    (r"rbld|rebuild.*", REBUILDING),
    (r"jbod", ALONE),
)
_CACHE = re.compile(r"(NR|ADRA|R)?(AWB|FWB|WB|WT)([CD])?")
_LEVELS = {f"RAID{number}": f"raid{number}" for number in (0, 1, 5, 6, 10, 50, 60)}
_NEAREST = {
    "RAID00": "RAID 00 stripes over RAID 0; the nearest is level raid0 over all of its drives",
    "RAID1E": "the nearest is level raid1e, whose copies may be at other places",
}


def state(text: str) -> str:
    """State of a drive, in the words of :mod:`raidsim.importing.model`."""
    plain = text.strip().lower().partition(",")[0]
    for pattern, meant in _STATES:
        if re.fullmatch(pattern, plain):
            return meant
    return UNUSED


def interface(text: str) -> str | None:
    """The interface that a word names."""
    plain = text.lower()
    return next((one for one in ("nvme", "sata", "sas", "pcie") if one in plain), None)


def ports(text: str) -> str | None:
    """The speed of ports, as raidsim calls it: sas-12g of "SAS-12G"; the best of several."""
    speeds = re.findall(r"(SAS|SATA)[- ]?(3|6|12|22\.5|24)(?=\s*G)", text, re.IGNORECASE)
    best = max(speeds, key=lambda one: float(one[1]), default=None)
    if best is None:
        return None
    speed = "24" if float(best[1]) > 12 else best[1]
    return f"{best[0].lower()}-{speed}g"


def battery(text: str) -> str:
    """The state of a battery or of a flash module."""
    plain = text.lower()
    if any(one in plain for one in ("learn", "transition")):
        return "learning"
    if any(one in plain for one in ("msng", "missing", "absent", "not present", "removed")):
        return "absent"
    if plain.startswith(("opt", "operational", "good", "ok", "healthy", "ready")):
        return "good"
    return "low"


def size_fact(said: Fact[str] | None) -> Fact[int] | None:
    """Bytes of a size that tools of controllers print in binary units."""
    found = words.size(said.value, binary=True) if said else None
    return Fact(found, said.place) if said and found else None


def exact(text: str) -> int | None:
    """Bytes of "894.252 GB [0x6fc81ab0 Sectors]".

    Sectors are of 512 or of 4096 bytes; the size before them shows which.
    """
    match = re.search(r"\[0x([0-9a-f]{1,16}) Sectors\]", text, re.IGNORECASE)
    printed = words.size(text, binary=True)
    if match is None:
        return None
    for sector in (512, 4096):
        found = int(match[1], 16) * sector
        if printed is None or abs(found - printed) <= 0.01 * printed:
            return found
    return None


def cache(said: Fact[str] | None, found: Found) -> dict[str, Fact[str]]:
    """Cache policies of letters such as "RWBD"."""
    if said is None or not words.is_said(said.value):
        return {}
    match = _CACHE.fullmatch(re.sub(r"[^A-Z]", "", said.value.upper()))
    if match is None:
        found.remark(said.place, "Cache", f"{quote(said.value)} is not understood, and left out")
        return {}
    ahead = {None: None, "NR": "none", "ADRA": "adaptive"}.get(match[1], "ahead")
    write = {"WT": "through", "WB": "back"}.get(match[2], "back-bad-battery")
    made = {"write": Fact(write, said.place)}
    if ahead:
        made["read_ahead"] = Fact(ahead, said.place)
    if match[3]:
        made["io"] = Fact("cached" if match[3] == "C" else "direct", said.place)
    return made


def disk_cache(said: Fact[str] | None) -> Fact[str] | None:
    """Return whether the drives' own caches are on; None if that is left to the drives."""
    plain = (said.value if said else "").lower()
    if said is None or "default" in plain or "unchanged" in plain:
        return None
    if plain.startswith(("enabl", "on")):
        return Fact("on", said.place)
    return Fact("off", said.place) if plain.startswith(("disabl", "off")) else None


def access(said: Fact[str] | None) -> Fact[str] | None:
    """The access policy, if it is not the usual one."""
    meant = {"RO": "read-only", "READ ONLY": "read-only", "B": "blocked", "BLOCKED": "blocked"}
    return (
        Fact(meant[said.value.upper()], said.place)
        if said and said.value.upper() in meant
        else None
    )


def task(said: Fact[str] | None, found: Found) -> Fact[str] | None:
    """Return the background task of a virtual drive."""
    plain = (said.value if said else "none").lower()
    if said is None or plain in {"none", "-", "n/a"}:
        return None
    if "check" in plain or plain.startswith("cc"):
        return Fact(CHECK, said.place)
    if "init" in plain or "bgi" in plain:
        return Fact(RESYNC, said.place)
    found.remark(said.place, "Active Operations", f"{quote(said.value)} is not imported")
    return None


def level_of(level: Fact[str], slots: int | None, spans: int | None) -> Fact[str]:
    """The level of raidsim; of RAID 1 over more than two drives that is RAID 10."""
    meant = _LEVELS.get(level.value.upper(), level.value)
    spanned = {"raid1": "raid10", "raid5": "raid50", "raid6": "raid60"}
    if meant == "raid1" and slots is not None and slots > 2 and slots % 2 == 0:
        return Fact("raid10", level.place)
    if spans is not None and spans > 1:
        meant = spanned.get(meant, meant)
    return Fact(meant, level.place)


def array(
    *,
    label: str,
    place: Place,
    keys: frozenset[str],
    level: Fact[str] | None,
    spans: Fact[int] | None,
    slots: Fact[int] | None,
    cache: dict[str, Fact[str]],
    state: Fact[str] | None,
    members: tuple[Member, ...],
    **facts: Any,
) -> Array:
    """A virtual drive: levels, spans and what is missing, in the words of raidsim.

    ``facts`` are further ones of :class:`Array`, by their names.
    """
    count = slots.value if slots else None
    meant = level_of(level, count, spans.value if spans else None) if level else None
    is_nested = meant is not None and meant.value in {"raid10", "raid50", "raid60"}
    if is_nested and meant and meant.value == "raid10" and count:
        spans = Fact(
            max(spans.value if spans else 1, count // 2), spans.place if spans else meant.place
        )
    made = replace(
        Array(label, place, keys),
        level=meant,
        spans=spans if is_nested else None,
        slots=slots,
        members=members,
        **{**cache, **facts},
    )
    gone = [one for one in members if one.state in {FAILED, MISSING, REBUILDING}]
    built = [one for one in members if one.state == REBUILDING]
    positions = [one.position for one in gone if one.position is not None]
    missing = (count or 0) - len(members)
    if missing > 0 and members:
        # Lists of drives leave out those that are not there: nothing says where they were.
        positions += range(len(members), count or 0)
    if positions:
        where = gone[0].place if gone else place
        made = replace(made, failed=Fact(tuple(sorted(positions)), where))
    if built:
        numbers = tuple(one.position for one in built if one.position is not None)
        made = replace(made, rebuilding=Fact(numbers, built[0].place))
    return replace(made, refused=_refused(made, meant, state))


def _refused(made: Array, level: Fact[str] | None, state: Fact[str] | None) -> Problem | None:
    if state and state.value.lower() in {"ofln", "offline", "failed"}:
        return state.place.problem(
            made.label, "is offline: no I/O is possible", "bring it online, or leave it out"
        )
    if level is not None and level.value.upper() in _NEAREST:
        cause = f"{level.value.upper()} is not a level of raidsim"
        return level.place.problem(made.label, cause, _NEAREST[level.value.upper()])
    return None

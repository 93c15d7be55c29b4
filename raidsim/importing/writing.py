"""Writes the scenario: every line with its source, and guesses marked as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidsim import cards, units
from raidsim.importing import words
from raidsim.importing.loads import limit_area, load_tables
from raidsim.importing.matching import Match, Needs, match_controller, match_drive
from raidsim.importing.model import CHECK, RESYNC, Controller, Fact, Found, Place
from raidsim.importing.plan import NEAR, Volume
from raidsim.importing.together import System
from raidsim.importing.toml_lines import Table
from raidsim.importing.wishes import Wishes
from raidsim.scenario.arrays import REDUNDANT, WITH_PARITY, WITH_PARTIAL_PARITY

HOST = "fujitsu-rx2540-m1"
SAMPLE_BYTES = 3e8
"""Bytes of each drive that a rebuild goes through in a run; its time is extrapolated."""
STRIP, STRIP_OF_MD = 256 * 1024, 512 * 1024
"""What controllers, and md, take today where nobody says anything."""
INTENTS = {"journal": WITH_PARITY, "ppl": WITH_PARTIAL_PARITY}
"""What only arrays of some levels note of writes."""
_CACHE_KEYS = ("write", "read_ahead", "io")


@dataclass(frozen=True)
class Written:
    """A scenario as text, and what in it is a guess."""

    text: str
    guesses: list[str]


def write(
    found: Found, system: System, volumes: Sequence[Volume], wishes: Wishes, names: Sequence[str]
) -> Written:
    """Write the scenario.

    Parameters
    ----------
    names
        The files that it is made of.
    """
    top = Table("")
    top.above = [
        "Imported by raidsim import. The comment of each line says where its value is from."
    ]
    top.put("schema", 1, "")
    top.put("title", _title(names), "")
    host = Table("[host]")
    host.guess("model", HOST, "no file describes the server")
    host.put("stand_in", value=True, source="not the same server: intervals are wider")
    controllers = _controllers(found, system, volumes)
    tables = [top, host, *(one for _, one in controllers.values())]
    changes: list[Table] = []
    loads = load_tables(found, volumes, wishes)
    events: list[tuple[Place, Table]] = []
    rates = {key: one.rebuild_rate for one in system.controllers for key in one.keys}
    for volume in volumes:
        rate = volume.array.rebuild_rate or rates.get(volume.array.controller or "")
        volume.array = replace(volume.array, rebuild_rate=rate)
        table, match = _volume(found, volume, controllers)
        tables.append(table)
        _compare(found, volume, _capacity(volume, match))
        changes = [_set("volume", match, volume.name)] if match.changes else []
        tables += changes
        events += _events(volume, match)
        for load in loads:
            on = next((value for key, value, _ in load.lines if key == "volume"), volumes[0].name)
            if on == volume.name:
                limit_area(load, volume, _capacity(volume, match))
    tables += loads
    tables += _beside(found, loads, events)
    guesses = [guess for table in tables for guess in table.guesses]
    return Written("\n".join(table.render() for table in tables), guesses)


def _title(names: Sequence[str]) -> str:
    names = [Path(name).name or name for name in names]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"Imported from {shown}"[:200]


def _set(of: str, match: Match, name: str = "") -> Table:
    """Values that are known better than the card has them."""
    table = Table(f"[{of}.set]", of=name)
    for key, (value, source) in match.changes.items():
        table.put(key, value, source)
    return table


def _drive_capacity(match: Match) -> int:
    """Bytes of a drive as the scenario has it."""
    if "capacity.user" in match.changes:
        return int(match.changes["capacity.user"][0].split()[0])
    return cards.load(match.card).integer("capacity.user")


def _capacity(volume: Volume, match: Match) -> int:
    """Bytes of the volume as the scenario has it, about."""
    own = _drive_capacity(match)
    if volume.least and volume.size:
        return round(own * volume.size / volume.least)
    return own * volume.count


def _compare(found: Found, volume: Volume, own: int) -> None:
    """Say so if the volume of the scenario has clearly more or less room than the array has."""
    told, array = volume.array.capacity, volume.array
    if told is None or told.value <= 0 or abs(own / told.value - 1) <= NEAR:
        return
    here, there = map(units.capacity_for_people, (own, told.value))
    cause = f"it has {there}, and its volume {here}"
    if own > told.value:
        cause += ": loads keep to its part of the drives" + (
            ", and rebuilds go through all of them" if _level(volume) in REDUNDANT else ""
        )
    found.remark(told.place, array.label, cause)


def _controllers(
    found: Found, system: System, volumes: Sequence[Volume]
) -> dict[str, tuple[str, Table]]:
    """Controllers that volumes are on, by their keys: the name and the table of each."""
    made: dict[str, tuple[str, Table]] = {}
    used = dict.fromkeys(volume.array.controller for volume in volumes if volume.array.controller)
    for key in used:
        known = next((one for one in system.controllers if key in one.keys), None)
        mine = [volume for volume in volumes if volume.array.controller == key]
        match = match_controller(known, _needs(mine))
        name = key.replace(":", "-").rpartition("/")[2][:60] if len(used) > 1 else "raid"
        if any(name == other for other, _ in made.values()):
            name = f"{name}-{len(made) + 1}"
        table = Table("[[controller]]", of=name)
        table.put("name", name, "")
        place = f"{known.model.place}: " if known and known.model else ""
        table.put(
            "model",
            match.card,
            match.reason if match.reason.startswith("guess") else place + match.reason,
        )
        _stand_in(table, match)
        _battery(found, table, known, match, mine)
        if match.changes:
            inner = _set("controller", match)
            table.lines += [(f"set.{key}", value, source) for key, value, source in inner.lines]
        made[key] = (name, table)
    return made


def _needs(volumes: Sequence[Volume]) -> Needs:
    levels = frozenset(_level(volume) for volume in volumes)
    striped = [one for one in volumes if _level(one) not in {"single", "jbod", "raid1"}]
    strips = frozenset(one.array.strip.value if one.array.strip else STRIP for one in striped)
    kinds = [one.drive.interface.value for one in volumes if one.drive.interface]
    used = {
        getattr(one.array, key).value
        for one in volumes
        for key in _CACHE_KEYS
        if getattr(one.array, key)
    }
    return Needs(
        levels, strips, max(one.count for one in volumes), bool({"nvme", "pcie"} & {*kinds}),
        bool(used - {"through", "none", "direct"}), max(map(_copies, volumes)),
        volumes[0].array.place,
    )  # fmt: skip


def _copies(volume: Volume) -> int:
    """Copies of a mirror; 1 of what is none."""
    level, array = _level(volume), volume.array
    if level == "raid1":
        return volume.count
    return array.copies.value if array.copies and level in {"raid10", "raid1e"} else 1


def _battery(
    found: Found, table: Table, known: Controller | None, match: Match, volumes: Sequence[Volume]
) -> None:
    card = cards.load(match.card)
    protection = match.changes.get("cache.protection", (card.word("cache.protection"), ""))[0]
    if known is not None and known.battery is not None:
        if protection != "none":
            table.put("battery", known.battery.value, known.battery.place)
        elif known.battery.value != "absent":
            found.remark(
                known.battery.place,
                known.label,
                f"{match.card} has no battery: its state is left out",
            )
    elif protection != "none" and any(one.array.write for one in volumes):
        table.guess("battery", "good", "no file says how the battery or flash module is")


def _level(volume: Volume) -> str:
    """The level that is written: of one drive, the same as no RAID."""
    level = volume.array.level.value if volume.array.level else "single"
    return "single" if volume.count == 1 and level in {"raid0", "raid1", "jbod"} else level


def _volume(
    found: Found, volume: Volume, controllers: dict[str, tuple[str, Table]]
) -> tuple[Table, Match]:
    array, level = volume.array, _level(volume)
    table = Table("[[volume]]", above=volume.notes, of=volume.name)
    table.put("name", volume.name, array.name.place if array.name else array.place)
    assert array.level is not None
    assert array.slots is not None
    why = f": {array.level.value} of one drive" if level != array.level.value else ""
    table.put("level", level, f"{array.level.place}{why}")
    if level != "single":
        table.put("drives", volume.count, array.slots.place)
    match = match_drive(volume.drive, volume.least, is_all=volume.has_whole_drives)
    model = volume.drive.model
    shown = f"{model.place}: " if model else ""
    table.put("drive", match.card, f"{shown}{match.reason}" if shown else f"guess: {match.reason}")
    _stand_in(table, match)
    on = controllers.get(array.controller or "")
    if on is not None:
        table.put("controller", on[0], array.place)
    elif controllers:
        table.put("controller", "host", f"{array.place}: RAID of the operating system")
    _layout(table, volume, level)
    _policies(table, volume, found, is_controlled=on is not None)
    if array.failed is not None and array.failed.value:
        table.put(
            "failed",
            list(array.failed.value),
            f"{array.failed.place}: missing, or not yet rebuilt",
        )
    if volume.spares is not None and volume.spares.value > 0:
        if level in REDUNDANT:
            table.put("spares", volume.spares.value, volume.spares.place)
        else:
            found.remark(
                volume.spares.place, array.label, f"{level} cannot use hot spares: left out"
            )
    return table, match


def _stand_in(table: Table, match: Match) -> None:
    if not match.is_exact:
        table.put("stand_in", value=True, source="not the same model: intervals are wider")


def _layout(table: Table, volume: Volume, level: str) -> None:
    array = volume.array
    if level in {"single", "jbod"}:
        return
    for key in ("spans", "copies", "spread", "rotation"):
        fact = getattr(array, key)
        fits = {
            "spans": {"raid10", "raid50", "raid60"},
            "copies": {"raid10", "raid1e"},
            "spread": {"raid10", "raid1e"},
            "rotation": {"raid5", "raid6", "raid50", "raid60"},
        }
        if fact is not None and level in fits[key]:
            table.put(key, fact.value, fact.place)
    if level == "raid10" and array.controller is None and array.spread is None:
        table.guess("spread", "near", "not in the files: md's default")
    if array.strip is not None and level != "raid1":
        table.put("strip", words.size_text(array.strip.value), array.strip.place)
    elif level != "raid1":
        usual = STRIP if volume.array.controller is not None else STRIP_OF_MD
        table.guess("strip", words.size_text(usual), "not in the files: the usual one today")


def _policies(table: Table, volume: Volume, found: Found, *, is_controlled: bool) -> None:
    array, level = volume.array, _level(volume)
    if is_controlled:
        for key in _CACHE_KEYS:
            fact = getattr(array, key)
            if fact is not None:
                table.put(key, fact.value, fact.place)
            elif key == "write":
                table.guess(key, "through", "no file says how the controller's cache writes")
    disk_cache = array.disk_cache
    if disk_cache is None and volume.drive.write_cache is not None:
        cache = volume.drive.write_cache
        disk_cache = Fact("on" if cache.value else "off", cache.place)
    if disk_cache is not None:
        table.put("disk_cache", disk_cache.value, disk_cache.place)
    if array.intent is not None and not is_controlled and level in REDUNDANT:
        value = array.intent.value
        is_kept = level in INTENTS.get(value, REDUNDANT)
        table.put("intent", value if is_kept else "none", array.intent.place)
        _chunk(table, volume, found)
    if array.rebuild_rate is not None and level in REDUNDANT:
        table.put(
            "rebuild_rate", words.share_text(array.rebuild_rate.value), array.rebuild_rate.place
        )
    if array.access is not None:
        table.put("access", array.access.value, array.access.place)


def _chunk(table: Table, volume: Volume, found: Found) -> None:
    chunk, strip = volume.array.bitmap_chunk, volume.array.strip
    if chunk is None or volume.array.intent is None or volume.array.intent.value != "bitmap":
        return
    if strip is not None and chunk.value % strip.value:
        cause = (
            f"its bitmap chunk of {chunk.value} bytes is not a whole number of strips:"
            " the usual size is used"
        )
        found.remark(chunk.place, volume.array.label, cause)
        return
    table.put("bitmap_chunk", words.size_text(chunk.value), chunk.place)


def _events(volume: Volume, match: Match) -> list[tuple[Place, Table]]:
    """Return events for rebuilds and checks that were under way, with the line of each.

    They go through whole drives, also if the array uses a part of each, so the share of the rows
    that is simulated is one of the drives of the scenario.
    """
    array, level = volume.array, _level(volume)
    if level not in REDUNDANT:
        return []
    sample = min(1.0, max(1e-5, float(f"{SAMPLE_BYTES / _drive_capacity(match):.1g}")))
    made: list[tuple[Place, Table]] = []
    for number in array.rebuilding.value if array.rebuilding else ():
        assert array.rebuilding is not None
        place = array.rebuilding.place
        made.append((place, _event(volume, "rebuild", place, sample)))
        made[-1][1].put("drive", number, place)
    if array.task is not None and array.task.value in {CHECK, RESYNC}:
        what = (
            "a resync goes through all stripes as a check does"
            if array.task.value == RESYNC
            else ""
        )
        place = array.task.place
        made.append((place, _event(volume, "consistency-check", place, sample)))
        made[-1][1].above += [what] if what else []
    if made and array.progress is not None and array.task is not None:
        done = f"{array.progress.place}: {array.progress.value:.1%} was done; here it begins again."
        made[0][1].above.append(done)
    return made


def _beside(
    found: Found, loads: Sequence[Table], events: Sequence[tuple[Place, Table]]
) -> list[Table]:
    """Events that can happen beside the loads: there are none beside loads that begin in turn."""
    one_by_one = any(key == "after" for load in loads for key, _, _ in load.lines)
    for place, event in events if one_by_one else ():
        kind, volume = (value for _, value, _ in event.lines[:2])
        cause = (
            f"a {kind} of {volume} was under way: it is left out, since the jobs run one after the"
            " other"
        )
        found.remark(place, "event", cause, "import a file with one of the jobs to have it")
    return [] if one_by_one else [event for _, event in events]


def _event(volume: Volume, kind: str, place: Place, sample: float) -> Table:
    table = Table("[[event]]", of=volume.name)
    table.put("kind", kind, place)
    table.put("volume", volume.name, "")
    table.guess("at", "10 s", "after some time in the state before, for comparison")
    table.guess(
        "sample", words.share_text(sample), "this share is simulated; times are extrapolated"
    )
    return table

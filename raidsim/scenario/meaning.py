"""The meaning of the tables of a scenario: each by itself, and with the parts that come before it.

A table has been read before (`raidsim.scenario.reading`). Here references are resolved, values that
depend on other keys are filled in, and cards are loaded. Errors are noted in the reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.card import Card
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, quote, quoted
from raidsim.scenario import array_checks, arrays, load_checks, replay_checks, replays
from raidsim.scenario.finding import Finding
from raidsim.scenario.found import (
    Found,
    FoundController,
    FoundHost,
    FoundHybrid,
    FoundVolume,
    names_of,
)
from raidsim.scenario.hardware import battery_of, with_card
from raidsim.scenario.hybrid_checks import check_hybrid, check_parts, extent_of
from raidsim.scenario.load_spec import SizeShare
from raidsim.scenario.machine_checks import Room, check_machines
from raidsim.scenario.reading import Reading, Values

SHAPE = ("level", "drives", "strip", "spans", "spread")
"""Keys of a volume that have to be right before it is laid out."""


def host(reading: Reading, values: Values, path: KeyPath, folder: Path | None) -> FoundHost:
    """The server, at the clock rate of its card where none is given."""
    values, card = with_card(reading, values, "model", ("host",), path, folder)
    if card is not None and "clock" in values:
        values = {**values, "clock": values["clock"] or card.number("cpu.clock")}
    return FoundHost(values, card)


def controller(
    reading: Reading, values: Values, path: KeyPath, folder: Path | None
) -> FoundController:
    """A controller, with its card and the state of its battery."""
    reading.note(path, load_checks.check_name(values.get("name")))
    values, card = with_card(reading, values, "model", ("controller",), path, folder)
    if card is not None and "battery" in values:
        values = {**values, "battery": battery_of(reading, values["battery"], card, path)}
    return FoundController(values, card)


def link(
    reading: Reading,
    values: Values,
    path: KeyPath,
    controllers: Sequence[Found],
    links: Sequence[str],
) -> Found:
    """A link, and what it leads to; ``links`` are the names of those that stand before it."""
    names = names_of(controllers)
    known = [arrays.HOST, *names, *links]
    reading.note(path, load_checks.check_name(values.get("name"), names))
    reading.note(path, array_checks.check_reference(values, "to", known, "part (further up)"))
    if "to" in values and values["to"] is None:
        values = {**values, "to": _the_controller(reading, path, "to", names)}
    return Found(values)


def volume(
    reading: Reading,
    values: Values,
    path: KeyPath,
    folder: Path | None,
    server: Card | None,
    controllers: Sequence[FoundController],
    links: Sequence[Found],
) -> FoundVolume:
    """A volume: its drives as they run where they are, laid out; ``server`` is the host's card."""
    values, drive = with_card(reading, values, "drive", DRIVE_KINDS, path, folder)
    values, found = _placed(reading, values, path, controllers, links)
    controller = next((c.card for c in controllers if c.name == values.get("controller")), None)
    is_controlled = values.get("controller") in names_of(controllers)
    if not is_controlled or controller is not None:
        found += array_checks.check_volume(values, drive, controller)
    drive = _as_it_runs(drive, values, controller, links)
    is_laid_out = not any(key in SHAPE for key, _, _ in found)
    layout, wrong = arrays.lay_out(values, drive, is_controlled) if is_laid_out else (None, None)
    if "intent" in values and values["intent"] is None:
        intent = arrays.intent_of(values, drive, server, is_controlled=is_controlled)
        values = {**values, "intent": intent}
    reading.note(path, [*found, wrong] if wrong else found)
    return FoundVolume(values, drive, layout, is_laid_out)


def _placed(
    reading: Reading,
    values: Values,
    path: KeyPath,
    controllers: Sequence[Found],
    links: Sequence[Found],
) -> tuple[Values, list[Finding]]:
    """The values of a volume with the controller that it is on, and what is wrong with its way."""
    names = names_of(controllers)
    upward = {link.name: link.values.get("to") for link in links if link.name is not None}
    found = [
        *array_checks.check_reference(values, "controller", [arrays.HOST, *names], "controller"),
        *array_checks.check_reference(values, "behind", list(upward), "link"),
    ]
    if not found and "controller" in values and "behind" in values:
        tops = {link: _top_of(link, upward) for link in values["behind"]}
        on = values["controller"] or next(iter(tops.values()), None)
        on = on or _the_controller(reading, path, "controller", names)
        values = {**values, "controller": on}
        found = _elsewhere(tops, on)
    return values, found


def hybrid(
    reading: Reading,
    values: Values,
    path: KeyPath,
    controllers: Sequence[FoundController],
    volumes: Sequence[FoundVolume],
) -> FoundHybrid:
    """A hybrid, and how large its two volumes make it."""
    if values.get("controller", "") is None:
        values = {**values, "controller": arrays.HOST}
    cards = {one.name: one.card for one in controllers if one.name is not None}
    known = {one.name: one for one in volumes if one.name is not None}
    found = list(
        array_checks.check_reference(values, "controller", [arrays.HOST, *cards], "controller")
    )
    if values.get("name") in known:
        cause = f"{quote(values['name'])} is the name of a volume too"
        found.append(("name", cause, "give each its own name"))
    card = cards.get(values.get("controller", ""))
    found += check_parts(values, known)
    if not found and (card is not None or values.get("controller") == arrays.HOST):
        found += check_hybrid(values, known, card)
    reading.note(path, found)
    return FoundHybrid(values, None if found else extent_of(values, known))


def machines(
    reading: Reading,
    values: Values,
    path: KeyPath,
    volumes: Sequence[FoundVolume],
    hybrids: Sequence[FoundHybrid],
) -> Found:
    """A group of machines, and the volume that it is on."""
    inside = _inside(hybrids)
    rooms = {
        one.name: Room(one.capacity, one.values.get("access"))
        for one in volumes
        if one.name is not None and one.name not in inside
    }
    for one in hybrids:
        if one.name is not None:
            rooms[one.name] = Room(None if one.extent is None else one.extent.capacity, None)
    if len(rooms) == 1 and "volume" in values:
        values = {**values, "volume": values["volume"] or next(iter(rooms))}
    reading.note(path, check_machines(values, rooms))
    return Found(values)


def load(
    reading: Reading,
    values: Values,
    path: KeyPath,
    volumes: Sequence[FoundVolume],
    hybrids: Sequence[FoundHybrid],
    folder: Path | None = None,
) -> Found:
    """A load, and what it runs on; without volumes nothing that concerns those is checked."""
    inside = _inside(hybrids)
    names = [*(name for name in names_of(volumes) if name not in inside), *names_of(hybrids)]
    is_known = volumes and all(one.extent is not None for one in hybrids)
    found = list(load_checks.check_volume_of(values, names)) if is_known else []
    if values.get("volume") is not None and values.get("volume") in inside:
        cause = f"{quote(values['volume'])} is a part of {quote(inside[values['volume']])}"
        found = [
            (
                "volume",
                cause,
                "name the hybrid: I/Os that go past it would leave old data in its front",
            )
        ]
    if not found and "volume" in values and names:
        values = {**values, "volume": values["volume"] or names[0]}
    around = _around(values.get("volume"), volumes, hybrids)
    wrong: list[Finding] = []
    if values.get("trace") is not None:
        values, wrong = _replayed(reading, values, path, around, folder)
        found += wrong
    if wrong or "trace" not in values:  # of its requests nothing is known
        values = {key: values[key] for key in values.keys() - {"size", "sizes", "read"}}
    sizes = _mix(values)
    largest = max((one.size for one in sizes), default=None)
    if "align" in values:
        values = {**values, "align": values["align"] or largest}
    facts = {**values, **around, "largest": largest}
    unknown = {key for key in ("align", "largest") if facts.get(key) is None}
    found += load_checks.check_load({key: facts[key] for key in facts.keys() - unknown})
    reading.note(path, found)
    return Found({**values, "sizes": sizes} if sizes else values)


def _replayed(
    reading: Reading, values: Values, path: KeyPath, around: Mapping[str, Any], folder: Path | None
) -> tuple[Values, list[Finding]]:
    """A load that replays a trace, with what the trace says of its requests."""
    trace = replays.beside(values["trace"], folder)
    values = {**values, "trace": trace}
    wrong = list(replay_checks.check_replay_keys(trace, reading.data["load"][path[-1]]))
    if wrong:
        return values, wrong
    try:
        found = replays.plan(trace)
    except InputError as error:
        return values, [replays.told(one) for one in error.problems]
    wrong = list(replay_checks.check_replay(trace, found, around))
    return {**values, **replays.meant(values, found, around)}, wrong


def _the_controller(reading: Reading, path: KeyPath, key: str, names: list[str]) -> str:
    """The controller that is meant where none is named."""
    found = arrays.default_controller(names)
    if found is None:
        cause = f"is missing, and there are {len(names)} controllers"
        reading.problem((*path, key), cause, f'give one of {quoted(names)}, or "host"')
    return found or arrays.HOST


def _top_of(link: str, upward: Mapping[str, str | None]) -> str | None:
    """Return the name of the controller or host at which a chain of links ends."""
    seen: set[str] = set()
    name: str | None = link
    while name is not None and name in upward and name not in seen:
        seen.add(name)
        name = upward[name]
    return name


def _elsewhere(tops: Mapping[str, str | None], controller: str) -> list[Finding]:
    """Links that lead to another controller than that which the volume is on."""
    on = f"the volume is on {quote(controller)}: name links that lead there"
    return [
        ("behind", f"{quote(link)} leads to {quote(top)}", on)
        for link, top in tops.items()
        if top != controller
    ]


def _as_it_runs(
    drive: Card | None, values: Values, controller: Card | None, links: Sequence[Found]
) -> Card | None:
    """The card of the drives, with the write cache and the speed that they have in a volume."""
    if drive is None:
        return None
    wanted = values.get("disk_cache")
    if wanted is not None:
        drive = drive.changed({"write_cache.enabled": wanted == "on"})
    above = [one.values for one in links if one.name in values.get("behind", ())]
    ports = [one["speed"] for one in above if one.get("speed")]
    if not ports and controller is not None:
        ports = [controller.word("ports.speed")]
    for port in ports:
        drive = arrays.at_speed_of(drive, port)
    if controller is None or above:  # behind a switch it has lanes of that
        return drive
    return arrays.on_lanes_of(drive, controller)


def _inside(hybrids: Sequence[FoundHybrid]) -> dict[Any, str | None]:
    """The volumes that hybrids are made of, and those hybrids, by their names."""
    return {one.values.get(key): one.name for one in hybrids for key in ("front", "back")}


def _mix(values: Values) -> tuple[SizeShare, ...]:
    """The request sizes with their shares, also for a single size; empty if they are wrong."""
    if "size" not in values or "sizes" not in values:
        return ()
    if values["sizes"] is not None:
        return tuple(values["sizes"])
    return (SizeShare(values["size"], 1.0),) if values["size"] is not None else ()


def _around(
    name: str | None, volumes: Sequence[FoundVolume], hybrids: Sequence[FoundHybrid]
) -> dict[str, Any]:
    """Return the facts that the checks of a load need about its volume."""
    for one in reversed(hybrids):
        if one.name == name and one.extent is not None:
            extent = one.extent
            return {
                "capacity": extent.capacity,
                "sector": extent.sector,
                "access": "read-write",
                "hybrid": True,
                "trims": "a hybrid does not pass them on",
            }
    for volume in reversed(volumes):
        if volume.name == name and volume.card is not None and volume.is_laid_out:
            return {
                "capacity": volume.capacity,
                "sector": volume.card.integer("capacity.sector"),
                "access": volume.values.get("access"),
                "hybrid": False,
                "trims": arrays.stops_trims(volume.values, volume.card, volume.layout),
            }
    return {}

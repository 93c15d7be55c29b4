"""From a design to a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidsim import schemas, units
from raidsim.cards import Card
from raidsim.planning.choice import HOST, WITH_SPANS, Design
from raidsim.planning.need import Need, scaled
from raidsim.resources import data_folder
from raidsim.scenario import Scenario, arrays
from raidsim.scenario.arrays import WITH_COPIES
from raidsim.scenario.scenario import from_data

Data = dict[str, Any]

EXPANDER = "backplane"
"""Name of the link to an expander, on which drives hang where a controller has too few ports."""


def volumes_of(design: Design, *, spares: bool = True) -> list[Data]:
    """The tables of its arrays; ``spares`` stand in the scenario that is written."""
    shape = design.shape
    table: Data = {
        "name": "data",
        "level": shape.level,
        "drives": shape.drives,
        "strip": units.text(design.strip, "size"),
        "drive": _named(design.drive),
    }
    if shape.level in WITH_SPANS:
        table["spans"] = shape.spans
    if shape.level in WITH_COPIES:
        table["copies"] = shape.copies
    if design.place.card is None:
        table["controller"] = HOST
    elif design.place.has_cache:
        table["write"] = design.place.write
    if needs_expander(design):
        table["behind"] = EXPANDER
    if spares and design.spares and shape.failures:
        table["spares"] = design.spares
    if design.arrays == 1:
        return [table]
    return [{**table, "name": f"data-{n + 1}"} for n in range(design.arrays)]


def needs_expander(design: Design) -> bool:
    """Return whether it has more SAS or SATA drives than its controller has ports."""
    card = design.place.card
    if card is None or arrays.is_on_lanes_of(card, design.drive):
        return False
    spares = design.spares if design.shape.failures else 0
    return design.arrays * (design.shape.drives + spares) > card.integer("ports.lanes")


def loads_of(design: Design, need: Need, factor: float = 1.0) -> list[Data]:
    """The loads of the need, shared out among the arrays."""
    if design.arrays == 1:
        return scaled(need.loads, factor)
    shared: list[Data] = []
    for number in range(design.arrays):
        for table in scaled(need.loads, factor / design.arrays):
            name = f"{table.get('name', 'load')}-{number + 1}"
            after = {"after": f"{table['after']}-{number + 1}"} if "after" in table else {}
            shared.append({**table, "name": name, "volume": f"data-{number + 1}", **after})
    return shared


def data_of(
    design: Design,
    need: Need,
    *,
    factor: float = 1.0,
    spares: bool = True,
    volume: Mapping[str, Any] | None = None,
    every: Mapping[str, Any] | None = None,
    events: Sequence[Data] = (),
    measure: Mapping[str, Any] | None = None,
    title: str = "",
) -> Data:
    """The tables of a scenario.

    Parameters
    ----------
    design, need
        What it is of.
    factor
        So many times the load of the need.
    spares
        Whether the hot spares are in it; a run without events does not see them.
    volume, every
        Keys of the first array, and of all of them, that differ.
    events, measure
        As a scenario has them.
    title
        What it is called; none where nobody reads it, so that equal systems are equal.
    """
    volumes = volumes_of(design, spares=spares)
    volumes = [one | dict(every or {}) for one in volumes]
    volumes[0] |= volume or {}
    data: Data = {**schemas.head("scenario")}
    if title:
        data["title"] = title
    data |= {"seed": need.seed, "host": {"model": _named(design.host)}}
    if design.place.card is not None:
        card = design.place.card
        data["controller"] = [{"model": _named(card)}]
        if needs_expander(design):
            speed, lanes = card.word("ports.speed"), card.integer("ports.lanes")
            data["link"] = [{"name": EXPANDER, "speed": speed, "lanes": lanes}]
    data |= {"volume": volumes, "load": loads_of(design, need, factor)}
    if events:
        data["event"] = list(events)
    if measure:
        data["measure"] = dict(measure)
    return data


def scenario_of(data: Data, need: Need) -> Scenario:
    """The scenario of its tables.

    Raises
    ------
    InputError : the loads do not fit the volume, or a card is not there any more.
    """
    return from_data(data, "the design", folder=need.folder)


def _named(card: Card) -> str:
    """Return the name of a card in a scenario; its path if it does not come with raidsim."""
    own = card.path.is_relative_to(data_folder("models"))
    return card.name if own else str(card.path.resolve())

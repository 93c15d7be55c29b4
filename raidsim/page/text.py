"""From a text that a visitor wrote to a scenario, without access to any file of this computer.

A scenario on disk may name cards and traces by their paths. One that comes from a visitor may not:
its cards are those of the catalogue, and it replays no trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from raidsim.cards import places
from raidsim.cards.toml_file import TomlFile, parse, show
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, Problem, quote
from raidsim.page import bounds
from raidsim.scenario import Scenario, load_text
from raidsim.scenario.loader import read_tables
from raidsim.scenario.reading import Reading

NAME = "scenario"
"""What messages call the text; it is downloaded under this name, with .toml behind it."""

_CARDS = (("host", "model"), ("controller", "model"), ("volume", "drive"))


def read(text: str, changes: Mapping[str, Any] | None = None) -> Scenario:
    """Read a text, with other values of some keys, as :meth:`raidsim.Scenario.with_` takes them.

    Raises
    ------
    InputError
        With every problem of it: of its keys and values; it names a file of this computer; or it is
        more than the page is for.
    """
    if (cause := bounds.too_long(text)) is not None:
        raise InputError([Problem(NAME, None, None, cause)])
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    file = parse(text, NAME)
    _refuse(file, bounds.of_data(file.data))
    foreign = list(_places(file.data))
    if foreign:
        raise InputError(_with_the_rest(file, foreign))
    scenario = load_text(text, NAME)
    if changes:
        scenario = scenario.with_(changes)
    _refuse(file, bounds.of_scenario(scenario))
    return scenario


def _refuse(file: TomlFile, wrong: Iterable[bounds.Wrong]) -> None:
    found = [_problem(file, one) for one in wrong]
    if found:
        raise InputError([*file.problems, *found])


def _problem(file: TomlFile, wrong: bounds.Wrong) -> Problem:
    path, cause, remedy = wrong
    return Problem(NAME, file.line(path), show(path, file.places.single()), cause, remedy)


def _with_the_rest(file: TomlFile, foreign: list[bounds.Wrong]) -> list[Problem]:
    """Add the other problems of a text, found as if the name of a file were not there."""
    refused = [_problem(file, one) for one in foreign]
    said = {one.key for one in refused}
    for path, _, _ in foreign:
        table: Any = file.data
        for step in path[:-1]:
            table = table[step]
        table[path[-1]] = None  # no loader takes this as a name, and it is reported above
    try:
        file.bring_up_to_date("scenario")
        read_tables(Reading(file, problems=list(file.problems)), None)
    except InputError as error:
        refused += [one for one in error.problems if one.key not in said]
    return sorted(refused, key=lambda one: one.line or 0)


def _places(data: dict[str, Any]) -> Iterator[bounds.Wrong]:
    """Whatever names a file of this computer."""
    for name, key in _CARDS:
        for path, table in _tables(data, name):
            card = table.get(key)
            if isinstance(card, str) and card not in _cards() and _leads_away(card):
                cause = f"{quote(card)} is not a card of the catalogue; the page reads no files"
                yield (*path, key), cause, "give a name that raidsim models lists"
    for path, table in _tables(data, "load"):
        if "trace" in table:
            cause = "traces are not replayed on the page, which reads no files"
            yield (*path, "trace"), cause, "use raidsim run"


def _tables(data: dict[str, Any], name: str) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """The tables of a kind, whether there is one or a list of them, with their paths."""
    found = data.get(name)
    if isinstance(found, dict):
        yield (name,), found
    elif isinstance(found, list):
        for number, table in enumerate(found):
            if isinstance(table, dict):
                yield (name, number), table


def _leads_away(name: str) -> bool:
    """Return whether a name could be more than that of a card in a folder."""
    return places.looks_like_path(name) or not name.isprintable() or ":" in name


@cache
def _cards() -> frozenset[str]:
    return frozenset(places.names())

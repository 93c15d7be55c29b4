"""The most often changed keys of a scenario, as a form beside its text.

Only the text counts: the form shows its content, and changes a line of it. All other lines stay as
they were written, comments too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.catalogue import catalogue
from raidsim.cards.toml_file import TomlFile, parse, show
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, Problem
from raidsim.page.text import NAME
from raidsim.scenario.fields import Choice
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.models import ControllerKeys, HostKeys, Measure, VolumeKeys
from raidsim.scenario.overrides import value_of
from raidsim.scenario.part import Part

MOST_SHOWN = 4
"""Tables of a kind that the form shows: more are changed in the text."""

_SIZES = (*(f"{1 << n} KiB" for n in range(2, 10)), "1 MiB")
_SHARES = tuple(f"{share} %" for share in range(0, 101, 10))


@dataclass(frozen=True)
class Key:
    """A key that the form shows.

    Attributes
    ----------
    label : what it is called there.
    cards : kinds of cards that it names, if it names one.
    steps : values that a slider goes through; none where there is no slider for it.
    """

    name: str
    label: str
    cards: tuple[str, ...] = ()
    steps: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Kind:
    """Tables of one kind, and their keys in the form."""

    name: str
    model: type[Part]
    title: str
    keys: tuple[Key, ...]
    several: bool = True


KINDS = (
    Kind("host", HostKeys, "Host", (Key("model", "Server", ("host",)),), several=False),
    Kind("controller", ControllerKeys, "Controller", (Key("model", "Card", ("controller",)),)),
    Kind(
        "volume",
        VolumeKeys,
        "Volume",
        (
            Key("level", "RAID level"),
            Key("drives", "Drives", steps=tuple(range(1, 25))),
            Key("drive", "Drive", DRIVE_KINDS),
            Key("strip", "Strip", steps=_SIZES),
            Key("write", "Write cache"),
            Key("read_ahead", "Read-ahead"),
            Key("filled", "Filled", steps=_SHARES[1:]),
        ),
    ),
    Kind(
        "load",
        LoadSpec,
        "Load",
        (
            Key("read", "Reads", steps=_SHARES),
            Key("random", "Random", steps=_SHARES),
            Key("size", "Block size", steps=("512 B", "1 KiB", "2 KiB", *_SIZES)),
            Key("outstanding", "Outstanding", steps=tuple(1 << n for n in range(10))),
            Key("rate", "Rate"),
        ),
    ),
    Kind("measure", Measure, "Measurement", (Key("precision", "Precision"),), several=False),
)
_BY_NAME = {kind.name: kind for kind in KINDS}


def form(text: str) -> list[dict[str, Any]]:
    """The form of a text: groups of fields, each as the page draws it."""
    data = parse(text, NAME).data
    groups = []
    for kind in KINDS:
        for path, table in _shown(kind, data):
            name = table.get("name")
            title = f"{kind.title} {name}" if isinstance(name, str) and kind.several else kind.title
            fields = [_field(kind, key, path, table) for key in kind.keys if _counts(key, table)]
            groups.append({"title": title, "fields": fields})
    return groups


def edited(text: str, path: KeyPath, value: str) -> str:
    """The text with another value of a key; an empty one takes the key away.

    Raises
    ------
    InputError
        If the form has no such key, or the text is not TOML.
    """
    kind = _BY_NAME.get(str(path[0])) if path else None
    known = kind is not None and any(key.name == path[-1] for key in kind.keys)
    if not known or len(value) > 200:
        raise InputError([Problem(NAME, None, None, "the form has no such key")])
    file = parse(text, NAME)
    if file.problems:
        raise InputError(file.problems)
    there = _at(file.data, path)
    value = value.strip()
    if not value:
        return text if there is None else _without(file, path)
    meant = _meant(value)
    if there is None:
        return _with_line(file, path, meant)
    return _with_value(file, path, meant)


# -- what is shown ------------------------------------------------------------------------------


def _shown(kind: Kind, data: dict[str, Any]) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    found = data.get(kind.name)
    if not kind.several:
        yield (kind.name,), found if isinstance(found, dict) else {}
    elif isinstance(found, list):
        for number, table in enumerate(found[:MOST_SHOWN]):
            if isinstance(table, dict):
                yield (kind.name, number), table


def _counts(key: Key, table: dict[str, Any]) -> bool:
    """Return whether a key may be in the table: of two that exclude each other, one."""
    other = {"outstanding": "rate", "rate": "outstanding"}.get(key.name)
    if other is not None and key.name not in table:
        return other not in table and key.name == "outstanding"
    return not (key.name == "size" and "sizes" in table)


def _field(kind: Kind, key: Key, path: KeyPath, table: dict[str, Any]) -> dict[str, Any]:
    info = kind.model.model_fields[key.name]
    choice = next((one for one in info.metadata if isinstance(one, Choice)), None)
    words = _cards(key.cards) if key.cards else choice.words if choice else ()
    default = info.get_default()
    written = table.get(key.name)
    return {
        "path": [*path, key.name],
        "key": show((*path, key.name)),
        "label": key.label,
        "help": _sentence(info.description or ""),
        "words": list(words),
        "steps": [_written(step) for step in key.steps],
        "value": "" if written is None else _written(written),
        "default": "" if info.is_required() or default is None else _written(default),
        "needed": info.is_required(),
    }


@cache
def _cards(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(card.name for card in catalogue() if card.kind in kinds)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _written(value: Any) -> str:
    """A value as the form shows it: without quotes and brackets."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_written, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- what is changed ----------------------------------------------------------------------------


def _meant(text: str) -> Any:
    """Return the meaning of a text of the form: numbers, a list with commas, or a word."""
    if "," not in text:
        found = value_of(text)
        return found if isinstance(found, int | float) else text
    parts = [_meant(part.strip()) for part in text.split(",") if part.strip()]
    return parts[0] if len(parts) == 1 else parts


def _at(data: Any, path: KeyPath) -> Any:
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            data = data[step]
        else:
            return None
    return data


def _with_value(file: TomlFile, path: KeyPath, value: Any) -> str:
    """The text with another value where there is one; what is behind it in its line stays."""
    try:
        document = tomlkit.parse(file.text)
    except TOMLKitError as error:
        raise InputError([Problem(NAME, None, None, str(error))]) from None
    table: Any = document
    for step in path[:-1]:
        table = table[step]
    table[path[-1]] = value
    return tomlkit.dumps(document)


def _without(file: TomlFile, path: KeyPath) -> str:
    """The text without the lines of a key."""
    lines = file.text.split("\n")
    for one in file.places.statements:
        if one.path == path and not one.header:
            del lines[one.first - 1 : one.last]
            return "\n".join(lines)
    raise InputError([Problem(NAME, file.line(path), show(path), "is not on a line of its own")])


def _with_line(file: TomlFile, path: KeyPath, value: Any) -> str:
    """The text with one more line, behind the last key of its table."""
    lines = file.text.split("\n")
    added = f"{path[-1]} = {tomlkit.item(value).as_string()}"
    table = path[:-1]
    behind = None
    for one in file.places.statements:
        own = one.path == table and one.header
        key = one.path[:-1] == table and not one.header and behind is not None
        if own or key:
            behind = one.last
    if behind is not None:
        lines.insert(behind, added)
    elif len(table) == 1 and table[0] not in file.data:
        lines = [*"\n".join(lines).rstrip("\n").split("\n"), "", f"[{table[0]}]", added, ""]
    else:
        raise InputError([Problem(NAME, None, show(path), "cannot be put into the text there")])
    text = "\n".join(lines)
    try:
        tomllib.loads(text)
    except ValueError:
        cause = "cannot be put into the text there"
        raise InputError([Problem(NAME, None, show(path), cause)]) from None
    return text

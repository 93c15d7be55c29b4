"""What mistakes are made in: shipped scenarios, cards and claims, and small files of each kind."""

from __future__ import annotations

import copy
import importlib
import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from raidsim import disksim
from raidsim.cards.toml_file import TomlFile, parse
from raidsim.resources import data_folder
from tests.fuzz import mistakes, right

DATA = Path(__file__).parents[1] / "data"
HOST = {"model": "fujitsu-rx2540-m1"}
MADE_UP = 1000
LOAD = {"read": "67 %", "size": "8 KiB", "outstanding": 4}
FLASH, DISK = {"drive": "intel-p3700-800gb"}, {"drive": "seagate-st373455ss"}
RAID = {**DISK, "level": "raid5", "drives": 4}
CONTROLLER = {"model": "lsi-megaraid-1078-512"}
SMALL: tuple[dict[str, Any], ...] = (
    {"host": HOST, "volume": [FLASH], "load": [LOAD]},
    {"host": HOST, "volume": [RAID], "load": [LOAD]},
    {"host": HOST, "controller": [CONTROLLER], "volume": [RAID], "load": [LOAD]},
    {"host": HOST, "volume": [DISK], "machine": [{"reads": 10, "writes": 5}]},
    {"host": HOST, "volume": [RAID], "load": [LOAD],
     "event": [{"kind": "drive-failure", "at": "1 s", "drive": 0}]},
    {"host": HOST, "volume": [{**FLASH, "name": "fast"}, {**RAID, "name": "large"}],
     "hybrid": [{"front": "fast", "back": "large"}], "load": [LOAD]},
)  # fmt: skip


def keep_cards() -> None:
    """Read each shipped card once: nobody changes them meanwhile."""
    catalogue: Any = importlib.import_module("raidsim.cards.catalogue")
    catalogue.find = cache(catalogue.find)
    cards: Any = importlib.import_module("raidsim.cards")
    cards.catalogue = cache(cards.catalogue)
    cards.load = catalogue.load = cache(catalogue.load)


def _data(folder: str) -> list[dict[str, Any]]:
    paths = sorted(data_folder(folder).rglob("*.toml"))
    return [tomllib.loads(path.read_text()) for path in paths]


@cache
def scenarios() -> list[dict[str, Any]]:
    """The data of every shipped scenario."""
    return _data("scenarios")


@cache
def cards() -> list[dict[str, Any]]:
    """The data of every shipped card."""
    return _data("models")


@cache
def measured() -> dict[str, Any]:
    """The data of the card of a disk that was measured."""
    disk = disksim.read_disk([str(DATA / "disksim" / "atlas_III.parv")])
    return tomllib.loads(disksim.card_text(disk))


@cache
def claims() -> list[dict[str, Any]]:
    """The data of every shipped file of claims; cards that only these use lie beside them."""
    return [one for one in _data("validation") if "claim" in one]


def scenario(random: Random) -> dict[str, Any]:
    """A shipped scenario, a small one, or one made up from tables of all kinds."""
    kind = random.random()
    if kind < 0.2:
        return dict(random.choice(scenarios()))
    if kind < 0.8:
        return dict(random.choice(SMALL))
    return made_up(random.randrange(MADE_UP))


def soon(random: Random, data: dict[str, Any]) -> None:
    """Let the events of a scenario happen within the first ms."""
    events = data.get("event")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict):
            event["at"] = random.choice(("0 s", "0 s", "1 us", "0.5 ms", "1 ms"))


@cache
def made_up(number: int) -> dict[str, Any]:
    """A scenario of a few tables, each key of which has a value that is allowed there."""
    random = Random(number)
    data: dict[str, Any] = {"host": HOST}
    few, some = (0, 0, 0, 1), (0, 1, 1, 2)
    numbers = {
        "controller": some, "link": few, "volume": (1, 1, 2), "hybrid": few, "load": (1, 1, 2),
        "machine": few, "event": (0, 0, 1, 2, 4),
    }  # fmt: skip
    for name, choices in numbers.items():
        tables = [
            right.table(random, name, data, random.choice([0.05, 0.15, 0.3]))
            for _ in range(random.choice(choices))
        ]
        if tables:
            data[name] = tables
    for volume in data["volume"]:
        if random.random() < 0.8:
            volume["drive"] = random.choice(
                ("intel-p3700-800gb", "nl-sas-2tb", "seagate-st373455ss")
            )
    for name in ("air", "measure"):
        if random.random() < 0.3:
            data[name] = right.table(random, name, data)
    return data


def card(random: Random) -> dict[str, Any]:
    """A part of a shipped card, on which it is based, or seldom all of it."""
    if random.random() < 0.1:
        return copy.deepcopy(measured())
    whole = random.choice(cards())
    if random.random() < 0.1 or "base" in whole:
        return dict(whole)
    sections = [key for key, value in whole.items() if isinstance(value, dict)]
    kept = random.sample(sections, min(len(sections), 2))
    head = {key: whole[key] for key in ("name", "kind", "title")}
    return head | {"base": whole["name"]} | {key: whole[key] for key in kept}


def claim_file(random: Random) -> dict[str, Any]:
    """A shipped file of claims, of which a few are left."""
    whole = random.choice(claims())
    number = random.choice([1, 1, 1, 2])
    return whole | {"claim": random.sample(whole["claim"], min(number, len(whole["claim"])))}


def file(random: Random, data: dict[str, Any], name: str) -> TomlFile:
    """The data as a file that was read: at once, or through its text, which may be damaged."""
    data = in_utf8(data)
    if random.random() < 0.6:
        return TomlFile(name, data=data)
    text = mistakes.text_of(data)
    text = mistakes.damaged(random, text) if random.random() < 0.4 else text
    return parse(in_utf8(text), name)


def in_utf8(data: Any) -> Any:
    """The data without halves of characters, which no file in UTF-8 can hold."""
    if isinstance(data, str):
        return data.encode(errors="replace").decode()
    if isinstance(data, dict):
        return {in_utf8(key): in_utf8(value) for key, value in data.items()}
    return [in_utf8(value) for value in data] if isinstance(data, list) else data


def override(random: Random, data: dict[str, Any]) -> str:
    """What somebody may write behind --set, right or wrong."""
    name = random.choice([*right.TABLES, "event", "title", "seed", "x", ""])
    model = right.TABLES.get(name) or random.choice(right.EVENTS)
    key = random.choice(list(right.keys_of(model)))
    value = (
        right.of_key(random, model, key, data) if random.random() < 0.5 else mistakes.odd(random)
    )
    if key == "set" or random.random() < 0.2:
        key = "set"
    if key == "set":
        attribute, value = right.setting(random)
        key = f"set.{attribute}"
    if random.random() < 0.3:
        value = mistakes.odd(random, value)
    index = random.choice(["", "", "", "", "[0]", "[1]", "[*]", "[999999]", ".data", "[0][0]"])
    inner = random.choice(["", "", "", "", "", ".size", "[0]", ".x.y", "."])
    written = mistakes.text_of({"v": value})[len("v = ") :].strip() if value is not None else ""
    if random.random() < 0.5:
        written = written.strip('"')
    text = f"{name}{index}.{key}{inner}={written}"
    return mistakes.damaged(random, text) if random.random() < 0.1 else text

"""From tables as TOML gave them to checked values, with every problem collected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from raidsim.cards.toml_file import TomlFile, show
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import InputError, Problem, nearest_key, quote, the_first
from raidsim.scenario.fields import PROBLEM, Choice, Count
from raidsim.scenario.load_spec import Burst, Hot, Limit, SizeShare, Zone
from raidsim.scenario.machine_spec import Image
from raidsim.scenario.part import Area, Part
from raidsim.scenario.replay import Replay

OVERRIDE = "--set"
"""What messages name as the file of an override."""

LISTS = ("controller", "link", "volume", "hybrid", "load", "machine", "event")
"""Tables that a scenario may have several of."""

Values = Mapping[str, Any]
"""Values of a table by field, in base units: those that are right. Nobody changes them."""

_INLINE: dict[str, Any] = {
    "area": Area, "burst": Burst, "hot": Hot, "image": Image, "limit": Limit,
    "sizes": SizeShare, "trace": Replay, "zones": Zone,
}  # fmt: skip


@dataclass
class Reading:
    """One scenario while it is read: its data, and what was found wrong so far.

    Attributes
    ----------
    file : the TOML file, with the line of every path; its data may have overrides applied.
    overridden : paths that ``--set`` gave a value (or took away).
    override : what messages name as the file of those.
    options : paths that have an option of their own, as ``--seed``, and its name.
    alone : whether its event is to happen in a system that runs already: then what went before is
        not known here.
    """

    file: TomlFile
    overridden: set[KeyPath] = field(default_factory=set)
    override: str = OVERRIDE
    options: dict[KeyPath, str] = field(default_factory=dict)
    alone: bool = False
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, file: TomlFile) -> Reading:
        """A file, with what is wrong with it as TOML.

        Raises
        ------
        InputError : so much of it is lost that checks of its content would mislead.
        """
        reading = cls(file, problems=list(file.problems))
        if not file.complete:
            reading.raise_if_wrong()
        return reading

    @property
    def data(self) -> dict[str, Any]:
        """The tables of the file."""
        return self.file.data

    def problem(self, path: KeyPath, cause: str, remedy: str | None = None) -> None:
        """Note what is wrong with the value at a path."""
        key = show(path, self._single()) or None
        if path in self.options:
            self.problems.append(Problem(None, None, self.options[path], cause, remedy))
        elif self._is_overridden(path):
            self.problems.append(Problem(self.override, None, key, cause, remedy))
        else:
            self.problems.append(Problem(self.file.name, self.file.line(path), key, cause, remedy))

    def note(self, path: KeyPath, found: Iterable[tuple[str, str, str | None]]) -> None:
        """Note what is wrong with keys of the table at a path: key, cause and remedy."""
        for key, cause, remedy in found:
            self.problem((*path, key), cause, remedy)

    def is_broken(self, path: KeyPath) -> bool:
        """Return whether the file gives this value, but not in TOML that can be read."""
        return path in self.file.broken

    def raise_if_wrong(self) -> None:
        """End with an InputError that holds every problem, in the order of the file."""
        if not self.problems:
            return
        ordered = sorted(self.problems, key=lambda p: (p.file == self.override, p.line or 0))
        raise InputError(the_first(ordered, self.file.name))

    def _is_overridden(self, path: KeyPath) -> bool:
        """Return whether an override gave the value at a path, or made the table there."""
        if any(path[: len(given)] == given for given in self.overridden):
            return True
        made = any(given[: len(path)] == path for given in self.overridden)
        return made and path not in self.file.places.lines

    def _single(self) -> frozenset[str]:
        return frozenset(
            name for name, value in self.data.items() if isinstance(value, list) and len(value) == 1
        )


def read_part(reading: Reading, model: type[Part], table: Any, path: KeyPath) -> Values:
    """Values of one table, by field: those that are right, defaults where nothing is written.

    What is wrong is noted in `reading` and its field is left out of the answer.
    """
    if not isinstance(table, dict):
        name = str(path[0])
        form = f"[[{name}]]" if name in LISTS else f"[{name}]"
        reading.problem(path, "is not a table", f"write {form} on a line of its own")
        return {}
    bad = {str(p[len(path)]) for p in reading.file.broken if p[: len(path)] == path and p != path}
    names = fields_of(model)
    bad &= set(names)
    try:
        part = model.model_validate({k: v for k, v in table.items() if k not in bad})
    except ValidationError as error:
        try:
            found = error.errors(include_url=False, include_input=False)
        except UnicodeEncodeError:  # half of a character, which JSON lets through
            reading.problem(path, "holds text that is not UTF-8")
            return {}
        for details in found:
            name = str(details["loc"][0]) if details["loc"] else ""
            if details["type"] == "missing" and name in bad:
                continue
            bad.add(name)
            _explain(reading, model, table, path, details)
        return _the_good_ones(model, table, bad)
    return {name: getattr(part, name) for key, name in names.items() if key not in bad}


@cache
def fields_of(model: type[Part]) -> dict[str, str]:
    """The fields of a table, by the keys that the file writes."""
    return {info.alias or name: name for name, info in model.model_fields.items()}


def _the_good_ones(model: type[Part], table: Mapping[str, Any], bad: set[str]) -> dict[str, Any]:
    """Each field on its own, so that checks can still speak about what is right."""
    values: dict[str, Any] = {}
    for key, name in fields_of(model).items():
        info = model.model_fields[name]
        if key in bad or (key not in table and info.is_required()):
            continue
        if key in table or info.validate_default:
            written = table[key] if key in table else info.get_default(call_default_factory=True)
            values[name] = _adapter(model, name).validate_python(written)
        else:
            values[name] = info.get_default(call_default_factory=True)
    return values


_ELSEWHERE = {
    "iodepth": "outstanding", "queue_depth": "outstanding", "qd": "outstanding",
    "threads": "workers", "numjobs": "workers", "jobs": "workers", "processes": "workers",
    "bs": "size", "blocksize": "size", "block_size": "size", "block": "size",
    "bssplit": "sizes", "blockalign": "align", "rwmixread": "read",
    "iops": "rate", "rate_iops": "rate", "number_ios": "limit",
    "sync": "fua", "dsync": "fua", "o_dsync": "fua", "force": "fua",
    "fsync": "flush_every", "fdatasync": "flush_every", "thinktime": "think",
    "latency_target": "within", "latency_percentile": "within_percentile", "stonewall": "after",
    "chunk": "strip", "chunk_size": "strip", "stripe_size": "strip", "disks": "drives",
    "raid": "level", "hot_spares": "spares",
}  # fmt: skip
"""What fio, mdadm and utilities of controllers call keys."""
_IN_WORDS = {
    "rw": 'write read = "100 %" and random = "100 %" for what fio calls randread',
    "runtime": 'write limit = { time = "60 s" }',
}
"""Keys of loads that have no single counterpart, or one of another form."""


@cache
def _adapter(model: type[Part], name: str) -> TypeAdapter[Any]:
    info = model.model_fields[name]
    kind: Any = info.annotation
    for extra in info.metadata:
        kind = Annotated[kind, extra]
    return TypeAdapter(kind)


def _explain(
    reading: Reading, model: type[Part], table: Any, base: KeyPath, details: ErrorDetails
) -> None:
    """Turn an error of pydantic into a problem in words of the file."""
    location = _path_in(table, details["loc"])
    path = base + location
    kind = details["type"]
    context = details.get("ctx", {})
    known: Collection[str] = fields_of(model)
    if len(location) > 1:
        inline = _INLINE.get(str(location[0]))
        known = inline._fields if inline else ()
    if kind == PROBLEM:
        reading.problem(path, str(context["cause"]), context.get("remedy"))
    elif kind in ("extra_forbidden", "unexpected_keyword_argument"):
        reading.problem(path, "unknown key", _called_here(str(location[-1]), known))
    elif kind in ("missing", "missing_argument"):
        reading.problem(path, "is missing", _how_to_write(model, str(location[0])))
    elif kind == "dict_type":
        reading.problem(path, "is not a table", "write { key = value, ... }")
    elif kind in ("tuple_type", "list_type"):
        reading.problem(path, "is not a list", "write [ ... ]")
    elif kind == "too_short":
        reading.problem(path, "is an empty list", "give at least one")
    else:
        reading.problem(path, details["msg"][:1].lower() + details["msg"][1:])


def _called_here(key: str, known: Collection[str]) -> str:
    """Return the name here of what other programs call so, or a key that is like it."""
    if key.casefold() in _IN_WORDS and "outstanding" in known:  # of a load
        return _IN_WORDS[key.casefold()]
    name = _ELSEWHERE.get(key.casefold())
    if name == "size" and "block" in known:  # a hybrid has both
        name = "block"
    return f'it is called "{name}" here' if name in known else nearest_key(key, known)


def _path_in(table: Any, location: tuple[int | str, ...]) -> KeyPath:
    """The part of pydantic's location that the file has too: a lone value is no list."""
    path: KeyPath = ()
    value = table
    for step in location:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            break
        path += (step,)
    return path


def _how_to_write(model: type[Part], name: str) -> str | None:
    examples = {
        "model": 'write model = "fujitsu-rx2540-m1"',
        "drive": 'write drive = "intel-p3700-800gb"',
        "read": 'write read = "100 %" for reads only',
        "at": 'write at = "10 s": when it happens, from the start of measuring',
    }
    found = model.model_fields.get(name)
    if found is None:
        return None
    for reader in found.metadata:
        if isinstance(reader, Count):
            return f"write {name} = {reader.low}, for example: {found.description}"
        if isinstance(reader, Choice):
            return f"write {name} = {' or '.join(quote(word) for word in reader.words)}"
    return examples.get(name)

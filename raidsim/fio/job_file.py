"""Job files of fio as loads: sections, `[global]`, `include`, `${VAR}`, groups, lines of options.

What fio does that `configparser` does not is done before: comments also end lines, options may be
indented, two sections may have one name, and a `[global]` is for the sections behind it.
"""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from raidsim.errors import InputError, Problem, quote, refuse
from raidsim.fio import values
from raidsim.fio.option_words import ALIASES
from raidsim.fio.playing import Note, Played, play
from raidsim.fio.values import flag
from raidsim.measured.job import Direction, MeasuredJob
from raidsim.measured.text_file import read_text

MOST_BYTES = 4 * 2**20
MOST_SECTIONS = 1000
DEEPEST = 8  # files that include one another
GLOBAL = "global"
_SECTION = re.compile(r"\[(.*)\]\s*$")
_INCLUDE = re.compile(r"include\s+(\S.*)")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_COMMENT = re.compile(r"[;#].*")
_FULL_SPEED = Direction(None, 0, float("inf"), 0.0, 0.0)
_NOTHING = Direction(0, 0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int


@dataclass(frozen=True)
class FileJob:
    """A job of a job file.

    Attributes
    ----------
    options : its own, and those of `[global]` before it that it does not have.
    places : where each option stands, by its name.
    group : from 1; each `stonewall` waits for all before it, and begins another.
    """

    name: str
    place: Place
    options: Mapping[str, str]
    places: Mapping[str, Place]
    group: int


@dataclass
class Loads:
    """Loads for the jobs of a group.

    Attributes
    ----------
    tables : `[[load]]` tables, as a scenario has them.
    remarks : options that are not simulated, with their places and what that means.
    without_effect : options that change nothing of the I/Os, by job.
    """

    tables: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)
    without_effect: dict[str, list[str]] = field(default_factory=dict)


def read_jobs(name: str | PathLike[str]) -> list[FileJob]:
    """The jobs of a job file, in order.

    Raises
    ------
    InputError
        It cannot be read, is no job file, or needs a variable that is not set.
    """
    lines = list(_lines(Path(name), str(name), 0))
    _refuse_toml(str(name), "\n".join(text for _, text in lines))
    parser = configparser.ConfigParser(
        interpolation=None, strict=False, allow_no_value=True, delimiters=("=",),
        comment_prefixes=(), default_section="\0",
    )  # fmt: skip
    heads: list[tuple[str, Place]] = []
    places: list[dict[str, Place]] = []
    numbered = []
    for place, text in lines:
        if match := _SECTION.match(text):
            heads.append((match[1].strip(), place))
            places.append({})
            numbered.append(f"[{len(heads) - 1}]")
            continue
        if not heads:
            refuse(place.file, f"{quote(text)} comes before the first section", line=place.line)
        places[-1][text.partition("=")[0].strip().lower()] = place
        numbered.append(text)
    if not heads:
        refuse(str(name), "holds no section", "give a job file of fio")
    if len(heads) > MOST_SECTIONS:
        refuse(str(name), f"holds more than {MOST_SECTIONS} sections")
    try:
        parser.read_string("\n".join(numbered))
    except configparser.Error as error:
        line = getattr(error, "lineno", None) or (getattr(error, "errors", None) or [(1,)])[0][0]
        place = lines[min(max(line, 1), len(lines)) - 1][0]
        refuse(place.file, "is not a line of a job file", line=place.line)
    return list(_jobs(parser, heads, places, str(name)))


def _refuse_toml(name: str, text: str) -> None:
    """Refuse a scenario or a card in place of a job file; a value in quotes is none of fio's."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    values = [one for table in tables.values() if isinstance(table, dict) for one in table.values()]
    if any(isinstance(one, str | list) for one in (*tables.values(), *values)):
        cause = "is TOML, as scenarios and cards of raidsim are, and not a job file of fio"
        refuse(name, cause, "give a job file, or the scenario to the command that runs it")


def _lines(path: Path, shown: str, depth: int) -> Iterator[tuple[Place, str]]:
    """Lines that say something, without comments and blanks, those of included files too."""
    for number, raw in enumerate(read_text(path, MOST_BYTES, "job file").split("\n"), 1):
        text = _COMMENT.sub("", raw).strip()
        if not text:
            continue
        place = Place(shown, number)
        if (match := _INCLUDE.fullmatch(text)) and "=" not in text:
            if depth >= DEEPEST:
                refuse(shown, "files include each other without end", line=number)
            other = path.parent / match[1].strip()
            for inner, line in _lines(other, str(other), depth + 1):
                if _SECTION.match(line):
                    cause = "an included file has sections, which fio does not allow"
                    refuse(inner.file, cause, line=inner.line)
                yield inner, line
            continue
        yield place, _filled_in(text, place)


def _filled_in(text: str, place: Place) -> str:
    """A line with the values of the variables of the environment that it names."""
    for name in _VARIABLE.findall(text):
        if name not in os.environ:
            cause, remedy = f"the variable {name} is not set", f"set it: {name}=VALUE raidsim ..."
            refuse(place.file, cause, remedy, line=place.line)
    return _VARIABLE.sub(lambda found: os.environ[found[1]], text)


def _jobs(
    parser: configparser.ConfigParser,
    heads: list[tuple[str, Place]],
    places: list[dict[str, Place]],
    file: str,
) -> Iterator[FileJob]:
    shared: dict[str, str] = {}
    shared_places: dict[str, Place] = {}
    group, begun = 1, False
    for number, (name, place) in enumerate(heads):
        own = {
            ALIASES.get(option, option): "1" if value is None else value.strip()
            for option, value in parser.items(str(number))
        }
        where = {ALIASES.get(option, option): one for option, one in places[number].items()}
        if name.lower() == GLOBAL:
            shared |= own
            shared_places |= where
            continue
        options = shared | own
        if begun and "stonewall" in options and flag(options["stonewall"]):
            group += 1
        begun = True
        yield FileJob(name, place, options, shared_places | where, group)
    if not begun:
        refuse(file, "holds no job", "write one section for each job")


def _unknown(_job: FileJob) -> int | None:
    return None


def loads_of(
    jobs: list[FileJob],
    group: int | None = None,
    capacity: Callable[[FileJob], int | None] = _unknown,
) -> Loads:
    """The loads that jobs ask for.

    Groups follow each other: a load of a later one begins ``after`` one of the group before. All
    but those of the last have the end that their jobs have.

    Parameters
    ----------
    group
        Which one, from 1, alone; None for all.
    capacity
        Tells the bytes of the volume that a job is to run on; None if they are not known: then
        shares are refused.

    Raises
    ------
    InputError
        There is no such group, a job cannot be played, or nothing ends a group with others behind.
    """
    groups: dict[int, list[FileJob]] = {}
    for job in jobs:
        groups.setdefault(job.group, []).append(job)
    if group is not None and group not in groups:
        refuse(jobs[0].place.file, f"has no group {group}", f"give 1 to {len(groups)}")
    chosen = groups if group is None else {group: groups[group]}
    found = Loads()
    refused: list[Problem] = []
    names: set[str] = set()
    before: str | None = None
    for number, some in chosen.items():
        is_last = number == max(chosen)
        tables = []
        for job in some:
            directions = {"read": _FULL_SPEED, "write": _NOTHING, "trim": _NOTHING}
            room = capacity(job)
            played = play(MeasuredJob(job.name, 0, 0, job.options, directions), room)
            refused += [_problem(job, note) for note in played.refused]
            limit = None if is_last or played.refused else _limit(job, played, room)
            found.remarks += [
                _problem(job, note)
                for note in played.notes
                if not (limit and note.option in ("number_ios", "io_size"))
            ]
            found.without_effect[job.name] = sorted(played.without_effect)
            table = {"name": _name(job.name, names)} | _ordered(played)
            if before is not None:
                table["after"] = before
            if limit:
                table["limit"] = limit
            tables.append(table)
        if not is_last and not refused and not any("limit" in table for table in tables):
            cause = f"group {number} does not end ({', '.join(table['name'] for table in tables)})"
            refuse(some[0].place.file, cause, "give size or runtime, or take one with --group N")
        found.tables += tables
        before = tables[0]["name"]
    if refused:
        raise InputError(refused)
    return found


def _limit(job: FileJob, played: Played, capacity: int | None) -> dict[str, Any]:
    """Return the keys of a load that say where a job ends: time, I/Os, or all of its size."""
    options = job.options
    base = 1000 if options.get("kb_base") == "1000" else 1024
    workers = int(played.table.get("workers", 1))
    limit: dict[str, Any] = {}
    try:
        if seconds := values.seconds(options.get("runtime", "0")):
            limit["time"] = f"{seconds:.10g} s"
        if "number_ios" in options:
            limit["ios"] = workers * values.count(options["number_ios"], 1, values.MOST, base)
        if not flag(options.get("time_based", "0")) and (
            size := options.get("io_size", options.get("size"))
        ):
            limit["bytes"] = f"{workers * values.size(size, base, capacity)} B"
    except values.Unreadable as error:
        problem = Problem(job.place.file, job.place.line, job.name, f"its end {error}")
        raise InputError([problem]) from None
    return limit


def _problem(job: FileJob, note: Note) -> Problem:
    """Return a problem of an option at its place, or of a missing one at that of the job."""
    place = job.places.get(note.option, job.place)
    given = f"{note.option}={note.value}" if note.value else note.option
    return Problem(place.file, place.line, f"{job.name}: {given}", note.meaning)


def _name(name: str, taken: set[str]) -> str:
    """A name for a load that no other has."""
    name = name or "job"
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name} {number}"
    taken.add(found)
    return found


_ORDER = ("read", "trim", "random", "size", "sizes", "align", "area", "workers", "partitions")


def _ordered(played: Played) -> dict[str, Any]:
    """The keys of a load in the order in which scenarios have them."""
    table = played.table
    first = {key: table[key] for key in _ORDER if key in table}
    return first | {key: value for key, value in table.items() if key not in first}

"""From the files that people have to a scenario that runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from raidsim import disksim
from raidsim.assembly.drives import kind_of
from raidsim.cards.loader import read_card
from raidsim.errors import InputError, Problem, quote
from raidsim.importing.formats import (
    DISKSIM,
    FORMATS,
    OF_LOADS,
    OF_STATISTICS,
    Format,
    format_of,
    named,
)
from raidsim.importing.loads import load_tables
from raidsim.importing.model import Found
from raidsim.importing.plan import plan
from raidsim.importing.source import Source, sources_of
from raidsim.importing.together import join
from raidsim.importing.wishes import Wishes
from raidsim.importing.writing import write
from raidsim.scenario.scenario import load_text


@dataclass(frozen=True)
class Imported:
    """The result of an import.

    Attributes
    ----------
    text : the scenario, or only tables of loads; of a disk in DiskSim's files its card.
    is_whole : it is a scenario that runs, or a card.
    guesses : lines of it that no file says.
    remarks : what was not understood or not taken over.
    """

    text: str
    is_whole: bool
    guesses: list[str] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)


def import_files(
    names: Sequence[str],
    *,
    form: str | None = None,
    arrays: Sequence[str] = (),
    wishes: Wishes | None = None,
) -> Imported:
    """Read files and write a scenario of what they say together.

    Parameters
    ----------
    names
        Files, or folders of them.
    form
        Name of the format of all of them; None to recognise each.
    arrays
        Names of the arrays or devices that are meant; all if empty.
    wishes
        What statistics of a load leave open.

    Raises
    ------
    InputError
        A file cannot be read or used; or what they say cannot be said in a scenario.
    """
    wishes = wishes or Wishes()
    if form in (None, DISKSIM) and any(_describes_a_disk(name, form) for name in names):
        idle = _without_effect(wishes, [])
        if arrays:
            idle.append(_has_no_effect("--array", "for the card of a disk"))
        if idle:
            raise InputError(idle)
        return _card_of_a_disk(names)
    found = read_files(names, form, wishes, arrays)
    if not (found.drives or found.arrays or found.controllers):
        if not (found.works or found.activities):
            shown = found.remarks[:20]
            cause = "says nothing about drives, arrays or loads"
            raise InputError([*shown, Problem(names[0], None, None, cause)])
        if arrays:
            cause = "where no file tells of arrays or drives"
            raise InputError([_has_no_effect("--array", cause)])
        tables = load_tables(found, [], wishes)
        guesses = [guess for table in tables for guess in table.guesses]
        text = "\n".join(table.render() for table in tables)
        return Imported(text, False, guesses, _in_order(found.remarks))
    system = join(found)
    volumes = plan(system, found, arrays)
    if not volumes:
        cause = "describes no drives for a volume"
        problem = Problem(names[0], None, None, cause, "give files that list drives or arrays")
        raise InputError([*_in_order(found.remarks)[:20], problem])
    written = write(found, system, volumes, wishes, names)
    try:
        load_text(written.text, "the scenario that was made")
    except InputError as error:
        raise InputError([_at_its_source(one, written.text) for one in error.problems]) from None
    return Imported(written.text, True, written.guesses, _in_order(found.remarks))


def _describes_a_disk(name: str, form: str | None) -> bool:
    """Return whether a file holds the parameters of a disk as DiskSim takes them."""
    path = Path(name)
    if form == DISKSIM:
        return True
    return path.suffix in disksim.SUFFIXES and path.is_file() and disksim.is_disksim(path)


def _card_of_a_disk(names: Sequence[str]) -> Imported:
    disk = disksim.read_disk(names)
    text = disksim.card_text(disk)
    try:
        card = read_card(text, "the card that was made")
        kind_of(card).check(card)
    except InputError as error:
        said = (f"{p.key}: {p.cause}" if p.key else p.cause for p in error.problems[:5])
        cause = f"cannot be simulated: {'; '.join(said)}"
        raise InputError([Problem(names[0], None, None, cause)]) from None
    assumed = [name for name, source in card.sources.items() if source.source == "assumed"]
    guess = f"{', '.join(assumed)}: not in DiskSim's files"
    return Imported(text, True, [guess], disk.remarks)


def read_files(
    names: Sequence[str], form: str | None, wishes: Wishes, arrays: Sequence[str] = ()
) -> Found:
    """All that files say; what a folder holds and nobody reads is remarked.

    Files of loads are read last: their sizes in percent are of the volumes of the others, of that
    on the device which a load names, or of the largest.

    Raises
    ------
    InputError
        Files that were named cannot be used: all of them are said.
    """
    chosen, remarks, wrong = _chosen(names, form)
    if not wrong:
        wrong += _without_effect(wishes, [one for one, _ in chosen])
    found = Found(remarks=remarks)
    chosen.sort(key=lambda one: FORMATS.index(one[0]))
    for one, source in [each for each in chosen if each[0] not in OF_LOADS]:
        _read(one, source, found, wrong)
    if wishes.capacity is None and not wrong and (found.arrays or found.drives):
        volumes = plan(join(found), found, arrays)
        sizes = {one: volume.size for volume in volumes for one in volume.devices if volume.size}
        largest = volumes[0].size or None if volumes else None
        wishes = replace(wishes, capacity=largest, capacities=sizes)
    for one, source in [each for each in chosen if each[0] in OF_LOADS]:
        _read(one, replace(source, wishes=wishes), found, wrong)
    if wrong:
        raise InputError(wrong)
    return found


def _without_effect(wishes: Wishes, formats: Sequence[Format]) -> list[Problem]:
    """Return problems of options that have no effect on these files, or beside another option."""
    of_statistics = {
        "--outstanding": wishes.outstanding is not None,
        "--at-rate": wishes.at_rate,
        "--random": wishes.random is not None,
        "--device": wishes.device is not None,
    }
    of_jobs = {"--group": wishes.group is not None, "--capacity": wishes.capacity is not None}
    problems = []
    for kind, given, words in (
        (OF_STATISTICS, of_statistics, "where no file is of statistics"),
        (OF_LOADS, of_jobs, "where no file describes jobs"),
    ):
        if not any(one in kind for one in formats):
            names = ", ".join(one.NAME for one in kind)
            asked = [option for option, is_given in given.items() if is_given]
            problems += [_has_no_effect(option, f"{words} ({names})") for option in asked]
    if not problems and wishes.outstanding is not None and wishes.at_rate:
        problems.append(_has_no_effect("--at-rate", "beside --outstanding"))
    return problems


def _has_no_effect(option: str, where: str) -> Problem:
    return Problem(None, None, option, f"has no effect {where}", "leave it out")


def _chosen(
    names: Sequence[str], form: str | None
) -> tuple[list[tuple[Format, Source]], list[Problem], list[Problem]]:
    """The files with their formats; what is passed over, and what is wrong."""
    given = named(form) if form is not None else None
    chosen: list[tuple[Format, Source]] = []
    remarks: list[Problem] = []
    wrong: list[Problem] = []
    for name in names:
        try:
            sources, unread = sources_of(name)
        except InputError as error:
            wrong += error.problems
            continue
        remarks += [problem for error in unread for problem in error.problems]
        for source in sources:
            try:
                chosen.append((given or format_of(source), source))
            except InputError as error:
                if source.name == name:
                    wrong += error.problems
                else:
                    cause = "has no known format, and is left out"
                    remarks.append(Problem(source.name, None, None, cause))
    return chosen, remarks, wrong


def _read(one: Format, source: Source, found: Found, wrong: list[Problem]) -> None:
    try:
        found.add(one.read(source))
        if source.is_json:
            for line, text in source.json.skipped:
                found.remark(source.at(line), None, f"{quote(text)} is not JSON, and is left out")
            for place, key in source.json.repeated:
                found.remark(place, quote(key), "is given twice here: the last value is used")
    except InputError as error:
        wrong += error.problems


def _in_order(remarks: list[Problem]) -> list[Problem]:
    """Each remark once, file by file and line by line."""
    once = list(dict.fromkeys(remarks))
    return sorted(once, key=lambda one: (one.file or "", one.line or 0))


def _at_its_source(problem: Problem, text: str) -> Problem:
    """Return a problem of the scenario with the line of the file that it comes from."""
    lines = text.split("\n")
    line = lines[problem.line - 1] if problem.line and problem.line <= len(lines) else ""
    _, _, source = line.partition(" # ")
    cause = f"{problem.cause} (from {source.strip()})" if source else problem.cause
    return Problem(None, None, problem.key, f"cannot be simulated: {cause}", problem.remedy)

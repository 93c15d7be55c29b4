"""From the files that people have to a scenario that runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raidsim.errors import InputError, Problem
from raidsim.importing.formats import FORMATS, format_of, named
from raidsim.importing.loads import load_tables
from raidsim.importing.model import Found
from raidsim.importing.plan import plan
from raidsim.importing.source import sources_of
from raidsim.importing.together import join
from raidsim.importing.wishes import Wishes
from raidsim.importing.writing import write
from raidsim.scenario.scenario import load_text


@dataclass(frozen=True)
class Imported:
    """What came of an import.

    Attributes
    ----------
    text : the scenario, or only tables of loads.
    is_whole : it is a scenario that runs.
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
    found = read_files(names, form, wishes)
    if not (found.drives or found.arrays or found.controllers):
        if not (found.works or found.activities):
            shown = found.remarks[:20]
            cause = "says nothing of drives, arrays or loads"
            raise InputError([*shown, Problem(names[0], None, None, cause)])
        tables = load_tables(found, [], wishes)
        guesses = [guess for table in tables for guess in table.guesses]
        text = "\n".join(table.render() for table in tables)
        return Imported(text, False, guesses, _in_order(found.remarks))
    system = join(found)
    volumes = plan(system, found, arrays)
    if not volumes:
        cause = "describes no drives that a volume could be made of"
        problem = Problem(names[0], None, None, cause, "give files that list drives or arrays")
        raise InputError([*_in_order(found.remarks)[:20], problem])
    written = write(found, system, volumes, wishes, names)
    try:
        load_text(written.text, "the scenario that was made")
    except InputError as error:
        raise InputError([_at_its_source(one, written.text) for one in error.problems]) from None
    return Imported(written.text, True, written.guesses, _in_order(found.remarks))


def read_files(names: Sequence[str], form: str | None, wishes: Wishes) -> Found:
    """All that files say; what a folder holds and nobody reads is remarked.

    Raises
    ------
    InputError
        Files that were named cannot be used: all of them are said.
    """
    given = named(form) if form is not None else None
    parts: list[tuple[int, Found]] = []
    wrong: list[Problem] = []
    remarks: list[Problem] = []
    for name in names:
        try:
            sources, unread = sources_of(name, wishes)
        except InputError as error:
            wrong += error.problems
            continue
        is_folder = len(sources) + len(unread) > 1 or any(one.name != name for one in sources)
        remarks += [problem for error in unread for problem in error.problems]
        for source in sources:
            try:
                one = given or format_of(source)
            except InputError as error:
                known = "is of no format that is known, and is left out"
                passed = [Problem(source.name, None, None, known)] if is_folder else error.problems
                (remarks if is_folder else wrong).extend(passed)
                continue
            try:
                parts.append((FORMATS.index(one), one.read(source)))
            except InputError as error:
                wrong += error.problems
            except RecursionError:
                wrong.append(Problem(source.name, None, None, "is nested too deeply"))
    if wrong:
        raise InputError(wrong)
    found = Found(remarks=remarks)
    for _, part in sorted(parts, key=lambda one: one[0]):
        found.add(part)
    return found


def _in_order(remarks: list[Problem]) -> list[Problem]:
    """Each remark once, file by file and line by line."""
    once = list(dict.fromkeys(remarks))
    return sorted(once, key=lambda one: (one.file or "", one.line or 0))


def _at_its_source(problem: Problem, text: str) -> Problem:
    """What is wrong with the scenario, said of the line that it is from."""
    lines = text.split("\n")
    line = lines[problem.line - 1] if problem.line and problem.line <= len(lines) else ""
    _, _, source = line.partition(" # ")
    cause = f"{problem.cause} (from {source.strip()})" if source else problem.cause
    return Problem(None, None, problem.key, f"cannot be simulated: {cause}", problem.remedy)

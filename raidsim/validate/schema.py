"""The files in ``validation/``: reading them, and making claims of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from raidsim.cards import toml_file
from raidsim.cards.places import exists, looks_like_path
from raidsim.errors import InputError, Problem, quote, suggest, the_first
from raidsim.resources import data_folder
from raidsim.validate.claim_tables import ClaimFile, ClaimTable, known_keys
from raidsim.validate.claims import (
    CardValue,
    Claim,
    Contradicts,
    Performance,
    ScenarioValue,
    Shape,
)
from raidsim.validate.contradictions import excluded
from raidsim.validate.facts import FACTS
from raidsim.validate.metrics import METRICS


def load(folder: Path | None = None) -> list[Claim]:
    """Return the claims of all files, in the order of file names and lines.

    Parameters
    ----------
    folder
        Where the files are; None for raidsim's own.

    Raises
    ------
    InputError
        Problems of all files at once, each with file and line.
    """
    folder = data_folder("validation") if folder is None else folder
    claims: list[Claim] = []
    problems: list[Problem] = []
    paths = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not paths:
        cause = "holds no files of claims" if folder.is_dir() else "is not a folder"
        remedy = "name a folder with files as in docs/reference/claims.md"
        problems.append(Problem(str(folder), None, None, cause, remedy))
    for path in paths:
        try:
            claims += load_file(path)
        except InputError as error:
            problems += error.problems
    problems += _repeated(claims) + _unfounded(claims)
    if not claims and not problems:
        problems.append(Problem(str(folder), None, None, "holds no claims", "write [[claim]]"))
    if problems:
        raise InputError(problems)
    return claims


def load_file(path: Path) -> list[Claim]:
    """Return the claims of one file; raise InputError with all its problems."""
    return read_claims(toml_file.read_text(path, str(path)), path)


def read_claims(text: str, path: Path) -> list[Claim]:
    """Return the claims of the text of a file; raise InputError with all its problems."""
    return from_file(toml_file.parse(text, str(path)), path)


def from_file(file: toml_file.TomlFile, path: Path) -> list[Claim]:
    """Return the claims that the data of a file states; raise InputError with all its problems."""
    if file.problems:
        raise InputError(file.problems)
    file.bring_up_to_date("claims")
    _seen_from(path.parent, file.data)
    try:
        parsed = ClaimFile.model_validate(file.data)
    except ValidationError as error:
        problems = [_problem(file, one) for one in error.errors()]
        raise InputError(the_first(problems, file.name)) from None
    claims = [
        _claim(parsed, one, path, partial(file.line, ("claim", i)))
        for i, one in enumerate(parsed.claim)
    ]
    problems = [
        Problem(str(path), claim.line, claim.id, cause)
        for claim in claims
        for cause in _impossible(claim)
    ]
    if problems:
        raise InputError(problems)
    return claims


def _seen_from(folder: Path, data: Any) -> None:
    """Make paths of scenarios those seen from a folder, where there are such files."""
    if isinstance(data, dict):
        named = data.get("scenario")
        if isinstance(named, str) and looks_like_path(named) and exists(folder / named):
            data["scenario"] = str(folder / named)
    for one in data.values() if isinstance(data, dict) else data:
        if isinstance(one, dict | list):
            _seen_from(folder, one)


def _claim(
    parsed: ClaimFile, one: ClaimTable, path: Path, find_line: Callable[[], int | None]
) -> Claim:
    subject: Performance | CardValue | ScenarioValue
    if one.run is not None and one.metric in FACTS:
        overrides = parsed.overrides + one.run.overrides
        subject = ScenarioValue(one.run.scenario, overrides, one.metric)
        unit = one.unit or "1"
    elif one.run is not None and one.metric is not None:
        usual, before = parsed.intensities, parsed.overrides
        subject = Performance(
            run=one.run.measurement(one.metric, usual, one.shape, before),
            against=(
                None
                if one.against is None
                else one.against.measurement(one.metric, usual, None, before)
            ),
            shape=None if one.shape is None else Shape(one.shape.kind, one.shape.at),
        )
        unit = "1" if one.against or one.shape else METRICS[one.metric].unit
    else:
        subject = CardValue(one.card or "", one.key or "", one.of)
        unit = one.unit or "1"
    # What is read off a card or a scenario is known exactly: it is inside the rounding, or wrong.
    measured = isinstance(subject, Performance)
    usual_tolerance: float = getattr(parsed.tolerance, one.relation) if measured else 0.0
    return Claim(
        id=one.id,
        document=parsed.document,
        section=one.section,
        relation=one.relation,
        role=one.role,
        published=one.published if one.published is not None else one.factor or 1.0,
        rounding=one.rounding,
        tolerance=usual_tolerance if one.tolerance is None else one.tolerance,
        why=one.why or (parsed.tolerance.why if measured else "read, not measured"),
        subject=subject,
        unit=unit,
        title=parsed.title,
        is_basis=parsed.basis,
        printed=one.printed,
        lacks=one.lacks,
        structure=one.structure,
        contradicts=None
        if one.contradicts is None
        else Contradicts(
            one.contradicts.claims, one.contradicts.kind, one.contradicts.times, one.contradicts.why
        ),
        note=one.note,
        explanation=one.explanation,
        path=path,
        find_line=find_line,
        system=one.system or "",
    )


def _impossible(claim: Claim) -> list[str]:
    """Return messages for a claim that its intensities make impossible; empty if none is."""
    if not isinstance(claim.subject, Performance):
        return []
    run, against, shape = claim.subject.run, claim.subject.against, claim.subject.shape
    wrong = []
    if shape is not None and len(run.intensities) < 2:
        wrong.append("a shape needs two intensities or more")
    if shape is not None and shape.at is not None and shape.at not in run.intensities:
        wrong.append(f"the shape's {shape.at} outstanding I/Os are not among the intensities")
    if (
        against is not None
        and {"each", "mean"} & {run.reduction, against.reduction}
        and (run.reduction, run.intensities) != (against.reduction, against.intensities)
    ):
        wrong.append(
            'curves are compared at equal intensities: give both runs at = "each", or "mean"'
        )
    return wrong


def _problem(file: toml_file.TomlFile, error: Any) -> Problem:
    """Return the problem that pydantic found, with its line in the file."""
    path = tuple(error["loc"])
    cause = str(error["msg"]).removeprefix("Value error, ")
    cause = cause[:1].lower() + cause[1:]
    remedy = None
    if error["type"] == "extra_forbidden":
        cause, remedy = "unknown key", suggest(str(path[-1]), known_keys(path))
    elif error["type"] == "tuple_type":
        cause = "is not a list"
        remedy = "write [[claim]] above each claim" if path[-1] == "claim" else "write [ ... ]"
    elif error["type"] == "missing":
        cause = "is missing"
    elif error["type"] == "string_pattern_mismatch":
        cause = f"{quote(error['input'])} is not an id"
        remedy = "write lower-case letters, digits, dots and hyphens"
    elif error["type"] == "literal_error":
        cause = f"{quote(error['input'])} is none of {error['ctx']['expected']}"
    return Problem(file.name, file.line(path), toml_file.show(path), cause, remedy)


def _repeated(claims: list[Claim]) -> list[Problem]:
    first: dict[str, Claim] = {}
    problems = []
    for claim in claims:
        earlier = first.setdefault(claim.id, claim)
        if earlier is not claim:
            cause = f"the id is already that of {earlier.path}:{earlier.line}"
            problems.append(Problem(str(claim.path), claim.line, claim.id, cause, "ids are unique"))
    return problems


def _unfounded(claims: list[Claim]) -> list[Problem]:
    """Return contradictions that are none: both figures can be right, or there is no such claim."""
    known = {(claim.document, claim.id): claim for claim in claims}
    problems = []
    for claim in claims:
        if claim.contradicts is None:
            continue
        others = [known.get((claim.document, one)) for one in claim.contradicts.claims]
        present = [one for one in others if one is not None]
        if len(present) < len(others):
            cause, remedy = "names a claim that its document does not have", "name it by its id"
        elif excluded(claim, present):
            continue
        else:
            cause = "other published figures allow values for which this claim would hold"
            remedy = "leave the key out"
        key = f"{claim.id}: contradicts"
        problems.append(Problem(str(claim.path), claim.line, key, cause, remedy))
    return problems

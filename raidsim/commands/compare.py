"""The command ``raidsim compare``: systems side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    ClusterAddress,
    HtmlFile,
    JsonFile,
    Seed,
    StoreFile,
    WithUnknowns,
    WorkerCount,
    draws,
    folder_of,
    kept_in,
    named_as_options,
    quantity_of,
    stdout,
    targets_of,
)
from raidsim.errors import InputError, Problem, quote

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from raidsim.planning.prices import Prices
    from raidsim.report.output import Target
    from raidsim.result import Result
    from raidsim.scenario import Scenario
    from raidsim.studies.comparison import Comparison

app = typer.Typer(rich_markup_mode=None)


@app.command("compare", cls=WithUnknowns)
def compare_command(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...",
            show_default=False,
            help="Scenarios, or results that raidsim run --json wrote. The first is the base.",
        ),
    ],
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="KEY=VALUE[; ...]",
            help="Add a system: the first one with other values. May be repeated.",
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a key in all systems. May be repeated."
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            min=1, max=1000, metavar="N", help="Runs of each system, with the same seeds."
        ),
    ] = 5,
    seed: Seed = None,
    within: Annotated[
        str | None,
        typer.Option(metavar="TIME", help='Find the highest load within a latency, as "2 ms".'),
    ] = None,
    percentile: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Share of the I/Os that must be within TIME; by default their mean latency"
            " must be.",
        ),
    ] = None,
    no_states: Annotated[
        bool, typer.Option("--no-states", help="Do not run the degraded and rebuilding states.")
    ] = False,
    no_risk: Annotated[
        bool, typer.Option("--no-risk", help="Assess neither rebuilds nor the risk of data loss.")
    ] = False,
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Prices of hardware and energy, as for plan: the costs are compared too.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Precision of the throughput of each run."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Show all percentiles, and all values of cards that differ."),
    ] = False,
    unknowns: Annotated[
        int | None,
        typer.Option(
            metavar="[N]",
            help="Show which differences remain with other plausible card values: N draws, by"
            " default 64.",
        ),
    ] = None,
    store: StoreFile = None,
    workers: WorkerCount = None,
    cluster: ClusterAddress = None,
    json: JsonFile = None,
    html: HtmlFile = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw the curves; FILE ends in .png or .svg."),
    ] = None,
) -> None:
    """Compare systems: what differs, by how much, and how sure that is."""
    from raidsim.report import output
    from raidsim.report.progress import Bar, shown

    targets = targets_of(json, html, plot)
    named = shown(_read, systems, variants or [], overrides or [], seed)
    output.check((one for one in targets.values() if one), inputs=[*_files(systems), store, prices])
    from raidsim.studies.compare import compare
    from raidsim.studies.store import default_path

    share, priced = _share(percentile, within), _prices(prices)
    kept = folder_of("--store", store, "file") or default_path()
    with (
        kept_in(kept),
        Bar() as bar,
        named_as_options(
            systems=systems,
            seeds=seeds,
            within=within,
            percentile=percentile,
            precision=precision,
            unknowns=unknowns,
        ),
    ):
        found = compare(
            *named.values(),
            names=list(named),
            seeds=seeds,
            within=within,
            percentile=share,
            unknowns=draws(unknowns),
            states=not no_states,
            risk=not no_risk,
            prices=priced,
            precision=precision,
            store=kept,
            workers=workers,
            cluster=cluster,
            progress=bar.on_job,
        )

    def show() -> None:
        from raidsim.report import compare_text

        compare_text.print_comparison(found, stdout(), every=every)

    output.deliver(_contents(found, targets), show)
    _tell_what_cannot_be_built(named.values())


def _share(percentile: str | None, within: str | None) -> float | None:
    """Return the share of the I/Os that must be within the latency; None if no limit is given."""
    share = quantity_of("--percentile", percentile, "share")
    if share is not None and within is None:
        cause = "has no effect without --within"
        raise InputError([Problem(None, None, "--percentile", cause, "give a latency as well")])
    return share


def _prices(path: str | None) -> Prices | None:
    """The prices of a file, if there is one."""
    from raidsim.planning.prices import read_prices

    return None if path is None else read_prices(path)


def _contents(found: Comparison, targets: dict[str, Target | None]) -> dict[Target, bytes]:
    """Return the content of each file."""
    contents: dict[Target, bytes] = {}
    if target := targets["json"]:
        from raidsim.report import json_file

        contents[target] = json_file.render(found.to_dict())
    if target := targets["plot"]:
        from raidsim.report import compare_plot

        contents[target] = compare_plot.render(found, target.suffix)
    if target := targets["html"]:
        from raidsim.report import compare_page

        contents[target] = compare_page.render(found)
    return contents


def _tell_what_cannot_be_built(systems: Iterable[Scenario | Result]) -> None:
    """Say on standard error why a system can't be bought as it is."""
    from raidsim.report.link_findings import cannot_be_built
    from raidsim.result import Result
    from raidsim.studies.comparison import letter

    for number, system in enumerate(systems):
        for finding in () if isinstance(system, Result) else cannot_be_built(system):
            typer.echo(f"{letter(number)}: {finding}", err=True)


@dataclass(frozen=True)
class _Asked:
    """A system that is asked for: its label, its file, its changes, and its option ``--with``."""

    label: str
    name: str
    changes: list[str]
    option: str = ""


def _read(
    systems: list[str], variants: list[str], overrides: list[str], seed: int | None
) -> dict[str, Scenario | Result]:
    """Read what is compared, by name; report the problems of all files at once."""
    from raidsim import scenario as scenarios
    from raidsim.result import Result

    found: dict[str, Scenario | Result] = {}
    problems = [_changes_nothing(text) for text in variants if not _changes(text)]
    asked = [_Asked(_called(name), name, overrides) for name in systems]
    asked += [
        _Asked(text, systems[0], [*overrides, *_changes(text)], _option(text)) for text in variants
    ]
    for system in asked:
        is_result = system.name.endswith(".json") and not variants
        if is_result and (overrides or seed is not None):
            problems.append(_has_been_run(system.name, "--set" if overrides else "--seed"))
        try:
            found[_unique(system.label, found)] = (
                Result.read(system.name)
                if is_result
                else scenarios.load(system.name, overrides=system.changes, seed=seed)
            )
        except InputError as error:
            problems += _new_problems(error, system.option, problems)
    if problems:
        raise InputError(dict.fromkeys(problems))
    return found


def _option(text: str) -> str:
    """The option that a variant was given by, as messages name it."""
    return f"--with {quote(text)}"


def _changes_nothing(text: str) -> Problem:
    remedy = "give a change, e.g. --with load.outstanding=32"
    return Problem(None, None, _option(text), "changes nothing", remedy)


def _has_been_run(name: str, option: str) -> Problem:
    cause = "cannot change a result: it has been run"
    return Problem(name, None, option, cause, "give scenarios in place of results")


def _new_problems(error: InputError, option: str, known: list[Problem]) -> list[Problem]:
    """Problems of a system, or of a variant those that the system itself does not have."""
    if not option:
        return list(error.problems)
    return [_of_variant(one, option) for one in error.problems if one not in known]


def _of_variant(problem: Problem, option: str) -> Problem:
    """A problem of an override, with the option that it was given by."""
    from raidsim.scenario.reading import OVERRIDE

    if problem.file != OVERRIDE:
        return problem
    remedy = problem.remedy and problem.remedy.replace(OVERRIDE, "--with")
    return replace(problem, file=option, remedy=remedy)


def _called(name: str) -> str:
    """Return the name of a file in tables."""
    return Path(name).stem if Path(name).suffix in (".toml", ".json") else name


def _unique(label: str, taken: Container[str]) -> str:
    """A label that no other system has: the second of a name is ``name (2)``."""
    unique, number = label, 1
    while unique in taken:
        number += 1
        unique = f"{label} ({number})"
    return unique


def _changes(text: str) -> list[str]:
    """The changes of one variant."""
    return [one.strip() for one in text.split(";") if one.strip()]


def _files(systems: list[str]) -> list[str]:
    return [name for name in systems if Path(name).is_file()]

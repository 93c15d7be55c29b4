"""A sweep: one scenario, run with all values of the keys that are varied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raidsim.errors import InputError, Problem, named_as_arguments, quote
from raidsim.result import Result
from raidsim.scenario import Scenario
from raidsim.studies.arguments import MOST_RUNS, StudyArguments
from raidsim.studies.effects import Effects, effects
from raidsim.studies.expected import MANY, Expected, OnExpected
from raidsim.studies.figures import COLUMN, COLUMNS
from raidsim.studies.store import Store
from raidsim.studies.study import Outcome, Variant, run_variants
from raidsim.studies.vary import Axis, Between, Changes, between, parse_axis, variants
from raidsim.workers.engine import OnProgress

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

PRECISE_IOS = 50_000
"""I/Os that a point measures at a precision of 1 %, as scenarios have it by default."""

LEAST_IOS = 2_000

Row = dict[str, Any]


@dataclass(frozen=True)
class Sweep:
    """The result of a sweep.

    Attributes
    ----------
    title : of the scenario.
    keys : that were varied, in order.
    outcomes : one for each variant: what was changed, its status and reason, and its figures.
    """

    title: str
    keys: tuple[str, ...]
    outcomes: tuple[Outcome, ...] = field(repr=False)

    def __hash__(self) -> int:
        """Return a hash of what was varied; figures are in dicts, which have none."""
        return hash((self.title, self.keys, len(self.outcomes)))

    @property
    def rows(self) -> list[Row]:
        """A tidy table: a row for each point of each variant.

        Columns: "variant" (its number, from 0), the keys, "status", "reason", and the figures
        (docs/reference/studies.md). A variant that could not be run has a row too, without figures.
        """
        return [
            {
                "variant": number,
                **one.variant.changes,
                "status": one.status,
                "reason": one.reason,
                **figures,
            }
            for number, one in enumerate(self.outcomes)
            for figures in (one.rows or [dict.fromkeys(COLUMN)])
        ]

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the table."""
        return ["variant", *self.keys, "status", "reason", *(column.name for column in COLUMNS)]

    def result(self, variant: int) -> Result | None:
        """The whole result of a variant; None if it could not be run.

        Raises
        ------
        InputError
            There is no variant of that number.
        """
        check = StudyArguments("result()")
        number = check.whole("variant", variant, 0, len(self.outcomes) - 1)
        check.raise_if_wrong()
        return self.outcomes[number].result

    def effects(self, figure: str = "iops") -> Effects:
        """Return the share of the variance of a figure that each key explains.

        Raises
        ------
        InputError
            There is no such figure, or it does not vary.
        """
        self.check(figure, "effects")
        return effects(self.rows, self.keys, figure)

    def check(self, name: str, option: str) -> None:
        """Refuse what is no column of the table.

        Raises
        ------
        InputError
            With the columns that there are.
        """
        if name not in self.columns:
            cause = f"{quote(name)} is neither a key that was varied nor a figure"
            remedy = f"there are {', '.join(self.columns)}"
            raise InputError([Problem(None, None, option, cause, remedy)])

    # What follows is drawn and written by `raidsim.report`, a layer above.

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write the table as CSV.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        self._write(path, "to_csv()")

    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the table as JSON, with what was varied; return the text without a path.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        from raidsim.report import output, sweep_files  # noqa: PLC0415

        return output.as_json(sweep_files.to_dict(self), path)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the table as Parquet: needs ``raidsim[parquet]``.

        Raises
        ------
        InputError
            If pyarrow is not there, or the file cannot be written.
        """
        self._write(path, "to_parquet()")

    def _write(self, path: str | PathLike[str], method: str) -> None:
        from raidsim.report import output, sweep_files  # noqa: PLC0415

        form = method.removeprefix("to_").removesuffix("()")
        target = output.target_of(path, method)
        output.write({target: sweep_files.RENDER[form](self)})

    def to_frame(self) -> DataFrame:
        """Return the table for pandas.

        Raises
        ------
        ImportError
            If pandas is not there: ``pip install "raidsim[pandas]"``.
        """
        from raidsim.report import frame  # noqa: PLC0415

        return frame.of_sweep(self)

    def plot(self, x: str | None = None, y: str = "iops", by: str | None = None) -> Figure:
        """Draw one column over another, a line for each value of a third.

        Parameters
        ----------
        x
            A key or a figure; None for the key with the most values.
        by
            A key; None for another one that was varied, if there is one.

        Raises
        ------
        InputError
            There is no such column, or nothing to draw.
        """
        from raidsim.report import sweep_plot  # noqa: PLC0415

        return sweep_plot.figure(self, x, y, by)


def sweep(
    scenario: Scenario,
    vary: Mapping[str | tuple[str, ...], Any] | None = None,
    *,
    sample: Mapping[str, str] | None = None,
    samples: int = 0,
    where: str | None = None,
    seeds: int = 1,
    precision: str | None = None,
    store: str | PathLike[str] | Store | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: OnProgress | bool | None = None,
) -> Sweep:
    """Run a scenario with all values of some keys, each with each.

    Parameters
    ----------
    scenario
        What is varied.
    vary
        Values by keys: a list, or a range as a text ("4..24:4", "4 KiB..1 MiB*2"). A tuple of keys
        has a list of tuples: keys that go together.
    sample
        Keys whose values are drawn, with their ends as a text: "0 %..100 %", "1..256 log".
    samples
        How many times they are drawn, as a Latin hypercube.
    where
        A condition on the keys; variants for which it is not true are left out.
    seeds
        How many seeds each variant is run with: that of the scenario, and those behind it.
    precision
        Of the throughput, such as "5 %", in place of the scenario's; a point then measures as few
        I/Os as that takes.
    store
        A SQLite file in which results are kept: what it has is not run again.
    workers
        Processes; None for one per processor.
    cluster
        Address of the scheduler of a Dask cluster: needs ``raidsim[cluster]``.
    progress
        True shows a bar; a function is called with ``done``, ``total`` and ``label``.

    Raises
    ------
    InputError
        An argument is wrong, or no value of a key can be used. A single variant that cannot be run
        is a row with its reason.
    KeyboardInterrupt
        At Ctrl-C; what was finished is in the store.

    Examples
    --------
    >>> found = raidsim.sweep(scenario, {"volume.level": ["raid5", "raid10"]})  # doctest: +SKIP
    >>> found.to_frame()  # doctest: +SKIP
    """
    check = StudyArguments("sweep()")
    check.scenario(scenario)
    check.table("vary", vary or None)
    for key, ends in check.table("sample", sample or None).items():
        check.text(f"sample: {key}", ends)
    check.whole("samples", samples, 0, MOST_RUNS)
    check.text("where", where)
    if sample and samples == 0:
        check.wrong("samples", "no number of draws is given", "give 64, for example")
    if samples and not sample:
        check.wrong("samples", "has no effect without sample", "give what is drawn")
    if not (vary or sample or seeds != 1):
        check.wrong("vary", "nothing is varied", 'give {"volume.drives": [4, 6, 8]}, for example')
    check.whole("seeds", seeds, 1, MOST_RUNS)
    check.runs_on(store=store, cluster=cluster, progress=progress)
    check.raise_if_wrong()
    with named_as_arguments():
        axes = [_axis(keys, values) for keys, values in (vary or {}).items()]
        drawn = [between(f"{key}={ends}", "sample") for key, ends in (sample or {}).items()]
        asked = Asked(scenario, axes, drawn, samples, where, seeds, precision)
        with opened(store) as kept, telling(progress) as on_progress:
            return asked.run(kept, workers=workers, cluster=cluster, on_progress=on_progress)


@dataclass(frozen=True)
class Asked:
    """A sweep that is asked for: see :func:`sweep`."""

    scenario: Scenario
    axes: Sequence[Axis]
    drawn: Sequence[Between] = ()
    samples: int = 0
    where: str | None = None
    seeds: int = 1
    precision: str | None = None
    command: str = "raidsim.sweep()"

    def run(
        self,
        store: Store | None,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        on_progress: OnProgress | None = None,
        on_expected: OnExpected | None = None,
    ) -> Sweep:
        """Run it."""
        base = self._base()
        changes = self.changes(base)
        if on_expected is not None and len(changes) >= MANY:
            on_expected(Expected(len(changes)))  # to prepare a million takes a while, too
        study = None if store is None else store.begin(base.title, self.command, changes)
        found = run_variants(
            [Variant(base, one) for one in changes],
            store=store,
            study=study,
            workers=workers,
            cluster=cluster,
            on_progress=on_progress,
            on_expected=on_expected,
        )
        keys = tuple(dict.fromkeys(key for one in changes for key in one))
        return Sweep(base.title, keys, tuple(found))

    def check_columns(self, wanted: Mapping[str, str]) -> None:
        """Refuse what will be no column of the table, before anything is run.

        Parameters
        ----------
        wanted
            Names of columns, by the options that ask for them.

        Raises
        ------
        InputError
            There will be no such column.
        """
        keys = [key for axis in self.axes for key in axis.keys] + [one.key for one in self.drawn]
        table = Sweep("", (*keys, *(["seed"] if self.seeds > 1 else [])), ())
        for option, name in wanted.items():
            table.check(name, option)

    def changes(self, base: Scenario) -> list[Changes]:
        """Return the changes of each variant."""
        if self.drawn and self.samples < 1:
            self._refuse("samples", "no number of draws is given", "give --samples 64")
        if self.seeds < 1:
            self._refuse("seeds", f"{self.seeds} is not a number of seeds", "give 1 or more")
        axes = [*self.axes]
        if self.seeds > 1:
            axes.append(Axis(("seed",), tuple((base.seed + n,) for n in range(self.seeds))))
        if not axes and not self.drawn:
            self._refuse("vary", "nothing is varied", "give --vary volume.drives=4,6,8")
        found = variants(axes, self.drawn, samples=self.samples, seed=base.seed, where=self.where)
        for one in axes:
            self._check(base, one)
        return found

    def _refuse(self, option: str, cause: str, remedy: str) -> None:
        raise InputError([Problem(None, None, option, cause, remedy)])

    def _check(self, base: Scenario, one: Axis) -> None:
        """Refuse an axis of which no step can be used alone: a key that does not exist, mostly.

        One whose steps need those of another axis is not refused: then the other one's do too.
        """
        problems = []
        for step in one.steps[:4]:
            try:
                base.with_(step)
            except InputError as error:
                problems += error.problems
                continue
            return
        unknown = [p for p in problems if p.key is not None and "unknown key" in p.cause]
        if len(self.axes) + len(self.drawn) == 1 or unknown:
            raise InputError(
                replace(one, file="--vary") for one in dict.fromkeys(unknown or problems)
            )

    def _base(self) -> Scenario:
        return at_precision(self.scenario, self.precision)


def at_precision(scenario: Scenario, precision: str | None) -> Scenario:
    """The scenario with another precision, whose points measure as few I/Os as that takes.

    Raises
    ------
    InputError
        The precision is none.
    """
    if precision is None:
        return scenario
    try:
        made = scenario.with_("measure.precision", precision)
    except InputError as error:
        raise InputError(
            replace(one, file=None, key="precision") if one.key == "measure.precision" else one
            for one in error.problems
        ) from None
    if "min_ios" in scenario.source.file.data.get("measure", {}):
        return made
    wanted = max(LEAST_IOS, round(PRECISE_IOS * (0.01 / made.measure.precision) ** 2))
    wanted = min(wanted, made.measure.min_ios) if made.measure.min_ios < PRECISE_IOS else wanted
    return made.with_("measure.min_ios", min(wanted, made.measure.max_ios))


def _axis(keys: str | tuple[str, ...], values: Any) -> Axis:
    """An axis of what a program gives."""
    if isinstance(values, str) and not isinstance(keys, tuple):
        return parse_axis(f"{keys}={values}", "vary")
    name = "+".join(keys) if isinstance(keys, tuple) else keys
    if not isinstance(values, Iterable):
        raise InputError([Problem("sweep()", None, name, "has no list of values", None)])
    steps = [tuple(one) if isinstance(keys, tuple) else (one,) for one in values]
    if not steps:
        cause = "has an empty list of values"
        raise InputError([Problem("sweep()", None, name, cause, "give one value or more")])
    return Axis(keys if isinstance(keys, tuple) else (keys,), tuple(steps))


@contextmanager
def opened(store: str | PathLike[str] | Store | None) -> Iterator[Store | None]:
    """A store of what was given; one that was opened for it is closed again.

    What is read from a result later opens it again.
    """
    if store is None or isinstance(store, Store):
        yield store
        return
    with Store(Path(store)) as made:
        yield made


@contextmanager
def telling(progress: OnProgress | bool | None) -> Iterator[OnProgress | None]:
    """Yield the receiver of a study's progress: a bar for True, a given function, or none."""
    if progress is True:
        from raidsim.report.progress import Bar  # noqa: PLC0415  (the bar of the layer above)

        with Bar() as bar:
            yield bar.on_job
    else:
        yield progress or None

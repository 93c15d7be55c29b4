"""The result of a run, as plain data that every report reads: the whole, with its methods."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

from raidsim import schemas
from raidsim.result.compared import Compared
from raidsim.result.draws import Unknowns
from raidsim.result.facts import HybridFacts, LinkFacts, SystemPower, VolumeFacts
from raidsim.result.figures import Interval
from raidsim.result.point import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

SCHEMA = schemas.of_result(schemas.SCHEMAS["result"].number)


@dataclass(frozen=True)
class Highest:
    """The highest load within a latency; None for its figures if not even the first is within."""

    load: str
    within_ms: float  # the latency asked for
    percentile: float | None  # share of the I/Os that must be within it; None: their mean
    exceeded_at: float | None  # least load found that is not within it; None if all are
    outstanding: int | None = None
    rate: float | None = None
    iops: Interval | None = None
    mbps: float | None = None
    latency_ms: float | None = None  # mean or percentile of all I/Os


@dataclass(frozen=True, repr=False)
class Result:
    """A whole run: what was asked (seed, scenario, versions) and what was found.

    Plain data, which never changes; every field: docs/reference/results.md. A notebook shows it
    as a small table.
    """

    raidsim: str
    seed: int
    scenario: dict[str, Any]
    provenance: dict[str, str]  # versions of packages, hash of the sources
    volumes: list[VolumeFacts]
    links: list[LinkFacts]
    power_w: SystemPower
    points: list[Point]
    highest: Highest | None = None  # of a load that is searched for
    hybrids: list[HybridFacts] = field(default_factory=list)
    interrupted: bool = False  # by Ctrl-C: these are the points that were finished before
    compared: Compared | None = None  # how far models may be off; None: a file does not tell
    unknowns: Unknowns | None = None  # how far it would move if cards were as they might be
    schema: str = SCHEMA

    def __hash__(self) -> int:
        """Return a hash of what is no dict or list; equal results have equal hashes."""
        return hash((self.raidsim, self.seed, len(self.points), self.interrupted, self.schema))

    @property
    def is_carried(self) -> bool:
        """Whether the system carries every load that was asked for.

        A search tries a load up to where it doesn't: of that one it is whether there is an answer.
        """
        found = self.highest
        answered = None if found is None or found.iops is None else found.load
        return not any(point.saturated for point in self.points if point.load != answered)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object, as plain dicts, lists and numbers."""
        return {"schema": self.schema} | asdict(self)

    # What follows is drawn and written by `raidsim.report`, a layer above, which is imported
    # when it is called for.

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | PathLike[str]) -> None: ...
    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the result as JSON, as ``raidsim run --json`` does.

        Parameters
        ----------
        path
            The file to write, whole or not at all; None to get the text instead.

        Returns
        -------
        str or None
            The text, if no path is given.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        from raidsim.report import output  # noqa: PLC0415

        return output.as_json(self.to_dict(), path)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Result:
        """Read a result that :meth:`to_json` or ``raidsim run --json`` wrote: an equal one.

        Raises
        ------
        InputError
            If there is no such file, or it holds no whole result, or one of a newer schema.

        Warns
        -----
        SchemaWarning
            If it is of an older schema: what was changed.
        """
        from raidsim.result.file import read  # noqa: PLC0415  (which makes results itself)

        return read(path)

    def to_frame(self) -> DataFrame:
        """Return the points as a table of pandas: a row for each, units in the names of columns.

        The columns are those of the CSV that ``raidsim run --csv`` writes, without the ones of
        phases (docs/reference/results.md, "Columns of CSV"); what was not measured is NaN.

        Raises
        ------
        ImportError
            If pandas is not there: ``pip install "raidsim[pandas]"``.
        """
        from raidsim.report import frame  # noqa: PLC0415

        return frame.of(self)

    def plot(self) -> Figure:
        """Draw throughput and latency of every load, and courses over time, as ``--plot`` does.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it; ``figure.savefig("result.png")`` writes it.
        """
        from raidsim.report import plot  # noqa: PLC0415

        return plot.figure(self)

    def __repr__(self) -> str:
        from raidsim.report import glance  # noqa: PLC0415

        return glance.text(self)

    def _repr_html_(self) -> str:
        from raidsim.report import glance  # noqa: PLC0415

        return glance.html(self)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after some points of a run were finished: ``result`` holds these."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(f"{len(result.points)} points were finished")

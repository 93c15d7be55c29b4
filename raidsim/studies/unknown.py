"""Figures with unknown values: draws of all cards, each a short run beside the full one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.cards import Card
from raidsim.errors import InputError, Problem, TableOverflowError, quote
from raidsim.progress import OnPoint, PointProgress
from raidsim.result import Interrupted, Point, Result
from raidsim.result.draws import Experiment, Figure, PointUnknowns, Share, Unknowns
from raidsim.running import Progress as RunProgress
from raidsim.running import run as run_alone
from raidsim.running import telling
from raidsim.scenario import LoadSpec, Scenario
from raidsim.scenario.intensity import transfers
from raidsim.studies.measurements import measurement_of
from raidsim.studies.point_figures import (
    Row,
    is_percentile,
    is_throughput,
    row_of,
    sides,
    unit_of,
)
from raidsim.studies.short import measured, shortened
from raidsim.system.tables import SaturationError
from raidsim.unknowns import spread
from raidsim.unknowns.compared import left_out
from raidsim.unknowns.draws import Draws
from raidsim.unknowns.links import most_carried
from raidsim.unknowns.platters import half_turn
from raidsim.unknowns.shares import shares
from raidsim.unknowns.values import UnknownValue
from raidsim.workers.engine import OnProgress, Progress, execute

DRAWS = 64
"""Draws where nobody says how many."""

FEWEST, MOST = spread.FEWEST, 10_000

IOS = 10_000
"""I/Os of the short run of a draw, at least: its rate is known to some 2 %."""

DRAW_SEED = 1
"""Seed of the draws: the same for all scenarios, so that any two can be compared."""


@dataclass(frozen=True)
class Draw:
    """A scenario in one draw of its cards; draw 0 has them as they are."""

    scenario: Scenario
    number: int

    def __str__(self) -> str:
        """Return a label for a progress bar."""
        return f"draw {self.number}"


@dataclass(frozen=True)
class Drawn:
    """The draws of a scenario: a row for each from 0 on, or why there is none."""

    draws: Draws
    scenario: Scenario
    rows: tuple[Row | str, ...]

    @property
    def first(self) -> Row:
        """The row of the cards as they are."""
        row = self.rows[0]
        assert isinstance(row, Row)
        return row

    def figure(self, place: int, name: str) -> list[float | None]:
        """A figure of one point in each draw from 1 on; None where a draw has none."""
        return [
            row.points[place].get(name)
            if isinstance(row, Row) and place < len(row.points)
            else None
            for row in self.rows[1:]
        ]


def run(
    scenario: Scenario,
    *,
    progress: RunProgress = None,
    unknowns: int | bool = False,
) -> Result:
    """Simulate a scenario as :func:`raidsim.running.run` does, and what its cards do not know.

    Parameters
    ----------
    scenario, progress
        As there; draws are told as the end of the last point.
    unknowns
        How many draws of the cards say how far the figures would move if the cards were as they
        might be too: ``result.unknowns``. True is 64 of them, False none.

    Returns
    -------
    Result
        As there; with ``unknowns`` if draws were asked for.

    Raises
    ------
    InputError
        As there, or the number of draws makes no sense.
    Interrupted
        As there; with all points, but without draws, if these were interrupted.
    """
    count = number_of_draws(unknowns)
    result = run_alone(scenario, progress=progress)
    if count == 0:
        return result
    try:
        with telling(progress) as on_point:
            told = None if on_point is None else _as_point(on_point, scenario.points)
            return with_unknowns(result, scenario, count, on_progress=told)
    except KeyboardInterrupt:
        raise Interrupted(replace(result, interrupted=True)) from None


def _as_point(on_point: OnPoint, points: int) -> OnProgress:
    """Tell how many draws are done as a run tells how far its points are."""

    def tell(at: Progress) -> None:
        on_point(PointProgress(points - 1, points, at.label, at.done / at.total, 0.0))

    return tell


def number_of_draws(unknowns: int | bool, usual: int = DRAWS, most: int = MOST) -> int:
    """The number of draws that was asked for: ``usual`` if that is True, 0 for none.

    Raises
    ------
    InputError
        They are too few to tell anything, or more than ``most``.
    """
    if isinstance(unknowns, bool):
        return usual if unknowns else 0
    if isinstance(unknowns, int) and (unknowns == 0 or FEWEST <= unknowns <= most):
        return unknowns
    raise refusal(unknowns, usual, most)


def refusal(unknowns: object, usual: int = DRAWS, most: int = MOST) -> InputError:
    """Return the message for a number of draws that is invalid, too small or too large."""
    shown = quote(unknowns) if isinstance(unknowns, str) else repr(unknowns)
    cause = f"{shown} is {_what_is_wrong(unknowns)}"
    remedy = f"give {FEWEST} to {most:,}, or nothing for {usual}"
    return InputError([Problem(None, None, "unknowns", cause, remedy)])


def _what_is_wrong(unknowns: object) -> str:
    if not isinstance(unknowns, int):
        return "not a number of draws"
    return "too few draws" if unknowns < FEWEST else "too many draws"


def with_unknowns(
    result: Result,
    scenario: Scenario,
    count: int,
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Return a result with what the cards of its scenario do not know."""
    drawn = draw(scenario, count, workers=workers, on_progress=on_progress)
    return replace(result, unknowns=section(result, drawn))


def draw(
    scenario: Scenario,
    count: int = DRAWS,
    *,
    seed: int = DRAW_SEED,
    ios: int = IOS,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> Drawn:
    """Run the draws of a scenario: short runs, all under the same random numbers.

    A draw that cannot be run has the reason in place of its row.
    """
    draws = Draws(count, seed)
    short = shortened(scenario, ios)
    variants = [Draw(draws.scenario(short, number), number) for number in range(count + 1)]
    rows = execute(variants, _row, workers=workers, on_progress=on_progress)
    return Drawn(draws, short, tuple(rows))


def _row(one: Draw) -> Row | str:
    if one.number == 0:
        return measured(one.scenario)
    try:
        return measured(one.scenario)
    except InputError as error:
        return "; ".join(problem.cause for problem in error.problems)
    except (SaturationError, TableOverflowError) as error:
        return str(error)


def section(result: Result, drawn: Drawn) -> Unknowns:
    """Return the intervals of the figures of a full run."""
    told = Teller.of(drawn)
    full = row_of(result.points, result.highest)
    points = [
        _unknowns_of(place, figures, result, drawn, told)
        for place, figures in enumerate(full.points)
    ]
    reasons = [row for row in drawn.rows if isinstance(row, str)]
    has_end = drawn.scenario.events or drawn.scenario.machines
    return Unknowns(
        draws=drawn.draws.count,
        seed=drawn.draws.seed,
        values=len(told.inputs),
        ios=0 if has_end else drawn.scenario.measure.min_ios,
        failed=len(reasons),
        drawn_in=len({number for _, number in drawn.draws.drawn_in}),
        points=points,
        experiments=_experiments(points, drawn.scenario, told.inputs),
        problems=sorted(set(reasons)),
    )


def _unknowns_of(
    place: int, figures: Mapping[str, float], result: Result, drawn: Drawn, told: Teller
) -> PointUnknowns:
    """Return the intervals of the figures of one point, or of the result of a search."""
    at = result.points[place] if result.highest is None else result.highest
    # A search finds its rate; a saturated load does not get it.
    gets_its_rate = isinstance(at, Point) and at.rate is not None and not at.saturated
    asked = _asked(drawn.scenario, at.load, at.rate) if gets_its_rate else None
    saturated = sum(
        isinstance(row, Row) and place < len(row.saturated) and row.saturated[place]
        for row in drawn.rows[1:]
    )
    found = [
        told.figure(
            name, value, drawn, place, is_given=gets_its_rate and is_throughput(name),
            room=told.room(name, figures, at.load),
            settled=told.settled(name, figures, at.outstanding),
            arrive=asked / figures["iops"] if asked and figures.get("iops") else None,
        )
        for name, value in figures.items()
    ]  # fmt: skip
    return PointUnknowns(at.load, at.outstanding, at.rate, int(saturated), found)


@dataclass(frozen=True)
class Teller:
    """Makes a figure from the results of the draws, with the shares of the values.

    Attributes
    ----------
    inputs : the values that were drawn, each with a card that has it.
    columns : what was drawn: a row for each draw, a column for each value.
    left_out : relative standard deviations of what models leave out.
    most : bytes a second that the links of drives carry at most of each load, by its name; None if
        nothing says so.
    only : the kind of I/O of each load, by its name, if the load is closed and all of its
        outstanding I/Os are of one kind; None for others.
    turn : seconds that a read waits for the platter of a disk if it is alone; None if it need not.
    reads : share of reads of the load of which ``turn`` is said.
    """

    inputs: Sequence[tuple[UnknownValue, Card]]
    columns: NDArray[np.float64]
    left_out: spread.LeftOut
    most: Mapping[str, float | None]
    only: Mapping[str, str | None]
    turn: float | None
    reads: float

    @classmethod
    def of(cls, drawn: Drawn) -> Teller:
        """Make one for draws of a scenario."""
        inputs = drawn.draws.inputs(drawn.scenario)
        table = drawn.draws.table(drawn.scenario)
        columns = np.zeros((drawn.draws.count, len(inputs)))
        for place, name in enumerate(inputs):
            columns[:, place] = table[name]
        scenario = drawn.scenario
        most = {load.name: most_carried(scenario, load.name) for load in scenario.loads}
        only = {load.name: only_kind(load) for load in scenario.loads}
        turn = half_turn(scenario)
        reads = 0.0 if turn is None else scenario.loads[0].read_share
        out = left_out(scenario)
        return cls(list(inputs.values()), columns, out, most, only, turn, reads)

    def room(self, name: str, figures: Mapping[str, float], load: str) -> float | None:
        """Return the highest multiple that the links of drives carry; None without a limit.

        A closed load waits for each I/O before the next one. So its mean latency is the number
        outstanding over its rate (Little's law), and is not below the limit of the links.
        """
        most = self.most.get(load)
        if most is None or not figures.get("mbps"):
            return None
        if name not in ("iops", "mbps") and name != f"{self.only.get(load)} latency":
            return None
        return max(most / (figures["mbps"] * units.MIB), 1.0)

    def settled(
        self, name: str, figures: Mapping[str, float], outstanding: float | None
    ) -> float | None:
        """Share of a mean time that a disk needs to turn; None if that tells nothing.

        It is the time of a read, or of an I/O, one after the other, of which some are reads. Of
        several outstanding reads an arm takes one whose sector comes sooner.
        """
        if self.turn is None or outstanding != 1:
            return None
        mean, rate = figures.get("read latency"), figures.get("iops")
        if name in ("iops", "mbps") and rate:
            return self.turn * self.reads * rate
        return self.turn / (mean / 1e3) if mean and name == "read latency" else None

    def figure(
        self,
        name: str,
        value: float,
        drawn: Drawn,
        place: int,
        *,
        is_given: bool = False,
        room: float | None = None,
        settled: float | None = None,
        arrive: float | None = None,
    ) -> Figure:
        """A figure of the full run with what the draws have of it at one point.

        ``is_given`` says that the load itself asks for it and gets it: the system can only fall
        behind, and the draws tell that. ``room`` is how many times as much links may carry,
        ``settled`` the share of the time of an I/O that nothing makes shorter, ``arrive`` how many
        times as many I/Os arrive in the long run as did by chance.
        """
        first = drawn.first.points[place].get(name) if place < len(drawn.first.points) else None
        as_drawn = is_percentile(name)
        moved = spread.around(value, first, drawn.figure(place, name), as_drawn=as_drawn)
        ends = None if moved is None else spread.ends(moved)
        if ends is not None and as_drawn:
            ends = spread.holding(value, ends)
        left_out = None
        if ends is not None and not is_given:
            drawn_ends = ends
            left_out = spread.share_left_out(drawn_ends, *sides(self.left_out, name))
            ends = spread.widened(value, drawn_ends, *sides(self.left_out, name))
            grows = is_throughput(name)
            if room is not None:
                ends = spread.kept_within(value, ends, drawn_ends, room, grows)
            if settled is not None:
                by = self.left_out.faster
                ends = spread.with_settled(value, ends, drawn_ends, settled, by, grows)
        if ends is not None and is_given and arrive is not None and name in ("iops", "mbps"):
            ends = min(ends[0], value * arrive), max(ends[1], value * arrive)
        low, high = (None, None) if ends is None else ends
        return Figure(
            name=name,
            unit=unit_of(name),
            value=value,
            low=low,
            high=high,
            draws=0 if moved is None else int(np.isfinite(moved).sum()),
            shares=[] if moved is None else self._shares(moved),
            left_out=left_out,
        )

    def _shares(self, moved: NDArray[np.float64]) -> list[Share]:
        found = []
        for column, share in shares(self.columns, moved):
            one, card = self.inputs[column]
            dimension = card.about.by_name[one.name].dimension
            unit = card.sources[one.name].unit
            own, *ends = (units.in_unit(x, unit, dimension) for x in (one.value, *one.drawn))
            found.append(Share(card.name, one.name, share, own, min(ends), max(ends), unit))
        return found


def _asked(scenario: Scenario, load: str, rate: float | None) -> float | None:
    """Reads and writes a second that an open load asks for in the long run, pauses counted in."""
    found = [one for one in scenario.loads if one.name == load]
    if rate is None or scenario.events or not found or found[0].has_end:
        return None
    (spec,) = found
    return transfers(spec.model_copy(update={"rate": (rate,)}), 0)


def only_kind(load: LoadSpec) -> str | None:
    """The kind of all I/Os of a closed load without pauses, "read" or "write"; None of others."""
    if load.outstanding is None or load.think or load.burst is not None or load.flush_every:
        return None
    shares = {load.read if one.read is None else one.read for one in load.sizes}
    if len(shares) != 1:
        return None
    return {1.0: "read", 0.0: "write"}.get(shares.pop() or 0.0)


def _experiments(
    points: Sequence[PointUnknowns],
    scenario: Scenario,
    inputs: Sequence[tuple[UnknownValue, Card]],
) -> list[Experiment]:
    """Measurements that would tell what matters most for the rates of all points."""
    unknown = {(card.name, one.name): (card, one) for one, card in inputs}
    weights: dict[tuple[str, str], float] = {}
    for point in points:
        for figure in point.figures:
            if figure.name != "iops" or figure.low is None or figure.high is None:
                continue
            if min(figure.low, figure.value) <= 0:
                continue
            width = math.log(figure.high / figure.low) ** 2
            for share in figure.shares:
                key = share.card, share.value
                weights[key] = weights.get(key, 0.0) + share.share * width
    ordered = sorted(weights, key=lambda key: -weights[key])
    return [measurement_of(scenario, *unknown[key]) for key in ordered[:3]]

"""From a selection of claims to a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from raidsim.errors import InputError, Problem
from raidsim.result import Result
from raidsim.studies.unknown import number_of_draws
from raidsim.validate import schema
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import Claim, Performance, Role, check_each
from raidsim.validate.concerned import named
from raidsim.validate.jobs import Job, Simulate, distinct, get_ready
from raidsim.validate.jobs import simulate_for_claims as in_simulator
from raidsim.validate.longer import longer, widened
from raidsim.validate.planning import Planner
from raidsim.validate.report import ValidationReport
from raidsim.validate.seeds import MANY, more_seeds
from raidsim.validate.select import select
from raidsim.validate.standing import determined
from raidsim.validate.systems import MergedJob, Systems, results_of
from raidsim.validate.unknowns import DRAWS, MOST, spreads
from raidsim.validate.verdict import CardReader, Verdict, judge
from raidsim.version import __version__
from raidsim.workers.engine import OnProgress, begin, execute


def validate(
    selection: Sequence[str] = (),
    role: Role | None = None,
    on_progress: OnProgress | None = None,
    *,
    planning: bool = True,
    workers: int | None = None,
    processes: bool = False,
    unknowns: int | bool = False,
    folder: Path | None = None,
    simulate: Simulate = in_simulator,
    systems: Systems | None = None,
    read_card: CardReader = read_card,
) -> ValidationReport:
    """Run the claims that were asked for and compare.

    Parameters
    ----------
    selection
        Parts of document names, claim ids or beginnings of ids; files of scenarios, for the claims
        about their drives, controllers and software RAID; empty for all claims.
    role
        Only claims of this role.
    on_progress
        Called after every run.
    planning
        Whether to say of claims about arrays what the planning formula says.
    workers
        How many runs at a time; None for one per processor. The results do not depend on it.
    processes
        Run many claims in processes, which start the program anew: its main module must allow it.
    unknowns
        How many draws of the cards make intervals of the figures of predictions, or of the
        others if there are none; True is 24 of them, False none.
    folder
        Where the claims are; None for raidsim's own.
    simulate, read_card
        What runs a job and reads a card: the simulator and the catalogue.
    systems
        The scenarios behind the jobs; None reads them, if it is the simulator that runs them.

    Returns
    -------
    ValidationReport
        A verdict for every selected claim, in the order of the files.

    Raises
    ------
    InputError
        The selection names nothing, or a claim, scenario or card is wrong.
    """
    count = number_of_draws(unknowns, DRAWS, MOST)
    if processes and not selection:
        begin(get_ready, workers)  # some seconds go by before it is known what there is to run
    if systems is None and simulate is in_simulator:
        systems = Systems()
    everything = schema.load(folder)
    words, untested = named(everything, selection, systems or Systems())
    if selection and not words:
        raise InputError([_without_claims(untested)])
    claims = select(everything, words, role)
    check_each(claims, partial(_check, systems=systems, read_card=read_card))
    planner = Planner(systems) if planning and systems is not None else None
    alone = [] if planner is None else [job for claim in claims for job in planner.jobs(claim)]
    jobs = distinct([*(job for claim in claims for job in claim.jobs()), *alone])
    runs = systems.merged(jobs) if systems is not None else [MergedJob.of(job) for job in jobs]
    fitted = [claim for claim in everything if claim.role == "calibration"]
    run_all = partial(
        _run_all, simulate=simulate, workers=workers, processes=processes, on_progress=on_progress
    )
    judging = _Judging(claims, fitted, run_all, read_card)
    judging.run(runs)
    verdicts = judging.verdicts({}) if systems is None else judging.with_more_runs(systems)
    results = judging.results
    if planner is not None:
        verdicts = tuple(
            replace(verdict, planned=planner.judge(verdict.claim, results)) for verdict in verdicts
        )
    if count and systems is not None:
        found = spreads(
            verdicts, count, systems, workers=workers, on_progress=on_progress, processes=processes
        )
        verdicts = tuple(
            replace(verdict, spread=found.get(verdict.claim.id)) for verdict in verdicts
        )
    return ValidationReport(
        verdicts=verdicts,
        version=__version__,
        provenance=next((result.provenance for result in results.values()), {}),
        runs=sum(run.points for run in judging.runs),
        draws=count,
        untested=untested,
    )


def _run_all(
    runs: Sequence[MergedJob],
    *,
    simulate: Simulate,
    workers: int | None,
    processes: bool,
    on_progress: OnProgress | None,
) -> dict[Job, Result]:
    """Run what claims need, those with the same past one after the other; the result of each."""
    pasts = {one.job: one.past for one in runs}
    rows = execute(
        [one.job for one in runs],
        simulate,
        workers=workers,
        on_progress=on_progress,
        alike=pasts.get,
        processes=processes,
    )
    return results_of(runs, rows)


class _Judging:
    """Claims, the runs behind them, and what these say.

    Parameters
    ----------
    claims
        Those that are judged.
    fitted
        All claims that cards were fitted to: a verdict that they determine counts for less.
    run_all
        What does runs.
    read_card
        What reads a card.

    Attributes
    ----------
    results
        Of each job: of its longest run, with the seed of its scenario.
    runs
        All that were done, those with further seeds too.
    """

    def __init__(
        self,
        claims: Sequence[Claim],
        fitted: Sequence[Claim],
        run_all: Callable[[Sequence[MergedJob]], dict[Job, Result]],
        read_card: CardReader,
    ) -> None:
        self.claims = claims
        self.results: dict[Job, Result] = {}
        self.runs: list[MergedJob] = []
        self._fitted = fitted
        self._run_all = run_all
        self._read_card = read_card

    def run(self, runs: Sequence[MergedJob]) -> None:
        """Do the runs that claims name."""
        self.results |= self._run_all(runs)
        self.runs += runs

    def verdicts(self, widened: Mapping[Job, tuple[str, ...]]) -> tuple[Verdict, ...]:
        """Judge each claim; ``widened`` says which bounds of which runs are wider than theirs."""
        found = (
            replace(judge(claim, self.results, self._read_card), widened=_of(claim, widened))
            for claim in self.claims
        )
        return determined(tuple(found), self.results, self._fitted)

    def with_more_runs(self, systems: Systems) -> tuple[Verdict, ...]:
        """Let runs go on for longer, and have further seeds, where claims ask for more certainty.

        Returns the verdicts after that.
        """
        asked = {job: self.results[job] for claim in self.claims for job in claim.jobs()}
        again = longer(self.runs, asked, systems)
        more = widened(again, systems)
        # Beside the few that go on for longer, others have their first further seed.
        unchanged = [one for one in self.verdicts(more) if not one.widened]
        others = more_seeds(unchanged, systems, 1, self.results).merged()
        known = self._run_all([*again, *others])
        self.results |= {job: known[job] for one in again for job in one.members}
        self.runs += [*again, *others]
        verdicts = self.verdicts(more)
        for most in (1, MANY):
            seeds = more_seeds(verdicts, systems, most, self.results)
            further = seeds.merged(known)
            known |= self._run_all(further)
            verdicts = seeds.judge(verdicts, known)
            self.runs += further
        return verdicts


def _without_claims(parts: Sequence[str]) -> Problem:
    cause = f"no claim is about {', '.join(parts)}"
    remedy = "raidsim models NAME says what a card rests on, raidsim check what is assumed"
    return Problem(None, None, None, cause, remedy)


def _of(claim: Claim, widened: Mapping[Job, tuple[str, ...]]) -> dict[Job, tuple[str, ...]]:
    """Return the keys that were widened for the runs of a claim, by job."""
    return {job: widened[job] for job in claim.jobs() if job in widened}


def _check(claim: Claim, systems: Systems | None, read_card: CardReader) -> None:
    """Refuse a claim about what is not there, before anything runs."""
    if not isinstance(claim.subject, Performance):
        judge(claim, {}, read_card)
    elif systems is not None:
        for job in claim.jobs():
            scenario = systems.of(job.scenario, job.overrides)
            if job.outstanding is not None and not scenario.loads:
                cause, remedy = "the scenario has no load", 'leave "at" out'
                raise InputError([Problem(None, None, "run.at", cause, remedy)])

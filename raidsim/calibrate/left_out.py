"""One document left out: how well cards predict its figures if it was not used for them.

A fitted card repeats the figures to which it was fitted. So each document is left out in its turn.
The calibrated values of its cards are replaced by values of their class. The figures of the
document are simulated with these, including those to which the cards were fitted. A card belongs to
the document with most of the claims on which its values rest. The value of a class is the first one
that exists in this list:

1. the value of a new card for flash of these cells and this year (`raidsim.cards.flash_classes`),
2. the median of the same value over the cards of the class without a claim of this document: cards
   of another document, or cards fitted to their own data sheets,
3. the middle (of logarithms) of the plausible range of the class (`raidsim.cards.narrow_ranges`).

If a card has the printed figures of its data sheet (``[rated]``), its values are then solved for
these, beginning at the values above, as `raidsim card fit` does for a new card.

Not all of this is blind: the classes of flash by year come from all fitted cards, including those
of the document, and so do the ranges of fits.

The class of a flash drive is its interface (NVMe, another protocol on PCIe, SATA and SAS), and that
of a disk is its speed. Hosts are one class, and so are controllers. Printed values of data sheets
are kept. Assumed values of the structure, such as numbers of channels and dies, are kept too. So is
a value that is impossible together with these, such as an outer track shorter than the inner one.
"""

from __future__ import annotations

import itertools
import math
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from raidsim import cards
from raidsim.calibrate import rated_runs
from raidsim.calibrate.card_fit import fit_from
from raidsim.calibrate.first_guess import first_guess
from raidsim.calibrate.meter import Meter
from raidsim.calibrate.parameters import Parameter, fit_together, free_parameters
from raidsim.calibrate.problem import FitProblem, places_of
from raidsim.cards import Card
from raidsim.cards.channel_classes import channel_of
from raidsim.cards.flash_classes import bits_of, gathers
from raidsim.cards.flash_classes import class_of as flash_class_of
from raidsim.cards.narrow_ranges import FAST, ends, narrow_ranges
from raidsim.errors import InputError
from raidsim.validate import schema
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import Claim
from raidsim.validate.jobs import Job, Simulate, distinct
from raidsim.validate.jobs import simulate as in_simulator
from raidsim.validate.select import select
from raidsim.validate.summary import Plain, plain
from raidsim.validate.systems import Systems, results_of
from raidsim.validate.verdict import Verdict, judge
from raidsim.workers.engine import OnProgress, execute

SCHEMA = "raidsim.left-out/1"
SHEET = "its data sheet"
"""What a value is from that was solved for what the card's own sheet prints."""


@dataclass(frozen=True)
class Replaced:
    """A calibrated value, and what its class has in its place, in base units; and from where."""

    parameter: Parameter
    value: float
    of: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain data, as the JSON shows them."""
        one = self.parameter
        return {
            "card": one.card.name,
            "key": one.name,
            "unit": one.unit,
            "calibrated": one.written,
            "class": one.shown(self.value),
            "of": list(self.of),
        }


@dataclass(frozen=True)
class LeftOut:
    """A document, what stood in for the values of its cards, and its figures so predicted."""

    document: str
    replaced: tuple[Replaced, ...]
    verdicts: tuple[Verdict, ...]

    def errors(self, role: str | None = None) -> Plain:
        """Return the plain errors of its figures, of one role or of both."""
        return plain([one for one in self.verdicts if role in (None, one.claim.role)])

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain data, as the JSON shows them."""
        return {
            "name": self.document,
            "calibration": self.errors("calibration").to_dict(),
            "prediction": self.errors("prediction").to_dict(),
            "replaced": [one.to_dict() for one in self.replaced],
            "claims": [
                {"id": one.claim.id, "simulated": one.simulated, "plain_error": one.plain}
                for one in self.verdicts
            ],
        }


def to_dict(found: Sequence[LeftOut]) -> dict[str, Any]:
    """Return the documented JSON object."""
    everything = [verdict for one in found for verdict in one.verdicts]
    of = {role: [v for v in everything if v.claim.role == role] for role in _ROLES}
    return {
        "schema": SCHEMA,
        "all": {role: plain(verdicts).to_dict() for role, verdicts in of.items()},
        "documents": [one.to_dict() for one in found],
    }


_ROLES = ("calibration", "prediction")


def leave_out(
    selection: Sequence[str] = (),
    on_progress: OnProgress | None = None,
    *,
    workers: int | None = None,
    processes: bool = False,
    simulate: Simulate = in_simulator,
) -> list[LeftOut]:
    """Leave out each document of a selection in its turn, and predict the figures selected.

    Parameters
    ----------
    selection
        As for `raidsim.validate.validate`; of the claims only those with a figure count.
    on_progress, workers, processes, simulate
        As for `raidsim.validate.validate`.

    Raises
    ------
    InputError
        The selection names nothing.
    """
    claims = schema.load()
    chosen = [claim for claim in select(claims, selection) if claim.counts_in_errors]
    documents = sorted({claim.document for claim in chosen})
    replaced = {
        name: by_sheets(class_values(name, cards.catalogue(), claims), simulate, workers)
        for name in documents
    }
    changed = {
        (claim.document, job): _changed(job, replaced[claim.document])
        for claim in chosen
        for job in claim.jobs()
    }
    runs = Systems().merged(distinct(changed.values()))
    found = execute(
        [one.job for one in runs],
        simulate,
        workers=workers,
        on_progress=on_progress,
        processes=processes,
    )
    results = results_of(runs, found)
    return [
        LeftOut(
            name,
            tuple(replaced[name]),
            tuple(
                judge(claim, {job: results[changed[name, job]] for job in claim.jobs()}, read_card)
                for claim in chosen
                if claim.document == name
            ),
        )
        for name in documents
    ]


def class_values(
    document: str, catalogue: Iterable[Card], claims: Iterable[Claim]
) -> list[Replaced]:
    """Return the value that replaces each calibrated value of the cards of a document."""
    by_id = {claim.id: claim.document for claim in claims}
    free: dict[str, list[Parameter]] = {}
    belongs: dict[str, str] = {}
    touched: set[str] = set()
    for card in catalogue:
        try:
            free[card.name] = free_parameters([card])
        except InputError:
            continue  # nothing of it is calibrated
        named = [
            by_id.get(one, "its own sheet")
            for parameter in free[card.name]
            for one in card.sources[parameter.name].claims
        ] or [by_id.get(one, "its own sheet") for one in card.residuals]
        belongs[card.name] = Counter(named).most_common(1)[0][0] if named else "its own sheet"
        whole = {one for source in card.sources.values() for one in source.claims}
        if document in {by_id.get(one) for one in whole | set(card.residuals)}:
            touched.add(card.name)
    others = [one for name in free if name not in touched for one in free[name]]
    found = []
    for name, parameters in free.items():
        if belongs[name] == document:
            found += _fitting([_of_class(one, others) for one in parameters])
    return found


def by_sheets(
    replaced: Sequence[Replaced], simulate: Simulate, workers: int | None
) -> list[Replaced]:
    """Return the values of classes, of cards with a sheet solved for what that prints."""
    found: list[Replaced] = []
    for _, of_card in itertools.groupby(replaced, lambda one: one.parameter.card.name):
        found += _by_sheet(list(of_card), simulate, workers)
    return found


def _by_sheet(
    replaced: Sequence[Replaced], simulate: Simulate, workers: int | None
) -> list[Replaced]:
    card = replaced[0].parameter.card
    performance, _ = rated_runs.entries(card)
    if not performance:
        return list(replaced)
    guess = first_guess(
        card.changed({one.parameter.name: one.value for one in replaced}), performance
    )
    moved = [replace(one.parameter, value=one.value) for one in replaced]
    with tempfile.TemporaryDirectory(prefix="raidsim-") as folder:
        of_sheet = rated_runs.claims(card, performance, Path(folder), {})
        solved = fit_from(FitProblem(of_sheet, moved, simulate, workers), guess, Meter())
    return [
        one if value == one.value else replace(one, value=value, of=(*one.of, SHEET))
        for one, value in zip(replaced, solved.after.values, strict=True)
    ]


def _of_class(parameter: Parameter, others: Iterable[Parameter]) -> Replaced:
    value = _of_flash(parameter.card, parameter.name)
    alike = [
        one
        for one in others
        if value is None
        and one.name == parameter.name
        and class_of(one.card) == class_of(parameter.card)
    ]
    if alike:
        value = statistics.median(one.value for one in alike)
    elif value is None:
        value = _middle(parameter)
    value = parameter.possible(min(max(value, parameter.low), parameter.high))
    return Replaced(parameter, value, tuple(sorted({one.card.name for one in alike})))


def _middle(parameter: Parameter) -> float:
    """Return the middle of the range that is plausible for the class."""
    span = narrow_ranges(parameter.card).get(parameter.name)
    low, high = (
        (parameter.low, parameter.high)
        if span is None
        else ends(parameter.card.kind, parameter.name, span)
    )
    return math.sqrt(low * high)


def _of_flash(card: Card, name: str) -> float | None:
    """Return the value that a new card has for a drive's cells and year, base units; or None."""
    if card.year is None:
        return None
    if name == "flash.channel_read_time_per_byte" and card.integer("flash.channels") > 1:
        return 1e-6 / channel_of(card.year).read
    if name == "flash.read_time":
        found = flash_class_of(bits_of(card), card.year, cached=gathers(card))
        return None if found is None else found.read * 1e-6
    return None


def _fitting(replaced: list[Replaced]) -> list[Replaced]:
    """Return values of one card that can be had together, the fewest of them left as they were."""
    kept: list[Replaced] = []
    for one in replaced:
        tried = [*kept, one]
        if fit_together([x.parameter for x in tried], [x.value for x in tried]):
            kept = tried
    return kept


def class_of(card: Card) -> str:
    """Return the class of a card: its kind, and the interface or the speed of most kinds."""
    if card.has("flash.channels"):
        classes = {"nvme": "NVMe", "pcie": "PCIe"}
        return f"{card.kind}, {classes.get(card.word('link.interface'), 'SATA and SAS')}"
    if card.has("spindle.speed"):
        return f"{card.kind}, " + ("fast" if card.number("spindle.speed") >= FAST else "near line")
    if card.kind == "controller":  # an adapter in a slot, or a storage processor on a network
        return f"{card.kind}, " + (
            "adapter" if card.word("link.speed").startswith("pcie") else "storage processor"
        )
    return card.kind


def _changed(job: Job, replaced: Sequence[Replaced]) -> Job:
    """Return a job with the values of the classes."""
    setting = [
        one.parameter.override(place, one.value)
        for one in replaced
        for place, card in places_of(job.scenario, job.overrides)
        if one.parameter.is_on(card)
    ]
    return replace(job, overrides=(*job.overrides, *setting))

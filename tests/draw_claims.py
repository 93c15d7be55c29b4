"""Draws the claims that the tests run: ``python tests/draw_claims.py out/validation.json``.

A sixteenth of the claims of each document and role, of those that hold and of those that do not, so
that every relation and kind is among them. Of those that could be drawn the ones come first whose
runs are drawn already, or are few: what shares runs is cheap. Left out are claims so near
to their tolerance that the next change of a model, or another computer, may turn them, but for the
only claims of a document; and those whose runs take seconds, where there are others of their sort.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path

from raidsim.validate import schema
from raidsim.validate.claims import Claim
from raidsim.validate.jobs import Job
from raidsim.validate.systems import LONG, SEARCHED, Systems

LIST = Path(__file__).with_name("claims_sample.txt")
SHARE = 0.0625
SEED = 1
NEAR = 0.01  # of the printed figure
DEAR = ("p420i.mk0200.raid1-2.write.",)
"""How ids of claims begin whose runs take seconds, of documents with others as good."""
HEAD = "# A sixteenth of the claims, drawn once by tests/draw_claims.py; the tests run these.\n"


def listed() -> list[str]:
    """The claims that were drawn."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def margin(claim: Claim, simulated: float) -> float:
    """How far a number is from where the verdict would turn, relative to the printed figure."""
    low, high = claim.interval
    printed = claim.published if isinstance(claim.published, tuple) else (claim.published,) * 2
    ends = low - claim.tolerance * printed[0], high + claim.tolerance * printed[1]
    return min(abs(simulated - end) for end in ends) / printed[0]


class Cost:
    """How much longer the runs take for one more claim, in points of one drive, roughly."""

    def __init__(self) -> None:
        self.systems = Systems()
        self.of: dict[Job, tuple[object, float]] = {}
        self.paid: set[object] = set()

    def of_job(self, job: Job) -> tuple[object, float]:
        if job not in self.of:
            same, length = self.systems.look_at(job)
            scenario = self.systems.of(job.scenario, job.overrides)
            points = 4.0 if length == SEARCHED else 1.0
            if length == LONG:
                limits = [load.limit.time for load in scenario.loads if load.limit.time]
                points = max(limits, default=120.0) / 3
            drives = sum(volume.drives for volume in scenario.volumes)
            self.of[job] = ((same, job.outstanding), points * (1 + drives / 8))
        return self.of[job]

    def marginal(self, claim: Claim) -> float:
        runs = dict(self.of_job(job) for job in claim.jobs())
        return sum(cost for run, cost in runs.items() if run not in self.paid)

    def pay(self, claim: Claim) -> None:
        self.paid |= {self.of_job(job)[0] for job in claim.jobs()}


def sort_of(claim: Claim) -> tuple[object, ...]:
    """Of which document, in which role, whether it holds, and whether it is of the catalogue."""
    return claim.document, claim.role, bool(claim.explanation), claim.kind == "catalogue"


def draw(claims: Iterable[Claim], found: dict[str, dict]) -> list[str]:
    """The ids, in the order of the claims."""
    order = list(claims)
    known = [
        claim
        for claim in order
        if claim.id in found
        and found[claim.id]["holds"] != bool(claim.explanation)
        and found[claim.id]["simulated"] is not None
    ]
    sure = [
        claim
        for claim in known
        if claim.kind == "catalogue" or margin(claim, found[claim.id]["simulated"]) > NEAR
    ]
    covered = {claim.document for claim in sure}
    sure += [claim for claim in known if claim.document not in covered]
    random.Random(SEED).shuffle(sure)
    cost, drawn, sorts = Cost(), set(), set()

    for one in sorted(set(map(sort_of, order))):
        left = [claim for claim in sure if sort_of(claim) == one]
        wanted = max(round(SHARE * sum(sort_of(claim) == one for claim in order)), 1)
        seen: set[tuple[str, str]] = set()
        while left and wanted:
            new = [c for c in left if not {c.kind, c.relation} <= sorts]
            new = new or [c for c in left if (c.relation, c.kind) not in seen]
            claim = min(new or left, key=lambda c: (c.id.startswith(DEAR), cost.marginal(c)))
            sorts |= {claim.kind, claim.relation}
            cost.pay(claim)
            seen.add((claim.relation, claim.kind))
            left.remove(claim)
            drawn.add(claim.id)
            wanted -= 1
    return [claim.id for claim in order if claim.id in drawn]


def main(path: str) -> None:
    full = json.loads(Path(path).read_text(encoding="utf-8"))
    ids = draw(schema.load(), {claim["id"]: claim for claim in full["claims"]})
    LIST.write_text(HEAD + "".join(f"{one}\n" for one in ids), encoding="utf-8")
    print(f"{len(ids)} claims")


if __name__ == "__main__":
    main(sys.argv[1])

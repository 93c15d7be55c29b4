"""The page on published against simulated figures: ``python docs/validation.py [JSON [JSON]]``.

Given what ``raidsim validate --json`` wrote about all claims, and ``raidsim leave-out --json`` of
all documents, what the page needs of them is kept in ``docs/validation.json``. The page is made of
that file and of the claims in ``validation/``, so it is never typed. `make validate` does it all.

Exit status 1 if a claim does not hold that has no explanation, or holds and has one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import intervals  # beside this script

from raidsim.cards.reference import table
from raidsim.validate import schema
from raidsim.validate.claims import Claim
from raidsim.validate.contradictions import contradictions
from raidsim.validate.standing import MEANING, STANDINGS
from raidsim.validate.verdict import TIE, Planned, Verdict
from raidsim.validate.words import (
    UNEXPLAINED,
    figures_text,
    percent,
    published_text,
    role_text,
    skill_text,
)

DOCS = Path(__file__).resolve().parent
KEPT = DOCS / "validation.json"
PAGE = DOCS / "validation.md"

HEAD = """\
# Published against simulated

<!-- Made by docs/validation.py: make validate runs all claims and writes this page anew. -->

A claim is one figure, ratio, order or bound that somebody measured on real hardware and
published. raidsim simulates the same hardware under the same load, and compares. {claims} claims of
{documents} documents took {runs} simulations by raidsim {version}. [Claims](reference/claims.md)
says how they are written down. `raidsim validate` runs them, or one of them by its name; `--html`
makes a page with pictures.

- **Calibration** claims are about single parts. The models of these parts were fitted to the
  claims, so it says little that they hold.
- **Prediction** claims are about systems of these parts. Nothing was fitted to them. They show how
  far to trust the simulation of a system that nobody has measured. Not all are blind: some
  documents do not state all settings, and a part of these was assumed when the results were known.
  The pages [Arrays against print](background/array-claims.md) and
  [Hybrid arrays against print](background/hybrid-claims.md) say which, and why.
- **Errors** count from the rounding of the published figure and are relative to it. Median, 90 %
  and worst are those of figures and ratios. Bounds, orders, equalities and shapes hold or do not
  hold.
- **Plain errors** are simulated over published, less 1, whatever the rounding. "Too high" is the
  share of figures for which the simulated number is above the published one. Without a tilt it is
  half.

The documents, by the names that the tables have for them:
"""

TESTS = """\
## What tests the simulation

Not every claim that holds says something. These are counted apart, each for the first rule that
applies to it ([Claims](reference/claims.md#what-a-claim-counts-for)):

{meanings}

| role | {names} |
| --- | {dashes} |
{counts}

Number of claims, and how many of them hold. The next table leaves out those that are counted
apart. Its plain errors are of all figures but those that are true by construction or contradicted
by other published figures. "Documents that models were made from" are five of the project:
"""

LEFT_OUT = """\
## One document left out

A figure that a card was fitted to is no test of this card. So each document is left out in its
turn. The calibrated values of its cards are then replaced by those of their class: the values that
flash of its cells and year has on a new card, the median over cards of other documents and data
sheets, or else the middle of the plausible range. If the data sheet of a card has figures, the
values are solved for these, as `raidsim card fit` does. The values of data sheets and the structure
stay. Then the figures of the document are predicted (`raidsim leave-out`). This is what to expect
of a system of which only data sheets are known. Not all of it is blind: the classes of flash by
year were taken from all fitted cards, including those of the document. The table has plain errors,
beside those with the cards as they are.
"""

EXCLUDED = """\
## What print itself excludes

These claims contradict other figures of their document: within the rounding, the other claims
allow no value that is within the tolerance of this one. The document alone decides which of the two
yields: words yield to figures, coarser figures to finer ones, data sheets to measurements. Claims
that yield are listed with the others, and do not count.
"""

FORMULA = """\
## What the planning formula would have said

This is the usual estimate for arrays. For random loads it is the number of drives times the rate of
one drive, divided by the share of reads plus the share of writes times the write penalty (1, 2, 4
or 6). For sequential loads it is the number of data drives times the throughput of one drive. Here
the formula gets the simulated rate of one drive at its best. It does not know how many I/Os are
outstanding, and is far too high if only a few are. The second pair of rows leaves those claims out.
Claims about latencies, caches, hybrids and shapes of curves are in no row.
"""

CONTRADICT = """\
## Where figures contradict each other

These are claims of one document about the same measurement that cannot all be right. All of them
are kept.
"""

MISSES = """\
## What does not hold, and why
"""


def distilled(full: dict[str, Any]) -> dict[str, Any]:
    """What the page needs of the JSON of a validation, beside the claims themselves."""
    misses = [claim for claim in full["claims"] if not claim["holds"]]
    kept = ("id", "simulated", "error", "converged", "planning")
    return {
        "raidsim": full["raidsim"],
        "runs": full["runs"],
        "claims": len(full["claims"]),
        "summary": [row for row in full["summary"] if row["group"] != "document"],
        "planning": full["planning"],
        "undecided": [claim["id"] for claim in full["claims"] if claim["standing"] == "undecided"],
        "misses": [{key: claim[key] for key in kept} for claim in misses],
    }


def shortened(found: dict[str, Any]) -> dict[str, Any]:
    """What the page needs of documents left out."""
    return {
        "all": found["all"],
        "documents": [
            {
                "name": one["name"],
                "values": len(one["replaced"]),
                "calibration": one["calibration"],
                "prediction": one["prediction"],
            }
            for one in found["documents"]
        ],
    }


def markdown(kept: dict[str, Any], claims: Iterable[Claim]) -> str:
    """The page."""
    known = {claim.id: claim for claim in claims}
    documents = {claim.document for claim in known.values()}
    parts = [
        HEAD.format(
            claims=f"{kept['claims']:,}",
            documents=len(documents),
            runs=f"{kept['runs']:,}",
            version=kept["raidsim"],
        ),
        "\n".join(sources(known.values())),
        how_much_holds(kept["summary"]),
        tests(kept["summary"]),
        intervals.section(),
        f"{FORMULA}\n{against_the_formula(kept['planning'])}",
        "\n".join(f"- {one}" for one in skills(kept["planning"])) + "\n",
        *([left_out(kept)] if "left_out" in kept else []),
        f"{EXCLUDED}\n{excluded(known)}",
        f"{CONTRADICT}\n{contradicting(known.values())}",
        f"{MISSES}\n" + "\n".join(misses(kept["misses"], known)),
    ]
    return "\n".join(parts)


def sources(claims: Iterable[Claim]) -> Iterator[str]:
    """Which documents: the name that stands for each, and its title."""
    titles = {claim.document: claim.title for claim in claims}
    for name in sorted(titles):
        yield f"- {name}: {titles[name]}"
    yield ""


def how_much_holds(summary: list[dict[str, Any]]) -> str:
    """Documents by role, then all."""
    rows = [
        [row["name"], row["role"], *cells(row)]
        for row in summary
        if row["group"] == "document and role"
    ]
    totals = [row for row in summary if row["group"] == "role"]
    totals += [row for row in summary if row["group"] == "all"]
    rows += [
        ["**all**", row["name"] if row["group"] == "role" else "", *cells(row)] for row in totals
    ]
    catalogue = [row for row in summary if row["name"] == "catalogue"]
    rows += [["data sheets, limits", "catalogue", *cells(row)] for row in catalogue]
    errors = ["median error", "90 % within", "worst"]
    return table(["document", "role", "claims", "covered", "hold", "figures", *errors], rows)


def cells(row: dict[str, Any]) -> list[str]:
    held = f"{row['hold']} ({percent(row['share'], digits=0)})"
    errors = [percent(row[f"{name}_error"]) for name in ("median", "p90", "worst")]
    coverage = percent(row["coverage"], digits=0)
    return [str(row["claims"]), coverage, held, str(row["figures"]), *errors]


def tests(summary: list[dict[str, Any]]) -> str:
    """What tests the simulation and what stands apart, then errors without the latter."""
    totals = [row for row in summary if row["group"] == "role"]
    counts = [
        f"| {row['name']} | "
        + " | ".join(
            f"{row['standings'][one]['claims']} ({row['standings'][one]['hold']})"
            for one in STANDINGS
        )
        + " |"
        for row in totals
    ]
    head = TESTS.format(
        meanings="\n".join(f"- *{one}*: {MEANING[one]}" for one in STANDINGS),
        names=" | ".join(STANDINGS),
        dashes=" | ".join("---" for _ in STANDINGS),
        counts="\n".join(counts),
    )
    rows = [row for row in summary if row["group"] == "document and role"]
    origins = [row for row in summary if row["group"] == "origin and role"]
    names = {id(row): f"**{row['name']}**" for row in origins}
    names |= {id(row): "**all**" for row in totals}
    return f"{head}\n" + table(
        ["document", "role", "test it", "hold", *PLAIN],
        [
            [
                names.get(id(row), row["name"]),
                row.get("role", row["name"]),
                str(row["standings"]["counts"]["claims"]),
                held(row["standings"]["counts"]),
                *plain_cells(row["plain"]),
            ]
            for row in (*rows, *origins, *totals)
        ],
    )


PLAIN = ("figures", "median error", "90 % within", "worst", "too high")


def held(counts: dict[str, int]) -> str:
    share = counts["hold"] / counts["claims"] if counts["claims"] else None
    return f"{counts['hold']} ({percent(share, digits=0)})"


def plain_cells(errors: dict[str, Any]) -> list[str]:
    shares = [percent(errors[f"{name}_error"]) for name in ("median", "p90", "worst")]
    return [str(errors["figures"]), *shares, percent(errors["too_high"], digits=0)]


def skills(planning: list[dict[str, Any]]) -> list[str]:
    """Whether the simulation says more than the formula, in words."""
    return [
        skill_text(
            one["name"], one["only_simulation"], one["only_formula"], one["chance"], one["claims"]
        )
        for one in planning
    ]


def left_out(kept: dict[str, Any]) -> str:
    """Errors of each document's figures with cards that it was not used for, and as they are."""
    found = kept["left_out"]
    usual = {
        (row["name"], row["role"])
        if row["group"] == "document and role"
        else ("", row["name"]): row
        for row in kept["summary"]
        if row["group"] in ("document and role", "role")
    }
    rows = []
    parts = [(one["name"], one["values"], one) for one in found["documents"]]
    for name, values, errors in [*parts, ("", "", found["all"])]:
        for role in ("calibration", "prediction"):
            if errors[role]["figures"]:
                row = usual[name, role]["plain"]
                shares = [percent(row[f"{which}_error"]) for which in ("median", "p90")]
                rows.append(
                    [name or "**all**", str(values), role, *plain_cells(errors[role]), *shares]
                )
    columns = ["document", "values replaced", "role", *PLAIN, "as they are: median", "90 %"]
    return f"{LEFT_OUT}\n" + table(columns, rows)


def excluded(known: dict[str, Claim]) -> str:
    """Claims that print excludes, what they contradict, and why."""
    rows = []
    for claim in known.values():
        if claim.contradicts is not None:
            others = [f"`{one}` ({published_text(known[one])})" for one in claim.contradicts.claims]
            rows.append(
                [
                    f"`{claim.id}`",
                    published_text(claim),
                    claim.contradicts.kind.replace("_", " "),
                    ", ".join(others),
                    claim.contradicts.why,
                ]
            )
    return table(["claim", "published", "ought to be", "of", "why"], rows)


def against_the_formula(planning: list[dict[str, Any]]) -> str:
    rows = []
    for one in planning:
        for name in ("simulation", "formula"):
            errors = one[name]
            rows.append(
                [
                    one["name"] if name == "simulation" else "",
                    name,
                    str(one["claims"]),
                    f"{errors['hold']} ({percent(errors['hold'] / one['claims'], digits=0)})",
                    str(one["figures"]),
                    *(percent(errors[f"{which}_error"]) for which in ("median", "p90", "worst")),
                ]
            )
    return table(
        ["", "", "claims", "hold", "figures", "median error", "90 % within", "worst"], rows
    )


def contradicting(claims: Iterable[Claim]) -> str:
    rows = []
    for group in contradictions(list(claims)):
        for number, claim in enumerate(group):
            unit = "" if claim.unit == "1" else f" {claim.unit}"
            document = claim.document if number == 0 else ""
            rows.append([document, f"`{claim.id}`", claim.section, published_text(claim) + unit])
    return table(["document", "claim", "section", "published"], rows)


def misses(found: list[dict[str, Any]], known: dict[str, Claim]) -> Iterator[str]:
    """By document: each claim that does not hold, its figures, and the best explanation."""
    verdicts = [verdict_of(one, known) for one in found if one["id"] in known]
    for document in sorted({verdict.claim.document for verdict in verdicts}):
        yield f"### {document}\n"
        for verdict in verdicts:
            claim = verdict.claim
            if claim.document == document:
                why = claim.explanation or UNEXPLAINED
                yield f"- `{claim.id}` ({role_text(claim)}): {figures_text(verdict)}. {why}"
        yield ""


def verdict_of(one: dict[str, Any], known: dict[str, Claim]) -> Verdict:
    said = one["planning"]
    planned = None if said is None else Planned(said["value"], said["error"], holds=False)
    claim = known[one["id"]]
    return Verdict(claim, one["simulated"], one["error"], False, one["converged"], planned)


def page() -> str:
    """The page as it has to be."""
    return markdown(json.loads(KEPT.read_text(encoding="utf-8")), schema.load())


def surprises(full: dict[str, Any]) -> list[str]:
    """What is not as the claims' files have it: they explain just those that do not hold."""
    # What another seed may turn is explained or not: which of the two it is does not say much.
    open_ones = {claim["id"] for claim in full["claims"] if claim["standing"] == "undecided"}
    explained = {claim.id for claim in schema.load() if claim.explanation} - open_ones
    held = {claim["id"] for claim in full["claims"] if claim["holds"]} - open_ones
    missed = {claim["id"] for claim in full["claims"] if not claim["holds"]} - open_ones
    return [
        *(f"{name} does not hold, and has no explanation" for name in sorted(missed - explained)),
        *(f"{name} holds: its explanation must go" for name in sorted(held & explained)),
        *(
            f"{claim['id']} holds without the effect that is printed: say so with lacks"
            for claim in full["claims"]
            if _is_without_effect(claim) and claim["standing"] == "counts"
        ),
    ]


def _is_without_effect(claim: dict[str, Any]) -> bool:
    """Whether print has an effect beyond its rounding, and the simulation none beyond its noise."""
    if claim.get("relation") != "ratio" or not claim["holds"] or claim["noise"] is None:
        return False
    printed = abs(claim["published"] - 1) > claim["rounding"] / 2 + 1e-9
    return printed and abs(claim["simulated"] - 1) < max(claim["noise"], TIE)


def main(arguments: list[str]) -> int:
    unexpected = []
    if arguments:
        full = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        short = distilled(full)
        if len(arguments) > 1:
            short["left_out"] = shortened(json.loads(Path(arguments[1]).read_text("utf-8")))
        elif KEPT.exists():
            before = json.loads(KEPT.read_text(encoding="utf-8"))
            short |= {key: before[key] for key in ("left_out",) if key in before}
        kept = json.dumps(short, indent=1, ensure_ascii=False) + "\n"
        KEPT.write_text(kept, encoding="utf-8")
        number, missed = len(full["claims"]), len(distilled(full)["misses"])
        print(
            f"{number - missed} of {number} claims hold; of the others docs/validation.md says why"
        )
        unexpected = surprises(full)
        print("\n".join(unexpected) or "that is what the files of claims expect")
    PAGE.write_text(page(), encoding="utf-8")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

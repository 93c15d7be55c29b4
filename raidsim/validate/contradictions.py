"""Where documents contradict themselves: claims about one thing that exclude each other.

Both stay in the list. A simulation can agree with one of them at most, or with each of them
roughly.

A claim that another publication excludes shows nothing about the simulation, and is left out of the
score by this rule (`excluded`): the other claims, within the rounding of print, allow no figure
that is within the tolerance of this one. Which of the two is left out depends only on the
publications: words before figures, less precise figures before more precise ones, data sheets and
summaries before the measurement.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidsim.validate.claims import Claim, Performance


def contradictions(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Return groups of claims whose figures cannot all be right, in the order of the claims.

    Claims of a group are in the same document, about the same runs and the same metric; at least
    two of their intervals have nothing in common.
    """
    about: dict[tuple[str, Performance], list[Claim]] = {}
    for claim in claims:
        if isinstance(claim.subject, Performance) and claim.relation != "shape":
            about.setdefault((claim.document, claim.subject), []).append(claim)
    return [group for group in about.values() if not _agree(group)]


def excluded(claim: Claim, others: Sequence[Claim]) -> bool:
    """Return whether a claim cannot hold if the claims that it ``contradicts`` are right."""
    relation = claim.contradicts
    assert relation is not None
    low, high = claim.interval
    printed = claim.published if isinstance(claim.published, tuple) else (claim.published,) * 2
    low, high = low - claim.tolerance * printed[0], high + claim.tolerance * printed[1]
    first, *rest = [_stated(one) for one in others]
    if relation.kind == "product":
        implied = first[0] * rest[0][0], first[1] * rest[0][1]
    elif relation.kind == "quotient":
        implied = first[0] / rest[0][1], first[1] / rest[0][0]
    elif relation.kind == "inverse":
        implied = 1 / first[1], 1 / first[0]
    elif relation.kind == "no_less":
        implied = first[0], float("inf")
    elif relation.kind == "no_more":
        implied = float("-inf"), first[1]
    else:
        implied = first
    return implied[1] * relation.times < low or implied[0] * relation.times > high


def _agree(group: Sequence[Claim]) -> bool:
    """Return whether one number can be right for all claims of a group."""
    ranges = [_stated(claim) for claim in group]
    return max(low for low, _ in ranges) <= min(high for _, high in ranges)


def _stated(claim: Claim) -> tuple[float, float]:
    """Return the range that a claim states: its rounding, or what counts as equal."""
    low, high = claim.interval
    if claim.relation == "equal":
        return low - claim.tolerance, high + claim.tolerance
    return low, high

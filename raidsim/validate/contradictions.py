"""Where documents contradict themselves: claims about one thing that exclude each other.

Both stand. A simulation can agree with one of them at most, or with each of them roughly.
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


def _agree(group: Sequence[Claim]) -> bool:
    """Whether one number can be right for all claims of a group."""
    ranges = [_stated(claim) for claim in group]
    return max(low for low, _ in ranges) <= min(high for _, high in ranges)


def _stated(claim: Claim) -> tuple[float, float]:
    """What a claim says: its rounding, or of an equality what counts as no difference."""
    low, high = claim.interval
    if claim.relation == "equal":
        return low - claim.tolerance, high + claim.tolerance
    return low, high

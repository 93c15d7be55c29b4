"""Which claims were asked for."""

from __future__ import annotations

from collections.abc import Sequence

from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.validate.claims import Claim, Role


def select(
    claims: Sequence[Claim], selection: Sequence[str] = (), role: Role | None = None
) -> list[Claim]:
    """Return the claims that any word of the selection names, in their own order.

    A word is a part of a document's name ("p3700"), a claim's id, or the beginning of one up to
    a dot ("p3700.streaming"). No words select everything.

    Raises
    ------
    InputError
        A word names nothing.
    """
    unknown = [word for word in selection if not any(_names(word, claim) for claim in claims)]
    if unknown:
        known = [*dict.fromkeys(claim.document for claim in claims), *(c.id for c in claims)]
        raise InputError(
            [
                Problem(
                    None,
                    None,
                    None,
                    f"no document or claim is called {quote(word)}",
                    suggest(word, known) or "documents are " + ", ".join(_documents(claims)),
                )
                for word in unknown
            ]
        )
    return [
        claim
        for claim in claims
        if (not selection or any(_names(word, claim) for word in selection))
        and role in (None, claim.role)
    ]


def _names(word: str, claim: Claim) -> bool:
    if not word:
        return False
    return word in claim.document or f"{claim.id}.".startswith(word.rstrip(".") + ".")


def _documents(claims: Sequence[Claim]) -> list[str]:
    return sorted({claim.document for claim in claims})

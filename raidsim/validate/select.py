"""Which claims were asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.validate.claims import Claim, Role

FEW = 12
"""Documents that a message names."""


def select(
    claims: Sequence[Claim], selection: Sequence[str] = (), role: Role | None = None
) -> list[Claim]:
    """Return the claims that any word of the selection names, in their own order.

    A word is a claim's id, which names that claim alone, the beginning of one up to a dot
    ("p3700.streaming"; with the dot also where a claim is called so), or a part of a document's
    name ("p3700"). No words select everything.

    Raises
    ------
    InputError
        A word names nothing, or no claim that it names has the role.
    """
    ids = {claim.id for claim in claims}
    unknown = [word for word in selection if not any(_names(word, claim, ids) for claim in claims)]
    if unknown:
        known = [*dict.fromkeys(claim.document for claim in claims), *(c.id for c in claims)]
        raise InputError(
            [
                Problem(
                    None,
                    None,
                    None,
                    f"no document or claim is called {quote(word)}",
                    suggest(word, known) or _some_documents(claims),
                )
                for word in unknown
            ]
        )
    named = [
        claim
        for claim in claims
        if not selection or any(_names(word, claim, ids) for word in selection)
    ]
    chosen = [claim for claim in named if role in (None, claim.role)]
    if named and not chosen:
        words = " ".join(selection) or "the claims"
        cause = f"{words}: none of {len(named)} claims has the role {role}"
        raise InputError([Problem(None, None, None, cause, f"all are {named[0].role} claims")])
    return chosen


def _names(word: str, claim: Claim, ids: Collection[str]) -> bool:
    if not word:
        return False
    if word in ids:
        return claim.id == word
    return word in claim.document or f"{claim.id}.".startswith(word.rstrip(".") + ".")


def _documents(claims: Sequence[Claim]) -> list[str]:
    return sorted({claim.document for claim in claims})


def _some_documents(claims: Sequence[Claim]) -> str:
    """A few of the documents, and where all of them are listed."""
    names = _documents(claims)
    if len(names) <= FEW:
        return "documents are " + ", ".join(names)
    shown = ", ".join(names[:: -(-len(names) // FEW)])
    return f"some of the {len(names)} documents are {shown}; raidsim validate --html FILE lists all"

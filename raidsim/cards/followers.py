"""Values that are the same figure in another form, or follow from a value that a card gives.

An annual failure rate and a mean time between failures are one figure. So are drive writes a day
and the bytes that may be written, for a capacity and a number of years. If a card or a scenario
gives one of the two, the other one of its base, or of the card, belongs to another drive. It would
contradict the given one, so it is not used.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping

from raidsim.cards.attributes import Value

AFR, MTBF = "reliability.afr", "reliability.mtbf"
DWPD, WRITTEN, CAPACITY = "endurance.dwpd", "endurance.written", "capacity.user"

USUAL_YEARS = 5.0
"""Years over which drive writes a day are meant where nobody says it."""

AS_OFTEN = "as many drive writes of its capacity as the base"
"""How the bytes that may be written follow where a card states its capacity alone."""

FOLLOWS = "follows from "
"""How the note of a value begins that follows from another one."""

AGREES = 0.03
"""Two forms of a figure agree if they differ by no more than sheets round: 0.44 % and 2e6 h."""

_DAYS = 365.0
_YEAR = _DAYS * 86400


def followers(
    values: Mapping[str, Value],
    stated: Collection[str],
    before: Mapping[str, Value],
    years: float | None = None,
) -> dict[str, tuple[float, str]]:
    """Return the values that follow from stated ones, in base units, each with how it follows.

    Parameters
    ----------
    values
        All values, the stated ones among them.
    stated
        The names of what the card states itself, or the scenario sets.
    before
        What the base had, or the card before the scenario changed it.
    years
        For how long the drive writes a day are meant, if the sheet says it.
    """
    found = (*_failing(values, stated), *_wearing(values, stated, before, years))
    return {
        name: (value, how)
        for name, value, how in found
        if name not in stated
        and name in values
        and not math.isclose(value, float(values[name]), rel_tol=AGREES)
    }


def _failing(
    values: Mapping[str, Value], stated: Collection[str]
) -> Iterator[tuple[str, float, str]]:
    if MTBF in stated:
        rate = _YEAR / float(values[MTBF])
        yield AFR, -math.expm1(-rate), f"{FOLLOWS}{MTBF}"
    elif AFR in stated and float(values[AFR]) < 1:  # at 100 % there is no mean time
        rate = -math.log1p(-float(values[AFR]))
        yield MTBF, _YEAR / rate, f"{FOLLOWS}{AFR}"


def _wearing(
    values: Mapping[str, Value],
    stated: Collection[str],
    before: Mapping[str, Value],
    years: float | None,
) -> Iterator[tuple[str, float, str]]:
    if CAPACITY not in values or DWPD not in values:
        return
    capacity = float(values[CAPACITY])
    over = f"over {years or USUAL_YEARS:g} years"
    days = (years or USUAL_YEARS) * _DAYS
    if WRITTEN in stated:
        yield DWPD, float(values[WRITTEN]) / capacity / days, f"{FOLLOWS}{WRITTEN}, {over}"
    elif DWPD in stated:
        yield WRITTEN, float(values[DWPD]) * capacity * days, f"{FOLLOWS}{DWPD}, {over}"
    elif CAPACITY in stated and CAPACITY in before and WRITTEN in values:
        share = capacity / float(before[CAPACITY])
        yield WRITTEN, float(values[WRITTEN]) * share, AS_OFTEN

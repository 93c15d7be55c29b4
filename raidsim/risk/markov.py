"""Mean time to data loss and probability of loss in closed form and as a Markov chain.

Drives fail at a constant rate, independently; repairs take an exponential time. Rates are per
hour, times are hours, N drives in a group; the state is the number of drives that have failed.

The closed forms are those of D. A. Patterson, G. Gibson, R. H. Katz, "A case for redundant arrays
of inexpensive disks (RAID)", SIGMOD 1988, solved without their approximation (repair much quicker
than failure), with unrecoverable reads and second parities as in A. Thomasian and M. Blaum,
"Higher reliability redundant disk arrays", ACM Trans. Storage 5 (2009). All are cases of one
birth and death process, :func:`birth_and_death`; :func:`chain` builds it for any group.

The chain counts an unreadable sector when the drive fails that held its only other source, not
when the rebuild finds it: from then on nothing restores it, and a slow rebuild only finds it
later. The closed forms with ``unread`` are as printed, and count it at the end of the rebuild;
their mean times are longer by part of a rebuild.

A repair rate is some 1e5 times a failure rate, and it is the small probabilities that matter. So
nothing here subtracts: states are eliminated as by W. K. Grassmann, M. I. Taksar, D. P. Heyman,
"Regenerative analysis and steady state distributions for Markov chains", Operations Research 33
(1985), and exponentials are those of matrices without negative elements. A
probability of 1e-15 is as good as one of 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.risk.groups import Group
from raidsim.units import HOURS_PER_YEAR

YEAR = HOURS_PER_YEAR
"""Hours of a year."""

MOST = 1 - 2**-53
"""The largest number below 1: a chance of 1 has no logarithm of its complement."""

Matrix = NDArray[np.float64]


# ---------------------------------------------------------------- closed forms


def unreadable(uber: float, bits: float) -> float:
    """Chance that of ``bits`` read at least one is not recovered: h = 1 - (1 - UBER)^bits."""
    return -math.expm1(bits * math.log1p(-uber))


def raid1(failure: float, repair: float, unread: float = 0.0) -> float:
    """Two copies: (3 lambda + mu) / (2 lambda^2); with unrecoverable reads RAID 5 of two."""
    return raid5(2, failure, repair, unread)


def raid5(drives: int, failure: float, repair: float, unread: float = 0.0) -> float:
    """One parity: ((2N-1) lambda + mu) / (N lambda [(N-1) lambda + h mu]).

    ``unread`` is h, the chance that a rebuild meets a sector that can't be read
    (:func:`unreadable`), counted at its end; :func:`chain` counts it at the failure, which is
    h / ((N-1) lambda + h mu) earlier. With h = 0 that is ((2N-1) lambda + mu) / (N (N-1) lambda^2).
    """
    n = drives
    critical = (n - 1) * failure + unread * repair
    return ((2 * n - 1) * failure + repair) / (n * failure * critical)


def raid6(
    drives: int,
    failure: float,
    repair: float,
    repair_of_two: float | None = None,
    unread: float = 0.0,
) -> float:
    """Two parities: 1/a + 1/b + m1/(ab) + 1/c + m2/(bc) + m1 m2/(abc).

    a, b, c = N lambda, (N-1) lambda, (N-2) lambda; m1 and m2 are the rates at which a drive of
    one and of two missing ones is restored. ``repair_of_two`` None: one at a time, m2 = m1; both
    side by side is m2 = 2 m1, which doubles the time. A rebuild of the second drive that meets
    an unreadable sector turns m2 into m2 (1-h), and c into c + h m2.
    """
    both = repair if repair_of_two is None else repair_of_two
    rates = [(drives - failed) * failure for failed in range(3)]
    rates[2] += unread * both
    return birth_and_death(rates, [repair, both * (1 - unread)])


def copies(number: int, failure: float, repair: float, *, parallel: bool = False) -> float:
    """A mirror of any number of copies: N lambda, (N-1) lambda ... and repairs between."""
    rates = [(number - failed) * failure for failed in range(number)]
    back = [repair * (failed if parallel else 1) for failed in range(1, number)]
    return birth_and_death(rates, back)


def birth_and_death(worse: Sequence[float], better: Sequence[float]) -> float:
    """Mean time from state 0 to past the last; each state leads to the next or the one before.

    sum over i >= j of 1/worse[j] * product over k = j+1 .. i of better[k]/worse[k], where
    ``better`` begins with the rate from state 1 to state 0. S. Karlin and J. McGregor, "The
    classification of birth and death processes", Trans. AMS 86 (1957).
    """
    total = passage = 0.0
    for state, rate in enumerate(worse):
        # From here to the next: one stay, and each step back costs the way up again.
        passage = (1 + (better[state - 1] * passage if state else 0.0)) / rate
        total += passage
    return total


# ---------------------------------------------------------------- any group


@dataclass(frozen=True)
class Chain:
    """A group that loses data, state by state; the state is the number of failed drives.

    Rates per hour out of each state: ``worse`` to one failed drive more, ``better`` to one less,
    ``lost`` to the loss of the group, ``unread`` to one failed drive more that leaves a sector
    which can't be read without another source. ``meets`` is the chance of that for the last failure
    on the way into each state.
    """

    worse: Matrix
    better: Matrix
    lost: Matrix
    unread: Matrix
    meets: Matrix

    def moves(self, *, unread_ends: bool = True) -> Matrix:
        """Rates between states, from row to column, without the ways out.

        An unreadable sector ends it, or the rebuild begins without that sector.
        """
        on = self.worse if unread_ends else self.worse + self.unread
        return np.diag(on[:-1], 1) + np.diag(self.better[1:], -1)

    def begun(self, failed: int) -> float:
        """Chance that the failures before the beginning have left a sector without a source."""
        return -math.expm1(sum(math.log1p(-each) for each in self._met(failed)))

    def whole(self, failed: int) -> float:
        """Chance that those failures have left a source for every sector."""
        return math.prod(1 - each for each in self._met(failed))

    def _met(self, failed: int) -> list[float]:
        return [min(float(each), MOST) for each in self.meets[: failed + 1]]


def chain(
    group: Group,
    failure: float,
    repair: float,
    *,
    parallel: bool = False,
    uber: float = 0.0,
    drive_bits: float = 0.0,
) -> Chain:
    """The chain of a group.

    Parameters
    ----------
    group
        Its drives, and which of them stand in for which.
    failure
        Failures of a drive per hour.
    repair
        Repairs per hour: one over the time from a failure to the end of the rebuild.
    parallel
        Missing drives are restored side by side, not one after the other.
    uber
        Unrecoverable read errors per bit.
    drive_bits
        Bits of a drive that the array uses.
    """
    states = group.most_failed + 1
    worse, better, lost, unread, meets = (np.zeros(states) for _ in range(5))
    for failed in range(1, states):
        read = group.critical(failed) * group.sources * drive_bits
        meets[failed] = unreadable(uber, read)
        better[failed] = repair * (failed if parallel else 1)
    for failed in range(states):
        rate = (group.drives - failed) * failure
        fatal = 1.0 if failed == group.most_failed else group.fatal(failed)
        lost[failed] = rate * fatal
        if failed < group.most_failed:
            unread[failed] = rate * (1 - fatal) * meets[failed + 1]
            worse[failed] = rate * (1 - fatal) * (1 - meets[failed + 1])
    return Chain(worse, better, lost, unread, meets)


def mean_time(process: Chain, failed: int = 0) -> float:
    """Hours to the first loss of any data, from a number of failed drives; inf if there is none.

    A loss by the failures before the beginning counts as a time of 0. All other states are
    eliminated, the last first, with sums and products only.
    """
    moves = process.moves()
    ends = process.lost + process.unread
    stay = np.ones(len(ends))  # mean time spent from entering a state, times the rate out of it
    left = list(range(len(ends)))
    for state in reversed(range(len(ends))):
        if state == failed:
            continue
        left.remove(state)
        out = moves[state, left].sum() + ends[state]
        if out == 0:
            continue  # nothing leads here either
        share = moves[left, state] / out
        moves[np.ix_(left, left)] += np.outer(share, moves[state, left])
        ends[left] += share * ends[state]
        stay[left] += share * stay[state]
    if ends[failed] == 0:
        return math.inf
    return float(stay[failed] / ends[failed]) * process.whole(failed)


def probability(process: Chain, hours: float, failed: int = 0) -> float:
    """Chance that a group loses any data within a time, from a number of failed drives."""
    absorbing = process.lost + process.unread
    later = float(_after(process.moves(), absorbing, hours, absorbing=True)[failed, -1])
    return process.begun(failed) + process.whole(failed) * later


def losses(process: Chain, hours: float, failed: int = 0) -> tuple[float, float]:
    """Chance that a group is lost by failures, and mean number of failures that lose a sector.

    An unreadable sector ends nothing here: the rebuild goes on, as after a punctured stripe.
    """
    moves = process.moves(unread_ends=False)
    lost = _after(moves, process.lost, hours, absorbing=True)[failed, -1]
    met = _after(moves, process.unread, hours, absorbing=False, also=process.lost)[failed, -1]
    return float(lost), float(met + process.meets[: failed + 1].sum())


def _after(
    moves: Matrix,
    into: Matrix,
    hours: float,
    *,
    absorbing: bool,
    also: Matrix | None = None,
) -> Matrix:
    """Return probabilities from each state to each after ``hours``; the last column sums ``into``.

    Absorbing: what is counted leaves the states. Not: it is counted and goes on. ``also``: rates
    out of all states that are not counted.
    """
    states = len(into)
    rates = np.zeros((states + 1, states + 1))
    rates[:states, :states] = moves
    rates[:states, -1] = into
    out = moves.sum(axis=1) + (into if absorbing else 0) + (0 if also is None else also)
    rates[np.arange(states), np.arange(states)] = -out
    return exponential(rates, hours)


def exponential(rates: Matrix, hours: float) -> Matrix:
    """exp(rates * hours) of a matrix negative on its diagonal only, each element to many digits.

    exp(A t) = e^(-q t) exp((A + q) t) with q the largest rate out of a state, so that all elements
    are positive; over t / 2^s a series, then s squarings. The error is about
    that of rounding times q t: 1e-9 for rebuilds of an hour and a hundred years.
    """
    fastest = float(-rates.diagonal().min())
    if fastest * hours == 0:
        return np.asarray(np.eye(len(rates)) + rates * hours)
    halvings = max(math.ceil(math.log2(fastest * hours)) + 1, 0)
    step = hours / 2**halvings
    positive = (rates + fastest * np.eye(len(rates))) * step
    term = np.eye(len(rates))
    total = term.copy()
    for number in range(1, 40):
        term = term @ positive / number
        total += term
    result = total * math.exp(-fastest * step)
    for _ in range(halvings):
        result = result @ result
    return np.asarray(result)

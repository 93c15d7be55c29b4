"""How drives fail: a Weibull distribution of age, wear that all drives of one age share, batches.

The cumulative hazard H(a) of a drive of age a gives the chance to live that long, e^-H(a).

- Failures: H = (a / scale)^shape. A shape of 1 is a constant rate; below, the young fail more
  often; above, the old. J. G. Elerath and M. Pecht found shapes around 1.1 in the field ("Enhanced
  reliability modeling of RAID storage systems", DSN 2007); data sheets imply 1.
- Wear of flash: H = -ln(1 - share) w^shape, w the written bytes over the rated ones. JEDEC JESD218
  lets 3 % of drives fail by the time that the rating is written; how steeply failures rise
  around it is not printed, and a shape of 5 is assumed.
- A batch: drives of one production whose hazard is a multiple, with some chance.
- A shock (a fan, a surge, a fall): all drives at once, each fails with some chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.risk.durations import Duration
from raidsim.risk.markov import YEAR

FAILED_AT_RATING = 0.03
"""Share of drives that may have failed when the rated bytes are written: JESD218, FFR."""

WEAR_SHAPE = 5.0

MOST_SHARE = 1 - 2**-53
"""The largest number below 1. A card with an MTBF of less than about 240 h has an AFR that is 1."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Weibull:
    """Ages at which drives fail: H(a) = (a / scale)^shape; ``scale`` in hours."""

    scale: float
    shape: float = 1.0

    def hazard(self, age: Values) -> Values:
        """Cumulative hazard up to an age in hours."""
        return np.asarray((age / self.scale) ** self.shape)

    def wait(self, age: Values, hazard: Values) -> Values:
        """Hours from an age until the cumulative hazard has grown by some amount."""
        if self.shape == 1:
            return np.asarray(hazard * self.scale)
        reached = (self.hazard(age) + hazard) ** (1 / self.shape) * self.scale
        return np.asarray(np.maximum(reached - age, 0.0))


def from_mtbf(hours: float, shape: float = 1.0) -> Weibull:
    """Ages with a given mean: scale = MTBF / Gamma(1 + 1/shape)."""
    return Weibull(hours / math.gamma(1 + 1 / shape), shape)


def from_afr(share: float, shape: float = 1.0) -> Weibull:
    """Ages of which a given share lies within a year: scale = 8760 h / (-ln(1-AFR))^(1/shape).

    At no constant rate do all drives fail within a year, so a share of 1 counts as `MOST_SHARE`.
    """
    return Weibull(YEAR / (-math.log1p(-min(share, MOST_SHARE))) ** (1 / shape), shape)


@dataclass(frozen=True)
class Wear:
    """Wear of flash, all drives alike.

    Attributes
    ----------
    life : hours in which a drive writes its rated bytes.
    used : share of them that the drives have behind them at the start.
    shape : how steeply failures rise.
    failed : share of drives that have failed when the rated bytes are written.
    """

    life: float
    used: float = 0.0
    shape: float = WEAR_SHAPE
    failed: float = FAILED_AT_RATING

    @property
    def failures(self) -> Weibull:
        """Hours of writing at which drives fail."""
        return Weibull(self.life / (-math.log1p(-self.failed)) ** (1 / self.shape), self.shape)


@dataclass(frozen=True)
class Batch:
    """Drives that were bought together: with a chance of ``bad`` their hazard is a multiple.

    ``share`` of the drives of an array are of it; what replaces them is not.
    """

    share: float = 1.0
    bad: float = 0.0
    multiplier: float = 1.0


@dataclass(frozen=True)
class Shock:
    """A shock to all drives ``rate`` times an hour; each fails with a chance of ``kills``."""

    rate: float
    kills: float


@dataclass(frozen=True)
class Drives:
    """The failures of an array's drives, and their unreadable sectors.

    Attributes
    ----------
    failures : ages at which they fail.
    age : hours that all of them have run at the start.
    wear : wear of flash; None for none.
    batch, shock : what they have in common.
    unread : chance that a whole drive that is read has a sector that can't be, from UBER and size.
    defects : latent sector errors that arise per drive and hour.
    scrub : hours from one patrol read to the next, which repairs them, if all drives are read at
        the same times; or how old an error is when a scrub of its own drive finds it
        (:class:`~raidsim.risk.durations.Even` for a patrol whose drives take turns); None for none.
    """

    failures: Weibull
    age: float = 0.0
    wear: Wear | None = None
    batch: Batch | None = None
    shock: Shock | None = None
    unread: float = 0.0
    defects: float = 0.0
    scrub: float | Duration | None = None


@dataclass(frozen=True)
class Repair:
    """The replacement and the rebuild of a failed drive.

    Attributes
    ----------
    hours : a rebuild; or how rebuilds are distributed.
    spares : hot spares of the array.
    delivery : hours until a new drive is there, a replacement or the next spare; or how these
        times are distributed.
    parallel : drives of a group are restored side by side, not one after the other.
    exponential : rebuilds vary like an exponential time of that mean; else as ``hours`` says.
    """

    hours: float | Duration
    spares: int = 0
    delivery: float | Duration = 0.0
    parallel: bool = False
    exponential: bool = False

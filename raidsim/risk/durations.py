"""How long repairs take, and how long a latent sector error lasts until a scrub finds it.

A time is at least ``least`` hours (the minimum: the media rate, the patrol's period of rest). The
time above it is distributed:

- Fixed: always the same.
- Weibull: least + scale E^(1/shape), E exponential with mean 1. A shape of 1 is exponential, 2 and
  3 have a hump. J. G. Elerath and M. Pecht give 6 h + Weibull(12 h, 2) for restores, and 6 h +
  Weibull(168 h, 3) for scrubs of a week ("Enhanced reliability modeling of RAID storage systems",
  DSN 2007).
- Lognormal: least + median e^(sigma Z), Z normal: for products of factors, as with the waits for
  people and parts. The mean is least + median e^(sigma^2 / 2).
- Even: all times up to ``most`` are equally likely. This is the age of an error when a patrol of
  that period finds it, since it arises at any time within the period.

Verbs: :meth:`draw` times, :attr:`mean`, :meth:`within`: the mean of the shorter one of the time and
an age, which is the integral of the chance to last longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


class Duration(Protocol):
    """A distribution of times, in hours."""

    @property
    def mean(self) -> float:
        """Hours on average."""
        ...

    def draw(self, random: np.random.Generator, number: int) -> Values:
        """Draw ``number`` times, in hours."""
        ...

    def within(self, age: Values) -> Values:
        """Return the mean of min(time, age), in hours."""
        ...


@dataclass(frozen=True)
class Fixed:
    """Always ``hours``."""

    hours: float

    @property
    def mean(self) -> float:
        """As :class:`Duration` says."""
        return self.hours

    def draw(self, random: np.random.Generator, number: int) -> Values:  # noqa: ARG002
        """As :class:`Duration` says."""
        return np.full(number, self.hours)

    def within(self, age: Values) -> Values:
        """As :class:`Duration` says."""
        return np.minimum(age, self.hours)


@dataclass(frozen=True)
class WeibullTime:
    """At least ``least`` hours, and a Weibull distribution of ``scale`` hours and ``shape``."""

    scale: float
    shape: float = 1.0
    least: float = 0.0

    @property
    def mean(self) -> float:
        """As :class:`Duration` says: least + scale Gamma(1 + 1/shape)."""
        return self.least + self.scale * math.gamma(1 + 1 / self.shape)

    def draw(self, random: np.random.Generator, number: int) -> Values:
        """As :class:`Duration` says."""
        drawn = random.standard_exponential(number) ** (1 / self.shape)
        return np.asarray(self.least + self.scale * drawn)

    def within(self, age: Values) -> Values:
        """As :class:`Duration` says: the integral of e^-(t/scale)^shape, an incomplete gamma."""
        from scipy.special import gammainc  # noqa: PLC0415  (slow to load, and rarely needed)

        beyond = np.maximum(age - self.least, 0.0)
        power = 1 / self.shape
        part = gammainc(power, (beyond / self.scale) ** self.shape)
        longer = self.scale * power * math.gamma(power) * part
        return np.asarray(np.minimum(age, self.least) + longer)


@dataclass(frozen=True)
class LognormalTime:
    """At least ``least`` hours, and a lognormal distribution above that."""

    median: float
    sigma: float
    least: float = 0.0

    @property
    def mean(self) -> float:
        """As :class:`Duration` says."""
        return self.least + self.median * math.exp(self.sigma**2 / 2)

    def draw(self, random: np.random.Generator, number: int) -> Values:
        """As :class:`Duration` says."""
        drawn = np.exp(self.sigma * random.standard_normal(number))
        return np.asarray(self.least + self.median * drawn)

    def within(self, age: Values) -> Values:
        """As :class:`Duration` says: the limited mean of a lognormal distribution."""
        beyond = np.maximum(age - self.least, 1e-300)
        z = np.log(beyond / self.median) / self.sigma
        below = math.exp(self.sigma**2 / 2) * self.median * _normal(z - self.sigma)
        longer = np.where(age > self.least, below + beyond * (1 - _normal(z)), 0.0)
        return np.asarray(np.minimum(age, self.least) + longer)


@dataclass(frozen=True)
class Even:
    """All times from 0 to ``most`` hours alike."""

    most: float

    @property
    def mean(self) -> float:
        """As :class:`Duration` says."""
        return self.most / 2

    def draw(self, random: np.random.Generator, number: int) -> Values:
        """As :class:`Duration` says."""
        return np.asarray(random.random(number) * self.most)

    def within(self, age: Values) -> Values:
        """As :class:`Duration` says: the integral of 1 - t/most."""
        short = np.minimum(age, self.most)
        return np.asarray(short - short**2 / (2 * self.most))


def _normal(z: Values) -> Values:
    """Chance of a standard normal variable to be below z."""
    from scipy.special import erf  # noqa: PLC0415  (slow to load, and rarely needed)

    return np.asarray((1 + erf(z / math.sqrt(2))) / 2)

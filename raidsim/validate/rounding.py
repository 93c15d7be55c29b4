"""The precision of a printed number: one rule for all claims.

A number is known to half a step on either side. The step is one in its last printed digit. Zeros at
the end of a whole number are taken as padding (186000 is rounded to 1000, 60 % to 10 %). But the
step is never more than 5 % of the number: an author who prints 5000 or "three times" knows it to
one in forty, or would have printed less. A printed zero is known to one of its unit. "About" does
not widen the interval: the uncertainty of a measurement beyond its digits is the tolerance of the
document.
"""

from __future__ import annotations

from decimal import Decimal

LARGEST_SHARE = 0.05
"""Share of a number that its step is at most."""


def step(number: float) -> float:
    """Return the step to which a printed number is rounded at most, in its own unit."""
    if number == 0:
        return 1.0
    digits = Decimal(repr(number)).normalize()
    exponent = digits.as_tuple().exponent
    assert isinstance(exponent, int)  # only of what is no number it is a letter
    return min(10.0**exponent, LARGEST_SHARE * abs(number))


def widest(published: float | tuple[float, float], printed: float | None = None) -> float:
    """Return the step that a claim may count with.

    Parameters
    ----------
    published
        The figure, or the ends of a range: both count as rounded like the coarser one.
    printed
        The number as it stands in print, where `published` is it in another unit.
    """
    ends = published if isinstance(published, tuple) else (published,)
    if printed is not None:
        return step(printed) / printed * max(ends)
    return max(map(step, ends))

"""Arithmetic of RAID 6: GF(2^8) with the polynomial 0x11d and the generator g = 2.

Addition is exclusive or. Two lost data strips with exponents x < y follow from P and Q (H. P.
Anvin, "The mathematics of RAID-6"), P_xy and Q_xy being those of the surviving data:

    A = g^(y-x) / (g^(y-x) + 1)      B = g^-x / (g^(y-x) + 1)
    D_x = A (P + P_xy) + B (Q + Q_xy)        D_y = (P + P_xy) + D_x
"""

from __future__ import annotations

POLYNOMIAL = 0x11D
ORDER = 255  # of g: g^255 = 1


def multiplied(a: int, b: int) -> int:
    """Return the product of two elements."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= POLYNOMIAL
        b >>= 1
    return product


def power(e: int) -> int:
    """Return g^e; ``e`` may be negative."""
    result = 1
    for _ in range(e % ORDER):
        result <<= 1
        if result & 0x100:
            result ^= POLYNOMIAL
    return result


def inverse(a: int) -> int:
    """Return 1 / a, for a other than 0: a^254."""
    result = 1
    for _ in range(ORDER - 1):
        result = multiplied(result, a)
    return result


def two_lost(x: int, y: int) -> tuple[int, int]:
    """Return A and B, which recover D_x when the data with exponents x and y is lost."""
    ratio = power(y - x)
    divisor = inverse(ratio ^ 1)
    return multiplied(ratio, divisor), multiplied(power(-x), divisor)

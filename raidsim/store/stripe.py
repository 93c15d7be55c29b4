"""Data and parity of one stripe, byte by byte, as far as they are known.

GF(2^8) as in :mod:`raidsim.layout.gf`, on whole strips by tables of 256 products.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from raidsim.layout import gf
from raidsim.layout.parity import q_exponent
from raidsim.layout.tables import P

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@functools.cache
def products(a: int) -> Bytes:
    """Return a times b for all b."""
    return np.array([gf.multiplied(a, b) for b in range(256)], np.uint8)


def exclusive_or(strips: Bytes) -> Bytes:
    """Return P of strips, one in a row."""
    total: Bytes = np.bitwise_xor.reduce(strips, axis=0)
    return total


def weighted(strips: Bytes, exponents: list[int]) -> Bytes:
    """Return Q of strips, one in a row, the i-th times g to the i-th exponent."""
    total = np.zeros(strips.shape[1], np.uint8)
    for strip, e in zip(strips, exponents, strict=True):
        total ^= products(gf.power(e))[strip]
    return total


class Stripe:
    """The known part of a stripe of k data strips: values, and a mask of valid ones."""

    def __init__(self, layout: np.void, number: int) -> None:
        size = int(layout["strip"])
        k = int(layout["data"])
        m = int(layout["parity"])
        self.data = np.zeros((k, size), np.uint8)
        self.data_known = np.zeros((k, size), np.bool_)
        self.parity = np.zeros((m, size), np.uint8)
        self.parity_known = np.zeros((m, size), np.bool_)
        self.exponents = [q_exponent(layout, number, i) for i in range(k)]

    def learn(self, role: int, i: int, low: int, content: Bytes) -> None:
        """Take over bytes from ``low`` on of data strip ``i``, or of parity ``role``."""
        high = low + len(content)
        if role >= P:
            self.parity[role - P, low:high] = content
            self.parity_known[role - P, low:high] = True
        else:
            self.data[i, low:high] = content
            self.data_known[i, low:high] = True

    def parity_of(self, strips: Bytes) -> Bytes:
        """Return the parity strips of data strips, one in a row."""
        both = [exclusive_or(strips), weighted(strips, self.exponents)]
        return np.array(both[: len(self.parity)], np.uint8)

    def solve(self) -> None:
        """Compute the data that follows from what is known, column by column."""
        known_only = np.where(self.data_known, self.data, 0).astype(np.uint8)
        rest = self.parity ^ self.parity_of(known_only)
        unknown = (~self.data_known).sum(axis=0)
        missing = ~self.data_known
        p_known = self.parity_known[0]
        q_known = self.parity_known[1] if len(self.parity) > 1 else np.zeros_like(p_known)
        for i in range(len(self.data)):
            one = missing[i] & (unknown == 1)
            self._set(i, one & p_known, rest[0])
            by_q = one & ~p_known & q_known
            if by_q.any():
                self._set(i, by_q, products(gf.power(-self.exponents[i]))[rest[1]])
            for j in range(i + 1, len(self.data)):
                two = missing[i] & missing[j] & (unknown == 2) & p_known & q_known
                if two.any():
                    a, b = gf.two_lost(self.exponents[i], self.exponents[j])
                    first = products(a)[rest[0]] ^ products(b)[rest[1]]
                    self._set(i, two, first)
                    self._set(j, two, rest[0] ^ first)

    def updated_parity(self, new: Stripe) -> tuple[Bytes, Mask]:
        """Return parity after the writes in ``new``, and where it follows from what is known.

        Either all data of a column is known, or the old data that is overwritten and the old
        parity.
        """
        self.solve()
        after = np.where(new.data_known, new.data, self.data)
        anew = (self.data_known | new.data_known).all(axis=0)
        by_change = (self.data_known | ~new.data_known).all(axis=0) & self.parity_known
        change = np.where(new.data_known, new.data ^ self.data, 0).astype(np.uint8)
        parity = np.where(anew, self.parity_of(after), self.parity ^ self.parity_of(change))
        return parity.astype(np.uint8), anew | by_change

    def _set(self, i: int, where: Mask, content: Bytes) -> None:
        self.data[i, where] = content[where]
        self.data_known[i, where] = True

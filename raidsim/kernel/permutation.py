"""Every place once, in random order, without a list of the places.

A Feistel network of random functions is a permutation of all numbers with a given number of bits,
whatever the functions are. With four functions it looks like a random one (M. Luby and C. Rackoff,
"How to construct pseudorandom permutations from pseudorandom functions", SIAM J. Comput. 17(2),
1988). A result beyond the places is permuted again until it is within them (J. Black and P.
Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002): less than four times on average.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.random import bits

ROUNDS = 4
PASSES = 2**29  # orders that differ
HALF = 32  # bits of a half, at most


@routine
def place(key, n, count):
    """Return the place, of ``count``, of the n-th access of ``key``; passes differ in order."""
    if count < 2:
        return 0
    half = 1
    while 1 << 2 * half < count:
        half += 1
    turn = n // count % PASSES * ROUNDS
    x = shuffled(key, turn, half, n % count)
    while x >= count:
        x = shuffled(key, turn, half, x)
    return x


@handler
def shuffled(key, turn, half, x):
    """Number ``x`` of twice ``half`` bits, in the order of ``turn``."""
    mask = (1 << half) - 1
    left = x >> half
    right = x & mask
    for one in range(ROUNDS):
        mixed = int(bits(key, ((turn + one) << HALF) + right)) & mask
        left, right = right, left ^ mixed
    return (left << half) | right

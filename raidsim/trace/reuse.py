"""How soon data is used again: the share of accesses that a cache of each size would miss.

The distance of an access is the number of other blocks that were used since its block was last
used. An LRU cache with more blocks than this has the block. While there are few blocks all are
followed, and the curve is exact. If there are more, a share is followed, chosen by a hash of their
address (SHARDS, by Waldspurger and others, FAST 2015). If this share is R, distances are multiplied
by 1/R. R is halved each time that there are too many blocks, so memory is bounded for any trace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 4096
"""Bytes of a block of the cache."""

MOST_FOLLOWED = 131_072
WHOLE = 1 << 24
LONGEST = 16_384
"""Blocks of a request that are counted at most: 64 MiB."""

AT_A_TIME = 1 << 20
FEW = 20_000
"""Accesses that Python goes through sooner than a compiler gets ready."""

_U = np.uint64


@dataclass(frozen=True)
class Reuse:
    """The reuse of blocks in a trace that was read to its end.

    Attributes
    ----------
    accesses : to blocks, by reads and writes.
    blocks : different ones among them; estimated unless `exact`.
    exact : whether all blocks were followed.
    share : of the blocks that were followed.
    hottest : of the followed blocks, how often each was accessed, the most accessed first.
    hits : accesses by distance, in blocks that were followed, of all that were followed.
    weight : of all accesses together, on the scale of `hits`.
    """

    accesses: int
    blocks: int
    exact: bool
    share: float
    hottest: NDArray[np.int64]
    hits: NDArray[np.float64]
    weight: float

    def miss_ratio(self, blocks: int) -> float:
        """Share of the accesses that an LRU cache of so many blocks misses, 0 to 1."""
        if self.weight <= 0 or blocks <= 0:
            return 1.0
        followed = blocks * self.share
        whole = int(followed)
        hit = float(self.hits[:whole].sum())
        if whole < len(self.hits):
            hit += float(self.hits[whole]) * (followed - whole)
        return min(1.0, max(0.0, 1 - hit / self.weight))

    def hot_share(self, share: float) -> float:
        """Share of the accesses that go to a share of the blocks, those accessed most."""
        total = int(self.hottest.sum())
        if total == 0:
            return 0.0
        place = share * len(self.hottest)
        whole = int(place)
        found = float(self.hottest[:whole].sum())
        if whole < len(self.hottest):
            found += float(self.hottest[whole]) * (place - whole)
        return found / total


class Follower:
    """Follows the blocks of a trace, request by request."""

    def __init__(self, most: int = MOST_FOLLOWED) -> None:
        self._most = most
        self._threshold = WHOLE
        self._accesses = 0
        self._followed = 0
        self._hits = np.zeros(most + 1)
        self._cold = 0.0
        self.cut = 0
        size = 1 << (4 * most - 1).bit_length()
        self._keys = np.zeros(size, np.uint64)
        self._places = np.zeros(size, np.int64)
        self._uses = np.zeros(size, np.int64)
        self._tree = np.zeros(4 * most + 1, np.int64)
        self._state = np.zeros(2, np.int64)  # blocks in the table; the last place in the tree

    def add(
        self, volume: NDArray[np.int32], offset: NDArray[np.int64], size: NDArray[np.int64]
    ) -> None:
        """Take note of reads and writes, in order."""
        first = offset // BLOCK
        number = (offset + size - 1) // BLOCK - first + 1
        self.cut += int((number > LONGEST).sum())
        number = np.minimum(number, LONGEST)
        ends = np.cumsum(number)
        start = 0
        while start < len(number):
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + AT_A_TIME, side="right")))
            part = slice(start, stop)
            self._blocks(volume[part], first[part], number[part])
            start = stop

    def _blocks(
        self, volume: NDArray[np.int32], first: NDArray[np.int64], number: NDArray[np.int64]
    ) -> None:
        total = int(number.sum())
        self._accesses += total
        ends = np.cumsum(number)
        within = np.arange(total) - np.repeat(ends - number, number)
        block = (np.repeat(first, number) + within).view(np.uint64)
        if volume.any():
            block = block + np.repeat(_mixed(volume.astype(np.uint64)), number)
        hashes = _mixed(block)
        hashes = hashes[(hashes >> _U(40)) < _U(self._threshold)]
        while len(hashes):
            done = self._run(hashes)
            hashes = hashes[done:]
            if self._state[0] > self._most:
                self._halve()
                hashes = hashes[(hashes >> _U(40)) < _U(self._threshold)]
            elif len(hashes):
                self._renumber()

    def _run(self, hashes: NDArray[np.uint64]) -> int:
        """Follow accesses until there is no room; how many were followed."""
        distances = np.empty(len(hashes), np.int64)
        self._followed += len(hashes)
        call = _follow if self._followed < FEW else _compiled()
        done = int(
            call(hashes, distances, self._keys, self._places, self._uses, self._tree,
                 self._state, self._most)
        )  # fmt: skip
        found = distances[:done]
        self._cold += float((found < 0).sum())
        warm = np.minimum(found[found >= 0], self._most)
        self._hits += np.bincount(warm, minlength=self._most + 1)
        return done

    def _halve(self) -> None:
        """Follow half as many blocks from now on; what was counted is worth half as much."""
        self._threshold //= 2
        pairs = self._hits[: self._most].reshape(-1, 2).sum(axis=1)
        last = self._hits[self._most]
        self._hits[:] = 0
        self._hits[: len(pairs)] = pairs / 2
        self._hits[self._most] += last / 2
        self._cold /= 2
        self._renumber()

    def _renumber(self) -> None:
        """Put what is still followed into new tables, in the order of its last use."""
        used = np.flatnonzero(self._places)
        used = used[(self._keys[used] >> _U(40)) < _U(self._threshold)]
        used = used[np.argsort(self._places[used], kind="stable")]
        keys, uses = self._keys[used], self._uses[used]
        self._keys[:] = 0
        self._places[:] = 0
        self._uses[:] = 0
        self._tree[:] = 0
        self._state[:] = 0
        again = np.empty(len(keys), np.int64)
        call = _follow if len(keys) < FEW else _compiled()
        call(keys, again, self._keys, self._places, self._uses, self._tree, self._state, len(keys))
        # The table is the same for the same keys in the same order, but counts have to come along.
        found = np.flatnonzero(self._places)
        self._uses[found] = uses[self._places[found] - 1]

    def result(self) -> Reuse:
        """Return the reuse so far."""
        share = self._threshold / WHOLE
        used = np.flatnonzero(self._places)
        hits = self._hits.copy()
        weight = float(self._accesses * share)
        # Where hot blocks are, or are not, among those followed, there are more accesses than the
        # share of all, or fewer. The difference is of hot blocks, so of short distances.
        hits[0] = max(0.0, hits[0] + weight - float(hits.sum()) - self._cold)
        return Reuse(
            accesses=self._accesses,
            blocks=round(len(used) / share),
            exact=self._threshold == WHOLE,
            share=share,
            hottest=-np.sort(-self._uses[used]),
            hits=hits,
            weight=weight,
        )


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash of 64 bits (splitmix64): different values have different ones."""
    mixed = values + _U(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> _U(27))) * _U(0x94D049BB133111EB)
    return mixed ^ (mixed >> _U(31))


def _follow(
    hashes: Any,
    distances: Any,
    keys: Any,
    places: Any,
    uses: Any,
    tree: Any,
    state: Any,
    most: int,
) -> int:
    """Note for each access its distance, -1 for the first to a block; returns how many were done.

    A block has the place of its last access in an order of all accesses; a Fenwick tree counts
    the places in use, so how many blocks came after a place.
    """
    mask = len(keys) - 1
    room = len(tree) - 1
    blocks, last = state[0], state[1]
    done = 0
    while done < len(hashes) and last < room and blocks <= most:
        key = hashes[done]
        at = int(key) & mask
        while places[at] != 0 and keys[at] != key:
            at = (at + 1) & mask
        if places[at] == 0:
            keys[at] = key
            blocks += 1
            distances[done] = -1
        else:
            before = 0
            place = places[at]
            step = place
            while step > 0:
                before += tree[step]
                step -= step & -step
            distances[done] = blocks - before
            step = place
            while step <= room:
                tree[step] -= 1
                step += step & -step
        last += 1
        places[at] = last
        uses[at] += 1
        step = last
        while step <= room:
            tree[step] += 1
            step += step & -step
        done += 1
    state[0], state[1] = blocks, last
    return done


@lru_cache(maxsize=1)
def _compiled() -> Callable[..., Any]:
    """:func:`_follow` as machine code, which is made in a second when it is first needed."""
    import numba  # noqa: PLC0415 - it takes half a second, and few accesses do without

    compiled: Callable[..., Any] = numba.njit(nogil=True)(_follow)
    return compiled

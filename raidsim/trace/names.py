"""Names of volumes, and the numbers that stand for them in the order in which they appear."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.errors import refuse

MOST = 100_000
LONGEST = 200


class Names:
    """Names met so far, and the number of each.

    Parameters
    ----------
    path : the trace, for messages.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a name, which is new or not.

        Raises
        ------
        InputError
            There are more names than any trace has volumes.
        """
        found = self._numbers.get(name)
        if found is None:
            if len(self._numbers) >= MOST:
                refuse(
                    self._path,
                    f"has more than {MOST:,} volumes",
                    "name the format, if it was taken for another one",
                )
            found = self._numbers[name] = len(self._numbers)
        return found

    def numbers(self, keys: NDArray[Any], name_at: Callable[[int], str]) -> NDArray[np.int64]:
        """The number of each of some keys; `name_at` says the name of the key at an index."""
        if len(keys) == 0:
            return np.empty(0, np.int64)
        if (keys == keys[0]).all():
            return np.full(len(keys), self.number(name_at(0)), np.int64)
        _, first, back = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.empty(len(first), np.int64)
        for place in np.argsort(first):
            numbers[place] = self.number(name_at(int(first[place])))
        return numbers[back]

    def pairs(
        self, one: NDArray[np.int64], other: NDArray[np.int64], name: Callable[[int, int], str]
    ) -> NDArray[np.int64]:
        """The number of the name that two numbers give together."""
        keys = one * MOST + other
        return self.numbers(keys, lambda at: name(int(one[at]), int(other[at])))

    def name(self, number: int) -> str:
        """The name that a number stands for."""
        return list(self._numbers)[number] if number >= 0 else ""

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: Hashable) -> bool:
        return name in self._numbers

    @property
    def all(self) -> tuple[str, ...]:
        """All names, each at the index that is its number."""
        return tuple(self._numbers)

"""Lines of a listing about one thing, as keys and values: what several tools print."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raidsim.importing.model import Fact, Place


@dataclass
class Section:
    """The part of a listing about one thing.

    Attributes
    ----------
    place : where it begins.
    values : texts by their keys, in lower case.
    """

    place: Place
    values: dict[str, Fact[str]] = field(default_factory=dict, kw_only=True)

    def text(self, *keys: str) -> Fact[str] | None:
        """The text of the first of these keys that is there."""
        return next((self.values[key] for key in keys if key in self.values), None)

    def number(self, key: str, digits: int = 18) -> Fact[int] | None:
        """The whole number that a text begins with, of so many digits at most."""
        found = self.values.get(key)
        match = re.match(rf"\d{{1,{digits}}}", found.value) if found else None
        return Fact(int(match[0]), found.place) if found and match else None

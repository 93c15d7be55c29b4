"""Amounts of money: a number in the currency of the prices, or a text with a currency."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from raidsim.errors import quote
from raidsim.scenario.fields import Quantity, Reader, wrong

AMOUNT = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*([A-Z]{3})\s*")
"""An amount with the three letters of its currency."""


@dataclass(frozen=True)
class Money:
    """An amount.

    Attributes
    ----------
    amount : how much.
    currency : its three letters; None for the currency of the prices.
    """

    amount: float
    currency: str | None = None


@dataclass(frozen=True)
class Amount(Reader):
    """A number above zero, in the currency of the prices, or a text such as "9000 EUR"."""

    def read(self, value: Any) -> Money:
        """See :class:`Reader`."""
        match = AMOUNT.fullmatch(value) if isinstance(value, str) else None
        if isinstance(value, str) and match is None:
            cause = f"{quote(value)} is not an amount of money"
            raise wrong(cause, 'write a number without quotes, or a text such as "9000 EUR"')
        number = value if match is None else float(match[1].replace("_", ""))
        amount = Quantity("number", above="0").read(number)
        assert amount is not None  # it is None only for a word, and this has none
        return Money(amount, None if match is None else match[2])

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "amount of money"

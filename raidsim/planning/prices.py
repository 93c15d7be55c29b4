"""The prices of hardware and energy: the user's own file.

Amounts are numbers in the currency of the file, or texts with another currency whose rate is in
``[exchange]``. A price of 0 is valid: for hardware that exists already. The plan names cards
without a price, and leaves out designs with them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raidsim.cards.toml_file import parse, read_text
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import nearest_key, quote
from raidsim.planning.money import AMOUNT, Money
from raidsim.scenario.reading import Reading

_TABLES = (
    "title", "currency", "date", "source", "exchange", "drive", "controller", "server", "chassis",
    "kwh",
)  # fmt: skip
_OF_CARDS = ("drive", "controller", "server")
_SINGLES = ("chassis", "kwh")


@dataclass(frozen=True)
class Prices:
    """Prices of hardware and energy, in one currency.

    Attributes
    ----------
    path, title, currency, date, source : what the file says of itself.
    drive, controller, server : of one, by the name of its card.
    chassis : of one.
    kwh : of energy.
    worth : of one unit of each other currency that is known, in this one.
    not_given : which of "chassis" and "kwh" the file does not give: they count as 0.
    """

    path: str
    title: str
    currency: str
    date: str
    source: str
    drive: Mapping[str, float] = field(default_factory=dict)
    controller: Mapping[str, float] = field(default_factory=dict)
    server: Mapping[str, float] = field(default_factory=dict)
    chassis: float = 0.0
    kwh: float = 0.0
    worth: Mapping[str, float] = field(default_factory=dict)
    not_given: tuple[str, ...] = ()

    def amount_of(self, money: Money) -> float | None:
        """Return money in the currency of the prices; None if its currency has no exchange rate."""
        if money.currency is None or money.currency == self.currency:
            return money.amount
        rate = self.worth.get(money.currency)
        return None if rate is None else money.amount * rate


def read_prices(path: str | Path) -> Prices:
    """Read a file of prices.

    Raises
    ------
    InputError : with every problem of it.
    """
    return prices_of(read_text(Path(path), str(path)), str(path))


def prices_of(text: str, name: str = "prices") -> Prices:
    """Read the text of a file of prices; ``name`` is what messages call it.

    Raises
    ------
    InputError : with every problem of it.
    """
    file = parse(text.replace("\r\n", "\n"), name)
    return _read(Reading.of(file))


def _read(reading: Reading) -> Prices:
    data = reading.data
    for name in data:
        if name not in _TABLES:
            remedy = nearest_key(name, _TABLES)
            reading.problem((name,), "unknown key", remedy)
    currency = data.get("currency")
    if not (isinstance(currency, str) and re.fullmatch("[A-Z]{3}", currency)):
        cause = "is missing" if currency is None else f"{quote(currency)} is not a currency"
        reading.problem(("currency",), cause, 'write its three letters, as in "EUR"')
        currency = "?"
    for name, example in (("date", "date = 2026-01-31"), ("source", 'source = "an offer of ..."')):
        if not data.get(name):
            reading.problem((name,), "is missing: prices age", f"write {example}")
    worth = _worth(reading, currency)
    of_cards = {
        kind: {
            card: _amount(reading, value, (kind, card), currency, worth)
            for card, value in _table(reading, kind).items()
        }
        for kind in _OF_CARDS
    }
    singles = {
        name: _amount(reading, data[name], (name,), currency, worth) if name in data else 0.0
        for name in _SINGLES
    }
    reading.raise_if_wrong()
    return Prices(
        path=reading.file.name,
        title=str(data.get("title", "")),
        currency=str(currency),
        date=str(data["date"]),
        source=str(data["source"]),
        drive=of_cards["drive"],
        controller=of_cards["controller"],
        server=of_cards["server"],
        chassis=singles["chassis"],
        kwh=singles["kwh"],
        worth=worth,
        not_given=tuple(name for name in _SINGLES if name not in data),
    )


def _worth(reading: Reading, currency: str) -> dict[str, float]:
    """Return the value of one unit of each known currency, in the currency of the file."""
    found = {currency: 1.0}
    for name, value in _table(reading, "exchange").items():
        plain = _number(value)
        if plain is None or plain == 0:
            cause = f"{quote(value)} is not a worth of a {name}"
            reading.problem(("exchange", name), cause, f"write how many {currency} one is")
        elif not re.fullmatch("[A-Z]{3}", name):
            cause = f"{quote(name)} is not a currency"
            reading.problem(("exchange", name), cause, 'write its three letters, as in "EUR"')
        elif name == currency and plain != 1:
            cause = "is the currency of the prices: one of it is worth 1"
            reading.problem(("exchange", name), cause, "leave it out")
        else:
            found[name] = plain
    return found


def _amount(
    reading: Reading, value: Any, path: KeyPath, currency: str, worth: Mapping[str, float]
) -> float:
    """A price in the currency of the file; 0 for an invalid one, which is reported."""
    plain = _number(value)
    if plain is not None:
        return plain
    match = AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        cause = f"{quote(value)} is not a price"
        reading.problem(path, cause, f'write a number, of {currency}, or a text as "900 USD"')
        return 0.0
    if match[2] not in worth:
        cause = f"is in {match[2]}, and the other prices are in {currency}"
        remedy = f"write how many {currency} one is: {match[2]} = ... under [exchange]"
        reading.problem(path, cause, remedy)
        return 0.0
    return float(match[1].replace("_", "")) * worth[match[2]]


def _table(reading: Reading, name: str) -> Mapping[str, Any]:
    table = reading.data.get(name, {})
    if isinstance(table, dict):
        return table
    reading.problem((name,), "is not a table", f"write [{name}] on a line of its own")
    return {}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None

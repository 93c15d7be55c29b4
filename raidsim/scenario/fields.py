"""How one key of a scenario is read: a quantity, a count, a choice, a flag, a text.

Each class goes into the ``Annotated`` of a pydantic field. It turns what TOML gave
into the plain number that is meant, or says what is wrong and what would be right
(:class:`pydantic_core.PydanticCustomError` carries both to the loader).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from raidsim import units
from raidsim.errors import quote, suggest

PROBLEM = "raidsim"
"""Type of the errors raised here, as pydantic reports it."""


def wrong(cause: str, remedy: str | None = None) -> PydanticCustomError:
    """An error of a value: what is wrong, and what would be right."""
    context = {"cause": cause, "remedy": remedy}
    return PydanticCustomError(PROBLEM, "{cause}", context)


def key(
    meaning: str, default: Any = ..., shown: str | None = None, alias: str | None = None
) -> Any:
    """Describe a key: its meaning, its default as the file would write it.

    `shown` says the default in words where it depends on something else. Defaults
    are read like written values, so "0 us" becomes 0.0. `alias` is what the file calls it,
    where that is a word of Python.
    """
    return Field(
        default=default,
        alias=alias,
        description=meaning,
        validate_default=default is not ... and default is not None,
        json_schema_extra={"shown": shown} if shown else None,
    )


@dataclass(frozen=True)
class Reader(ABC):
    """Reads one value; subclasses say how."""

    @abstractmethod
    def read(self, value: Any) -> Any:
        """The value meant, or a :class:`PydanticCustomError`."""

    @property
    @abstractmethod
    def form(self) -> str:
        """The form of its values in a word or two, for the reference page."""

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)


@dataclass(frozen=True)
class Quantity(Reader):
    """A number with a unit, in base units; bounds are texts and included.

    ``above`` is a bound that is not included. ``word`` is a text that stands for
    None, such as "none" for a timeout.
    """

    dimension: str
    above: str | None = None
    low: str | None = None
    high: str | None = None
    sectors: bool = False
    word: str | None = None

    def read(self, value: Any) -> float | None:
        """See :class:`Reader`."""
        if self.word is not None and value == self.word:
            return None
        try:
            number = units.parse(value, self.dimension)
        except units.QuantityError as error:
            remedy = error.remedy
            if self.word is not None and remedy:
                remedy += f' or "{self.word}"'
            raise wrong(error.cause, remedy) from None
        if self.above is not None and number <= units.parse(self.above, self.dimension):
            raise wrong(f"{quote(value)} is not above {self.above}", f"give more than {self.above}")
        if self.low is not None and number < units.parse(self.low, self.dimension):
            raise wrong(f"{quote(value)} is too small", f"give at least {self.low}")
        if self.high is not None and number > units.parse(self.high, self.dimension):
            raise wrong(f"{quote(value)} is too large", f"give at most {self.high}")
        if self.sectors and number % units.SECTOR:
            raise wrong(
                f"{quote(value)} is not a multiple of the sector of {units.SECTOR} bytes",
                _nearest_sectors(int(number)),
            )
        return number

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return self.dimension + (f' or "{self.word}"' if self.word else "")


@dataclass(frozen=True)
class Count(Reader):
    """A whole number from `low` to `high`; 1e6 is one too."""

    low: int = 0
    high: int = 2**63 - 1

    def read(self, value: Any) -> int:
        """See :class:`Reader`."""
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(f"{_what(value)} is not a whole number", self._allowed())
        if value < self.low or value > self.high:
            size = "small" if value < self.low else "large"
            raise wrong(f"{quote(value)} is too {size}", self._allowed())
        return value

    def _allowed(self) -> str:
        return f"write a number from {self.low} to {self.high}, without quotes"

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "count"


@dataclass(frozen=True)
class Number(Reader):
    """A plain number above zero, up to `high`."""

    high: float

    def read(self, value: Any) -> float:
        """See :class:`Reader`."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(f"{_what(value)} is not a number", "write it without quotes")
        if not 0 < value <= self.high:  # NaN too
            raise wrong(
                f"{quote(value)} is out of range", f"give more than 0 and at most {self.high:g}"
            )
        return float(value)

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "number"


@dataclass(frozen=True)
class Choice(Reader):
    """One of some words; `later` holds words that are known but not possible yet."""

    words: tuple[str, ...]
    later: tuple[str, ...] = ()

    def read(self, value: Any) -> str:
        """See :class:`Reader`."""
        if isinstance(value, str) and value in self.words:
            return value
        known = " or ".join(f'"{word}"' for word in self.words)
        if isinstance(value, str) and value.casefold() in self.later:
            raise wrong(f"{quote(value)} is not simulated by this version", f"write {known}")
        hint = suggest(value, self.words) if isinstance(value, str) else None
        raise wrong(f"{_what(value)} is not known here", hint or f"write {known}")

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return " or ".join(f'"{word}"' for word in self.words)


@dataclass(frozen=True)
class Flag(Reader):
    """True or false."""

    def read(self, value: Any) -> bool:
        """See :class:`Reader`."""
        if not isinstance(value, bool):
            raise wrong(f"{_what(value)} is neither true nor false", "write true or false")
        return value

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "true or false"


@dataclass(frozen=True)
class Text(Reader):
    """A text of printable characters, over several lines if it likes."""

    def read(self, value: Any) -> str:
        """See :class:`Reader`."""
        if not isinstance(value, str):
            raise wrong(f"{_what(value)} is not a text", "put it in quotes")
        if not value.replace("\n", "").replace("\t", "").isprintable():
            raise wrong(f"{quote(value)} holds control characters", "leave them out")
        return value

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "text"


@dataclass(frozen=True)
class Line(Text):
    """A name or a title: one line that is neither empty nor long."""

    def read(self, value: Any) -> str:
        """See :class:`Reader`."""
        text = super().read(value)
        if not (0 < len(text.strip()) <= 200 and text.isprintable()):
            raise wrong(f"{quote(text)} is not a name", "give one line of 1 to 200 characters")
        return text

    @property
    def form(self) -> str:
        """See :class:`Reader`."""
        return "line of text"


def as_list(value: Any) -> Any:
    """A single value as a list of one: a sweep may be one point."""
    return value if isinstance(value, list | tuple) else [value]


def table_only(value: Any) -> Any:
    """Refuse what is not a table, with a message in words of the file."""
    if not isinstance(value, dict):
        raise wrong(f"{_what(value)} is not a table", "write { key = value, ... }")
    return value


def _nearest_sectors(number: int) -> str:
    below = number // units.SECTOR * units.SECTOR
    near = [units.text(n, "size") for n in (below, below + units.SECTOR) if n > 0]
    return "write " + " or ".join(f'"{text}"' for text in near)


def _what(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    return str(value).lower() if isinstance(value, bool) else quote(value)

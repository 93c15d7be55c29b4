"""A card: one model of hardware as data, every value with its unit and its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from raidsim import units
from raidsim.cards.attributes import KINDS, CardKind, Value
from raidsim.cards.rated import Rated
from raidsim.errors import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from raidsim.cards.surface import SeekPoints, Surface

NO_MAKER = "not named"
"""What a card says as its maker that stands for a class of hardware: nobody sells it."""

WRITTEN_SOURCES = ("datasheet", "document", "calibrated", "assumed")
"""What a card may name as the source of a value."""


@dataclass(frozen=True)
class Source:
    """Where a value comes from, and the value as the card states it.

    Attributes
    ----------
    source : datasheet, document, calibrated or assumed; "default" where the card does not give it,
        "scenario" where a scenario sets another value.
    note : where it is printed, or why it was chosen.
    claims : identifiers of the claims a calibrated value was fitted to.
    value, unit : as written; unit "1" for pure numbers and flags.
    range : from where to where a fit may move it, in that unit; None if the card does not say.
    because : why there, or empty.
    """

    source: str
    note: str
    claims: tuple[str, ...]
    value: Value
    unit: str
    range: tuple[float, float] | None = None
    because: str = ""


@dataclass(frozen=True)
class Origin:
    """The card that gives a value which another one inherits: its name, and its maker.

    ``maker`` is empty if that card does not give it.
    """

    card: str
    maker: str = ""


@dataclass(frozen=True)
class Entry:
    """One value of a card with everything there is to say about it."""

    name: str
    value: Value  # in base units
    source: Source
    meaning: str
    dimension: str


@dataclass(frozen=True)
class Card:
    """One model of hardware.

    ``values`` holds the attributes of the kind (defaults included) in base units: seconds, bytes,
    hertz, watts. ``card["flash.read_time"]`` gives one of them. Attributes with the default UNKNOWN
    may be missing: ask ``card.has("flash.cycles")``. ``residuals`` holds, by claim, the relative
    errors that the last fit left; ``sensitivities``, by attribute and claim, by what share the
    simulated figure changes for 1 % more of the value. ``base_sensitivities`` and
    ``base_residuals`` are the same of its base, for the values that it inherits.

    ``base`` is the name of its base, or empty; a card with a base only has the differences.
    ``inherited`` are the attributes that its own file does not give. ``origins`` names, for values
    from a base, or from a base of that, the card that gives them. ``rated`` is the printed figures
    of its sheet; none of these is inherited. ``maker`` is empty and ``year``, of its launch, None
    if the card does not give them.

    ``files`` are its own file and those of its bases. ``order_numbers`` are the names under which
    an operating system lists the hardware, or their beginnings. ``surface`` and ``seek_points`` are
    of a hard disk that was measured; ``disksim`` has further values of DiskSim's files.
    """

    name: str
    kind: str
    title: str
    path: Path
    values: Mapping[str, Value]
    sources: Mapping[str, Source]
    residuals: Mapping[str, float]
    description: str = ""
    base: str = ""
    inherited: frozenset[str] = frozenset()
    sensitivities: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    maker: str = ""
    year: int | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)
    rated: Rated | None = None
    surface: Surface | None = None
    seek_points: SeekPoints | None = None
    disksim: Mapping[str, object] = field(default_factory=dict)
    base_sensitivities: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    base_residuals: Mapping[str, float] = field(default_factory=dict)
    files: tuple[Path, ...] = field(default=(), compare=False)
    order_numbers: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Return a hash of its name, kind and path; its values are in dicts, which have none."""
        return hash((self.name, self.kind, self.path))

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def has(self, name: str) -> bool:
        """Return whether the card has a value that it may leave out."""
        return name in self.values

    def word(self, name: str) -> str:
        """A value that is a choice."""
        return str(self.values[name])

    def number(self, name: str) -> float:
        """A value that is a number, as a float in base units."""
        return float(self.values[name])

    def integer(self, name: str) -> int:
        """A value that is a size or a count, as an int."""
        return int(self.values[name])

    def flag(self, name: str) -> bool:
        """A value that is true or false."""
        return bool(self.values[name])

    @property
    def about(self) -> CardKind:
        """The kind of card, with its table of attributes."""
        return KINDS[self.kind]

    def entries(self) -> Iterator[Entry]:
        """Every value with unit, source and meaning, in the order of the attributes."""
        for attribute in self.about.attributes:
            name = attribute.name
            if not self.has(name):
                continue
            meaning, dimension = attribute.meaning, attribute.dimension
            yield Entry(name, self.values[name], self.sources[name], meaning, dimension)

    def of_others(self) -> dict[str, Origin]:
        """Values inherited from cards of other makers, by attribute; set values no longer count.

        A card that does not give its maker inherits from itself for all that is known.
        """
        return {
            name: origin
            for name, origin in self.origins.items()
            if self.maker and origin.maker and origin.maker != self.maker
            if self.sources[name].source != "scenario"
        }

    def problem(self, key: str, cause: str, remedy: str | None = None) -> Problem:
        """A contradiction among its values, reported for its file.

        If a scenario or a program has set some of them, it is not reported for the card's file,
        where all may be right; the key then has the card's name.
        """
        if any(source.source == "scenario" for source in self.sources.values()):
            return Problem(None, None, f"{self.name}: {key}", cause, remedy)
        return Problem(str(self.path), None, key, cause, remedy)

    def changed(self, values: Mapping[str, Value]) -> Card:
        """The card with other values (base units), whose source is then "scenario"."""
        sources = dict(self.sources)
        for name, value in values.items():
            attribute = self.about.by_name[name]
            unit = sources[name].unit if name in sources else attribute.unit
            shown = value
            if attribute.is_number:
                if value == 0:  # which no bandwidth says of a time per byte
                    unit = attribute.unit
                shown = units.in_unit(float(value), unit, attribute.dimension)
            sources[name] = Source("scenario", "set by the scenario", (), shown, unit)
        return replace(self, values={**self.values, **values}, sources=sources)

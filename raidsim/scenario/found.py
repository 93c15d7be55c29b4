"""Parts of a scenario whose tables have been read, and their meaning.

If a table has an error, its other keys still have a meaning, so checks can report on them too. A
part that could not be determined is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np

from raidsim.cards.card import Card
from raidsim.scenario.models import ControllerKeys, HybridKeys, VolumeKeys
from raidsim.scenario.part import Part
from raidsim.scenario.reading import Values
from raidsim.scenario.specs import ControllerSpec, HostSpec, HybridSpec, VolumeSpec


@dataclass(frozen=True)
class Found:
    """A part, as far as its table is right.

    Attributes
    ----------
    values
        The keys that are right, by field, with what others mean in place of what they left out.
    """

    values: Values

    @property
    def name(self) -> str | None:
        """Its name."""
        name: str | None = self.values.get("name")
        return name


@dataclass(frozen=True)
class FoundOnCard(Found):
    """A part whose hardware is a card, which has the values that the table sets."""

    card: Card | None = None

    @property
    def known_card(self) -> Card:
        """Its card, where nothing is wrong."""
        assert self.card is not None
        return self.card


class FoundHost(FoundOnCard):
    """The server."""

    def spec(self) -> HostSpec:
        """Return the specification, if nothing is wrong."""
        return HostSpec.model_construct(**self.values, card=self.known_card)


class FoundController(FoundOnCard):
    """A controller."""

    def spec(self) -> ControllerSpec:
        """Return the specification, if nothing is wrong."""
        return ControllerSpec.model_construct(**self.values, card=self.known_card)

    @classmethod
    def of(cls, spec: ControllerSpec) -> FoundController:
        """One that has been checked."""
        return cls(_keys(spec, ControllerKeys), spec.card)


@dataclass(frozen=True)
class FoundVolume(FoundOnCard):
    """A volume.

    Attributes
    ----------
    layout
        Its layout; None for one drive on the host too.
    is_laid_out
        Whether nothing stood in the way of laying it out.
    """

    layout: np.void | None = None
    is_laid_out: bool = False

    @property
    def capacity(self) -> int | None:
        """Bytes that the host can address."""
        if self.card is None or not self.is_laid_out:
            return None
        if self.layout is None:
            return self.card.integer("capacity.user")
        return int(self.layout["size"])

    def spec(self) -> VolumeSpec:
        """Return the specification, if nothing is wrong."""
        card, layout = self.known_card, self.layout
        return VolumeSpec.model_construct(**self.values, card=card, layout=layout)

    @classmethod
    def of(cls, spec: VolumeSpec) -> FoundVolume:
        """One that has been checked."""
        return cls(_keys(spec, VolumeKeys), spec.card, spec.layout, is_laid_out=True)


@dataclass(frozen=True)
class Extent:
    """The size of a hybrid: what a :class:`HybridSpec` has beside its keys."""

    capacity: int
    blocks: int
    room: int
    sector: int


@dataclass(frozen=True)
class FoundHybrid(Found):
    """A hybrid, and how large it is."""

    extent: Extent | None = None

    def spec(self) -> HybridSpec:
        """Return the specification, if nothing is wrong."""
        assert self.extent is not None
        return HybridSpec.model_construct(**self.values, **asdict(self.extent))

    @classmethod
    def of(cls, spec: HybridSpec) -> FoundHybrid:
        """One that has been checked."""
        extent = Extent(spec.capacity, spec.blocks, spec.room, spec.sector)
        return cls(_keys(spec, HybridKeys), extent)


def _keys(spec: Part, model: type[Part]) -> Values:
    """The keys of a table, without what was found out beside them."""
    return {name: getattr(spec, name) for name in model.model_fields}


def names_of(parts: Iterable[Found]) -> list[str]:
    """The names of those that have one."""
    return [part.name for part in parts if part.name is not None]

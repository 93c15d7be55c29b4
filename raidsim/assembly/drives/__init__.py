"""The kinds of drives: one module behind one interface for each.

:data:`KINDS` lists them. :func:`kind_of` finds that of a card, :func:`kind_at` that of a drive of
a system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raidsim.assembly.drives.disk import Disk
from raidsim.assembly.drives.flash import Flash
from raidsim.assembly.drives.kind import DriveKind, Flow, Links, Past, Wear

if TYPE_CHECKING:
    from raidsim.cards import Card
    from raidsim.system.system import System

__all__ = ["KINDS", "DriveKind", "Flow", "Links", "Past", "Wear", "is_drive", "kind_at", "kind_of"]

KINDS: tuple[DriveKind, ...] = (Flash(), Disk())

_BY_NAME = {kind.name: kind for kind in KINDS}
_BY_NUMBER = {kind.number: kind for kind in KINDS}


def kind_of(card: Card) -> DriveKind:
    """The kind of the drives that a card describes."""
    return _BY_NAME[card.kind]


def kind_at(system: System, drive: int) -> DriveKind:
    """The kind of a drive of a system."""
    return _BY_NUMBER[int(system.world.drives[drive]["kind"])]


def is_drive(card: Card) -> bool:
    """Return whether a card describes drives."""
    return card.kind in _BY_NAME

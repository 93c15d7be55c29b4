"""The meaning of the tables of a scenario, where it is more than their keys.

Cards are loaded, with the values that the table sets; arrays are laid out; hybrids are measured.
"""

from __future__ import annotations

import numpy as np

from raidsim.cards.card import Card
from raidsim.layout.health import failures_tolerated
from raidsim.scenario.models import ControllerKeys, HostKeys, HybridKeys, VolumeKeys


class HostSpec(HostKeys):
    """The server.

    Attributes
    ----------
    card
        Its card, with the values that the scenario sets.
    """

    card: Card


class ControllerSpec(ControllerKeys):
    """A RAID controller or host bus adapter in the server.

    Attributes
    ----------
    card
        Its card, with the values that the scenario sets.
    """

    card: Card


class VolumeSpec(VolumeKeys):
    """A volume: drives under a RAID level.

    Attributes
    ----------
    card
        The card of the drives as they run here, with the values that the scenario sets.
    layout
        LAYOUT record of :mod:`raidsim.layout`; None for one drive on the host itself.
    """

    card: Card
    layout: np.void | None

    @property
    def capacity(self) -> int:
        """Bytes that the host can address."""
        return (
            self.card.integer("capacity.user") if self.layout is None else int(self.layout["size"])
        )

    @property
    def raw_capacity(self) -> int:
        """Bytes of all its drives."""
        return self.drives * self.card.integer("capacity.user")

    @property
    def failures_tolerated(self) -> int:
        """Drives that may fail, whichever they are, without loss of data."""
        return 0 if self.layout is None else failures_tolerated(self.layout)


class HybridSpec(HybridKeys):
    """A hybrid: a volume as cache or tier in front of another.

    Attributes
    ----------
    capacity
        Bytes that the host can address.
    blocks
        Blocks that the front may come to hold.
    room
        Bytes of the front that may be used; ``high`` and ``low`` are shares of these.
    sector
        Bytes that it is addressed in.
    """

    capacity: int
    blocks: int
    room: int
    sector: int

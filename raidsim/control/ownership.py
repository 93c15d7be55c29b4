"""Which volumes a controller should serve, and whose hardware serves them.

A controller stops at once. Its hosts then send their requests again to the controller that serves
its volumes next.
"""

from __future__ import annotations

from typing import Any

from raidsim.assembly import replacement
from raidsim.assembly.volume_rows import survives
from raidsim.cards import Card
from raidsim.control.environment import Environment
from raidsim.control.paths import Paths
from raidsim.intervene.cache_lines import Range, arrange, chosen, ranges
from raidsim.intervene.cache_modes import set_write_mode
from raidsim.intervene.exposure import expose
from raidsim.intervene.halt import go_on
from raidsim.intervene.hardware import Hardware, hand_over, hardware_of, serve_with, stop
from raidsim.intervene.pinned import discard, pinned
from raidsim.intervene.window import settle_dirt
from raidsim.kernel import tables as t
from raidsim.scenario import HybridSpec, VolumeSpec


class Ownership:
    """Whose hardware serves the volumes of a controller.

    Attributes
    ----------
    volumes
        What the volumes are, and their rows.
    paths
        The paths to their drives, by row.
    battery
        State of the controller's battery, as a scenario words it.
    works
        Whether the controller's own hardware does its work.
    server
        The ownership of the controller that serves the volumes, or has stopped while it did.
    served
        The ownerships that this controller's hardware serves.
    """

    def __init__(self, env: Environment, rows: tuple[int, int], card: Card, battery: str) -> None:
        self.env = env
        self.battery = battery
        self.row, engine = rows
        self.hardware: Hardware = hardware_of(env.system, self.row, engine, card)
        self.volumes: list[tuple[VolumeSpec | HybridSpec, int]] = []
        self.paths: dict[int, Paths] = {}
        self.works = True
        self.server: Ownership = self
        self.served: list[Ownership] = [self]
        self.set_write_modes()

    @property
    def rows(self) -> list[int]:
        """Rows of the volumes."""
        return [row for _, row in self.volumes]

    @property
    def cache(self) -> int:
        """Row of the cache that holds their lines, or NONE."""
        return int(self.env.system.world.controllers[self.row]["cache"])

    @property
    def keeps_cache(self) -> bool:
        """Whether the cache of who serves the volumes outlasts a power cut."""
        card = self.server.hardware.card
        if not card.has("cache.size"):
            return False
        return card.word("cache.protection") != "none" and self.server.battery == "good"

    def carry(self, spec: VolumeSpec | HybridSpec, row: int, paths: Paths | None) -> None:
        """Serve one more volume."""
        self.volumes.append((spec, row))
        if paths is not None:
            self.paths[row] = paths
        if self.server is not self:
            serve_with(self.env.system, self.row, [row], self.server.hardware)
        if not self.server.works:
            stop(self.env.system, self.server.hardware, [row])

    def bring_back(self, row: int) -> bool:
        """Let a volume that was offline be online, if all is in reach; whether its data is."""
        if row in self.paths:
            return self.paths[row].bring_back()
        return survives(self.env.system, row)

    def stop(self) -> None:
        """Stop the hardware, with all work that it does for its volumes."""
        self.env.sync()
        self.works = False
        for owned in self.served:
            stop(self.env.system, self.hardware, owned.rows)

    def go_on(self) -> None:
        """The hardware works again, and serves those whom it served."""
        self.env.sync()
        self.works = True
        for owned in self.served:
            hand_over(self.env.system, owned.row, owned.rows, self.hardware, self.hardware)
        go_on(self.env.system, self.hardware.stations)

    def pass_to(self, server: Ownership) -> None:
        """Let another hardware serve the volumes from now on."""
        self.env.sync()
        old = self.server
        old.served.remove(self)
        server.served.append(self)
        self.server = server
        hand_over(self.env.system, self.row, self.rows, old.hardware, server.hardware)
        self.set_write_modes()

    def set_write_modes(self) -> None:
        """Let its volumes write back if the battery of the serving controller allows it.

        Volumes whose array is lost, or that have pinned data, are left out.
        """
        self.env.sync()
        system = self.env.system
        if self.cache == t.NONE:
            return
        settle_dirt(system)
        expose(system, self.cache, self.server.battery != "good")
        held = pinned(system, self.cache, self.rows)
        for spec, row in self.volumes:
            if row not in held and survives(system, row):
                set_write_mode(system, row, spec, self.server.battery, self.cache)

    def set_write_mode(self, spec: VolumeSpec, row: int) -> None:
        """Let a volume of its be what it is now, and write as that asks for.

        Not if its array is lost, or something of it is pinned: then once it is back.
        """
        self.volumes = [(spec if mine == row else one, mine) for one, mine in self.volumes]
        system = self.env.system
        settle_dirt(system)
        if row not in pinned(system, self.cache, self.rows) and survives(system, row):
            set_write_mode(system, row, spec, self.server.battery, self.cache)

    def forget(self, keep_dirty: bool) -> dict[str, list[Range]]:
        """The memory is gone with what it held, but for what somebody else has a copy of.

        Parameters
        ----------
        keep_dirty
            Whether that is so of what the drives don't have yet.

        Returns
        -------
        dict
            Acknowledged writes that are lost: byte ranges by volume.
        """
        lost: dict[int, list[Range]] = {}
        if self.cache == t.NONE:
            return {}
        if not keep_dirty:
            lost = discard(self.env.system, self.cache, self.rows, all_dirty=True)
        replacement.forget(self.env.system, self.cache)
        arrange(self.env.system, self.cache, clean=[])
        return self.named(lost)

    def dirty(self) -> dict[str, int]:
        """Bytes of each volume that the drives do not have yet."""
        if self.cache == t.NONE:
            return {}
        lines = chosen(self.env.system, self.cache, self.rows)
        return sizes(self.named(ranges(self.env.system, self.cache, lines)))

    def named(self, by_row: dict[int, Any]) -> dict[str, Any]:
        """Change the keys of a dict from rows of volumes to their names."""
        return {spec.name: by_row[row] for spec, row in self.volumes if row in by_row}


def sizes(found: dict[str, list[Range]]) -> dict[str, int]:
    """Bytes in all, for each volume."""
    return {name: sum(length for _, length in mine) for name, mine in found.items()}

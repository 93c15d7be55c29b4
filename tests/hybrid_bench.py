"""A hybrid of two drives in a small SimPy model, asked for one thing after the other."""

from __future__ import annotations

from typing import Any

import raidsim
from raidsim.kernel.cache_tables import GRAINS

KIB = 1024
BLOCK = 4 * KIB
GRAIN = 512
PER_BLOCK = BLOCK // GRAIN
HOST = "fujitsu-rx300-s4"
DISK = "seagate-st373455ss"
FLASH = "intel-p3700-800gb"
ENDLESS = "8000 h"


class Bench:
    """A hybrid of two drives, asked for one thing after the other."""

    def __init__(
        self,
        *,
        front: str = DISK,
        back: str = DISK,
        back_keys: dict[str, Any] | None = None,
        **keys: Any,
    ) -> None:
        self.env = raidsim.Environment(seed=1)
        self.host = raidsim.Host(self.env, HOST)
        self.front = raidsim.Volume(self.env, front, self.host, name="front")
        self.back = raidsim.Volume(self.env, back, self.host, name="back", **(back_keys or {}))
        keys = {"block": "4 KiB", "size": "128 KiB", "flush": ENDLESS} | keys
        self.hybrid = raidsim.Hybrid(self.env, self.front, self.back, self.host, **keys)

    def ask(self, op: str, offset: int, length: int, pause: float = 1.0) -> Any:
        """One I/O, and time for what it sets off."""
        event = getattr(self.hybrid, op)(offset, length)
        done = self.env.run(until=event)
        if pause:
            self.env.run(until=self.env.now + pause)
        return done

    def read(self, offset: int, length: int = BLOCK) -> Any:
        return self.ask("read", offset, length)

    def write(self, offset: int, length: int = BLOCK) -> Any:
        return self.ask("write", offset, length)

    @property
    def cache(self) -> Any:
        return self.hybrid._cache

    @property
    def lines(self) -> dict[int, Any]:
        """The blocks in the front, by number, as the index finds them."""
        world, cache = self.env.system.world, self.cache
        found = {}
        first = int(cache["first_bucket"])
        for head in world.buckets_of_lines[first : first + int(cache["buckets"])]:
            index = int(head)
            while index >= 0:
                line = world.lines[index]
                found[int(line["strip"])] = line
                index = int(line["chain"])
        return found

    @property
    def clean(self) -> list[int]:
        """Numbers of the blocks that may be evicted, of each queue the newest first."""
        world, found = self.env.system.world, []
        for first in self.cache["newest"]:
            index = int(first)
            while index >= 0:
                found.append(int(world.lines[index]["strip"]))
                index = int(world.lines[index]["older"])
        return found

    def bytes_of(self, volume: Any, what: str) -> int:
        """What the drives of a volume were asked to read or to write."""
        return sum(int(self.env.system.world.drives[row][what]) for row in volume._drives.rows)


def bits(mask: int) -> set[int]:
    """Grains of a mask."""
    return {i for i in range(GRAINS) if int(mask) >> i & 1}

"""Whether the links to a volume's drives work.

If an array cannot continue without the drives behind a lost link, the whole array is offline. It is
online again when the link is back, except if its controller has pinned data that the drives lack.
Then it waits for import or discard, since the older pinned data would overwrite new writes.
"""

from __future__ import annotations

from collections.abc import Callable

from raidsim.assembly.volume_rows import drives_of, survives
from raidsim.control.environment import Environment
from raidsim.intervene.offline import Before, bring_back, survives_without, take_offline
from raidsim.intervene.pinned import cache_of, pin, pinned
from raidsim.kernel import tables as t


class Paths:
    """The paths from the drives of a volume up to its controller or host.

    Parameters
    ----------
    env
        The environment.
    volume
        Row of the volume.
    drives
        Rows of the drives behind each link, by its name; hot spares are among them.
    fail
        What lets one of them, by its number, be a drive that has failed.
    away
        What is to be done when the array as a whole is offline.
    back
        What is to be done once the array is back.
    spare
        What is to be done once hot spares are in reach again.
    """

    def __init__(
        self,
        env: Environment,
        volume: int,
        drives: dict[str, list[int]],
        fail: Callable[[int], object],
        away: Callable[[], None],
        back: Callable[[], None],
        spare: Callable[[], object],
    ) -> None:
        self.env = env
        self.volume = volume
        self._drives = drives
        self._fail = fail
        self._away = away
        self._back = back
        self._spare = spare
        self._lost: set[str] = set()
        self._spares: dict[int, str] = {}  # rows of spares, and the link that they are lost with
        self._offline: set[str] = set()  # links that the array waits for
        self._before: Before | None = None

    def obstacle(self, row: int) -> tuple[str, str] | None:
        """Return the obstacle between a drive and its work, and a remedy."""
        for link in sorted(self._lost):
            if row in self._drives[link]:
                return f"no way leads to it: {link} is lost", f"{link}.restore() first"
        if self._before is not None:
            return "the array waits for what is pinned of it", "import_cache() or discard_cache()"
        return None

    @property
    def is_offline(self) -> bool:
        """Whether the array is offline as a whole."""
        return self._before is not None

    def lose(self, link: str) -> None:
        """A link on the way is lost."""
        if link in self._lost:
            return
        self._lost.add(link)
        system = self.env.system
        spares = system.spares.get(self.volume, [])
        for row in [row for row in spares if row in self._drives[link]]:
            spares.remove(row)
            self._spares[row] = link
        rows = drives_of(system, self.volume)
        here = [number for number, row in enumerate(rows) if row in self._drives[link]]
        if self._before is not None:
            self._offline.add(link)
        elif survives_without(system, self.volume, here):
            for number in here:
                self._fail(number)
        else:
            self._offline.add(link)
            self._before = take_offline(system, self.volume)
            if system.world.volumes[self.volume]["kind"] == t.VOLUME_ARRAY:
                pin(system, self.volume)
            self._away()

    def restore(self, link: str) -> None:
        """The link is back: so is the array, if it was offline and nothing else is missing."""
        self._lost.discard(link)
        self._offline.discard(link)
        spares = [row for row, lost in self._spares.items() if lost == link]
        for row in spares:
            del self._spares[row]
            self.env.system.spares[self.volume].append(row)
        if not self._has_pinned:
            self.bring_back()
        if spares:
            self._spare()

    @property
    def _has_pinned(self) -> bool:
        """Whether the controller's cache has something that the drives lack."""
        cache = cache_of(self.env.system, self.volume)
        return cache != t.NONE and bool(pinned(self.env.system, cache, [self.volume]))

    def wait_for_import(self) -> None:
        """Drives that had failed work again: if something is pinned, that comes first."""
        if self._before is None and self._has_pinned:
            self._before = take_offline(self.env.system, self.volume)

    def bring_back(self) -> bool:
        """Let an array that was offline be online, if all is in reach; whether its data is."""
        if self._before is not None and not self._offline:
            bring_back(self.env.system, self.volume, self._before)
            self._before = None
            self._back()
        return survives(self.env.system, self.volume)

    def note_failure(self, number: int) -> bool:
        """A drive has failed for good; if the array is offline, it will not come back with it."""
        if self._before is None:
            return False
        self._before.failed.add(drives_of(self.env.system, self.volume)[number])
        return True

"""Whether a way leads to the drives of a volume, over the links that it hangs on."""

from __future__ import annotations

from collections.abc import Callable

from raidsim.build.array import drives_of
from raidsim.build.offline import Before, bring_back, survives_without, take_offline
from raidsim.build.pinned import pin
from raidsim.control.environment import Environment
from raidsim.kernel import tables as t


class Reach:
    """The way up from the drives of a volume.

    Parameters
    ----------
    env
        The environment.
    volume
        Row of the volume.
    drives
        Numbers of the drives behind each link, by its name.
    fail
        What lets one of them be a drive that has failed.
    back
        What is to be done once the array is back.
    """

    def __init__(
        self,
        env: Environment,
        volume: int,
        drives: dict[str, list[int]],
        fail: Callable[[int], object],
        back: Callable[[], None],
    ) -> None:
        self.env = env
        self.volume = volume
        self._drives = drives
        self._fail = fail
        self._back = back
        self._lost: set[str] = set()
        self._offline: set[str] = set()  # links that the array waits for
        self._before: Before | None = None

    @property
    def out_of_reach(self) -> dict[int, str]:
        """The drives that no way leads to, and a link that is lost on it."""
        return {number: link for link in sorted(self._lost) for number in self._drives[link]}

    def lose(self, link: str) -> None:
        """A link on the way is lost."""
        if link in self._lost:
            return
        here = [number for number in self._drives[link] if number not in self.out_of_reach]
        self._lost.add(link)
        system = self.env.system
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

    def restore(self, link: str) -> None:
        """It is back: so is the array, if it was offline and nothing else is missing."""
        self._lost.discard(link)
        self._offline.discard(link)
        if self._before is not None and not self._offline:
            bring_back(self.env.system, self.volume, self._before)
            self._before = None
            self._back()

    def note_failure(self, number: int) -> bool:
        """A drive has failed for good; if the array is offline, it will not come back with it."""
        if self._before is None:
            return False
        self._before.failed.add(drives_of(self.env.system, self.volume)[number])
        return True

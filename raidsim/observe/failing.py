"""Loads of which all I/Os fail, since drives are missing without which their volume has no data.

Such I/Os come back at once, so a run would go on with millions of them in search of a rate that
settles. After some thousands it is known that none will succeed: without events no drive comes
back. The first writes may succeed: a cache takes them until it knows that the array is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidsim.assembly.volume_rows import below, survives
from raidsim.kernel import tables as t
from raidsim.layout.tables import CONCATENATED
from raidsim.observe import figures
from raidsim.result import Counts
from raidsim.scenario import LoadSpec
from raidsim.system.sizes import sizes_of
from raidsim.system.system import System

LEAST = 5_000
"""I/Os at random places that failed before it is known that all do.

If one in a thousand succeeded, one of so many would do so in 99.3 % of all cases.
"""
ROWS = 2
"""Rows of the array that a sequential stream has to pass before it is known."""


class Watch:
    """Finds loads whose I/Os have all failed for so long that they will go on to fail.

    Parameters
    ----------
    system
        Where they run.
    streams
        Those of each load, by its name.
    """

    def __init__(self, system: System, streams: Mapping[str, Sequence[int]]) -> None:
        self.system = system
        self.streams = streams
        self._before: dict[str, Counts] = {}  # when an I/O was last seen to succeed

    def found(self) -> set[str]:
        """Return their names, by what came back since earlier calls."""
        return {name for name, streams in self.streams.items() if self._fails(name, streams)}

    def _fails(self, name: str, streams: Sequence[int]) -> bool:
        now = figures.counts(self.system, streams)
        before = self._before.setdefault(name, Counts(0, 0, 0, 0, 0, 0))
        if (now.completed, now.timed_out) != (before.completed, before.timed_out):
            self._before[name] = now
            return False
        failed = now.failed - before.failed
        if failed < LEAST or not _is_lost(self.system, streams):
            return False
        return failed >= _enough(self.system, streams)


def why(
    system: System, load: LoadSpec, streams: Sequence[int], before: Counts | None
) -> str | None:
    """Return a remark on a load of which all I/Os fail for lack of data; None of others.

    ``before`` is its account when the window was opened; None if it is measured from its start.
    """
    now = figures.counts(system, streams)
    rows = system.world.streams[list(streams)]
    if rows["window_ios"].any() or rows["window_others"].any():
        return None
    failed, timed_out = now.failed, now.timed_out
    if before is not None:
        failed, timed_out = failed - before.failed, timed_out - before.timed_out
    if failed == 0 or timed_out or not _is_lost(system, streams):
        return None
    return (
        f"all I/Os fail because data is lost: more drives of {load.volume} are missing than it"
        " survives"
    )


def _is_lost(system: System, streams: Sequence[int]) -> bool:
    volumes = set(system.world.streams["volume"][list(streams)].tolist())
    return not any(survives(system, volume) for volume in volumes)


def _enough(system: System, streams: Sequence[int]) -> int:
    """Return the I/Os with which sequential streams pass every place of a row of their array.

    Strips of missing drives may lie side by side, and the next strip may be that of another drive.
    """
    found = 0
    for stream in streams:
        sizes = sizes_of(system, stream)
        if (sizes["random_share"] < 1.0).any():
            volume = int(system.world.streams[stream]["volume"])
            found += ROWS * _row(system, volume) // max(int(sizes["bytes"].min()), 1)
    return found


def _row(system: System, volume: int) -> int:
    """Bytes of a row of strips of an array, with all drives; of drives in line all they hold."""
    if parts := below(system, volume):
        return max(_row(system, part) for part in parts)
    row = system.world.volumes[volume]
    if row["kind"] != t.VOLUME_ARRAY:
        return 0
    layout = system.world.layouts[row["array"]]
    if layout["family"] == CONCATENATED:
        return int(layout["size"])
    return int(layout["drives"]) * int(layout["strip"])

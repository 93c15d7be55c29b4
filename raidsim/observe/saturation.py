"""Remarks about an open load that asks for more than the system can sustain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from raidsim import units
from raidsim.observe import figures
from raidsim.observe.settling import Filling
from raidsim.result import Counts, Latency
from raidsim.scenario import LoadSpec
from raidsim.scenario.intensity import period_of
from raidsim.system.system import System
from raidsim.units import MIB, NS_PER_S

BACKLOG_DEVIATIONS = 3  # of a Poisson count: no more than that piles up by chance
LEAST_BACKLOG = 100  # I/Os: fewer may wait for reasons that pass
FLOOD = 0.05
"""Share of the I/Os issued. If more of them wait, they pile up, whatever the rate's interval is."""
ANOTHER_MIX = 0.02  # difference of shares of reads that is worth words


def piles_up(issued: int, waiting: int, of_a_burst: float = 0.0) -> bool:
    """Return whether more I/Os of an open load wait than chance or a burst brings together.

    A stable queue lets through all that is asked for; what waits is what arrives together.

    Parameters
    ----------
    issued
        I/Os that arrived.
    waiting
        I/Os by which those under way have become more.
    of_a_burst
        I/Os that arrive in a period of the load's bursts; 0 without bursts.
    """
    return waiting > max(BACKLOG_DEVIATIONS * math.sqrt(issued), LEAST_BACKLOG) + of_a_burst


def is_saturated(
    system: System,
    load: LoadSpec,
    streams: Sequence[int],
    asked: float,
    before: Counts | None,
    *,
    behind: bool,
) -> bool:
    """Return whether I/Os of an open load pile up, at the end of a window.

    Parameters
    ----------
    asked
        IO/s, pauses between bursts counted in.
    before
        The account of the load when the window was opened; None if it is measured from its start.
    behind
        Whether less comes out than is asked for, even at the upper end of the interval.
    """
    now = figures.counts(system, streams)
    issued, waiting, together = now.issued, now.in_flight, 0.0
    # What a cache took up in the warm-up, it does not in the window: there I/Os pile up anew.
    fresh = issued, waiting
    if before is not None:
        fresh = issued - before.issued, waiting - before.in_flight
    if (period := round(period_of(load) * NS_PER_S)) > 0:
        # What waits in the middle of a burst says nothing; what waits a period later is more.
        issued, waiting = fresh
        if (system.now - int(system.state["slice_origin"])) % period:
            together = asked * period_of(load)
    # The rate of an unsteady load has a wide interval: then a large backlog is enough.
    flood = waiting > max(FLOOD * issued, LEAST_BACKLOG) + together
    grows = piles_up(issued, waiting, together) or piles_up(*fresh, together)
    return flood or (behind and grows)


def warnings(
    load: LoadSpec,
    latencies: Mapping[str, Latency | None],
    counts: Counts,
    overfull: Sequence[Filling],
) -> list[str]:
    """Return warnings about queues that grow, and about one kind of I/O that passes another.

    Parameters
    ----------
    overfull
        Caches that fill without end.
    """
    found = [
        f"{one.words} grows by {units.plain(one.pace / MIB, 2)} MiB/s; once as much is dirty"
        " as may be, writes wait"
        for one in overfull
        if load.name in one.loads
    ] or [
        f"{counts.in_flight:,} of {counts.issued:,} I/Os are still waiting: latencies grow"
        " for as long as is measured"
    ]
    return found + (_another_mix(load, latencies) if load.rate and not load.trim else [])


def _another_mix(load: LoadSpec, latencies: Mapping[str, Latency | None]) -> list[str]:
    """The remark if one kind of I/O overtakes the other: no other load would give such a rate.

    While writes wait for room in a cache, reads go on to the drives beside them.
    """
    reads, writes = (one.samples if (one := latencies[kind]) else 0 for kind in ("read", "write"))
    if reads + writes == 0:
        return []
    share, asked = reads / (reads + writes), load.read_share
    chance = math.sqrt(asked * (1 - asked) / (reads + writes))
    if abs(share - asked) <= max(ANOTHER_MIX, BACKLOG_DEVIATIONS * chance):
        return []
    first, last = ("reads", "writes") if share > asked else ("writes", "reads")
    return [
        f"{100 * share:.0f} % of the completed I/Os are reads, and {100 * asked:.0f} % of the"
        f" requested ones: {first} overtake {last} that wait, so more I/Os complete than are"
        " carried of this mix"
    ]

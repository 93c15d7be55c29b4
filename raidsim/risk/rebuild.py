"""How long the rebuild of a drive takes, when nothing else runs.

All that the array uses of a drive is read from those that hold it in copies or parity, and
written to the new one; reads and writes of different drives overlap, so the slowest part counts:

- a hard disk passes all its tracks, at the mean of its outermost and innermost (capacity over
  radius is about linear), one track a turn;
- flash is read and written at the slowest of link, data path, channels and dies;
- what all drives that are read, and the new one, put on a link that they share.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.build import inventory
from raidsim.build.fabric import sustained_rate
from raidsim.cards import Card
from raidsim.layout.address import whole_drive
from raidsim.risk.groups import redundancy
from raidsim.scenario import Scenario, VolumeSpec

MEGA = 2**20


@dataclass(frozen=True)
class RebuildTime:
    """Seconds of a rebuild, and where they come from: words for a report."""

    seconds: float
    source: str


def rebuild_time(scenario: Scenario, volume: VolumeSpec) -> RebuildTime:
    """Time of the rebuild of one drive; 0 s where there is nothing to restore it from."""
    layout = volume.layout
    if layout is None or volume.failures_tolerated == 0:
        return RebuildTime(0.0, "nothing to restore from")
    sources = redundancy(volume).group.sources
    rates = [
        _reading(volume.card),
        _writing(volume.card),
        *(link / sources for link in _links(scenario, volume)),
    ]
    seconds = int(whole_drive(layout)) / min(rates)
    return RebuildTime(seconds, "the drive from end to end at its sequential rate, on idle drives")


def _reading(card: Card) -> float:
    """Mean sequential rate over a drive, reading, bytes/s."""
    if card.kind == "hdd":
        return _platter(card)
    return sustained_rate(card)


def _writing(card: Card) -> float:
    """The same, writing; flash is empty before, so there is nothing to collect."""
    if card.kind == "hdd":
        return _platter(card)
    channels = card.number("flash.channels")
    groups = channels * card.number("flash.dies_per_channel") / card.number("flash.dies_in_step")
    at_once = card.number("flash.page") * card.number("flash.planes")
    times = (
        card.number("link.time_per_byte"),
        card.number("data_path.write_time_per_byte"),
        card.number("flash.channel_write_time_per_byte") / channels,
        card.number("flash.program_time") / (at_once * groups),
    )
    return min(1 / time for time in times if time > 0)


def _platter(card: Card) -> float:
    link = 1 / card.number("link.time_per_byte")
    tracks = card.number("geometry.track_outer") + card.number("geometry.track_inner")
    return min(link, tracks / 2 * card.number("spindle.speed"))


def _links(scenario: Scenario, volume: VolumeSpec) -> list[float]:
    """Bandwidths of the links that all drives of a volume hang on, bytes/s."""
    known = {link.name: link for link in inventory.links(scenario)}
    found, name = [], volume.behind
    while name in known and name != volume.controller:
        found.append(known[name].mbps * MEGA)
        name = known[name].to
    return found

"""How a volume uses the cache of its controller, changed while it runs."""

from __future__ import annotations

from raidsim.assembly.cache import change_battery, read_mode
from raidsim.cards import Card
from raidsim.intervene.cache_lines import arrange, clean_lines, rows_of, stir, volumes_of
from raidsim.kernel import cache_tables as c
from raidsim.kernel import destage
from raidsim.scenario import HybridSpec, VolumeSpec
from raidsim.scenario.arrays import CACHE_MODES
from raidsim.system.system import System


def set_read_modes(
    system: System, row: int, before: VolumeSpec, now: VolumeSpec, card: Card
) -> None:
    """Let reads of volume ``row`` use the cache as it is asked for now."""
    place = system.world.volumes[row]
    cache = int(system.world.controllers[place["controller"]]["cache"])
    if not _uses(before) and _uses(now):
        # Writes went past the cache meanwhile: what it still has of the volume is old.
        volumes = rows_of(system, cache)["volume"]
        clean = [line for line in clean_lines(system, cache) if volumes[line] != row]
        arrange(system, cache, clean)
    array = int(place["array"])
    if now.read_ahead != before.read_ahead:
        ahead = read_mode(now.read_ahead, card)
        fields = {"read_ahead": ahead}
        if ahead != c.NO_READ_AHEAD:
            fields["first_trail"] = system.append("trails", c.TRAILS)  # streams begin anew
        system.set_row("arrays", array, **fields)
    system.set_row("arrays", array, cached=int(now.io == "cached"))


def set_write_mode(
    system: System, row: int, volume: VolumeSpec | HybridSpec, battery: str, cache: int
) -> None:
    """Let writes of volume ``row`` go back or through, as asked for and as the battery allows.

    Once none that writes through has anything dirty left, what is dirty may wait again.
    """
    change_battery(system, volume, row, battery)
    arrays = system.world.arrays[system.world.volumes["array"][volumes_of(system, cache)]]
    if not arrays["dirty"][arrays["write_back"] == 0].any():
        destage.end_through(system.world.caches[cache])
    stir(system, cache)


def _uses(spec: VolumeSpec) -> bool:
    return any(getattr(spec, key) != off for key, off in CACHE_MODES)

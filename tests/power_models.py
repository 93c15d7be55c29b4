"""Disks whose power goes, in small SimPy models."""

from __future__ import annotations

from typing import Any

from simpy_models import KIB, SERVER

from raidsim.control import Controller, Environment, Host, Load, Volume
from raidsim.result.cuts import PowerCut

DISK = "seagate-st373455ss"
CARD = "lsi-megaraid-1078-512"
SPIN_UP = 15.0  # s, what a card says unless it knows better
STRIP = 64 * KIB


def server(battery: str | None = None, **words: Any) -> tuple[Environment, Volume]:
    """Four disks as RAID 5, of the host or of a controller with a battery in some state."""
    env = Environment()
    host = Host(env, SERVER)
    card = None if battery is None else Controller(env, CARD, name="card", battery=battery)
    rest = {"level": "raid5", "drives": 4, "disk_cache": "off"} | words
    return env, Volume(env, DISK, host, name="data", controller=card, **rest)


def writes(**keys: Any) -> Load:
    """A load of small random writes on 1 GiB."""
    known = {"read": "0 %", "size": "8 KiB", "outstanding": 8, "area": {"size": "1 GiB"}}
    return Load(**(known | keys))


def cut_after(env: Environment, seconds: float) -> PowerCut:
    """Run for some time, and cut the power."""
    env.run(until=env.now + seconds)
    return env.cut_power()

"""Arrays of small flash drives that are rebuilt, and what tests ask of background work."""

from __future__ import annotations

from conftest import INTERPRETED
from small_array import NO_CPU, TOY, takes

from raidsim.control import Controller, Environment, Host, Volume

KIB = 1024
STRIP = 1024 * KIB if INTERPRETED else 16 * KIB  # fewer of them
CHUNK = max(256 * KIB, STRIP)
SMALL = TOY | {"recovery.time": "100 ms"}
RECOVERY = 0.1  # s
ROWS = 10**9 // STRIP
CHUNKS = -(-ROWS // (CHUNK // STRIP))
STRIPS = {"strip.smallest": "16 KiB"}
FIXED = {"rebuild.rate": "100 %", "rebuild.size": "256 KiB"}


def array(
    level, drives, *, depth=1, host=None, on_error="puncture", name="data", card=None, **keys
):
    """An array of software RAID, or on a controller of this card."""
    env = Environment(seed=3)
    changes = NO_CPU | FIXED | {"rebuild.depth": depth, "rebuild.on_read_error": on_error}
    server = Host(env, "fujitsu-rx2540-m1", changes=changes | (host or {}))
    if card is not None:
        keys["controller"] = Controller(env, card, name="card", changes=FIXED | STRIPS)
    keys = {"strip": f"{STRIP // KIB} KiB", "state": "fresh"} | keys
    return Volume(
        env, "intel-p3700-800gb", server, name=name, level=level, drives=drives, changes=SMALL,
        **keys,
    )  # fmt: skip


def through(operation):
    """Wait for the end of background work."""
    operation.volume.env.run(operation)
    assert operation.is_over
    return operation


def moved(volume, field):
    """Bytes that each drive of a volume has read or written for those above it."""
    return [int(volume.system.world.drives[row][field]) for row in volume._drives.rows]


def command(size=CHUNK):
    """What one command of a worker occupies its drive for, s."""
    return takes(size) / 1e9

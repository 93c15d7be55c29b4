"""Arrays in small SimPy models, and what their I/Os take by the cards."""

from __future__ import annotations

import pytest
from drive_times import Times
from simpy_models import KIB, SERVER

from raidsim.control import Controller, Environment, Host, InputError, Load, Volume

STRIP = 64 * KIB
PCIE = "intel-p3700-800gb"
SAS = "cisco-ssd-sas12-ep-1600gb"
RAID = "cisco-12g-sas-raid-1gb"
SMALL = {"capacity.user": "1 GB"}
# A core for each command, and nothing for the rest: figures that can be told apart.
PLAIN_CARD = {
    "command.cores": 1,
    "command.time": "10 us",
    "command.device_io_time": "0 us",
    "command.latency": "20 us",
    "parity.time_per_byte": "0.5 us/KiB",
}
MIX = Load(read="50 %", size="16 KiB", align="4 KiB", outstanding=16)
ROUNDING = 12e-9  # s: each station rounds to a whole ns


def server(seed=1):
    env = Environment(seed=seed)
    return env, Host(env, SERVER)


def array(host, level, drives, *, model=PCIE, name="data", changes=SMALL, **keys):
    return Volume(
        host.env, model, host, name=name, level=level, drives=drives, changes=changes, **keys
    )


def raid_card(env, name="raid", **changes):
    """A controller with plain figures."""
    values = PLAIN_CARD | {key.replace("__", "."): value for key, value in changes.items()}
    return Controller(env, RAID, name=name, changes=values)


def refusal(call, *args, **keys):
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return str(refused.value)


class Paper:
    """What I/Os of one flash page take by the cards, s."""

    def __init__(self, volume):
        self.times = Times(volume.card, volume.host.card)
        self.host = volume.host.card

    def cpu(self, op, length):
        return 1e-9 * (self.times.submit(op, length) + self.times.complete(op, length))

    def read(self, length):
        """A drive reads: the command there and back, front end, flash, channel, path, link."""
        times = self.times
        return 1e-9 * (2 * times.half_latency + times.front_end + times.page_read(0, length))

    def write(self, length):
        """A drive has a write in its buffer."""
        times = self.times
        moved = times.link(length) + times.path_write(length)
        return 1e-9 * (2 * times.half_latency + times.front_end + moved)

    def issue(self, commands):
        """The operating system spreads a request over drives."""
        more = self.host.number("raid.device_io_time") * (commands - 1)
        return self.host.number("raid.io_time") + more

    def exclusive_or(self, length):
        return length * self.host.number("raid.parity_time_per_byte")

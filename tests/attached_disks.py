"""Disks and flash drives that are attached, with the sockets of their server in a folder."""

from __future__ import annotations

import asyncio
import json

from nbd_client import Client

from raidsim.attach.attached import AttachedSystem
from raidsim.attach.server import Server
from raidsim.attach.steering import Steering
from raidsim.scenario import Scenario

KIB = 2**10
FAST = 1000.0  # simulated seconds in a second: the tests wait for nothing
READ, WRITE, FLUSH, TRIM, ZEROES, STATUS = 0, 1, 3, 4, 6, 7
FUA, NO_HOLE, REQ_ONE = 1, 2, 8
DISKS = """
schema = 1
title = "disks"
[host]
model = "fujitsu-rx300-s4"
[[volume]]
name = "data"
level = "{level}"
drives = {drives}
drive = "seagate-st373455ss"
disk_cache = "{cache}"
rebuild_sample = "0.01 %"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 1
volume = "data"
"""
FLASH = """
schema = 1
title = "flash"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "fast"
drive = "intel-p3700-800gb"
state = "fresh"
[[volume]]
name = "locked"
drive = "intel-p3700-800gb"
state = "fresh"
access = "read-only"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
volume = "fast"
"""


def disks(level="raid5", drives=4, cache="off"):
    return DISKS.format(level=level, drives=drives, cache=cache)


class Attached:
    """A server of a scenario, with its sockets in a folder."""

    def __init__(self, text, folder, speed=FAST):
        self.scenario = Scenario.from_text(text)
        self.system = AttachedSystem(self.scenario, speed)
        self.server = Server(self.system)
        self.steering = Steering(self.scenario, self.system)
        self.path = folder / "nbd"

    async def __aenter__(self):
        await self.server.listen_at(self.path)
        self.server.start()
        return self

    async def __aexit__(self, *_):
        await self.server.stop()

    async def client(self, name="", **options):
        return await Client.connect(self.path, name=name, **options)

    def run_at(self, speed):
        """Go on at another speed."""
        self.system.clock.speed = speed
        self.system.clock.start(self.system.env.now)

    def happens(self, **event):
        told = self.steering.answer(json.dumps(event).encode())
        assert told["ok"], told


def run(test, *arguments, limit=30):
    """Run a test that waits for clients, for so many seconds at most."""
    asyncio.run(asyncio.wait_for(test(*arguments), limit))

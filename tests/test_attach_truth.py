"""What clients would measure of an attached volume is what a run of the scenario says."""

from __future__ import annotations

import numpy as np
import pytest

import raidsim
from raidsim.attach import protocol as nbd
from raidsim.attach.machine import Machine
from raidsim.scenario import Scenario

TEXT = """
schema = 1
title = "{drive}"
[host]
model = "{host}"
[[volume]]
drive = "{drive}"
level = "{level}"
drives = {drives}
{more}
[[load]]
read = "67 %"
size = "8 KiB"
area = {{ offset = "0 B", size = "8 GiB" }}
outstanding = {outstanding}
"""
DISKS = ("seagate-st373455ss", "fujitsu-rx300-s4", "raid5", 4, 'disk_cache = "off"')
FLASH = ("intel-p3700-800gb", "fujitsu-rx2540-m1", "raid1", 2, "")
AGREES = 0.05  # of some thousand requests, whose chance is another one than the run's
SEED = 3


@pytest.mark.parametrize(
    ("system", "outstanding", "requests"), [(DISKS, 1, 1500), (DISKS, 16, 4000), (FLASH, 16, 8000)]
)
def test_requests_take_what_a_run_measures(system, outstanding, requests):
    """A client without any delay of its own, which asks again as soon as it is answered."""
    drive, host, level, drives, more = system
    text = TEXT.format(
        drive=drive, host=host, level=level, drives=drives, more=more, outstanding=outstanding
    )
    scenario = Scenario.from_text(text)
    machine = Machine(scenario, 1.0)
    (device,) = machine.devices.values()
    env = machine.env
    chance = np.random.default_rng(SEED)
    took = {nbd.READ: [], nbd.WRITE: []}
    ended = []

    def ask():
        command = nbd.READ if chance.random() < 0.67 else nbd.WRITE
        place, begun = int(chance.integers(2**20)) * 8192, env.now
        payload = bytes(8192) if command == nbd.WRITE else b""

        def answer(found):
            assert found.error == 0
            took[command].append(env.now - begun)
            ended.append(env.now)
            ask()

        device.ask(nbd.Request(0, command, 0, place, 8192), payload, answer)

    for _ in range(outstanding):
        ask()
    while len(ended) < requests // 5:
        env.advance(env.next_time)
    for times in (*took.values(), ended):
        times.clear()
    begun = env.now
    while len(ended) < requests:
        env.advance(env.next_time)
    (point,) = raidsim.run(scenario, progress=False).points
    print("seed", SEED, point.iops.mean, len(ended) / (env.now - begun))
    assert len(ended) / (env.now - begun) == pytest.approx(point.iops.mean, rel=AGREES)
    for command, name in ((nbd.READ, "read"), (nbd.WRITE, "write")):
        measured = point.latency_ms[name]
        assert 1000 * np.mean(took[command]) == pytest.approx(measured.mean, rel=AGREES)
        assert 1000 * np.median(took[command]) == pytest.approx(measured.p50, rel=AGREES)
    machine.close()

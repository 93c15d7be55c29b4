"""What clients would measure of an attached volume is what a run of the scenario says."""

from __future__ import annotations

import numpy as np
import pytest
from attached_disks import disks

import raidsim
from raidsim.attach import protocol as nbd
from raidsim.attach.attached import LATEST, AttachedSystem
from raidsim.attach.clock import Clock
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


class Client:
    """A client without any delay of its own, which asks again as soon as it is answered.

    Attributes
    ----------
    took : simulated times of reads and of writes, s.
    ended : when requests were answered, s.
    """

    def __init__(self, attached):
        self.env = attached.env
        (self.device,) = attached.devices.values()
        self.chance = np.random.default_rng(SEED)
        self.took = {nbd.READ: [], nbd.WRITE: []}
        self.ended = []

    def ask(self):
        command = nbd.READ if self.chance.random() < 0.67 else nbd.WRITE
        place, begun = int(self.chance.integers(2**20)) * 8192, self.env.now
        payload = bytes(8192) if command == nbd.WRITE else b""

        def answer(found):
            assert found.error == 0
            self.took[command].append(self.env.now - begun)
            self.ended.append(self.env.now)
            self.ask()

        self.device.ask(nbd.Request(0, command, 0, place, 8192), payload, answer)

    def wait_for(self, requests):
        """Simulated time until so many more requests are answered; only these are counted."""
        for times in (*self.took.values(), self.ended):
            times.clear()
        begun = self.env.now
        while len(self.ended) < requests:
            self.env.advance(self.env.next_time)
        return self.env.now - begun


@pytest.mark.parametrize(
    ("system", "outstanding", "requests"), [(DISKS, 1, 1500), (DISKS, 16, 4000), (FLASH, 16, 8000)]
)
def test_requests_take_what_a_run_measures(system, outstanding, requests):
    """Their rate, and the mean and median latency of reads and of writes."""
    drive, host, level, drives, more = system
    text = TEXT.format(
        drive=drive, host=host, level=level, drives=drives, more=more, outstanding=outstanding
    )
    scenario = Scenario.from_text(text)
    attached = AttachedSystem(scenario, 1.0)
    client = Client(attached)
    for _ in range(outstanding):
        client.ask()
    client.wait_for(requests // 5)  # the array begins empty
    rate = requests / client.wait_for(requests)
    (point,) = raidsim.run(scenario, progress=False).points
    print("seed", SEED, point.iops.mean, rate)
    assert rate == pytest.approx(point.iops.mean, rel=AGREES)
    for command, name in ((nbd.READ, "read"), (nbd.WRITE, "write")):
        measured, took = point.latency_ms[name], client.took[command]
        assert 1000 * np.mean(took) == pytest.approx(measured.mean, rel=AGREES)
        assert 1000 * np.median(took) == pytest.approx(measured.p50, rel=AGREES)
    attached.close()


# ---- very long simulated times


def at_speed(speed, text):
    """An attached system and its wall clock, which stands still until it is put on."""
    attached = AttachedSystem(Scenario.from_text(text), speed)
    wall = [1000.0]
    attached.clock = Clock(speed, wall=lambda: wall[0])
    attached.start()
    return attached, wall


def one_write(attached, wall, address):
    """Simulated time that a write takes, to the answer; the wall's clock goes on in us."""
    answers, began = [], attached.env.now
    request = nbd.Request(0, nbd.WRITE, 0, address, 4096)
    attached.devices["data"].ask(request, b"x" * 4096, answers.append)
    for _ in range(1000):
        if answers:
            break
        wall[0] += 1e-6
        attached.advance()
    (answer,) = answers
    assert answer.error == 0
    return answer.due - began


@pytest.mark.parametrize("simulated", [1e7, 1e8, 1e9, 4.6e9])
def test_a_machine_goes_on_for_as_long_as_its_clock_can_count(simulated):
    """Floats lie up to a us apart there; a turn of the disks takes 4 ms."""
    attached, wall = at_speed(1000.0, disks())
    early = one_write(attached, wall, 2**20)
    wall[0] += simulated / 1000
    attached.advance()
    assert attached.env.now == pytest.approx(simulated, rel=1e-6)
    late = one_write(attached, wall, 2**21)
    assert 0.5e-3 < early < 20e-3
    assert 0.5e-3 < late < 20e-3
    assert attached.devices["data"].content.read(2**21, 4096) == b"x" * 4096
    attached.close()


def test_where_the_simulated_clock_ends_the_machine_says_so_once():
    attached, wall = at_speed(1e4, disks())
    ends = []
    attached.on_end = lambda: ends.append(attached.env.now)
    wall[0] += 147 * 365.25 * 86_400 / 1e4
    for _ in range(3):
        attached.advance()
        wall[0] += 1.0
    assert ends == [LATEST]
    assert attached.wait <= 0
    assert LATEST > 146 * 365 * 86_400
    attached.close()

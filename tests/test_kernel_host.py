"""The host: what processes share, what saving power costs, and how far it is to another socket.

A figure is what the card says: a bound is cores over time, waiting adds up to the nanosecond.
"""

from __future__ import annotations

from typing import ClassVar

import pytest
from conftest import compiled_only
from drive_times import KIB, MS, US, OneDrive
from watching import begin, build

from raidsim.kernel.load_tables import MANUAL
from raidsim.running import run
from raidsim.scenario import Requests, from_data

pytestmark = compiled_only

FEW = 5_000
EDGE = 5 / FEW  # what a window may cut off at its ends, as a share
DEFAULT = {"power_plan": "default"}
STEPS = ("submit", "complete")
PARTS = ("device_io_time", "page_time", "write_time")


def server(
    *, workers=1, outstanding=1, size="4 KiB", read="100 %", values=None, drive=None, **host
):
    """A P3700 in a server with such settings, under a load that has begun."""
    spec = from_data(
        {
            "host": {"model": "fujitsu-rx2540-m1", "set": values or {}, **host},
            "volume": [{"drive": "intel-p3700-800gb", "state": "fresh", "set": drive or {}}],
            "load": [
                {
                    "read": read,
                    "size": size,
                    "align": "64 KiB",
                    "workers": workers,
                    "outstanding": outstanding,
                }
            ],
        }
    )
    built = build(spec)
    begin(built)
    return built


def rate(built, ios=FEW):
    """IO/s over the last half of so many I/Os."""
    system = built.system
    done = int(system.state["completed"])
    system.run(budget=done + ios)
    start = system.now
    system.run(budget=done + 2 * ios)
    return ios / (system.now - start) * 1e9


def test_the_first_io_after_a_wait_takes_as_much_longer_as_it_takes_to_wake_a_process():
    quiet = {"submit.wake_time": "0 us", "submit.io_time": "2 us"}
    alone = [
        1e9 / rate(server(values=quiet | {"submit.wake_time": wake}))
        for wake in ("0 us", "10 us", "30 us")
    ]
    # One at a time, each I/O finds that the process waited for the one before it.
    assert alone[1] - alone[0] == pytest.approx(10_000, rel=0.05)
    assert alone[2] - alone[0] == pytest.approx(30_000, rel=0.05)


def test_ios_that_queue_behind_another_find_the_process_awake():
    busy = {"submit.io_time": "20 us", "submit.page_time": "0 us"}
    rates = [
        rate(server(outstanding=64, values=busy | {"submit.wake_time": wake}))
        for wake in ("0 us", "10 us")
    ]
    assert rates[0] == pytest.approx(50_000, rel=0.02)
    assert rates[1] == pytest.approx(rates[0], rel=0.02)


@pytest.mark.parametrize("asked", [1.2, 4, 16])
def test_interrupts_come_first_however_many_ios_wait_to_be_submitted(asked):
    """A core takes 4 us for each I/O of its process; what is offered beyond takes no time of it."""
    spec = from_data(
        {
            "host": {
                "model": "fujitsu-rx2540-m1",
                "set": {
                    "interrupts.shared": True,
                    **{f"{step}.{part}": "0 us" for step in STEPS for part in PARTS},
                    "submit.io_time": "1 us",
                    "complete.io_time": "3 us",
                },
            },
            "volume": [{"drive": "intel-p3700-800gb", "state": "fresh"}],
            "load": [{"read": "100 %", "size": "4 KiB", "rate": f"{250_000 * asked:.0f} IO/s"}],
        }
    )
    (point,) = run(spec).points
    assert point.saturated
    assert point.iops.mean == pytest.approx(250_000, rel=0.01)
    assert point.carried.rate == pytest.approx(250_000, rel=0.03)


def clocks(built):
    """Speed of the submission of the first process and of completion; 1 is the card's clock."""
    process = built.system.world.processes[0]
    stations = built.system.world.stations
    return stations[process["submit"]]["speed"], stations[process["complete"]]["speed"]


class SavingPower(OneDrive):
    """A drive under I/Os by hand, in a server under the default power plan."""

    on_card: ClassVar = {"read_ahead.depth": "0 KiB"}

    def __init__(self, **host):
        spec = from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1", **DEFAULT, **host},
                "volume": [{"drive": self.model, "set": dict(self.on_card)}],
                "load": [{"read": "100 %", "size": "4 KiB", "outstanding": 1}],
            }
        )
        self.built = build(spec)
        self.system = self.built.system
        self.host = spec.host.card
        self._streams = [
            self.system.add_stream("by hand", [Requests(512)], mode=MANUAL, volume=0, process=0)
        ]
        self._tickets = 0

    def after(self, pause):
        """Latency of a read that is issued ``pause`` ns after all has come to rest."""
        self.system.run()
        self.system.advance_clock(self.system.now + pause)
        return self.reads(256 * KIB * (self._tickets + 1), 4 * KIB)


# -- completion is shared -------------------------------------------------------------------------


def test_processes_together_complete_what_the_interrupt_core_takes():
    slow = {"complete.io_time": "8 us"}
    one = server(outstanding=64, values=slow)
    four = server(workers=4, outstanding=64, values=slow)
    assert rate(one) == pytest.approx(125_000, rel=EDGE)
    assert rate(four) == pytest.approx(125_000, rel=EDGE)


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_throughput_is_bound_by_cores_over_time(cores):
    values = {"complete.io_time": "20 us", "interrupts.cores": cores}
    built = server(workers=4, outstanding=64, values=values)
    assert rate(built) == pytest.approx(cores * 50_000, rel=0.005)


def test_each_process_submits_on_its_own_core():
    values = {"submit.io_time": "20 us", "submit.page_time": "0 us"}
    assert rate(server(outstanding=64, values=values)) == pytest.approx(50_000, rel=EDGE)
    four = server(workers=4, outstanding=64, values=values)
    assert rate(four) == pytest.approx(200_000, rel=EDGE)


@pytest.mark.parametrize(("page", "pages"), [("4 KiB", 16), ("64 KiB", 1), ("2 MiB", 1)])
def test_a_page_of_memory_costs_the_same_however_large_it_is(page, pages):
    values = {"submit.io_time": "40 us", "submit.page_time": "1 us", "page.size": page}
    found = rate(server(outstanding=64, size="64 KiB", values=values))
    assert found == pytest.approx(1e6 / (40 + pages), rel=EDGE)


def test_processes_that_run_on_the_core_of_their_interrupts_share_it():
    values = {
        "submit.io_time": "6 us",
        "submit.page_time": "0 us",
        "complete.io_time": "4 us",
        "interrupts.shared": True,
    }
    alone = server(outstanding=64, values=values)
    assert rate(alone) == pytest.approx(100_000, rel=EDGE)
    two = server(workers=2, outstanding=32, values=values)
    assert rate(two) == pytest.approx(200_000, rel=EDGE)
    apart = server(outstanding=64, values=values, affinity="unfavourable")
    assert rate(apart) == pytest.approx(1e6 / (6 + 1.7 + 1.89), rel=EDGE)
    each = values | {"interrupts.cores": 16}  # a vector for each core: none is apart
    apart = server(outstanding=64, values=each, affinity="unfavourable")
    assert rate(apart) == pytest.approx(1e6 / (6 + 4 + 1.7 + 1.89), rel=EDGE)


def test_a_driver_takes_cpu_time_for_each_command_and_byte_at_its_clock():
    plain = 1e9 / rate(server())
    driver = {
        "driver.read_time": "10 us",
        "driver.read_time_per_byte": "0.5 us/KiB",
        "driver.clock": "7 GHz",  # twice the host's
    }
    assert 1e9 / rate(server(drive=driver)) - plain == pytest.approx(24 * US, abs=0.1 * US)


def test_a_mirrored_write_takes_its_driver_twice():
    spec = from_data(
        {
            "host": {"model": "fujitsu-rx2540-m1", "set": {"cpu.work_per_clock": "50 %"}},
            "volume": [
                {
                    "level": "raid1",
                    "drives": 2,
                    "spares": 1,
                    "drive": "intel-p3700-800gb",
                    "state": "fresh",
                    "set": {"driver.write_time": "50 us", "driver.clock": "3.5 GHz"},
                }
            ],
            "load": [{"read": "0 %", "size": "4 KiB", "align": "4 KiB", "outstanding": 16}],
        }
    )
    built = build(spec)
    begin(built)
    card = spec.host.card
    host = sum(card.number(f"submit.{part}_time") for part in ("io", "page", "write"))
    each = host + card.number("raid.io_time") + card.number("raid.device_io_time") + 2 * 100e-6
    assert rate(built) == pytest.approx(1 / each, rel=EDGE)
    assert list(built.system.world.drives["driver_write"][:3]) == 3 * [100 * US]  # the spare too


# -- saving power ---------------------------------------------------------------------------------


def awake(**more):
    """Values under which nothing but sleeping distinguishes the default power plan."""
    return {"set": {"cpu.idle_clock": "3.5 GHz", "sleep.wake_time": "100 us", **more}}


def test_a_core_that_has_slept_adds_exactly_what_waking_takes():
    drive = SavingPower(**awake())
    drive.after(MS)
    busy = SavingPower(**awake(), cpu_load=True)
    busy.after(MS)
    # It wakes to submit, and once more to complete, since the flash takes longer than 50 us.
    assert drive.after(MS) == busy.after(MS) + 200 * US


def test_a_core_that_was_idle_for_less_does_not_sleep():
    drive = SavingPower(**awake(**{"sleep.after": "5 ms"}))
    drive.after(6 * MS)
    short = drive.after(4 * MS)
    assert drive.after(6 * MS) == short + 100 * US


@pytest.mark.parametrize(
    ("read", "affinity", "wakings"),
    [
        # The CPU that completes an I/O issues the next one at once, and sleeps till that is back.
        ("100 %", "favourable", 1),
        # A write is back before it falls asleep.
        ("0 %", "favourable", 0),
        # Submission and completion on two sockets: while one wakes, the other falls asleep.
        ("100 %", "unfavourable", 2),
    ],
)
def test_one_outstanding_io_pays_for_each_waking(read, affinity, wakings):
    times = []
    for load in (False, True):
        values = awake(**{"remote.io_time": "0 us", "remote.page_time": "0 us"})["set"]
        built = server(read=read, values=values, affinity=affinity, cpu_load=load, **DEFAULT)
        times.append(1e9 / rate(built))
    assert times[0] - times[1] == pytest.approx(wakings * 100 * US, abs=US)


def test_the_clock_falls_to_the_lowest_when_there_is_little_to_do():
    built = server(values={"sleep.wake_time": "0 us", "governor.interval": "1 ms"}, **DEFAULT)
    rate(built)
    assert clocks(built) == (pytest.approx(1.2 / 3.5), pytest.approx(1.2 / 3.5))


def test_the_clock_is_full_where_the_cpu_limits_the_load():
    values = {"sleep.wake_time": "0 us", "governor.interval": "1 ms", "submit.io_time": "20 us"}
    built = server(outstanding=64, values=values, **DEFAULT)
    saving = rate(built)
    assert clocks(built)[0] == 1
    assert saving == pytest.approx(rate(server(outstanding=64, values=values)), rel=0.01)


def test_the_governor_keeps_a_core_as_busy_as_it_aims_at():
    # 50,000 completions a second of 10 us are half of a core: at an aim of 80 %, 5/8 of the clock.
    values = {
        "submit.io_time": "20 us",
        "submit.page_time": "0 us",
        "complete.io_time": "10 us",
        "governor.target": "80 %",
        "governor.interval": "5 ms",
        "sleep.wake_time": "0 us",
    }
    built = server(outstanding=64, values=values, **DEFAULT)
    rate(built)
    assert clocks(built)[1] == pytest.approx(0.625, rel=0.02)


def test_a_companion_load_keeps_the_cpu_as_fast_as_settings_for_performance():
    saving = server(cpu_load=True, **DEFAULT)
    assert rate(saving) == rate(server())


# -- affinity and slots ---------------------------------------------------------------------------


def test_a_remote_process_submits_more_slowly_by_the_io_and_by_the_page():
    values = {
        "submit.io_time": "10 us",
        "submit.page_time": "1 us",
        "remote.io_time": "5 us",
        "remote.page_time": "2 us",
    }
    near = server(outstanding=64, size="8 KiB", values=values)
    far = server(outstanding=64, size="8 KiB", values=values, affinity="unfavourable")
    assert rate(near) == pytest.approx(1e6 / 12, rel=EDGE)
    assert rate(far) == pytest.approx(1e6 / 21, rel=EDGE)


@pytest.mark.parametrize(
    ("read", "key", "affinity"),
    [
        ("100 %", "pcie.read_time_per_byte", "favourable"),
        ("0 %", "pcie.write_time_per_byte", "favourable"),
        ("0 %", "remote.write_time_per_byte", "unfavourable"),
    ],
)
def test_a_slot_carries_no_more_than_the_host_lets_through(read, key, affinity):
    built = server(
        outstanding=32, size="64 KiB", read=read, values={key: "2 us/KiB"}, affinity=affinity
    )
    assert rate(built, FEW // 4) == pytest.approx(1e6 / 128, rel=0.01)


@pytest.mark.parametrize(
    ("near", "affinity", "remote"),
    [(1, "favourable", [1, 2, 3]), (3, "favourable", [3]), (1, "unfavourable", [0])],
)
def test_drives_beyond_the_near_slots_fetch_from_another_socket(near, affinity, remote):
    """2 us for each KiB, where their links are faster than that."""
    values = {"pcie.near_slots": near, "remote.write_time_per_byte": "2 us/KiB"}
    spec = from_data(
        {
            "host": {"model": "fujitsu-rx2540-m1", "set": values, "affinity": affinity},
            "volume": [{"drive": "intel-p3700-800gb", "level": "raid1", "drives": 4}],
            "load": [{"read": "0 %", "size": "64 KiB", "outstanding": 1}],
        }
    )
    world = build(spec).system.world
    drives = world.ssds[:4]
    per_kib = KIB * drives["link_ns"] / world.stations["speed"][drives["link_to_drive"]]
    assert [n for n in range(4) if per_kib[n] > 1_000] == remote
    assert per_kib[remote] == pytest.approx(2_000)


def test_a_slot_that_is_faster_than_the_link_of_the_drive_changes_nothing():
    values = {"pcie.read_time_per_byte": "0.01 us/KiB"}
    assert rate(server(outstanding=8, values=values)) == rate(server(outstanding=8))

"""Hard disks at the edges: where data, time or requests might be made out of nothing."""

from __future__ import annotations

import pytest
from conftest import compiled_only

from raidsim import Environment, Host, InputError, Load, Volume
from raidsim.kernel.jit import INTERPRETED

KIB = 1024
MIB = 1024 * KIB
DRIVE = "fujitsu-hdd-sas2-15k-146gb"
IDLE, ACTIVE = 4.0, 6.6  # W, of its card
MEDIA_MS = 4.78  # 1 MiB of the outermost track at 15,000 rpm


def volume(env, name=None, **changes):
    values = {key.replace("__", "."): value for key, value in changes.items()}
    return Volume(env, DRIVE, Host(env, "fujitsu-rx300-s7"), name=name, changes=values)


def reads(env, disk, *extents, pause=1.0):
    """Latencies of reads one after the other, with a pause after each, ms."""
    found = []

    def reader():
        for offset, length in extents:
            done = yield disk.read(offset, length)
            found.append(done.latency * 1e3)
            yield env.timeout(pause)

    env.run(until=env.process(reader()))
    return found


def test_what_read_ahead_did_not_fetch_costs_its_time_on_the_medium():
    env = Environment()
    _, partly = reads(env, volume(env), (0, 64 * KIB), (MIB, MIB))
    # Read-ahead holds 1 MiB behind the first read, so 64 KiB of the second; long since at rest.
    assert partly > MEDIA_MS * 15 / 16


def test_two_like_streams_fare_alike_wherever_they_are():
    def means(first, second):
        env = Environment()
        disk = volume(env)
        running = [
            disk.start(
                Load(
                    name=name,
                    read="100 %",
                    random="0 %",
                    size="64 KiB",
                    think="10 ms",
                    outstanding=1,
                    area={"offset": offset, "size": "1 GiB"},
                    limit={"ios": 40 if INTERPRETED else 400},
                )
            )
            for name, offset in (("a", first), ("b", second))
        ]
        env.run(until=env.all_of(running))
        return [load.latency("read").mean for load in running]

    here, there = means("0 B", "20 GiB")
    swapped_here, swapped_there = means("20 GiB", "0 B")
    assert here == pytest.approx(swapped_there, rel=0.15)
    assert there == pytest.approx(swapped_here, rel=0.15)


@pytest.mark.parametrize("outstanding", [1, 4])
def test_reading_on_behind_a_stream_costs_the_stream_nothing(outstanding):
    rates = []
    for minimum in ("0 KiB", "256 KiB"):
        env = Environment()
        disk = volume(env, read_ahead__minimum=minimum, read_ahead__until="depth")
        load = Load(
            read="100 %",
            random="0 %",
            size="64 KiB",
            outstanding=outstanding,
            limit={"ios": 100 if INTERPRETED else 1000},
        )
        env.run(until=disk.start(load))
        rates.append(disk.mbps)
    assert rates[1] == pytest.approx(rates[0], rel=0.05)


@compiled_only
def test_the_arm_is_busy_and_takes_power_while_it_reads_ahead():
    env = Environment()
    disk = volume(env)
    load = Load(read="100 %", random="0 %", size="64 KiB", outstanding=1, limit={"time": "0.5 s"})
    env.run(until=disk.start(load))
    (arm,) = [station for station in disk.stations if station.kind == "disk arm"]
    assert arm.utilisation > 0.95
    assert disk.use.power_w == pytest.approx(ACTIVE, rel=0.03)


def use_of_the_arm(seconds, *, depth, **of_load):
    env = Environment()
    disk = volume(env, read_ahead__depth=depth, read_ahead__until="depth")
    env.run(until=disk.start(Load(read="100 %", limit={"time": seconds}, **of_load)))
    (arm,) = [station for station in disk.stations if station.kind == "disk arm"]
    return arm, disk


@compiled_only
def test_what_is_read_ahead_for_nobody_takes_no_share_of_the_arm():
    random = {"random": "100 %", "size": "4 KiB", "rate": "30 IO/s"}
    ahead, disk = use_of_the_arm("100 s", depth="1 MiB", **random)
    none, _ = use_of_the_arm("100 s", depth="0 B", **random)
    assert ahead.utilisation == pytest.approx(none.utilisation, rel=0.01)
    # Each read has the arm for itself: its time is what a read takes, but for link and controller.
    assert ahead.utilisation == pytest.approx(30 * disk.latency("read").mean / 1000, rel=0.1)
    assert disk.use.power_w > IDLE + (ACTIVE - IDLE) * 1.5 * ahead.utilisation


@compiled_only
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_stream_takes_as_much_of_the_arm_as_of_the_rate_of_the_medium(share):
    stream = {"random": "0 %", "size": "64 KiB"}
    _, fast = use_of_the_arm("2 s", depth="1 MiB", outstanding=1, **stream)
    rate = share * fast.mbps * MIB / (64 * KIB)
    arm, _ = use_of_the_arm("10 s", depth="1 MiB", rate=f"{rate} IO/s", **stream)
    assert arm.utilisation == pytest.approx(share, rel=0.05)


def test_a_write_into_a_range_that_is_being_read_leaves_no_old_data_in_the_buffer():
    env = Environment()
    disk = volume(env, write_cache__enabled=False)
    found = {}

    def reader():
        yield disk.read(0, 64 * KIB)
        long = disk.read(64 * KIB, MIB)
        yield env.timeout(0.0005)
        yield env.all_of([long, disk.write(0, 4 * KIB), disk.write(512 * KIB, 4 * KIB)])
        for place in (0, 512 * KIB):
            done = yield disk.read(place, 4 * KIB)
            found[place] = done.latency

    env.run(until=env.process(reader()))
    assert found[512 * KIB] > 0.2e-3


def test_three_hundred_disks_in_one_model_lose_no_request():
    env = Environment()
    host = Host(env, "fujitsu-rx300-s7")
    count = 20 if INTERPRETED else 300
    done = []

    def reader(disk):
        yield disk.read(0, 4 * KIB)
        done.append(disk)

    for number in range(count):
        env.process(reader(Volume(env, DRIVE, host, name=f"v{number}")))
    env.run()
    assert len(done) == count


@pytest.mark.parametrize("kind", ["disk arm", "command slot", "command latency"])
def test_what_is_no_device_has_no_speed_to_change(kind):
    env = Environment()
    with pytest.raises(InputError, match="not a kind of station"):
        volume(env).set_speed(kind, 0.5)

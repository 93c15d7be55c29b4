"""What drives that have failed, or are out of reach, draw from the supply."""

from __future__ import annotations

from typing import Any

import pytest
from array_scenarios import array
from simpy_arrays import SAS, raid_card, server
from simpy_arrays import array as behind_controller
from simpy_models import DRIVE

from raidsim.control import Environment, Host, Link, Load, Volume
from raidsim.observe import inventory

DISK = "nl-sas-2tb"
WRITES = Load(read="0 %", random="0 %", size="64 KiB", outstanding=4)


def volume(drive: str, **keys: Any) -> tuple[Environment, Volume]:
    env = Environment(seed=1)
    made = Volume(env, drive, Host(env, "fujitsu-rx2540-m1"), level="raid1", drives=2, **keys)
    return env, made


def drawn(made: Volume) -> list[float | None]:
    return [use.power_w for use in made.drives]


def test_a_check_counts_no_power_of_drives_that_have_failed() -> None:
    whole, broken = (array(level="raid6", drives=8, failed=failed) for failed in ([], [1, 5]))
    for power in ("idle", "active"):
        of_whole, of_broken = (
            getattr(inventory.volume_facts(one.volumes[0]).power_w, power)
            for one in (whole, broken)
        )
        assert of_broken == pytest.approx(6 / 8 * of_whole)
    (parts,) = [one for one in inventory.power_parts(broken) if one.kind == "drives"]
    assert parts.number == 6


@pytest.mark.parametrize("drive", [DISK, DRIVE])
def test_a_drive_that_has_failed_before_the_run_draws_nothing(drive: str) -> None:
    env, made = volume(drive, failed=[1])
    made.start(WRITES)
    env.run(until=1)
    works, dead = drawn(made)
    assert works is not None
    assert works > 0
    assert dead == 0.0


@pytest.mark.parametrize("drive", [DISK, DRIVE])
def test_a_drive_draws_power_until_it_fails_and_once_it_is_replaced(drive: str) -> None:
    env, made = volume(drive)
    env.run(until=1)
    idle = drawn(made)[1]
    assert idle is not None
    made.fail(1)
    env.run(until=4)
    assert drawn(made)[1] == pytest.approx(idle / 4)
    env.reset_window()
    env.run(until=5)
    assert drawn(made)[1] == pytest.approx(0.0)
    made.replace(1)
    env.reset_window()
    env.run(until=6)
    last = drawn(made)[1]
    assert last is not None
    assert last >= idle


@pytest.mark.parametrize("drive", [DISK, DRIVE])
def test_no_drive_draws_power_in_a_power_cut(drive: str) -> None:
    env, made = volume(drive)
    env.run(until=1)
    idle = drawn(made)[0]
    assert idle is not None
    env.cut_power()
    env.run(until=2)
    env.restore_power()
    assert drawn(made)[0] == pytest.approx(idle / 2, rel=0.01)


def test_a_drive_that_nothing_reaches_turns_on() -> None:
    env, host = server()
    card = raid_card(env)
    shelf = Link(env, "shelf", "sas-12g", 4, to=card)
    far = behind_controller(host, "raid0", 2, model=SAS, name="far", behind=shelf)
    env.run(until=1)
    before = drawn(far)
    shelf.lose()
    env.run(until=3)
    assert far.health == "failed"
    assert drawn(far) == pytest.approx(before)


def test_a_solid_state_drive_takes_power_by_how_busy_it_is() -> None:
    """Its card has no energy per byte: 1 W when idle, and 5 W at its highest rates."""

    def watts(load: Load | None) -> float:
        env = Environment(seed=1)
        made = Volume(env, "micron-5100-max-960gb", Host(env, "fujitsu-rx2540-m1"))
        if load is not None:
            made.start(load)
        env.run(until=0.2)
        (found,) = drawn(made)
        assert found is not None
        return found

    assert watts(None) == pytest.approx(1.0)
    few, many = (Load(read="100 %", size="4 KiB", outstanding=n) for n in (1, 64))
    assert 1.0 < watts(few) < 1.5 < watts(many) < 5.0
    stream = Load(read="100 %", random="0 %", size="128 KiB", outstanding=32)
    assert watts(stream) == pytest.approx(5.0, rel=0.02)

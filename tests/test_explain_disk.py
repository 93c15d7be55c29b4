"""``raidsim explain`` on a hard disk: the arm's way, against arithmetic from the card."""

import pytest

from raidsim import cards
from raidsim.assembly.seeks import curve
from raidsim.assembly.surface import geometry
from raidsim.explain.explain import explain
from raidsim.scenario import load

GIB = 2**30
KIB = 1024
DRIVE = "seagate-st373455ss"


def explained(op, offset, length, *overrides):
    changes = [f'volume.drive="{DRIVE}"', *overrides]
    return explain(load("scenarios/p3700-database.toml", overrides=changes), op, offset, length)


def test_a_random_read_takes_a_seek_a_rotation_and_a_transfer():
    found = explained("read", 5 * GIB, 64 * KIB)
    (access,) = found.accesses
    card = cards.load(DRIVE)
    shape = geometry(card)
    track = shape.tracks[0]
    number = 5 * GIB // track  # still in the outermost zone
    assert (access.zone, access.track) == (1, track)
    cylinder, nth = divmod(number, shape.heads)
    # Every other cylinder begins with its last head.
    head = nth if cylinder % 2 == 0 else shape.heads - 1 - nth
    assert (access.cylinder, access.head) == (cylinder, head)
    seek = curve(card, "read", found.disk.cylinders).time(access.cylinder)
    assert access.move == pytest.approx(seek / 1e9)
    turn = 60 / 15000
    assert 0 <= access.rotation < turn
    assert access.transfer == pytest.approx(64 * KIB / track * turn, rel=1e-3)
    # The platter's angle when the arm begins, and the way it turns until the first byte.
    place = (access.begins + access.move + access.rotation) / turn * 360 % 360
    assert place == pytest.approx(access.angle, abs=0.01)


def test_a_long_read_goes_on_where_its_first_command_ended():
    first, second = explained("read", 0, 2 * 1024 * KIB).accesses
    assert second.move == second.rotation == 0
    assert second.offset == first.offset + first.length


@pytest.mark.parametrize(("cached", "background"), [("true", True), ("false", False)])
def test_a_cached_write_is_acknowledged_before_the_arm_moves(cached, background):
    found = explained("write", GIB, 64 * KIB, f"volume.set.write_cache.enabled={cached}")
    arm = [step for step in found.steps if step.station == "disk arm"]
    assert [step.name for step in arm] == ["drive chooses what comes next", "arm finishes"]
    assert all(step.background == background for step in arm)
    (access,) = found.accesses
    assert (access.ends > found.latency) == background


def test_a_disk_has_no_flash_and_a_solid_state_drive_no_arm():
    disk = explained("read", 0, 4 * KIB)
    assert disk.flash is None
    assert disk.disk.rpm == pytest.approx(15000)
    flash = explain(load("scenarios/p3700-database.toml"), "read", 0, 4 * KIB)
    assert flash.disk is None
    assert flash.accesses == ()
    assert flash.flash.channels == 16

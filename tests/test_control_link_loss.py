"""Links that are lost: what is out of reach, what is pinned, and how it comes back."""

import pytest
from simpy_arrays import SAS, array, raid_card, refusal, server
from simpy_models import KIB, MIB, in_turn

from raidsim.assembly.fabric import fabric
from raidsim.control import Controller, InputError, Link, Load
from raidsim.scenario import Tables

STRIP = 64 * KIB
HDD = "cisco-hdd-300gb-10k"
MIX = Load(read="50 %", size="16 KiB", align="4 KiB", outstanding=8)


def shelf_of(host, write="back", level="raid5", drives=4, **changes):
    """A controller with an array behind an expander and a mirror on its own ports."""
    card = raid_card(host.env, "raid", **changes)
    shelf = Link(host.env, "shelf", "sas-12g", 4, to=card)
    far = array(host, level, drives, model=SAS, name="far", behind=shelf, write=write)
    near = array(host, "raid1", 2, model=HDD, name="near", changes={}, controller=card, write=write)
    return card, shelf, far, near


def test_what_is_out_of_reach_with_a_link_is_what_the_graph_says():
    env, host = server()
    card = raid_card(env)
    above = Link(env, "above", "sas-12g", 8, to=card)
    below = Link(env, "below", "sas-12g", 4, to=above)
    volumes = [
        array(host, "raid0", 2, model=SAS, name=name, **way)
        for name, way in (
            ("a", {"behind": below}),
            ("b", {"behind": above}),
            ("c", {"controller": card}),
        )
    ]
    made = fabric(
        Tables.model_construct(
            controllers=(card.spec,),
            links=(above.spec, below.spec),
            volumes=tuple(volume.spec for volume in volumes),
        )
    )
    for link in (below, above):
        link.lose()
        found = [(volume.name, number) for volume in volumes for number in volume.failed]
        assert found == made.lost_with(link.name)
        link.restore()
        assert not any(volume.failed for volume in volumes)


def test_an_array_behind_a_lost_cable_is_offline_and_comes_back_as_it_was():
    _, host = server()
    _, shelf, far, near = shelf_of(host, write="through")
    shelf.lose()
    assert shelf.is_lost
    assert (far.health, near.health) == ("failed", "optimal")
    gone = in_turn(far, ("read", 0, 8 * KIB), ("write", STRIP, 8 * KIB))
    assert [one.status for one in gone] == ["failed", "failed"]
    assert in_turn(near, ("read", 0, 8 * KIB))[0].ok
    shelf.restore()
    assert (far.health, far.failed) == ("optimal", [])
    back = in_turn(far, ("read", 0, 8 * KIB), ("write", STRIP, 8 * KIB))
    assert all(one.ok for one in back)


def test_a_drive_that_had_failed_before_has_still_failed_afterwards():
    _, host = server()
    _, shelf, far, _ = shelf_of(host, write="through")
    far.fail(2)
    in_turn(far, ("read", 0, 256 * KIB))
    shelf.lose()
    far.fail(1)
    shelf.restore()
    assert (far.failed, far.health) == ([1, 2], "failed")


def test_two_links_in_a_row_have_both_to_be_there():
    env, host = server()
    above = Link(env, "above", "sas-12g", 8, to=raid_card(env))
    below = Link(env, "below", "sas-12g", 4, to=above)
    data = array(host, "raid1", 2, model=SAS, behind=below)
    above.lose()
    below.lose()
    above.restore()
    assert data.health == "failed"
    assert "below is lost" in refusal(data.repair, 0)
    below.restore()
    assert data.health == "optimal"


def test_a_single_drive_on_its_host_is_out_of_reach_too():
    env, host = server()
    slot = Link(env, "slot", "pcie-3", 4)
    data = array(host, "single", 1, behind=slot)
    slot.lose()
    assert in_turn(data, ("read", 0, 8 * KIB))[0].status == "failed"
    slot.restore()
    assert in_turn(data, ("read", 0, 8 * KIB))[0].ok


def test_drives_that_are_added_behind_a_lost_link_are_lost():
    env, host = server()
    slot = Link(env, "slot", "pcie-3", 4)
    slot.lose()
    assert array(host, "raid0", 2, behind=slot).health == "failed"


@pytest.mark.parametrize("write", ["through", "back"])
def test_no_io_is_lost_count_of_while_a_link_comes_and_goes(write):
    env, host = server()
    card, shelf, far, near = shelf_of(host, write=write)
    mix = Load(read="50 %", size="16 KiB", align="4 KiB", outstanding=8, think="0.1 ms")
    loads = [far.start(mix), near.start(mix)]

    def cable(env):
        for _ in range(5):
            yield env.timeout(0.003)
            shelf.lose()
            yield env.timeout(0.001)
            shelf.restore()
            if card.pinned:
                card.import_cache()

    env.run(until=env.process(cable(env)))
    for load in loads:
        load.stop()
    env.run()
    assert loads[0].counts.failed > 0
    assert loads[1].counts.failed == 0
    for counts in (load.counts for load in loads):
        assert counts.in_flight == 0
        assert counts.issued == counts.completed + counts.failed
    caches = env.system.world.caches
    assert (int(caches["dirty"][0]), int(caches["pinned"][0])) == (0, 0)
    assert not env.system.world.members["in_flight"].any()


# ---- what is dirty when the array goes


def with_dirty_data(writes=10, **changes):
    """An array behind a shelf, of which some strips are in the cache only."""
    env, host = server()
    card, shelf, far, near = shelf_of(host, **changes)
    in_turn(far, *(("write", 4 * place * STRIP, 8 * KIB) for place in range(writes)))
    return env, card, shelf, far, near


def test_what_a_lost_array_was_promised_waits_for_it_and_is_written_on_import():
    env, card, shelf, far, _ = with_dirty_data()
    shelf.lose()
    assert card.pinned == {"far": 10 * 8 * KIB}
    assert card.use.pinned == 10 * 8 * KIB
    env.run(until=env.now + 30)
    assert card.pinned == {"far": 10 * 8 * KIB}
    shelf.restore()
    assert far.health == "failed"
    written = env.system.world.drives["host_written"][:4].sum()
    assert card.import_cache() == {"far": 10 * 8 * KIB}
    assert far.health == "optimal"
    env.run()
    assert card.pinned == {}
    parity = 10 * 8 * KIB
    assert env.system.world.drives["host_written"][:4].sum() - written == 10 * 8 * KIB + parity
    (done,) = in_turn(far, ("write", 0, 8 * KIB))
    assert card.use.writes["far"].in_effect == "back"
    assert done.ok


def test_discarding_the_cache_loses_what_was_acknowledged_and_says_how_much():
    env, card, shelf, far, _ = with_dirty_data()
    shelf.lose()
    assert card.discard_cache() == {"far": 10 * 8 * KIB}
    assert card.pinned == {}
    shelf.restore()
    assert far.health == "optimal"
    written = env.system.world.drives["host_written"][:4].sum()
    env.run()
    assert env.system.world.drives["host_written"][:4].sum() == written


def test_an_offline_array_accepts_nothing_more_into_the_cache():
    _, card, shelf, far, _ = with_dirty_data()
    shelf.lose()
    done = in_turn(far, ("write", 64 * STRIP, 8 * KIB), ("read", 0, 8 * KIB))
    assert [one.status for one in done] == ["failed", "failed"]  # though the cache has the latter
    assert card.use.writes["far"].in_effect == "through"
    assert card.pinned == {"far": 10 * 8 * KIB}


def test_a_good_battery_does_not_let_an_offline_array_write_back():
    _, card, shelf, _, _ = with_dirty_data()
    shelf.lose()
    card.set_battery("learning")
    card.set_battery("good")
    assert card.use.writes["far"].in_effect == "through"
    assert card.use.writes["near"].in_effect == "back"


SMALL_CACHE = {"cache__size": "4 MiB", "cache__high_mark": "50 %", "cache__low_mark": "50 %"}
LINES = 2 * MIB // STRIP  # that may be dirty


@pytest.mark.parametrize("left", [0, 8])
def test_pinned_lines_take_room_from_the_other_volumes(left):
    """As many writes as lines are left are answered from memory; the others wait for disks."""
    env, card, shelf, _, near = with_dirty_data(LINES - left, **SMALL_CACHE)
    shelf.lose()
    assert card.use.pinned == (LINES - left) * 8 * KIB

    def from_memory(first):
        """How many writes of a burst of 16 were."""
        burst = [near.write((first + place) * STRIP, 8 * KIB) for place in range(16)]
        done = list(env.run(until=env.all_of(burst)).values())
        assert all(one.ok for one in done)
        return sum(one.latency < 1e-3 for one in done)

    assert from_memory(0) == left
    card.discard_cache()
    env.run(until=env.now + 10)
    assert from_memory(100) == 16


def test_a_volume_without_redundancy_waits_for_its_import_after_a_repair():
    env, host = server()
    card, _, far, _ = shelf_of(host, level="raid0", drives=2)
    in_turn(far, ("write", 0, 8 * KIB))
    far.fail(0)
    env.run(until=env.now + 30)  # the flush time is over, and the drive has refused it
    assert card.pinned == {"far": 8 * KIB}
    assert "still out of reach or failed" in refusal(card.import_cache)
    far.repair(0)
    assert far.health == "failed"
    assert "import_cache()" in refusal(far.repair, 0)
    card.import_cache()
    assert far.health == "optimal"
    env.run()
    assert card.pinned == {}


def test_only_what_is_there_is_imported_or_discarded():
    env, card, shelf, _, _ = with_dirty_data()
    for call in (card.import_cache, card.discard_cache):
        assert "nothing is pinned" in refusal(call)
    shelf.lose()
    assert "far: too many drives" in refusal(card.import_cache)
    bare = Controller(env, "lsi-megaraid-1068", name="bare")
    assert bare.pinned == {}
    with pytest.raises(InputError):
        bare.discard_cache()


def test_a_cable_that_trains_at_half_its_speed_halves_what_streams():
    env, host = server()
    shelf = Link(env, "shelf", "sas-6g", 1, to=raid_card(env))
    data = array(host, "raid0", 4, model=SAS, behind=shelf, changes={})
    load = data.start(Load(read="100 %", random="0 %", size="256 KiB", outstanding=8))
    rates = []
    for speed in (1, 0.5):
        shelf.set_speed(speed)
        env.run(until=env.now + 0.02)
        env.reset_window()
        env.run(until=env.now + 0.05)
        rates.append(load.mbps)
    assert rates[1] / rates[0] == pytest.approx(0.5, rel=0.03)


# ---- background work on an array that goes and comes


def test_a_rebuild_that_lost_its_drives_begins_anew_when_they_are_back():
    env, host = server()
    shelf = Link(env, "shelf", "sas-12g", 4, to=raid_card(env))
    data = array(host, "raid5", 4, model=SAS, behind=shelf, spares=1)
    first = data.fail(1)
    env.run(until=env.now + first_part(first))
    shelf.lose()
    env.run(until=env.now + 1)
    assert (first.state, data.health) == ("failed", "failed")
    shelf.restore()
    assert data.health == "rebuilding"
    again = data.operations[-1]
    env.run(until=again)
    assert (again.state, data.health) == ("done", "optimal")


def first_part(operation):
    """A time in which the rebuild of so small an array is not over."""
    assert operation.state == "under way"
    return 0.05


def test_a_drive_out_of_reach_is_not_replaced_and_one_that_fails_takes_no_spare():
    env, host = server()
    shelf = Link(env, "shelf", "sas-12g", 4, to=raid_card(env))
    data = array(host, "raid5", 4, model=SAS, behind=shelf, spares=1)
    shelf.lose()
    assert "shelf is lost" in refusal(data.replace, 0)
    assert data.fail(2) is None
    assert data.spares == 0
    shelf.restore()
    assert (data.failed, data.health, data.spares) == ([], "rebuilding", 0)  # the spare is back
    env.run(until=data.operations[-1])
    assert data.health == "optimal"


def test_a_spare_that_is_in_reach_again_takes_the_place_of_a_drive_that_failed_meanwhile():
    env, left, right, data = two_shelves("raid10", 4, spares=1)
    left.lose()
    assert (data.failed, data.spares) == ([0, 2], 0)
    right.lose()
    right.restore()
    assert (data.failed, data.spares) == ([0, 2], 0)
    left.restore()
    assert (data.failed, data.spares, data.health) == ([2], 0, "rebuilding")
    env.run(until=data.operations[-1])
    assert data.health == "degraded"


def test_what_is_pinned_outlives_a_power_cut_with_a_good_battery():
    env, card, shelf, far, _ = with_dirty_data()
    shelf.lose()
    env.cut_power()
    env.run(until=env.now + 5)
    env.run(until=env.restore_power())
    env.run(until=env.now + 60)
    assert card.pinned == {"far": 10 * 8 * KIB}
    shelf.restore()
    assert far.health == "failed"
    assert card.import_cache() == {"far": 10 * 8 * KIB}
    env.run(until=env.now + 60)
    assert (card.pinned, far.health) == ({}, "optimal")
    assert not env.system.world.caches["dirty"].any()


# ---- drives behind several links


def two_shelves(level="raid10", drives=4, **keys):
    """An array whose drives hang on two shelves in turn."""
    env, host = server()
    card = raid_card(env)
    left, right = (Link(env, name, "sas-12g", 4, to=card) for name in ("left", "right"))
    data = array(host, level, drives, model=SAS, behind=[left, right], **keys)
    return env, left, right, data


def test_mirrors_over_two_shelves_survive_either_of_them():
    env, left, right, data = two_shelves()
    load = data.start(MIX)
    env.run(until=0.005)
    right.lose()
    assert (data.health, data.failed) == ("degraded", [1, 3])
    env.run(until=0.01)
    right.restore()
    assert (data.health, data.failed) == ("degraded", [1, 3])  # out of date
    rebuilds = [data.rebuild(number) for number in (1, 3)]
    assert data.health == "rebuilding"
    env.run(until=env.all_of(rebuilds))
    left.lose()
    assert (data.health, data.failed) == ("degraded", [0, 2])
    load.stop()
    env.run()
    assert load.counts.failed == 0


def test_parity_over_two_shelves_does_not_and_is_offline_as_a_whole():
    _, _, right, data = two_shelves("raid5")
    right.lose()
    assert (data.health, data.failed) == ("failed", [0, 1, 2, 3])
    (done,) = in_turn(data, ("read", 0, 8 * KIB))  # though its drive is in reach
    assert done.status == "failed"
    right.restore()
    assert (data.health, data.failed) == ("optimal", [])


def test_an_array_that_lost_one_shelf_and_then_the_other_needs_the_later_one_back():
    _, left, right, data = two_shelves()
    left.lose()
    right.lose()
    assert data.health == "failed"
    left.restore()
    assert data.health == "failed"
    right.restore()
    assert (data.health, data.failed) == ("degraded", [0, 2])


def test_a_spare_on_the_shelf_that_is_left_stands_in():
    env, left, right, data = two_shelves("raid1", 2, spares=2)
    right.lose()
    assert (data.spares, data.health) == (0, "rebuilding")
    env.run(until=data.operations[-1])
    assert data.health == "optimal"
    assert "no hot spare stands in" in refusal(data.copy_back, 0)
    assert "right is lost" in refusal(data.replace, 1)
    right.restore()
    assert data.spares == 1
    env.run(until=data.replace(1))
    assert (data.spares, data.health) == (2, "optimal")
    left.lose()
    assert (data.spares, data.health) == (0, "rebuilding")


def test_each_link_carries_the_data_of_its_own_drives():
    _, left, right, data = two_shelves("raid0", 2)
    in_turn(data, ("read", 0, STRIP))
    busy = [sum(use.utilisation for use in link.stations) > 0 for link in (left, right)]
    assert busy == [True, False]


def test_links_of_a_volume_lead_to_the_same_controller():
    env, host = server()
    one, other = raid_card(env, "one"), raid_card(env, "other")
    links = [Link(env, name, "sas-12g", 4, to=to) for name, to in (("x", one), ("y", other))]
    assert '"y" leads to "other"' in refusal(array, host, "raid0", 2, model=SAS, behind=links)
    assert "there twice" in refusal(array, host, "raid0", 2, model=SAS, behind=[links[0]] * 2)
    assert "not a Link" in refusal(array, host, "raid0", 2, model=SAS, behind="x")

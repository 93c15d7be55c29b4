"""Links between drives and controllers in a SimPy model."""

import pytest
from drive_times import ns
from simpy_arrays import PCIE, ROUNDING, SAS, SMALL, array, raid_card, refusal, server
from simpy_models import KIB, in_turn

from raidsim.control import Link, Volume
from raidsim.topology.lanes import bandwidth


def test_a_link_leads_to_the_controller_that_its_volumes_are_on():
    env, host = server()
    card, another = raid_card(env), raid_card(env, "another")
    below = Link(env, "below", "sas-12g", 4, to=Link(env, "above", "sas-12g", 8, to=card))
    data = array(host, "raid0", 2, model=SAS, behind=below)
    assert data.controller is card
    assert 'leads to "raid"' in refusal(
        array, host, "raid0", 2, model=SAS, name="b", behind=below, controller=another
    )
    done = env.run(until=data.read(0, 8 * KIB))
    (direct,) = in_turn(
        array(host, "raid0", 2, model=SAS, name="c", controller=card), ("read", 0, 8 * KIB)
    )
    frames = 1024 / (1024 + 48)  # data in a frame of SAS, and header, check sum and primitives
    carried = [frames * bandwidth("sas-12g", lanes) for lanes in (4, 8)]
    crossings = sum(8 * KIB / each for each in carried)
    assert done.latency - direct.latency == pytest.approx(crossings, abs=ROUNDING)
    assert ns(crossings) > 0


def test_a_drive_alone_on_its_host_may_hang_on_a_link_too():
    env, host = server()
    slot = Link(env, "slot", "pcie-3", 2)
    behind, straight = (
        Volume(env, PCIE, host, name=name, changes=SMALL, behind=link)
        for name, link in (("behind", slot), ("straight", None))
    )
    for kind in ("read", "write"):
        (far,) = in_turn(behind, (kind, 0, 8 * KIB))
        (near,) = in_turn(straight, (kind, 0, 8 * KIB))
        crossing = 8 * KIB / bandwidth("pcie-3", 2)
        assert far.latency - near.latency == pytest.approx(crossing, abs=ROUNDING)

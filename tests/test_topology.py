"""The graph of a system: ways to the host, what links carry, what a failed part takes down."""

from __future__ import annotations

import pytest
from array_scenarios import array

import raidsim
from raidsim import scenario
from raidsim.assembly.fabric import fabric, sustained_rate
from raidsim.cards import load as card
from raidsim.control.model import build
from raidsim.errors import InputError
from raidsim.scenario.arrays import at_speed_of
from raidsim.topology.graph import CHIP, LINK, Drive, Fabric, Group, Part
from raidsim.topology.lanes import SPEEDS, agreed, bandwidth

EXPANDER = {"name": "expander", "speed": "sas-12g", "lanes": 8}
NVME = "intel-p3700-800gb"
SSD = "cisco-ssd-sas12-ep-1600gb"


def chain(*bandwidths: float, drives: int = 4, rate: float = 100.0) -> Fabric:
    """Links behind one another from the host down, with drives on the lowest."""
    names = ["host", *(f"link {n}" for n in range(len(bandwidths)))]
    parts = [
        Part(name, LINK, to, "pcie-3", 1, carried)
        for name, to, carried in zip(names[1:], names, bandwidths, strict=False)
    ]
    return Fabric(parts, [Group("data", drives, (names[-1],), rate, "nvme", rate)])


def test_the_way_of_a_drive_leads_over_expander_and_controller_to_the_host() -> None:
    """C240 M4S2: 16 drives behind an expander, 8 lanes of 12G to the controller, PCIe 3 x8."""
    made = fabric(
        array(controller={}, links=(EXPANDER,), level="raid6", drives=16, behind="expander")
    )
    edges = made.path(Drive("data", 15))
    assert [(edge.lower, edge.upper, edge.kind, edge.lanes) for edge in edges] == [
        (Drive("data", 15), "expander", "sas", 1),
        ("expander", "controller", "sas-12g", 8),
        ("controller", "host", "pcie-3", 8),
    ]
    assert edges[1].bandwidth == pytest.approx(8 * 12e9 * 8 / 10 / 8)
    assert edges[2].bandwidth == pytest.approx(8 * 8e9 * 128 / 130 / 8 * 256 / 280)
    assert not any(edge.half_duplex for edge in edges)


def test_links_that_a_volume_shares_are_named_from_the_drives_up() -> None:
    links = (EXPANDER, {"name": "shelf", "to": "expander", "speed": "sas-6g", "lanes": 4})
    others = ({"name": "system", "level": "raid1", "drives": 2, "drive": SSD},)
    made = fabric(
        array(controller={}, links=links, others=others, level="raid6", drives=8, behind="shelf",
              name="data")
    )  # fmt: skip
    assert made.shared_links(Drive("data", 0)) == ["shelf", "expander"]
    assert made.shared_links(Drive("system", 1)) == []


def test_drives_behind_two_links_take_turns() -> None:
    """Drive 0 on the first, 1 on the second, 2 on the first: the halves of mirrors are apart."""
    links = tuple({"name": name, "speed": "sas-6g", "lanes": 4} for name in ("left", "right"))
    made = fabric(
        array(controller={}, links=links, level="raid10", drives=4, behind=["left", "right"])
    )
    ways = [made.shared_links(Drive("data", number)) for number in range(4)]
    assert ways == [["left"], ["right"], ["left"], ["right"]]
    assert [drive.number for drive in made.lost_with("right")] == [1, 3]
    assert [load.drives for load in made.loads()] == [4, 2, 2]


def test_drives_on_the_host_share_nothing() -> None:
    made = fabric(array(level="raid0", drives=4, drive="intel-p3700-800gb"))
    assert [edge.upper for edge in made.path(Drive("data", 0))] == ["host"]
    assert made.shared_links(Drive("data", 0)) == []
    assert made.loads() == []


def test_sata_goes_one_way_at_a_time() -> None:
    made = fabric(array(controller={}, level="raid5", drives=4, drive="cisco-ssd-sata-ep-480gb"))
    assert [edge.half_duplex for edge in made.path(Drive("data", 0))] == [True, False]


@pytest.mark.parametrize(("drives", "factor"), [(7, 0.7), (10, 1.0), (13, 1.3)])
def test_the_factor_of_a_link_is_what_its_drives_deliver_over_what_it_carries(
    drives: int, factor: float
) -> None:
    made = chain(1000.0, drives=drives)
    (load,) = made.loads()
    assert load.factor == pytest.approx(factor)


def test_a_narrow_link_relieves_the_one_above() -> None:
    """20 x 100 arrive at the lower link, which passes on 500 of them."""
    made = chain(400.0, 500.0, drives=20)
    assert [load.factor for load in made.loads()] == pytest.approx([500 / 400, 2000 / 500])


def test_frames_take_a_part_of_a_link_of_sas() -> None:
    """A frame of 1,024 bytes has 48 around it; those of SATA drives of 8,192 bytes have 430."""
    link = Part("expander", LINK, "host", "sas-12g", 4, 4800e6)
    drives = {
        interface: Group(interface, 4, ("expander",), 500e6, interface, 600e6)
        for interface in ("sas", "sata")
    }
    of_sas, of_sata = 1024 / 1072, 8192 / 8622
    for groups, share in ((["sas"], of_sas), (["sata"], of_sata), (["sas", "sata"], of_sas)):
        (load,) = Fabric([link], [drives[one] for one in groups]).loads()
        assert load.carried == pytest.approx(share * 4800e6)


def test_a_drive_brings_no_more_than_its_own_connection_carries() -> None:
    made = Fabric(
        [Part("expander", LINK, "host", "sas-6g", 4, 2400e6)],
        [Group("data", 8, ("expander",), rate=1000e6, interface="sas", bandwidth=600e6)],
    )
    assert made.loads()[0].arriving == 8 * 600e6


def test_four_nvme_drives_behind_a_narrow_switch() -> None:
    """Four P3700 on a switch with four lanes of PCIe 3: the drives have four lanes each."""
    switch = {"name": "switch", "speed": "pcie-3", "lanes": 4}
    drive = "intel-p3700-800gb"
    made = fabric(array(links=(switch,), level="raid0", drives=4, drive=drive, behind="switch"))
    (load,) = made.loads()
    assert load.drives == 4
    assert load.factor == pytest.approx(4 * sustained_rate(card(drive)) / bandwidth("pcie-3", 4))
    assert 2 < load.factor < 4


def test_a_disk_delivers_its_outermost_track_once_a_turn() -> None:
    disk = card("cisco-hdd-4tb")
    turns = disk.number("spindle.speed")
    assert turns == pytest.approx(7200 / 60)
    assert sustained_rate(disk) == pytest.approx(disk.number("geometry.track_outer") * turns)


@pytest.mark.parametrize(
    ("slow", "value"),
    [
        ("link.time_per_byte", 2e-9),
        ("data_path.read_time_per_byte", 2e-9),
        ("flash.channel_read_time_per_byte", 2e-9 * 18),  # of 18 channels side by side
    ],
)
def test_an_ssd_delivers_what_its_slowest_part_does(slow: str, value: float) -> None:
    fast = card("intel-p3700-800gb").changed({"flash.channels": 18})
    assert sustained_rate(fast) > 1.5e9
    assert sustained_rate(fast.changed({slow: value})) == pytest.approx(500e6)


def test_dies_that_all_read_bound_an_ssd() -> None:
    """Pages of all planes of all dies come once per read time."""
    slow = card("intel-p3700-800gb").changed({"flash.read_time": 10e-3})
    at_once = 1
    for name in ("channels", "dies_per_channel", "planes", "page"):
        at_once *= slow.integer(f"flash.{name}")
    at_once //= slow.integer("flash.dies_in_step")
    assert sustained_rate(slow) == pytest.approx(at_once / 10e-3)


def test_the_slower_end_of_a_sas_connection_counts() -> None:
    shelf = {"name": "shelf", "speed": "sas-6g", "lanes": 4}
    made = fabric(array(controller={}, links=(shelf,), level="raid0", drives=4, behind="shelf",
                        drive=SSD))  # fmt: skip
    drive, port, _ = made.path(Drive("data", 0))
    frames = 1024 / (1024 + 48)  # data in a frame of SAS, and header, check sum and primitives
    assert drive.bandwidth == pytest.approx(frames * SPEEDS["sas-6g"])
    assert drive.bandwidth < 1 / card(SSD).number("link.time_per_byte")
    straight = array(controller={"set": {"ports.speed": "sas-3g"}}, level="raid0", drives=4)
    assert fabric(straight).path(Drive("data", 0))[0].bandwidth == pytest.approx(
        frames * SPEEDS["sas-3g"]
    )
    assert (port.kind, port.bandwidth) == ("sas-6g", 4 * SPEEDS["sas-6g"])


def test_a_slow_drive_and_one_on_lanes_of_its_own_are_not_held_back_by_a_port() -> None:
    sata = "cisco-ssd-sata-ep-480gb"
    made = array(controller={}, level="raid0", drives=4, drive=sata)
    assert made.volumes[0].card.values == card(sata).values
    switch = {"name": "switch", "speed": "pcie-3", "lanes": 16}
    made = array(links=(switch,), level="raid0", drives=4, behind="switch", drive=NVME)
    assert made.volumes[0].card.values == card(NVME).values


def test_the_kernel_gets_a_link_as_the_graph_has_it() -> None:
    """A wide expander on a controller with eight ports; one of SATA goes one way at a time."""
    wide = {"name": "expander", "speed": "sas-12g", "lanes": 24}
    sata = {"name": "multiplier", "speed": "sata-6g", "lanes": 1}
    for link, ways, carried in ((wide, 2, 8 * SPEEDS["sas-12g"]), (sata, 1, SPEEDS["sata-6g"])):
        made = array(controller={}, links=(link,), level="jbod", behind=link["name"], drives=2,
                     drive="cisco-ssd-sata-ep-480gb")  # fmt: skip
        system = build(made).system
        hop = system.world.hops[0]
        assert hop["ns"] == pytest.approx(1e9 / carried)
        assert len({int(hop["up"]), int(hop["down"])}) == ways


def test_a_link_is_no_wider_than_the_ports_of_its_controller() -> None:
    wide = {"name": "expander", "speed": "sas-12g", "lanes": 24}
    made = fabric(array(controller={}, links=(wide,), level="jbod", behind="expander"))
    assert made.path(Drive("data", 0))[1].lanes == 8


def test_lanes_of_different_kinds_do_not_agree_on_a_speed() -> None:
    assert agreed("sas-12g", "sata-6g") == "sata-6g"
    assert agreed("10gbe", "sas-6g") == "10gbe"


def test_lanes_of_today_carry_twice_those_before() -> None:
    """16 and 32 GT/s with 130 bits for 128; 22.5 Gbaud of SAS-4 with 150 bits for 128.

    Of PCIe 5 packets are twice as long besides, with as much of a header.
    """
    assert bandwidth("pcie-4", 4) * 280 / 256 == pytest.approx(7.877e9, rel=1e-4)
    assert bandwidth("pcie-4", 8) == pytest.approx(bandwidth("pcie-3", 16))
    packets = (512 / 536) / (256 / 280)
    assert bandwidth("pcie-5", 4) == pytest.approx(bandwidth("pcie-3", 16) * packets)
    assert bandwidth("sas-24g", 1) == pytest.approx(2.4e9)
    assert agreed("sas-24g", "sas-12g") == "sas-12g"


def test_four_lanes_of_pcie_5_carry_what_drives_were_measured_to_read() -> None:
    """14,050 to 14,242 MiB/s of three drives: more than packets of 256 bytes would leave."""
    raw = 4 * 32e9 * 128 / 130 / 8
    fastest = 14242 * 2**20
    assert raw * 256 / 280 < fastest < bandwidth("pcie-5", 4) < raw


TRI_MODE = "lenovo-raid-940-16i-8gb"


@pytest.mark.parametrize(("lanes", "carried"), [(1, 0.886e9), (2, 1.77e9), (4, 3.54e9)])
def test_a_drive_on_tri_mode_ports_has_as_many_lanes_as_the_ports_give_it(
    lanes: int, carried: float
) -> None:
    """A drive of PCIe 3 x4 (3.54 GB/s) on one, two or four lanes of PCIe 4: it runs at PCIe 3."""
    made = array(
        controller={"model": TRI_MODE, "set": {"drives.pcie_lanes": lanes}},
        level="raid0", drives=4, drive=NVME,
    )  # fmt: skip
    own = 1 / card(NVME).number("link.time_per_byte")
    found = fabric(made).path(Drive("data", 0))[0].bandwidth
    assert found == pytest.approx(own * lanes / 4)
    assert found < bandwidth("pcie-4", lanes)
    assert found == pytest.approx(carried, rel=0.005)


def test_behind_a_switch_it_has_the_lanes_of_the_switch() -> None:
    switch = {"name": "switch", "speed": "pcie-4", "lanes": 8}
    made = array(controller={"model": TRI_MODE}, links=(switch,), level="raid0", drives=4,
                 behind="switch", drive=NVME)  # fmt: skip
    assert made.volumes[0].card.values == card(NVME).values


def test_a_sas_drive_on_tri_mode_ports_is_on_sas() -> None:
    made = array(controller={"model": TRI_MODE}, level="raid0", drives=4, drive=SSD)
    assert fabric(made).path(Drive("data", 0))[0].bandwidth <= SPEEDS["sas-12g"]


def test_a_failed_expander_takes_down_all_drives_behind_it_and_no_others() -> None:
    others = ({"name": "system", "level": "raid1", "drives": 2, "drive": SSD},)
    made = fabric(array(controller={}, links=(EXPANDER,), others=others, level="raid6", drives=4,
                        behind="expander", name="data"))  # fmt: skip
    data = [Drive("data", number) for number in range(4)]
    system = [Drive("system", number) for number in range(2)]
    assert made.lost_with("expander") == data
    assert made.lost_with("controller") == made.lost_with("host") == data + system
    assert made.lost_with(Drive("data", 2)) == [Drive("data", 2)]
    with pytest.raises(KeyError):
        made.lost_with("nothing")


def test_parts_must_lead_to_the_host() -> None:
    def link(name: str, to: str) -> Part:
        return Part(name, LINK, to, "sas-6g", 4, 1.0)

    with pytest.raises(ValueError, match="leads to b, which is not a part"):
        Fabric([link("a", "b")], [])
    with pytest.raises(ValueError, match="lead in a circle"):
        Fabric([link("a", "b"), link("b", "a")], [])
    with pytest.raises(ValueError, match="the name a is taken"):
        Fabric([link("a", "host"), Part("a", CHIP, "host", "pcie-3", 8, 1.0)], [])
    with pytest.raises(ValueError, match="the name host is taken"):
        Fabric([link("host", "host")], [])


def test_a_controller_is_not_called_host() -> None:
    with pytest.raises(InputError, match=r"controller.name: .host. is the name of the server"):
        array(controller={"name": "host"}, level="jbod")


@pytest.mark.parametrize("name", ["host", "controller"])
def test_a_link_has_a_name_of_its_own(name: str) -> None:
    link = {"name": name, "speed": "sas-12g", "lanes": 4}
    with pytest.raises(InputError, match=r"link.name: .* is the name of "):
        array(controller={}, links=(link,), level="jbod")


def test_a_volume_may_be_called_like_a_part() -> None:
    made = fabric(array(controller={}, links=(EXPANDER,), name="host", level="jbod", drives=2,
                        behind="expander"))  # fmt: skip
    assert made.path(Drive("host", 1))[0].upper == "expander"


@pytest.mark.parametrize(
    ("drive", "carried"), [(SSD, 600 * 1024 / 1072), ("intel-s4600-960gb", 600 * 8192 / 8622)]
)
def test_frames_take_a_part_of_the_port_of_a_drive(drive: str, carried: float) -> None:
    quick = card(drive).changed({"link.time_per_byte": 1 / 900e6})
    found = at_speed_of(quick, "sas-6g")
    assert 1e-6 / found.number("link.time_per_byte") == pytest.approx(carried)


SATA_SSD = "samsung-870-evo-1tb"


@pytest.mark.parametrize(
    ("size", "most"),
    [("4 KiB", 51_000), ("128 KiB", 285e6 / 131_072)],
)
def test_a_sata_drive_on_a_port_of_3_gbit_s_does_half_of_what_its_own_does(
    size: str, most: float
) -> None:
    """Its 98,000 reads become some 50,000, and its 560 MB/s some 280: frames are half as fast, too.

    Three drives of other makers behind a P420i, which runs SATA at 3 or 6 Gbit/s by its
    QuickSpecs, did 47,000 reads of 4 KiB a second, each of them, where their sheet has 100,000.
    """
    kind = "100 %" if size == "4 KiB" else "0 %"
    changes = [f"load.random={kind}", f"load.size={size}", "load.outstanding=32"]
    rates = {}
    for port in "sata-3g", "sata-6g":
        drive = [f"volume.drive={SATA_SSD}", f"controller.set.ports.speed={port}"]
        made = scenario.load("p420i-fio", overrides=[*changes, *drive, "volume.write=through"])
        rates[port] = raidsim.run(made).points[0].iops.mean
    assert 0.9 * most <= rates["sata-3g"] <= most
    assert rates["sata-6g"] / rates["sata-3g"] == pytest.approx(1.95, abs=0.1)

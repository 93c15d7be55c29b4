"""Hosts and controllers of the catalogue: they run, and do what is printed of their kind."""

import math

import pytest

from raidsim import cards, run
from raidsim.assembly.shared_lines import stripe_line_time
from raidsim.report.findings import findings
from raidsim.scenario import load_text
from raidsim.topology.lanes import bandwidth

CATALOGUE = cards.catalogue()
HOSTS = [card.name for card in CATALOGUE if card.kind == "host"]
CONTROLLERS = [card.name for card in CATALOGUE if card.kind == "controller"]
PARTS = ("io", "page")
LINUX = ["intel-xeon-8380-pair", "amd-epyc-9654-pair"]
QUICK = '[measure]\nprecision = "20 %"\nmin_ios = 200\nmax_ios = 600'
READS = '[[load]]\nread = "100 %"\nrandom = "100 %"\nsize = "4 KiB"'


def system(host, volume, load="outstanding = 8", extra=""):
    """The text of a scenario."""
    parts = [f'[host]\nmodel = "{host}"', extra, f"[[volume]]\n{volume}", f"{READS}\n{load}", QUICK]
    return load_text("\n".join(parts))


@pytest.mark.parametrize("name", HOSTS)
def test_every_host_runs_and_is_checked(name):
    spec = system(name, 'drive = "intel-p3700-800gb"\nstate = "fresh"')
    (point,) = run(spec).points
    assert point.iops.mean > 0
    assert any(found.where == f"model {name}" for found in findings(spec))  # what it guesses


@pytest.mark.parametrize("name", CONTROLLERS)
def test_every_controller_runs_and_is_checked(name):
    card = cards.load(name)
    disk = "wd-wd1600aajs" if card.word("ports.speed").startswith("sata") else "seagate-st373455ss"
    volume = f'drive = "{disk}"\nlevel = "raid0"\ndrives = 2\nstrip = "64 KiB"'
    if not card.flag("levels.raid0"):
        volume = f'drive = "{disk}"\nlevel = "jbod"\ndrives = 2'
    spec = system("cisco-ucs-c240-m4", volume, extra=f'[[controller]]\nmodel = "{name}"')
    (point,) = run(spec).points
    assert point.iops.mean > 0
    assert any(found.where == f"model {name}" for found in findings(spec))  # what it guesses


def test_a_core_of_linux_does_as_many_reads_as_are_printed_of_one():
    """279,000 random reads of 4 KiB a second, libaio, the core at 100 % (PhotonLibOS)."""
    card = cards.load("intel-xeon-8380-pair")
    times = [card.number(f"{step}.{of}_time") for step in ("submit", "complete") for of in PARTS]
    assert 1 / sum(times) == pytest.approx(279e3, rel=0.02)


@pytest.mark.parametrize("name", LINUX)
def test_an_io_may_take_what_fio_was_measured_to_take_of_a_core(name):
    """1.4 us on a core of 5 GHz to 7.3 on a busy server, at 3.4 GHz.

    In between lie io_uring with interrupts (433,000 a second), libaio (279,000), and 5.0 us for a
    read and 7.0 for a write through RAID 10 and a host bus adapter.
    """
    card = cards.load(name)
    faster = card.number("cpu.clock") / 3.4e9
    ranges = [card.sources[f"{step}.io_time"].range for step in ("submit", "complete")]
    least, most = (sum(found[end] for found in ranges) * faster for end in (0, 1))  # us
    assert least == pytest.approx(1.4, rel=0.05)
    assert most == pytest.approx(7.3, rel=0.05)
    assert all(least < measured < most for measured in (1e6 / 433e3, 1e6 / 279e3, 5.0, 7.0))


@pytest.mark.parametrize(("name", "speed"), [(LINUX[0], "pcie-4"), (LINUX[1], "pcie-5")])
def test_slots_are_four_lanes_of_their_generation(name, speed):
    card = cards.load(name)
    assert 1 / card.number("pcie.read_time_per_byte") == pytest.approx(
        bandwidth(speed, 4), rel=1e-3
    )


def test_eight_workers_of_md_write_what_is_reported_of_eight():
    """463,000 to 975,000 writes of 4 KiB a second to RAID 5 on null block devices, with patches.

    Each is one stripe head with four pages of members: old and new, data and parity. Each page is
    a command.
    """
    card = cards.load("intel-xeon-8380-pair")
    page = card.number("raid.stripe_io_time") + card.number("raid.device_io_time")
    each = card.number("raid.stripe_time") + 4 * page
    serial = card.number("raid.serial_time") + stripe_line_time(card)
    most = min(8 / each, 1 / serial)
    assert 463e3 < most < 975e3


@pytest.mark.parametrize(("lanes", "share"), [(1, 0.25), (2, 0.5), (4, 1.0)])
def test_a_drive_on_some_of_its_lanes_has_that_share_of_its_own_link(lanes, share):
    """PCIe 3.0 on ports of PCIe 4.0: a link has the generation that both ends have."""
    controller = f"""
        [[controller]]
        model = "broadcom-megaraid-9670w-16i"
        set = {{ "drives.pcie_lanes" = {lanes} }}
    """
    volume = 'drive = "samsung-pm983-3840gb"\nlevel = "raid0"\ndrives = 2'
    spec = system(LINUX[0], volume, extra=controller)
    own = cards.load("samsung-pm983-3840gb").number("link.time_per_byte")
    (made,) = spec.volumes
    assert made.card.number("link.time_per_byte") == pytest.approx(own / share)


@pytest.mark.parametrize(
    ("name", "workers", "least", "most"),
    [
        ("windows-pc", 1, 133_000, 204_300),
        ("windows-pc", 16, 1_000_000, math.inf),  # which was as much as the drives do
        ("windows-pc-sata", 1, 55_600, 97_300),
    ],
)
def test_threads_of_windows_do_what_was_measured_of_them(name, workers, least, most):
    """Of a drive that takes no time, with CrystalDiskMark and 32 outstanding of each thread."""
    load = f"outstanding = 32\nworkers = {workers}"
    spec = system(name, 'drive = "null-block-device"\nstate = "fresh"', load)
    (point,) = run(spec).points
    assert least <= point.iops.mean <= most

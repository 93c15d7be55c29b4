"""Cards of solid state drives: what planners read off them, and the scenarios for one drive."""

import pytest

from raidsim import cards
from raidsim.running import run
from raidsim.scenario import load

YEARS = 5
SSDS = [card for card in cards.catalogue() if card.kind == "ssd"]
FORMATTINGS = ("high-performance", "improved-performance", "maximum-capacity")
PROFILES = ("database", "file-server", "file-copy", "streaming", "restore")


def flash(card):
    """Bytes of flash: what the host can address and the spare area beyond."""
    return card.number("capacity.user") * (1 + card.number("flash.spare"))


@pytest.mark.parametrize("capacity", ["1200gb", "785gb"])
def test_a_formatting_divides_the_flash_of_one_drive_otherwise(capacity):
    whole = cards.load(f"iodrive2-{capacity}")
    for formatting in FORMATTINGS:
        card = cards.load(f"iodrive2-{capacity}-{formatting}")
        assert flash(card) == pytest.approx(flash(whole), rel=1e-3)


def test_formatting_for_speed_costs_a_tenth_and_a_fifth_of_the_capacity():
    for capacity in ("1200gb", "785gb"):
        whole = cards.load(f"iodrive2-{capacity}").number("capacity.user")
        for formatting, share in (("improved-performance", 0.9), ("high-performance", 0.8)):
            card = cards.load(f"iodrive2-{capacity}-{formatting}")
            assert card.number("capacity.user") == pytest.approx(share * whole, rel=1e-3)


@pytest.mark.parametrize("card", SSDS, ids=lambda card: card.name)
def test_rated_writes_last_for_the_rated_drive_writes_a_day_over_the_warranty(card):
    printed = card.rated.figures.get("dwpd") if card.rated else None
    years = printed.years if printed and printed.years else YEARS
    daily = card.number("endurance.dwpd") / 86400 * card.number("capacity.user")
    lifetime = daily * years * 365 * 86400
    assert card.number("endurance.written") >= 0.95 * lifetime


PAYLOADS = {
    "PCIe 3.0 x4": 4 * 8e9 * 128 / 130 / 8,
    "PCIe 4.0 x4": 4 * 16e9 * 128 / 130 / 8,
    "PCIe 5.0 x4": 4 * 32e9 * 128 / 130 / 8,
    "SAS at 12 Gbit/s": 2 * 12e9 * 8 / 10 / 8,
    "24G SAS": 2 * 22.5e9 * 128 / 150 / 8,
}
"""Bytes/s of all lanes or both ports of a generation, after its code."""


@pytest.mark.parametrize("card", SSDS, ids=lambda card: card.name)
def test_no_drive_moves_more_over_its_link_than_the_generation_carries(card):
    """Raw rates after the code; where a card does not say its generation, those of 2016."""
    most = {"sata": 600e6, "sas": 1200e6, "pcie": 2000e6, "nvme": PAYLOADS["PCIe 3.0 x4"]}
    said = card.sources["link.interface"].note
    if "no link" in said:  # a block device in memory
        return
    limits = [rate for words, rate in PAYLOADS.items() if words in said]
    assert len(limits) <= 1
    limit = limits[0] if limits else most[card.word("link.interface")]
    assert 1 / card.number("link.time_per_byte") < limit


@pytest.mark.parametrize("card", SSDS, ids=lambda card: card.name)
def test_an_annual_failure_rate_is_that_of_the_mean_time_between_failures(card):
    if card.has("reliability.mtbf"):
        hours = card.number("reliability.mtbf") / 3600
        assert card.number("reliability.afr") == pytest.approx(8760 / hours, rel=0.02)


@pytest.mark.parametrize(
    ("scenario", "outstanding", "iops"),
    [
        ("drive-database", 1, 9321),
        ("drive-database", 256, 51479),
        ("drive-file-server", 1, 5454),
        ("drive-file-server", 256, 18433),
        ("drive-file-copy", 1, 6085),
        ("drive-file-copy", 256, 17917),
        ("drive-streaming", 1, 7707),
        ("drive-streaming", 256, 22242),
        ("drive-restore", 1, 11588),
        ("drive-restore", 256, 17067),
        ("drive-latency-read", 1, 15033),
        ("drive-latency-write", 1, 55130),
    ],
)
def test_one_iodrive2_gives_what_it_gave(scenario, outstanding, iops):
    """Golden results; how far they lie from the printed figures is what the claims say."""
    point = run(load(scenario, overrides=[f"load.outstanding={outstanding}"])).points[0]
    assert point.converged
    assert point.iops.mean == pytest.approx(iops, rel=0.02)


@pytest.mark.parametrize("drive", ["cisco-ssd-sata-ep-480gb", "intel-710-300gb"])
def test_a_sata_drive_reads_at_most_what_its_link_carries(drive):
    overrides = [f"volume.drive={drive}", "load.outstanding=32"]
    point = run(load("drive-streaming", overrides=overrides)).points[0]
    link = 1 / cards.load(drive).number("link.time_per_byte") / 2**20
    assert 0.9 * link < point.mbps <= 1.001 * link

"""The hard disks of the catalogue: their values fit together, and give the rates they are from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raidsim import cards, scenario
from raidsim.assembly import hdd
from raidsim.control.model import build
from raidsim.errors import InputError

DISKS = [card for card in cards.catalogue() if card.kind == "hdd"]
EDGES = [(card, edge) for card in DISKS for edge in ("outer", "inner")]
RATED = re.compile(r"(\d+) MB/s sustained")
TRACKS = ((2003, (8_000, 40_000)), (2022, (40_000, 650_000)), (2099, (400_000, 1_000_000)))
"""Least and most tracks of a surface on disks up to a year: 10,000 to 30,000 an inch at first."""


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("card", DISKS, ids=lambda card: card.name)
def test_the_values_of_a_disk_fit_together_with_its_cache_off_and_on(
    card: cards.Card, cached: bool
) -> None:
    hdd.check(card.changed({"write_cache.enabled": cached}))


def test_values_that_a_scenario_sets_and_do_not_fit_are_no_fault_of_the_card() -> None:
    text = (
        '[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "seagate-st373455ss"\n'
        '[volume.set]\n"buffer.size" = "1 MiB"\n'
        '[[load]]\nread = "0 %"\nsize = "4 KiB"\noutstanding = 1\n'
    )
    with pytest.raises(InputError) as caught:
        build(scenario.load_text(text, "small.toml"))
    (found,) = caught.value.problems
    assert (found.file, found.key) == ("small.toml", "seagate-st373455ss: buffer.size")


@pytest.mark.parametrize("card", DISKS, ids=lambda card: card.name)
def test_a_disk_holds_whole_sectors(card: cards.Card) -> None:
    for name in ("capacity.user", "geometry.track_outer", "geometry.track_inner"):
        assert card.integer(name) % card.integer("capacity.physical_sector") == 0


@pytest.mark.parametrize("card", DISKS, ids=lambda card: card.name)
def test_a_disk_has_as_many_tracks_on_a_surface_as_disks_of_its_year(card: cards.Card) -> None:
    """Track densities of the year: a wrong number of heads would not give them."""
    mean = (card.number("geometry.track_outer") + card.number("geometry.track_inner")) / 2
    tracks = card.number("capacity.user") / card.number("geometry.heads") / mean
    low, high = next(ends for year, ends in TRACKS if card.year <= year)
    assert low < tracks < high


@pytest.mark.parametrize(("card", "edge"), EDGES, ids=lambda part: getattr(part, "name", part))
def test_tracks_that_are_from_a_sustained_rate_give_it(card: cards.Card, edge: str) -> None:
    """A cylinder takes H revolutions, H - 1 head switches and a step to the next cylinder."""
    stated = RATED.match(card.sources[f"geometry.track_{edge}"].note)
    if stated is None:
        pytest.skip("its tracks are from elsewhere")
    heads = card.integer("geometry.heads")
    step = max(card.number(f"seek.{op}_single") for op in ("read", "write"))
    switches = (heads - 1) * card.number("geometry.head_switch") + step
    time = heads / card.number("spindle.speed") + switches
    rate = heads * card.number(f"geometry.track_{edge}") / time
    assert rate == pytest.approx(float(stated[1]) * 1e6, rel=0.005)


def test_no_sata_disk_queues_more_than_the_32_commands_of_ncq() -> None:
    sata = [card for card in DISKS if card.word("link.interface") == "sata"]
    assert sata
    assert all(card.integer("command.queue_depth") <= 32 for card in sata)


def test_a_sata_disk_whose_card_is_silent_takes_the_32_commands_of_ncq(tmp_path: Path) -> None:
    """Tags of NCQ have five bits; 65,536 is the longest queue of NVMe, and was taken of all."""
    alone = next(one for one in DISKS if one.word("link.interface") == "sata" and not one.base)
    text = alone.path.read_text(encoding="utf-8")
    silent = "\n".join(x for x in text.splitlines() if not x.startswith("queue_depth"))
    place = tmp_path / "silent.toml"
    place.write_text(silent, encoding="utf-8")
    card = cards.load(place)
    assert card.sources["command.queue_depth"].source == "default"
    assert card.integer("command.queue_depth") == 32
    place.write_text(silent.replace('value = "sata"', 'value = "sas"'), encoding="utf-8")
    assert cards.load(place).integer("command.queue_depth") == 65_536

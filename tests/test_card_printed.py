"""What follows from a sheet by a rule, before anything is fitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidsim import cards
from raidsim.calibrate import rated_runs
from raidsim.calibrate.first_guess import track
from raidsim.calibrate.printed import take
from raidsim.cards.loader import read_card
from raidsim.cards.rated import FIGURES
from raidsim.cards.stub import stub
from raidsim.errors import InputError

BASE = "nl-sas-2tb"
RATE = '# media_rate_{} = {{ value = ..., unit = "MB/s", page = "p. ..." }}'


def a_disk(tmp_path, inner_note: str = f"as {BASE}", **rates: int) -> cards.Card:
    """A disk like the base whose sheet prints these rates at its edges, in MB/s."""
    path = tmp_path / "n.toml"
    text = stub("hdd", "n", cards.load(BASE), place=path, like_name=BASE)
    for edge, rate in rates.items():
        line = RATE.format(edge)
        assert line in text
        text = text.replace(line, line[2:].replace("...", str(rate), 1))
    before, name, after = text.partition("\ntrack_inner")
    return read_card(before + name + after.replace(f"as {BASE}", inner_note, 1), path)


def inner_track_of(card: cards.Card) -> int:
    performance, _ = rated_runs.entries(card)
    return take(card, performance)[1].integer("geometry.track_inner")


@pytest.mark.parametrize("outer", [120, 270])
def test_a_disk_that_is_faster_at_its_outer_edge_is_so_at_its_inner_one(outer, tmp_path):
    """Sheets of today print the outer rate alone: 270 MB/s outside had 82 inside, of the base."""
    base = cards.load(BASE)
    share = base.number("geometry.track_inner") / base.number("geometry.track_outer")
    card = a_disk(tmp_path, outer=outer)
    expected = track(card, outer * 1e6) * share
    assert inner_track_of(card) == pytest.approx(expected, abs=card.integer("capacity.sector"))


def test_an_inner_track_is_as_it_was_where_somebody_knows_it(tmp_path):
    """The sheet prints its rate, or the card says of it something else than that it is a guess."""
    before = cards.load(BASE).integer("geometry.track_inner")
    assert inner_track_of(a_disk(tmp_path, outer=270, inner=130)) == before  # the fit's to find
    assert inner_track_of(a_disk(tmp_path, "measured", outer=270)) == before


def test_an_inner_track_stays_where_the_outer_one_hardly_moves(tmp_path):
    """So that a second fit, which finds an outer track of 1 % more or less, changes nothing."""
    assert inner_track_of(a_disk(tmp_path, outer=178)) == cards.load(BASE)["geometry.track_inner"]


SEEK = '# seek_{} = {{ value = ..., unit = "ms", page = "p. ..." }}'


def seeks_of(tmp_path, rpm: int | None = None, **printed: float) -> dict[str, float]:
    """The seeks of a disk like the base whose sheet prints these, in ms, once they are taken."""
    path = tmp_path / "n.toml"
    text = stub("hdd", "n", cards.load(BASE), place=path, like_name=BASE, rpm=rpm)
    for name, time in printed.items():
        line = SEEK.format(name)
        assert line in text
        text = text.replace(line, line[2:].replace("...", str(time), 1))
    _, card = take(read_card(text, path), ())
    return {
        name.removeprefix("seek."): 1e3 * card.number(name)
        for name in card.values
        if name.startswith("seek.")
    }


def test_the_longest_seek_of_a_disk_goes_with_its_printed_average(tmp_path):
    """A sheet with 5 ms and the 18.5 ms of the base over all tracks made a curve of no arm."""
    base = seeks_of(tmp_path)
    found = seeks_of(tmp_path, read_average=5.0)
    for op, average in (
        ("read", 5.0),
        ("write", 5.0 + base["write_average"] - base["read_average"]),
    ):
        least = base[f"{op}_single"]
        share = (base[f"{op}_full"] - least) / (base[f"{op}_average"] - least)
        assert found[f"{op}_average"] == pytest.approx(average)
        expected = max(least + share * (average - least), 12)  # the least that is plausible
        assert found[f"{op}_full"] == pytest.approx(expected, rel=1e-3)


def test_the_longest_seek_of_a_faster_disk_than_its_base_is_not_that_of_slow_ones(tmp_path):
    """SATA disks of 10,000 rpm have no base of their speed, and 3.6 ms on their sheets.

    With the 12 ms over all tracks that slow disks take at least, no arm has such an average.
    """
    found = seeks_of(tmp_path, rpm=10_000, read_average=3.6, write_average=4.2)
    assert 2 * 3.6 < found["read_full"] < 2.5 * 3.6
    assert 2 * 4.2 < found["write_full"] < 2.5 * 4.2


def test_printed_seeks_stay(tmp_path):
    found = seeks_of(tmp_path, read_average=5.0, read_full=14.0, write_average=6.5, write_full=15.0)
    assert (found["read_full"], found["write_average"], found["write_full"]) == (14, 6.5, 15)


def test_where_no_average_is_printed_all_seeks_are_those_of_the_base(tmp_path):
    base = cards.load(BASE)
    assert seeks_of(tmp_path)["read_full"] == pytest.approx(1e3 * base.number("seek.read_full"))
    assert seeks_of(tmp_path, write_average=9.0)["read_average"] == pytest.approx(
        1e3 * base.number("seek.read_average")
    )


FAST = "samsung-870-evo-1tb"
CAPACITY = '# capacity = { value = ..., unit = "GB", page = "p. ..." }'


def a_fast_drive(tmp_path, gb: int, note: str = "") -> cards.Card:
    """A drive like one with an SLC cache whose sheet prints this capacity."""
    path = tmp_path / "n.toml"
    text = stub("ssd", "n", cards.load(FAST), place=path, like_name=FAST, slc_cache=True)
    assert CAPACITY in text
    text = text.replace(CAPACITY, CAPACITY[2:].replace("...", str(gb), 1))
    before, name, after = text.partition("\ndynamic_size")
    return read_card(before + name + after.replace(f"as {FAST}", note or f"as {FAST}", 1), path)


@pytest.mark.parametrize(("gb", "cached"), [(250, 9), (500, 18), (1000, 36), (2000, 72)])
def test_an_slc_cache_gains_the_same_share_of_another_capacity(gb, cached, tmp_path):
    """As Samsung prints it of the 870 EVO: 9 GB of 250 GB, 18 of 500, 36 of 1 TB, 72 of 2 TB."""
    taken, card = take(a_fast_drive(tmp_path, gb), ())
    assert card.number("slc.dynamic_size") == pytest.approx(cached * 1e9)
    assert all(one.figure not in FIGURES for one in taken if one.note)  # it is not what is printed
    assert card.number("slc.size") == cards.load(FAST).number("slc.size")
    assert take(card, ())[1].number("slc.dynamic_size") == card.number("slc.dynamic_size")


def test_an_slc_cache_stays_as_somebody_wrote_it(tmp_path):
    _, card = take(a_fast_drive(tmp_path, 250, "a review"), ())
    assert card.number("slc.dynamic_size") == cards.load(FAST).number("slc.dynamic_size")


OF_SHEET = {
    "capacity": ("22", "TB"), "afr": ("0.35", "%"), "uber": ("1e-15", "1/bit"),
    "power_idle": ("5.7", "W"), "power_active": ("9.4", "W"), "rotation": ("7200", "rpm"),
}  # fmt: skip
BESIDE = (
    ("link", "interface", '"sata"', ""), ("link", "time_per_byte", "550", "MB/s"),
    ("command", "latency", "20", "us"), ("command", "max_transfer", "1024", "KiB"),
    ("geometry", "heads", "20", "1"), ("buffer", "size", "512", "MiB"),
    ("body", "form_factor", '"3.5 in"', ""),
)  # fmt: skip


def a_disk_without_a_base(**written: tuple[str, str]) -> str:
    """The text of a card with what a sheet prints below [rated], and the rest beside it."""
    text = stub("hdd", "n", None, place=Path("n.toml"))
    for key, (value, unit) in (OF_SHEET | written).items():
        before, line, after = text.partition(f"\n# {key} = ")
        assert line
        rest = after.partition("\n")[2]
        text = f'{before}\n{key} = {{ value = {value}, unit = "{unit}", page = "p. 2" }}\n{rest}'
    for section, key, value, unit in BESIDE:
        of_unit = f', unit = "{unit}"' if unit else ""
        line = f'{key} = {{ value = {value}{of_unit}, source = "datasheet" }}'
        text = text.replace(f"\n[{section}]\n", f"\n[{section}]\n{line}\n", 1)
    return text


def test_a_card_without_a_base_has_what_its_sheet_prints_though_it_is_written_once():
    card = read_card(a_disk_without_a_base(), "n.toml")
    assert card.number("capacity.user") == 22e12
    assert card.number("spindle.speed") == pytest.approx(120)
    assert card.number("reliability.afr") == pytest.approx(0.0035)
    assert (card.sources["power.idle"].source, card.sources["power.idle"].note) == (
        "datasheet", "p. 2",
    )  # fmt: skip


def test_a_value_of_a_card_counts_before_the_figure_of_its_sheet():
    """A sheet prints 22 TB of a disk that has some MB more."""
    exact = 'user = { value = 22000.5, unit = "GB", source = "datasheet" }'
    text = a_disk_without_a_base().replace("\n[capacity]\n", f"\n[capacity]\n{exact}\n", 1)
    assert read_card(text, "n.toml").number("capacity.user") == 22000.5e9


def test_a_figure_that_no_drive_can_have_is_told_of_the_sheet():
    with pytest.raises(InputError, match=r"rated.rotation: .* is outside what is possible"):
        read_card(a_disk_without_a_base(rotation=("720000", "rpm")), "n.toml")

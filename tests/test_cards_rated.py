"""What a sheet prints stands on the card beside its page; what cannot be true is said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim import cards
from raidsim.calibrate.card_file import NewValue, rewritten
from raidsim.cards.arithmetic import contradictions
from raidsim.cards.loader import read_card
from raidsim.cards.rated import PERFORMANCE, read_rated
from raidsim.errors import InputError

SSD = """\
name = "my-ssd"
kind = "ssd"
title = "A drive"
base = "intel-p3700-800gb"

[capacity]
user = { value = 1, unit = "TB", source = "assumed" }

[link]
interface = { value = "sata", source = "assumed" }
time_per_byte = { value = 500, unit = "MB/s", source = "assumed" }

[command]
queue_depth = { value = 32, unit = "1", source = "assumed" }

[flash]
channels = { value = 8, unit = "1", source = "assumed" }
dies_per_channel = { value = 4, unit = "1", source = "assumed" }
die_capacity = { value = 32, unit = "GiB", source = "assumed" }
spare = { value = 7, unit = "%", source = "assumed" }

[rated]
sheet = "Data sheet 1, 2020"
"""

HDD = """\
name = "my-hdd"
kind = "hdd"
title = "A disk"
base = "nl-sas-2tb"

[rated]
sheet = ["Data sheet", "Manual, rev. B"]
"""


def entry(name: str, value: float, unit: str, **keys: object) -> str:
    written = {"size": "4 KiB", "outstanding": 32, "page": "p. 1"} | keys
    lines = ["[[rated.performance]]", f'name = "{name}"', f"value = {value}", f'unit = "{unit}"']
    for key, one in written.items():
        lines.append(f'{key} = "{one}"' if isinstance(one, str) else f"{key} = {one}")
    return "\n".join(lines) + "\n"


def card(text: str) -> cards.Card:
    return read_card(text, "card.toml")


def said(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        card(text)
    return [str(problem) for problem in caught.value.problems]


def contradiction(text: str) -> tuple[tuple[str, ...], float]:
    (one,) = contradictions(card(text))
    return one.names, one.by


def test_a_sata_drive_that_is_made_like_one_with_a_longer_queue_is_told_of_its_32_tags():
    names, by = contradiction(SSD.replace('value = 32, unit = "1"', 'value = 128, unit = "1"'))
    assert names == ("command.queue_depth", "link.interface")
    assert by == 3  # 128 are three times 32 too many


# ---- reading


def test_a_figure_keeps_what_is_printed_and_where():
    rated = card(SSD + 'written = { value = 6.3, unit = "PB", page = "p. 2" }\n').rated
    assert rated.sheets == ("Data sheet 1, 2020",)
    assert rated.value("written") == 6.3e15
    assert (str(rated.figures["written"]), rated.figures["written"].page) == ("6.3 PB", "p. 2")
    assert rated.value("dwpd") is None


@pytest.mark.parametrize(
    ("value", "unit", "what", "base"),
    [
        (636500, "IO/s", "rate", 636500.0),
        (3000, "MB/s", "bandwidth", 3e9),
        (3000, "MiB/s", "bandwidth", 3000 * 2**20),
        (77, "us", "latency", 77e-6),
    ],
)
def test_the_unit_says_what_is_printed(value, unit, what, base):
    (one,) = card(SSD + entry("a", value, unit)).rated.performance
    assert (one.what, one.value) == (what, pytest.approx(base))
    assert (one.read, one.random, one.workers, one.state) == (1.0, 1.0, 1, "sustained")


def test_rated_figures_are_of_the_card_and_not_of_its_base(tmp_path):
    (tmp_path / "my-ssd.toml").write_text(SSD)
    other = tmp_path / "other.toml"
    other.write_text('name = "o"\nkind = "ssd"\ntitle = "O"\nbase = "my-ssd.toml"\n')
    assert cards.load(other).rated is None


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('dwdp = { value = 1, unit = "1/day", page = "p. 1" }', 'did you mean "dwpd"?'),
        ("dwpd = 1", "rated.dwpd: needs value, unit and page; write dwpd = {"),
        ('dwpd = { value = 1, unit = "1/day" }', "rated.dwpd.page: is missing"),
        ('dwpd = { value = 1, unit = "W", page = "p. 1" }', "is a unit of power, not of per day"),
        ('dwpd = { value = 0, unit = "1/day", page = "p. 1" }', "which no sheet prints"),
        ('dwpd = { value = 1, unit = "1/day", years = -5, page = "p" }', "rated.dwpd.years: -5"),
        ('seek_read_average = { value = 8, unit = "ms", page = "p" }', "unknown key; known: cap"),
        (entry("a", 1, "W"), 'rated.performance[0].unit: "W" is not a unit of a rate'),
        (entry("a b", 1, "IO/s"), '"a b" is not a name'),
        (entry("a", 1, "IO/s", size="4 KB"), 'rated.performance[0].size: "KB" is not a unit'),
        (entry("a", 1, "IO/s", outstanding=0), "performance[0].outstanding: 0 is not a count"),
        (entry("a", 1, "IO/s", quantile="99 %"), "quantile: is allowed only with a latency"),
        (entry("a", 1, "us", quantile="fast"), '"fast" is not a quantile; write "mean"'),
        (
            entry("a", 1, "IO/s", state="bursty"),
            '"bursty" is not a valid state; did you mean "burst"?',
        ),
        (entry("a", 1, "IO/s", level="raid0"), "performance[0].level: unknown key"),
        (entry("a", 1, "IO/s") + entry("a", 2, "IO/s"), 'performance[1].name: "a" is the name'),
    ],
)
def test_what_is_wrong_with_a_rated_figure_is_said_with_its_key(written, message):
    (one,) = said(SSD + written + "\n")
    assert message in one
    assert one.startswith("card.toml:")


def test_all_that_is_wrong_is_said_at_once():
    text = SSD.replace('sheet = "Data sheet 1, 2020"', "")
    assert len(said(text + entry("a", -1, "IO/s", size="x", outstanding="y"))) == 4


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**6) | st.floats(width=16) | st.text(max_size=8)
    | st.sampled_from(["IO/s", "MB/s", "us", "4 KiB", "100 %", "sustained", "p. 1", "TB", "1/day"]),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)  # fmt: skip


@settings(max_examples=150)
@given(
    figures=st.dictionaries(
        st.sampled_from(["capacity", "dwpd", "written", "afr", "mtbf", "odd"]),
        st.dictionaries(st.sampled_from(["value", "unit", "page", "years", "x"]), ANYTHING),
        max_size=3,
    ),
    performance=st.lists(
        st.dictionaries(st.sampled_from([*PERFORMANCE, "x"]), ANYTHING), max_size=2
    ),
    sheet=ANYTHING,
)
def test_whatever_stands_there_is_read_or_refused(figures, performance, sheet):
    problems = []
    table = {**figures, "performance": performance, "sheet": sheet}
    found = read_rated(table, "ssd", lambda path, *_: problems.append(path))
    assert problems or found is not None
    assert all(path[0] == "rated" for path in problems)


def test_maker_and_year_are_of_the_head():
    one = card(SSD.replace("title", 'maker = "Acme"\nyear = 2020\ntitle', 1))
    assert (one.maker, one.year) == ("Acme", 2020)
    assert 'year: "2020" is not a year' in said(SSD.replace("title", 'year = "2020"\ntitle', 1))[0]


@pytest.mark.parametrize("wrong", ['["A1"]', "[3]", '"y2"', '[""]', '["ab\\ncde"]'])
def test_an_order_number_has_four_letters_or_digits(wrong):
    text = f'name = "x"\nkind = "hdd"\ntitle = "X"\nbase = "nl-sas-2tb"\norder_numbers = {wrong}\n'
    with pytest.raises(InputError, match=r"order_numbers: .* is not an order number of 4 letters"):
        read_card(text, "x.toml")
    card = read_card(text.replace(f"= {wrong}\n", '= ["WD30EFRX"]\n'), "x.toml")
    assert card.order_numbers == ("WD30EFRX",)


def test_every_card_of_the_catalogue_says_its_maker_and_year():
    assert [one.name for one in cards.catalogue() if not one.maker or not one.year] == []


def test_what_comes_from_another_maker_is_named():
    text = SSD.replace("title", 'maker = "Acme"\ntitle', 1)
    origins = card(text).of_others()
    assert origins["heat.case_capacity"].card == "intel-p3700-800gb"
    assert origins["endurance.written"].maker == "Intel"
    assert "capacity.user" not in origins  # its own
    assert "driver.read_time" not in origins  # a default
    assert card(text.replace("Acme", "Intel")).of_others() == {}
    assert card(SSD).of_others() == {}  # nobody knows whose it is


# ---- ranges


def ranged(value: float, low: float, high: float, because: str = "so") -> str:
    lines = f'value = {value}, unit = "us", source = "assumed", range = [{low}, {high}]'
    return SSD.replace("[command]", f'[command]\nlatency = {{ {lines}, because = "{because}" }}')


@settings(max_examples=25)
@given(ends=st.tuples(*[st.floats(0.01, 999.0)] * 3).filter(lambda ends: len(set(ends)) == 3))
def test_a_range_holds_its_value_and_outlives_being_written(ends):
    low, value, high = sorted(ends)
    text = ranged(value, low, high)
    source = card(rewritten(text, [NewValue("command.latency", low, ())], {})).sources
    assert source["command.latency"].range == (low, high)
    assert source["command.latency"].because == "so"
    assert source["command.latency"].value == low
    (one,) = said(ranged(high, low, value))
    assert f"does not contain the value {high}" in one


def test_a_reason_without_a_range_is_refused():
    text = ranged(5, 1, 9).replace("range = [1, 9], ", "")
    assert "because: stands only with a range" in said(text)[0]


# ---- contradictions, each by hand


def test_drive_writes_and_bytes_written_agree_to_what_was_rounded():
    # 1.0 a day of 1 TB for 5 years of 365 days: 1.825 PB; 1.0 may be 1.05.
    dwpd = 'dwpd = { value = 1.0, unit = "1/day", years = 5, page = "p" }\n'
    for written in ("1.825", "1.8", "1.9"):
        text = f'written = {{ value = {written}, unit = "PB", page = "p" }}\n'
        assert contradictions(card(SSD + dwpd + text)) == []
    text = 'written = { value = 3.65, unit = "PB", page = "p" }\n'
    assert contradiction(SSD + dwpd + text) == (("dwpd", "written"), pytest.approx(1.0))


def test_mtbf_and_afr_agree_by_the_hours_of_a_year():
    # 8760 h / 2,000,000 h = 0.438 %.
    mtbf = 'mtbf = { value = 2000000, unit = "h", page = "p" }\n'
    afr = 'afr = { value = 0.44, unit = "%", page = "p" }\n'
    assert contradictions(card(HDD + mtbf + afr)) == []
    names, by = contradiction(HDD + mtbf + afr.replace("0.44", "0.876"))
    assert (names, by) == (("afr", "mtbf"), pytest.approx(1.0))


def test_half_a_revolution_is_the_rotational_latency():
    # 60 / 7200 / 2 s = 4.17 ms.
    speed = 'rotation = { value = 7200, unit = "rpm", page = "p" }\n'
    half = 'rotational_latency = { value = 4.16, unit = "ms", page = "p" }\n'
    assert contradictions(card(HDD + speed + half)) == []
    names, by = contradiction(HDD + speed + half.replace("4.16", "3.0"))
    assert (names, by) == (("rotation", "rotational_latency"), pytest.approx(-0.28))


def test_random_reads_carry_no_more_than_a_stream():
    # 75,000 x 4096 B = 307.2 MB/s.
    stream = entry("stream", 256, "MB/s", random="0 %", size="128 KiB")
    assert contradictions(card(SSD + entry("small", 62_500, "IO/s") + stream)) == []
    names, by = contradiction(SSD + entry("small", 75_000, "IO/s") + stream)
    assert (names, by) == (("small", "stream"), pytest.approx(0.2))


def test_no_rate_is_above_that_of_the_link():
    names, by = contradiction(SSD + entry("stream", 600, "MB/s", random="0 %", size="128 KiB"))
    assert (names, by) == (("stream", "link.time_per_byte"), pytest.approx(0.2))


def test_a_link_that_is_full_duplex_carries_each_way_as_much():
    mixed = entry("mixed", 900, "MB/s", read="50 %", size="128 KiB")
    text = SSD.replace('"sata"', '"sas"')
    assert contradictions(card(text + mixed)) == []
    assert contradiction(SSD + mixed)[1] == pytest.approx(0.8)


def test_rate_times_latency_is_what_is_outstanding():
    # Little's law: 100,000 IO/s x 0.32 ms = 32.
    rate = entry("rate", 100_000, "IO/s")
    assert contradictions(card(SSD + rate + entry("latency", 0.32, "ms"))) == []
    names, by = contradiction(SSD + rate + entry("latency", 0.48, "ms"))
    assert (names, by) == (("rate", "latency"), pytest.approx(0.5))
    assert contradiction(SSD + rate + entry("latency", 0.16, "ms"))[1] == pytest.approx(-0.5)


def test_a_drive_is_not_quicker_under_more_load():
    # 100,000 IO/s x 0.64 ms are 64 under way, and 32 are outstanding.
    rate = entry("rate", 100_000, "IO/s")
    assert contradictions(card(SSD + rate + entry("idle", 0.08, "ms", outstanding=1))) == []
    names, by = contradiction(SSD + rate + entry("idle", 0.64, "ms", outstanding=1))
    assert (names, by) == (("rate", "idle"), pytest.approx(1.0))


def test_a_write_alone_is_no_faster_than_many_of_the_steady_state():
    # One in 20 us are 50,000 a second: an Intel P4500 of 1 TB does 30,500 in the steady state.
    rate = entry("rate", 30_500, "IO/s", read="0 %")
    alone = {"read": "0 %", "outstanding": 1}
    names, by = contradiction(SSD + rate + entry("alone", 20, "us", **alone))
    assert (names, by) == (("alone", "rate"), pytest.approx(50 / 30.5 - 1))
    assert contradictions(card(SSD + rate + entry("alone", 20, "us", state="burst", **alone))) == []
    assert contradictions(card(SSD + rate + entry("alone", 40, "us", **alone))) == []
    reads = entry("rate", 30_500, "IO/s") + entry("alone", 20, "us", outstanding=1)
    assert contradictions(card(SSD + reads)) == []


def test_the_inner_edge_is_no_faster_than_the_outer_one():
    text = (
        'media_rate_outer = { value = 200, unit = "MB/s", page = "p" }\n'
        'media_rate_inner = { value = 250, unit = "MB/s", page = "p" }\n'
    )
    names, by = contradiction(HDD + text)
    assert (names, by) == (("media_rate_inner", "media_rate_outer"), pytest.approx(0.25))


def test_dies_hold_the_capacity_and_the_spare_area():
    # 32 dies of 32 GiB: 1.0995 TB for 1.07 TB.
    assert contradictions(card(SSD)) == []
    _, by = contradiction(SSD.replace("value = 4,", "value = 2,"))
    assert by == pytest.approx(16 * 32 * 2**30 / 1.07e12 - 1)
    _, by = contradiction(SSD.replace("value = 4,", "value = 8,"))
    assert by == pytest.approx(64 * 32 * 2**30 / 1.07e12 - 1)


def test_dies_of_the_p3700_of_twice_the_size_would_hold_two_and_a_half_times_its_capacity():
    # 128 dies of 16 GiB are 2.199 TB; 800 GB and 9.15 % are 873.2 GB.
    drive = cards.load("intel-p3700-800gb")
    assert contradictions(drive) == []
    (one,) = contradictions(drive.changed({"flash.die_capacity": 16 * 2**30}))
    assert one.by == pytest.approx(2.199 / 0.8732 - 1, rel=1e-3)
    assert "128 dies of 16 GiB hold 2.2 TB" in one.text


def test_no_drive_of_the_catalogue_contradicts_itself():
    assert [one.text for card in cards.catalogue() for one in contradictions(card)] == []


def test_a_capacity_that_a_scenario_sets_counts():
    drive = cards.load("samsung-970-evo-plus-500gb")
    assert contradictions(drive) == []
    (one,) = contradictions(drive.changed({"capacity.user": 10**12}))
    assert "16 dies of 32 GiB hold 550 GB" in one.text


def test_tracks_fit_on_a_platter():
    # 8 TB on two surfaces with tracks of 1 MB on average take 4 million cylinders.
    text = (
        '[capacity]\nuser = { value = 8, unit = "TB", source = "assumed" }\n'
        "[geometry]\n"
        'heads = { value = 2, unit = "1", source = "assumed" }\n'
        'track_outer = { value = 1500160, unit = "B", source = "assumed" }\n'
        'track_inner = { value = 499840, unit = "B", source = "assumed" }\n'
    )
    (one,) = contradictions(card(HDD.replace("[rated]", text + "[rated]")))
    assert one.by == pytest.approx(3.0)
    assert "take 4,000,000 cylinders" in one.text


def test_what_the_card_has_from_a_sheet_is_what_is_printed():
    text = SSD.replace('"TB", source = "assumed"', '"TB", source = "datasheet"')
    printed = 'capacity = { value = 2, unit = "TB", page = "p" }\n'
    names, by = contradiction(text + printed)
    assert (names, by) == (("capacity", "capacity.user"), pytest.approx(-0.5))
    assert contradictions(card(SSD + printed)) == []  # a guess is no contradiction

"""Cards: every value has a unit and a source, and a bad card says all that is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidsim import cards
from raidsim.cards import reference
from raidsim.cards.attributes import KINDS, UNKNOWN
from raidsim.cards.entry import check_value
from raidsim.cards.loader import read_card
from raidsim.errors import InputError
from raidsim.resources import data_folder

SHIPPED = sorted(data_folder("models").rglob("*.toml"))
HOST = """\
name = "a-host"
kind = "host"
title = "A host"

[cpu]
clock = { value = 3.5, unit = "GHz", source = "document", note = "page 6" }
cores = { value = 8, unit = "1", source = "datasheet", note = "front page" }

[submit]
io_time = { value = 3.9, unit = "us", source = "assumed" }
page_time = { value = 0.23, unit = "us", source = "assumed" }

[complete]
io_time = { value = 2, unit = "us", source = "calibrated", claims = ["p3700.database.1"] }
"""


def problems_of(text):
    with pytest.raises(InputError) as caught:
        read_card(text, "card.toml")
    return caught.value.problems


def test_the_catalogue_holds_three_capacities_of_the_p3700_and_a_host():
    names = {card.name for card in cards.catalogue()}
    assert {
        "intel-p3700-800gb",
        "intel-p3700-1600gb",
        "intel-p3700-2000gb",
        "fujitsu-rx2540-m1",
    } <= names


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_a_card_is_called_like_its_file(path):
    assert cards.load(path).name == path.stem


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_every_value_of_a_card_is_within_its_bounds_and_says_where_it_is_from(path):
    card = cards.load(path)
    for entry in card.entries():
        attribute = card.about.by_name[entry.name]
        low, high = attribute.bounds
        assert entry.value in attribute.choices or low <= float(entry.value) <= high
        assert entry.source.source in ("datasheet", "document", "calibrated", "assumed", "default")
        assert bool(entry.source.claims) <= (entry.source.source == "calibrated")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_what_is_said_to_be_printed_says_where(path):
    for entry in cards.load(path).entries():
        if entry.source.source in ("datasheet", "document"):
            assert entry.source.note, entry.name


def test_values_are_in_base_units():
    drive = cards.load("intel-p3700-800gb")
    assert drive["capacity.user"] == 800 * 10**9
    assert drive.number("reliability.mtbf") == 2e6 * 3600
    assert type(drive["flash.page"]) is int
    assert drive.flag("buffer.protected") is True
    assert drive.integer("capacity.sector") == 512
    assert drive.sources["capacity.user"].unit == "GB"


def test_a_printed_bandwidth_stays_as_printed_and_becomes_a_time_per_byte():
    drive = cards.load("intel-p3700-800gb")
    assert drive.sources["link.time_per_byte"].value == 3380
    assert drive.number("link.time_per_byte") == pytest.approx(1 / (3380 * 2**20), rel=1e-15)


def test_a_value_the_card_is_silent_about_has_the_source_default():
    card = read_card(HOST.replace("page_time", "# page_time"), "card.toml")
    assert card.sources["submit.page_time"].source == "default"
    assert card["submit.page_time"] == 0


def test_a_changed_card_says_that_a_scenario_set_the_value():
    card = cards.load("intel-p3700-800gb").changed({"capacity.user": 10**12})
    assert card["capacity.user"] == 10**12
    assert card.sources["capacity.user"].source == "scenario"
    assert card.sources["capacity.user"].value == pytest.approx(1000)
    assert cards.load("intel-p3700-800gb")["capacity.user"] == 800 * 10**9


def test_no_time_at_all_is_shown_as_a_time_even_where_the_card_gives_a_bandwidth():
    name = "cache.copy_time_per_byte"
    card = cards.load("cisco-12g-sas-raid-2gb")
    assert card.sources[name].unit == "MB/s"
    changed = card.changed({name: 0.0})
    assert (changed.sources[name].value, changed.sources[name].unit) == (0.0, "us/KiB")


@pytest.mark.parametrize("name", ["1" * 400, "a\0b", "*", "", "[", "é" * 200])
def test_a_name_that_no_file_can_have_is_one_message(name):
    with pytest.raises(InputError, match="no model is called"):
        cards.load(name)


def test_a_card_can_be_loaded_by_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(HOST, encoding="utf-8")
    assert cards.load(path).kind == "host"
    assert cards.load("mine.toml", tmp_path).kind == "host"


def test_residuals_of_a_fit_are_kept_with_the_card():
    card = read_card(HOST + '[residuals]\n"p3700.database.1" = "-1.2 %"\n', "card.toml")
    assert card.residuals == {"p3700.database.1": pytest.approx(-0.012)}


def test_sensitivities_of_a_fit_are_kept_with_the_card():
    table = '[sensitivities]\n"complete.io_time" = { "p3700.database.1" = "-0.12 %" }\n'
    card = read_card(HOST + table, "card.toml")
    told = {"p3700.database.1": pytest.approx(-0.0012)}
    assert card.sensitivities == {"complete.io_time": told}
    (problem,) = problems_of(HOST + table.replace("complete.io", "complete.ios"))
    assert "did you mean" in str(problem)
    (problem,) = problems_of(HOST + table.replace("-0.12 %", "a little"))
    assert problem.key.startswith("sensitivities")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("intel-p3700-80gb", 'no model is called "intel-p3700-80gb"; did you mean'),
        ("", "no model is called"),
        ("no/such/file.toml", "no/such/file.toml: no such file"),
        ("models/", "models/: is a folder"),
        ("a\0b.toml", "no such file"),
        ("x" * 5000 + ".toml", "cannot be read"),
    ],
)
def test_a_card_that_is_not_there_is_one_message(name, message, monkeypatch):
    monkeypatch.chdir(data_folder("models").parent)
    with pytest.raises(InputError) as caught:
        cards.load(name)
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ('kind = "host"', 'kind = "hots"', "kind", 'did you mean "host"?'),
        ('kind = "host"', "", "kind", "is missing"),
        ('title = "A', 'titel = "A', "titel", 'did you mean "title"?'),
        ("[cpu]", "[cpus]", "cpus", 'did you mean "cpu"?'),
        ("clock = {", "clok = {", "cpu.clok", 'did you mean "clock"?'),
        ("value = 3.9,", 'value = "3.9",', "submit.io_time.value", "is not a number"),
        ("value = 3.9,", "value = -3.9,", "submit.io_time.value", "negative"),
        ("value = 3.9,", "value = nan,", "submit.io_time.value", "not a number"),
        ("value = 3.9,", "value = 3900,", "submit.io_time.value", "0 us to 1000 us"),
        ("value = 3.9,", "valu = 3.9,", "submit.io_time.valu", 'did you mean "value"?'),
        ('3.9, unit = "us"', '3.9, unit = "GHz"', "submit.io_time.value", "a unit of frequency"),
        ('3.9, unit = "us"', "3.9", "submit.io_time.unit", 'write unit = "us"'),
        ('3.9, unit = "us"', "3.9, unit = 1", "submit.io_time.unit", "is not a text"),
        ('3.9, unit = "us", source = "assumed"', '3.9, unit = "us"', "submit.io_time.source", "is"),
        (
            '"us", source = "assumed"',
            '"us", source = "guess"',
            "submit.io_time.source",
            "not a source",
        ),
        ("io_time = { value = 3.9, unit", "io_time = 3.9 #", "submit.io_time", "needs value, unit"),
        ("io_time = { value = 3.9, unit", "# {", "submit.io_time", "is missing"),
        ('"assumed" }', '"assumed", claims = ["a"] }', "submit.io_time.claims", "calibrated"),
        ('"assumed" }', '"assumed", range = [3] }', "submit.io_time.range", "write [low, high]"),
        ('"assumed" }', '"assumed", range = 3 }', "submit.io_time.range", "write [low, high]"),
        ('"assumed" }', '"assumed", range = [5, 9] }', "submit.io_time.range", "contain the value"),
        ('"assumed" }', '"assumed", range = [0, 9] }', "submit.io_time.range", "above zero"),
        ('"assumed" }', '"assumed", range = [1, 1e6] }', "submit.io_time.range", "outside what"),
    ],
)
def test_a_mistake_in_a_card_is_named_with_its_key(old, new, key, message):
    assert old in HOST
    found = [p for p in problems_of(HOST.replace(old, new, 1)) if p.key == key]
    assert len(found) == 1
    assert message in str(found[0])
    assert found[0].file == "card.toml"


def test_the_line_of_a_mistake_is_that_of_the_value():
    text = HOST.replace("value = 3.9", "value = -1")
    line = text[: text.index("value = -1")].count("\n") + 1
    assert [p.line for p in problems_of(text)] == [line]


def test_all_mistakes_of_a_card_are_reported_at_once_in_the_order_of_the_file():
    text = (
        HOST.replace("3.5,", "-3.5,").replace("[submit]", "[submitt]").replace("0.23,", "0.23 0.2,")
    )
    lines = [p.line for p in problems_of(text) if p.line]
    assert len(lines) >= 3
    assert lines == sorted(lines)


@given(st.binary())
def test_no_bytes_make_a_card_end_in_anything_but_a_message(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "random.toml"
    path.write_bytes(content)
    with pytest.raises(InputError):
        cards.load(path)


@given(st.data())
def test_no_damage_to_a_card_ends_in_anything_but_a_card_or_a_message(data):
    start = data.draw(st.integers(0, len(HOST)))
    end = data.draw(st.integers(start, min(len(HOST), start + 40)))
    piece = data.draw(
        st.sampled_from(["", '"', "[", "{", "}", "nan", "\n", "=", "-1", "'''", "1e400"])
    )
    try:
        card = read_card(HOST[:start] + piece + HOST[end:], "card.toml")
    except InputError as error:
        assert error.problems  # noqa: PT017
    else:
        needed = {a.name for a in KINDS["host"].attributes if a.default != UNKNOWN}
        assert needed <= set(card.values) <= set(KINDS["host"].by_name)


def test_the_reference_page_is_current():
    page = data_folder("models").parent / "docs" / "reference" / "cards.md"
    assert page.read_text(encoding="utf-8") == reference.markdown(), (
        "run: python docs/reference/generate.py"
    )


@pytest.mark.parametrize("size", ["800gb", "1600gb", "2000gb"])
def test_the_form_factors_of_the_p3700_differ_in_body_and_heat_only(size):
    card, other = (cards.load(f"intel-p3700-{size}{form}") for form in ("", "-sff"))
    differing = {key for key in card.values if card[key] != other[key]}
    assert {key.partition(".")[0] for key in differing} <= {"body", "heat"}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_rated_writes_are_those_of_every_day_of_a_warranty(path):
    card = cards.load(path)
    if card.kind != "ssd":
        return
    days = card.number("endurance.written") / card.number("capacity.user")
    years = days / card.number("endurance.dwpd") / 365
    assert 2.7 < years < 7.1


def test_a_section_that_is_no_table_is_said_beside_a_base():
    text = 'name = "x"\nkind = "hdd"\ntitle = "X"\nbase = "nl-sas-2tb"\nseek = 3\n'
    with pytest.raises(InputError, match="seek: is not a table"):
        read_card(text, "x.toml")


def test_a_range_beside_a_value_that_is_none_is_no_fault_of_its_own():
    entry = '{ value = [1], unit = "us", source = "assumed", range = [1, 2] }'
    text = (
        f'name = "x"\nkind = "hdd"\ntitle = "X"\nbase = "nl-sas-2tb"\n[command]\ntime = {entry}\n'
    )
    with pytest.raises(InputError) as caught:
        read_card(text, "x.toml")
    assert "command.time.value" in str(caught.value)


def test_a_value_beyond_all_units_is_told_as_it_is():
    """What follows from measured values of a disk may be as large as this."""
    attribute = KINDS["hdd"].by_name["command.time"]
    cause, remedy = check_value(attribute, 1.77e303)
    assert cause.startswith("1.77e+303 is outside")
    assert attribute.high in remedy

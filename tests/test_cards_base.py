"""A card that names its sibling says only what differs."""

import pytest

from raidsim import cards
from raidsim.errors import InputError

BASE = """\
name = "a-host"
kind = "host"
title = "A host"

[cpu]
clock = { value = 3.5, unit = "GHz", source = "document", note = "page 6" }
cores = { value = 8, unit = "1", source = "datasheet" }

[submit]
io_time = { value = 3.9, unit = "us", source = "calibrated", claims = ["a.b"] }

[complete]
io_time = { value = 2, unit = "us", source = "assumed" }

[residuals]
"a.b" = "-1.2 %"
"""

SIBLING = """\
name = "b-host"
kind = "host"
title = "B host"
base = "a-host.toml"

[cpu]
cores = { value = 16, unit = "1", source = "document" }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a-host.toml").write_text(BASE)
    return tmp_path


@pytest.fixture
def load(folder):
    def load(text=SIBLING):
        path = folder / "b-host.toml"
        path.write_text(text)
        return cards.load(path)

    return load


def refusal(load, text):
    with pytest.raises(InputError) as caught:
        load(text)
    return caught.value.problems


def test_what_is_not_stated_is_as_on_the_base(load):
    card = load()
    assert card.name == "b-host"
    assert card["cpu.cores"] == 16
    assert card["cpu.clock"] == 3.5e9
    assert card["submit.io_time"] == pytest.approx(3.9e-6)


def test_it_is_said_which_values_are_those_of_the_base(load):
    card = load()
    assert card.base == "a-host"
    assert "cpu.clock" in card.inherited
    assert "cpu.cores" not in card.inherited
    assert card.sources["cpu.clock"].note == "as a-host: page 6"
    assert card.sources["submit.io_time"].claims == ("a.b",)


def test_residuals_stay_with_the_card_that_was_fitted(load):
    assert load().residuals == {}


def test_a_change_of_the_base_reaches_its_siblings(load, folder):
    (folder / "a-host.toml").write_text(BASE.replace("3.9", "5.5"))
    assert load()["submit.io_time"] == pytest.approx(5.5e-6)


def test_the_capacities_of_the_p3700_share_one_structure():
    base = cards.load("intel-p3700-800gb")
    for name in ("intel-p3700-1600gb", "intel-p3700-2000gb"):
        card = cards.load(name)
        differing = {key for key in card.values if card[key] != base[key]}
        assert card.base == base.name
        assert differing <= {
            "capacity.user",
            "flash.channels",
            "flash.dies_per_channel",
            "flash.dies_in_step",
            "flash.spare",
            "endurance.written",
        }


def test_a_base_that_is_not_there_is_the_only_complaint(load):
    (problem,) = refusal(load, SIBLING.replace("a-host.toml", "intel-p3700-800g"))
    assert (problem.line, problem.key) == (4, "base")
    assert 'did you mean "intel-p3700-800gb"?' in problem.cause


def test_a_base_is_of_the_same_kind(load):
    (problem,) = refusal(load, SIBLING.replace("a-host.toml", "intel-p3700-800gb"))
    assert "ssd" in problem.cause


def test_a_base_may_have_a_base(load, folder):
    own = '\n[complete]\nio_time = { value = 9, unit = "us", source = "assumed" }\n'
    (folder / "c-host.toml").write_text(SIBLING.replace("b-host", "c-host") + own)
    card = load(SIBLING.replace("a-host.toml", "c-host.toml").replace("16", "32"))
    assert card["cpu.cores"] == 32
    assert card["complete.io_time"] == pytest.approx(9e-6)  # of its base
    assert card["cpu.clock"] == 3.5e9  # of the base of that
    assert card.sources["cpu.clock"].note == "as a-host: page 6"
    assert card.origins["complete.io_time"].card == "c-host"
    assert card.origins["cpu.clock"].card == "a-host"
    assert "cpu.cores" not in card.origins


def test_bases_in_a_circle_are_named(load, folder):
    (folder / "a-host.toml").write_text(BASE.replace("[cpu]", 'base = "b-host.toml"\n[cpu]', 1))
    (problem,) = refusal(load, SIBLING)
    assert "leads in a circle: b-host -> a-host -> b-host" in problem.cause


def test_a_card_is_not_its_own_base(load):
    (problem,) = refusal(load, SIBLING.replace("a-host", "b-host"))
    assert problem.cause == "leads in a circle: b-host -> b-host"


def test_what_is_wrong_with_the_base_is_said_with_its_place(load, folder):
    (folder / "a-host.toml").write_text(BASE.replace("3.5", "-1"))
    (problem,) = refusal(load, SIBLING)
    assert "a-host.toml:6: cpu.clock.value" in problem.cause


def test_a_card_is_read_once_and_anew_when_its_file_or_its_base_has_changed(folder):
    path = folder / "b-host.toml"
    path.write_text(SIBLING)
    first = cards.load(path)
    assert cards.load(path) is first
    (folder / "a-host.toml").write_text(BASE.replace("3.5", "3.75"))
    assert cards.load(path).number("cpu.clock") == 3.75e9
    path.write_text(SIBLING.replace("16,", "12,"))
    assert cards.load(path).integer("cpu.cores") == 12
    (folder / "a-host.toml").unlink()
    with pytest.raises(InputError, match=r"a-host\.toml"):
        cards.load(path)

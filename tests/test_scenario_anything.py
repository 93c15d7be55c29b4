# ruff: noqa: E501 - one mistake a line reads as a table
"""Scenarios: whatever is written, the loader ends in a scenario or in a message."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenario_texts import GOOD

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.scenario import Scenario
from raidsim.scenario.load_spec import LoadSpec


def loads_or_complains(text, overrides=(), **other):
    """A scenario, or an InputError that says something; anything else fails the test."""
    try:
        loaded = scenario.load_text(text, "any.toml", overrides, **other)
    except InputError as error:
        messages = str(error).splitlines()
        return bool(messages) and all(message.strip() for message in messages)
    again = scenario.from_data(loaded.resolved())
    assert again.resolved() == loaded.resolved()
    return isinstance(loaded, Scenario)


@given(st.binary())
def test_no_bytes_make_the_loader_end_in_anything_but_a_message(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "random.toml"
    path.write_bytes(content)
    with pytest.raises(InputError):
        scenario.load(path)


TOKENS = st.sampled_from(
    ["[", "]", "[[", "]]", "{", "}", '"', "'", "'''", '"""', "=", ".", ",", "\n", "\r", "#", "\\",
     "load", "volume", "host", "set", "size", "nan", "inf", "-1", "1e999", "0x", "true", "8 KiB",
     "100 %", " ", "\t", "\ufeff", "\u2028", "1979-05-27", "9" * 30]
)  # fmt: skip


@given(st.binary() | st.text().map(str.encode) | st.sampled_from([b'{"scenario": {}}', b"[1e999]"]))
def test_no_bytes_of_a_result_make_the_loader_end_in_anything_but_a_message(
    tmp_path_factory, content
):
    path = tmp_path_factory.getbasetemp() / "random.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        scenario.load(path)


@given(st.lists(TOKENS | st.text(max_size=3), max_size=40))
def test_no_text_makes_the_loader_end_in_anything_but_a_message(tokens):
    assert loads_or_complains("".join(tokens))


@settings(max_examples=300)
@given(st.data())
def test_no_damage_to_a_good_file_ends_in_anything_but_a_scenario_or_a_message(data):
    text = GOOD
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(TOKENS | st.text(max_size=2) | st.just("")) + text[end:]
    assert loads_or_complains(text)


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
        st.sampled_from(["8 KiB", "1 GiB", "67 %", "10 us", "100 IO/s", "none", "rest", "single",
                         "intel-p3700-800gb", "fujitsu-rx2540-m1", "data", math.nan, 10**400]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["size", "share", "offset", "on", "off", "area", "accesses", "time", "ios",
                         "bytes", "x", "flash", "read_time"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=300)
@given(st.sampled_from(["host", "volume", "load", "measure"]), st.data())
def test_no_value_of_any_key_ends_in_anything_but_a_scenario_or_a_message(table, data):
    whole = scenario.load_text(GOOD).resolved()
    part = whole[table][0] if isinstance(whole[table], list) else whole[table]
    keys = sorted(set(part) | (set(LoadSpec.model_fields) if table == "load" else set()))
    part[data.draw(st.sampled_from(keys))] = data.draw(VALUES)
    try:
        loaded = scenario.from_data(whole)
    except InputError as error:
        assert error.problems  # noqa: PT017
    else:
        assert loaded.resolved()


@settings(max_examples=300)
@given(
    st.lists(
        st.text()
        | st.builds(
            "{}{}{}={}".format,
            st.sampled_from(["load", "load[0]", "load[1]", "load.mail", "volume", "host", "measure",
                             "seed", "title", "volume.set", "load[0].area", "load[0].sizes[1]", ""]),
            st.sampled_from(["", ".", ".size", ".share", ".read", ".rate", ".outstanding", ".set",
                             ".flash.read_time", ".clock", "[0]", "[1].size", '."x y"', ".name"]),
            st.sampled_from(["", ".x", "[3]"]),
            st.sampled_from(["", "1", "[1, 2]", "8 KiB", "50 %", "{}", "[]", "nan", '"a', "a\nb = 1",
                             "[" * 2000, "9" * 5000, "[[1]]", '{ size = "8 KiB" }', "true"])
            | st.text(),
        ),
        max_size=4,
    )
)  # fmt: skip
def test_no_override_ends_in_anything_but_a_scenario_or_a_message(overrides):
    assert loads_or_complains(GOOD, overrides)

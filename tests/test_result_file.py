"""A result that is read back is the same; whatever is no result is refused in words."""

from __future__ import annotations

import contextlib
import json

import pytest
from events import at
from events import scenario as scenario_with
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from synthetic import result
from watching import scenario

from raidsim import InputError, Result, run
from raidsim.result.file import parse

DATABASE = {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "area": {"size": "32 GiB"}}
QUICK = {"min_ios": 2_000, "max_ios": 20_000, "precision": "5 %"}


def refusal(call, *args) -> str:
    with pytest.raises(InputError) as refused:
        call(*args)
    return str(refused.value)


def test_a_result_read_back_is_the_same(tmp_path):
    made, path = result(), tmp_path / "r.json"
    made.to_json(path)
    again = Result.read(path)
    assert again == made
    assert again.to_json() == made.to_json()


@pytest.mark.parametrize(
    "asked",
    [
        scenario(DATABASE | {"outstanding": [1, 4]}, measure=QUICK),
        scenario(DATABASE | {"outstanding": [1, 64], "within": "0.4 ms"}, measure=QUICK),
        scenario_with(at("1 s", "drive-failure", drive=2), at("2 s", "power-cut", outage="1 s")),
    ],
    ids=["sweep", "search", "events"],
)
def test_what_a_run_finds_is_read_back_to_the_last_digit(asked):
    found = run(asked)
    again = parse(found.to_json(), "r.json")
    assert again == found
    assert again.to_json() == found.to_json()


def changed(change) -> str:
    data = json.loads(result().to_json())
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda d: d.pop("points"), "r.json: points: is missing"),
        (lambda d: d["points"][1].pop("iops"), "r.json: points[1].iops: is missing"),
        (
            lambda d: d["points"][0]["iops"].update(mean="3"),
            "points[0].iops.mean: is not a number",
        ),
        (lambda d: d.update(seed=1.5), "r.json: seed: "),
        (lambda d: d.update(seed=True), "r.json: seed: "),
        (lambda d: d.update(points=7), "r.json: points: is not a list"),
        (lambda d: d.update(power_w=[]), "r.json: power_w: is not an object"),
        (lambda d: d.update(scenario=None), "r.json: scenario: is not an object"),
        (lambda d: d.update(seed=float("inf")), "r.json: is not JSON"),
        (lambda d: d.pop("schema"), "r.json: holds no result"),
        (lambda d: d.update(schema="raidsim.bench/1"), "is not a schema of a result file"),
    ],
)
def test_what_is_wrong_with_a_result_is_said_with_its_place(change, wrong):
    assert wrong in refusal(parse, changed(change), "r.json")


def test_fields_that_a_later_version_added_are_no_mistake():
    def add(data):
        data["later"] = 1
        data["points"][0]["later"] = [1]

    assert parse(changed(add), "r.json") == result()


@pytest.mark.parametrize("text", ["", "[]", "{", "nonsense", "5", "[" * 100_000, '"\\ud800"'])
def test_a_text_that_is_no_result_is_refused(text):
    assert "r.json: " in refusal(parse, text, "r.json")


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (str, "no such file"),
        (lambda p: p.mkdir(), "is a folder"),
        (lambda p: p.write_bytes(b"\xff\xfe{}"), "is not UTF-8 text"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, make, wrong):
    path = tmp_path / "r.json"
    make(path)
    assert wrong in refusal(Result.read, path)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_damaged_result_is_read_or_refused(data):
    text = result().to_json()
    where = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:where] + data.draw(st.text(max_size=3)) + text[where + 1 :]
    with contextlib.suppress(InputError):
        assert isinstance(parse(damaged, "r.json"), Result)

"""The page of an array that is watched: many visitors, each with bounded work; nothing hostile."""

from __future__ import annotations

import asyncio
import json
import re
import time

import pytest
from starlette.testclient import TestClient

from raidsim.page.app import application
from raidsim.page.live import presets, visitors
from raidsim.page.live.visitors import GoneError, TooMuchError, Visitors
from raidsim.page.live.worker import Arrays
from raidsim.page.settings import Settings

SMALL = """
title = "Small"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
state = "fresh"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
"""


@pytest.fixture(scope="module")
def page():
    with TestClient(application(Settings()), base_url="http://localhost") as client:
        yield client


@pytest.fixture(scope="module")
def other_visitor(page):
    return TestClient(page.app, base_url="http://localhost")


def made(page, preset="raid5"):
    answer = page.post("/live/arrays", json={"preset": preset})
    assert answer.status_code == 200, answer.text
    return answer.json()


def asked(page, name, **wish):
    return page.post(f"/live/arrays/{name}", json=wish)


def test_the_page_offers_all_arrays_and_has_no_script_of_its_own(page):
    text = page.get("/live").text
    for one in presets.PRESETS:
        assert f'value="{one.name}"' in text
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|style=", text)
    for part in re.findall(r'(?:src|href)="(/live/static/[^"]+)"', text):
        assert page.get(part).status_code == 200


def test_a_visitor_lets_time_pass_follows_a_request_and_lets_a_drive_fail(page):
    name = made(page)["array"]
    frame = asked(page, name, do="advance", seconds=0.01).json()["frame"]
    assert frame["time"] == 0.01
    told = asked(page, name, do="follow", op="write").json()
    assert told["request"]["op"] == "write"
    wish = {"kind": "drive-failure", "drive": 2}
    found = asked(page, name, do="happen", wish=wish).json()
    assert found["frame"]["drives"][2]["failed"]
    assert found["rows"]["rows"][0]["cells"][2]["lost"]
    (said,) = (one for one in found["frame"]["told"] if one["kind"] == "drive-failure")
    again = asked(page, name, do="advance", seconds=0, since=said["number"]).json()
    assert again["frame"]["told"] == []
    assert asked(page, name, do="end").status_code == 200
    assert asked(page, name, do="advance", seconds=0).status_code == 410


def test_what_cannot_happen_is_said_in_words(page):
    name = made(page)["array"]
    answer = asked(page, name, do="happen", wish={"kind": "replacement", "drive": 1})
    assert answer.status_code == 409
    assert answer.json()["problems"] == ["Drive 1 has not failed."]


@pytest.mark.parametrize(
    "wish",
    [
        {"do": "dance"},
        {"do": "advance"},
        {"do": "advance", "seconds": "1"},
        {"do": "advance", "seconds": -1},
        {"do": "advance", "seconds": 1e9},
        {"do": "advance", "seconds": True},
        {"do": "advance", "seconds": 1, "since": -1},
        {"do": "advance", "seconds": 1, "look": "/etc/passwd"},
        {"do": "follow", "op": "format"},
        {"do": "follow", "offset": 0, "length": 2**30},
        {"do": "follow", "offset": 0.5, "length": 512},
        {"do": "happen"},
        {"do": "happen", "wish": {"kind": "link-loss"}},
        {"do": "happen", "wish": {"kind": ["drive-failure"]}},
        {"do": "happen", "wish": {"kind": "drive-failure", "drive": "0"}},
        {"do": "happen", "wish": {"kind": "drive-failure", "drive": 10**30}},
        {"do": "happen", "wish": {"kind": "load-start", "load": "../../x"}},
        {"do": "happen", "wish": {"kind": "latent-errors", "drive": 0, "count": 10**9}},
    ],
    ids=lambda wish: json.dumps(wish)[:60],
)
def test_hostile_wishes_are_refused_with_words(page, one_array, wish):
    answer = asked(page, one_array, **wish)
    assert 400 <= answer.status_code < 500
    assert all(isinstance(one, str) and one for one in answer.json()["problems"])


@pytest.fixture(scope="module")
def one_array(page):
    return made(page)["array"]


@pytest.mark.parametrize(
    "body", [b"", b"no", b"[]", b"[" * 3000, b'{"do": NaN', b'"' + b"x" * 5000 + b'"']
)
def test_what_is_no_json_is_refused(page, one_array, body):
    for path in ("/live/arrays", f"/live/arrays/{one_array}"):
        answer = page.post(path, content=body)
        assert 400 <= answer.status_code < 500
        assert answer.json()["problems"]


def test_nan_is_no_time(page, one_array):
    body = b'{"do": "advance", "seconds": NaN}'
    assert page.post(f"/live/arrays/{one_array}", content=body).status_code == 400


def test_a_text_of_ones_own_is_watched_and_reads_no_file(page):
    found = page.post("/live/arrays", json={"text": SMALL})
    assert found.status_code == 200
    assert found.json()["about"]["title"] == "Small"
    for text, words in (
        (SMALL.replace("intel-p3700-800gb", "/etc/passwd"), "the page reads no files"),
        (SMALL + 'trace = { file = "/etc/passwd" }', "reads no files"),
        (SMALL.replace("4 KiB", "4 KiBB"), "Line 10"),
        ("#" * 30_000, "longer"),
        (SMALL + "workers = 1000", "too many"),
    ):
        refused = page.post("/live/arrays", json={"text": text})
        assert 400 <= refused.status_code < 500
        assert words in " ".join(refused.json()["problems"])


def test_a_title_stays_text(page):
    text = SMALL.replace("Small", "<script>alert(1)</script>")
    found = page.post("/live/arrays", json={"text": text})
    assert found.json()["about"]["title"] == "<script>alert(1)</script>"
    assert found.headers["content-type"] == "application/json"


def test_nobody_watches_the_array_of_somebody_else(page, other_visitor):
    name = made(page)["array"]
    assert asked(other_visitor, name, do="advance", seconds=0).status_code == 410
    asked(other_visitor, name, do="end")
    assert asked(page, name, do="advance", seconds=0).status_code == 200


def test_a_preset_is_a_name_and_no_path(page):
    for name in ("../raid5", "scenarios/p3700-database.toml", "", None, 5, {"a": 1}):
        assert page.post("/live/arrays", json={"preset": name}).status_code == 409


# -- how much each visitor may have


class Here:
    """Arrays in this process."""

    def __init__(self):
        self.arrays = Arrays()

    async def say(self, message):
        if message.get("look") == "slow":
            await asyncio.sleep(0.1)
        return self.arrays.answer(message)

    async def close(self):
        pass


ADVANCE = {"do": "advance", "seconds": 0.0, "since": 0, "look": "start"}
FAN = {**ADVANCE, "do": "happen", "wish": {"kind": "air", "ambient": "30 C"}}
TEXT = {"text": SMALL}


def run(work):
    return asyncio.run(work(Visitors(Here)))


def test_of_a_visitors_arrays_the_oldest_ends_when_there_are_too_many():
    async def work(kept):
        names = [(await kept.make("me", TEXT))[0] for _ in range(visitors.MOST_EACH + 1)]
        with pytest.raises(GoneError):
            await kept.ask("me", names[0], ADVANCE)
        return [(await kept.ask("me", name, ADVANCE))["frame"]["time"] for name in names[1:]]

    assert run(work) == [0.0] * visitors.MOST_EACH


def test_there_are_so_many_arrays_and_no_more_until_idle_ones_end(monkeypatch):
    monkeypatch.setattr(visitors, "MOST", 2)

    async def work(kept):
        for who in ("one", "two"):
            await kept.make(who, TEXT)
        with pytest.raises(TooMuchError):
            await kept.make("three", TEXT)
        monkeypatch.setattr(visitors, "IDLE", 0.0)
        await asyncio.sleep(0.01)
        await kept.make("three", TEXT)
        return len(kept)

    assert run(work) == 1


def test_who_asks_without_a_pause_waits_and_is_refused_beyond_a_few_wishes():
    async def work(kept):
        name, _ = await kept.make("me", TEXT)
        begun = time.monotonic()
        asked = [kept.ask("me", name, {**ADVANCE, "look": "slow"}) for _ in range(5)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        return found, time.monotonic() - begun

    found, seconds = run(work)
    refused = [isinstance(one, TooMuchError) for one in found]
    assert refused == [False] * visitors.MOST_WAITING + [True] * (5 - visitors.MOST_WAITING)
    assert seconds >= 0.3  # worked, rested for as long, worked


def test_an_array_to_which_too_much_has_happened_takes_no_more_events(monkeypatch):
    monkeypatch.setattr(visitors, "MOST_WISHES", 1)

    async def work(kept):
        name, _ = await kept.make("me", TEXT)
        await kept.ask("me", name, FAN)
        with pytest.raises(TooMuchError):
            await kept.ask("me", name, FAN)
        return (await kept.ask("me", name, ADVANCE))["frame"]["air"]["ambient"]

    assert run(work) == 30.0


def test_a_process_that_takes_too_long_is_ended_and_another_takes_its_place(monkeypatch):
    async def work(kept):
        name, _ = await kept.make("me", TEXT)
        monkeypatch.setattr(visitors, "LONGEST", 0.0)
        with pytest.raises(GoneError):
            await kept.ask("me", name, ADVANCE)
        monkeypatch.setattr(visitors, "LONGEST", 60.0)
        left = len(kept)
        _, found = await kept.make("me", TEXT)
        await kept.close()
        return left, found["frame"]["time"]

    async def outside():
        return await work(Visitors())

    assert asyncio.run(outside()) == (0, 0.0)

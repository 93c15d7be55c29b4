"""An attached system on the page: what it shows is the system, and what is pressed happens."""

from __future__ import annotations

import json

import pytest
from page_server import served

from raidsim import Scenario
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.steering import Steering
from raidsim.errors import InputError, Problem
from raidsim.page import attached


@pytest.fixture
def page(monkeypatch):
    """A page to which a RAID 5 of four disks is attached, as if by its control socket."""
    changes = {"volume.drives": 4, "volume.name": "data"}
    scenario = Scenario.read("raid5-disks").with_(changes)
    system = AttachedSystem(scenario, 1.0)
    system.start()
    steering = Steering(scenario, system)

    def ask(path, wish):
        assert path == "control.sock"
        return steering.answer(json.dumps(wish).encode())

    monkeypatch.setattr(attached, "ask", ask)
    with served(attached="control.sock") as visitor:
        yield visitor
    system.close()


def volume(page):
    return page.get("/api/attached").json()["status"]["volumes"]["data"]


def test_a_drive_that_is_pressed_fails_and_a_new_one_is_rebuilt(page):
    assert [one["failed"] for one in volume(page)["drives"]] == [False] * 4
    told = page.post("/api/attached", json={"kind": "drive-failure", "drive": 1}).json()
    assert told["did"] == "drive 1 of data fails"
    found = volume(page)
    assert [one["failed"] for one in found["drives"]] == [False, True, False, False]
    assert found["health"] == "degraded"
    page.post("/api/attached", json={"kind": "replacement", "drive": 1})
    found = volume(page)
    assert [one["kind"] for one in found["operations"]] == ["rebuild"]
    assert 0 <= found["drives"][1]["good"] < 1


def test_the_cache_and_its_battery_are_shown(page):
    assert volume(page)["cache"]["size"] == 512 * 2**20
    page.post("/api/attached", json={"kind": "battery", "state": "low"})
    assert volume(page)["cache"]["battery"] == "low"


def test_policies_are_set_and_shown(page):
    before = volume(page)["cache"]
    assert (before["asked"], before["read_ahead"]) == ("back", "none")
    wish = {"kind": "policy", "volume": "data", "write": "through", "read_ahead": "adaptive"}
    told = page.post("/api/attached", json=wish).json()
    assert told["did"] == "policy of data: write = through, read_ahead = adaptive"
    now = volume(page)["cache"]
    assert (now["mode"], now["asked"], now["read_ahead"]) == ("through", "through", "adaptive")
    page.post("/api/attached", json={"kind": "drive-failure", "drive": 1})
    page.post("/api/attached", json={"kind": "replacement", "drive": 1})
    page.post("/api/attached", json={"kind": "policy", "rate": "90 %"})
    assert [one["rate"] for one in volume(page)["operations"]] == [0.9]


def test_what_cannot_happen_is_told_in_words(page):
    answer = page.post("/api/attached", json={"kind": "drive-failure", "drive": 9})
    assert answer.status_code == 409
    assert "drive" in answer.json()["problems"][0]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"{", "application/json", 400),
        (b'{"kind": "power-cut"}', "text/plain", 415),
        (b'{"kind": "' + b"x" * 10_000 + b'"}', "application/json", 413),
    ],
)
def test_what_is_no_event_does_not_reach_the_system(page, body, kind, status):
    answer = page.post("/api/attached", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status


def test_a_system_that_has_gone_is_told_of(page, monkeypatch):
    def nobody(path, wish):
        raise InputError([Problem(None, None, None, "nobody answers")])

    monkeypatch.setattr(attached, "ask", nobody)
    answer = page.get("/api/attached")
    assert answer.status_code == 503
    assert "does not answer" in answer.json()["problems"][0]


def test_without_a_system_the_page_says_how_one_is_attached():
    with served() as visitor:
        assert "--attached control.sock" in visitor.get("/attached").text
        assert visitor.get("/api/attached").status_code == 404

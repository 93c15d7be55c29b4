"""The page of an array that is watched, in a real browser: it is pressed, followed, and broken.

`make test-page` runs this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from page_server import started
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.page.real_browser import PHONE, PROJECTOR, Visitor, browser

SLOWEST_OVERVIEW = 13  # place of 50 ms a second on the slider
FAST = 25  # of 10 min a second


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as made:
        yield made


class Watcher(Visitor):
    """Somebody who watches an array."""

    def watch(self, array: str) -> None:
        self.open(f"/live?array={array}")
        self.until(lambda: self.one("#go").is_enabled())

    def speed(self, place: int) -> None:
        script = (
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'));"
        )
        self.driver.execute_script(script, self.one("#speed"), place)

    def press(self, words: str) -> None:
        (button,) = (one for one in self.all("#actions button") if words in one.text)
        button.click()

    def told(self) -> list[str]:
        return [one.text for one in self.all("#told li")]

    def label(self, drive: int) -> str:
        return str(self.one(f"#drive-{drive}").get_attribute("aria-label"))


@pytest.fixture
def watcher(driver: webdriver.Chrome, address: str) -> Iterator[Watcher]:
    driver.set_window_size(*PROJECTOR)
    found = Watcher(driver, address)
    yield found
    assert found.complaints() == []


def test_the_scenario_that_is_run_can_be_watched(watcher: Watcher) -> None:
    watcher.open("/#scenario=raid5-disks")
    watcher.until(lambda: "raid5-disks" in str(watcher.one("#watch").get_attribute("href")))
    watcher.one("#watch").click()
    watcher.until(lambda: watcher.all("#drive-7"))
    assert "healthy" in watcher.label(7)


def test_a_write_is_followed_by_keyboard_from_the_host_to_its_answer(watcher: Watcher) -> None:
    watcher.watch("raid5")
    Select(watcher.one("#which")).select_by_value("write")
    step = watcher.one("#step")
    said = []
    for _ in range(60):
        step.send_keys(Keys.ENTER)
        watcher.until(lambda: watcher.one("#now").text not in ("", *said[-1:]))
        said.append(watcher.one("#now").text)
        if said[-1].startswith("Answered"):
            break
    assert said[0] == "The host issues the request."
    words = " ".join(said)
    order = ("reads the old parity P", "Parity is computed", "writes the new parity P", "Answered")
    assert [words.index(one) for one in order] == sorted(words.index(one) for one in order)
    assert "2 reads of drives, then 2 writes of drives" in said[-1]
    lanes = {one.text for one in watcher.all("#lanes text.lane-name")}
    assert {"host", "controller", "parity"} <= lanes
    assert len({one for one in lanes if one.startswith("drive")}) == 2
    assert len(watcher.all("#steps li")) > 20


def test_slow_motion_plays_goes_on_and_stops(watcher: Watcher) -> None:
    watcher.watch("raid10")
    watcher.one("#go").click()
    watcher.until(lambda: watcher.all("#tokens .token"))
    watcher.until(lambda: watcher.all("#stage .strip.reading, #stage .strip.writing"))
    first = watcher.one("#request-title").text
    watcher.until(lambda: watcher.one("#request-title").text not in (first, ""))
    watcher.one("#go").click()
    assert watcher.one("#go").text == "Go"
    at = watcher.one("#clock").text
    assert watcher.one("#clock").text == at
    watcher.one("#mode").click()
    assert not watcher.one("#request").is_displayed()
    watcher.one("#step").click()
    watcher.until(lambda: watcher.one("#clock").text > at)


def test_a_drive_that_is_pressed_fails_and_is_rebuilt_when_it_is_pressed_again(
    watcher: Watcher,
) -> None:
    watcher.watch("raid5")
    assert watcher.label(3).startswith("drive 3, healthy, queue ")
    watcher.one("#drive-3").send_keys(Keys.SPACE)
    watcher.until(lambda: watcher.label(3).startswith("drive 3, failed"))
    assert "Reads of its strips are computed from 3 others." in watcher.told()[-1]
    assert len(watcher.all("#stage .column:last-child .strip.lost")) == 4
    watcher.one("#drive-3").send_keys(Keys.SPACE)
    watcher.until(lambda: "rebuilding" in watcher.label(3))
    watcher.press("Stop load")
    watcher.speed(FAST)
    watcher.one("#go").click()
    shares = []

    def whole() -> bool:
        found = re.search(r"([\d.]+) % restored", watcher.label(3))
        shares.extend([float(found[1])] if found else [])
        return "healthy" in watcher.label(3)

    watcher.until(whole)
    assert shares == sorted(shares)
    assert "The array is whole." in watcher.told()[-1]


def test_the_plug_is_pulled_and_what_the_battery_keeps_is_told(watcher: Watcher) -> None:
    watcher.watch("write-back")
    watcher.speed(SLOWEST_OVERVIEW + 5)
    watcher.one("#go").click()
    watcher.until(lambda: "0 B of" not in watcher.one("#cache-words").text)
    watcher.press("Pull the plug")
    watcher.until(lambda: "no power" in watcher.label(0))
    assert "No acknowledged data is lost." in watcher.told()[-1]
    assert "The cache keeps" in watcher.told()[-1]
    watcher.press("Put in the plug")
    watcher.until(lambda: any("the loads go on" in one for one in watcher.told()))


def test_write_back_is_turned_off_and_on_again_and_a_rebuild_gets_another_rate(
    watcher: Watcher,
) -> None:
    watcher.watch("write-back")
    watcher.press("Write through")
    watcher.until(lambda: "answered when the drives have them" in watcher.told()[-1])
    watcher.press("Write back")
    watcher.until(lambda: "answered from the cache" in watcher.told()[-1])
    watcher.one("#drive-1").click()
    watcher.until(lambda: "failed" in watcher.label(1))
    watcher.one("#drive-1").click()
    watcher.until(lambda: any("rebuilt row by row" in one for one in watcher.told()))
    watcher.press("Rebuild: ")
    watcher.until(lambda: any("rate = " in one for one in watcher.told()))
    assert not watcher.complaints()


def test_what_is_refused_is_said(watcher: Watcher) -> None:
    watcher.watch("throttling-ssd")
    watcher.one("#drive-0").click()
    watcher.until(lambda: "failed" in watcher.label(0))
    watcher.one("#drive-0").click()
    watcher.until(lambda: "no redundancy" in watcher.one("#problem").text)
    assert not [one for one in watcher.complaints() if "409" not in one]


@pytest.mark.parametrize("size", [PROJECTOR, PHONE], ids=["projector", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_every_button_has_a_name(
    watcher: Watcher, size: tuple[int, int], scheme: str
) -> None:
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    watcher.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    watcher.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    watcher.watch("raid6")
    watcher.one("#step").click()
    watcher.until(lambda: watcher.one("#now").text)
    script = "return [document.documentElement.scrollWidth, innerWidth]"
    wide, room = watcher.driver.execute_script(script)
    assert wide <= room
    shown = [
        one for one in watcher.all("main button, main select, main input") if one.is_displayed()
    ]
    assert len(shown) > 15
    assert all(one.accessible_name for one in shown)
    watcher.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_with_less_motion_a_request_goes_from_step_to_step(watcher: Watcher) -> None:
    feature = {"name": "prefers-reduced-motion", "value": "reduce"}
    watcher.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    watcher.watch("raid10")
    watcher.one("#go").click()
    watcher.until(lambda: watcher.all("#lanes line.playhead"))
    begins = set()

    def several() -> bool:
        begins.add(watcher.one("#clock").text)
        return len(begins) >= 3

    watcher.until(several)
    assert len(begins) == 3  # a step at a time, and nothing between
    watcher.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

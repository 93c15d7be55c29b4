"""The page in a real browser: Debian's Chromium, driven by keys and clicks.

`make test-page` installs it and runs this. Everything stays on this computer.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from page_server import ENDLESS, QUICK, started
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from raidsim import Scenario, run
from raidsim.page.shown import printed
from raidsim.report import json_file

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
PATIENCE_S = 300  # the kernel may have to be compiled first
PROJECTOR, PHONE = (1024, 768), (390, 844)
LEAST_CONTRAST = 4.5  # of text, as WCAG 2 asks for at level AA


class Visitor:
    """A browser on the page."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address

    def open(self, place: str = "/") -> None:
        self.driver.get("about:blank")
        self.driver.get(self.address + place)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, holds: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
        redrawn = [StaleElementReferenceException]
        return WebDriverWait(self.driver, seconds, 0.05, redrawn).until(lambda _: holds())

    def says(self) -> str:
        return self.one("#status").text

    def until_measured(self) -> None:
        self.until(lambda: self.says().startswith("Measured within"))

    def text(self) -> str:
        return str(self.one("#text").get_property("value"))

    def write(self, text: str) -> None:
        """Put a text where it is typed, as pasting does.

        What was said of the text before is taken away, so that nobody takes it for the new one's.
        """
        script = (
            "document.getElementById('problems').replaceChildren();"
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('input', { bubbles: true }));"
        )
        self.driver.execute_script(script, self.one("#text"), text)

    def table(self) -> list[list[str]]:
        """The rows of figures."""
        script = (
            "return [...document.querySelectorAll('#table tbody tr')]"
            ".map((row) => [...row.children].map((cell) => cell.textContent))"
        )
        found: list[list[str]] = self.driver.execute_script(script)
        return found

    def complaints(self) -> list[str]:
        return [one["message"] for one in self.driver.get_log("browser") if one["level"] != "INFO"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with started() as found:
        yield found


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """Chromium without a window, which logs what pages complain of."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield made
    made.quit()


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as made:
        yield made


@pytest.fixture
def visitor(driver: webdriver.Chrome, address: str) -> Iterator[Visitor]:
    driver.set_window_size(*PROJECTOR)
    found = Visitor(driver, address)
    found.open()
    found.until_measured()
    yield found
    assert found.complaints() == []


def test_the_page_opens_with_curves_and_asks_nobody_else(visitor: Visitor) -> None:
    assert len(visitor.all("#plots canvas")) == 2
    assert visitor.one("#throughput-title").text == "Throughput, IO/s"
    script = "return performance.getEntriesByType('resource').map((one) => one.name)"
    asked = visitor.driver.execute_script(script)
    assert any("uPlot" in place for place in asked)
    assert all(place.startswith(visitor.address + "/") for place in asked)


def test_form_and_text_say_the_same_and_comments_stay(visitor: Visitor) -> None:
    visitor.write(QUICK)
    visitor.until(lambda: visitor.one("#field-load-0-outstanding").get_property("value") == "1, 8")
    field = visitor.one("#field-load-0-read")
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "50 %", Keys.TAB)
    visitor.until(lambda: 'read = "50 %"           # two thirds' in visitor.text())
    Select(visitor.one("#field-volume-0-level")).select_by_value("raid0")
    visitor.until(lambda: 'level = "raid0"' in visitor.text())
    assert visitor.text() == QUICK.replace('"67 %" ', '"50 %" ').replace(
        'filled = "5 %"', 'filled = "5 %"\nlevel = "raid0"'
    )


def test_errors_stand_at_their_lines_and_lead_there(visitor: Visitor) -> None:
    visitor.write(QUICK.replace('"67 %"', '"670 %"').replace('"8 KiB"', '"8 KB"'))
    visitor.until(lambda: len(visitor.all("#problems li")) == 2)
    assert [one.text for one in visitor.all("#gutter .bad")] == ["12", "13"]
    assert visitor.one("#text").get_attribute("aria-invalid") == "true"
    visitor.all("#problems button")[1].click()
    script = (
        "const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd)"
    )
    assert visitor.driver.execute_script(script) == 'size = "8 KB"'
    visitor.one("#run").click()
    visitor.until(lambda: visitor.says().startswith("Line 12: load.read"))


def test_a_run_shows_what_raidsim_run_prints_and_gives_its_bytes(
    visitor: Visitor, tmp_path: Path
) -> None:
    visitor.write(QUICK)
    visitor.one("#run").click()
    visitor.until(lambda: visitor.says() == "Done.")
    file = tmp_path / "scenario.toml"
    file.write_text(QUICK, encoding="utf-8")
    result = run(Scenario.read(file))
    expected = printed(result)
    assert visitor.one("#printed").get_property("textContent") == expected
    lines = [line.split() for line in expected.splitlines()]
    for row in visitor.table():
        words = " ".join(row).split()
        assert words in lines
    with urlopen(visitor.one("#get-json").get_property("href")) as answer:
        assert answer.read() == json_file.render(result.to_dict())


def test_downloads_are_files_with_the_names_that_the_buttons_say(
    visitor: Visitor, tmp_path: Path
) -> None:
    allowed = {"behavior": "allow", "downloadPath": str(tmp_path)}
    visitor.driver.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)
    visitor.write(QUICK)
    visitor.one("#run").click()
    visitor.until(lambda: visitor.says() == "Done.")
    for button, name in (("save-text", "scenario.toml"), ("get-svg", "result.svg")):
        visitor.one(f"#{button}").click()
        visitor.until(lambda name=name: (tmp_path / name).exists(), 30)
    assert (tmp_path / "scenario.toml").read_text(encoding="utf-8") == QUICK
    assert "<svg" in (tmp_path / "result.svg").read_text(encoding="utf-8")


def test_a_knob_is_turned_by_keys_and_the_old_curve_stays(visitor: Visitor) -> None:
    before = visitor.table()
    runs = len(visitor.all("#history tbody tr"))
    knob = visitor.one('#turned input[data-path*="size"]')
    assert knob.get_attribute("aria-valuetext") == "8 KiB"
    knob.send_keys(Keys.ARROW_RIGHT)
    visitor.until(lambda: 'size = "16 KiB"' in visitor.text())
    visitor.until(lambda: len(visitor.all("#history tbody tr")) == runs + 1)
    visitor.until_measured()
    assert visitor.table() != before
    assert "Block size 16 KiB" in visitor.one("#result-words").text
    assert "is uncertain, because fewer than 100" in visitor.one("#notes").text
    drawn = visitor.all("#history input[type=checkbox]")
    assert all(one.is_selected() for one in drawn[:2])
    labels = [one.get_property("textContent") for one in visitor.all("#throughput .curve th")]
    assert len(labels) == 2
    assert labels[-1].startswith("IO/s")


def test_a_value_between_the_steps_of_a_knob_has_its_place_there(visitor: Visitor) -> None:
    knob = visitor.one('#turned input[data-path*="read\\""]')
    assert knob.get_attribute("aria-valuetext") == "67 %"
    knob.send_keys(Keys.ARROW_RIGHT)
    visitor.until(lambda: 'read = "70 %"' in visitor.text())
    visitor.until_measured()


def test_figures_are_under_the_mouse_and_under_a_slider(visitor: Visitor) -> None:
    point = visitor.one("#point")
    point.send_keys(Keys.HOME, Keys.ARROW_RIGHT)
    row = visitor.table()[1]
    assert visitor.one("#reading").text.startswith(f"{row[0]} outstanding: {row[1]} IO/s")
    webdriver.ActionChains(visitor.driver).move_to_element(
        visitor.one("#latency .u-over")
    ).perform()
    live = visitor.one("#throughput .curve td").get_property("textContent")
    assert live.removesuffix(" IO/s") in [row[1] for row in visitor.table()]


def test_two_runs_stand_side_by_side(visitor: Visitor) -> None:
    visitor.one('#turned input[data-path*="size"]').send_keys(Keys.ARROW_LEFT)
    visitor.until(lambda: len(visitor.all("#history tbody tr")) == 2)
    visitor.until_measured()
    new, old = visitor.all("#history tbody tr")
    old.find_element(By.NAME, "compare-a").click()
    new.find_element(By.NAME, "compare-b").click()
    words = visitor.one("#compared").text
    assert "In B: Block size 4 KiB" in words
    first = visitor.all("#compared tbody tr")[0].text.split()
    a, b = (float(text.replace(",", "")) for text in first[1:3])
    change = 100 * (b - a) / a
    assert float(first[3].replace("−", "-")) == pytest.approx(change, abs=0.06)


def test_of_several_loads_the_one_that_has_intensities_is_shown_and_the_others_by_steps(
    visitor: Visitor,
) -> None:
    two = QUICK.replace("[[load]]\n", '[[load]]\nname = "swept"\n')
    steady = """
[[load]]
name = "steady"
read = "100 %"
size = "4 KiB"
rate = "1000 IO/s"
"""
    visitor.write(two + steady)
    visitor.until(lambda: visitor.one("#problems").text.startswith("Nothing is wrong"))
    runs = len(visitor.all("#history tbody tr"))
    visitor.one('#turned input[data-path*="random"]').send_keys(Keys.ARROW_LEFT)
    visitor.until(lambda: len(visitor.all("#history tbody tr")) == runs + 1)
    visitor.until_measured()
    assert [row[0] for row in visitor.table()] == ["1", "8"]
    Select(visitor.one("#load")).select_by_visible_text("steady")
    assert visitor.one("#table thead").text.startswith("step")
    assert [row[0] for row in visitor.table()] == ["1", "2"]


def test_runs_of_one_point_stand_below_each_other(visitor: Visitor) -> None:
    visitor.write(QUICK.replace("[1, 8]", "8"))
    visitor.until(lambda: visitor.all('#turned input[data-path*="outstanding"]'))
    for _ in range(2):
        runs = len(visitor.all("#history tbody tr"))
        visitor.one('#turned input[data-path*="outstanding"]').send_keys(Keys.ARROW_RIGHT)
        visitor.until(lambda runs=runs: len(visitor.all("#history tbody tr")) == runs + 1)
        visitor.until_measured()
    assert not visitor.one("#plots").is_displayed()
    names = [row.text.split(" ", 1)[1] for row in visitor.all("#points tbody th")]
    assert names[-1] == "Outstanding 32"
    assert len(names) == 2


def test_a_run_that_does_not_end_is_stopped_by_a_press(visitor: Visitor) -> None:
    visitor.write(ENDLESS)
    visitor.one("#run").click()
    visitor.until(lambda: re.match(r"\d+ %: ", visitor.says()))
    visitor.one("#stop").click()
    visitor.until(lambda: visitor.one("#run").is_enabled())
    assert "stopped" in visitor.says()


def test_a_link_restores_the_state(visitor: Visitor) -> None:
    text = QUICK.replace('"quick"', '"größer & <b>besser</b>"')
    visitor.write(text)
    visitor.until(lambda: "#text=" in visitor.driver.current_url)
    link = visitor.driver.current_url
    time.sleep(0.5)
    assert visitor.driver.current_url == link
    visitor.driver.get("about:blank")
    visitor.driver.get(link)
    visitor.until_measured()
    assert visitor.text() == text
    assert len(visitor.table()) == 2
    assert "größer & <b>besser</b>" in visitor.one("#result-words").text
    visitor.driver.get(f"{visitor.address}/#scenario=raid5-disks")
    visitor.until(lambda: "raid5" in visitor.text())
    visitor.until_measured()


def test_names_and_titles_never_become_markup(visitor: Visitor) -> None:
    wicked = "<img src=x onerror=document.title='caught'>"
    text = QUICK.replace('"quick"', f'"{wicked}"').replace(
        "[[load]]", f'[[load]]\nname = "{wicked}"'
    )
    visitor.write(text)
    visitor.one("#run").click()
    visitor.until(lambda: visitor.says() == "Done.")
    assert visitor.driver.title.startswith("Run")
    assert visitor.all("main img[src='x']") == []
    assert wicked in visitor.one("#result-words").text
    assert wicked in visitor.one("#table caption").text


def test_a_scenario_with_events_is_drawn_over_time(visitor: Visitor) -> None:
    Select(visitor.one("#shipped")).select_by_value("power-cut")
    visitor.until(lambda: "press Run" in visitor.says())
    visitor.one("#run").click()
    visitor.until(lambda: visitor.says() == "Done.")
    picture = visitor.one("#picture")
    visitor.until(lambda: picture.get_property("naturalWidth") > 0)
    assert not visitor.one("#plots").is_displayed()


def test_everything_is_reached_by_keys_and_has_a_name(visitor: Visitor) -> None:
    tree = visitor.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    shown = [node for node in tree if not node.get("ignored")]
    for node in shown:
        focusable = any(
            one["name"] == "focusable" and one["value"].get("value")
            for one in node.get("properties", [])
        )
        if focusable and node["role"]["value"] not in ("RootWebArea", "main"):
            assert node.get("name", {}).get("value"), node
    roles = {node["role"]["value"] for node in shown}
    assert {"main", "navigation", "table", "slider", "combobox", "status"} <= roles
    visitor.driver.execute_script("document.activeElement.blur()")
    reached = []
    for _ in range(60):
        webdriver.ActionChains(visitor.driver).send_keys(Keys.TAB).perform()
        script = "const e = document.activeElement; return e.id || e.textContent || e.tagName"
        reached.append(visitor.driver.execute_script(script))
    assert reached[0] == "To the content"
    order = [
        reached.index(one) for one in ("shipped", "copy-link", "text", "run", "knob-0", "rate")
    ]
    assert order == sorted(order)


CONTRAST = """
const light = (rgb) => {
  const [r, g, b] = rgb.map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const read = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const behind = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const colour = read(getComputedStyle(one).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour.slice(0, 3);
  }
  return [255, 255, 255];
};
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
  if (!own || !element.checkVisibility() || element.disabled) continue;
  if (element.closest("option, select")) continue;
  const colour = read(getComputedStyle(element).color).slice(0, 3);
  const [a, b] = [light(colour), light(behind(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < arguments[0]) found.push([element.tagName, element.textContent.slice(0, 40), ratio]);
}
return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_contrast_in_light_and_dark(visitor: Visitor, scheme: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        paper = "return getComputedStyle(document.body).backgroundColor"
        assert (visitor.driver.execute_script(paper) == "rgb(255, 255, 255)") == (scheme == "light")
        assert visitor.driver.execute_script(CONTRAST, LEAST_CONTRAST) == []
        visitor.write("[nothing]\n")
        visitor.until(lambda: visitor.all("#gutter .bad"))
        assert visitor.driver.execute_script(CONTRAST, LEAST_CONTRAST) == []
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("size", [PROJECTOR, PHONE], ids=["projector", "phone"])
@pytest.mark.parametrize("place", ["/", "/lessons"])
def test_nothing_is_wider_than_the_screen(
    visitor: Visitor, size: tuple[int, int], place: str
) -> None:
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
    visitor.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        visitor.open(place)
        if place == "/":
            visitor.until_measured()
            plot = visitor.one("#throughput canvas").rect
            assert plot["x"] + plot["width"] <= size[0]
        assert (
            visitor.driver.execute_script("return document.documentElement.scrollWidth") <= size[0]
        )
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_lesson_works_under_its_own_policy(visitor: Visitor) -> None:
    visitor.open("/lessons")
    link = visitor.one('a[href="/lessons/queues"]')
    link.click()
    visitor.until(lambda: visitor.all("#knobs input, #knobs select"))
    visitor.until(lambda: visitor.all("#plot svg"))
    visitor.all("form button[data-does=hint]")[0].click()
    assert visitor.one(".said").text


def test_what_the_server_does_not_say_is_told_in_words(visitor: Visitor) -> None:
    visitor.driver.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    visitor.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        visitor.write(QUICK)
        visitor.one("#run").click()
        visitor.until(lambda: "does not answer" in visitor.says() + visitor.one("#problems").text)
    finally:
        back = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        visitor.driver.execute_cdp_cmd("Network.emulateNetworkConditions", back)
    assert all("ERR_INTERNET_DISCONNECTED" in one for one in visitor.complaints())


def test_json_of_a_page_is_what_its_scripts_expect(address: str) -> None:
    with urlopen(f"{address}/api/scenarios") as answer:
        names = [one["name"] for one in json.load(answer)]
    assert "p3700-database" in names

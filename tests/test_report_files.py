"""JSON, CSV, plot and page of a run: complete, parseable, the same bytes for the same result."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from renderers import RENDERERS
from synthetic import SCENARIO, point, result

from raidsim import Scenario
from raidsim.report import csv_file, html, json_file, panels, plot, table, toml_text
from raidsim.report.console import ReportConsole
from raidsim.report.curves import curves
from raidsim.result import DriveUse, Interval, Result, Temperature

TESTS = Path(__file__).parent
DIGESTS = """
import hashlib, sys
sys.path.insert(0, {tests!r})
from synthetic import result
from renderers import RENDERERS
for name, render in RENDERERS.items():
    print(name, hashlib.sha256(render(result())).hexdigest())
"""


def odd_sweeps() -> Result:
    """Every kind of sweep at once: rates, one point, equal steps, arrivals, nothing measured."""
    return result(
        *(point(None, rate=rate, load="rates", kinds=("read",)) for rate in (1e3, 1e5, 2.5e5)),
        point(7, load="single"),
        point(3, load="steps"),
        point(3, load="steps", converged=False),
        point(None, load="arrivals", iops=Interval(5e4, None, None)),
        point(
            1,
            load="nothing",
            kinds=(),
            iops=Interval(0.0, None, None),
            mbps=0.0,
            stages={},
            stations=[],
            limited_by=None,
        ),
    )


@pytest.mark.parametrize("name", RENDERERS)
def test_the_same_result_gives_the_same_bytes(name: str) -> None:
    assert RENDERERS[name](result()) == RENDERERS[name](result())


def test_bytes_do_not_depend_on_the_process() -> None:
    code = DIGESTS.format(tests=str(TESTS))
    runs = []
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(TESTS.parent)}
        ended = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        runs.append(ended.stdout)
    assert runs[0] == runs[1]
    assert len(runs[0].split()) == 2 * len(RENDERERS)


@pytest.mark.parametrize("name", RENDERERS)
def test_every_kind_of_sweep_can_be_reported(name: str) -> None:
    assert RENDERERS[name](odd_sweeps())


# ---------------------------------------------------------------- JSON


def test_json_holds_what_the_contract_promises() -> None:
    data = json.loads(RENDERERS["json"](result()))
    assert data["schema"] == "raidsim.result/2"
    assert {"raidsim", "seed", "scenario", "provenance", "points"} <= set(data)
    first = data["points"][0]
    assert {"load", "outstanding", "iops", "mbps", "latency_ms", "limited_by"} <= set(first)
    assert {"stages", "converged"} <= set(first)
    assert set(first["iops"]) == {"mean", "low", "high"}
    assert set(first["latency_ms"]) == {"read", "write"}
    assert {"mean", "p50", "p95", "p99", "p999"} <= set(first["latency_ms"]["read"])
    assert {"station", "utilisation"} <= set(first["limited_by"])
    assert all({"waiting", "served"} == set(stage) for stage in first["stages"].values())


def test_json_is_indented_by_two_and_ends_with_a_newline() -> None:
    text = RENDERERS["json"](result()).decode()
    assert text.startswith('{\n  "schema": "raidsim.result/2",\n  "raidsim"')
    assert text.endswith("}\n")


def test_json_reads_back_to_the_numbers_of_the_result() -> None:
    shown = result(point(8))
    assert json.loads(RENDERERS["json"](shown))["points"][0] == shown.to_dict()["points"][0]


def test_numpy_numbers_are_written_as_numbers() -> None:
    document = {"count": np.int64(3), "share": np.float64(0.5), "list": np.arange(2)}
    assert json.loads(json_file.render(document)) == {"count": 3, "share": 0.5, "list": [0, 1]}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_report_holds_what_is_no_number(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_file.render({"iops": value})


# ---------------------------------------------------------------- CSV


def test_csv_reads_back_to_the_points() -> None:
    shown = result()
    rows = list(csv.DictReader(io.StringIO(csv_file.render(shown).decode())))
    assert len(rows) == len(shown.points)
    for row, want in zip(rows, shown.points, strict=True):
        assert row["load"] == want.load
        assert int(row["outstanding per worker"]) == want.outstanding
        assert float(row["throughput [IO/s]"]) == want.iops.mean
        assert float(row["throughput low [IO/s]"]) == want.iops.low
        assert float(row["throughput [MB/s of 2^20 B]"]) == want.mbps
        assert want.latency_ms["read"] is not None
        assert float(row["read p999 [ms]"]) == want.latency_ms["read"].p999
        assert row["write p999 [ms]"] == ""
        assert float(row["flash waiting [ms]"]) == want.stages["flash"].waiting
        assert row["converged"] == "yes"


def test_csv_has_wear_and_heat_of_all_drives_together() -> None:
    cool = DriveUse(
        "data.0", "ssd", 10.0, Temperature(30, 40, 41, 45), 0.0, {},
        write_amplification=1.5, written_per_day_tb=2.0, drive_writes_per_day=2.5,
        rated_writes_per_day=10.0, cycles_per_year=900.0, years_to_rated=5.0,
        unsafe_mean=100.0, unsafe_peak=200, protected=True,
    )  # fmt: skip
    hot = replace(
        cool, temperature_c=Temperature(50, 60, 71, 80), throttled=0.5, power_w=20.0,
        write_amplification=3.0, rated_writes_per_day=3.0, years_to_rated=None, protected=False,
    )  # fmt: skip
    shown = result(point(1, drives=[cool, hot]), point(2))
    one, none = csv.DictReader(io.StringIO(csv_file.render(shown).decode()))
    temperatures = [
        one[f"temperature {when} [C]"] for when in ("start", "end", "highest", "steady")
    ]
    assert [float(value) for value in temperatures] == [50, 60, 71, 80]
    assert (one["power [W]"], one["written per day [TB]"], one["unsafe peak [B]"]) == (
        "30.0", "4.0", "400",
    )  # fmt: skip
    worst = ("throttled [1]", "write amplification [1]", "rated writes per day [1/day]")
    assert [float(one[name]) for name in worst] == [0.5, 3, 3]
    assert (one["years to rated [years]"], one["protected"]) == ("5.0", "no")
    assert none["power [W]"] == none["temperature highest [C]"] == none["protected"] == ""


def test_csv_leaves_empty_what_was_not_measured() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_file.render(odd_sweeps()).decode())))
    assert rows[0]["write mean [ms]"] == rows[0]["outstanding per worker"] == ""
    assert rows[-1]["limited by"] == rows[-1]["flash served [ms]"] == ""


# ---------------------------------------------------------------- plot


def texts(svg: bytes) -> set[str]:
    root = ET.fromstring(svg.decode())
    return {"".join(e.itertext()).strip() for e in root.iter("{http://www.w3.org/2000/svg}text")}


def test_a_plot_names_title_load_units_and_measured_intensities() -> None:
    shown = texts(plot.render(result(), ".svg"))
    assert "Intel P3700 800 GB, Database" in shown
    assert any(text.startswith("database: 8 KiB") for text in shown)
    assert {"throughput, IO/s", "MB/s (2^20 bytes)", "latency, ms"} <= shown
    assert {"outstanding I/Os per worker", "1", "64", "512"} <= shown
    assert {"read mean", "read p99", "write mean", "write p99"} <= shown


def test_an_open_sweep_is_drawn_against_the_offered_rate() -> None:
    rates = (point(None, rate=rate) for rate in (1e4, 1e5, 2e5))
    assert {"offered load, IO/s", "offered"} <= texts(plot.render(result(*rates), ".svg"))


def test_what_is_offered_is_drawn_of_all_workers() -> None:
    """Four workers of 10,000 IO/s each are offered what they carry, 40,000; it was a quarter."""
    points = [point(None, rate=rate / 4, workers=4, iops=of(rate)) for rate in (1e4, 4e4, 8e4)]
    drawn = result(*points)
    axes = Figure().subplots()
    (curve,) = curves(drawn)
    panels.draw_throughput(axes, curve, panels.LIGHT, "95 %")
    (offered,) = [line for line in axes.get_lines() if line.get_label() == "offered"]
    assert list(offered.get_ydata()) == [one.iops.mean for one in points]
    assert axes.get_xlabel() == "offered load, IO/s of each worker"


def test_what_is_offered_in_bursts_is_drawn_with_their_pauses() -> None:
    """1,000 IO/s in a quarter of the time are 250, which is what comes out."""
    scenario = Scenario.read("p3700-latency-read").with_(
        {
            "load.outstanding": None,
            "load.rate": ["1000 IO/s", "2000 IO/s"],
            "load.burst": {"on": "10 ms", "off": "30 ms"},
        }
    )
    points = [point(None, rate=rate, load=scenario.loads[0].name) for rate in (1000.0, 2000.0)]
    drawn = replace(result(*points), scenario=scenario.resolved())
    (curve,) = curves(drawn)
    assert curve.offered == (250.0, 500.0)
    written = io.StringIO()
    table.print_result(drawn, ReportConsole(written))
    assert "of that rate 25 % are asked for, pauses counted in" in written.getvalue()


def of(rate: float) -> Interval:
    return Interval(rate, rate * 0.99, rate * 1.01)


def test_a_png_is_a_png_without_a_date() -> None:
    data = plot.render(result(), ".png")
    assert data.startswith(b"\x89PNG")
    assert b"Creation" not in data
    assert b"tIME" not in data


# ---------------------------------------------------------------- page


class Outline(HTMLParser):
    """Collects what a page would load from elsewhere, its ids, and whether its tags match."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr"})

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.loads += [given[key] or "" for key in ("src", "href", "xlink:href") if key in given]
        if given.get("id"):
            self.ids.append(given["id"] or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_loads_nothing_and_is_well_formed() -> None:
    page = html.render(odd_sweeps())
    outline = Outline(page)
    assert outline.open == []
    assert all(address.startswith("#") for address in outline.loads)
    assert {address[1:] for address in outline.loads} <= set(outline.ids)
    assert len(outline.ids) == len(set(outline.ids))
    assert b"@import" not in page
    assert not re.search(rb"url\((?!#)", page)


def test_a_page_says_what_was_asked_and_found() -> None:
    page = html.render(result()).decode()
    for text in (
        "Intel P3700 800 GB, Database",
        "fujitsu-rx2540-m1 at 3.5 GHz",
        "183,202",
        "flash 96 %",
        "What limits",
        "Where the time goes",
        "0123456789abcdef",
    ):
        assert text in page


def test_the_scenario_on_a_page_is_toml_that_reads_back() -> None:
    page = html.render(result()).decode()
    found = re.search(r"<pre><code>(.*?)</code></pre>", page, flags=re.DOTALL)
    assert found is not None
    assert tomllib.loads(found.group(1).replace("&#34;", '"')) == SCENARIO


def test_a_page_colours_its_plots_by_its_style_sheet() -> None:
    page = html.render(result()).decode()
    assert "var(--throughput)" in page
    assert not re.search(r"#0[12]0[12]..", page)


def test_text_of_a_scenario_cannot_become_part_of_the_page() -> None:
    scenario = SCENARIO | {"title": "<script>x</script>", "description": "a & <b>"}
    page = html.render(result(point(4, load="<i>&"), scenario=scenario))
    assert b"<script" not in page
    assert b"<i>" not in page
    Outline(page)


# ---------------------------------------------------------------- scenario as TOML

PLAIN = (
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
)
VALUE = st.recursive(
    PLAIN | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.- é"), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abc_-. é\n", min_size=1), VALUE, max_size=5))
def test_any_scenario_reads_back_from_toml(scenario: dict[str, object]) -> None:
    assert tomllib.loads(toml_text.render(scenario)) == scenario


def test_toml_has_no_word_for_none() -> None:
    assert (
        toml_text.render({"seed": 1, "rate": None, "load": [{"a": None}]})
        == "seed = 1\n\n[[load]]\n"
    )

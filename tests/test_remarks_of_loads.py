"""What run and check say of loads that something else answers than one may think."""

from __future__ import annotations

import pytest

from raidsim.observe import of_loads
from raidsim.report.findings import findings
from raidsim.running import run
from raidsim.scenario import Scenario, load_text

DISK = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "seagate-st8000nm000a"
disk_cache = "off"
[[load]]
read = "0 %"
random = "0 %"
size = "4 KiB"
outstanding = 1
fua = true
[measure]
min_ios = 300
max_ios = 600
"""
SSD = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "intel-p3700-800gb"
state = "fresh"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 1
[measure]
min_ios = 300
max_ios = 600
"""
CONTROLLER = '[[controller]]\nmodel = "dell-perc-h730"\n'
ARRAY = DISK.replace("[[volume]]", '[[volume]]\nlevel = "raid1"\ndrives = 2').replace(
    "fua = true", ""
)
CACHE = "survives a power cut, of 128 MiB, assumed by its card"
UNWRITTEN = "data never written to"
HYBRID = """
[[volume]]
name = "back"
drive = "seagate-st8000nm000a"
disk_cache = "off"
[[hybrid]]
front = "data"
back = "back"
[[load]]
volume = "hybrid"
"""


def said(text: str, *overrides: str) -> list[str]:
    checked: Scenario = load_text(text, overrides=overrides)
    return [text for load in checked.loads for text in of_loads.warnings(checked, load)]


def test_durable_writes_that_rest_on_an_assumed_cache_are_said_to() -> None:
    (only,) = said(DISK)
    assert CACHE in only
    assert only.endswith("without it about one write a turn, for each that is outstanding")
    assert any(only in str(one) for one in findings(load_text(DISK)))
    (point,) = run(load_text(DISK)).points
    assert only in point.warnings


def test_of_a_load_of_trims_alone_no_throughput_is_waited_for() -> None:
    (point,) = run(load_text(SSD, overrides=["load.read=0 %", "load.trim=100 %"])).points
    assert point.iops.mean == 0
    assert point.latency_ms["trim"].samples > 0
    assert not point.converged
    (why,) = (text for text in point.warnings if "not converged" in text)
    assert "nothing but trims" in why
    assert not any("warm-up" in text or "raise" in text for text in point.warnings)


@pytest.mark.parametrize(
    "change",
    [
        "load.read=100 %;load.fua=false",
        'volume.disk_cache="on"',
        'volume.drive="seagate-st2400mm0129"',  # whose cache its sheet has
        'volume.set."write_cache.protected_size"="0 KiB"',
        'volume.set."write_cache.protected_size"="8 MiB"',
    ],
)
def test_nothing_is_said_where_no_assumed_cache_answers(change: str) -> None:
    assert said(DISK, *change.split(";")) == []


def test_a_controller_that_writes_back_answers_first() -> None:
    text = CONTROLLER + ARRAY
    assert CACHE in said(text)[0]
    assert said(text, "volume.write=back") == []


def test_random_writes_without_that_cache_wait_for_the_medium() -> None:
    assert "each waits until it is on the medium" in said(DISK, "load.random=100 %")[0]


def test_a_hybrid_whose_front_answers_rests_on_no_cache_of_the_disks_behind() -> None:
    text = SSD.replace("[[load]]\n", HYBRID)
    assert said(text, "load.read=0 %") == []
    assert CACHE in said(text, "load.read=0 %", "hybrid.write=through")[0]


def test_reads_of_a_fresh_drive_are_said_to_take_the_time_of_flash() -> None:
    (only,) = said(SSD)
    assert UNWRITTEN in only
    assert 'state = "filled"' in only
    assert any(only in str(one) for one in findings(load_text(SSD)))
    (point,) = run(load_text(SSD)).points
    assert only in point.warnings


@pytest.mark.parametrize(
    ("changes", "unwritten"),
    [
        (["volume.state=filled"], False),
        (["volume.state=steady"], False),
        (["load.read=0 %"], False),
        (["volume.state=filled", "volume.filled=50 %"], True),
        (["volume.state=filled", "volume.filled=50 %", "load.area.size=300 GiB"], False),
        (["volume.state=steady", "volume.filled=50 %"], True),
        (
            [
                "volume.state=filled",
                "volume.filled=50 %",
                "load.workers=2",
                "load.partitions=true",
            ],
            True,
        ),
        (
            [
                "volume.state=filled",
                "volume.filled=50 %",
                "load.workers=2",
                "load.partitions=true",
                "load.area.size=1 GiB",
            ],
            False,
        ),
        (["volume.state=steady", "volume.filled=50 %", "load.read=70 %"], False),
        (["volume.drive=seagate-st8000nm000a"], False),
    ],
)
def test_only_reads_of_what_was_never_written_are(changes: list[str], unwritten: bool) -> None:
    assert any(UNWRITTEN in one for one in said(SSD, *changes)) is unwritten


def test_a_load_after_one_that_has_written_reads_data() -> None:
    second = SSD.replace("[[load]]", '[[load]]\nname = "reads"\nafter = "writes"', 1)
    first = '[[load]]\nname = "writes"\nread = "0 %"\nsize = "4 KiB"\noutstanding = 1\n'
    text = second.replace("[[load]]", first + "limit = { ios = 9 }\n[[load]]", 1)
    assert said(text) == []

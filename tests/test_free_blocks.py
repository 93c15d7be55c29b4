"""Blocks that a drive has beyond its capacity: how long what is written at random goes there."""

from __future__ import annotations

import pytest
from conftest import compiled_only

from raidsim.assembly import ftl
from raidsim.result import Point
from raidsim.running import run
from raidsim.scenario import load_text

TRUE_SIZE = 2**21
SPARE = 0.25


def written(
    gigabytes: float, *, capacity: str, state: str = "filled", size: str = "64 KiB"
) -> Point:
    """What a drive does while so much is written to it at random, in pieces of this size."""
    text = f"""
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "intel-s3700-800gb"
state = "{state}"
set = {{ "capacity.user" = "{capacity}", "flash.spare" = "{100 * SPARE} %" }}
[[load]]
read = "0 %"
size = "{size}"
outstanding = 16
limit = {{ bytes = "{round(gigabytes * 1e9)} B" }}
[measure]
max_time = "1 h"
"""
    (point,) = run(load_text(text)).points
    return point


def amplification(point: Point) -> float:
    found = point.drives[0].write_amplification
    assert found is not None
    return found


@compiled_only
def test_a_large_drive_that_was_filled_in_sequence_has_its_spare_area_to_write_to() -> None:
    """4 GB are a small part of the 200 GB beside its 800 GB, and nothing is collected."""
    point = written(4, capacity="800 GB")
    assert amplification(point) == pytest.approx(1)
    assert any("collected no garbage yet" in warning for warning in point.warnings)


@compiled_only
@pytest.mark.parametrize("target", [TRUE_SIZE, 2**17])
def test_free_blocks_last_as_long_on_a_map_that_is_scaled_down(
    monkeypatch: pytest.MonkeyPatch, target: int
) -> None:
    monkeypatch.setattr(ftl, "TARGET_UNITS", target)
    assert amplification(written(0.8 * SPARE * 4, capacity="4 GB")) == pytest.approx(1)
    assert amplification(written(1.5 * SPARE * 4, capacity="4 GB")) > 1.1


@compiled_only
@pytest.mark.parametrize("target", [TRUE_SIZE, 2**17])
def test_a_drive_that_collects_does_so_alike_on_a_map_that_is_scaled_down(
    monkeypatch: pytest.MonkeyPatch, target: int
) -> None:
    monkeypatch.setattr(ftl, "TARGET_UNITS", target)
    point = written(1, capacity="4 GB", state="steady", size="4 KiB")
    assert amplification(point) == pytest.approx(2.6, rel=0.1)


@compiled_only
def test_what_is_written_over_in_sequence_leaves_whole_blocks_on_a_map_that_is_scaled_down() -> (
    None
):
    text = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "intel-s3700-800gb"
state = "filled"
[[load]]
read = "0 %"
random = "0 %"
size = "1 MiB"
outstanding = 16
limit = { bytes = "20 GB" }
[measure]
max_time = "1 h"
"""
    (point,) = run(load_text(text)).points
    assert amplification(point) == pytest.approx(1, abs=0.02)

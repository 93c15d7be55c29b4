"""Rebuilds onto drives with an SLC cache: a new one takes in a burst, then what it keeps up."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import compiled_only

from raidsim import cards
from raidsim.result import Point
from raidsim.running import run
from raidsim.scenario import from_data

MODEL = "samsung-970-evo-plus-500gb"
CARD = cards.load(MODEL)
CAPACITY, CACHE = 2e9, 0.7e9  # few enough mapping units for a map that is not scaled down
SETS = {"capacity.user": "2 GB", "slc.size": "100 MB", "slc.dynamic_size": "600 MB"}
AT_ONCE = (
    CARD.number("flash.page") * CARD.number("flash.planes")
    * CARD.number("flash.channels") * CARD.number("flash.dies_per_channel")
    / CARD.number("flash.dies_in_step")
)  # fmt: skip
ERASE = CARD.number("flash.erase_time") / CARD.number("flash.pages_per_block")
BURST = AT_ONCE / CARD.number("slc.program_time")
STEADY = AT_ONCE / (CARD.number("flash.program_time") + ERASE)


def rebuilt(sample: str = "100 %", model: str = MODEL, **volume: Any) -> Point:
    """A mirror of drives that have been full for long; one of them has failed, and is rebuilt."""
    sets = SETS if model == MODEL else {"capacity.user": "2 GB"}
    mirror = {"name": "data", "level": "raid1", "drives": 2, "drive": model, "set": sets}
    data = {
        "host": {"model": "amd-epyc-9654-pair"},
        "volume": [mirror | {"rebuild_sample": sample} | volume],
        "event": [{"kind": "drive-failure", "at": "0 s", "drive": 0},
                  {"kind": "replacement", "at": "1 ms", "drive": 0}],
    }  # fmt: skip
    if volume.get("spares"):
        data["event"].pop()
    (point,) = run(from_data(data)).points
    return point


@compiled_only
@pytest.mark.parametrize("spares", [0, 1], ids=["a replacement", "a hot spare"])
def test_the_whole_cache_of_an_empty_drive_takes_in_the_begin_of_its_rebuild(spares):
    (rebuild,) = rebuilt(spares=spares).course.operations
    closed_form = CACHE / BURST + (CAPACITY - CACHE) / STEADY
    assert rebuild.seconds == pytest.approx(closed_form, rel=0.03)


@compiled_only
def test_a_sample_that_the_cache_takes_in_is_said_to_tell_too_short_a_time():
    said = [one for one in rebuilt("10 %").warnings if "too short" in one]
    assert said == [
        "rebuild of drive 0 of data: its time is too short: of the rows that are simulated 100 %"
        " go into the SLC cache of a new drive, of all rows 35 %: raise volume.rebuild_sample"
    ]
    for whole in (rebuilt(), rebuilt("10 %", "intel-p3700-800gb")):
        assert not [one for one in whole.warnings if "too short" in one]

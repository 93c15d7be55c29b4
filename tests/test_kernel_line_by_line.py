"""What a controller with a cache reads or writes passes its memory and host link line by line."""

from __future__ import annotations

from typing import Any

import pytest
from cached_array import KIB, MIB, cache_of, started
from conftest import compiled_only

from raidsim.control.model import BuiltSystem

LINE = 64 * KIB
SLOW = 20.0
"""ns that a host link takes for a byte: more than memory and drives."""


def asking(op: str, ns: float, volume: dict[str, Any], **load: Any) -> BuiltSystem:
    """Requests of 1 MiB; the host link takes ``ns`` for a byte."""
    words = {"size": "1 MiB", "read": "100 %" if op == "read" else "0 %", "random": "0 %"}
    built = started(words | load, volume=volume)
    built.system.world.controllers["link_ns"] = ns
    return built


def stream_of(built: BuiltSystem) -> Any:
    (streams,) = built.streams.values()
    return built.system.world.streams[streams[0]]


@pytest.mark.parametrize("ns", [0.5, SLOW])
@pytest.mark.parametrize(
    ("op", "volume"),
    [
        ("read", {"io": "cached"}),
        ("read", {"read_ahead": "ahead"}),
        ("read", {"level": "raid5", "strip": "8 KiB", "failed": [1]}),
        ("write", {"write": "back"}),
        ("write", {"write": "through"}),
        ("write", {"write": "back", "level": "raid5", "strip": "8 KiB"}),
    ],
)
def test_a_link_and_the_memory_are_busy_for_all_that_passes_them(
    op: str, volume: dict[str, Any], ns: float
) -> None:
    """They pass on what comes early and count it, and are never busy all at once."""
    built = asking(op, ns, volume, outstanding=4, limit={"ios": 40})
    system = built.system
    system.run(horizon=5 * 10**9)
    assert stream_of(built)["completed"] == 40
    controller = system.world.controllers[0]
    link = controller["to_host" if op == "read" else "to_controller"]
    station = system.world.stations[link]
    assert station["served"] == pytest.approx(40 * MIB * ns)
    for one in system.world.stations[[link, cache_of(built)["copy"]]]:
        assert one["busy_area"] == pytest.approx(one["served"])
        assert one["busy_area"] <= stream_of(built)["last"]


def latency(op: str, ns: float, volume: dict[str, Any]) -> float:
    """Mean ns of requests to the same MiB, one at a time, which the cache holds."""
    built = asking(op, ns, volume, area={"size": "1 MiB"})
    built.system.run(horizon=10**9)
    before = stream_of(built).copy()
    built.system.run(horizon=2 * 10**9)
    after = stream_of(built)
    ios = after["window_ios"].sum() - before["window_ios"].sum()
    assert ios > 10
    return float((after["window_ns"].sum() - before["window_ns"].sum()) / ios)


@pytest.mark.parametrize("ns", [pytest.param(0.1, marks=compiled_only), SLOW])
def test_a_read_that_hits_crosses_the_link_while_it_passes_the_memory(ns: float) -> None:
    """The slower one of the two sets the time, and a line passes the other one before or after."""
    volume = {"io": "cached"}
    memory = MIB * float(cache_of(asking("read", ns, volume))["copy_ns"])
    added = latency("read", ns, volume) - latency("read", 0.0, volume)
    assert added == pytest.approx(max(MIB * ns - memory, LINE * ns), abs=5)

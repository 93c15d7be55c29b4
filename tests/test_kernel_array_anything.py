"""What holds for arrays of every level under any load, with drives that fail at any time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_array import KIB, LEVELS, TOY, SmallArray, scenario

from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED
from raidsim.layout.address import place

EXAMPLES = 2 if INTERPRETED else 40
IOS = 40


@st.composite
def arrays(draw: st.DrawFn) -> dict[str, Any]:
    """Arguments of a SmallArray without its loads."""
    level, drives, options = draw(st.sampled_from(LEVELS))
    words: dict[str, Any] = {key: draw(st.sampled_from(all_of)) for key, all_of in options.items()}
    words["strip"] = draw(st.sampled_from(["8 KiB", "64 KiB"]))
    longest = draw(st.sampled_from(["12 KiB", "1024 KiB"]))
    depth = draw(st.sampled_from([1, 3]))
    words["drive"] = TOY | {"command.max_transfer": longest, "command.queue_depth": depth}
    words["controlled"] = draw(st.booleans())
    words["linked"] = draw(st.booleans())
    if draw(st.booleans()):
        words["host"] = {
            "submit.io_time": "2 us",
            "raid.io_time": "5 us",
            "raid.device_io_time": "2 us",
            "raid.parity_time_per_byte": "0.5 us/KiB",
        }
    return {"level": level, "drives": draw(st.sampled_from(drives)), **words}


LOADS = st.fixed_dictionaries(
    {
        "read": st.sampled_from(["0 %", "50 %", "100 %"]),
        "random": st.sampled_from(["0 %", "60 %", "100 %"]),
        "sizes": st.lists(
            st.fixed_dictionaries(
                {
                    "size": st.integers(1, 400).map(lambda n: f"{n * 512} B"),
                    "share": st.just("100 %"),
                }
            ),
            min_size=1,
            max_size=3,
        ).map(lambda sizes: [s | {"share": f"{100 / len(sizes):.10f} %"} for s in sizes]),
        "align": st.just("512 B"),
        "area": st.sampled_from([{}, {"size": "1 MiB"}]),
        "outstanding": st.sampled_from([1, 4, 16]),
        "timeout": st.sampled_from(["none", "none", "7 ms"]),
    }
)


def check(array: SmallArray) -> None:
    """Requests are neither lost nor made up, wherever a run stops."""
    streams = array.system.world.streams[: array.system.count("streams")]
    over = streams["completed"] + streams["failed"] + streams["timed_out"]
    assert (streams["issued"] == over + streams["in_flight"]).all()
    assert (array.members["in_flight"] >= 0).all()


@settings(max_examples=EXAMPLES, derandomize=True)
@given(arrays(), st.lists(LOADS, min_size=1, max_size=2), st.data())
def test_all_ios_come_back_whatever_fails_within_the_tolerance(
    words: dict[str, Any], loads: list[dict[str, Any]], data: st.DataObject
) -> None:
    drives, level = words.pop("drives"), words.pop("level")
    limited = [load | {"limit": {"ios": IOS}} for load in loads]
    spec = scenario(level, drives, **words).volumes[0]
    order = data.draw(st.permutations(range(drives)), "drives")[: spec.failures_tolerated]
    before = data.draw(st.integers(0, len(order)), "failed before")
    array = SmallArray(level, drives, *limited, failed=list(order[:before]), **words)
    array.begin()
    for step, drive in enumerate(order[before:], 1):
        array.system.run(budget=step * IOS // 3)
        check(array)
        array.fail(drive)
    array.rest()
    array.assert_at_rest()
    streams = array.system.world.streams[: len(loads)]
    assert streams["issued"].tolist() == [IOS] * len(loads)
    assert not streams["failed"].any()
    alive = np.flatnonzero(array.good > 0).tolist()
    assert set(range(drives)) - set(alive) <= set(order), "none is given up that works"


@settings(max_examples=EXAMPLES, derandomize=True)
@given(arrays(), LOADS, st.data())
def test_beyond_the_tolerance_ios_fail_and_the_rest_goes_on(
    words: dict[str, Any], load: dict[str, Any], data: st.DataObject
) -> None:
    drives, level = words.pop("drives"), words.pop("level")
    array = SmallArray(level, drives, load | {"limit": {"ios": 3 * IOS}}, **words)
    array.begin()
    number = data.draw(st.integers(array.spec.volumes[0].failures_tolerated, drives), "how many")
    order = data.draw(st.permutations(range(drives)), "drives")[:number]
    for step, drive in enumerate(order, 1):
        array.system.run(budget=IOS + step * IOS // drives)
        check(array)
        array.fail(drive)
    array.rest()
    array.assert_at_rest()
    stream = array.system.world.streams[0]
    assert stream["issued"] == 3 * IOS
    if number == drives:
        assert stream["failed"] + stream["timed_out"] > 0


@pytest.mark.parametrize(
    ("level", "drives", "lost"),
    [("jbod", 3, 1), ("raid0", 4, 1), ("raid1", 2, 2), ("raid10", 4, 2), ("raid5", 4, 2),
     ("raid6", 5, 3), ("raid50", 6, 2)],
)  # fmt: skip
@pytest.mark.parametrize("op", [t.READ, t.WRITE])
def test_ios_on_what_is_lost_fail_and_no_others(
    op: int, level: str, drives: int, lost: int
) -> None:
    """With the first drives gone, a strip is lost if its drive, or all its copies, are.

    Of parity levels so few drives are left that no lost strip can be computed.
    """
    array = SmallArray(level, drives, failed=list(range(lost)))
    found = set()
    for strip in range(24):
        offset = strip * array.size // 24 // 512 * 512
        copies = {place(array.layout, offset, c)[0] for c in range(array.layout["copies"])}
        done = array.do(op, offset, 512)
        assert (done.status == t.FAILED) == (max(copies) < lost)
        found.add(done.status)
    assert found == ({t.FAILED} if lost == drives else {t.DONE, t.FAILED})
    array.assert_at_rest()


@pytest.mark.parametrize("controlled", [False, True])
@pytest.mark.parametrize(("level", "drives"), [("raid1", 2), ("raid10", 4), ("raid5", 4),
                                               ("raid6", 6), ("raid60", 8)])  # fmt: skip
@pytest.mark.parametrize("op", [t.READ, t.WRITE])
def test_a_drive_that_fails_under_a_request_costs_it_time_and_not_its_data(
    op: int, level: str, drives: int, controlled: bool
) -> None:
    healthy = SmallArray(level, drives, controlled=controlled).do(op, 0, 4 * KIB)
    array = SmallArray(level, drives, controlled=controlled)
    drive, _ = place(array.layout, 0, 0)
    array.fail(drive)
    first = array.do(op, 0, 4 * KIB)
    second = array.do(op, 0, 4 * KIB)
    assert first.status == second.status == t.DONE
    assert first.latency > max(healthy.latency, second.latency), "it had to be planned anew"
    assert np.flatnonzero(array.good == 0).tolist() == [drive]
    array.assert_at_rest()

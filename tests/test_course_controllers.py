"""What runs with events say of controllers and of software RAID: batteries, policies, rebuilds."""

from __future__ import annotations

import pytest

from raidsim.report.controllers import mode_words
from raidsim.running import run
from raidsim.scenario import from_data


@pytest.mark.parametrize(
    ("controller", "later", "takes"),
    [
        (None, 0, (1.05, 1.05)),
        (None, 60, (1.4, 1.05)),
        ("cisco-12g-sas-raid-2gb", 0, (2.9, 2.9)),
    ],
    ids=["at the same time", "one later", "by a controller"],
)
def test_software_raid_fills_two_drives_in_one_pass_and_a_controller_each_by_itself(
    controller, later, takes
):
    """A second drive that comes meanwhile lets all begin anew. Times are in those of one."""

    def seconds(*missing):
        data = {
            "host": {"model": "linux-xeon-e5-pair"},
            "controller": [{"model": controller}] if controller else [],
            "volume": [
                {
                    "level": "raid6",
                    "drives": 5,
                    "drive": "nl-sas-2tb",
                    "failed": list(missing),
                    "set": {"capacity.user": "20 GB"},
                }
            ],
            "event": [
                {"kind": "rebuild", "at": time, "drive": number}
                for number, time in zip(missing, ("0 s", f"{later} s"), strict=False)
            ],
            "measure": {"max_time": "2 h"},
        }
        (point,) = run(from_data(data)).points
        assert not [one for one in point.warnings if "pass" in one]
        return [one.seconds for one in point.course.operations]

    (alone,) = seconds(0)
    assert [each / alone for each in seconds(0, 1)] == pytest.approx(takes, rel=0.1)


def test_a_flush_does_not_write_a_small_area_again_and_again_for_ever():
    """5,000 writes a second stay in the cache; once another volume has been flushed, they do again.

    The flush waits until nothing of the other volume is left, and not until nothing is dirty.
    """
    data = {
        "host": {"model": "fujitsu-rx300-s4"},
        "controller": [{"model": "lsi-megaraid-1078-512"}],
        "volume": [
            {"name": name, "level": level, "drives": drives, "drive": "seagate-st373455ss"}
            | {"write": "back"}
            for name, level, drives in (("data", "raid5", 5), ("other", "raid1", 2))
        ],
        "load": [
            {"name": "hot", "volume": "data", "read": "0 %", "size": "8 KiB", "rate": "5000 IO/s"}
            | {"area": {"size": "20 MiB"}},
            {"name": "reads", "volume": "data", "read": "100 %", "size": "8 KiB"}
            | {"rate": "100 IO/s", "area": {"offset": "10 GiB"}},
            {"name": "o", "volume": "other", "read": "0 %", "size": "8 KiB", "rate": "10 IO/s"}
            | {"area": {"size": "10 MiB"}},
        ],
        "event": [
            {"kind": "policy", "at": "8 s", "volume": "other", "write": "through"},
            {"kind": "policy", "at": "12 s", "volume": "data", "rate": "31 %"},  # a phase begins
        ],
        "measure": {"duration": "20 s"},
    }
    points = {point.load: point for point in run(from_data(data)).points}
    before, _, after = (phase.latency_ms["read"].mean for phase in points["reads"].course.phases)
    assert after == pytest.approx(before, rel=0.1)
    (use,) = points["o"].controllers
    assert {name: (mode.asked, mode.in_effect) for name, mode in use.writes.items()} == {
        "data": ("back", "back"),
        "other": ("through", "through"),
    }


@pytest.mark.parametrize(
    ("lasting", "battery", "in_effect", "words"),
    [
        ({}, "absent", "through", "write-through because its battery is absent"),
        ({"for": "1 s"}, "good", "back", "write-back"),
    ],
    ids=["for good", "for a second"],
)
def test_a_battery_that_fails_in_a_run_is_what_the_cache_is_said_to_lack(
    lasting, battery, in_effect, words
):
    data = {
        "host": {"model": "fujitsu-rx300-s4"},
        "controller": [{"model": "lsi-megaraid-1078-512"}],
        "volume": [
            {"name": "data", "level": "raid1", "drives": 2, "drive": "seagate-st373455ss"}
            | {"write": "back"}
        ],
        "load": [{"read": "50 %", "size": "8 KiB", "outstanding": 4}],
        "event": [{"kind": "battery", "at": "1 s", "state": "absent", **lasting}],
        "measure": {"duration": "3 s"},
    }
    (point,) = run(from_data(data)).points
    (use,) = point.controllers
    assert (use.battery, use.writes["data"].in_effect) == (battery, in_effect)
    assert mode_words(use.writes["data"], use) == words

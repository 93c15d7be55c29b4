"""How long a rebuild takes, on idle drives and under load, where risk is assessed."""

from __future__ import annotations

import pytest
from array_scenarios import array, busy

from raidsim.intervene import operation
from raidsim.risk import rebuild
from raidsim.risk.under_load import DAY, UnderLoad, rebuild_under_load
from raidsim.scenario import load, load_text
from raidsim.system.system import System
from raidsim.units import MIB

DISK = 4_000_787_030_016  # bytes of cisco-hdd-4tb


@pytest.mark.parametrize("level", ["raid5", "raid1", "raid6"])
def test_a_simulated_rebuild_takes_longer_than_the_drive_from_end_to_end(level: str) -> None:
    checked = array(controller={}, level=level, drives=4 if level != "raid1" else 2)
    least = rebuild.least(checked, checked.volumes[0])
    card = checked.volumes[0].card
    tracks = (card.number("geometry.track_outer") + card.number("geometry.track_inner")) / 2
    assert least == pytest.approx(DISK / tracks / card.number("spindle.speed"), rel=1e-3)
    found = rebuild.simulated(checked, checked.volumes[0])
    most = 2 if level == "raid6" else 1.5  # one strip of three is passed over: a choice each time
    assert least < found < most * least


def test_hosts_that_have_work_slow_a_rebuild_down() -> None:
    reads = {"read": "100 %", "size": "8 KiB", "outstanding": [1, 8], "volume": "data"}
    checked = array(reads, controller={}, level="raid5", drives=4, name="data")
    (volume,) = checked.volumes
    idle, one, eight = (
        rebuild.simulated(checked, volume, intensity=point, sample=2**26) for point in (None, 0, 1)
    )
    assert 1.5 * idle < one < eight


def test_a_limit_sets_the_time_of_a_rebuild_however_long_it_rests_between_steps() -> None:
    checked = array(controller={}, level="raid5", drives=4, rebuild_limit="50 kB/s")
    (volume,) = checked.volumes
    rate = 50e3
    assert rebuild.simulated(checked, volume, sample=2**26) == pytest.approx(DISK / rate, rel=0.05)


def test_no_load_makes_a_rebuild_faster_than_its_limit_or_than_idle_drives(monkeypatch) -> None:
    """Of the twenty steps that there is time for, the first one need not wait."""
    for name, number in {"IOS": 500, "LOOK": 50, "WARM": 50}.items():
        monkeypatch.setattr(rebuild, name, number)
    reads = {"read": "100 %", "size": "8 KiB", "rate": "100 IO/s", "volume": "data"}
    more = {"rebuild_limit": "1 MB/s", "rebuild_rate": "100 %", "name": "data"}
    checked = array(reads, controller={}, level="raid5", drives=4, **more)
    (volume,) = checked.volumes
    for least in (0.0, 2 * DISK / 1e6):
        found = rebuild_under_load(checked, volume, least)
        assert found is not None
        assert max(DISK / 1e6, least) * 0.999 < found.seconds < 1.1 * max(DISK / 1e6, least)


def test_the_rate_that_keeps_a_day_under_load_is_the_least_that_does() -> None:
    checked = busy(1, think="10 ms", rebuild_rate="10 %")
    (volume,) = checked.volumes
    found = rebuild_under_load(checked, volume)
    assert found is not None
    assert found.seconds > DAY
    assert found.at_full is not None
    assert found.at_full < DAY
    assert found.enough is not None
    enough, less = (
        rebuild.simulated(checked, volume, intensity=found.point, rate=found.enough * share)
        for share in (1.0, 0.8)
    )
    assert enough <= DAY < less


@pytest.mark.parametrize("size", [1, 64])
def test_a_rebuild_is_timed_over_as_many_bytes_of_large_writes_as_of_small_ones(
    monkeypatch, size: int
) -> None:
    """Some 2,000 MiB, and no 2,000 writes of 64 MiB: they took minutes."""
    for name, number in {"IOS": 1000, "LOOK": 500, "WARM": 500, "WARM_IOS": 1000}.items():
        monkeypatch.setattr(rebuild, name, number)
    moved = []

    def close(system: System) -> None:
        moved.append(int(system.world.streams["window_bytes"].sum()) / MIB)

    monkeypatch.setattr(System, "close", close)
    writes = {"read": "0 %", "size": f"{size} MiB", "outstanding": 1, "volume": "data"}
    checked = array(writes, level="raid5", drives=4, name="data", rebuild_rate="10 %")
    rebuild.simulated(checked, checked.volumes[0], intensity=0)
    warm = 1000
    assert warm + 500 < moved[-1] < warm + 2000 + 2 * rebuild.STEP * size


def test_a_load_may_leave_no_rate_that_keeps_a_day() -> None:
    checked = busy(16)
    found = rebuild_under_load(checked, checked.volumes[0])
    assert found is not None
    assert found.point == 1, "the point with the most outstanding"
    assert found.seconds > DAY
    assert found.at_full is not None
    assert found.at_full > DAY
    assert found.enough is None


def test_what_no_load_disturbs_has_one_time() -> None:
    arriving = {"read": "100 %", "size": "8 KiB", "arrivals": ["1 ms"], "volume": "data"}
    checked = array(arriving, controller={}, level="raid5", drives=4, name="data")
    assert rebuild_under_load(checked, checked.volumes[0]) is None


def test_a_narrow_link_sets_the_time_of_a_rebuild() -> None:
    narrow = {"name": "cable", "speed": "sas-3g", "lanes": 1}
    checked = array(
        controller={}, links=(narrow,), level="raid5", drives=16, behind="cable", name="data"
    )
    wide = array(controller={}, level="raid5", drives=16, name="data")
    slow, quick = (rebuild.least(one, one.volumes[0]) for one in (checked, wide))
    assert slow > 2 * quick
    assert rebuild.simulated(checked, checked.volumes[0]) > slow


def test_what_has_no_redundancy_is_not_rebuilt() -> None:
    checked = array(level="raid0", drives=4)
    assert rebuild.simulated(checked, checked.volumes[0]) == 0
    assert rebuild.least(checked, checked.volumes[0]) == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_beside_one_io_a_second_a_rebuild_takes_what_it_takes_on_idle_drives(seed: int) -> None:
    """However many places a sample has, going from one to the next takes next to no time."""
    checked = load_text(f"""
seed = {seed}
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "data"
level = "raid10"
drives = 4
drive = "cisco-hdd-10tb"
rebuild_rate = "100 %"
[[load]]
read = "70 %"
size = "8 KiB"
rate = "1 IO/s"
""")
    idle = rebuild.simulated(checked, checked.volumes[0])
    under_load = rebuild.simulated(checked, checked.volumes[0], intensity=0)
    assert under_load == pytest.approx(idle, rel=0.05)
    assert idle < 1.15 * rebuild.least(checked, checked.volumes[0])


def test_a_rebuild_under_load_takes_what_one_takes_that_is_followed_to_its_end() -> None:
    """22 hours were found of a tenth of the rows, in a run with the rebuild as an event."""
    checked = load("raid5-disks", overrides=["load.outstanding=[32]"])
    found = rebuild_under_load(checked, checked.volumes[0])
    assert found is not None
    assert found.seconds / 3600 == pytest.approx(21.9, rel=0.1)


def test_a_fast_load_on_other_drives_makes_no_rebuild_shorter(monkeypatch) -> None:
    """It does 200,000 I/Os in the first second, before the array has destaged anything."""
    monkeypatch.setattr(rebuild, "IOS", 30_000)
    checked = load_text("""
seed = 5
[host]
model = "linux-xeon-e5-pair"
[[controller]]
model = "broadcom-megaraid-9670w-16i"
[[volume]]
name = "disks"
level = "raid50"
drives = 9
spans = 3
drive = "toshiba-mg10aca20te"
strip = "1 MiB"
write = "back"
[[volume]]
name = "flash"
level = "raid6"
drives = 8
drive = "samsung-pm9a3-7680gb"
write = "through"
[[load]]
volume = "disks"
read = "0 %"
size = "4 KiB"
rate = "500 IO/s"
[[load]]
name = "fast"
volume = "flash"
read = "70 %"
size = "16 KiB"
outstanding = 16
workers = 4
""")
    volume = checked.volumes[0]
    without = checked.model_copy(update={"loads": checked.loads[:1]})
    idle = rebuild.simulated(checked, volume)
    alone, both = (rebuild.simulated(one, volume, intensity=0) for one in (without, checked))
    assert 2 * idle < alone <= both < 2 * alone


def bursts(rate: int, on: int, off: int) -> UnderLoad:
    """A rebuild beside bursts of a RAID 5 that does some 1,000 I/Os a second meanwhile."""
    checked = load_text(f"""
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "data"
level = "raid5"
drives = 5
drive = "cisco-hdd-600gb-15k"
[[load]]
read = "70 %"
size = "8 KiB"
rate = "{rate} IO/s"
burst.on = "{on} s"
burst.off = "{off} s"
""")
    found = rebuild_under_load(checked, checked.volumes[0])
    assert found is not None
    return found


def test_a_rebuild_beside_bursts_is_not_told_from_the_pause_between_two_of_them() -> None:
    """Of each 15 s the array is busy for some ten."""
    undisturbed = bursts(1, 5, 10).seconds
    assert 2 * undisturbed < bursts(2000, 5, 10).seconds < 10 * undisturbed


@pytest.mark.parametrize(("ios", "samples"), [(rebuild.IOS, 2), (2 * rebuild.IOS, 1)])
def test_a_sample_outlasts_the_destages_only_if_that_takes_no_end_of_ios(
    monkeypatch, ios: int, samples: int
) -> None:
    """Destages that come by once in many I/Os took a rebuild millions of them to outlast."""
    allowed = []

    def of_a_sample(scenario, volume, intensity, how, rows, most) -> rebuild._Sample:
        allowed.append(most)
        took = 100.0 * len(allowed)
        done = operation.Progress(10, 10, 10, 0, 0, 0, False, False, took)
        return rebuild._Sample(done, 10 / took, ios, 100.0 / 5 ** (len(allowed) - 1), False)

    monkeypatch.setattr(rebuild, "_of_a_sample", of_a_sample)
    reads = {"read": "100 %", "size": "8 KiB", "outstanding": 8, "volume": "data"}
    checked = array(reads, controller={}, level="raid5", drives=4, name="data")
    rebuild.simulated(checked, checked.volumes[0], intensity=0)
    assert len(allowed) == samples
    assert max(allowed) <= rebuild.OUTLASTING_IOS


def test_what_a_tier_moves_counts_as_ios_of_as_many_bytes(monkeypatch) -> None:
    """Moves of 8 MiB for reads of 8 KiB made a simulation of a rebuild take many minutes."""
    for name, number in {"IOS": 1000, "LOOK": 500, "WARM": 500, "WARM_IOS": 1000}.items():
        monkeypatch.setattr(rebuild, name, number)
    ended = []
    monkeypatch.setattr(
        System,
        "close",
        lambda system: ended.append(
            (int(system.state["completed"]), int(system.world.hybrids["promoted"].sum()) // MIB)
        ),
    )
    tier = load_text(TIER)
    rebuild.simulated(tier, tier.volume("disks"), intensity=0)
    completed, moved = ended[0]
    counted = 1_000 + 2_000  # before the rebuild, and beside it
    assert completed < 0.5 * counted
    assert moved == pytest.approx(counted, rel=0.1)


TIER = """
[host]
model = "intel-xeon-8380-pair"
[[volume]]
name = "disks"
level = "raid6"
drives = 6
drive = "seagate-st18000nm004j"
[[volume]]
name = "flash"
level = "raid1"
drives = 2
drive = "samsung-pm9a3-3840gb"
[[hybrid]]
name = "tier"
front = "flash"
back = "disks"
mode = "tier"
block = "8 MiB"
promote = "first"
[[load]]
volume = "tier"
read = "70 %"
size = "8 KiB"
outstanding = 32
"""

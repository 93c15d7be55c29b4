"""What the platters of disks settle, whatever else models leave out of them."""

from __future__ import annotations

import pytest

import raidsim
from raidsim import Scenario, cards, units
from raidsim.report import unknowns as words
from raidsim.result.draws import PointUnknowns
from raidsim.studies import unknown
from raidsim.unknowns import spread
from raidsim.unknowns.links import most_carried
from raidsim.unknowns.platters import half_turn

DISK = "seagate-st16000nm001g"
"""7,200 rpm, 261 MB/s at the outer edge; compared with no measurement."""

ONE = (
    f'[host]\nmodel = "linux-xeon-e5-pair"\n[[volume]]\ndrive = "{DISK}"\n'
    '[[load]]\nread = "100 %"\nsize = "4 KiB"\noutstanding = 1\n'
    '[measure]\nmin_ios = 1000\nprecision = "5 %"\n'
)
STREAM = {"load.random": "0 %", "load.size": "1 MiB", "load.outstanding": 4}


def drawn(changes: dict[str, object]) -> PointUnknowns:
    scenario = Scenario.from_text(ONE).with_(changes)
    found = unknown.with_unknowns(raidsim.run(scenario), scenario, 10, workers=1).unknowns
    assert found is not None
    return found.points[0]


def test_no_interval_lets_a_disk_read_faster_than_its_longest_track_passes_the_head() -> None:
    card = cards.load(DISK)
    passing = card.number("geometry.track_outer") * card.number("spindle.speed")
    point = drawn(STREAM)
    speed, mean = words.named(point, "mbps"), words.named(point, "read latency")
    assert speed.value < speed.high == pytest.approx(passing / units.MIB, rel=0.01)
    assert mean.low == pytest.approx(4e3 / speed.high, rel=0.02)  # Little's law
    # Below, models of a disk that nobody compared may leave out as much as ever.
    assert speed.low < speed.value / (1 + spread.UNCOMPARED)


def test_models_leave_out_nothing_of_the_half_turn_that_a_single_read_waits() -> None:
    point = drawn({})
    mean, rate = words.named(point, "read latency"), words.named(point, "iops")
    turn = 1e3 * 60 / 7200 / 2
    as_fast = (mean.value - turn) / (1 + spread.UNCOMPARED) ** spread.NORMAL_90
    assert turn + 0.8 * as_fast < mean.low <= turn + 1.05 * as_fast
    assert mean.low * rate.high == pytest.approx(1e3, rel=0.03)
    assert mean.high > 1.5 * mean.value  # some take longer than simulated


def test_a_rate_of_reads_and_cached_writes_keeps_to_the_half_turns_of_its_reads() -> None:
    """One I/O at a time: the rate is one over the mean time (Little's law)."""
    point = drawn({"load.read": "70 %"})
    rate, read, write = (words.named(point, n) for n in ("iops", "read latency", "write latency"))
    assert rate.high <= 1.1e3 / (0.7 * read.low + 0.3 * write.low)
    assert rate.high > rate.value


def test_a_read_that_is_settled_by_no_half_turn_has_no_floor_of_one() -> None:
    one = Scenario.from_text(ONE)
    turn = pytest.approx(1 / 240, rel=1e-4)
    assert half_turn(one) == turn
    assert half_turn(one.with_({"load.read": "70 %"})) == turn
    assert half_turn(one.with_({"load.random": "50 %"})) is None  # streams need not turn
    assert half_turn(one.with_({"load.area": {"size": "1 GiB"}})) is None  # its buffer has some
    assert half_turn(one.with_({"load.zipf": 1.2})) is None
    assert half_turn(one.with_({"volume.drive": "samsung-pm9a3-3840gb"})) is None


def test_a_cache_of_some_gib_answers_hardly_a_read_of_many_tib() -> None:
    behind = '[[controller]]\nmodel = "dell-perc-h740p"\n'
    array = {"volume.level": "raid6", "volume.drives": 8, "volume.write": "back"}
    one = Scenario.from_text(ONE + behind).with_(array)
    assert half_turn(one) == pytest.approx(1 / 240, rel=2e-3)
    assert half_turn(one.with_({"load.area": {"size": "64 GiB"}})) is None


def test_platters_limit_a_stream_only_if_no_buffer_may_have_its_data() -> None:
    alone = Scenario.from_text(ONE).with_(STREAM)
    found = most_carried(alone)
    assert found is not None
    assert found < 300e6
    for other in ({"load.workers": 4}, {"load.area": {"size": "128 MiB"}}):
        over_the_link = most_carried(alone.with_(other))
        assert over_the_link is not None
        assert over_the_link > 500e6
    # Another load on the disk may have read the same data just before.
    other = '[[load]]\nname = "other"\nread = "100 %"\nsize = "1 MiB"\noutstanding = 4\n'
    both = Scenario.from_text(f'{ONE}{other}random = "0 %"\n')
    both = both.with_({key.replace("load", "load[0]"): value for key, value in STREAM.items()})
    for load in both.loads:
        over_the_link = most_carried(both, load.name)
        assert over_the_link is not None
        assert over_the_link > 500e6
    # The arm does not read and write at the same time, whatever its link does.
    assert most_carried(alone.with_({"load.read": "50 %"})) == found

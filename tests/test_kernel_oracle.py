"""The compiled kernel and the plain SimPy model agree on every request, to the nanosecond.

Networks are drawn at random: stations with several servers, three orders of service and
turnaround; open and closed classes; forks and joins; patience. Times are drawn so long that no two
events coincide, for then the order of events is a matter of definition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import oracle
import pytest
from conftest import INTERPRETED
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks import stations as built
from raidsim.intervene.window import settle_areas
from raidsim.kernel import tables as t

ORDERS = {t.FIFO: oracle.FIFO, t.LIFO: oracle.LIFO, t.PRIORITY: oracle.PRIORITY}
TIME = 2**33  # ns, mean service: some 8.6 s
REQUESTS = 60


@dataclass(frozen=True)
class StationSpec:
    servers: int = 1
    order: int = t.FIFO
    turnaround: int = 0  # ns


@dataclass(frozen=True)
class ClassSpec:
    route: tuple[tuple[int, int], ...]  # (first station, branches) of each step
    population: int = 0  # 0: open
    think: int = 0
    gap: int = TIME  # mean time between arrivals of an open class
    priority: int = 0
    direction: int = t.READ
    patience: int | None = None


@dataclass(frozen=True)
class NetworkSpec:
    stations: tuple[StationSpec, ...]
    classes: tuple[ClassSpec, ...]
    seed: int


@st.composite
def networks(draw):
    stations = draw(
        st.lists(
            st.builds(
                StationSpec,
                servers=st.integers(1, 3),
                order=st.sampled_from(sorted(ORDERS)),
                turnaround=st.sampled_from([0, TIME // 3 + 1]),
            ),
            min_size=1,
            max_size=4,
        )
    )

    @st.composite
    def step(draw):
        first = draw(st.integers(0, len(stations) - 1))
        return first, draw(st.integers(1, len(stations) - first))

    common = {
        "route": st.lists(step(), min_size=1, max_size=4).map(tuple),
        "priority": st.integers(0, 3),
        "direction": st.sampled_from([t.READ, t.WRITE]),
    }
    # Patience of an odd number of ns: it can't tie with what is drawn but by chance.
    open_class = st.builds(
        ClassSpec,
        gap=st.sampled_from([TIME // 2, 2 * TIME, 8 * TIME]),
        patience=st.sampled_from([None, None, 2 * TIME + 7, 10 * TIME + 7]),
        **common,
    )
    closed_class = st.builds(
        ClassSpec,
        population=st.integers(1, 6),
        think=st.sampled_from([0, TIME + 11]),
        **common,
    )
    classes = draw(st.lists(open_class | closed_class, min_size=1, max_size=3))
    return NetworkSpec(tuple(stations), tuple(classes), draw(st.integers(0, 2**32 - 1)))


def run_both(spec):
    """Return the outcomes of both models and the models themselves."""
    rng = np.random.default_rng(spec.seed)
    plain = oracle.OracleNetwork()
    net = built.Network(seed=1)
    for s in spec.stations:
        plain.station(s.servers, ORDERS[s.order], s.turnaround)
        net.station("station", s.servers, s.order, s.turnaround / 1e9)

    wanted = sum(REQUESTS for c in spec.classes if not c.population)
    if any(c.population for c in spec.classes):
        wanted = REQUESTS
    for number, c in enumerate(spec.classes):
        name = f"class {number}"
        steps, plain_steps = [], []
        for first, branches in c.route:
            length = (wanted + c.population + 1) * branches
            times = 1 + rng.exponential(TIME, length).astype(np.int64)
            stations = tuple(plain.stations[first : first + branches])
            plain_steps.append(oracle.Fork(stations, times.tolist()))
            steps.append(built.given(first, (times / 1e9).tolist(), branches))
        share = 1.0 if c.direction == t.READ else 0.0
        if c.population:
            plain.closed(name, c.population, plain_steps, c.think, c.priority, c.direction)
            net.closed(
                name, c.population, steps, c.think / 1e9, False, c.priority, read_share=share
            )
        else:
            arrivals = np.cumsum(1 + rng.exponential(c.gap, REQUESTS).astype(np.int64))
            plain.open(name, arrivals.tolist(), plain_steps, c.priority, c.direction, c.patience)
            patience = None if c.patience is None else c.patience / 1e9
            net.arrivals(name, (arrivals / 1e9).tolist(), steps, c.priority, patience, share)
    expected = plain.run(wanted)
    return expected, observe(net, wanted), plain, net


def observe(net, wanted):
    """Run the kernel one request at a time: what was through, when, after how long."""
    seen = []
    before = dict.fromkeys(net.classes, (0, 0, 0))
    for through in range(1, wanted + 1):
        net.run(ios=through)
        for name in net.classes:
            row = net.stream(name)
            after = (int(row["completed"]), int(row["timed_out"]), int(row["window_ns"].sum()))
            if after[0] > before[name][0]:
                came = net.system.now - (after[2] - before[name][2])
                seen.append(oracle.Outcome(name, came, net.system.now, "done"))
            elif after[1] > before[name][1]:
                came = net.system.now - int(row["timeout"])
                seen.append(oracle.Outcome(name, came, net.system.now, "timed out"))
            before[name] = after
    return seen


def has_ties(plain):
    instants = plain.instants()
    return len(set(instants)) < len(instants)


def assert_agreement(expected, seen, plain, net):
    assert seen == expected
    end = expected[-1].ended
    settle_areas(net.system)
    for number, station in enumerate(plain.stations):
        row = net.system.world.stations[number]
        assert row["queue_area"] == station.area_waiting(end)
        assert row["busy_area"] == station.area_serving(end)
        assert row["finishes"] == sum(s.left is not None and s.left <= end for s in station.stays)


@settings(max_examples=10 if INTERPRETED else 100)
@given(networks())
def test_every_request_of_a_random_network_ends_at_the_same_nanosecond(spec):
    both = run_both(spec)
    assume(not has_ties(both[2]))
    assert_agreement(*both)


def agree(spec):
    both = run_both(spec)
    assert not has_ties(both[2]), "choose another seed"
    assert_agreement(*both)
    return both[0]


TWO = (StationSpec(), StationSpec(servers=2))


@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("servers", [1, 3])
def test_every_order_of_service_gives_the_times_of_the_plain_model(order, servers):
    classes = tuple(
        ClassSpec(route=((0, 1),), gap=TIME * 3 // servers, priority=p) for p in (2, 0, 1)
    )
    agree(NetworkSpec((StationSpec(servers, order),), classes, seed=17))


def test_of_two_loads_that_start_together_the_more_urgent_comes_first():
    load = {"route": ((0, 1),), "population": 2}
    classes = (ClassSpec(**load, priority=1), ClassSpec(**load, priority=0))
    assert [o.name for o in agree(NetworkSpec((StationSpec(),), classes, seed=5))[:2]] == [
        "class 1",
        "class 1",
    ]


def test_a_half_duplex_link_pays_for_every_change_of_direction():
    link = StationSpec(turnaround=TIME // 10)
    classes = tuple(
        ClassSpec(route=((0, 1),), gap=3 * TIME, direction=d) for d in (t.READ, t.WRITE)
    )
    agree(NetworkSpec((link,), classes, seed=18))


def test_a_stripe_read_waits_for_its_slowest_drive():
    drives = tuple(StationSpec() for _ in range(4))
    stripes = ClassSpec(route=((0, 4),), gap=2 * TIME)
    single = ClassSpec(route=((1, 1),), population=2, think=TIME + 11)
    agree(NetworkSpec(drives, (stripes, single), seed=19))


def test_a_read_modify_write_reads_twice_then_writes_twice():
    drives = tuple(StationSpec() for _ in range(2))
    small_write = ClassSpec(route=((0, 2), (0, 2)), population=3)
    agree(NetworkSpec(drives, (small_write,), seed=20))


def test_a_closed_load_through_cpu_and_disks():
    classes = (ClassSpec(route=((0, 1), (1, 1), (0, 1)), population=6),)
    agree(NetworkSpec(TWO, classes, seed=21))


def test_impatient_requests_time_out_and_their_work_goes_on():
    spec = NetworkSpec(TWO, (ClassSpec(((0, 1), (1, 1)), gap=TIME, patience=3 * TIME + 7),), 22)
    assert {o.status for o in agree(spec)} == {"done", "timed out"}

"""Two clocks, one time: SimPy's float seconds and the kernel's whole nanoseconds."""

import math

import pytest
import simpy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from simpy_models import GIB, KIB, computer, in_turn, reads

from raidsim.control import Environment, InputError
from raidsim.control.clock import END, duration, last_before, to_ns, to_seconds
from raidsim.kernel.tables import NEVER

EXACT = 2**23 * 10**9  # ns, 97 days; further on, floats lie more than a ns apart
times = st.floats(0, END, exclude_max=True, allow_nan=False)
soon = st.floats(0, 0.003)
later = st.floats(1e-10, 0.003)


# ---- one conversion


@given(st.integers(0, EXACT))
@example(EXACT)
@example(EXACT - 1)
def test_a_time_of_the_kernel_comes_back_as_the_same_ns(ns):
    assert to_ns(to_seconds(ns)) == ns


@given(times)
@example(0.0)
@example(math.nextafter(END, 0))
def test_a_time_of_simpy_becomes_the_first_ns_that_is_not_before_it(seconds):
    ns = to_ns(seconds)
    assert to_seconds(ns) >= seconds
    assert ns == 0 or to_seconds(ns - 1) < seconds
    assert last_before(seconds) == ns - 1


@given(times, times)
def test_conversion_keeps_the_order_of_times(a, b):
    a, b = sorted((a, b))
    assert to_ns(a) <= to_ns(b)
    assert to_seconds(to_ns(a)) <= to_seconds(to_ns(b)) or a == b


def test_the_last_ns_before_a_horizon_is_before_it_also_where_rounding_down_is_not():
    horizons = [n * 1e-6 / 7 for n in range(1, 20_000)]
    late = [h for h in horizons if math.floor(h * 1e9) / 1e9 > h]
    assert len(late) > 20
    assert all(to_seconds(last_before(h)) < h <= to_seconds(to_ns(h)) for h in horizons)


def test_beyond_the_kernels_clock_there_is_no_event_and_no_io():
    assert last_before(math.inf) == last_before(1e300) == last_before(END) == NEVER
    with pytest.raises(InputError, match="beyond what the kernel's clock can count"):
        to_ns(END)


def test_a_patience_is_at_least_a_tick_and_may_be_for_ever():
    assert (duration(1e-12), duration(1.4e-9), duration(0.25)) == (1, 1, 250_000_000)
    assert duration(1e300) == NEVER


# ---- one time


class Watched(Environment):
    """Checks after every step that neither clock has stepped back or passed the other."""

    def step(self):
        before, kernel_before, next_event = self.now, self.system.now, self.peek()
        super().step()
        assert before <= self.now <= next_event
        assert kernel_before <= self.system.now
        assert to_seconds(self.system.now) <= to_seconds(to_ns(self.now))


loads = st.lists(
    st.one_of(
        st.fixed_dictionaries({"outstanding": st.integers(1, 8), "read": st.just("70 %")}),
        st.fixed_dictionaries({"outstanding": st.just(2), "think": st.just("37 us")}),
        st.fixed_dictionaries({"outstanding": st.none(), "rate": st.just("20000 IO/s")}),
    ),
    max_size=2,
)


def start(data, keys):
    given = {k: v for k, v in reads(**keys).keys.items() if v is not None}
    return data.start(type(reads())(**given))


@settings(max_examples=40)
@given(loads, st.lists(soon, min_size=1, max_size=8), st.floats(0, 1e4))
def test_the_clock_never_steps_back_and_the_kernel_never_passes_the_next_event(kinds, waits, begin):
    env, data = computer(environment=Watched, initial_time=begin)
    for keys in kinds:
        start(data, keys)

    def process(env, wait):
        called = env.now
        yield env.timeout(wait)
        assert env.now == called + wait
        done = yield data.read(GIB, 8 * KIB)
        assert called + wait <= done.issued <= env.now == done.completed
        yield env.timeout(wait) | data.write(GIB, 8 * KIB, timeout=1e-4)
        assert data.iops > 0

    env.run(until=env.all_of([env.process(process(env, wait)) for wait in waits]))


@settings(max_examples=60)
@given(st.lists(later, min_size=1, max_size=10))
@example([0.003 / 7] * 9)
def test_run_to_a_time_ends_where_simpy_ends(steps):
    env, data = computer(environment=Watched)
    plain = simpy.Environment()
    data.start(reads(outstanding=4))
    for step in steps:
        horizon = env.now + step
        env.run(until=horizon)
        plain.run(until=horizon)
        assert env.now == plain.now
        assert data.iops >= 0  # brings the kernel's clock here
        assert env.system.now == to_ns(env.now)


def test_many_horizons_in_turn_do_not_change_what_happens():
    def issued(horizons):
        env, data = computer(environment=Watched)
        load = data.start(reads(read="70 %"))
        for horizon in horizons:
            env.run(until=horizon)
        return load.counts, load.latency("read"), load.latency("write")

    assert issued([0.01]) == issued([n * 0.01 / 700 for n in range(1, 700)] + [0.01])


def test_at_equal_times_simpy_goes_first():
    _, data = computer()
    (known,) = in_turn(data, ("read", GIB, 8 * KIB))
    env, data = computer()
    order = []

    def reader(env):
        first = yield data.read(GIB, 8 * KIB) | env.timeout(known.latency, "timeout")
        order.append(list(first.values()))

    env.process(reader(env))
    env.run()
    assert order == [["timeout"]]
    assert env.now == known.completed
    assert data.counts.completed == 1


def test_a_change_made_at_a_time_holds_for_what_the_kernel_does_at_that_time():
    _, data = computer()
    (known,) = in_turn(data, ("read", GIB, 8 * KIB))
    decoded = known.latency / 2  # long before the end, but after the drive has the command
    env, data = computer()
    env.process(fail_at(env, data, decoded))
    assert env.run(until=data.read(GIB, 8 * KIB)).ok
    env, data = computer()
    env.process(fail_at(env, data, 0.0))
    assert not env.run(until=data.read(GIB, 8 * KIB)).ok


def fail_at(env, data, time):
    yield env.timeout(time)
    data.fail()


def test_a_model_of_years_with_storage_in_it_keeps_its_time():
    year = 365.25 * 86400
    env, data = computer(environment=Watched)
    seen = []

    def process(env):
        for _ in range(30):
            yield env.timeout(year)
            load = data.start(reads(limit={"ios": 100}))
            yield load
            done = yield data.read(GIB, 8 * KIB)
            seen.append(done.latency)

    env.run(until=env.process(process(env)))
    assert env.now == pytest.approx(30 * year)
    assert len(set(seen)) == 1


def test_an_event_at_infinity_is_no_end():
    env, data = computer()
    data.start(reads(limit={"ios": 10}))
    env.timeout(math.inf)
    env.run()
    assert env.now == math.inf
    assert data.counts.completed == 10


def test_no_event_of_the_model_is_missed_while_loads_run():
    env, data = computer()
    data.start(reads())
    ticks = []

    def ticker(env):
        for _ in range(1000):
            yield env.timeout(1e-6)
            ticks.append(env.now)

    env.run(until=env.process(ticker(env)))
    assert len(ticks) == 1000
    assert ticks == sorted(ticks)
    assert data.counts.completed > 100

"""What helpers in Python refuse, in words: each names the argument that is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from simpy_models import computer

from raidsim import InputError, Scenario

WRONG = ["x", None, math.nan, math.inf, [], object(), b"a"]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: type(value).__name__)
def test_helpers_of_an_environment_and_its_volumes_name_what_is_wrong(wrong: Any) -> None:
    env, data = computer()
    calls: list[tuple[Any, str]] = [
        (env.advance, "Environment.advance(): until: "),
        (env.take_one, "Environment.take_one(): until: "),
        (env.let_stand_in, "Environment.let_stand_in(): air: "),
        (data.begin, "data.begin(): spec: "),
        (data.make_room, "data.make_room(): length: "),
    ]
    if wrong is not None:
        calls.append((data.obstacle_to, "data.obstacle_to(): drive: "))
    for call, words in calls:
        with pytest.raises(InputError) as refused:
            call(wrong)
        assert str(refused.value).startswith(words)
    if not (isinstance(wrong, float) and math.isinf(wrong)):
        with pytest.raises(InputError, match="delay: "):
            env.schedule(env.event(), delay=wrong)


def test_a_time_that_has_passed_is_refused() -> None:
    env, _ = computer()
    env.run(until=2)
    for past in (-1, 1, 2):
        with pytest.raises(InputError, match=r"until: .* is not after the present time, 2 s"):
            env.run(until=past)


def test_a_scenario_names_its_volumes_and_its_loads() -> None:
    disk = Scenario.read("p3700-database")
    with pytest.raises(InputError, match=r'name: no volume is called "x"; there are data'):
        disk.volume("x")
    (load,) = disk.loads
    assert disk.at(load, 4).loads[0].outstanding == (4,)
    for other in (*WRONG, load.model_copy()):
        with pytest.raises(InputError, match=r"Scenario.at\(\): searched: .* none of its loads"):
            disk.at(other, 4)
    for value in (*WRONG, 0, -1, 1.5, True):
        with pytest.raises(InputError, match=r"Scenario.at\(\): value: .* not a number of I/Os"):
            disk.at(load, value)


def test_a_number_of_numpy_lacks_a_unit_as_any_other_number_does():
    """A sweep over np.linspace gives such rates; they are numbers."""
    closed = Scenario.read("p3700-database")
    for rate in (np.float64(1000), 1000.0):
        with pytest.raises(InputError, match=r'1000.0 has no unit; .* "1000 IO/s"'):
            closed.with_({"load.outstanding": None, "load.rate": rate})

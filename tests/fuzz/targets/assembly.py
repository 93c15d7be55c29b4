"""Scenarios that can be read: what ``check`` says of them, the system built, and its first I/Os.

Up to a dozen keys of a scenario get values at the ends of what is allowed, as long as it can be
read. Then its findings are looked for, and its system is assembled, with events as a SimPy model,
with machines that boot; it warms up for 2 ms, and is measured for a few hundred I/Os or 2 ms more.
What must hold: that is done, or there are messages; nothing runs into a number that is too large,
into a division by zero, or for ever.
"""

from __future__ import annotations

import contextlib
import random
from typing import Any

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.report.findings import findings
from raidsim.running import run_point
from raidsim.scenario import Scenario
from raidsim.system import memory
from tests.fuzz import Fault, bases, complaints, mistakes
from tests.fuzz.targets import operations

NAME = "any.toml"
IOS = 300
SECONDS = 2e-3
MOST = 2**30  # bytes of tables: less than an attempt may take


def prepare() -> None:
    """Read what is shipped, and compile all of the kernel; maps of flash drives are small."""
    bases.keep_cards()
    operations.prepare()
    memory.most = lambda: MOST


def attempt(random: random.Random) -> None:
    """Change a scenario, and assemble it."""
    run(planned(random))


def planned(random: random.Random) -> list[int]:
    """Seeds of the scenario and of each change, so that any of these may be left out."""
    count = random.choice([0, 1, 2, 3, 6, 12])
    return [random.randrange(2**32) for _ in range(1 + count)]


def run(seeds: list[int]) -> None:
    """Do all that these seeds stand for."""
    data = bases.scenario(random.Random(seeds[0]))
    found = readable(data)
    for seed in seeds[1:]:
        changed = mistakes.copied(data)
        mistakes.allowed(random.Random(seed), changed)
        bases.soon(random.Random(seed), changed)
        if (better := readable(changed)) is not None:
            data, found = changed, better
    if found is None:
        return
    try:
        assembled(found)
    except InputError as error:
        complaints.check(error, NAME)
    except Exception as error:
        error.add_note(mistakes.text_of(data))
        raise


def readable(data: dict[str, Any]) -> Scenario | None:
    """The scenario, if it can be read."""
    with contextlib.suppress(InputError):
        return scenario.from_data(data, NAME)
    return None


def assembled(found: Scenario) -> None:
    """What is said of a scenario, and the first I/Os of its system."""
    for one in findings(found):
        if not str(one).isprintable() or not one.what:
            raise Fault(f"a finding that cannot be printed: {str(one)[:200]!r}")
    tiny: dict[str, Any] = {"max_time": SECONDS, "min_ios": 1, "max_ios": IOS}
    if found.measure.duration is not None:
        tiny["duration"] = SECONDS
    measure = found.measure.model_copy(update=tiny)
    run_point(found.model_copy(update={"measure": measure}), 0)

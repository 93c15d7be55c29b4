"""Sequences of operations on an environment: in any order, twice, during each other.

Builds hosts, controllers, links, volumes and hybrids at random, and does up to forty things to
them: single I/Os and loads, drives and controllers and links that fail and are mended, rebuilds
and checks that are paused, resumed and stopped, power cuts, batteries, trims, speeds, hot air, with
waits of 0 ns, 1 ns or longer between. What must hold: nothing but an InputError is raised; no clock
runs backwards; every account balances; once the power is on and all is mended, every I/O is
back, every operation has ended, nothing is held and nobody waits; and what has all its data can
then be rebuilt, gone through, written and read.
"""

from __future__ import annotations

import random

import raidsim.assembly.ftl
from raidsim import Environment, Host, Load, Volume
from raidsim.errors import InputError
from tests.fuzz import actions, holds
from tests.fuzz.model import made


def prepare() -> None:
    """Compile all of the kernel; maps of solid state drives are small."""
    raidsim.assembly.ftl.TARGET_UNITS = 2**12
    env = Environment(seed=1)
    host = Host(env, "fujitsu-rx300-s4")
    for state in ("filled", "steady"):
        words = {"level": "raid1", "drives": 2, "state": state, "rebuild_sample": "0.001 %"}
        data = Volume(env, "intel-p3700-800gb", host, **words)
        running = data.start(Load(read="50 %", size="4 KiB", outstanding=1))
        going = data.initialise()
        data.write(0, 4096)
        env.run(until=env.now + 1e-5)
        going.pause()
        going.resume()
        going.stop()
        running.stop()
        data.set_air("50 C")
        data.set_speed("link", 2.0)
        env.cut_power()
        env.restore_power()
        env.run(until=env.now + 1.0)
        assert data.drives


def attempt(random: random.Random) -> None:
    """One model, and one sequence of operations on it."""
    run(planned(random))


def planned(random: random.Random) -> list[int]:
    """Seeds of the model and of each operation, so that any of these may be left out."""
    count = random.choice([3, 10, 20, 40])
    return [random.randrange(2**32) for _ in range(1 + count)]


def run(seeds: list[int]) -> None:
    """Do all that these seeds stand for, and look whether what must hold does."""
    model = made(random.Random(seeds[0]))
    try:
        for seed in seeds[1:]:
            model.random = random.Random(seed)
            try:
                actions.drawn(model)(model)
            except InputError:
                model.diary[-1] += " (refused)"
            holds.at_any_time(model)
        holds.bring_back(model)
        holds.at_rest(model)
        holds.still_works(model)
    except Exception as error:
        error.add_note("\n".join(["what was done:", *model.diary]))
        raise

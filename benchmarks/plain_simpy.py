"""The network of :mod:`benchmarks.network` as a SimPy user writes it."""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from typing import Any

import simpy


class PlainNetwork:
    """Jobs that visit stations one after the other, round and round.

    Parameters
    ----------
    means
        Mean of the exponential service time of each station, s.
    jobs
        How many go round.
    """

    def __init__(self, means: Sequence[float], jobs: int, seed: int) -> None:
        self.env = simpy.Environment()
        self.draw = random.Random(seed).expovariate
        self.stations = [(simpy.Resource(self.env), 1 / mean) for mean in means]
        self.completed = 0
        self.responses: list[float] = []
        self.wanted = 0
        self.enough = self.env.event()
        for _ in range(jobs):
            self.env.process(self.job())

    def job(self) -> Generator[Any, Any, None]:
        """Go round for ever."""
        env = self.env
        while True:
            came = env.now
            for station, rate in self.stations:
                with station.request() as server:
                    yield server
                    yield env.timeout(self.draw(rate))
            self.responses.append(env.now - came)
            self.completed += 1
            if self.completed == self.wanted:
                self.enough.succeed()

    def more(self, rounds: int) -> None:
        """Go on until so many more rounds are complete."""
        self.wanted = self.completed + rounds
        self.enough = self.env.event()
        self.env.run(until=self.enough)

"""Awaited I/Os per second: SimPy processes that wait for each I/O of a volume."""

from __future__ import annotations

import random
from collections.abc import Generator
from typing import Any

import simpy

from benchmarks.measuring import Settings, Tell, repeated
from raidsim import Environment, Host, Volume

NAME = "awaited"
PROCESSES = (1, 32)
IOS = 20_000
SIZE = 8192


class Application:
    """Processes that read at random places, each one I/O at a time."""

    def __init__(self, processes: int) -> None:
        self.env = Environment(seed=1)
        host = Host(self.env, "fujitsu-rx2540-m1")
        self.volume = Volume(self.env, "intel-p3700-800gb", host)
        self.draw = random.Random(1).randrange
        self.completed = 0
        self.wanted = 0
        self.enough: simpy.Event = self.env.event()
        for _ in range(processes):
            self.env.process(self.read())

    def read(self) -> Generator[Any, Any, None]:
        """Read for ever."""
        blocks = self.volume.capacity // SIZE
        while True:
            yield self.volume.read(self.draw(blocks) * SIZE, SIZE)
            self.completed += 1
            if self.completed == self.wanted:
                self.enough.succeed()

    def more(self, ios: int) -> None:
        """Go on until so many more I/Os are complete."""
        self.wanted = self.completed + ios
        self.enough = self.env.event()
        self.env.run(until=self.enough)


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure with one process and with many."""
    ios = settings.size(IOS, 500)
    figures = []
    for processes in PROCESSES:
        tell(f"SimPy processes: {processes}")
        application = Application(processes)
        application.more(100)
        spent = repeated(lambda a=application: a.more(ios), settings.repeats)
        figures.append({"processes": processes, "ios": ios, **spent.per(ios)})
    one, many = (f["per_cpu_second"] for f in figures)
    return figures, {"awaited_1_to_32_processes": one / many}


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (
            f"Awaited I/Os, {f['processes']} SimPy process{'es' if f['processes'] > 1 else ''}",
            f"{f['per_second']:,.0f} a second ({f['per_cpu_second']:,.0f} per CPU second)",
        )
        for f in figures
    ]

"""A scenario assembled in its own environment: runs are measured in it, and events affect it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidsim.assembly.drives import kind_of
from raidsim.assembly.heat import Air
from raidsim.assembly.load import add_streams
from raidsim.assembly.scenario import age
from raidsim.control.boot import Boot
from raidsim.control.controller import Controller
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.hybrid import Hybrid
from raidsim.control.link import Link
from raidsim.control.load import RunningLoad
from raidsim.control.operation import Operation
from raidsim.control.volume import Volume
from raidsim.errors import in_file
from raidsim.kernel import tables as t
from raidsim.scenario import HybridSpec, LoadSpec, Scenario, VolumeSpec
from raidsim.scenario.arrays import HOST
from raidsim.scenario.intensity import at
from raidsim.system.system import System


@dataclass(frozen=True)
class BuiltSystem:
    """A system built from a scenario, with the rows that its parts have.

    ``streams`` maps each load's name to the streams of its workers, in order.
    """

    system: System
    volumes: dict[str, int]
    streams: dict[str, list[int]]


class Model:
    """The parts of a scenario in an environment of their own, by name, with drives as they begin.

    No load runs yet, and no machine is switched on. Where nothing happens and no machine boots all
    loads run from the start to the end, and their streams are there already.

    Parameters
    ----------
    scenario
        What to build.
    intensity
        Which point of its sweep.
    only_weighed
        Whether nothing will run, and only the memory that it takes is asked for.

    Attributes
    ----------
    env
        The environment.
    controllers, links, volumes, hybrids
        Its parts.
    loads
        Each load's runs so far.
    boot
        Its machines.

    Raises
    ------
    InputError
        Its cards contradict themselves, or it would take more memory than there is for it.
    """

    def __init__(
        self, scenario: Scenario, intensity: int = 0, *, only_weighed: bool = False
    ) -> None:
        self.scenario = scenario
        self.intensity = intensity
        self._only_weighed = only_weighed
        with in_file(scenario.path):
            self._make()

    def _make(self) -> None:
        scenario = self.scenario
        self.env = env = Environment(seed=scenario.seed)
        env.system.is_only_weighed = self._only_weighed
        env.let_stand_in(Air(scenario.air.ambient, scenario.air.airflow))
        self.host = Host.of_spec(env, scenario.host)
        self.controllers = {
            spec.name: Controller.of_spec(env, spec) for spec in scenario.controllers
        }
        self.links: dict[str, Link] = {}
        for link in scenario.links:
            above = link.to or HOST
            to = self.links.get(above) or self.controllers.get(above)
            self.links[link.name] = Link.of_spec(env, link, to)
        self.volumes = {spec.name: self._make_volume(spec) for spec in scenario.volumes}
        self.hybrids = {spec.name: self._make_hybrid(spec) for spec in scenario.hybrids}
        rows = {name: volume.row for name, volume in self.every.items()}
        self._steady: dict[str, list[int]] = {}
        if scenario.events or scenario.machines:
            writers = {load.name: self._writers(load) for load in scenario.loads}
        else:
            writers = self._steady = {load.name: self._streams_of(load) for load in scenario.loads}
        age(env.system, scenario, rows, writers)
        self.loads: dict[str, list[RunningLoad]] = {load.name: [] for load in scenario.loads}
        self.boot = Boot(
            env,
            scenario.machines,
            rows,
            scenario.host.card.integer("cpu.cores"),
            self.host.add_process,
        )

    def start(self, name: str) -> RunningLoad:
        """Start a load at the intensity of this point."""
        spec = self._at_intensity(name)
        with in_file(self.scenario.path):
            running = self.every[spec.volume].begin(spec)
        self.loads[name].append(running)
        return running

    @property
    def every(self) -> dict[str, Volume]:
        """All that loads may run on, hybrids after the volumes that they are made of."""
        return {**self.volumes, **self.hybrids}

    def stop(self, name: str) -> None:
        """Let a load issue no more."""
        for running in self.loads[name]:
            if not running.triggered:
                running.stop()

    def streams(self, name: str) -> list[int]:
        """Rows of the kernel's streams of a load, of all its runs, or of a group of machines."""
        if name in self.boot.groups:
            return self.boot.groups[name].streams
        begun = [stream for running in self.loads[name] for stream in running.streams]
        return [*self._steady.get(name, ()), *begun]

    @property
    def built(self) -> BuiltSystem:
        """Its rows: those of the volumes, and of the streams of its loads so far."""
        rows = {name: volume.row for name, volume in self.every.items()}
        streams = {load.name: self.streams(load.name) for load in self.scenario.loads}
        return BuiltSystem(self.env.system, rows, streams)

    # -- making its parts --------------------------------------------------------------------

    def _make_volume(self, spec: VolumeSpec) -> Volume:
        return Volume.of_spec(
            self.env,
            spec,
            self.host,
            self.controllers.get(spec.controller or HOST),
            [self.links[name] for name in spec.behind],
        )

    def _make_hybrid(self, spec: HybridSpec) -> Hybrid:
        return Hybrid.of_parts(
            self.env,
            spec,
            self.volumes[spec.front],
            self.volumes[spec.back],
            self.host,
            self.controllers.get(spec.controller or HOST),
        )

    def _streams_of(self, load: LoadSpec) -> list[int]:
        """The streams of a load that runs from the start to the end, with their processes."""
        workers = range(load.workers)
        return add_streams(
            self.env.system,
            load,
            volume=self.every[load.volume or ""].row,
            processes=[self.host.add_process(f"{load.name} {worker + 1}") for worker in workers],
            names=[f"{load.name}/{worker}" for worker in workers],
            intensity=self.intensity,
        )

    def _writers(self, load: LoadSpec) -> list[int]:
        """Streams like those of a load, which may begin later: what it has written before."""
        volume = self.volumes.get(load.volume or "")
        if volume is None or volume.spec.state != "steady":
            return []
        if not kind_of(volume.card).has_past(volume.card):
            return []
        workers = range(load.workers)
        return add_streams(
            self.env.system,
            load,
            volume=volume.row,
            processes=[t.NONE for _ in workers],
            names=[f"{volume.name}: before, by {load.name} {worker + 1}" for worker in workers],
            intensity=self.intensity,
        )

    def _at_intensity(self, name: str) -> LoadSpec:
        """A load with one value in place of its sweep."""
        load = next(load for load in self.scenario.loads if load.name == name)
        found = {
            key: (at(getattr(load, key), self.intensity),)
            for key in ("outstanding", "rate")
            if getattr(load, key) is not None
        }
        return load.model_copy(update=found)

    def operations(self) -> Iterator[Operation]:
        """Background operations of all volumes so far."""
        for volume in self.volumes.values():
            yield from volume.operations


def build(scenario: Scenario, intensity: int = 0) -> BuiltSystem:
    """Rows of a scenario, with all its loads, and as if nothing happened and no machine booted."""
    return Model(scenario.model_copy(update={"events": (), "machines": ()}), intensity).built

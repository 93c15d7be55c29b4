"""A scenario that runs in real time: its volumes, its events, its clock.

The simulated clock follows real time. When something arrives, and when the next event of the
simulation is due, :meth:`AttachedSystem.advance` runs the simulation up to the present, never
beyond. So a request enters at the simulated instant of its arrival, as in a real queue. If the
simulation cannot keep up, the clock is set back, and the log says by how much.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from raidsim.attach.clock import Clock
from raidsim.attach.content import Content
from raidsim.attach.device import Device
from raidsim.attach.folder import members_in
from raidsim.attach.stored import Stored, content_of
from raidsim.control import Environment, Host, Hybrid, Volume, present
from raidsim.control.clock import END
from raidsim.control.course import Course
from raidsim.control.model import Model
from raidsim.control.warming import warm_drives
from raidsim.errors import InputError
from raidsim.scenario import EventSpec, Scenario
from raidsim.system.tables import SaturationError

LOG = logging.getLogger("raidsim.attach")

STEP: Final = 0.005  # real seconds of simulated time that are simulated at a time
BUDGET: Final = 0.02  # real seconds after which clients are looked at, though it is not now yet
SMALL: Final = "intel-p3700-800gb"
SERVER: Final = "fujitsu-rx2540-m1"
MOST_BEHIND: Final = 0.25  # real seconds after which the simulated clock is put back
LATEST: Final = math.floor(END) - 1.0  # s of simulated time
IDLE: Final = "the drives begin as warm as they are when idle"
BETWEEN_LOGS: Final = 1.0  # real seconds


class AttachedSystem:
    """The system of a scenario, whose volumes are attached.

    No load of the scenario runs unless it is asked for; its events happen at their times.

    Parameters
    ----------
    scenario
        What is simulated.
    speed
        Simulated seconds in a second.
    loads
        Whether the scenario's loads run beside what clients do.
    members
        A folder that keeps the drives' bytes; None for files that are gone at the end.
    metadata
        Of the superblocks there, "1.2" or "0.90"; None for those that are there, or else 1.2.

    Raises
    ------
    InputError
        If the drives in the folder are not those of the scenario.

    Attributes
    ----------
    devices
        Volumes that clients can use, by name.
    on_power_cut
        Called after the power was cut.
    on_end
        Called when the simulated clock can go no further: after 146 years.
    """

    def __init__(
        self,
        scenario: Scenario,
        speed: float,
        *,
        loads: bool = False,
        members: Path | None = None,
        metadata: str | None = None,
    ) -> None:
        self.model = Model(scenario)
        self.env = self.model.env
        self.clock = Clock(speed)
        self.course = Course(self.model, _nothing, self._tell)
        self.devices = {
            name: Device(Stored(volume, _content(volume, members, metadata), scenario.seed))
            for name, volume in self.model.every.items()
            if not volume.above
        }
        for device in self.devices.values():
            device.stored.fail_what_is_missing()
        self.course.on_loss = self._lose_memory
        self.on_power_cut: Callable[[], None] = _nothing
        self.on_end: Callable[[], None] = _nothing
        self._loads = [load.name for load in scenario.loads] if loads else []
        self._meters: dict[Volume, present.Meter] = {}
        self._told = -math.inf
        self._slipped = 0.0
        self._checked = -math.inf

    def start(self) -> None:
        """Let the clock of the simulation run from now on."""
        _warm_up()
        self._warm_drives()
        for name in self._loads:
            self.model.start(name)
        self.clock.start(self.env.now)
        self.course.origin = self.env.now
        if self.model.scenario.events or self.model.scenario.machines:
            self.course.begin()

    def _warm_drives(self) -> None:
        """Let drives begin as warm as the loads make them, if the scenario asks for that."""
        scenario = self.model.scenario
        if scenario.air.start != "warm":
            return
        if self._loads:
            warm_drives(self.env.system, scenario)
        else:
            LOG.warning('air.start = "warm" needs loads, and none runs without --loads: %s', IDLE)

    # -- time ----------------------------------------------------------------------------------

    def advance(self) -> None:
        """Let everything happen that is due by now."""
        begun = time.monotonic()
        env, clock = self.env, self.clock
        target = min(clock.now, LATEST)
        if env.now >= LATEST:
            self._end()
            return
        while env.now < target:
            following = max(env.now + STEP * clock.speed, env.next_time)
            self._advance_to(min(target, following))
            for device in self.devices.values():
                device.stored.look()
            if time.monotonic() - begun > BUDGET:
                break
        behind = -clock.wait_for(env.now)
        if behind > MOST_BEHIND:
            clock.slip(behind)
            self._slipped += behind
        wall = time.monotonic()
        if self._slipped and wall - self._told > BETWEEN_LOGS:
            LOG.warning(
                "the simulation takes longer than it may: its clock is %.2f s behind in all;"
                " a smaller --speed helps",
                clock.slipped,
            )
            self._told, self._slipped = wall, 0.0
        if wall - self._checked > BETWEEN_LOGS:
            self._checked = wall
            for device in self.devices.values():
                device.stored.look_after_checks()

    def _end(self) -> None:
        """The simulated clock can go no further: say so, once."""
        on_end, self.on_end = self.on_end, _nothing
        on_end()

    def _advance_to(self, time: float) -> None:
        try:
            self.env.advance(time)
        except (InputError, SaturationError) as error:
            LOG.error("%s", error)

    @property
    def wait(self) -> float:
        """Real seconds until the next thing is due, be it the end of the simulated clock."""
        return self.clock.wait_for(min(self.env.next_time, LATEST))

    @property
    def in_flight(self) -> int:
        """Requests of clients that are under way."""
        return sum(device.in_flight for device in self.devices.values())

    # -- what happens --------------------------------------------------------------------------

    def let_happen(self, event: EventSpec) -> None:
        """Let an event happen now.

        Raises
        ------
        InputError
            If it cannot happen.
        """
        self.advance()
        self.course.let_happen(event)
        for device in self.devices.values():
            device.stored.look()

    def _tell(self, kind: str, words: str) -> None:
        """Log what has happened, and let a power cut have its effect on bytes and clients."""
        LOG.info("%.6f s: %s", self.course.now, words)
        if kind == "power-cut":
            cut = self.course.power_cuts[-1]
            for name, device in self.devices.items():
                device.power_is_cut(cut.of(name))
            self.on_power_cut()

    def _lose_memory(self, lost: Mapping[str, Sequence[tuple[int, int]]]) -> None:
        """Let what a controller has lost be lost to clients."""
        for name, ranges in lost.items():
            if name in self.devices:  # else clients use the hybrid above it
                self.devices[name].stored.memory_is_lost(ranges)

    def status(self) -> dict[str, Any]:
        """Return the state of the system as plain data: times in s, sizes in bytes."""
        return {
            "time": self.course.now,
            "power": self.env.power,
            "speed": self.clock.speed,
            "behind": self.clock.slipped,
            "volumes": {
                name: {
                    "size": device.volume.capacity,
                    "health": device.volume.health,
                    "failed": list(device.volume.failed),
                    "in_flight": device.in_flight,
                    "iops": device.volume.iops,
                    "mbps": device.volume.mbps,
                    "temperature": device.volume.temperature,
                    "operations": present.operations(device.volume),
                    **self._parts(device.volume),
                }
                for name, device in self.devices.items()
            },
        }

    def _parts(self, volume: Volume | Hybrid) -> dict[str, Any]:
        """Return the state of the drives and the cache of a volume; of a hybrid, of its volumes."""
        if isinstance(volume, Hybrid):
            return {"drives": [], "cache": None}
        meter = self._meters.setdefault(volume, present.Meter(self.env, volume))
        busy, _ = meter.take()
        system = self.env.system
        return {
            "drives": present.drives(system, volume, busy),
            "cache": present.cache(system, volume),
        }

    def close(self) -> None:
        """Put all bytes onto the host's disk."""
        for device in self.devices.values():
            device.close()


def _content(volume: Volume, members: Path | None, metadata: str | None) -> Content:
    if members is None or isinstance(volume, Hybrid):
        return content_of(volume)
    return members_in(members, volume, metadata)


def _warm_up() -> None:
    """Load the kernel's machine code, which takes a while, before anybody waits for it."""
    env = Environment()
    volume = Volume(env, SMALL, Host(env, SERVER), state="fresh")
    env.run(volume.read(0, volume.sector))
    env.advance(env.now)


def _nothing(*_: Any) -> None:
    pass

"""The power of an environment: what a cut loses, and how the parts start again.

After power-on, in this order: disks spin up (the card's ``spindle.start_time``, all of them at
once). Then controllers write the data that their caches have kept to the disks. Hosts boot
meanwhile. When disks and hosts are ready, loads continue, and the I/Os that processes have asked
for meanwhile are issued. Software RAID begins to resync the parts that may be inconsistent.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import simpy

from raidsim.assembly.volume_rows import reliable, survives
from raidsim.control.arguments import Arguments
from raidsim.control.kernel_environment import KernelEnvironment
from raidsim.control.operation import Operation
from raidsim.intervene import power, promises
from raidsim.kernel import tables as t
from raidsim.layout.health import has_more_than_its_data
from raidsim.result.cuts import PowerCut, VolumeCut

LONGEST_BOOT = 3600.0  # s
CHECKS = ("resync", "consistency check")  # operations that make redundancy right
BY_ITSELF = ("full", "bitmap")  # resyncs that software RAID begins


class Powered(Protocol):
    """A volume, as a power cut sees it."""

    name: str
    row: int
    operations: list[Operation]

    @property
    def start_time(self) -> float:
        """Time from power-on until its drives take commands, s."""

    @property
    def intent(self) -> str:
        """The record that software RAID keeps of its writes."""

    @property
    def keeps_cache(self) -> bool:
        """Whether the cache that serves it outlasts a power cut."""

    @property
    def failed(self) -> list[int]:
        """Numbers of the drives that answer with errors."""

    def resync(self, rows: Sequence[tuple[int, int]] | None = None) -> Operation:
        """Make copies and parity consistent."""


@dataclass(frozen=True)
class PowerOn:
    """The times at which everything is back, s of the environment.

    Attributes
    ----------
    power
        When the power was back.
    drives
        When the drives took commands.
    hosts
        When the loads went on.
    resyncs
        The resync of each volume that needs one, by name: an Operation under way.
    """

    power: float
    drives: float
    hosts: float
    resyncs: dict[str, Operation] = field(default_factory=dict)


class Power:
    """The power of one environment.

    Attributes
    ----------
    volumes
        The volumes of the environment.
    """

    def __init__(self, env: KernelEnvironment) -> None:
        self.env = env
        self.volumes: list[Powered] = []
        self._cuts = 0
        self._outage = power.Outage()
        self._cut: PowerCut | None = None
        self._waiting: list[simpy.Event] = []  # for the power to be on
        self._open: dict[str, tuple[float, VolumeCut]] = {}  # since when what is not made right

    def cut(self) -> PowerCut:
        """Cut the power; see :meth:`Environment.cut_power`."""
        check = Arguments("cut_power()")
        if self.env.power == "off":
            check.wrong("power", "is off already", "restore_power() before the next cut")
        check.raise_if_wrong()
        env = self.env
        env.sync()
        env.collect()
        found = PowerCut(env.now, [self._cost(volume) for volume in self.volumes])
        self._open = {one.volume: (env.now, one) for one in found.volumes if one.resync_rows}
        before = self._outage if env.power == "coming" else power.Outage()
        self._mark()
        self._outage = power.cut(env.system, self._kept_caches(), before)
        env.fail(self._outage.awaited)
        env.collect()
        env.switch("off")
        self._cuts += 1
        self._cut = found
        return found

    def restore(self, boot: float) -> simpy.Event:
        """Give power back; see :meth:`Environment.restore_power`."""
        check = Arguments("restore_power()")
        if self.env.power != "off":
            check.wrong("power", "is not off", "cut_power() before")
        boot = check.number("boot", boot, 0.0, LONGEST_BOOT, " s")
        check.raise_if_wrong()
        self.env.sync()
        self.env.switch("coming")
        back = simpy.Event(self.env)
        self._waiting.append(back)
        self.env.process(self._come_back(boot, self._cuts))
        return back

    # -- what comes back when ---------------------------------------------------------------

    def _come_back(self, boot: float, number: int) -> Generator[simpy.Event]:
        """Continue after the cut of this number, unless the power was cut again."""
        env, begun = self.env, self.env.now
        spin = max((volume.start_time for volume in self.volumes), default=0.0)
        yield env.timeout(spin)
        if self._cuts != number:
            return
        env.sync()
        power.drives_ready(env.system)
        ready = env.now
        yield env.timeout(max(boot - spin, 0.0))
        if self._cuts != number:
            return
        env.sync()
        env.switch("on")
        self._mark()
        power.resume(env.system, self._outage)
        resyncs = self._resync()
        env.begin_what_waited()
        env.collect()
        waiting, self._waiting = self._waiting, []
        for back in waiting:
            back.succeed(PowerOn(begun, ready, env.now, resyncs))

    def _resync(self) -> dict[str, Operation]:
        """Begin the resyncs that software RAID does by itself, and replay journals."""
        assert self._cut is not None
        begun = {}
        for volume, cut in zip(self.volumes, self._cut.volumes, strict=False):
            compared = cut.resync in BY_ITSELF and self._can_compare(volume)
            if cut.resync in promises.REPLAYED or compared:
                begun[volume.name] = volume.resync(cut.resync_rows)
        return begun

    def _can_compare(self, volume: Powered) -> bool:
        """Return whether something is left of an array that a resync can compare, or write anew.

        Linux md has nothing to do where as many drives of a RAID 5 or 6 are missing as it has
        parity, or one copy is left (``raid5_sync_request``, ``raid10_sync_request``). Each span of
        a nested level is such an array.
        """
        layout, _ = reliable(self.env.system, volume.row)
        are_left = has_more_than_its_data(layout, volume.failed)
        return are_left and survives(self.env.system, volume.row)

    def _mark(self) -> None:
        """Conditions change for what goes on in the background."""
        for volume in self.volumes:
            for one in volume.operations:
                one.mark()

    # -- what a cut costs ---------------------------------------------------------------------

    def _cost(self, volume: Powered) -> VolumeCut:
        """Return the losses of a volume in a cut, with those unrepaired since an earlier one."""
        found = self._cost_now(volume)
        since, before = self._open.get(volume.name, (0.0, found))
        checks = [one for one in volume.operations if one.kind in CHECKS and one.started >= since]
        if before is found or any(one.state == "done" for one in checks):
            return found
        for one in checks:
            one.stop()  # the next one goes through its rows, too
        return replace(
            found,
            inconsistent=sorted({*found.inconsistent, *before.inconsistent}),
            write_hole=[
                *found.write_hole,
                *(h for h in before.write_hole if h not in found.write_hole),
            ],
            resync=before.resync if found.resync == "none" else found.resync,
            resync_rows=promises.union([*found.resync_rows, *before.resync_rows]),
        )

    def _cost_now(self, volume: Powered) -> VolumeCut:
        return promises.volume_cut(
            self.env.system,
            volume.name,
            volume.row,
            keeps=volume.keeps_cache,
            noted=volume.intent,
        )

    def _kept_caches(self) -> set[int]:
        """Rows of the caches that outlast a cut."""
        world = self.env.system.world
        controllers = {
            int(world.volumes[v.row]["controller"]) for v in self.volumes if v.keeps_cache
        }
        return {int(world.controllers[row]["cache"]) for row in controllers} - {t.NONE}

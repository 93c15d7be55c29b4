"""A volume as a resource of a SimPy model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidsim.assembly.drives import kind_of
from raidsim.assembly.heat import Air
from raidsim.assembly.scenario import add_volumes, age_alone
from raidsim.control import request
from raidsim.control.air import read_air
from raidsim.control.arguments import Arguments
from raidsim.control.asked import Asked
from raidsim.control.controller import Controller
from raidsim.control.drives import Drives
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.link import Link, links_above, parts_above, way_up
from raidsim.control.load import Load, RunningLoad
from raidsim.control.paths import Paths
from raidsim.control.policy import Governed
from raidsim.control.speeds import set_speed
from raidsim.intervene import window
from raidsim.intervene.operation import pace
from raidsim.intervene.trim import trim
from raidsim.kernel import tables as t
from raidsim.observe import station_use
from raidsim.result import DriveUse, StationUse
from raidsim.scenario import HybridSpec, LoadSpec, Tables, VolumeSpec, single
from raidsim.scenario.arrays import HOST
from raidsim.scenario.plain import plain

ABSENT = (
    "spans", "spread", "mirror_reads", "disk_cache", "controller", "behind", "rebuild_rate",
    "group_thread_cnt", "stripe_cache_size", "intent",
)  # fmt: skip
"""Keys of a scenario's [[volume]] that mean something by being left out."""


class Volume(Asked, Governed):
    """A volume: one drive, or several under a RAID level.

    All but the first three are keys of a scenario's ``[[volume]]``, with its meanings, defaults
    and checks: docs/reference/scenario.md.

    Parameters
    ----------
    env
        The environment.
    drive
        Name of a drive card (``raidsim models`` lists them), or the path of one.
    host
        The server that it is in; its CPUs submit and complete the I/Os, and compute parity where
        there is no controller.
    name
        What reports and messages call it; None for "volume1" and so on. It also seeds
        the random numbers of its loads: give one to keep them when volumes are added.
    changes
        Other values for the card of the drives, the ``set`` of a scenario:
        {"flash.read_time": "60 us"}.
    state
        What was done to solid state drives before: "fresh" nothing, "filled" all was written
        once in sequence, "steady" it was then overwritten at random, mapping unit by mapping
        unit, until the write amplification was steady. A scenario, which knows its loads, begins
        with "steady"; here that is to be asked for.
    filled
        Share of the capacity that holds data, from its start, as in a scenario: "50 %".
    level, drives, strip, spans, copies, spread, rotation
        The array: "raid5" of 5 drives in strips of "64 KiB", for example.
    parity_writes, mirror_reads
        How parity is updated, and which copy a read takes.
    failed
        Drives that have failed before, counted from 0.
    spares
        Hot spares: one takes the place of a drive that fails, at once.
    rebuild_rate, rebuild_limit, rebuild_sample
        Share of the time that background work takes, most that it does in a second, and share of
        it that is simulated.
    controller
        The :class:`Controller` that it is on; None for the host itself, or where ``behind`` leads.
    behind
        The :class:`Link` that its drives hang on; of several the drives take turns, so that
        mirrored ones can be apart; none by default.
    write, read_ahead, io, disk_cache
        Modes of the controller's cache, and the write caches of the drives.
    intent, bitmap_chunk
        What software RAID notes of writes for the resync after a power cut: "none", "bitmap",
        "journal" or "ppl"; None for what its operating system does.
    group_thread_cnt, stripe_cache_size
        Worker threads of software RAID with parity in each NUMA node of the host, and stripe heads
        that it keeps; None for what the host's card has.
    access
        "read-write", "read-only" or "blocked".

    Attributes
    ----------
    capacity
        Bytes that can be addressed.
    raw_capacity
        Bytes of all its drives.
    failures_tolerated
        Drives that may fail, whichever they are, without loss of data.
    access
        The access policy.
    above
        The hybrids that it is a part of: then it is read and written through those.
    operations
        All background work that was begun, :class:`Operation` by Operation.
    card
        The card of the drives with those values, in SI base units.
    counts, latency
        Of all I/Os of this volume: awaited ones and those of loads.

    Raises
    ------
    InputError
        If there is no such card, or a value does not fit it, the level or the controller.
    """

    def __init__(
        self,
        env: Environment,
        drive: str,
        host: Host,
        *,
        name: str | None = None,
        changes: Mapping[str, Any] | None = None,
        state: str = "filled",
        filled: str = "100 %",
        level: str = "single",
        drives: int = 1,
        strip: str = "64 KiB",
        spans: int | None = None,
        copies: int = 2,
        spread: str | None = None,
        rotation: str = "left-symmetric",
        parity_writes: str = "fewest",
        mirror_reads: str | None = None,
        failed: Sequence[int] = (),
        spares: int = 0,
        rebuild_rate: str | None = None,
        rebuild_limit: str = "none",
        rebuild_sample: str = "100 %",
        controller: Controller | None = None,
        behind: Link | Sequence[Link] | None = (),
        write: str = "through",
        read_ahead: str = "none",
        io: str = "direct",
        disk_cache: str | None = None,
        intent: str | None = None,
        bitmap_chunk: str = "64 MiB",
        group_thread_cnt: int | None = None,
        stripe_cache_size: int | None = None,
        access: str = "read-write",
    ) -> None:
        check = Arguments("Volume()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        check.instance("host", host, Host, "give a raidsim.Host")
        if controller is not None:
            check.instance("controller", controller, Controller, "give a Controller, or None")
        links: list[Any] = list(behind) if isinstance(behind, list | tuple) else [behind]
        links = [link for link in links if link is not None]
        for link in links:
            check.instance("behind", link, Link, "give a Link, several, or None")
        table = check.table("changes", changes)
        check.raise_if_wrong()
        parts = [("host", host), ("controller", controller), *(("behind", link) for link in links)]
        for key, part in parts:
            if part is not None and part.env is not env:
                cause, kind = "belongs to another environment", type(part).__name__
                check.wrong(key, cause, f"make a {kind} in this one")
        self.name = env.check_name(check, "volume", name)
        top = way_up(controller, links)[0]
        if top is not None and top.belongs_elsewhere(host):
            cause = f"{top.name} is in another host, with the other volumes on it"
            check.wrong("controller", cause, "make a Controller for this host")
        check.raise_if_wrong()
        self.host, self.controller, self.behind = host, top, links
        keys = {
            "name": self.name, "drive": drive, "set": table, "state": state, "filled": filled,
            "level": level, "drives": drives, "strip": strip, "spans": spans, "copies": copies,
            "spread": spread, "rotation": rotation, "parity_writes": parity_writes,
            "mirror_reads": mirror_reads, "failed": failed, "spares": spares,
            "rebuild_rate": rebuild_rate, "rebuild_limit": rebuild_limit,
            "rebuild_sample": rebuild_sample, "write": write,
            "read_ahead": read_ahead, "io": io, "disk_cache": disk_cache, "intent": intent,
            "bitmap_chunk": bitmap_chunk, "group_thread_cnt": group_thread_cnt,
            "stripe_cache_size": stripe_cache_size, "access": access,
        }  # fmt: skip
        self._make(env, self._read(keys, controller), host, controller, links)
        age_alone(self.system, self.spec, self.row)
        self._stream()

    @classmethod
    def of_spec(
        cls,
        env: Environment,
        spec: VolumeSpec,
        host: Host,
        controller: Controller | None,
        behind: Sequence[Link],
    ) -> Volume:
        """A volume of a scenario, as nothing was ever written to it."""
        volume = cls.__new__(cls)
        volume._make(env, spec, host, controller, list(behind))
        return volume

    def _make(
        self,
        env: Environment,
        spec: VolumeSpec,
        host: Host,
        controller: Controller | None,
        links: list[Link],
    ) -> None:
        """Add what was checked to the environment, with fresh drives."""
        self.env = env
        self.name = spec.name
        self.host = host
        self.behind = links
        self.controller, shared = way_up(controller, links)
        self.spec = spec
        self.card = self.spec.card
        self.capacity = self.spec.capacity
        self.raw_capacity = self.spec.raw_capacity
        self.failures_tolerated = self.spec.failures_tolerated
        self._sector = self.card.integer("capacity.sector")
        self._longest = 0
        self.access = spec.access
        self._allowed = request.ALLOWED[spec.access]
        env.sync()
        self.system = system = env.system
        first = system.count("stations")
        self.row = add_volumes(system, self._tables(), env.air, [spec], shared)[spec.name]
        above = self.controller.card if self.controller else host.card
        self.above: list[Volume] = []
        self._keep(Drives(env, self.row, self.card), pace(above, self.spec))
        host.carry(self.row)
        self._stations = range(first, system.count("stations"))
        self._air = env.tell_of_air(self._stand_in)
        self.streams: list[int] = []
        self._manual = {}
        self._paths = self._hang_on()
        env.has_volume(self)

    def __repr__(self) -> str:
        what = self.spec.drive
        if self.spec.drives > 1:
            what = f"{self.spec.level} of {self.spec.drives} x {what}"
        return f"<Volume {self.name}: {what}, {self.capacity / 1e9:g} GB>"

    # -- I/O --------------------------------------------------------------------------------

    def start(self, load: Load) -> RunningLoad:
        """Start a load now; ``yield`` what it returns to wait for the load's end.

        Raises
        ------
        InputError
            With every problem of the load.
        """
        check = Arguments(f"{self.name}.start()")
        check.instance("load", load, Load, 'give a Load(read="100 %", size="8 KiB", ...)')
        if self.above:
            self._check_access(check, t.READ)
        check.raise_if_wrong()
        return self.begin(load.spec(self))

    def begin(self, spec: LoadSpec) -> RunningLoad:
        """Start a load that has been checked, as :meth:`start` does.

        Raises
        ------
        InputError
            It is no load of a scenario.
        """
        check = Arguments(f"{self.name}.begin()")
        check.instance("spec", spec, LoadSpec, "give a load of a scenario, or start(Load(...))")
        check.raise_if_wrong()
        running = RunningLoad(self, spec)
        self.streams = [*self.streams, *running.streams]
        return running

    def trim(self, offset: int, length: int) -> None:
        """Tell the drives that they need not keep these bytes: from now on they are spare area.

        It takes no time. Mapping units that are trimmed in part stay; so do strips of an array,
        and stripes where there is parity. The map of a large drive is scaled: there TRIM works in
        steps of the capacity over about 500, and less than a step may do nothing. On hard disks
        it does nothing at all.

        Raises
        ------
        InputError
            If the address range is not whole sectors inside the volume, or if its access
            policy lets nobody write.
        """
        check = Arguments(f"{self.name}.trim()")
        self._check_access(check, t.WRITE)
        offset = check.whole("offset", offset, 0, self.capacity - self._sector, self._sector)
        length = check.whole("length", length, self._sector, self.capacity, self._sector)
        if not check.problems and offset + length > self.capacity:
            cause = f"{length} bytes from byte {offset} on end beyond the volume"
            check.wrong("length", cause, f"it has {self.capacity} bytes")
        check.raise_if_wrong()
        self.env.sync()
        trim(self.system, self.row, offset, length)

    # -- changes while it runs --------------------------------------------------------------

    @property
    def intent(self) -> str:
        """The record that software RAID keeps of writes: "none", "bitmap", "journal" or "ppl"."""
        return self.spec.intent or "none"

    @property
    def start_time(self) -> float:
        """Time from power-on until its drives take commands, s."""
        return kind_of(self.card).start_time(self.card)

    def set_speed(self, kind: str, speed: float, *, drive: int | None = None) -> None:
        """Run the drives' stations of a kind at ``speed`` times their built speed from now on.

        Parameters
        ----------
        kind
            Of solid state drives "front end", "data path", "link", "flash channel" or
            "flash die"; of hard disks "disk controller" or "link". The platter's speed is
            what it is. Of an array on the host also "parity engine".
        speed
            1 as built; 0.5 takes twice as long, work under way included.
        drive
            Which drive, from 0 on; None for all.

        Raises
        ------
        InputError
            If there is no such station or drive, or the speed isn't from 0.001 to 1000.
        """
        check = Arguments(f"{self.name}.set_speed()")
        stations = list(self._stations)
        if drive is not None:
            chosen = self._drives.stations(self._drives.check(check, drive))
            stations = [station for station in stations if station in chosen]
        set_speed(self.env, check, stations, kind, speed)

    def set_air(self, ambient: str | None = None, airflow: str | None = None) -> None:
        """Let these drives stand in other air from now on: their own fan fails, a cover is missing.

        Parameters
        ----------
        ambient, airflow
            As for :meth:`Environment.set_air`, which changes the air of all drives.

        Raises
        ------
        InputError
            If a text is no such quantity.
        """
        air = read_air(f"{self.name}.set_air()", ambient, airflow, self._air)
        self.env.sync()
        self._stand_in(air)

    @property
    def air(self) -> Air:
        """The air around its drives: ambient in C, and the airflow as a share."""
        return self._air

    def _stand_in(self, air: Air) -> None:
        self._air = air
        self._drives.stand_in(air)

    # -- figures ----------------------------------------------------------------------------

    @property
    def iops(self) -> float:
        """I/Os of this volume completed per second of the window, idle times included."""
        return self._per_second("window_ios")

    @property
    def mbps(self) -> float:
        """MB/s of 2**20 bytes of this volume over the window, idle times included."""
        return self._per_second("window_bytes") / 2**20

    @property
    def temperature(self) -> float | None:
        """The temperature of the hottest drive, C; None if the card gives no thermal values."""
        self.env.sync()
        return self._drives.temperature

    @property
    def power(self) -> float | None:
        """Mean power of the drives together over the window, W; None if the card does not tell."""
        self.env.sync()
        return self._drives.power

    @property
    def throttled(self) -> str:
        """The throttling of its drives now: "lightly", "heavily", or "" for none."""
        self.env.sync()
        return self._drives.throttled

    @property
    def stations(self) -> list[StationUse]:
        """Use of the stations that worked in the window: of the drives and all that leads to them.

        Controllers and links are among them, whatever volume they worked for.
        """
        self.env.sync()
        window.settle_areas(self.system)
        return station_use.uses(self.system, station_use.volume_stations(self.system, self.row))

    @property
    def drives(self) -> list[DriveUse]:
        """Each drive at the load of the window: power, heat, wear, bytes that a power cut costs."""
        self.env.sync()
        return self._drives.uses

    @property
    def use(self) -> DriveUse:
        """The first of :attr:`drives`: for a volume of one."""
        return self.drives[0]

    def _per_second(self, field: str) -> float:
        passed = self.env.window
        total = int(self.system.world.streams[field][self.streams].sum())
        return total / passed if passed > 0 else 0.0

    # -- for loads and other parts ----------------------------------------------------------

    @property
    def addressed(self) -> VolumeSpec | HybridSpec:
        """The volume that a load on it is checked against, with its present access."""
        return self.spec.model_copy(update={"access": self.access})

    def _read(self, keys: Mapping[str, Any], controller: Controller | None) -> VolumeSpec:
        """The checked volume of these keys."""
        above = {
            "controller": controller.name if controller is not None else None,
            "behind": [link.name for link in self.behind] or None,
        }
        if controller is None and not self.behind:
            above["controller"] = HOST
        check = Arguments("Volume()")
        given = check.given("volume", {**keys, **above}, ABSENT)
        check.raise_if_wrong()
        table = {key: plain(value) for key, value in given.items()}
        above_it = parts_above(self.controller, self.behind)
        return single.volume_on(table, self.host.spec.card, *above_it)

    def _tables(self) -> Tables:
        """The volume and what lies on its ways up, as a scenario would have them."""
        controllers, links = parts_above(self.controller, self.behind)
        return Tables.model_construct(
            host=self.host.spec, controllers=controllers, links=links, volumes=(self.spec,)
        )

    def _hang_on(self) -> Paths:
        """Tell the controller and the links above of the volume; its ways up."""
        links: dict[str, Link] = {}
        below: dict[str, list[int]] = {}
        for turn, lowest in enumerate(self.behind):
            for link in links_above(lowest):
                links[link.name] = link
                for of_a_kind in self._drives.rows, self._drives.spares:
                    mine = of_a_kind[turn :: len(self.behind)]
                    below.setdefault(link.name, []).extend(mine)
        acts = self._give_up, self._is_back
        paths = Paths(self.env, self.row, below, self._go_without, *acts, self._use_spares)
        if self.controller is not None:
            self.controller.put_into(self.host)
            self.controller.carry(self.spec, self.row, paths)
        for link in links.values():
            link.carry(paths)
        return paths

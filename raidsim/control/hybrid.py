"""A volume as cache or tier in front of a volume, as a resource of a SimPy model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from raidsim.assembly.hybrid import add_hybrid
from raidsim.control import request
from raidsim.control.arguments import Arguments
from raidsim.control.controller import Controller
from raidsim.control.drives import Drives
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.paths import Paths
from raidsim.control.volume import Volume
from raidsim.errors import InputError
from raidsim.intervene.hybrid_power import use_front
from raidsim.kernel import tables as t
from raidsim.kernel.hybrid_tables import BACK_LOST, FRONT_LOST, NOTHING_LOST
from raidsim.observe import hybrid_use
from raidsim.result import HybridUse
from raidsim.scenario import HybridSpec, single
from raidsim.scenario.arrays import HOST
from raidsim.scenario.plain import plain

ABSENT = ("warm",)
"""Keys of a scenario's [[hybrid]] that mean something by being left out."""


class Hybrid(Volume):
    """A hybrid: ``front`` holds some blocks of ``back``, and is searched first.

    It is read, written and loaded as a :class:`Volume` is. Its drives are those of front and back.
    To change them (:meth:`fail`, :meth:`replace`, air, speed), use these two volumes.

    All but the first four are keys of a scenario's ``[[hybrid]]``, with its meanings, defaults and
    checks: docs/reference/scenario.md.

    Parameters
    ----------
    env
        The environment.
    front, back
        The volumes: from now on only the hybrid may be read and written.
    host
        The server whose CPUs submit and complete the I/Os.
    name
        Its name in reports and messages; None for "hybrid1" and so on.
    controller
        The storage processor that it is on, with front and back behind it; None for the host.
    mode, write, promote, bypass, evict
        The kind of front, and what goes into it and out of it.
    block, front_size, back_offset, size, placement, warm, warm_share
        The unit of its map, how much of front and back it uses, where writes go on the back, and
        the initial content of the front.
    high, low, flush, copies, copy_size, interval
        When and how dirty data is written back; how fast the heat of a tier decreases.
    buffer, read_ahead, io
        Modes of the storage processor's own cache.

    Attributes
    ----------
    front, back
        The two volumes.
    capacity
        Bytes that can be addressed.

    Raises
    ------
    InputError
        If the two do not fit together, or one is in use by another hybrid.
    """

    _flushes = False

    def __init__(
        self,
        env: Environment,
        front: Volume,
        back: Volume,
        host: Host,
        *,
        name: str | None = None,
        controller: Controller | None = None,
        mode: str = "cache",
        write: str = "back",
        promote: str = "first",
        bypass: str = "none",
        evict: str = "lru",
        block: str = "64 KiB",
        front_size: str = "all",
        back_offset: str = "0 B",
        size: str = "rest",
        high: str = "80 %",
        low: str = "10 %",
        flush: str = "30 s",
        copies: int = 16,
        copy_size: str = "1 MiB",
        interval: str = "10 min",
        placement: str = "in-place",
        warm: Mapping[str, Any] | None = None,
        warm_share: str = "100 %",
        buffer: str = "through",
        read_ahead: str = "none",
        io: str = "direct",
    ) -> None:
        self.name = self._checked(env, front, back, host, controller, name)
        self.host = host
        self.front = front
        self.back = back
        self.controller = controller
        keys = {
            "name": self.name, "front": front.name, "back": back.name,
            "controller": HOST if controller is None else controller.name,
            "mode": mode, "write": write, "promote": promote, "bypass": bypass, "evict": evict,
            "block": block, "front_size": front_size, "back_offset": back_offset, "size": size,
            "high": high, "low": low, "flush": flush, "copies": copies, "copy_size": copy_size,
            "interval": interval, "placement": placement, "warm": warm,
            "warm_share": warm_share, "buffer": buffer, "read_ahead": read_ahead,
            "io": io,
        }  # fmt: skip
        check = Arguments("Hybrid()")
        given = check.given("hybrid", keys, ABSENT)
        check.raise_if_wrong()
        spec = single.hybrid_of(
            {key: plain(value) for key, value in given.items()},
            [] if controller is None else [controller.spec],
            [front.spec, back.spec],
            [one.addressed for one in _made_of(back)],
        )
        self._join(env, spec, front, back, host, controller)
        self._stream()

    @classmethod
    def of_parts(
        cls,
        env: Environment,
        spec: HybridSpec,
        front: Volume,
        back: Volume,
        host: Host,
        controller: Controller | None,
    ) -> Hybrid:
        """A hybrid of a scenario, of its two volumes."""
        hybrid = cls.__new__(cls)
        hybrid._join(env, spec, front, back, host, controller)
        return hybrid

    def _join(
        self,
        env: Environment,
        spec: HybridSpec,
        front: Volume,
        back: Volume,
        host: Host,
        controller: Controller | None,
    ) -> None:
        """Add what was checked to the environment."""
        self.env = env
        self.name = spec.name
        self.host = host
        self.front = front
        self.back = back
        self.controller = controller
        self.behind = []
        self._is = spec
        self.spec = back.spec
        self.card = back.card
        self.capacity = spec.capacity
        self.raw_capacity = front.raw_capacity + back.raw_capacity
        self.failures_tolerated = back.failures_tolerated
        self._sector = spec.sector
        self._longest = 0
        self.access = "read-write"
        self._allowed = request.ALLOWED[self.access]
        env.sync()
        self.system = system = env.system
        first = system.count("stations")
        self.row = add_hybrid(
            system,
            spec,
            front=front.row,
            back=back.row,
            controller=t.NONE if controller is None else controller._rows[0],
            controller_spec=None if controller is None else controller.spec,
        )
        self.operations = []
        self._drives: DrivesBelow = DrivesBelow(self)
        self._stations = range(first, system.count("stations"))
        self.streams = []
        self._manual = {}
        self.above = []
        if controller is not None:
            controller.put_into(host)
            paths = Paths(env, self.row, {}, _nothing, _nothing, _nothing, _nothing)
            controller.carry(spec, self.row, paths)
        for part in (front, back):
            part.above.append(self)
        env.has_volume(self)

    @staticmethod
    def _checked(
        env: Environment,
        front: Volume,
        back: Volume,
        host: Host,
        controller: Controller | None,
        name: str | None,
    ) -> str:
        """Its name, if the parts can be put together."""
        check = Arguments("Hybrid()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        check.instance("host", host, Host, "give a raidsim.Host")
        if controller is not None:
            check.instance("controller", controller, Controller, "give a Controller, or None")
        parts = {"front": front, "back": back}
        for key, part in parts.items():
            check.instance(key, part, Volume, "give a Volume")
            if isinstance(part, Hybrid):
                check.wrong(key, f"{part.name} is a hybrid itself", "give a Volume")
        check.raise_if_wrong()
        for key, owned in {**parts, "host": host, "controller": controller}.items():
            if owned is not None and owned.env is not env:
                cause, kind = "belongs to another environment", type(owned).__name__
                check.wrong(key, cause, f"make a {kind} in this one")
        for key, part in parts.items():
            others = [one for one in _made_of(part) if one.front is part or key == "front"]
            if others:
                cause = f"{part.name} is in use by {others[0].name}"
                check.wrong(key, cause, "give each hybrid its own front")
        name = env.check_name(check, "hybrid", name)
        check.raise_if_wrong()
        return name

    def __repr__(self) -> str:
        return f"<Hybrid {self.name}: {self.front.name} in front of {self.back.name}>"

    @property
    def intent(self) -> str:
        """The record of its writes: none; the volumes below have their own."""
        return "none"

    # -- figures ------------------------------------------------------------------------------

    @property
    def figures(self) -> HybridUse:
        """The share that the front answered in the window, its content, and what only it holds."""
        self.env.sync()
        return hybrid_use.use_of(self.system, self._is, self.row)

    @property
    def hit_rate(self) -> float | None:
        """Share of the parts of reads, each in one block, that the front answered; None if none."""
        found = self.figures
        return found.hits / found.reads if found.reads else None

    @property
    def dirty(self) -> int:
        """Bytes of blocks that only the front holds, now."""
        return int(self._cache["dirty"])

    @property
    def held(self) -> int:
        """Bytes of blocks that the front holds, now."""
        return int(self._cache["used"])

    @property
    def _cache(self) -> Any:
        world = self.system.world
        array = world.arrays[world.volumes[self.row]["array"]]
        return world.caches[world.hybrids[array["hybrid"]]["cache"]]

    @property
    def health(self) -> str:
        """The health: that of the back, or that of the front where the back is optimal.

        With a front that has failed it is "degraded", or "failed" if only the front held some
        data; so it is until the front is used again.
        """
        back, front = self.back.health, self.front.health
        number = hybrid_use.number_of(self.system, self.row)
        if front == "failed" or self.system.world.hybrids[number]["lost"] == FRONT_LOST:
            return "failed" if back == "failed" or self.dirty > 0 else "degraded"
        return front if back == "optimal" else back

    # -- changes while it runs --------------------------------------------------------------------

    def use_front(self, *, empty: bool = True) -> None:
        """Use the front again after it, or the back, had failed, and was replaced or repaired.

        Parameters
        ----------
        empty
            Of a front that had failed, whether it is a new one: then what only the old one had is
            gone for good, and the back answers with what it had before. Else that is there again,
            but for what was written since. If the back had failed the front has all it had.

        Raises
        ------
        InputError
            If the front has not been given up, one has still failed, or copies are under way.
        """
        check = Arguments(f"{self.name}.use_front()")
        world = self.system.world
        number = hybrid_use.number_of(self.system, self.row)
        hybrid, cache = world.hybrids[number], self._cache
        lost = int(hybrid["lost"])
        if lost == NOTHING_LOST:
            check.wrong("front", f"{self.front.name} is in use", "it need not be used again")
        elif self.front.health == "failed":
            check.wrong("front", f"{self.front.name} has failed", "repair() it before")
        elif lost == BACK_LOST and self.back.health == "failed":
            check.wrong("back", f"{self.back.name} has failed", "repair() it before")
        elif cache["tasks"] > 0 or hybrid["moving"] > 0:
            check.wrong("front", "copies are still under way", "let some time pass")
        check.raise_if_wrong()
        self.env.sync()
        new = empty and lost == FRONT_LOST
        use_front(self.system, int(hybrid["cache"]), number, self._is.copies, new)

    # -- what is said to front or back instead -----------------------------------------------------

    def send_trim(self, *_: Any, **__: Any) -> NoReturn:
        """Refused, as :meth:`trim` is."""
        self._drives.refuse(Arguments(f"{self.name}.send_trim()"))

    def trim(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: what is not needed may be in the front, in the back or in both."""
        self._drives.refuse(Arguments(f"{self.name}.trim()"))

    def set_air(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: front and back may stand in different air."""
        self._drives.refuse(Arguments(f"{self.name}.set_air()"))

    def _how(self, check: Arguments, *_: Any, **__: Any) -> NoReturn:
        self._drives.refuse(check)

    @property
    def _rows(self) -> NoReturn:
        self._drives.refuse(Arguments(f"{self.name}.initialise()"))

    # -- for loads ------------------------------------------------------------------------------

    @property
    def addressed(self) -> HybridSpec:
        """The volume that a load on it is checked against."""
        return self._is


def _made_of(part: Volume) -> list[Hybrid]:
    """The hybrids that a volume is a part of."""
    return [one for one in part.above if isinstance(one, Hybrid)]


def _nothing(*_: object) -> None:
    """Links are lost to the two volumes below, not to the hybrid."""


class DrivesBelow(Drives):
    """The drives of a hybrid: they are dealt with as those of its two volumes.

    Parameters
    ----------
    hybrid
        Whose they are.
    """

    def __init__(self, hybrid: Hybrid) -> None:
        super().__init__(hybrid.env, hybrid.row, hybrid.card)
        self.hybrid = hybrid

    def check(self, check: Arguments, _: Any) -> NoReturn:
        """Refuse a call that is about one of the drives."""
        self.refuse(check)

    def refuse(self, check: Arguments) -> NoReturn:
        """Say which volumes the drives belong to."""
        hybrid = self.hybrid
        cause = f"{hybrid.name} is a hybrid, and its drives are those of its two volumes"
        check.wrong("self", cause, f"call it on {hybrid.front.name} or {hybrid.back.name}")
        raise InputError(check.problems)

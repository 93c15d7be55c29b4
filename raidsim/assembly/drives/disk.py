"""Hard disks, as a kind of drive.

The kernel is imported inside the functions that need it, so questions about cards do not load it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from raidsim.assembly.disk_cache import cache_size, is_protected
from raidsim.assembly.drives.kind import (
    PARTLY,
    UNQUEUED,
    WAITING,
    DriveKind,
    Flow,
    Links,
    Past,
    rate_of_link,
)
from raidsim.assembly.seeks import alone, positioning
from raidsim.cards import Card
from raidsim.kernel import tables as t

if TYPE_CHECKING:
    from raidsim.system.system import System


class Disk(DriveKind):
    """An arm over turning platters."""

    name = "hdd"
    number = t.DRIVE_DISK
    table = "disks"
    medium = "platter"
    seeks = True
    buffer = "cache"
    lossy = ("is volatile", 'set disk_cache = "off", or use a UPS')
    unit = "capacity.physical_sector"
    unit_verb = "writes"
    reads_pay = False  # only writes of parts of a physical sector cost more
    has_priorities = False
    always_slots = True

    # -- of a card ----------------------------------------------------------------------------

    def check(self, card: Card) -> None:
        """As :class:`DriveKind` says."""
        from raidsim.assembly import hdd  # noqa: PLC0415

        hdd.check(card)

    def queue_depth(self, card: Card) -> int:
        """One, if it queues only while it caches writes.

        What it has taken beyond its window waits its turn as if it were in the host still.
        """
        depth = card.integer("command.queue_depth")
        if cache_size(card) or card.flag("command.queues_uncached_writes"):
            return min(depth, card.integer("queue.window"))
        return 1

    def is_protected(self, card: Card) -> bool:
        """As :class:`DriveKind` says."""
        return is_protected(card)

    def is_safe(self, card: Card) -> bool:
        """As :class:`DriveKind` says."""
        return not card.flag("write_cache.enabled")

    def write_buffer(self, card: Card) -> int:
        """As :class:`DriveKind` says."""
        return card.integer("write_cache.size") if card.flag("write_cache.enabled") else 0

    def grain(self, card: Card) -> int:
        """As :class:`DriveKind` says."""
        return card.integer("command.max_transfer")

    def sustained_rate(self, card: Card) -> float:
        """A track of the outermost zone in each turn; no more than the link carries."""
        track = card.number("geometry.track_outer") * card.number("spindle.speed")
        return min(rate_of_link(card), track)

    def mean_rates(self, card: Card) -> tuple[float, float]:
        """A track in each turn, at the mean of the outermost and the innermost one.

        Capacity over radius is about linear.
        """
        tracks = card.number("geometry.track_outer") + card.number("geometry.track_inner")
        rate = min(rate_of_link(card), tracks / 2 * card.number("spindle.speed"))
        return rate, rate

    def write_time(self, card: Card, parity: bool) -> float:
        """Without write cache a seek and half a turn; on parity a whole turn after the read."""
        fixed = card.number("command.latency")
        turn = 1 / card.number("spindle.speed")
        read = card.number("seek.read_average") + turn / 2
        if cache_size(card):
            return 2 * fixed + read if parity else fixed
        if parity:
            return 2 * fixed + read + turn
        return fixed + card.number("seek.write_average") + turn / 2

    def demands(
        self, card: Card, flows: Sequence[Flow], waiting: int = UNQUEUED
    ) -> dict[str, float]:
        """Busy shares of controller, arm and link.

        An arm chooses the nearest of the commands that it sorts. Where accesses may prefer places,
        or come sorted, or go to a media cache, each seek counts as one to the next cylinder.
        """
        turn = 1 / card.number("spindle.speed")
        byte = turn / card.number("geometry.track_outer")
        queue = min(card.integer("queue.window"), card.integer("command.queue_depth"), waiting)
        deferred = card.integer("write_cache.entries") if cache_size(card) else 0
        controller = arm = link = 0.0
        for flow in flows:
            total = flow.read + flow.written
            controller += flow.ios * card.number("command.time")
            controller += flow.writes * card.number("command.write_time")
            near = far = card.number("seek.read_single")
            written = near
            if flow.span:
                far = positioning(card, "read", queue, flow.span)
                if not card.has("smr.band"):
                    written = positioning(card, "write", max(queue, deferred), flow.span)
            unsorted = 0.0 if flow.sorted else flow.writes
            reads = (flow.ios - flow.sorted - unsorted) * (1 - flow.held)
            moving = reads * far + unsorted * written + flow.sorted * near
            arm += total * byte + flow.random * moving
            link += total * card.number("link.time_per_byte")
        return {"controller": controller, "arm": arm, "link": link}

    def one_at_a_time(self, card: Card, flows: Sequence[Flow]) -> float | None:
        """A mean seek and half a turn for each random command, a short seek for a sorted one."""
        if not all(flow.span for flow in flows) or card.has("smr.band"):
            return None
        turn = 1 / card.number("spindle.speed")
        byte = turn / card.number("geometry.track_outer")
        busy = 0.0
        for flow in flows:
            unsorted = 0.0 if flow.sorted else flow.writes
            reads = (flow.ios - flow.sorted - unsorted) * (1 - flow.held)
            moving = reads * alone(card, "read", flow.span)
            moving += unsorted * alone(card, "write", flow.span)
            moving += flow.sorted * (card.number("seek.read_single") + turn / 2)
            busy += (flow.read + flow.written) * byte + flow.random * moving
        return busy

    def start_time(self, card: Card) -> float:
        """Until the spindle turns at its speed."""
        return card.number("spindle.start_time")

    def lost_by_name(self, card: Card, volume: str) -> str | None:
        """The data in write caches that are on."""
        if not card.flag("write_cache.enabled"):
            return None
        return f"what the disks of {volume} have in their write caches is lost"

    def has_past(self, card: Card) -> bool:
        """A shingled one has a media cache, full or empty."""
        return card.has("smr.band")

    # -- of a drive of a system ---------------------------------------------------------------

    def renew(self, system: System, drive: int) -> None:
        """The media cache of a shingled one is empty."""
        from raidsim.assembly import shingles  # noqa: PLC0415

        shingles.renew(system, int(system.world.drives[drive]["row"]))

    def prepare(self, system: System, drive: int, past: Past) -> None:
        """The media cache of a shingled one is full of what loads wrote at random."""
        from raidsim.assembly import shingle_past  # noqa: PLC0415

        row = int(self.row(system, drive)["shingles"])
        if past.steady and row != t.NONE:
            longest = min(int(system.world.drives[drive]["max_transfer"]), past.longest)
            shingle_past.fill(system, row, past.streams, past.area_of, longest, past.name)

    def add(
        self, system: System, name: str, card: Card, drive: int, links: Links, in_array: bool
    ) -> int:
        """As :class:`DriveKind` says; in an array a spindle has its own angle and speed."""
        from raidsim.assembly import hdd  # noqa: PLC0415

        return hdd.add(
            system,
            name,
            card,
            drive=drive,
            link_to_host=links.to_host,
            link_to_drive=links.to_drive,
            turning=hdd.spindle(system, name, card) if in_array else hdd.Spindle(),
        )

    def stations(self, system: System, drive: int) -> list[int]:
        """As :class:`DriveKind` says."""
        disk = self.row(system, drive)
        behind = ("controller", "arm", "link_to_host", "link_to_drive")
        return [int(disk[name]) for name in behind]

    def power(self, system: System, drive: int) -> float | None:
        """From idle to active by how busy its arm is.

        The spindle turns as long as there is power; what comes on top is the arm and the channel.
        """
        from raidsim.assembly import supply  # noqa: PLC0415

        front = system.world.drives[drive]
        arm = system.world.stations[self.row(system, drive)["arm"]]
        passed = system.now - int(system.state["slice_origin"])
        if passed == 0:
            return None
        busy = int(arm["busy_area"]) + int(arm["busy"]) * (system.now - int(arm["changed"]))
        idle, active = float(front["idle_power"]), float(front["active_power"])
        turning = supply.powered_share(system, drive)
        return idle * turning + (active - idle) * busy / passed

    def media_cache(self, system: System, drive: int) -> int | None:
        """Row of the media cache of a shingled disk; None of any other."""
        row = int(self.row(system, drive)["shingles"])
        return None if row == t.NONE else row

    def promised(self, system: System, drive: int) -> tuple[str, str, int, int | None] | None:
        """Its cache, if that holds writes; the number of writes depends on their sizes."""
        return ("drives", "unsafe", drive, None) if self.row(system, drive)["cached"] else None

    # -- what a power cut leaves --------------------------------------------------------------

    def unwritten(self, system: System, drive: int) -> Iterator[tuple[int, int]]:
        """Writes in its cache, and the one that its arm is at."""
        from raidsim.kernel.deferred import waiting_tasks  # noqa: PLC0415

        if not self.is_exposed(system, drive):
            return
        disk = self.row(system, drive)
        tasks = waiting_tasks(system.world, disk)
        waiting = tasks[(tasks["op"] == t.WRITE) & (tasks["command"] == t.NONE)]
        for task in waiting:
            yield int(task["offset"]), int(task["offset"] + task["length"])
        if disk["moving"] == 1 and disk["op"] == t.WRITE and disk["command"] == t.NONE:
            yield int(disk["offset"]), int(disk["offset"] + disk["length"])

    def progress(self, system: System, drive: int, command: int) -> int:
        """As :class:`DriveKind` says."""
        disk = self.row(system, drive)
        return PARTLY if disk["moving"] == 1 and disk["command"] == command else WAITING

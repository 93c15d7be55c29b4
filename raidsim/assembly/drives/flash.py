"""Solid state drives, as a kind of drive.

The kernel is imported inside the functions that need it, so questions about cards do not load it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raidsim.assembly import mapping, slc
from raidsim.assembly.amplification import amplification
from raidsim.assembly.drives.kind import (
    PARTLY,
    UNQUEUED,
    WAITING,
    DriveKind,
    Flow,
    Links,
    Past,
    Wear,
    rate_of_link,
)
from raidsim.assembly.sata import link_times
from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.kernel.ftl_tables import RESERVE
from raidsim.kernel.map_tables import MAP_PAGE
from raidsim.kernel.reply import at_risk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from raidsim.system.system import System

SOON = 1.5  # times too soon: some of the few spare blocks of a small map are always open


class Flash(DriveKind):
    """Flash behind a page map."""

    name = "ssd"
    number = t.DRIVE_SSD
    table = "ssds"
    medium = "flash"
    buffer = "buffer"
    lossy = (
        "is not protected",
        'choose a drive with power-loss protection, or set disk_cache = "off", which costs much',
    )
    unit = "mapping.unit"
    unit_verb = "maps"
    by_pages = True
    keeps_map = True
    has_driver = True

    # -- of a card ----------------------------------------------------------------------------

    def check(self, card: Card) -> None:
        """As :class:`DriveKind` says."""
        from raidsim.assembly import ssd  # noqa: PLC0415

        ssd.check(card)

    def queue_depth(self, card: Card) -> int:
        """As :class:`DriveKind` says."""
        return card.integer("command.queue_depth")

    def latency(self, card: Card) -> float:
        """As :class:`DriveKind` says: less what is on the link of a SATA drive."""
        return link_times(card).latency

    def is_protected(self, card: Card) -> bool:
        """As :class:`DriveKind` says."""
        return card.flag("buffer.protected")

    def is_safe(self, card: Card) -> bool:
        """As :class:`DriveKind` says."""
        return card.flag("buffer.protected") or not card.flag("write_cache.enabled")

    def write_buffer(self, card: Card) -> int:
        """As :class:`DriveKind` says."""
        holds = card.flag("write_cache.enabled") or card.flag("buffer.protected")
        return card.integer("buffer.size") if holds else 0

    def grain(self, card: Card) -> int:
        """As :class:`DriveKind` says."""
        page = card.integer("flash.page")
        interleaved = card.integer("flash.interleave") > 1
        return min(page, card.integer("mapping.unit")) if interleaved else page

    def sustained_rate(self, card: Card) -> float:
        """The slowest of link, data path, all channels, and all dies reading."""
        times = (
            card.number("data_path.read_time_per_byte"),
            card.number("flash.channel_read_time_per_byte") / card.number("flash.channels"),
            card.number("flash.read_time") / _at_once(card),
        )
        return min(rate_of_link(card), *(1 / time for time in times if time > 0))

    def mean_rates(self, card: Card) -> tuple[float, float]:
        """The slowest of link, data path, channels and dies; empty flash collects nothing."""
        times = (
            card.number("link.time_per_byte"),
            card.number("data_path.write_time_per_byte"),
            card.number("flash.channel_write_time_per_byte") / card.number("flash.channels"),
            card.number("flash.program_time") / _at_once(card),
        )
        return self.sustained_rate(card), min(1 / time for time in times if time > 0)

    def write_time(self, card: Card, parity: bool) -> float:
        """The time until the drive acknowledges a write, from its buffer or from the flash."""
        fixed = card.number("command.latency") + card.number("front_end.command_time")
        if not (card.flag("write_cache.enabled") or card.flag("buffer.protected")):
            fixed += card.number("flash.program_time")
        return 2 * fixed + card.number("flash.read_time") if parity else fixed

    def demands(
        self,
        card: Card,
        flows: Sequence[Flow],
        waiting: int = UNQUEUED,  # noqa: ARG002
    ) -> dict[str, float]:
        """Busy shares of front end, data path, dies and link; moving garbage takes dies, too."""
        read = sum(flow.read for flow in flows)
        written = sum(flow.written for flow in flows)
        front_end = sum(flow.ios for flow in flows) * card.number("front_end.command_time")
        writes = sum(flow.writes for flow in flows)
        front_end += writes * card.number("front_end.write_time")
        reads = sum(flow.ios for flow in flows) - writes
        front_end += reads * card.number("front_end.read_time")
        moved = sum(
            flow.random * flow.written * (amplification(flow.spare) - 1)
            for flow in flows
            if flow.spare is not None
        )
        if card.number("front_end.move_time") > 0:
            front_end += moved / self.map_unit(card) * card.number("front_end.move_time")
        # What stays in an SLC cache until it is written again is never programmed elsewhere.
        programmed = moved + (0.0 if card.has("slc.size") and not moved else written)
        dies = programmed * card.number("flash.program_time")
        dies += moved * card.number("flash.read_time")
        # What is written crosses the data path twice: into the buffer, and out to all channels.
        flush = card.number("flash.channel_write_time_per_byte") / card.number("flash.channels")
        link = link_times(card)
        each_way = max(read + reads * link.command, written + writes * link.command)
        return {
            "front end": front_end / card.number("front_end.cores"),
            "data path": read * card.number("data_path.read_time_per_byte")
            + written * (card.number("data_path.write_time_per_byte") + flush),
            "flash dies": dies / _at_once(card),
            "link": each_way * link.per_byte,
        }

    def map_unit(self, card: Card) -> int:
        """As :class:`DriveKind` says."""
        return int(card.number("mapping.unit"))

    def fit_step(self, card: Card, attribute: str) -> float:
        """Whole program units are read ahead."""
        if attribute != "read_ahead.depth":
            return 0.0
        return card.number("flash.planes") * card.number("flash.page")

    # -- of a drive of a system ---------------------------------------------------------------

    def add(
        self,
        system: System,
        name: str,
        card: Card,
        drive: int,
        links: Links,
        in_array: bool,  # noqa: ARG002
    ) -> int:
        """As :class:`DriveKind` says; beside others it is as it is alone."""
        from raidsim.assembly import ssd  # noqa: PLC0415

        return ssd.add(
            system,
            name,
            card,
            drive=drive,
            link_to_host=links.to_host,
            link_to_drive=links.to_drive,
        )

    def stations(self, system: System, drive: int) -> list[int]:
        """As :class:`DriveKind` says."""
        row = self.row(system, drive)
        single = ("front_end", "path", "link_to_host", "link_to_drive")
        channels, first = int(row["channels"]), int(row["first_channel"])
        dies = channels * int(row["dies"])
        of_map = [] if row["map"] == t.NONE else mapping.stations_of(system, int(row["map"]))
        return [
            *of_map,
            *dict.fromkeys(int(row[name]) for name in single),
            *range(first, first + channels),
            *range(int(row["first_die"]), int(row["first_die"]) + dies),
        ]

    def power(self, system: System, drive: int) -> float | None:
        """Power between idle and active, by the busiest part: data path, link, channels or dies.

        At the highest rates of its data sheet one of them is busy all the time, and the drive takes
        the printed power. Only channels and dies show the work of garbage collection.
        """
        from raidsim.assembly import supply  # noqa: PLC0415

        front, row = system.world.drives[drive], self.row(system, drive)
        passed = system.now - int(system.state["slice_origin"])
        if passed == 0:
            return None
        number = int(row["channels"])
        channels = list(range(int(row["first_channel"]), int(row["first_channel"]) + number))
        first = int(row["first_die"])
        dies = list(range(first, first + number * int(row["dies"])))
        single = ("path", "link_to_host", "link_to_drive")
        stations = system.world.stations
        parts = [channels, dies, *([int(row[name])] for name in single)]
        busy = max(_busy(stations[part], system.now) for part in parts) / passed
        idle, active = float(front["idle_power"]), float(front["active_power"])
        return idle * supply.powered_share(system, drive) + (active - idle) * busy

    def renew(self, system: System, drive: int) -> None:
        """As :class:`DriveKind` says."""
        from raidsim.assembly import ftl  # noqa: PLC0415

        row = self.row(system, drive)
        ftl.renew(system, int(row["ftl"]))
        if row["map"] != t.NONE:
            mapping.renew(system, int(row["map"]))
        if row["slc"] != t.NONE:
            slc.renew(system, int(row["slc"]), system.cards[drive])

    def prepare(self, system: System, drive: int, past: Past) -> None:
        """Its map as these writes leave it, and its SLC cache if they went on till now."""
        from raidsim.assembly import ftl  # noqa: PLC0415

        row = self.row(system, drive)
        ftl.prepare(
            system,
            int(row["ftl"]),
            unit=int(row["unit"]),
            filled=past.filled,
            streams=past.streams if past.steady else (),
            area_of=past.area_of,
        )
        card = system.cards[drive]
        if row["map"] != t.NONE:
            mapping.prepare(
                system,
                int(row["map"]),
                card,
                filled=past.filled,
                areas=past.areas(system),
                written=past.areas(system, written=True) if past.steady else (),
            )
        if row["slc"] != t.NONE:
            written = past.written(system) or t.NEVER if past.steady else 0
            slc.prepare(system, int(row["slc"]), card, filled=past.filled, written=written)

    def trim(self, system: System, drive: int, begin: int, end: int, to_the_end: bool) -> None:
        """As :class:`DriveKind` says; mapping units that are trimmed in part stay."""
        from raidsim.assembly import ftl  # noqa: PLC0415

        row = self.row(system, drive)
        unit = int(row["unit"])
        last = t.NEVER if to_the_end else end // unit
        ftl.trim(system, int(row["ftl"]), -(-begin // unit), last)
        if row["slc"] != t.NONE:
            slc.trim(system, int(row["slc"]), -(-begin // unit), last)

    def wear(self, system: System, drive: int) -> Wear:
        """A part of a mapping unit costs a whole one, whose rest is read and programmed again."""
        head, card = system.world.drives[drive], system.cards[drive]
        number, row = int(head["row"]), self.row(system, drive)
        stored = system.since("ssds", number, "stored")
        moved = system.since("ssds", number, "moved")
        written = system.since("ftls", int(row["ftl"]), "written")
        if row["slc"] != t.NONE:  # what goes through an SLC cache is programmed twice
            cache = int(row["slc"])
            written += system.since("slcs", cache, "taken") - system.since("slcs", cache, "mapped")
            moved += system.since("slcs", cache, "folded")
        if row["map"] != t.NONE:
            moved += system.since("maps", int(row["map"]), "left") * MAP_PAGE
        units = written * int(row["unit"])
        amplification = (max(units, stored) + moved) / stored if stored > 0 else None
        flash = int(head["size"]) * (1 + card.number("flash.spare"))
        whole = stored + system.since("ssds", number, "filled")
        programmed = system.since("ssds", number, "programmed") + max(units - whole, 0)
        return Wear(amplification, programmed / flash)

    def burst(self, system: System, drive: int) -> int:
        """Return the bytes that fit into its SLC cache."""
        number = int(self.row(system, drive)["slc"])
        return 0 if number == t.NONE else int(system.world.slcs[number]["size"])

    def unsteady(self, system: System, drive: int, *, scattered: bool) -> str | None:
        """Return the reason why its figures change while it is written to.

        Its SLC cache has begun to fill, or was folded, by more than what is always under way. Or it
        was fresh or filled, and has free blocks left, so that nothing is collected yet of what is
        scattered. Or it
        collects although it has not been written over: what is written to an empty drive counts in
        full on a page map that is scaled down.
        """
        if self.row(system, drive)["slc"] == t.NONE:
            free = self._has_free_blocks(system, drive) if scattered else None
            return free or self._collects_too_soon(system, drive)
        found = [self._fills_its_cache(system, drive), self._collects_too_soon(system, drive)]
        return " and ".join(filter(None, found)) or None

    def _fills_its_cache(self, system: System, drive: int) -> str | None:
        """Say so if the SLC cache of a drive holds more than it did, or less; else None."""
        number = int(self.row(system, drive)["slc"])
        cache = system.world.slcs[number]
        size, held = int(cache["size"]), int(cache["held"])
        programmed = system.since("slcs", number, "programmed")
        change = programmed - sum(system.since("slcs", number, of) for of in ("folded", "dropped"))
        if abs(change) <= slc.LITTLE * size:
            return None
        before, after = (f"{part / 1e9:.3g}" for part in (held - change, held))
        return f"its SLC cache of {size / 1e9:.3g} GB went from {before} to {after} GB"

    def _has_free_blocks(self, system: System, drive: int) -> str | None:
        """Say so if no garbage is collected yet, since there are free blocks; else None."""
        number = int(self.row(system, drive)["ftl"])
        table = system.world.ftls[number]
        if not system.since("ftls", number, "written"):
            return None
        # Filled by sequential writes, it opens the blocks that it has beyond its capacity.
        if table["free"] <= RESERVE and (table["moved"] or table["erased"]):
            return None
        return "it wrote to free blocks and collected no garbage yet"

    def _collects_too_soon(self, system: System, drive: int) -> str | None:
        """Say so if garbage is collected where a map of true size had free flash; else None."""
        row = self.row(system, drive)
        number = int(row["ftl"])
        table = system.world.ftls[number]
        units, scale = int(table["units"]), int(table["scale"])
        written = int(system.world.drives[drive]["host_written"]) // int(row["unit"])
        before = int(table["written"]) - written
        if row["slc"] != t.NONE:  # what is in an SLC cache has no place on the map yet
            cache = system.world.slcs[row["slc"]]
            before += int(cache["taken"]) - int(cache["mapped"])
            before += int(cache["dropped"]) // int(row["unit"])
        flash = int(table["blocks"]) * int(table["block_units"])
        if scale == 1 or not system.since("ftls", number, "moved"):
            return None
        if before > units:
            return None
        early = (flash - before) * scale / max(written, 1)
        if early < SOON:
            return None
        return f"garbage is collected ({early:.2g} times too soon, as its page map is scaled down)"

    def promised(self, system: System, drive: int) -> tuple[str, str, int, int | None] | None:
        """The buffer that writes wait in for a die."""
        row = int(system.world.drives[drive]["row"])
        return "ssds", "buffered", row, int(system.world.ssds[row]["buffer"])

    # -- what a power cut leaves --------------------------------------------------------------

    def unplaced(self, system: System, drive: int) -> int:
        """Return the acknowledged bytes in its write buffer."""
        if not self.is_exposed(system, drive):
            return 0
        return int(at_risk(system.world.drives[drive]))

    def progress(self, system: System, drive: int, command: int) -> int:  # noqa: ARG002
        """As :class:`DriveKind` says."""
        job = system.world.jobs[command]
        under_way = job["stage"] == t.STAGE_COMMAND_DECODED and job["pending"] > 0
        return PARTLY if under_way else WAITING


def _at_once(card: Card) -> float:
    """Bytes that all dies read or program at a time."""
    channels = card.number("flash.channels")
    groups = channels * card.number("flash.dies_per_channel") / card.number("flash.dies_in_step")
    return card.number("flash.page") * card.number("flash.planes") * groups


def _busy(stations: NDArray[np.void], now: int) -> float:
    """Time in the window that these stations were busy, ns of each on average."""
    areas = stations["busy_area"] + stations["busy"] * (now - stations["changed"])
    return float((areas / stations["servers"]).mean())

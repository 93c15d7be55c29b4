"""A job of fio as a ``[[load]]`` of raidsim: its options, and those that are not simulated.

There are four cases for an option: it is simulated; it has no effect on the I/Os; it is left out
(with the consequence); or the job cannot be simulated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raidsim import units
from raidsim.errors import quote
from raidsim.fio import values
from raidsim.fio.option_words import (
    ALIASES,
    ASYNCHRONOUS,
    HARMLESS,
    MEANINGS,
    NO_STORAGE,
    REFUSED,
    SYNCHRONOUS,
)
from raidsim.fio.values import Unreadable, flag
from raidsim.measured.job import MeasuredJob
from raidsim.measured.said import RATE_HELD

KINDS = {"read": 1.0, "write": 0.0, "trim": 0.0, "rw": None, "readwrite": None}
ENGINE = "psync"  # fio's own choice on Linux
_MIX = ("rwmixread", "rwmixwrite")
_BINARY = re.compile(r"\d\s*[kmgtp]ib\b", re.IGNORECASE)
_OFF = ("0", "none")
_FORCED = ("1", "2", "sync", "dsync")
_APART = ("0", "none", "2", "both")  # reads and writes are (also) reported apart
NO_MAP = "addresses are drawn anew each time; fio's map visits each block once before any twice"
NO_SUCH_KIND = "is none of read, write, trim, rw, randread, randwrite, randtrim, randrw"
NO_TRIM_WRITES = "raidsim has no trims that come before the writes of a block"
PAGE_CACHE = (
    "without direct=1 the page cache of the host answers reads that it holds, and takes writes;"
    " raidsim has none"
)


@dataclass(frozen=True)
class Note:
    """An option that is not simulated as it stands, and what that means."""

    option: str
    value: str
    meaning: str


@dataclass
class Played:
    """A load for a job.

    Attributes
    ----------
    table : keys of a ``[[load]]``, with units.
    notes : what is left out, and what that means.
    without_effect : options that change nothing of the I/Os.
    refused : why the job cannot be played; empty if it can.
    assumed : what the result does not say, and where it is from.
    is_synchronous : whether its engine has one I/O at a time: its completion latency is the total.
    is_buffered : whether the page cache is in between.
    is_at_rate : whether it issues at a rate, rather than as fast as it can.
    """

    table: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    without_effect: list[str] = field(default_factory=list)
    refused: list[Note] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    is_synchronous: bool = False
    is_buffered: bool = False
    is_at_rate: bool = False

    @property
    def outstanding(self) -> int:
        """I/Os of each worker, of a load that is as fast as it can be."""
        return int(self.table.get("outstanding", 1))


def play(job: MeasuredJob, capacity: int | None) -> Played:
    """The load that a job's options ask for, on a volume of so many bytes, or any (None)."""
    return _Player(job, capacity).play()


class _Player:
    def __init__(self, job: MeasuredJob, capacity: int | None) -> None:
        self.job = job
        self.whole = capacity  # of which offsets and sizes may be shares
        self.capacity = values.MOST if capacity is None else capacity
        self.given = {
            ALIASES.get(name.strip().lower(), name.strip().lower()): str(value).strip()
            for name, value in job.options.items()
        }
        self.read: set[str] = set()
        self.mean_size = 0.0
        self.trims = False
        self.played = Played()

    def option(self, name: str, default: str) -> str:
        """The value of an option, which counts as read."""
        self.read.add(name)
        return self.given.get(name, default)

    def note(self, name: str, meaning: str, default: str = "") -> None:
        self.played.notes.append(Note(name, self.given.get(name, default), meaning))

    def refuse(self, name: str, why: str, default: str = "") -> None:
        self.played.refused.append(Note(name, self.given.get(name, default), why))

    def play(self) -> Played:
        """Go through all that a load has, then through the options that are left."""
        if not self.given:
            why = "old versions of fio write no options of jobs; give the job file as well"
            self.refuse("job options", why)
            return self.played
        try:
            self._base = 1000 if self.option("kb_base", "1024") == "1000" else 1024
            for part in (self._what, self._sizes, self._how_many, self._where, self._how_often):
                part()
            self._units()
        except _Stop:
            pass
        self._rest()
        return self.played

    def value(self, name: str, default: str, reader: Any, *arguments: Any) -> Any:
        """The value of an option, or the job is refused."""
        return self.part(name, self.option(name, default), reader, *arguments)

    def part(self, name: str, text: str, reader: Any, *arguments: Any) -> Any:
        """The value of a part of an option, or the job is refused."""
        try:
            return reader(text, *arguments)
        except Unreadable as error:
            self.refuse(name, f"{quote(text)} {error}", text)
            raise _Stop from None

    def halves(self, name: str, default: str) -> tuple[str, str]:
        """The values for reads and for writes (or trims); one alone is for both."""
        parts = [part.strip() for part in self.option(name, default).split(",")]
        if self.trims and len(parts) > 2:
            return parts[2], parts[2]
        return parts[0], (parts[1] if len(parts) > 1 and parts[1] else parts[0])

    def _units(self) -> None:
        """Say what fio makes of units that look like binary ones."""
        for name in sorted(self.read & self.given.keys()):
            if self._base == 1024 and _BINARY.search(self.given[name]):
                meaning = "fio takes KiB for 1000 bytes, and k for 1024; kb_base=1000 swaps them"
                self.note(name, meaning)

    # -- what a load has ----------------------------------------------------------------

    def _what(self) -> None:
        """Reads or writes, at random or in sequence, and through which engine."""
        self.read |= set(_MIX)
        rw, _, step = self.option("rw", "read").partition(":")
        rw = rw.lower()
        random = rw.startswith("rand")
        kind = rw.removeprefix("rand")
        if kind not in KINDS:
            why = NO_TRIM_WRITES if kind == "trimwrite" else NO_SUCH_KIND
            self.refuse("rw", why, "read")
            raise _Stop
        if step:
            self.note("rw", f"the {'runs' if random else 'gaps'} after the colon are not simulated")
        share = KINDS[kind]
        if share is None:
            share = self._mix()
        else:
            self.played.without_effect += [one for one in _MIX if one in self.given]
        self.share = share
        self.played.table["read"] = _share(share)
        self.trims = kind == "trim"
        if self.trims:
            self.played.table["trim"] = _share(1.0)
        chance = 1.0 if random else 0.0
        if "percentage_random" in self.given:
            texts = self.halves("percentage_random", "100")
            chances = [self.part("percentage_random", t, values.percent) for t in texts]
            chance = chances[0] if share > 0.5 else chances[1]
            if not random:
                self.note("percentage_random", "fio uses it in random jobs only")
                chance = 0.0
            elif chances[0] != chances[1] and 0 < share < 1:
                self.refuse("percentage_random", "raidsim has one share for reads and writes")
        self.chance = chance
        self.played.table["random"] = _share(chance)
        self.read |= {"norandommap"}
        self._engine()

    def _mix(self) -> float:
        """The share of reads; of two that are given the later one counts, as for fio."""
        names = [name for name in self.given if name in _MIX]
        if not names:
            return 0.5
        found: float = self.value(names[-1], "50", values.percent)
        return found if names[-1] == "rwmixread" else 1 - found

    def _engine(self) -> None:
        engine = self.option("ioengine", ENGINE).lower().split(":")[0]
        if engine in NO_STORAGE:
            self.refuse("ioengine", "it does no I/O to storage")
            raise _Stop
        if engine == "mmap":
            self.refuse("ioengine", "it reads and writes through the page cache; raidsim has none")
            raise _Stop
        self.played.is_synchronous = engine in SYNCHRONOUS
        if engine not in SYNCHRONOUS | ASYNCHRONOUS:
            self.note(
                "ioengine", "raidsim does not know it, and takes it for one that uses iodepth"
            )
        direct = flag(self.option("direct", "0"))
        buffered = flag(self.option("buffered", "0")) if "buffered" in self.given else not direct
        self.played.is_buffered = buffered
        if buffered:
            self.note("direct", PAGE_CACHE, "0")

    def _sizes(self) -> None:
        if "bssplit" in self.given:
            self._split()
            return
        texts = self.halves("bs", "4k")
        found = [self.part("bs", t, values.size, self._base) for t in texts]
        if found[0] != found[1] and 0 < self.share < 1:
            self._apart([(found[0], 1.0)], [(found[1], 1.0)])
            return
        size = self._for_both("bs", found)
        self.played.table["size"] = _size(size)
        self.size = self.mean_size = size

    def _for_both(self, name: str, found: list[int]) -> int:
        """One value for reads and writes, where a load needs one."""
        if found[0] != found[1] and 0 < self.share < 1:
            self.refuse(name, "raidsim has the same sizes for reads and writes of a load")
            raise _Stop
        return found[0] if self.share > 0 else found[1]

    def _split(self) -> None:
        """A mix of sizes."""
        reads, writes = self.halves("bssplit", "")
        self.read.add("bs")
        if reads != writes and 0 < self.share < 1:
            self._apart(self._entries(reads), self._entries(writes))
            return
        sizes = self._entries(reads if self.share > 0 else writes)
        self.played.table["sizes"] = [
            {"size": _size(one), "share": _share(part)} for one, part in sizes
        ]
        self._of_mix(sizes)

    def _apart(self, reads: list[tuple[int, float]], writes: list[tuple[int, float]]) -> None:
        """Reads and writes have sizes of their own."""
        del self.played.table["read"]
        kinds = ((reads, self.share, 1.0), (writes, 1 - self.share, 0.0))
        self.played.table["sizes"] = [
            {"size": _size(one), "share": _share(part * of_all), "read": _share(read)}
            for sizes, of_all, read in kinds
            for one, part in sizes
        ]
        self._of_mix([(one, part * of_all) for sizes, of_all, _ in kinds for one, part in sizes])

    def _of_mix(self, sizes: list[tuple[int, float]]) -> None:
        self.size = max(one for one, _ in sizes)
        self.mean_size = sum(one * part for one, part in sizes)
        # Unlike raidsim, fio aligns each size to itself unless an option changes this.
        self.played.table["align"] = _size(min(one for one, _ in sizes))

    def _entries(self, text: str) -> list[tuple[int, float]]:
        """Sizes and their shares of one list."""
        text = text.rstrip(":")
        entries = [entry.partition("/")[::2] for entry in text.split(":")]
        sizes = [self.part("bssplit", size, values.size, self._base) for size, _ in entries]
        shares = self.part("bssplit", text, values.split)
        written = [share.strip().rstrip("%") for _, share in entries]
        if any(
            one and one != f"{100 * share:.0f}" for one, share in zip(written, shares, strict=True)
        ):
            taken = ", ".join(f"{100 * share:.3g}" for share in shares)
            self.note("bssplit", f"fio takes its shares for {taken} %")
        return [(one, part) for one, part in zip(sizes, shares, strict=True) if part > 0]

    def _how_many(self) -> None:
        workers = self.value("numjobs", "1", values.count, 1, 1024, self._base)
        depth = self.value("iodepth", "1", values.count, 1, 65536, self._base)
        if self.played.is_synchronous and depth > 1:
            self.note("iodepth", "this engine has one I/O at a time, for any iodepth")
            depth = 1
        if workers > 1:
            self.played.table["workers"] = workers
        self.workers = workers
        self.played.table["outstanding"] = depth

    def _where(self) -> None:
        """The part of the volume: `offset`, `size`, and what each worker has of it."""
        offset = self.value("offset", "0", values.size, self._base, self.whole)
        align = self.size
        if "blockalign" in self.given:
            texts = self.halves("blockalign", "")
            found = [self.part("blockalign", t, values.size, self._base) for t in texts]
            align = self._for_both("blockalign", found)
            self.played.table["align"] = _size(align)
        if self.given.get("offset", "").strip().endswith("%"):  # the next block begins there
            offset = -(-offset // max(align, 1)) * align
        size = None
        if "size" in self.given:
            size = self.value("size", "", values.size, self._base, self.whole)
            if self.given["size"].strip().endswith("%"):
                if self.whole is not None and offset < self.whole < offset + size:
                    size = self.whole - offset
                    self.note("size", "with the offset it ends with the device, as in fio")
                size = size // max(align, 1) * align
        self._partition(align)
        self._files()
        room = self.capacity // (self.workers if self.played.table.get("partitions") else 1)
        if size is not None and offset + size > room:
            end, there = _size(offset + size), _size(room)
            self.refuse("size", f"with the offset it ends at {end}, but only {there} are available")
            raise _Stop
        if size is None and offset >= room:
            self.refuse("offset", f"it lies beyond the {_size(room)} that there are for it")
            raise _Stop
        area = {"offset": _size(offset)}
        if size:
            area["size"] = _size(size)
        else:
            self.note("size", "not given: the whole volume is taken")
        self.played.table["area"] = area
        self._distribution()
        self._map()

    def _map(self) -> None:
        """Return whether each block is visited once before any twice, as fio does by itself."""
        table = self.played.table
        anew = flag(self.given.get("norandommap", "0")) or any(
            key in table for key in ("zipf", "hot", "zones")
        )
        if self.chance == 0 or anew:
            return
        if self.chance == 1 and "sizes" not in table:
            table["once"] = True
        else:
            self.note("norandommap", NO_MAP, "0")

    def _partition(self, align: int) -> None:
        """Return whether each worker has a part of its own: `offset_increment`, or own files."""
        if self.workers == 1:
            self.read |= {"offset_increment"}
            return
        if "offset_increment" in self.given:
            step = self.value("offset_increment", "0", values.size, self._base, self.whole)
            if step > 0:
                self.played.table["partitions"] = True
                part = self.capacity // self.workers // align * align
                if step != part and self.whole is not None:
                    self.note("offset_increment", f"each worker has {_size(part)} to itself here")
        elif "filename" not in self.given:
            self.played.table["partitions"] = True
            meaning = "not given: each worker has a file, taken to be in its own part of the volume"
            self.note("filename", meaning)

    def _files(self) -> None:
        """Several devices in one job, with a colon between two (none that is escaped)."""
        several = re.split(r"(?<!\\):", self.given.get("filename", ""))
        if len(several) > 1:
            self.read |= {"filename"}
            meaning = f"{len(several)} files or devices: all are taken as the one volume"
            self.note("filename", meaning)

    def _distribution(self) -> None:
        law, _, given = self.option("random_distribution", "random").partition(":")
        if self.chance == 0 or law == "random":
            return
        even = "accesses are spread evenly here, so that caches hold less of them"
        try:
            if law == "zipf":
                theta = values.number(given.split(":")[0] or "1.1")
                self.played.table["zipf"] = min(max(theta, 0.01), 5.0)
            elif law == "zoned" and "," not in given:
                zones = _zones(given)
                uneven = {"hot": zones[0]} if len(zones) == 2 else {"zones": zones}
                self.played.table |= uneven
            else:
                self.note("random_distribution", even)
        except (Unreadable, ValueError):
            self.note("random_distribution", f"is not understood: {even}")

    def _how_often(self) -> None:
        """A rate, if the job reached it; think time."""
        rate = self._rate()
        if rate is not None and self.job.iops >= RATE_HELD * rate:
            table = self.played.table
            del table["outstanding"]
            self.played.is_at_rate = True
            table["rate"] = units.text(rate / self.workers, "rate")
            process = self.option("rate_process", "linear")
            if process == "linear":
                table["rate_distribution"] = "constant"
            elif process != "poisson":
                self.note("rate_process", "is not known: arrivals are random (Poisson)", process)
            self.note(
                "iodepth", "a simulated rate does not depend on the number of outstanding I/Os", "1"
            )
        elif rate is not None:
            self.read.add("rate_process")
            name = "rate_iops" if "rate_iops" in self.given else "rate"
            self.note(name, "it was not reached: simulated as fast as possible")
        self._think()
        self._flush()

    def _flush(self) -> None:
        """After so many writes a flush, where the job waits for it; writes that wait for it."""
        if self.share < 1 and not self.trims and self.option("sync", "0").lower() in _FORCED:
            self.played.table["fua"] = True
        every = [
            self.value(name, "0", values.count, 0, 10**9, self._base)
            for name in ("fsync", "fdatasync")
        ]
        if not any(every) or self.share == 1:
            return
        if self.played.is_at_rate:
            self.note("fsync", "flushes together with a rate are not simulated")
        else:
            self.played.table["flush_every"] = min(one for one in every if one)

    def _rate(self) -> float | None:
        """IO/s that all its workers ask for together; None if it is as fast as it can be."""
        for name, unit in (("rate_iops", 1.0), ("rate", self.mean_size)):
            if name not in self.given:
                continue
            parts = [one.strip() for one in self.option(name, "").split(",")]
            reader = values.integer if name == "rate_iops" else values.size
            found = [self.part(name, t, reader, self._base) if t else 0.0 for t in parts[:2]]
            each = [found[0], found[-1]]
            active = [
                one
                for one, share in zip(each, (self.share, 1 - self.share), strict=True)
                if share > 0
            ]
            if not all(active):
                self.note(name, "it limits reads or writes only, which is not simulated")
                return None
            if len(active) == 2 and "read" in self.played.table:
                # Reads and writes each have their own rate: that is the mix.
                self.share = each[0] / sum(each)
                self.played.table["read"] = _share(self.share)
            return float(sum(active) / unit * self.workers)
        return None

    def _think(self) -> None:
        think = self.value("thinktime", "0", values.seconds, 1e-6)
        blocks = self.value("thinktime_blocks", "1", values.count, 1, 10**9, self._base)
        self.read |= {"thinktime_blocks_type", "thinktime_iotime"}
        if think == 0:
            return
        if self.played.is_at_rate:
            self.note("thinktime", "it is left out if there is a rate")
        elif blocks > 1:
            self.note("thinktime", "pauses after several I/Os are not simulated")
        else:
            self.played.table["think"] = f"{think * 1e6:g} us"
            if self.played.outstanding > 1:
                self.note(
                    "thinktime",
                    "here each outstanding I/O waits separately; in fio all wait together",
                )

    # -- what is left -------------------------------------------------------------------

    def _rest(self) -> None:
        """Options that no part of a load has read."""
        noted = {note.option for note in (*self.played.notes, *self.played.refused)}
        for name, value in self.given.items():
            if name in self.read or name in noted:
                continue
            if name in HARMLESS:
                self.played.without_effect.append(name)
            elif name in REFUSED:
                if name == "unified_rw_reporting" and value.lower() in _APART:
                    self.played.without_effect.append(name)
                else:
                    self.refuse(name, REFUSED[name])
            elif name in MEANINGS:
                if value in _OFF or (name == "iomem" and "huge" not in value):
                    self.played.without_effect.append(name)
                else:
                    self.note(name, MEANINGS[name])
            else:
                self.note(name, "raidsim does not know it: left out")


def _zones(text: str) -> list[dict[str, str]]:
    """Zones as fio has them: accesses/area, both in percent; an area left out shares the rest."""
    pairs = [zone.split("/") for zone in text.split(":")]
    if any(len(pair) != 2 for pair in pairs):
        raise Unreadable("is not a list of accesses/area")
    found = [
        tuple(values.whole_percents(one) / 100 for one in (area, hits)) for hits, area in pairs
    ]
    if any(abs(sum(part) - 1) > 1e-9 for part in zip(*found, strict=True)):
        raise Unreadable("does not add up to 100 %")
    return [{"area": _share(area), "accesses": _share(hits)} for area, hits in found]


class _Stop(Exception):
    """The job cannot be played."""


def _share(share: float) -> str:
    return f"{100 * share:.10g} %"


def _size(number: int) -> str:
    return units.text(number, "size")


def described(options: Mapping[str, str]) -> str:
    """The options that say most of a job, in a line."""
    names = (
        "rw",
        "bs",
        "iodepth",
        "numjobs",
        "rwmixread",
        "percentage_random",
        "rate_iops",
        "rate",
    )
    given = {ALIASES.get(name, name): value for name, value in options.items()}
    return ", ".join(f"{name}={given[name]}" for name in names if name in given)

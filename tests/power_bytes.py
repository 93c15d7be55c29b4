"""Real bytes under a power cut: what lies on platters, in buffers and in a cache, followed by hand.

The kernel runs instant by instant. After each one its tables say which commands drives have
answered and which accesses their arms have ended; here the bytes of these commands go where they
belong: eight bytes stand for a sector of 512, different for every write. What a task writes,
parity included, comes from :mod:`raidsim.store`. A drive never lets older data overwrite newer.

When the power goes, buffers of drives are empty, of a write under way some sectors are on the
platter, and nothing that is to come comes - unless a protected controller or a journal finishes
what had begun. A log of partial parity makes parity agree with the data that is there, and with
what a lost drive held.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from raidsim.assembly.volume_rows import drives_of
from raidsim.control.model import build
from raidsim.intervene import power, promises
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_BITMAP, ERRAND_LOG
from raidsim.layout.address import held, place
from raidsim.layout.arrange import WORDS, arrange
from raidsim.layout.tables import DATA, MIRRORED, WRITE, P, Q
from raidsim.result.cuts import VolumeCut
from raidsim.scenario import from_data
from raidsim.store.array import Store

NOTES = (ERRAND_BITMAP, ERRAND_LOG)  # which lie beside the data
KIB = 1024
SECTOR = 512
BYTES = 8  # that stand for a sector
SCALE = SECTOR // BYTES
STRIP = 16 * KIB
ROWS = 6
FLUSHING = {
    "cache.flush_time": "0.02 s",
    "cache.low_mark": "0 %",
}  # dirty lines are written back soon
Content = np.ndarray[Any, np.dtype[np.uint8]]


def content_of(version: int, sector: int) -> bytes:
    """What write ``version`` puts into a sector; zeros before the first."""
    if version == 0:
        return bytes(BYTES)
    return hashlib.blake2b(f"{version} {sector}".encode(), digest_size=BYTES).digest()


class Drives(Store):
    """Bytes of an array as its drives show them, that can tell what a write would put where."""

    def planned(self, address: int, content: Content) -> list[tuple[int, int, Content]]:
        """What a write puts on which drive, and where; nothing is written."""
        self.listed: list[tuple[int, int, Content]] = []
        self.write(address, content)
        return self.listed

    def _write_phase(self, table: Any, contents: Any, phase: int) -> None:
        there, self.drives = self.drives, [drive.copy() for drive in self.drives]
        super()._write_phase(table, contents, phase)
        for access in table:
            if access["phase"] == phase and access["op"] == WRITE:
                start, end = int(access["offset"]), int(access["offset"] + access["length"])
                drive = int(access["drive"])
                self.listed.append((drive, start, self.drives[drive][start:end].copy()))
        self.drives = there


@dataclass
class Surface:
    """Bytes of one drive, and the number of the task that last wrote each sector."""

    data: Content
    task: np.ndarray[Any, np.dtype[np.int64]]

    def put(self, start: int, content: Content, task: Any) -> None:
        """Write sectors from byte ``start`` on, unless a later task has."""
        first, count = start // BYTES, len(content) // BYTES
        sectors = slice(first, first + count)
        newer = np.broadcast_to(task, count) >= self.task[sectors]
        self.task[sectors][newer] = np.broadcast_to(task, count)[newer]
        self.data.reshape(-1, BYTES)[sectors][newer] = content.reshape(-1, BYTES)[newer]


@dataclass
class Written:
    """One content that a sector may have: when it was asked for, and when acknowledged."""

    content: bytes
    issued: int
    answered: float = np.inf


@dataclass
class Request:
    """A write of the host under way."""

    version: int
    first: int
    content: Content
    entries: list[Written] = field(default_factory=list)
    inserted: bool = False
    has_task: bool = False


class Bytes:
    """An array under random writes, with the bytes that they leave.

    ``words`` are keys of its volume; it is on a controller if there is a ``battery``.
    """

    def __init__(
        self,
        level: str,
        drives: int,
        seed: int,
        *,
        battery: str | None = None,
        controller: dict[str, Any] | None = None,
        outstanding: int = 6,
        **words: Any,
    ) -> None:
        self.random = np.random.default_rng(seed)
        failed = list(words.get("failed", ()))
        spread = words.get("spread")
        small = arrange(WORDS[level], drives, STRIP // SCALE, ROWS * STRIP // SCALE, spread=spread)
        self.sectors = int(small["size"]) // BYTES
        volume = {
            "name": "data", "level": level, "drives": drives, "strip": "16 KiB",
            "drive": "seagate-st373455ss", "disk_cache": "off",
        }  # fmt: skip
        load = {
            "name": "writes", "read": "10 %", "align": "512 B", "outstanding": outstanding,
            "sizes": [{"size": f"{n} B", "share": f"{p} %"}
                      for n, p in ((512, 30), (4096, 40), (12288, 20), (60 * KIB, 10))],
            "area": {"size": f"{self.sectors * SECTOR} B"},
        }  # fmt: skip
        card = {"model": "lsi-megaraid-1078-512", "battery": battery, "set": controller or {}}
        spec = from_data(
            {
                "seed": seed,
                "host": {"model": "fujitsu-rx300-s4", "set": {"raid.stripe_cache": 0}},
                "controller": [card] if battery else [],
                "volume": [volume | words],
                "load": [load],
            }
        )
        self.spec = spec.volumes[0]
        self.keeps = battery == "good"
        self.noted = str(words.get("intent", "none"))
        self.built = build(spec)
        self.system = self.built.system
        self.rows = drives_of(self.system, 0)
        self.store = Drives(small)
        for drive in failed:
            self.store.fail(drive)
        self.shown = [self._surface(drive) for drive in self.store.drives]
        self.medium = [self._surface(drive.copy()) for drive in self.store.drives]
        self.tasks = 0
        self.clock = 0
        self.versions = 0
        self.requests: dict[int, Request] = {}
        zero = bytes(BYTES)
        self.history = [[Written(zero, -1, -1)] for _ in range(self.sectors)]
        self.cached: dict[int, bytes] = {}
        self.cached_at = np.zeros(self.sectors, np.int64)
        self.clean_at = np.zeros(self.sectors, np.int64)
        self.log: list[tuple[int, list[tuple[int, int, Content]]]] = []
        self._forget()
        (stream,) = self.built.streams["writes"]
        self.system.begin(stream)

    @staticmethod
    def _surface(data: Content) -> Surface:
        return Surface(data, np.zeros(len(data) // BYTES, np.int64))

    def _forget(self) -> None:
        """Nothing is under way."""
        self.plans: dict[tuple[int, int], tuple[int, list[tuple[int, int, Content]]]] = {}
        self.destages: dict[tuple[int, int], list[tuple[slice, Any]]] = {}
        self.answered: set[tuple[int, int]] = set()
        self.arms: list[tuple[int, int, Content, Any] | None] = [None] * len(self.rows)
        self.requests = {}
        self.partial: dict[tuple[int, int], tuple[int, Content, Any]] = {}

    # ------------------------------------------------------------ following the kernel

    def run(self, instants: int) -> None:
        """Let the next so many instants happen."""
        for _ in range(instants):
            if self.system.state["events"] == 0:
                return
            self.system.run(horizon=self.system.next_time)
            self.follow()

    def follow(self) -> None:
        """Put the bytes of what has happened in the last instant where they belong."""
        jobs = self.system.world.jobs
        alive = jobs["stage"] != t.STAGE_FREE
        self._host(jobs, alive)
        tasks = alive & (jobs["errand"] != t.NONE)
        tasks &= ~np.isin(jobs["errand"], NOTES)
        commands = alive & (jobs["errand"] == t.NONE) & (jobs["parent"] != t.NONE)
        commands &= (jobs["op"] == WRITE) & tasks[jobs["parent"]]
        found = np.flatnonzero(commands)
        self._plan(jobs, np.unique(jobs["parent"][found]))
        self._end_destages(jobs)
        self._answer(jobs, found)
        self._arms()

    def _host(self, jobs: Any, alive: Any) -> None:
        roots = np.flatnonzero(alive & (jobs["parent"] == t.NONE) & (jobs["serial"] != t.NONE))
        present = {int(jobs[i]["serial"]): int(i) for i in roots if jobs[i]["op"] == WRITE}
        for serial in [s for s in self.requests if s not in present]:
            request = self.requests.pop(serial)
            self._insert(request)
            self.clock += 1
            for entry in request.entries:
                entry.answered = self.clock
        for serial, index in present.items():
            if serial not in self.requests:
                self._issue(serial, jobs[index])
            elif jobs[index]["stage"] in (t.STAGE_CACHE_LINES, t.STAGE_CONTROLLER_ANSWERED):
                self._insert(self.requests[serial])

    def _issue(self, serial: int, job: Any) -> None:
        self.versions += 1
        self.clock += 1
        first, count = int(job["offset"]) // SECTOR, int(job["length"]) // SECTOR
        contents = [content_of(self.versions, first + i) for i in range(count)]
        request = Request(self.versions, first, np.frombuffer(b"".join(contents), np.uint8))
        for sector, content in enumerate(contents, first):
            request.entries.append(Written(content, self.clock))
            self.history[sector].append(request.entries[-1])
        self.requests[serial] = request

    def _insert(self, request: Request) -> None:
        """A write that is answered without a task of its own is in the controller's cache."""
        if request.inserted or request.has_task:
            return
        request.inserted = True
        self.clock += 1
        for i, entry in enumerate(request.entries):
            self.cached[request.first + i] = entry.content
            self.cached_at[request.first + i] = self.clock

    def _plan(self, jobs: Any, parents: Any) -> None:
        """Tasks that begin to write: what goes where, by what the drives hold now."""
        for index in parents:
            task = jobs[index]
            key = (int(index), int(task["mark"]))
            root = task if task["parent"] == t.NONE else jobs[task["parent"]]
            request = self.requests.get(int(root["serial"]))
            if request is not None:
                request.has_task = True
            if task["later"] != t.NONE or key in self.plans:
                continue
            first, count = int(task["offset"]) // SECTOR, int(task["length"]) // SECTOR
            sectors = slice(first, first + count)
            if request is not None:
                begin = (first - request.first) * BYTES
                content = request.content[begin : begin + count * BYTES]
            else:
                there = [self.cached[sector] for sector in range(first, first + count)]
                content = np.frombuffer(b"".join(there), np.uint8)
                above = int(index if task["parent"] == t.NONE else task["parent"])
                parts = self.destages.setdefault((above, int(jobs[above]["mark"])), [])
                parts.append((sectors, self.cached_at[sectors].copy()))
            self.tasks += 1
            if self.noted == "ppl":
                self._note(key, first, count)
            plan = self.store.planned(first * BYTES, content)
            self.plans[key] = (self.tasks, plan)
            self.log.append((self.tasks, plan))

    def _note(self, key: tuple[int, int], first: int, count: int) -> None:
        """What partial parity tells of a lost drive's strip: all but what is being written."""
        layout, size = self.store.layout, self.store.strip
        row = first * BYTES // (size * int(layout["data"]))
        for drive in np.flatnonzero(self.store.good == 0):
            role, _, address = held(layout, int(drive), row)
            if role != DATA:
                continue
            content = self.store._restored(int(drive), row).copy()
            known = np.ones(size // BYTES, bool)
            begin = int(address) // BYTES
            known[max(first - begin, 0) : max(first + count - begin, 0)] = False
            self.partial[key] = row, content, known

    def _end_destages(self, jobs: Any) -> None:
        """What has been destaged is clean, unless it was written anew meanwhile.

        A write of the instant in which its destage began came before it or after it: that the
        cache tells.
        """
        ended = [key for key in self.destages if jobs[key[0]]["mark"] != key[1]]
        dirty = promises.dirty_ranges(self.system, 0) if ended else []
        still = sorted(sectors_of([(start, end - start) for start, end in dirty]))
        for key in ended:
            for sectors, at in self.destages.pop(key):
                before = self.clean_at[still]
                self.clean_at[sectors] = np.maximum(self.clean_at[sectors], at)
                self.clean_at[still] = before

    def _answer(self, jobs: Any, commands: Any) -> None:
        """Commands that drives have just answered: their bytes are in the buffer or on platters."""
        for index in commands:
            job = jobs[index]
            key = (int(index), int(job["mark"]))
            if job["stage"] != t.STAGE_RETURNED or key in self.answered:
                continue
            self.answered.add(key)
            member, start, content, number = self._bytes_of(job)
            self.shown[member].put(start, content, number)
            if not self.spec.card.flag("write_cache.enabled"):
                self.medium[member].put(start, content, number)

    def _bytes_of(self, job: Any) -> tuple[int, int, Content, int]:
        """Drive, place, bytes and task of a write command."""
        parent = int(job["parent"])
        mark = int(self.system.world.jobs[parent]["mark"])
        number, plan = self.plans[parent, mark]
        member = int(job["member"])
        start, size = int(job["offset"]) // SCALE, int(job["length"]) // SCALE
        for drive, first, content in plan:
            if drive == member and first <= start and start + size <= first + len(content):
                return member, start, content[start - first : start - first + size], number
        raise AssertionError("a command that no plan has")

    def _arms(self) -> None:
        """Writes out of a drive's buffer: what an arm has in hand, and what it has written."""
        for member, drive in enumerate(self.rows):
            disk = self.system.world.disks[self.system.world.drives[drive]["row"]]
            mark = int(self.system.world.jobs[disk["arm_job"]]["mark"])
            before = self.arms[member]
            now = disk["moving"] and disk["op"] == WRITE and disk["command"] == t.NONE
            if before is not None and (not now or mark != before[0]):
                self.medium[member].put(*before[1:])
                before = None
            if now and before is None:
                start, size = int(disk["offset"]) // SCALE, int(disk["length"]) // SCALE
                shown = self.shown[member]
                sectors = slice(start // BYTES, (start + size) // BYTES)
                content = shown.data[start : start + size].copy()
                before = (mark, start, content, shown.task[sectors].copy())
            self.arms[member] = before if now else None

    # ------------------------------------------------------------ the cut

    def cut(self) -> VolumeCut:
        """Cut the power: first what it says it costs, then it happens, to the bytes too."""
        report = promises.volume_cut(self.system, "data", 0, keeps=self.keeps, noted=self.noted)
        self._stop_arms()
        jobs = self.system.world.jobs
        finished = self.log if self.noted == "journal" else []
        if self.keeps:
            finished = sorted(
                (number, plan)
                for (index, mark), (number, plan) in self.plans.items()
                if jobs[index]["mark"] == mark and jobs[index]["stage"] != t.STAGE_FREE
            )
        for number, plan in finished:
            for member, start, content in plan:
                self.medium[member].put(start, content, number)
        for shown, medium in zip(self.shown, self.medium, strict=True):
            shown.data[:] = medium.data
            shown.task[:] = medium.task
        if self.noted == "ppl":
            self._replay(report, jobs)
        if not self.keeps:
            self.cached = {}
            self.clean_at[:] = self.cached_at
        self.outage = power.cut(self.system, {0} if self.keeps else ())
        self.flying = {
            request.first + i
            for request in self.requests.values()
            for i in range(len(request.entries))
        }
        self._forget()
        return report

    def _replay(self, report: VolumeCut, jobs: Any) -> None:
        """Make parity of the rows that are to be replayed right, from what the logs tell.

        Where a lost drive's strip was being written, md leaves parity as it is
        (``ppl_recover_entry``: no parity is updated when a data member is missing).
        """
        layout, size = self.store.layout, self.store.strip
        rows = {row for first, end in report.resync_rows for row in range(first, end)}
        missing = {}
        for (index, mark), (row, content, known) in self.partial.items():
            if jobs[index]["mark"] == mark and jobs[index]["stage"] != t.STAGE_FREE:
                missing[row] = content, np.repeat(known, BYTES)
        for row in sorted(rows):
            drives = range(int(layout["drives"]))
            (parity,) = (drive for drive in drives if held(layout, drive, row)[0] == P)
            if self.store.good[parity] == 0 or (row not in missing and 0 in self.store.good):
                continue
            total = np.zeros(size, np.uint8)
            for drive in drives:
                if drive == parity:
                    continue
                there = self.shown[drive].data[row * size : (row + 1) * size]
                total ^= missing[row][0] if self.store.good[drive] == 0 else there
            if row in missing:
                there = self.shown[parity].data[row * size : (row + 1) * size]
                total = np.where(missing[row][1], total, there)
            self._replace(parity, row * size, total)

    def _stop_arms(self) -> None:
        """Of what an arm is writing, some sectors are on the platter."""
        jobs = self.system.world.jobs
        for member, drive in enumerate(self.rows):
            disk = self.system.world.disks[self.system.world.drives[drive]["row"]]
            if disk["moving"] != 1 or disk["op"] != WRITE:
                continue
            if disk["command"] != t.NONE:
                if jobs[jobs[disk["command"]]["parent"]]["errand"] in NOTES:
                    continue
                _, start, content, number = self._bytes_of(jobs[disk["command"]])
            else:
                _, start, content, number = self.arms[member]
            some = int(self.random.integers(len(content) // BYTES + 1))
            part = content[: some * BYTES]
            tasks = np.broadcast_to(number, len(content) // BYTES)[:some]
            self.medium[member].put(start, part, tasks)

    def power_on(self) -> None:
        """Power is back: drives turn, loads go on, and redundancy has been made right."""
        self.resync()
        self.history = [[Written(content, -1, -1)] for content in self.read()]
        power.drives_ready(self.system)
        power.resume(self.system, self.outage)

    def resync(self) -> None:
        """Make parity agree with the data, and copies with the first whole one."""
        layout = self.store.layout
        size = self.store.strip
        if layout["family"] == MIRRORED:
            for address in range(0, self.store.size, size):
                places = [place(layout, address, copy) for copy in range(layout["copies"])]
                whole = [(drive, start) for drive, start in places if self.store.good[drive]]
                first, start = whole[0]
                content = self.shown[first].data[start : start + size].copy()
                for drive, start in whole[1:]:
                    self._replace(drive, start, content)
            return
        for drive, row in self.store.inconsistent():
            role, _, _ = held(layout, drive, row)
            if role in (P, Q):
                self._replace(drive, row * size, self.store._restored(drive, row))

    def _replace(self, drive: int, start: int, content: Content) -> None:
        """Put bytes on a drive while nothing else is written."""
        for surface in self.shown[drive], self.medium[drive]:
            surface.data[start : start + len(content)] = content

    # ------------------------------------------------------------ reading

    def read(self, without: int | None = None, copy: int = 0) -> list[bytes]:
        """All sectors as a host reads them, with one more drive gone, from one copy of mirrors."""
        store = Store(self.store.layout)
        store.prefer = copy
        store.drives = [surface.data.copy() for surface in self.shown]
        store.good = self.store.good.copy()
        store.present = list(self.store.present)
        if without is not None:
            store.fail(without)
        found = []
        for start in range(0, store.size, store.strip):
            strip = store.read(start, store.strip)
            found += [strip[i : i + BYTES].tobytes() for i in range(0, store.strip, BYTES)]
        for sector in np.flatnonzero(self.cached_at > self.clean_at):
            found[sector] = self.cached[int(sector)]
        return found

    def wrong_sectors(self, content: list[bytes]) -> set[int]:
        """Sectors that hold neither what was acknowledged last nor what was under way."""
        wrong = set()
        for sector, found in enumerate(content):
            entries = self.history[sector]
            acknowledged = [e.issued for e in entries if e.answered <= self.clock]
            latest = max(acknowledged, default=-1)
            if not any(e.content == found and e.answered >= latest for e in entries):
                wrong.add(sector)
        return wrong


def sectors_of(ranges: list[tuple[int, int]]) -> set[int]:
    """The sectors of ranges of offset and length."""
    return {s for o, n in ranges for s in range(o // SECTOR, -(-(o + n) // SECTOR))}


def what_was_torn(array: Bytes) -> set[tuple[int, int]]:
    """Span and row of the strips that differ from what the other drives say."""
    n = int(array.store.layout["span_drives"])
    return {(drive // n, row) for drive, row in array.store.inconsistent()}


def check(array: Bytes, cut: VolumeCut) -> int:
    """Hold a report against the bytes.

    Returns how many sectors, to which nobody was writing, the loss of some drive would corrupt.
    """
    layout, lost = array.store.layout, sectors_of(cut.lost)
    content = array.read()
    for copy in range(int(layout["copies"])):
        assert array.wrong_sectors(array.read(copy=copy)) <= lost
    assert what_was_torn(array) <= set(cut.inconsistent)
    corrupted = 0
    standing = [d for d, good in enumerate(array.store.good) if good]
    if len(array.store.good) - len(standing) < array.spec.failures_tolerated:
        for drive in standing:
            rest = array.read(without=drive)
            if layout["family"] == MIRRORED:
                assert array.wrong_sectors(rest) <= lost
                continue
            hole = [(h.offset, h.length) for h in cut.write_hole if h.drive == drive]
            differing = {s for s, found in enumerate(rest) if found != content[s]}
            assert differing <= sectors_of(hole) | lost
            corrupted += len(differing - array.flying - lost)
    return corrupted

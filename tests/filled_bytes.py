"""Real bytes of a volume whose drives are rebuilt: what commands bring where, followed by hand.

Time goes on instant by instant, and bytes go where the kernel's commands take them. One byte stands
for a sector. A worker of a rebuild knows only what its own reads brought, and what it writes is
computed from that by :mod:`raidsim.store`. Beside them stands an array that nothing happens to: its
drives say what each drive has to hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from answers import answers
from small_array import NO_CPU, TOY

from raidsim import Environment, Host, Volume
from raidsim.control.clock import to_ns
from raidsim.kernel.array_tables import (
    ERRAND_HOST,
    ERRAND_OPERATION,
    ERRAND_PART,
    ERRAND_REPAIR,
)
from raidsim.layout.address import held
from raidsim.layout.arrange import WORDS, arrange
from raidsim.layout.tables import PARITY, READ, WRITE
from raidsim.store.array import Store

KIB = 1024
SECTOR = 512
STRIP = 128 * KIB
SIZE = 10 * 10**6  # of a drive
JUNK = 0xEE
PACE = {"rebuild.rate": "100 %", "rebuild.size": "512 KiB", "rebuild.depth": 2}


class Filled:
    """A volume of software RAID, and the bytes of its drives; ``words`` are keys of the volume."""

    def __init__(
        self, level: str, drives: int, seed: int = 1, *, host: dict[str, Any] | None = None,
        drive: dict[str, Any] | None = None, **words: Any,
    ) -> None:  # fmt: skip
        self.env = Environment(seed=seed)
        server = Host(self.env, "fujitsu-rx2540-m1", changes=NO_CPU | PACE | (host or {}))
        self.volume = Volume(
            self.env, "intel-p3700-800gb", server, name="data", level=level, drives=drives,
            changes=TOY | {"capacity.user": f"{SIZE} B"} | (drive or {}), state="fresh",
            strip=f"{STRIP // KIB} KiB", **words,
        )  # fmt: skip
        self.system = self.volume.system
        self.layout = self.system.world.layouts[0]
        self.rows = int(self.layout["rows"])
        self.strip = STRIP // SECTOR
        spread = words.get("spread")
        self.small = arrange(
            WORDS[level], drives, self.strip, self.rows * self.strip, spread=spread,
            copies=words.get("copies", 2),
        )  # fmt: skip
        self.ideal = Store(self.small)
        self.random = np.random.default_rng(seed)
        content = self.random.integers(1, JUNK, len(self.whole), dtype=np.uint8)
        self.ideal.write(0, content)
        junk = np.full(self.rows * self.strip, JUNK, np.uint8)
        self.bytes = {row: junk.copy() for row in range(len(self.system.world.drives))}
        for number, row in enumerate(self.volume._drives.rows):
            if not self.volume._drives.is_failed(number):
                self.bytes[row] = self.ideal.drives[number].copy()
        self.contents: list[tuple[int, int, np.ndarray, Any]] = []
        self.applied: set[tuple[int, int]] = set()
        self.answered: set[tuple[int, int]] = set()
        self.known: dict[tuple[int, ...], dict[tuple[int, int], np.ndarray]] = {}
        self.locks: dict[tuple[int, int], int] = {}  # rows of `locks`, by member and row
        self.reads: dict[tuple[int, int], int] = {}  # by member and row, of rebuilds
        self.writes: dict[tuple[int, int], int] = {}
        self.compared: tuple[list[int], np.ndarray] | None = None  # since the last write

    @property
    def whole(self) -> range:
        """The sectors of the volume."""
        return range(int(self.small["size"]))

    # -- what is done --------------------------------------------------------------------------

    def replace(self, number: int, **how: str) -> Any:
        """Put a new drive in the place of a failed one: it holds anything."""
        begun = self.volume.replace(number, **how)
        self.bytes[self.volume._drives.rows[number]][:] = JUNK
        self.compared = None
        return begun

    def write_somewhere(self) -> None:
        """Let the host write new bytes to stripes where it writes nothing yet."""
        first = int(self.random.integers(len(self.whole) - 300))
        stop = first + int(self.random.integers(1, 300))
        self.contents = [one for one in self.contents if not one[3].triggered]
        width = int(self.small["data"]) * self.strip
        for begin, end, _, _ in self.contents:
            if first // width <= (end - 1) // width and begin // width <= (stop - 1) // width:
                return
        content = self.random.integers(1, JUNK, stop - first, dtype=np.uint8)
        event = self.volume.write(first * SECTOR, (stop - first) * SECTOR)
        self.contents.append((first, stop, content, event))

    # -- following the kernel ------------------------------------------------------------------

    def step(self) -> bool:
        """Let the next instant happen; False if nothing is left."""
        self.env.sync()
        if self.system.state["events"] == 0:  # what was asked for is on the agenda
            self.env.run(until=(to_ns(self.env.now) + 1) / 1e9)
            self.env.sync()
        if self.system.state["events"] == 0:
            return False
        due = self.system.next_time
        self.env.run(until=max(due, to_ns(self.env.now) + 1) / 1e9)
        self.env.sync()
        self._follow()
        self.assert_relied_on()
        return True

    def until(self, over: Any, *, every: int = 0) -> None:
        """Step until something is so; the host writes every so many steps."""
        steps = 0
        while not over():
            steps += 1
            if every and steps % every == 0:
                self.write_somewhere()
            if not self.step():
                assert over()
                return

    def rest(self) -> None:
        """Step until nothing is left to happen."""
        while self.step():
            pass

    def _follow(self) -> None:
        for job, above, task in answers(self.system, self.answered):
            first, count = int(job["offset"]) // SECTOR, int(job["length"]) // SECTOR
            if above["errand"] in (ERRAND_HOST, ERRAND_PART) and job["op"] == WRITE:
                self._apply(task, above)
                member = self._member(job)
                there = self.bytes[int(job["drive"])]
                there[first : first + count] = self.ideal.drives[member][first : first + count]
                self.compared = None
            elif above["errand"] in (ERRAND_OPERATION, ERRAND_REPAIR):
                # A worker does one chunk of an operation after the other.
                which = (*task, int(above["row"]), int(above["chunk"]))
                self._move(job, self.known.setdefault(which, {}))

    def _member(self, job: Any) -> int:
        return int(job["member"]) - int(self.system.world.arrays[0]["first_member"])

    def _apply(self, task: tuple[int, int], above: Any) -> None:
        """A write of the host has come to the first drive: the array has to hold it from now on."""
        if task in self.applied:
            return
        self.applied.add(task)
        begin = int(above["offset"]) // SECTOR
        stop = begin + int(above["length"]) // SECTOR
        ((first, content),) = [
            (first, content) for first, end, content, _ in self.contents
            if first <= begin < stop <= end
        ]  # fmt: skip
        self.ideal.write(begin, content[begin - first : stop - first])

    def _move(self, job: Any, known: dict[tuple[int, int], np.ndarray]) -> None:
        """A worker has read strips, or writes what it knows by what it has read."""
        member = self._member(job)
        there = self.bytes[int(job["drive"])]
        counts = self.reads if job["op"] == READ else self.writes
        for row in range(int(job["offset"]) // STRIP, int(job["offset"] + job["length"]) // STRIP):
            sectors = slice(row * self.strip, (row + 1) * self.strip)
            counts[member, row] = counts.get((member, row), 0) + 1
            if job["op"] == READ:
                known[member, row] = there[sectors].copy()
            else:
                own = known.get((member, row))  # a copy-back reads what it writes
                there[sectors] = self._restored(member, row, known) if own is None else own
                self.compared = None

    def _restored(self, member: int, row: int, known: dict[Any, np.ndarray]) -> np.ndarray:
        """What a strip has to hold by strips that were read, and by nothing else."""
        store = Store(self.small)
        every = self.rows * self.strip
        for number, drive in enumerate(store.drives):
            store.good[number] = 0
            for (other, at), content in known.items():
                if other == number:
                    drive[at * self.strip : (at + 1) * self.strip] = content
                    if at == row or self.layout["family"] != PARITY:
                        store.good[number] = every
        found = store._restored(member, row)
        assert found is not None, f"row {row} of drive {member} is written, and nothing tells it"
        return found

    # -- what must hold ------------------------------------------------------------------------

    def differing(self) -> np.ndarray:
        """Rows of each drive that do not hold what they should; compared anew after each write."""
        rows = self.volume._drives.rows
        if self.compared is None or self.compared[0] != rows:
            found = [
                (self.bytes[row] != self.ideal.drives[number]).reshape(self.rows, -1).any(axis=1)
                for number, row in enumerate(rows)
            ]
            self.compared = rows, np.array(found)
        return self.compared[1]

    def assert_relied_on(self) -> None:
        """What the array relies on is right, but in stripes that are being written."""
        wrong = self.differing()
        if not wrong.any():
            return
        world = self.system.world
        rows = self.volume._drives.rows
        first = int(world.arrays[0]["first_member"])
        good = np.array(world.good[first : first + len(rows)]) // STRIP
        good[world.drives["failed"][rows] != 0] = 0
        relied = np.argwhere(wrong & (np.arange(self.rows) < good[:, np.newaxis]))
        punctured = world.defects[world.defects["punctured"] == 1] if len(relied) else ()
        there = {(int(one["drive"]), int(one["offset"]) // STRIP) for one in punctured}
        for number, row in relied.tolist():
            if (rows[number], row) not in there and not self._is_locked(number, row):
                raise AssertionError(f"row {row} of drive {number} is relied on, and wrong")

    def _is_locked(self, number: int, row: int) -> bool:
        world = self.system.world
        if (number, row) not in self.locks:
            array = world.arrays[0]
            _, _, address = held(self.layout, number, row)
            place = int(address) // int(array["width"]) % int(array["locks"])
            self.locks[number, row] = int(array["first_lock"]) + place
        place = self.locks[number, row]
        return bool(world.locks["held"][place] or world.locks["writes"][place])

    def assert_right(self) -> None:
        """Every drive holds all that it should."""
        assert self.volume.health == "optimal"
        assert not self.differing().any()

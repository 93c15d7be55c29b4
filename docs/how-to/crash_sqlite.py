"""SQLite itself on an attached volume, for crash tests: it writes, and later checks what is there.

    python crash_sqlite.py write --journal wal
    python crash_sqlite.py check --journal wal

`raidsim crash-test` runs both. SQLite is unmodified; it reaches the volume through its own
interface for files (a VFS, with the package apsw). There is no file system and no page cache
between: each write of SQLite is a write of the volume, in SQLite's order, and each sync is a flush.

Each transaction adds an entry and changes a tally of all entries. What was committed is noted in a
file of this computer, outside of the volume, once SQLite has said so.
"""

# ruff: noqa: N802, ARG002 - names and arguments of methods are those that SQLite has for them

from __future__ import annotations

import argparse
import os
import random
import socket
import struct
import sys
from pathlib import Path

import apsw

READ, WRITE, FLUSH = 0, 1, 3
FUA = 1
SECTOR = 512
MIB = 2**20
NAMES = ("database", "database-journal", "database-wal")
ROOM = 16 * MIB  # for each file
ENTRIES = struct.Struct("<BQ")  # of the directory: whether the file exists, and its size


class Volume:
    """A client of the NBD protocol that has one request under way at a time."""

    def __init__(self, path: str) -> None:
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(path)
        self._get(18)
        self.line.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", 1, 0))  # the first export
        self._get(10)

    def read(self, offset: int, length: int) -> bytes:
        return self._ask(READ, offset, length)

    def write(self, offset: int, data: bytes, *, to_the_medium: bool = False) -> None:
        self._ask(WRITE, offset, len(data), data, FUA * to_the_medium)

    def flush(self) -> None:
        self._ask(FLUSH, 0, 0)

    def _ask(
        self, command: int, offset: int, length: int, data: bytes = b"", flags: int = 0
    ) -> bytes:
        head = struct.pack(">IHHQQI", 0x25609513, flags, command, 0, offset, length)
        self.line.sendall(head + data)
        _, error, _ = struct.unpack(">IIQ", self._get(16))
        if error:
            raise OSError(error, os.strerror(error))
        return self._get(length) if command == READ else b""

    def _get(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            part = self.line.recv(length - len(found))
            if not part:
                raise ConnectionError("the volume is gone")
            found += part
        return bytes(found)


class Files:
    """Three files of a database in fixed places of a volume, behind a directory of one sector."""

    def __init__(self, volume: Volume, *, barrier: bool) -> None:
        self.volume = volume
        self.barrier = barrier
        self.bytes: dict[str, bytearray] = {}
        found = volume.read(0, SECTOR)
        for number, name in enumerate(NAMES):
            exists, size = ENTRIES.unpack_from(found, number * ENTRIES.size)
            if exists:
                whole = volume.read(self._place(name), size + -size % SECTOR) if size else b""
                self.bytes[name] = bytearray(whole[:size])
        self.known = self._directory()

    def write(self, name: str, offset: int, data: bytes) -> None:
        """Write at once, in whole sectors."""
        content = self.bytes[name]
        if offset + len(data) > ROOM:
            raise apsw.FullError("the file is too long")
        content.extend(bytes(max(0, offset + len(data) - len(content))))
        content[offset : offset + len(data)] = data
        begin = offset - offset % SECTOR
        end = offset + len(data) + -(offset + len(data)) % SECTOR
        part = bytes(content[begin:end])
        self.volume.write(self._place(name) + begin, part + bytes(end - begin - len(part)))

    def sync(self) -> None:
        """Let the volume have on its medium what was written, and then the directory."""
        if self.barrier:
            self.volume.flush()
        directory = self._directory()
        if directory != self.known:
            self.volume.write(0, directory, to_the_medium=self.barrier)
            self.known = directory

    def _directory(self) -> bytes:
        entries = (
            ENTRIES.pack(name in self.bytes, len(self.bytes.get(name, b""))) for name in NAMES
        )
        return b"".join(entries).ljust(SECTOR, b"\0")

    @staticmethod
    def _place(name: str) -> int:
        return MIB + NAMES.index(name) * ROOM


class Vfs(apsw.VFS):
    """What SQLite calls for files."""

    def __init__(self, files: Files) -> None:
        super().__init__("volume", base="")
        self.files = files
        self.chance = random.Random(os.environ.get("RAIDSIM_SEED", "1"))

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> File:
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self.files.bytes.setdefault(path, bytearray())
        flags[1] = flags[0]
        return File(self.files, path)

    def xFullPathname(self, name: str) -> str:
        return name

    def xAccess(self, path: str, flags: int) -> bool:
        return path in self.files.bytes

    def xDelete(self, path: str, sync: bool) -> None:
        self.files.bytes.pop(path, None)
        if sync:
            self.files.sync()

    def xRandomness(self, count: int) -> bytes:
        return self.chance.randbytes(count)  # so that a seed writes the same bytes each time


class File:
    """One open file; nobody else has it, so locks are nothing."""

    def __init__(self, files: Files, name: str) -> None:
        self.files, self.name = files, name

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self.files.bytes[self.name][offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        self.files.write(self.name, offset, data)

    def xTruncate(self, size: int) -> None:
        del self.files.bytes[self.name][size:]

    def xSync(self, flags: int) -> None:
        self.files.sync()

    def xFileSize(self) -> int:
        return len(self.files.bytes[self.name])

    def xSectorSize(self) -> int:
        return SECTOR

    def xDeviceCharacteristics(self) -> int:
        return apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xLock(self, level: int) -> None: ...

    def xUnlock(self, level: int) -> None: ...

    def xClose(self) -> None: ...


def content(number: int) -> bytes:
    """What the entry of a number holds."""
    chance = random.Random(number)
    return chance.randbytes(chance.randint(100, 6000))


def opened(journal: str, *, barrier: bool) -> apsw.Connection:
    """The database, after SQLite has put right what a cut has left."""
    volume = Volume(os.environ["RAIDSIM_SOCKET"])
    opened.vfs = Vfs(Files(volume, barrier=barrier))  # SQLite's own reference to it is a weak one
    database = apsw.Connection("database", vfs="volume")
    database.execute("PRAGMA locking_mode = exclusive")
    database.execute(f"PRAGMA journal_mode = {journal}")
    database.execute("PRAGMA synchronous = full")
    database.execute("PRAGMA temp_store = memory")
    database.execute("PRAGMA wal_autocheckpoint = 40")  # pages: some checkpoints in a short test
    return database


def write(database: apsw.Connection, committed: Path, entries: int) -> None:
    """Add entries; note each one outside once SQLite says that it is committed."""
    with committed.open("ab", buffering=0) as notes:
        with database:
            database.execute("CREATE TABLE entry (number INTEGER PRIMARY KEY, content BLOB)")
            database.execute("CREATE TABLE tally (entries INTEGER, bytes INTEGER)")
            database.execute("INSERT INTO tally VALUES (0, 0)")
        notes.write(b"0\n")
        for number in range(1, entries + 1):
            added = content(number)
            with database:
                database.execute("INSERT INTO entry VALUES (?, ?)", (number, added))
                database.execute(
                    "UPDATE tally SET entries = entries + 1, bytes = bytes + ?", (len(added),)
                )
            notes.write(b"%d\n" % number)


def check(database: apsw.Connection, committed: int) -> str:
    """What is wrong with the database, in words; nothing if nothing is."""
    (health,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if health != "ok":
        return f"damaged: {' '.join(health.split())}"
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
    if "entry" not in tables:
        return f"lost all {committed + 1} commits" if committed >= 0 else ""
    entries = database.execute("SELECT number, content FROM entry ORDER BY number").fetchall()
    for place, (number, found) in enumerate(entries, 1):
        if number != place or found != content(number):
            return f"damaged: entry {number} is wrong"
    tally = database.execute("SELECT entries, bytes FROM tally").fetchall()
    if tally != [(len(entries), sum(len(found) for _, found in entries))]:
        return "damaged: half of a transaction is there"
    if len(entries) < committed:
        return f"lost the last {committed - len(entries)} of {committed} commits"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["write", "check"])
    parser.add_argument("--journal", choices=["delete", "wal", "off"], default="delete")
    parser.add_argument("--no-barrier", action="store_true", help="do not pass syncs to the volume")
    parser.add_argument("--entries", type=int, default=60)
    given = parser.parse_args()
    committed = Path(os.environ["RAIDSIM_FOLDER"]) / "committed"
    if given.what == "write":
        write(opened(given.journal, barrier=not given.no_barrier), committed, given.entries)
        return
    notes = committed.read_text().split() if committed.exists() else []
    last = int(notes[-1]) if notes else -1
    try:
        wrong = check(opened(given.journal, barrier=True), last)
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.IOError) as error:
        wrong = f"damaged: {error}"
    print(wrong or f"all {len(notes)} commits are there")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

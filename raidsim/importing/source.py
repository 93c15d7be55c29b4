"""Files for the readers: their text, of bounded size, and its data if it is JSON."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from raidsim.errors import InputError, why
from raidsim.importing.json_text import Json, looks_like_json, read_json
from raidsim.importing.model import Place
from raidsim.importing.wishes import Wishes
from raidsim.named_file import read_bytes

MOST_BYTES = 64 * 2**20
MOST_LINES = 1_000_000
LONGEST_LINE = 2**20
"""Characters of a line of text; JSON may be longer."""
MOST_FILES = 10_000

_GZIP = b"\x1f\x8b"
_OTHER_PACKERS = {
    b"PK\x03\x04": "zip",
    b"\xfd7zXZ": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_RECORD = struct.Struct("<IQIq")
_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))


@dataclass(frozen=True)
class Source:
    """A file that is to be imported.

    Attributes
    ----------
    name : as it was given, for messages and comments.
    path : its place.
    text : its content, with line ends of one character.
    wishes : values from the user that files do not give.
    """

    name: str
    path: Path
    text: str
    wishes: Wishes = field(default_factory=Wishes)

    @cached_property
    def lines(self) -> list[str]:
        """The lines; of a text only, for JSON may be one of any length.

        Raises
        ------
        InputError
            One is longer than any tool writes.
        """
        found = self.text.split("\n")
        for number, line in enumerate(found, 1):
            if len(line) > LONGEST_LINE:
                cause = f"is longer than {LONGEST_LINE:,} characters: no tool writes such lines"
                raise Place(self.name, number).refusal(None, cause)
        return found

    @cached_property
    def head(self) -> list[str]:
        """The first lines, as many as are needed to recognise the format."""
        return [line[:2000] for line in self.text[:100_000].split("\n", 400)[:400]]

    @cached_property
    def is_json(self) -> bool:
        """Whether it is JSON, perhaps behind some lines of warnings."""
        return looks_like_json(self.text)

    @cached_property
    def json(self) -> Json:
        """The JSON that it holds; InputError if that is broken."""
        return read_json(self.text, self.name)

    def at(self, line: int | None) -> Place:
        """A line of it."""
        return Place(self.name, line)

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Its lines with their numbers, without blanks at their ends."""
        for number, line in enumerate(self.lines, 1):
            yield number, line.rstrip()


def sources_of(name: str) -> tuple[list[Source], list[InputError]]:
    """The file of a name, or all files of the folder; with what could not be read of a folder.

    Raises
    ------
    InputError
        There is no such file; or it is none that can be read.
    """
    if not name:
        raise Place('""').refusal(None, "is not a valid name of a file", "name a file")
    path = Path(name)
    try:
        if not path.is_dir():
            return [read_source(name, path)], []
        files: list[Path] = []
        for one in path.rglob("*"):
            if one.is_file() and not one.name.startswith("."):
                files.append(one)
            if len(files) > MOST_FILES:
                raise Place(name).refusal(None, f"is a folder of more than {MOST_FILES:,} files")
    except (OSError, ValueError) as error:
        raise Place(name).refusal(None, f"cannot be read: {why(error)}") from None
    found: list[Source] = []
    wrong: list[InputError] = []
    room = MOST_BYTES
    for one in sorted(files):
        try:
            found.append(read_source(str(one), one))
        except InputError as error:
            wrong.append(error)
            continue
        room -= len(found[-1].text)
        if room < 0:
            cause = f"is a folder of more than {MOST_BYTES >> 20} MiB of text"
            raise Place(name).refusal(None, cause, "name the files")
    if not found and not wrong:
        raise Place(name).refusal(None, "is a folder without files")
    return found, wrong


def read_source(name: str, path: Path) -> Source:
    """Read one file, which may be packed with gzip.

    Raises
    ------
    InputError
        There is no such file, it is no regular one, too large, or no text.
    """
    place = Place(name)
    data = read_bytes(path, MOST_BYTES + 1, shown=name)
    if _is_cache_trace(name, data):
        cause = "oracleGeneral is a trace for caches: it has neither reads and writes nor offsets"
        raise place.refusal(None, cause, "the nearest is a load with zipf or zones")
    if data.startswith(_GZIP):
        data = _unpacked(data, place)
    for mark, packer in _OTHER_PACKERS.items():
        if data.startswith(mark):
            raise place.refusal(None, f"is packed ({packer})", "unpack it first")
    if len(data) > MOST_BYTES:
        raise place.refusal(
            None, f"is larger than {MOST_BYTES >> 20} MiB: no inventory is so large"
        )
    text = _decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise place.refusal(None, "is empty")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Place(name, line).refusal(None, "contains NUL bytes: it is not text")
    if text.count("\n") > MOST_LINES:
        raise place.refusal(None, f"has more than {MOST_LINES:,} lines: no inventory has so many")
    return Source(name, path, text)


def _is_cache_trace(name: str, data: bytes) -> bool:
    """Return whether it is a trace in the form oracleGeneral, by its name or by its first records.

    A record is of 24 bytes: time in whole seconds, object, size, and when it is accessed next.
    """
    if "oraclegeneral" in name.lower():
        return True
    records = list(_RECORD.iter_unpack(data[: _RECORD.size * min(len(data) // _RECORD.size, 64)]))
    times = [record[0] for record in records]
    return (
        len(records) > 1
        and b"\0" in data[: _RECORD.size]
        and times == sorted(times)
        and all(0 < record[2] < 2**30 and -2 <= record[3] < 2**40 for record in records)
    )


def _unpacked(data: bytes, place: Place) -> bytes:
    """Return the unpacked content of gzip, up to a little more than may be read."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, MOST_BYTES + 1)
    except zlib.error:
        raise place.refusal(None, "is damaged: gzip cannot decompress it") from None
    if len(found) <= MOST_BYTES and not unpacker.eof:
        raise place.refusal(None, "is incomplete: gzip finds no end")
    return found


def _decoded(data: bytes) -> str:
    """Text of UTF-8, or of what shells of Windows write."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")

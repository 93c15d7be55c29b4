"""From the purchased drives to the room for files: a capacity waterfall for each volume.

The drives of a volume are all alike in a scenario. What a simulation addresses ends with whole
strips. The following parts are not simulated, and are taken from the end of the volume:

- RAID controllers store their data about arrays at the end of each drive: 512 MiB, the difference
  between "raw size" and "non coerced size" in listings of MegaRAID controllers. Then they round the
  size of the drive down, so that a slightly smaller one may replace it: to 128 MiB, as "coerced
  size" in these listings.
- Linux md leaves room before the data of each drive: 128 MiB, but no more than a 1024th of a small
  drive (mdadm, metadata 1.2).
- A file system takes an assumed share: ext4 makes an inode of 256 bytes for every 16 KiB, 1.6 %,
  and a journal; XFS takes less. The part reserved for the administrator (5 % of an ext4 with the
  usual options) can be written, and is not subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidsim.layout.tables import MIRRORED, PARITY
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.units import MIB

CONTROLLER_METADATA = 512 * MIB
CONTROLLER_ROUNDING = 128 * MIB
MD_METADATA = 128 * MIB
MD_LEAST_SHARE = 1024
FILE_SYSTEM = 0.02
"""Share of a volume that a file system takes for itself, where nobody says another."""


@dataclass(frozen=True)
class Step:
    """One step down from the drives to the files.

    Attributes
    ----------
    name : a word for programs, such as "spares".
    text : what takes the bytes, in words.
    bytes : that it takes, below zero; of the totals ("raw", "usable", "files") what is left there.
    is_total : whether it is such a total.
    is_assumed : whether the figure is a usual one, and no figure of a card or layout.
    """

    name: str
    text: str
    bytes: int
    is_total: bool = False
    is_assumed: bool = False


@dataclass(frozen=True)
class Waterfall:
    """Where the bytes of the drives of a volume go."""

    volume: str
    steps: tuple[Step, ...]

    def __getitem__(self, name: str) -> int:
        """The bytes of the step of this name; 0 if there is no such step."""
        return next((step.bytes for step in self.steps if step.name == name), 0)


def waterfalls(scenario: Scenario, file_system: float = FILE_SYSTEM) -> list[Waterfall]:
    """The waterfall of every volume."""
    return [waterfall(scenario, volume, file_system) for volume in scenario.volumes]


def waterfall(
    scenario: Scenario, volume: VolumeSpec, file_system: float = FILE_SYSTEM
) -> Waterfall:
    """Return how the capacity of a volume's drives is divided, step by step, in bytes.

    Parameters
    ----------
    scenario, volume
        The volume, and what it is on.
    file_system
        Share of the volume that a file system takes for itself, 0 to 1.
    """
    steps = tuple(_steps(scenario, volume, file_system))
    return Waterfall(volume.name, tuple(step for step in steps if step.is_total or step.bytes))


def _steps(scenario: Scenario, volume: VolumeSpec, file_system: float) -> Iterator[Step]:
    drive = volume.card.integer("capacity.user")
    bought = volume.drives + volume.spares
    yield Step("raw", f"{bought} x {volume.card.name}", bought * drive, is_total=True)
    yield Step("spares", "hot spares", -volume.spares * drive)
    redundancy = _redundancy(volume)
    yield Step("redundancy", _redundancy_words(volume), -redundancy)
    rest = volume.drives * drive - redundancy - volume.capacity
    yield Step("rounding", "rounding to whole strips and stripes", -rest)
    yield Step("usable", "volume, as it is simulated", volume.capacity, is_total=True)
    left = volume.capacity
    for step in _on_each_drive(scenario, volume, drive):
        left += step.bytes
        yield step
    files = -round(left * file_system)
    text = f"file system, {100 * file_system:.3g} % of it"
    yield Step("file_system", text, files, is_assumed=True)
    yield Step("files", "room for files", left + files, is_total=True)


def _on_each_drive(scenario: Scenario, volume: VolumeSpec, drive: int) -> Iterator[Step]:
    """Yield the part of each drive that RAID reserves, taken from its data."""
    if volume.level in ("single", "jbod"):
        return
    share = volume.capacity / (volume.drives * drive)
    if scenario.controller(volume) is None:
        each = min(MD_METADATA, drive // MD_LEAST_SHARE)
        yield _each("metadata", f"md's own room, {each // MIB} MiB", volume, each, share)
        return
    words = f"the controller's own room, {CONTROLLER_METADATA // MIB} MiB"
    yield _each("metadata", words, volume, CONTROLLER_METADATA, share)
    rest = (drive - CONTROLLER_METADATA) % CONTROLLER_ROUNDING
    words = f"rounding for smaller drives, to {CONTROLLER_ROUNDING // MIB} MiB"
    yield _each("coercion", words, volume, rest, share)


def _each(name: str, words: str, volume: VolumeSpec, each: int, share: float) -> Step:
    taken = round(volume.drives * each * share)
    return Step(name, f"{words} a drive", -taken, is_assumed=True)


def _redundancy(volume: VolumeSpec) -> int:
    """Bytes of parity or of further copies, on whole strips."""
    layout = volume.layout
    if layout is None:
        return 0
    used = volume.drives * int(layout["rows"]) * int(layout["strip"])
    if layout["family"] == PARITY:
        return used // int(layout["span_drives"]) * int(layout["parity"])
    if layout["family"] == MIRRORED:
        copies = int(layout["copies"])
        return used // copies * (copies - 1)
    return 0


def _redundancy_words(volume: VolumeSpec) -> str:
    layout = volume.layout
    if layout is None or layout["family"] not in (PARITY, MIRRORED):
        return "no redundancy"
    if layout["family"] == MIRRORED:
        more = int(layout["copies"]) - 1
        return "second copies" if more == 1 else f"{more} further copies"
    spans, parity = int(layout["spans"]), int(layout["parity"])
    drives = f"parity, {parity} {'drive' if parity == 1 else 'drives'}"
    return drives if spans == 1 else f"{drives} of each of {spans} spans"

"""The effect of a power cut on volumes, as plain data: lost data, and inconsistent data.

A result has the cuts of its course; an attached array has each cut when it happens.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hole:
    """Data that the loss of a drive would corrupt, since the parity that it needs is not right."""

    drive: int
    offset: int  # in the volume, bytes
    length: int


@dataclass(frozen=True)
class VolumeCut:
    """The effect of a power cut on one volume. Ranges are offset and length in it, bytes."""

    volume: str
    in_flight: int  # I/Os that were not answered; what they write is old or new, sector by sector
    lost_bytes: int  # acknowledged, and gone
    lost: list[tuple[int, int]]
    unplaced_bytes: int  # of the lost ones, those in buffers of flash drives: where is not known
    kept_bytes: int  # acknowledged, not on the drives, and kept in the controller's cache
    finished: int  # stripes under update that controller, journal or ppl put right at power-on
    inconsistent: list[tuple[int, int]]  # span and row of stripes whose parity or copies differ
    write_hole: list[Hole]  # what the loss of a drive would corrupt before a resync
    resync: str  # "none", "journal", "ppl", "bitmap", "full", or "check": a check is needed
    resync_rows: list[tuple[int, int]]  # of strips: first, and that behind the last

    def hole_of(self, drive: int) -> int:
        """Bytes that the loss of a drive would corrupt before a resync."""
        return sum(hole.length for hole in self.write_hole if hole.drive == drive)


@dataclass(frozen=True)
class PowerCut:
    """The acknowledged data that a cut loses at one instant, and the inconsistent data."""

    time_s: float
    volumes: list[VolumeCut]

    @property
    def lost_bytes(self) -> int:
        """Bytes that were acknowledged, and are gone, of all volumes."""
        return sum(volume.lost_bytes for volume in self.volumes)

    def of(self, name: str) -> VolumeCut:
        """Return the effect on the volume of this name."""
        return next(volume for volume in self.volumes if volume.volume == name)

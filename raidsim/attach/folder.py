"""Drives of a volume as files in a folder, in the format of members of Linux md.

An array gets metadata 1.2: a superblock at 4 KiB of each file, then the bitmap if the volume has
one (``intent = "bitmap"``), and the data from a whole MiB on. Or it gets metadata 0.90, whose
superblock is behind the data. So mdadm can examine and assemble the files. While they are in use,
they say that redundancy may not agree; only a clean end removes this mark. A single drive is a file
of its bytes alone. RAID 50 and 60 are arrays of arrays, each in a separate folder:
:mod:`raidsim.attach.spans`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from raidsim.attach.content import Flat
from raidsim.attach.images import find
from raidsim.attach.making import NewArray, create, new_file
from raidsim.attach.md import NotMd, numbers_of
from raidsim.attach.members import Members
from raidsim.attach.reopening import OPTION, check_same, keeper_of, reopened
from raidsim.attach.spans import spans_in
from raidsim.attach.sparse import Sparse
from raidsim.attach.superblock import SECTOR
from raidsim.attach.superblock_0 import Superblock0
from raidsim.control import Volume
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.layout.tables import PARITY

BITS: Final = (1, 4, 5, 6, 10)  # md's levels that may have a bitmap


def folder_of(above: Path, volume: str) -> Path:
    """The folder of a volume: its name, with whatever could lead elsewhere written in %."""
    name = quote(volume, safe=" ()+,=@")
    return above / (name.replace(".", "%2E") if name.strip(".") == "" else name)


def members_in(above: Path, volume: Volume, metadata: str | None = None) -> Flat | Members:
    """The drives of a volume in files: those that are there, or new ones.

    Drives whose files are missing or out of date have failed: the caller lets them fail in the
    simulation, too.

    Parameters
    ----------
    above
        The folder that has a folder for each volume.
    volume
        The volume.
    metadata
        Of the superblocks: "1.2" or "0.90"; None for those that are there, or else 1.2.

    Raises
    ------
    InputError
        If the files are of another array, or md has none like this one.
    OSError
        If the host gives no such files.
    """
    folder = folder_of(above, volume.name)
    folder.mkdir(parents=True, exist_ok=True)
    place = volume.system.world.volumes[volume.row]
    if volume.spec.layout is None or place["kind"] != t.VOLUME_ARRAY:
        return Flat(_whole_file(folder / "drive-0", volume.capacity))
    layout = volume.system.world.layouts[place["array"]]
    try:
        numbers = numbers_of(layout, volume.spec.level, volume.spec.rotation)
    except NotMd as error:
        problem = Problem(None, None, OPTION, f"{volume.name}: {error}", "leave the option out")
        raise InputError([problem]) from None
    drives, spans = int(layout["drives"]), int(layout["spans"])
    level, way, chunk = numbers
    sectors, size = int(layout["strip"]) * int(layout["rows"]) // SECTOR, int(layout["size"])
    bitmap = volume.spec.intent == "bitmap" and level in BITS
    new = NewArray(
        volume.name,
        level,
        way,
        chunk,
        sectors,
        size // SECTOR if level == 10 else sectors,
        volume.spec.bitmap_chunk if bitmap else None,
        old=metadata == Superblock0.METADATA,
    )
    if spans > 1 and layout["family"] == PARITY:
        return spans_in(folder, new, layout)
    names = [f"drive-{number}" for number in range(drives)]
    if not any(folder.iterdir()):
        create(new, [folder / name for name in names])
    array = find(folder)
    check_same(folder, array, new, drives, metadata)
    members = reopened(folder, array, names)
    keeper = keeper_of(folder, array, names, new.covered)
    keeper.knows(members)
    keeper.begin()
    members.keeper = keeper
    return members


def _whole_file(path: Path, size: int) -> Sparse:
    if not path.exists():
        new_file(path, size)
    if path.stat().st_size != size:
        cause = f"has {path.stat().st_size} bytes, and the drive {size}"
        raise InputError([Problem(str(path), None, None, cause, "give another folder")])
    return Sparse(os.open(path, os.O_RDWR | os.O_CLOEXEC), size)

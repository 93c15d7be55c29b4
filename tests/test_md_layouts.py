"""Where strips lie, against where real md and dm-raid put them: data/md."""

from __future__ import annotations

import re

import numpy as np
import pytest
from md_data import facts, layout_of

from raidsim.layout.address import held
from raidsim.layout.arrange import arrange
from raidsim.layout.parity import data_place, q_exponent
from raidsim.layout.tables import DATA, UNUSED, P

ZONES = "members of unequal size, and zones over those that have more"
TWO = "RAID 5 of two drives, which is a mirror"
LINEAR = "linear is told in runs of bytes: no strips"
WITHOUT = {
    **dict.fromkeys(
        (f"raid0-{form}-{which}" for form in ("3-zones", "4-zones", "3-zones-odd")
         for which in ("original", "alternate")), ZONES),
    "linear-3": LINEAR, "linear-3-unequal": LINEAR, "raid5-ls-2-64k": TWO,
}  # fmt: skip
"""Arrays that are not compared here, and why."""

SPREADS = {"near": "near", "offset": "offset-sets", "far": "far-sets"}
"""What dm-raid calls so; with raid10_use_near_sets it turns over all drives, as mdadm does."""


def printed(layout, rows):
    """Number of the data strip, P, Q or - for each drive, row by row."""
    size = int(layout["strip"])
    found = []
    for row in range(rows):
        words = []
        for drive in range(int(layout["drives"])):
            role, _, address = held(layout, drive, row)
            if role == UNUSED:
                words.append("-")
            else:
                words.append(str(address // size) if role == DATA else "PQ"[role - P])
        found.append(" ".join(words))
    return found


def exponents(layout, rows):
    """Exponents of the data of each row, in the order of the drives that hold it."""
    found = []
    for row in range(rows):
        places = {data_place(layout, row, i): q_exponent(layout, row, i)
                  for i in range(int(layout["data"]))}  # fmt: skip
        found.append([places[drive] for drive in sorted(places)])
    return found


def compared():
    """Names of the arrays of one level, with members that are equal."""
    return [name for name in facts()["layouts"] if name not in WITHOUT and "outer" not in name]


def test_nearly_all_arrays_of_md_are_compared():
    assert len(compared()) > 170
    assert WITHOUT.keys() <= facts()["layouts"].keys()


def level_of(name):
    return re.match(r"raid\d+|linear", name)[0]


def test_strips_of_every_level_and_layout_lie_where_md_puts_them():
    for name in compared():
        one = facts()["layouts"][name]
        chunk = one["chunk"] or one["array_bytes"] // len(one["rows"])
        size = min(one["member_bytes"])
        layout = layout_of(level_of(name), one["members"], chunk, one["layout"], size)
        assert printed(layout, len(one["rows"])) == one["rows"], name
        if one.get("q_exponents"):
            assert exponents(layout, len(one["q_exponents"])) == one["q_exponents"], name
        assert int(layout["size"]) == one["array_bytes"], name


def dm_layout(table, members, chunk, size):
    """The layout that a table of dm-raid or dm-striped asks for."""
    kind = table.split()[3] if " raid " in table else table.split()[2]
    if kind in ("striped", "raid0"):
        return arrange("0", members, chunk, size)
    if kind == "raid1":
        return arrange("1", members, chunk, size)
    if kind == "raid10":
        form = re.search(r"raid10_format (\w+)", table)[1]
        spread = form if "raid10_use_near_sets" in table else SPREADS[form]
        copies = int(re.search(r"raid10_copies (\d)", table)[1])
        return arrange("10", members, chunk, size, spread=spread, copies=copies)
    level, _, way = kind.removeprefix("raid").partition("_")
    words = {"la": "left-asymmetric", "ls": "left-symmetric", "ra": "right-asymmetric",
             "rs": "right-symmetric", "zr": "zero-restart", "nr": "n-restart", "nc": "n-continue",
             "n": "parity-last", "": "parity-first", "n_6": "parity-last"}  # fmt: skip
    rotation = words.get(way) or f"{words[way.removesuffix('_6')]}-6"
    return arrange("5" if level == "4" else level, members, chunk, size, rotation=rotation)


@pytest.mark.parametrize("name", sorted(facts()["dm"]))
def test_strips_of_dm_raid_lie_where_it_puts_them(name):
    """Its RAID 4 has parity first; copies that are far or offset stay in sets of drives."""
    one = facts()["dm"][name]
    chunk = one["chunk"] or one["array_bytes"] // len(one["rows"])
    layout = dm_layout(one["table"], one["members"], chunk, len(one["rows"]) * chunk)
    assert printed(layout, len(one["rows"])) == one["rows"]
    if one.get("q_exponents"):
        assert exponents(layout, len(one["q_exponents"])) == one["q_exponents"]


def test_a_rotation_with_q_last_needs_a_q():
    with pytest.raises(ValueError, match="RAID 6"):
        arrange("5", 4, 4096, 1 << 20, rotation="left-symmetric-6")
    assert np.ndim(arrange("6", 4, 4096, 1 << 20, rotation="left-symmetric-6")) == 0

"""What the tables of a flash translation layer say has to be one story."""

from __future__ import annotations

import numpy as np

from raidsim.assembly import ftl
from raidsim.kernel import tables as t
from raidsim.system.system import System


def check(system: System, which: int) -> None:
    """Map, owners, valid counts, lists of closed blocks and free blocks tell one story."""
    row, parts = system.world.ftls[which], ftl.tables_of(system, which)
    n, blocks = int(row["block_units"]), int(row["blocks"])
    maps, owners = (ftl.list_of(system, which, name) for name in ftl.LISTS)
    mapped = np.flatnonzero(maps != t.NONE)
    places = maps[mapped]
    assert len(np.unique(places)) == len(places)
    assert (owners[places] == mapped).all()
    assert (np.bincount(places // n, minlength=blocks) == parts["blocks"]["valid"]).all()

    seen = {*row["frontier"].tolist(), int(row["victim"])} - {t.NONE}
    here, free = int(row["free_head"]), 0
    while here != t.NONE:
        assert here not in seen
        assert parts["blocks"]["valid"][here] == 0
        seen.add(here)
        here, free = int(parts["blocks"]["after"][here]), free + 1
    assert free == row["free"]
    firsts, lasts = parts["buckets"].reshape(2, n + 1)
    for valid, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        here, before = int(first), t.NONE
        while here != t.NONE:
            assert here not in seen
            assert parts["blocks"]["valid"][here] == valid >= row["lowest"]
            assert parts["blocks"]["before"][here] == before
            seen.add(here)
            here, before = int(parts["blocks"]["after"][here]), here
        assert before == last
    assert seen == set(range(blocks))
    assert (row["room"] >= 0).all()
    assert (row["room"] <= n).all()
    assert row["appended"] == row["written"] + row["moved"]
    assert parts["blocks"]["erases"].sum() == row["erased"]

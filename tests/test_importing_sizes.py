"""How large volumes and drives of an imported system are, beside what files say."""

from __future__ import annotations

import pytest

from raidsim.importing.importer import import_files
from raidsim.scenario.scenario import load_text


@pytest.mark.parametrize(
    ("blocks", "layout", "drives"),
    [
        (2929890816, "2 near-copies", 3),
        (1953259520, "3 near-copies", 4),
        (2929890816, "2 far-copies", 3),
        (4883151360, "2 near-copies", 5),
    ],
)
def test_mirrors_with_an_odd_drive_are_as_large_as_mdstat_says(tmp_path, blocks, layout, drives):
    members = " ".join(f"sd{'abcde'[one]}[{one}]" for one in range(drives))
    text = (
        f"md0 : active raid10 {members}\n      {blocks} blocks super 1.2 512K chunks"
        f" {layout} [{drives}/{drives}] [{'U' * drives}]\n"
    )
    status = tmp_path / "mdstat"
    status.write_text(text)
    (volume,) = load_text(import_files([str(status)]).text).volumes
    assert volume.drives == drives
    assert volume.capacity == pytest.approx(blocks * 1024, rel=1e-3)

"""What a drive was asked for that is replaced as it fails is asked of the others anew."""

from __future__ import annotations

import pytest

from raidsim import Environment, Host, Volume
from raidsim.observe import figures

DRIVES = {"flash": "intel-p3700-800gb", "a disk": "seagate-st373455ss"}


@pytest.mark.parametrize("sent_before", [2e-6, 2e-5, 5e-5])
@pytest.mark.parametrize("kind", DRIVES)
def test_a_read_under_way_is_not_answered_by_the_empty_drive(kind: str, sent_before: float) -> None:
    """The first strip is on the first drive. Without it, it is the sum of the others."""
    env = Environment(seed=1)
    words = {"level": "raid5", "drives": 4, "state": "fresh"}
    data = Volume(env, DRIVES[kind], Host(env, "fujitsu-rx2540-m1"), **words)
    read = data.read(0, 4096)
    env.run(until=sent_before)
    assert not read.processed
    data.fail(0)
    data.replace(0).pause()
    env.run(until=read)
    others = [data.system.world.drives[row]["host_read"] for row in data._drives.rows[1:]]
    assert all(others)
    assert figures.counts(data.system, range(data.system.count("streams"))).failed == 0

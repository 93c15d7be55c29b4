"""What an attached system says of itself when it begins."""

from __future__ import annotations

import logging

from attached_disks import FAST, disks

from raidsim.attach.attached import AttachedSystem
from raidsim.scenario import Scenario


def test_a_machine_without_loads_says_that_its_drives_cannot_begin_warm(caplog):
    text = disks() + '\n[air]\nstart = "warm"\n'
    for loads in (False, True):
        caplog.clear()
        attached = AttachedSystem(Scenario.from_text(text), FAST, loads=loads)
        with caplog.at_level(logging.WARNING, "raidsim.attach"):
            attached.start()
        attached.close()
        told = [one.message for one in caplog.records if "air.start" in one.message]
        assert len(told) == (0 if loads else 1)

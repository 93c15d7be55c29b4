"""The arrays that the page offers to watch: scenarios, and what is worth trying with each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from raidsim.errors import InputError, Problem
from raidsim.scenario import Scenario

FOLDER = Path(__file__).parent / "scenarios"


@dataclass(frozen=True)
class Preset:
    """A scenario that can be watched.

    Attributes
    ----------
    name : what it is asked for by.
    title : what visitors choose.
    try_this : what there is to be seen, in a few sentences.
    slow : simulated seconds that pass in a second of slow motion.
    fast : the same, where the whole array is looked at.
    shipped : whether it is one of the shipped scenarios, by that name.
    """

    name: str
    title: str
    try_this: str
    slow: float
    fast: float
    shipped: bool = False

    def scenario(self) -> Scenario:
        """The scenario, read."""
        if self.shipped:
            return Scenario.read(self.name)
        return Scenario.read(FOLDER / f"{self.name}.toml")


PRESETS = (
    Preset(
        "raid5",
        "RAID 5 of four disks",
        "Follow a write: old data and old parity are read, then both are written. Let drive 1 fail"
        " and read strip 5 twice: it was on that drive. Put in a new drive, and look at the whole"
        " array: the rebuild takes more than an hour.",
        2e-3,
        0.5,
    ),
    Preset(
        "raid6",
        "RAID 6 of six disks",
        "A small write costs six commands. Two drives may fail; look at what a read costs after"
        " the second, and what happens with the third.",
        2e-3,
        0.5,
    ),
    Preset(
        "raid10",
        "RAID 10 of four disks",
        "Every strip exists twice. Reads take the copy whose drive has less to do, and writes go to"
        " both. Two drives may fail, if they are not of one pair.",
        2e-3,
        0.5,
    ),
    Preset(
        "write-back",
        "RAID 5 with a write-back cache and a battery",
        "Writes are answered from the cache, which fills, because the disks are slower. Cut the"
        " power: the battery keeps the dirty data. Begin a learn cycle of the battery, and see how"
        " long writes take then. Do the same with an empty battery.",
        1e-3,
        2.0,
    ),
    Preset(
        "throttling-ssd",
        "An SSD that throttles",
        "Sequential writes warm the drive. Let the fan fail, look at the whole array, and watch the"
        " temperature: after some two minutes the drive slows down so that it does not become too"
        " hot. Put the fan back.",
        2e-4,
        10.0,
    ),
    Preset(
        "rebuild-raid5",
        "A disk fails and a hot spare takes its place",
        "A shipped scenario: after 20 s drive 2 fails. One row in a hundred is rebuilt, and the"
        " time is extrapolated.",
        2e-3,
        1.0,
        shipped=True,
    ),
    Preset(
        "power-cut",
        "A power cut, software RAID 5",
        "A shipped scenario: after 20 s the power goes while stripes are written. It is not"
        " known which are torn, so the whole array is made consistent again.",
        2e-3,
        1.0,
        shipped=True,
    ),
    Preset(
        "battery-learn-cycle",
        "A learn cycle at night",
        "A shipped scenario: after half an hour the controller discharges its battery and charges"
        " it again. Look at the latency of writes meanwhile.",
        1e-3,
        60.0,
        shipped=True,
    ),
    Preset(
        "latent-errors",
        "Sectors that cannot be read",
        "A shipped scenario: sectors become unreadable, which is noticed only when they are read.",
        2e-3,
        30.0,
        shipped=True,
    ),
)


def preset(name: object) -> Preset:
    """The preset of this name.

    Raises
    ------
    InputError
        If there is none.
    """
    for one in PRESETS:
        if one.name == name:
            return one
    raise InputError([Problem(None, None, "preset", "there is no such array", "choose another")])

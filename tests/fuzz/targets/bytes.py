"""Power cuts at any moment, held against real bytes.

Builds an array of any level on the host or on a controller, with or without a battery, write-back,
disk caches, bitmaps, journals and missing drives, lets random writes run, and cuts the power some
times. Every command that the kernel sends to a drive is followed on bytes (``tests/power_bytes``).
What must hold: whatever was acknowledged and is not there is in the report of the cut, from each
copy and with any one more drive gone; and so is every stripe whose parity or copies disagree.
"""

from __future__ import annotations

import random
from typing import Any

from power_bytes import FLUSHING, Bytes, check

from raidsim.errors import InputError

LEVELS = {"raid1": (2, 3), "raid10": (4, 6), "raid5": (3, 5), "raid6": (4, 6)}


def prepare() -> None:
    """Compile all of the kernel that this needs."""
    Bytes("raid5", 3, 1).run(20)


def attempt(random: random.Random) -> None:
    """One array, and some cuts."""
    level = random.choice(list(LEVELS))
    drives = random.randint(*LEVELS[level])
    if level == "raid10":
        drives -= drives % 2
    words: dict[str, Any] = {"disk_cache": random.choice(["on", "off"])}
    battery = random.choice([None, "good", "low", "absent"])
    if battery is None:
        logged = ["ppl"] if level == "raid5" else []
        words["intent"] = random.choice(["none", "bitmap", "journal", *logged])
    else:
        words["battery"] = battery
        words["controller"] = random.choice([{}, FLUSHING])
        words["write"] = random.choice(["through", "back", "back-bad-battery"])
    if random.random() < 0.3:
        words["failed"] = [random.randrange(drives)]
    words["outstanding"] = random.choice([1, 6, 12])
    said = f"Bytes({level!r}, {drives}, ..., {words})"
    try:
        array = Bytes(level, drives, random.randrange(2**31), **words)
    except InputError:  # no journal of mirrors, no cache without a battery
        return
    try:
        for _ in range(random.choice([1, 2, 4])):
            instants = random.choice([random.randint(1, 40), random.randint(40, 400)])
            said += f"\n{instants} instants, cut"
            array.run(instants)
            check(array, array.cut())
            array.power_on()
    except Exception as error:
        error.add_note(said)
        raise

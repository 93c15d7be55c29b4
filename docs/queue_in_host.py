"""Random reads of a disk that are sorted by positioning time: with and without time between them.

Prints the table of docs/background/disks.md, "What stands in a disk's queue, and what in the
host's": reads a second. It shares nothing with the simulator: one surface, uniform random sectors,
the curve through three seeks.
"""

from __future__ import annotations

import numpy as np

SINGLE, AVERAGE, FULL = 0.3, 3.5, 7.5  # ms
TURN = 60_000 / 15_000  # ms
TRANSFER = 0.03  # ms
CYLINDERS = 50_000
READS = 20_000


def reads_a_second(outstanding: int, between: float, seed: int = 1) -> int:
    """Reads a second with ``between`` ms from the end of one access to the next seek."""
    rng = np.random.default_rng(seed)
    root = 5 * (AVERAGE - SINGLE) - 5 / 3 * (FULL - SINGLE)
    linear = FULL - SINGLE - root
    place, angle = rng.random(outstanding), rng.random(outstanding) * TURN
    here, now = 0.5, 0.0
    for _ in range(READS):
        distance = np.abs(place - here)
        seek = SINGLE + root * np.sqrt(distance) + linear * distance
        seek[distance < 1 / CYLINDERS] = 0.0
        time = seek + (angle - (now + seek)) % TURN
        best = int(np.argmin(time))
        now += float(time[best]) + TRANSFER + between
        here = place[best]
        place[best] = rng.random()
        angle[best] = rng.random() * TURN
    return round(READS / now * 1000)


if __name__ == "__main__":
    for outstanding in (1, 32, 128):
        row = [reads_a_second(outstanding, between) for between in (0.0, 0.2, 0.4)]
        print(f"| {outstanding} | {row[0]} | {row[1]} | {row[2]} |")

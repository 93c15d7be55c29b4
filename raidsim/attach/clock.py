"""Two clocks: real time, and the simulated time that follows it at some speed."""

from __future__ import annotations

import time
from collections.abc import Callable


class Clock:
    """Simulated time as a function of real time.

    Parameters
    ----------
    speed
        Simulated seconds in a second: 1 is real time, 0.1 ten times slower.
    wall
        Real time, s, from any origin; it never goes backwards.

    Attributes
    ----------
    slipped
        Real time by which it was put back because the simulation could not follow, s.
    """

    def __init__(self, speed: float, wall: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self.wall = wall
        self.slipped = 0.0
        self._origin = 0.0  # real time at which simulated time was 0

    def start(self, simulated: float) -> None:
        """Let it be this simulated time now, s."""
        self._origin = self.wall() - simulated / self.speed

    @property
    def now(self) -> float:
        """Simulated time, s."""
        return (self.wall() - self._origin) * self.speed

    def wait_for(self, simulated: float) -> float:
        """Real seconds until it is this simulated time; negative if it was before."""
        return simulated / self.speed + self._origin - self.wall()

    def slip(self, seconds: float) -> None:
        """Put the simulated clock back by so much real time: the simulation cannot follow it."""
        self._origin += seconds
        self.slipped += seconds

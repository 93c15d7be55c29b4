"""An attached system whose time advances only while a client waits, for exact repetition.

Between an answer and the next request a given simulated time passes, however long the client takes.
So for a client with one request outstanding, the array behaves the same in every run, to the ns.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from raidsim.attach.attached import AttachedSystem
from raidsim.attach.clock import Clock
from raidsim.result.cuts import VolumeCut
from raidsim.scenario import Scenario

OUTAGE = {"kind": "power-cut", "outage": "1 s", "boot": "0 s"}


class SteppedSystem(AttachedSystem):
    """The volumes of a scenario, in time that waits for their clients.

    Parameters
    ----------
    scenario
        What is simulated.
    think
        Simulated time from an answer after which nothing is under way to the next request, s.
    cut_at
        Simulated time at which the power is cut, s; inf for never.
    on_cut
        Called then.

    Attributes
    ----------
    cut
        What the cut has cost, by volume; None before it.
    cut_time
        When it was, simulated s.
    latest
        Time of the latest answer, simulated s.
    """

    def __init__(
        self,
        scenario: Scenario,
        think: float = 0.0,
        cut_at: float = math.inf,
        on_cut: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(scenario, 1.0)
        self.clock = Clock(1.0, wall=lambda: self.env.now)
        self.cut: dict[str, VolumeCut] | None = None
        self.cut_time = math.inf
        self.latest = 0.0
        self._cut_at = cut_at
        self._think = think
        self._is_thinking = False  # the client's next request is at this time, or later
        self._on_cut = on_cut

    def advance(self) -> None:
        """Let the next answer be there, if a client waits; else let it have thought."""
        waiting = self.in_flight
        if not waiting and not self._is_thinking and self._think:
            self._is_thinking = True
            self._go_to(self.env.now + self._think)
        while waiting and self.in_flight >= waiting and self.env.next_time < math.inf:
            self._is_thinking = False
            if not self._go_to(self.env.next_time):
                break
        self.latest = max(self.latest, self.course.now) if waiting else self.latest

    def _go_to(self, time: float) -> bool:
        """Let it be this time, unless the power is cut before; whether it was not."""
        cut_at = self.course.origin + self._cut_at
        is_cut = self.cut is None and cut_at <= time
        self._advance_to(cut_at if is_cut else time)
        for device in self.devices.values():
            device.stored.look()
            device.stored.look_after_checks()
        if is_cut:
            self.cut_power()
        return not is_cut

    @property
    def wait(self) -> float:
        """Real seconds until the next thing is due."""
        return 0.0 if self.in_flight and self.env.next_time < math.inf else math.inf

    def cut_power(self) -> None:
        """Cut the power now."""
        self.cut_time = self.course.now
        self.course.let_happen(self.model.scenario.one_event(OUTAGE))
        cut = self.course.power_cuts[-1]
        self.cut = {name: cut.of(name) for name in self.devices}
        self._on_cut()

    def come_back(self) -> None:
        """Let time go on until the power is back and the volumes can be used."""
        while self.env.power != "on":
            self._advance_to(self.env.next_time)
        for device in self.devices.values():
            device.stored.look()

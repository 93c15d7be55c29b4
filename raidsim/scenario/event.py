"""What every ``[[event]]`` has, whatever its kind."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

from raidsim.scenario.fields import Quantity, key
from raidsim.scenario.part import Name, Part


class EventSpec(Part):
    """Something that happens to the hardware while the scenario runs, or is done to it."""

    KIND: ClassVar[str] = ""
    OPERATION: ClassVar[bool] = False  # it begins a background operation

    kind: Name = key("what happens")
    at: Annotated[float, Quantity("time", high="8760 h")] = key("when, from the start of measuring")
    every: Annotated[float | None, Quantity("time", above="0 s", high="8760 h")] = key(
        "again after each such time, until the end (`measure.duration`)", None, "once"
    )

    @property
    def words(self) -> str:
        """The event, as a sentence without its end."""
        return self.kind

    @property
    def words_of_end(self) -> str:
        """The end of the event, as a sentence, if it lasts for a while."""
        return ""

    @property
    def span(self) -> float:
        """The duration, s; 0 if it is done at once, or if nobody knows it beforehand."""
        found = [getattr(self, name, None) for name in ("lasting", "outage", "boot")]
        return sum(one or 0.0 for one in found)

    def times(self, duration: float | None) -> list[float]:
        """Return the times of an event, s."""
        if self.every is None or duration is None:
            return [self.at]
        number = max(math.ceil((duration - self.at) / self.every), 1)
        return [round(self.at + n * self.every, 9) for n in range(number)]  # whole ns

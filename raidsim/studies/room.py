"""The memory that a run would need, before it is run: `raidsim run` refuses too large runs."""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.control.model import Model
from raidsim.errors import InputError
from raidsim.risk.under_load import hardest
from raidsim.scenario import Scenario
from raidsim.system import memory
from raidsim.system.tables import SaturationError


@dataclass(frozen=True)
class Room:
    """The memory of one run.

    Attributes
    ----------
    point : number of the point of the sweep that asks for most.
    needed : bytes of the tables of its system before the first I/O; None where it is refused.
    most : bytes that there are for it: half of what this computer has.
    refused : why it would be refused, each with what would be right.
    """

    point: int
    needed: int | None
    most: int
    refused: tuple[str, ...] = ()


def room_of(scenario: Scenario) -> Room:
    """Put the hardest point of a scenario together, as a run does first, and weigh its tables.

    What was written to flash drives before is not carried out: it decides what the rows of a table
    say, and not how many there are.
    """
    point = hardest(scenario)
    try:
        model = Model(scenario, point, only_weighed=True)
        needed = model.env.system.memory
    except InputError as error:
        reasons = (
            (f"{problem.key}: " if problem.key else "")
            + "; ".join(part for part in (problem.cause, problem.remedy) if part)
            for problem in error.problems
        )
        return Room(point, None, memory.most(), tuple(reasons))
    except SaturationError as error:
        return Room(point, None, memory.most(), (str(error),))
    return Room(point, needed, memory.most())

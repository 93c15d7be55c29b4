"""Results: plain data that every report reads, from the figures of a load to the whole run.

Nothing here computes. `raidsim.observe` and `raidsim.running` make these objects, and
`raidsim.report` shows them; docs/reference/results.md describes every field.
"""

from raidsim.result.compared import Compared
from raidsim.result.course import (
    Course,
    Event,
    Loss,
    Moment,
    OperationUse,
    Phase,
    operation_title,
)
from raidsim.result.figures import (
    Carried,
    Counts,
    Interval,
    Latency,
    Limit,
    Stage,
    StationUse,
    owner_and_part,
)
from raidsim.result.hardware import (
    ArrayUse,
    ControllerUse,
    DriveUse,
    HybridUse,
    MachineUse,
    Temperature,
    WriteMode,
)
from raidsim.result.point import FROM_THE_START, NO_LOAD, Point, Sample
from raidsim.result.replayed import Replayed, Stretch
from raidsim.result.result import SCHEMA, Highest, Interrupted, Result

__all__ = [
    "FROM_THE_START",
    "NO_LOAD",
    "SCHEMA",
    "ArrayUse",
    "Carried",
    "Compared",
    "ControllerUse",
    "Counts",
    "Course",
    "DriveUse",
    "Event",
    "Highest",
    "HybridUse",
    "Interrupted",
    "Interval",
    "Latency",
    "Limit",
    "Loss",
    "MachineUse",
    "Moment",
    "OperationUse",
    "Phase",
    "Point",
    "Replayed",
    "Result",
    "Sample",
    "Stage",
    "StationUse",
    "Stretch",
    "Temperature",
    "WriteMode",
    "operation_title",
    "owner_and_part",
]

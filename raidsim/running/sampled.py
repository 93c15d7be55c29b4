"""Remarks about background operations of which only a sample was simulated, at the end of a course.

The time of all rows is extrapolated from the sample. A remark says where that is not exact: the
course ended early, the sample had to be made smaller, a new drive took the sample into its SLC
cache, or destages of the cache went over the disks about as often as the sample.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidsim import units
from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.control.course import Course
from raidsim.control.model import Model
from raidsim.control.operation import Operation
from raidsim.kernel import tables as t
from raidsim.observe import elevator_passes

A_LITTLE = 0.01  # of the rows of an operation
THINNED_AND_CUT = (
    "; the run ended before the last of them, so its time is that of the outer tracks, and too"
    " short: raise measure.max_time"
)


def about_samples(model: Model, course: Course) -> list[str]:
    """Return the remarks about all operations of a course, each kind of remark together."""
    operations = list(model.operations())
    return [
        *(_cut_off(one) for one in operations if _outlasts(one, course)),
        *(_thinned(one, model) for one in operations if one.is_thinned),
        *(remark for one in operations for remark in _into_a_burst(one)),
        *(remark for one in operations for remark in _beside_destages(one, model, course)),
    ]


def _cut_off(operation: Operation) -> str:
    return (
        f"{operation.title}: its time is extrapolated from"
        f" {units.plain(operation.simulated_seconds, 3)} s of it, and the rest of the run ended"
        " before all of it would have been done: raise volume.rebuild_sample"
    )


def _outlasts(operation: Operation, course: Course) -> bool:
    """Return whether conditions changed between the end of the sample and that of all rows."""
    in_all = operation.seconds_in_all
    begun = round(operation.started - course.origin, 9)
    done = begun + operation.simulated_seconds
    return operation.is_over and any(
        done < change < begun + (in_all or 0.0) for change in course.changes
    )


def _thinned(operation: Operation, model: Model) -> str:
    return (
        f"{operation.title}: {100 * operation.share_simulated:.2g} % of its rows are simulated,"
        " fewer than its sample asks for: all of these would have taken longer than"
        f" {model.scenario.measure.max_time:g} s (measure.max_time)"
    ) + ("" if operation.is_over else THINNED_AND_CUT)


def _into_a_burst(operation: Operation) -> Iterator[str]:
    sample, whole = _shares_in_a_burst(operation)
    if sample > whole + A_LITTLE:
        yield (
            f"{operation.title}: its time is too short: of the rows that are simulated"
            f" {100 * sample:.3g} % go into the SLC cache of a new drive, of all rows"
            f" {100 * whole:.3g} %: raise volume.rebuild_sample"
        )


def _shares_in_a_burst(operation: Operation) -> tuple[float, float]:
    """Share that a new drive takes in fast: of what is simulated of it, and of all."""
    if operation.drive is None or not operation.size:
        return 0.0, 0.0
    system = operation.volume.system
    drive = drives_of(system, operation.volume.row)[operation.drive]
    whole = kind_at(system, drive).burst(system, drive) / operation.size
    return min(whole / operation.share_simulated, 1.0), min(whole, 1.0)


def _beside_destages(operation: Operation, model: Model, course: Course) -> Iterator[str]:
    passes = _passes_during(operation, model, course)
    if passes > 0:
        yield (
            f"{operation.title}: its time may be wrong, by up to half if the cache is large. While"
            " its sample went over the disks once, the destages of the cache went over them"
            f" {units.plain(passes, 2)} times. So it may have stayed near them, where it is fast,"
            f" or far away; {_remedy(operation, model, elevator_passes.MANY / passes)}"
        )


def _passes_during(operation: Operation, model: Model, course: Course) -> float:
    """Return the number of passes of destages over the disks during a sample beside them."""
    system, passed = model.env.system, model.env.now - course.origin
    lane = elevator_passes.lane_of(system, operation.volume.row)
    if operation.share_simulated == 1.0 or lane == t.NONE or passed <= 0:
        return 0.0
    rate = system.since("lanes", lane, "destaged") / passed
    pass_time = elevator_passes.seconds(system, operation.volume.row, rate)
    took = operation.simulated_seconds
    return took / pass_time if elevator_passes.go_along(took, pass_time) else 0.0


def _remedy(operation: Operation, model: Model, times: float) -> str:
    """What makes a sample so many times as large."""
    if operation.is_thinned:
        seconds = units.plain(times * model.scenario.measure.max_time, 2)
        return f"raise measure.max_time to {seconds} s or more"
    return f"give a sample {units.plain(max(times, 1.1), 2)} times as large, or larger"

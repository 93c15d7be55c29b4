"""Claims about how fast rebuilds, checks and the like go through drives."""

from dataclasses import replace

from toy_drive import result

from raidsim.result import Course, OperationUse
from raidsim.validate.claims import Claim, Measurement, Performance
from raidsim.validate.verdict import judge

RUN = Measurement("toy", (), "operation_mbps", (None,), "at")


def operation(mbps):
    """A check of a whole array that went through each drive at this rate."""
    return OperationUse("check", "data", None, 0.0, 100.0, 1.0, 1.0, "done", mbps, 0, 0, 0)


def course(*rates):
    """A result whose one point has a course with these operations."""
    one = result(1.0)
    empty = {name: [] for name in Course.__dataclass_fields__}
    return replace(
        one,
        points=[
            replace(
                one.points[0],
                course=Course(**{**empty, "operations": [operation(rate) for rate in rates]}),
            )
        ],
    )


def simulated(found):
    """The number that stands against a claim whose run has this result."""
    claim = Claim("toy", "toy", "", "value", "prediction", 1.0, 0.0, 0.1, "", Performance(RUN), "s")
    return judge(claim, dict(zip(RUN.jobs(), [found], strict=True)), lambda *_: None).simulated


def test_the_slowest_operation_counts():
    assert simulated(course(120.0, 80.0)) == 80.0


def test_operations_that_went_through_nothing_are_left_out():
    assert simulated(course(None, 120.0)) == 120.0
    assert simulated(course(None)) is None


def test_without_a_course_there_is_no_number():
    assert simulated(result(1.0)) is None

"""Acceptance of a delivered system: what to measure, and the range in which each figure must lie.

`jobs` writes the loads of a scenario as job files of fio. `ranges` computes the ranges of their
figures from the possible values of the cards. `expected` is jobs and ranges as a file, and
`drawn_up` makes this file from a scenario. `verdict` compares measurements with it.
"""

from raidsim.acceptance.drawn_up import draw_up
from raidsim.acceptance.expected import Expected, is_expected, read_expected
from raidsim.acceptance.verdict import Verdict, verdict_of

__all__ = ["Expected", "Verdict", "draw_up", "is_expected", "read_expected", "verdict_of"]

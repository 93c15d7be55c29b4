"""Acceptance of a system that was delivered: what to measure, and the range that it must show.

`jobs` writes the loads of a scenario as job files of fio, `ranges` says where their figures lie
if the cards are as they may be, `expected` is both as a file, `drawn_up` makes it of a scenario,
and `verdict` holds what was measured against it.
"""

from raidsim.acceptance.drawn_up import draw_up
from raidsim.acceptance.expected import Expected, is_expected, read_expected
from raidsim.acceptance.verdict import Verdict, verdict_of

__all__ = ["Expected", "Verdict", "draw_up", "is_expected", "read_expected", "verdict_of"]

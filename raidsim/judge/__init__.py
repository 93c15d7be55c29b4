"""Measured beside simulated: results of fio against a scenario, and what may have made them differ.

`compare` plays the jobs of a result as loads on the scenario's volume, `figures` sets figures of
the same kind beside each other, and `causes` lists what would make a measurement faster or slower:
each is simulated, so that a cause is never only a guess.
"""

from raidsim.judge.compare import JudgedJob, Judgement, judge

__all__ = ["JudgedJob", "Judgement", "judge"]

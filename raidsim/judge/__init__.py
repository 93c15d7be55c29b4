"""Measured beside simulated: results against a scenario, and what may have made them differ.

`results` reads what fio, vdbench or Iometer wrote, and `loads` finds the load of each job;
`compare` plays the jobs as loads on the scenario's volume, `figures` sets figures of
the same kind beside each other, and `causes` lists what would make a measurement faster or slower:
each is simulated, so that a cause is never only a guess.
"""

from raidsim.judge.judgement import JudgedJob, Judgement, judge
from raidsim.judge.loads import Given
from raidsim.judge.results import read_results

__all__ = ["Given", "JudgedJob", "Judgement", "judge", "read_results"]

"""Measured beside simulated: results against a scenario, and what may have made them differ.

`results` reads the files of fio, vdbench or Iometer, and `loads` finds the load of each job.
`judgement` runs the jobs as loads on the scenario's volume, and `figures` has figures of the same
kind side by side. `causes` lists what would make a measurement faster or slower. Each cause is
simulated, so it is more than a guess.
"""

from raidsim.judge.judgement import JudgedJob, Judgement, judge
from raidsim.judge.loads import Given
from raidsim.judge.results import read_results

__all__ = ["Given", "JudgedJob", "Judgement", "judge", "read_results"]

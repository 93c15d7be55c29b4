"""Risk of data loss: mean time to it, probability of it, and how much is expected to be lost.

:func:`raidsim.risk.assess.assess` says it of a volume of a scenario. Below it lie closed forms
and Markov chains (:mod:`raidsim.risk.markov`) and simulated lifetimes
(:mod:`raidsim.risk.lifetimes`); neither knows a scenario. Times are hours there, a year has 8760.
"""

"""Risk of data loss: mean time to it, probability of it, and the expected lost amount.

:func:`raidsim.risk.assess.assess` computes it for a volume of a scenario. It uses closed forms and
Markov chains (:mod:`raidsim.risk.markov`) and simulated lifetimes (:mod:`raidsim.risk.lifetimes`),
which do not know a scenario. Times are hours there, and a year has 8760.
"""

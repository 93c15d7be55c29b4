"""What cards do not know: draws of their values, and what these do to figures.

:mod:`raidsim.unknowns.values` says which values of a card are unknown, and how they go together,
:mod:`raidsim.unknowns.draws` draws cards, :mod:`raidsim.unknowns.spread` makes intervals of what
the draws gave, :mod:`raidsim.unknowns.shares` says which value is behind how much of one, and
:mod:`raidsim.unknowns.experiments` which measurement would tell that value.
"""

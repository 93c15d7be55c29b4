"""Unknown values of cards: draws of these values, and their effect on figures.

:mod:`raidsim.unknowns.values` says which values of a card are unknown, and how they go together,
:mod:`raidsim.unknowns.draws` draws cards, :mod:`raidsim.unknowns.spread` makes intervals of what
the draws gave, :mod:`raidsim.unknowns.compared` says how much wider models make them, and
:mod:`raidsim.unknowns.links` how far links let them reach. :mod:`raidsim.unknowns.shares` says
which value is behind how much of an interval, and :mod:`raidsim.studies.experiments`, above, which
measurement would tell that value.
"""

"""The engine of lessons: numbers chosen by a seed, answers by hand and by simulation, marks.

A lesson is data and small functions (:mod:`raidsim.lessons`, one file each). Nothing here prints,
and nothing here knows a terminal or a page: the output is in :mod:`raidsim.report`.
"""

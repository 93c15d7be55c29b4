"""Descriptions that other tools wrote, as a scenario: inventories, job files, statistics.

A file is recognised and read by one of the modules in :mod:`raidsim.importing.formats`, each of
which gives what it found (:mod:`raidsim.importing.model`) with the lines it is from. What several
files say of one thing is joined (:mod:`raidsim.importing.together`), hardware is matched to cards
(:mod:`raidsim.importing.matching`), and all of it is written (:mod:`raidsim.importing.writing`).
"""

"""RAID as plain functions: where bytes lie, and which device accesses a request becomes.

Ground layer. Functions here are loops and arithmetic on integers and NumPy records, which
Numba can compile and this package does not import: nothing is allocated, callers pass the
tables to fill. :func:`raidsim.layout.functions.decorated` hands them out compiled.

From a request to device accesses::

    arrange   level, drives, strip -> a LAYOUT record          (Python only)
    address   volume address <-> drive and offset, any level
    plan      pieces -> merge: what a request reads and writes, in phases
    rebuild   what restores one strip of a replaced drive

One family of levels is one file: :mod:`~raidsim.layout.single` (JBOD),
:mod:`~raidsim.layout.striped` (0), :mod:`~raidsim.layout.mirrored` (1, 1E, 10),
:mod:`~raidsim.layout.parity` (5, 6), :mod:`~raidsim.layout.nested` (10, 50, 60 of spans).

Words are those of the SNIA dictionary. A *strip* is what lies together on one drive, a
*row* the number of a strip on its drive, a *stripe* the strips of one row of a parity
array, a *span* one of the equal arrays that a nested level stripes over.
"""

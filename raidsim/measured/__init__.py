"""Measurements of load generators, in one form for all of them; readers of vdbench and Iometer.

`job` is the form, `said` the load that a result describes. `vdbench_*` and `iometer` read files
into it, as `raidsim.fio.reader` does for fio.
"""

"""RAID on real bytes: the plans of :mod:`raidsim.layout`, applied to arrays in memory.

A plan is proved by data: what :class:`~raidsim.store.array.Store` reads after any writes,
failures and rebuilds has to be what was written. Bytes move between drives and store only by
the accesses of the merged plan, and everything computed rests on those.
"""

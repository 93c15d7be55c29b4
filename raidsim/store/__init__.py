"""RAID on real bytes: the plans of :mod:`raidsim.layout`, applied to arrays in memory.

Data tests a plan: what :class:`~raidsim.store.array.Store` reads after any writes, failures and
rebuilds must be what was written. Bytes only move between drives and store by the accesses of the
merged plan, and all computed bytes depend on these.
"""

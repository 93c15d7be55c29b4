"""Changes to a running system: windows, operations, power cuts, failures of parts.

- ``window`` opens the measurement
- background work: ``operation``, ``trim``
- power: ``power``, ``hybrid_power``, ``promises`` (what a cut would lose), ``exposure`` (the same
  while a battery changes)
- failures: ``halt`` (of stations), ``hardware`` (of a controller), ``offline`` (of a volume),
  ``pinned`` (dirty data of a lost array)
- caches: ``cache_modes``, ``cache_lines``; ``full_caches`` and ``full_bitmaps`` fill at once what a
  long use would fill
"""

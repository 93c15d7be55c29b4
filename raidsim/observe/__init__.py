"""What was measured in a window, read from the kernel's tables.

- the figures of loads: ``figures``, ``tally`` (up to a moment), ``ios`` (one by one), ``replayed``
- the use of hardware: ``station_use``, ``array_use``, ``caching``, ``hybrid_use``, ``wear``,
  ``thermal``; ``limits`` finds the busiest part
- whether a measurement is good: ``settling``, ``levels``, ``precision``, ``saturation``,
  ``failing``, ``throttling``, ``elevator_passes``
- remarks on figures: ``of_loads``, ``same_place``, ``unwritten``, ``protected_cache``
- before a run: ``inventory`` (capacity, power, links), ``traffic`` (commands of a request on
  average), ``waterfall`` (where the capacity goes)
"""

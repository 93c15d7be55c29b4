"""From a scenario and its cards to rows of the kernel's tables.

- ``scenario`` adds all volumes, and brings their drives into their initial state; ``load`` adds the
  streams of loads, ``replay`` the requests of traces
- volumes: ``array``, ``hybrid``; ``intent`` (records of writes), ``volume_rows`` (which rows belong
  to a volume)
- around them: ``host``, ``shared_lines``, ``controller``, ``cache``, ``replacement``, ``fabric``
  (the graph of links), ``heat``, ``supply`` (power)
- drives: ``drive`` has what all of them share; the differences between kinds are in the package
  ``drives``
- hard disks: ``hdd``, ``surface``, ``runs``, ``seeks``, ``disk_cache``, ``shingles``,
  ``shingle_past``
- solid state drives: ``ssd``, ``ftl``, ``mapping``, ``sensing``, ``slc``, ``sata``,
  ``amplification`` (the closed form)
"""

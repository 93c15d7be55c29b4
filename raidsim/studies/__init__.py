"""Many runs of one question: sweeps, comparisons, draws of unknown values, and their results.

- a sweep: ``sweep``, ``vary`` (keys and values), ``study`` (its runs), ``expected`` (how many runs
  there are, and how long they take), ``study_file``, ``effects``
  (which key matters), ``figures`` and ``facts`` (the columns of its table)
- a comparison: ``compare``, ``compared_runs``, ``paired``, ``states``, ``searched``, ``costs``,
  ``differences``, ``side_by_side``; ``comparison`` is its result
- unknown values: ``unknown``, ``point_figures``, ``orders`` (of two scenarios), ``measurements``
  (which one shows a value, of those in ``experiments``), ``risks``
- shared: ``arguments``, ``short`` (runs), ``room`` (memory of a run), ``store`` (results of runs)
"""

"""The output for people: tables, sentences, pictures, pages, CSV, JSON, and the progress bar.

Functions named ``render`` return bytes or text and write no file, those named ``print_...`` print
to a console, and ``lines`` yields what stands below a table. :mod:`raidsim.report.output` is the
only module that writes files. Nothing is imported here, so that a command which prints a table does
not load matplotlib.

The modules, by the command or the thing that they show:

- a run: ``table`` with the lines of ``drives``, ``controllers``, ``hybrids``, ``machines``,
  ``within``, ``compared`` and ``unknowns`` below it; ``phases`` if there are events;
  ``contents`` of its files: ``csv_file``, ``json_file``, ``plot`` and ``html``; ``glance`` and
  ``frame`` in Python
- the pictures of a run: ``curves`` and ``panels``; ``one_point``, if there is one; ``course`` and
  ``timeline`` over time, on the axis of ``real_time``; ``ready``: machines that boot
- a replayed trace: ``replayed`` (picture), ``replay_words``
- ``check``: ``checked`` (all of it), ``check_text``; ``capacity_table``, ``power_table``,
  ``risk_table``, ``event_words``
- findings of ``check``: ``findings`` gathers those of ``drive_findings``, ``load_findings``,
  ``event_findings``, ``array_findings``, ``link_findings``, ``hybrid_findings`` and
  ``card_findings``; ``finding`` is their form, and ``demands`` the arithmetic of loads
- ``explain``: ``explain_text``, ``explain_plan``, ``explain_tables``; ``layout_drawing``
- ``compare``: ``compare_text``, ``compare_words``, ``compare_plot``, ``compare_page``
- ``sweep``: ``sweep_table``, ``sweep_plot``, ``sweep_files``
- ``plan``: ``plan_text``, ``plan_plot``, ``plan_page``, ``plan_files``
- ``models`` and ``card``: ``cards_table``, ``card_fit``
- ``calibrate``: ``calibration``; ``learned``, if it was from results of fio; ``left_out``
- ``validate``: ``validation_table``, ``validation_plot``, ``validation_page``
- ``accept`` and ``judge``: ``acceptance``, ``judgement``
- ``trace``: ``trace_table``, ``trace_words``, ``trace_plot``, ``trace_page``, ``trace_fit``
- lessons: ``lesson_text``, ``lesson_page``, ``lesson_files``

What they share: ``console``, ``ruled`` and ``narrow`` (tables on a terminal), ``numbers``,
``hardware`` and ``summary`` (hardware and loads in words), ``toml_text`` (a scenario as a file),
``pages``, ``embedded`` and ``readings`` (pages, pictures in them, and figures under the mouse
pointer), ``progress``, ``output``.
"""

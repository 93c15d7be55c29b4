"""The output of a run for people: table, JSON, CSV, plot, HTML page, progress bar.

Every module here reads :mod:`raidsim.result` and nothing below it. The functions named ``render``
return bytes or text and write no file; :mod:`raidsim.report.output` is the only module that writes.
Nothing is imported here, so that a command which prints a table does not load matplotlib.
"""

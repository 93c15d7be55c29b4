"""What people get to see of a run: table, JSON, CSV, plot, HTML page, progress bar.

Every module here reads :mod:`raidsim.result` and nothing below it. The functions
named ``render`` return bytes or text and touch no file; :mod:`raidsim.report.output`
is the only one that writes. Nothing is imported here, so that a command which
prints a table does not load matplotlib.
"""

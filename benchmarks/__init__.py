"""How fast raidsim is: ``python -m benchmarks`` prints a table and writes the same as JSON.

Each sibling measures one thing and has the same three names: ``NAME`` for ``--only``,
``run`` for the figures as plain data, ``lines`` for the lines of the table. ``run`` also
returns ratios within the run: they hardly depend on the computer.
"""

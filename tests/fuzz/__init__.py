"""Random use that never ends: what must hold, whatever is asked for.

Each module in ``targets`` does one kind of thing to raidsim. Its docstring says what, and what must
hold; its function ``attempt(random)`` does it once and raises :class:`Fault` if that does not hold.
Whatever else an attempt raises is a fault too, as is an attempt that takes too long, too much
memory, or ends its process. A function ``prepare()``, if there is one, is called before the first
attempt of a process, and is not measured: there a kernel is compiled.
"""


class Fault(Exception):
    """Something that must hold does not."""

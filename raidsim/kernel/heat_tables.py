"""The tables of temperatures: see :mod:`~raidsim.kernel.heat` and the other tables."""

from __future__ import annotations

import numpy as np

HEAT = np.dtype(  # the temperatures of one drive; degrees Celsius, W, J, K/W, J/K
    [
        ("drive", "i4"),
        ("row", "i4"),  # of the drive, in the table of its kind
        ("path", "i4"),  # station that throttling slows down
        ("state", "i4"),  # COOL, THROTTLED_LIGHTLY, THROTTLED_HEAVILY
        ("inner", "f8"),  # flash and controller: what the drive reports
        ("case", "f8"),
        ("ambient", "f8"),
        ("inner_capacity", "f8"),
        ("inner_resistance", "f8"),
        ("case_capacity", "f8"),
        ("conductance", "f8"),  # case to air, W/K
        ("most", "f8"),  # W: what the drive takes at most
        ("idle", "f8"),
        ("read_energy", "f8"),  # per byte
        ("write_energy", "f8"),
        ("light_at", "f8"),
        ("heavy_at", "f8"),
        ("hysteresis", "f8"),
        ("light_speed", "f8"),
        ("heavy_speed", "f8"),
        ("built_speed", "f8"),  # of the path, not throttled
        ("factor", "f8"),  # by which throttling slows it down
        ("counted_read", "i8"),  # bytes whose energy has been counted
        ("counted_written", "i8"),
        ("energy", "f8"),  # so far
        ("light", "i8"),  # ns throttled lightly so far
        ("heavy", "i8"),
        ("highest", "f8"),  # since the window began
        ("window_begin", "i8"),
        ("window_inner", "f8"),  # what the fields of these names were then
        ("window_energy", "f8"),
        ("window_light", "i8"),
        ("window_heavy", "i8"),
    ],
    align=True,
)

SAMPLE = np.dtype(  # one reading of a drive
    [("inner", "f8"), ("case", "f8"), ("energy", "f8"), ("light", "i8"), ("heavy", "i8")],
    align=True,
)
SAMPLES = 600  # readings kept; an even number

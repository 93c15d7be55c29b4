"""Runs of a scenario, from a model to the points of a result.

`run` measures every intensity: as a session with a warm-up and a window (`session`), or as a
course through events (`course`). Two searches try loads: for the highest one within a latency
(`highest_load`), and for the rate that a system can sustain (`sustained_rate`).
"""

from raidsim.running.running import (
    Progress,
    cards_hash,
    measure_points,
    provenance,
    run,
    run_and_keep,
    run_for_answer,
    run_point,
    telling,
)

__all__ = [
    "Progress",
    "cards_hash",
    "measure_points",
    "provenance",
    "run",
    "run_and_keep",
    "run_for_answer",
    "run_point",
    "telling",
]

"""What a check of a scenario says of a key that is wrong: the key, the cause, and a remedy.

Each part has a module of checks: ``load_checks``, ``array_checks``, ``hybrid_checks``,
``machine_checks``, ``replay_checks`` and ``event_checks``. Its functions ``check_...`` yield
findings.
"""

from __future__ import annotations

Finding = tuple[str, str, str | None]
"""Key of the table that was checked, cause and remedy."""

IndexedFinding = tuple[int, str, str, str]
"""Number of the table among those that were checked together, then as in a finding."""

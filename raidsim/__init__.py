"""A simulator of storage: what a measurement of these drives under this load would have said.

>>> import raidsim
>>> scenario = raidsim.Scenario.read("p3700-database")  # doctest: +SKIP
>>> result = raidsim.run(scenario.with_("load.outstanding", 32))  # doctest: +SKIP
>>> result.points[0].iops.mean  # doctest: +SKIP

``dir(raidsim)`` lists what is public: docs/reference/python.md says what of it stays as it is.
``import raidsim`` is quick: the names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raidsim.version import __version__

if TYPE_CHECKING:
    from raidsim.control import (
        Completion,
        Controller,
        EndlessLoadError,
        Environment,
        Host,
        Hybrid,
        Link,
        Load,
        Operation,
        RunningLoad,
        Volume,
    )
    from raidsim.errors import InputError, SchemaWarning
    from raidsim.planning.planner import plan
    from raidsim.result import Interrupted, Result
    from raidsim.scenario import Scenario
    from raidsim.studies.compare import compare
    from raidsim.studies.comparison import Comparison
    from raidsim.studies.sweep import Sweep, sweep
    from raidsim.studies.unknown import run
    from raidsim.system.tables import SaturationError
    from raidsim.trace.trace import Trace

__all__ = [
    "Comparison",
    "Completion",
    "Controller",
    "EndlessLoadError",
    "Environment",
    "Host",
    "Hybrid",
    "InputError",
    "Interrupted",
    "Link",
    "Load",
    "Operation",
    "Result",
    "RunningLoad",
    "SaturationError",
    "Scenario",
    "SchemaWarning",
    "Sweep",
    "Trace",
    "Volume",
    "__version__",
    "compare",
    "plan",
    "run",
    "sweep",
]

_HOME = {
    "Comparison": "raidsim.studies.comparison",
    "InputError": "raidsim.errors",
    "Interrupted": "raidsim.result",
    "Result": "raidsim.result",
    "SaturationError": "raidsim.system.tables",
    "Scenario": "raidsim.scenario",
    "SchemaWarning": "raidsim.errors",
    "Sweep": "raidsim.studies.sweep",
    "Trace": "raidsim.trace.trace",
    "compare": "raidsim.studies.compare",
    "plan": "raidsim.planning.planner",
    "run": "raidsim.studies.unknown",
    "sweep": "raidsim.studies.sweep",
}
"""Where the names live, if not in `raidsim.control`."""


def __getattr__(name: str) -> Any:
    """Load a public name from the module it lives in (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOME.get(name, "raidsim.control")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)

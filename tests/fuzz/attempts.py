"""One attempt of one target, here or in a process of its own."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import importlib.util
import os
import random
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from tests.fuzz import Fault

TARGETS = Path(__file__).parent / "targets"
MEMORY = 6 * 2**30  # bytes that a process may ask for
DUMP = signal.SIGUSR1  # tells a process to write down where it is


def names() -> list[str]:
    """All targets."""
    return sorted(path.stem for path in TARGETS.glob("*.py") if path.stem != "__init__")


def load(target: str) -> Any:
    """The module of a target, which is a name or the path of a file."""
    if not target.endswith(".py"):
        return importlib.import_module(f"tests.fuzz.targets.{target}")
    spec = importlib.util.spec_from_file_location(Path(target).stem, target)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generator(seed: int, target: str, number: int) -> random.Random:
    """The random numbers of one attempt: they depend on nothing else."""
    return random.Random(f"{seed} {Path(target).stem} {number}")


def tried(call: Callable[..., None], given: Any) -> tuple[str, str] | None:
    """Make an attempt: None if all holds, else where it failed and how."""
    try:
        call(given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a fault
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        if isinstance(error, Fault):
            place += f" {str(error).splitlines()[0][:60]}"
        return f"{type(error).__name__} {place}", traceback.format_exc()
    return None


def shortened(module: Any, parts: list[Any], kind: str) -> list[Any]:
    """As few parts of an attempt as are found to end in the same kind of fault.

    For targets that have ``planned(random)``, the parts of an attempt, the first of which must
    stay, and ``run(parts)``.
    """
    size = len(parts) // 2
    while size > 0:
        start = len(parts)
        while start > 1:
            start = max(start - size, 1)
            fewer = parts[:start] + parts[start + size :]
            found = tried(module.run, fewer)
            if len(fewer) < len(parts) and found is not None and found[0] == kind:
                parts = fewer
        size //= 2
    return parts


def use_checked_kernel() -> None:
    """Let the kernel refuse every index outside of its tables."""
    os.environ.setdefault("RAIDSIM_CHECKED", "1")
    sys.path.append(str(Path(__file__).parents[1]))  # the tests' own tools


def serve(asked: Connection, log: str) -> None:
    """Make the attempts that are asked for, in a process of its own, until there is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    with Path(log).open("w") as place:
        _write_where_it_is(place)
        use_checked_kernel()
        modules: dict[str, Any] = {}
        with contextlib.suppress(EOFError):
            while (task := asked.recv()) is not None:
                target, seed, number = task
                if target not in modules:
                    modules[target] = load(target)
                    getattr(modules[target], "prepare", lambda: None)()
                if number is None:
                    asked.send(None)
                    continue
                asked.send(tried(modules[target].attempt, generator(seed, target, number)))


def _limit_memory() -> None:
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))


def _write_where_it_is(place: IO[str]) -> None:
    """On a fatal error, or when told to, which also works in compiled code."""
    faulthandler.enable(place)
    faulthandler.register(DUMP, place)

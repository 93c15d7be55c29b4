"""Workers of a Dask cluster: found by the address of its scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from raidsim.errors import InputError, Problem, quote

PATIENCE = "5s"
"""How long a scheduler may take to answer."""

Losses = tuple[type[BaseException], ...]
"""What is raised by a call over which its workers were lost, one after the other."""


@contextmanager
def cluster_of(address: str) -> Iterator[tuple[Executor, int, Losses]]:
    """Connect to a cluster: what runs calls on it, how many at a time, and how losses are told.

    A worker that is lost in the middle costs time only: its calls are run by another one.

    Raises
    ------
    InputError
        Dask is not installed, nothing answers at the address, or the cluster has no worker.
    """
    if not address:
        raise _problem("is not an address", "give that of a scheduler of Dask, or leave it out")
    try:
        distributed: Any = import_module("distributed")  # an extra, without types
    except ImportError:
        cause = "needs Dask, which is not installed"
        raise _problem(cause, 'pip install "raidsim[cluster]"') from None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).split("\n", maxsplit=1)[0] or type(error).__name__
        cause = f"no scheduler of a Dask cluster answers at {quote(address)}: {reason}"
        raise _problem(cause, "start one, e.g. dask scheduler") from None
    try:
        threads = sum(client.nthreads().values())
        if threads == 0:
            cause = f"the cluster at {quote(address)} has no worker"
            raise _problem(cause, f"start some: dask worker {address} --nthreads 1")
        yield client.get_executor(pure=False), threads, (distributed.KilledWorker,)
    finally:
        client.close()


def _problem(cause: str, remedy: str) -> InputError:
    return InputError([Problem(None, None, "--cluster", cause, remedy)])
